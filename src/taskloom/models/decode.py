"""From distributions to text: greedy or sampled answers, and exact log-probabilities of given ones."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Any

import msgspec

from taskloom.core import keyed_random
from taskloom.core.model import Generation
from taskloom.models.engine import Engine, Ids
from taskloom.models.runtime import import_torch

__all__ = ["Continuation", "continue_prompts", "leaves", "stopped_at"]


class Continuation(msgspec.Struct, frozen=True):
    """The tokens of one answer, without the end token. `finished` says that the model ended by itself."""

    tokens: tuple[int, ...]
    finished: bool
    cut_at: int | None = None
    """Where a stop string begins in the decoded text, if one ended the answer."""
    lost: bool = False
    """The scores of the next token were not numbers, so there is no next token."""


def continue_prompts(
    engine: Engine,
    prompts: Sequence[Ids],
    generation: Generation,
    *,
    ends: frozenset[int],
    decode: Callable[[list[int]], str],
    limits: Sequence[int],
    samples: Sequence[int] = (),
    forced_first: int | None = None,
) -> list[Continuation]:
    """Answer a batch of prompts.

    A sampled answer depends on the seed, its own prompt and its number, never on its neighbours in the batch.

    Args:
        engine: Steps the model.
        prompts: Token ids.
        generation: Temperature, nucleus, stop strings, seed.
        ends: The ids that end an answer.
        decode: Tokens to text, to look for stop strings.
        limits: The most tokens each answer may have.
        samples: The number of each answer among several draws for one prompt; all the first by default.
        forced_first: An id that every answer must begin with (some BART and mBART checkpoints).
    """
    answers: list[list[int]] = [[] for _ in prompts]
    done: dict[int, Continuation] = {}
    randoms = _draws(prompts, samples or [0] * len(prompts), generation)
    alive = list(range(len(prompts)))
    scores = engine.start(prompts)
    while True:
        chosen = _choose(scores, [randoms[row] for row in alive] if randoms else [], generation)
        if forced_first is not None and not answers[alive[0]]:
            chosen = [forced_first] * len(alive)
        lost = scores.amax(dim=-1).isnan().tolist()
        stay: list[int] = []
        for place, (row, token) in enumerate(zip(alive, chosen, strict=True)):
            if lost[place]:
                done[row] = Continuation(tuple(answers[row]), finished=False, lost=True)
                continue
            if token in ends:
                done[row] = Continuation(tuple(answers[row]), finished=True)
                continue
            answers[row].append(token)
            cut = stopped_at(decode, answers[row], generation.stop)
            if cut is not None:
                done[row] = Continuation(tuple(answers[row]), finished=True, cut_at=cut)
            elif len(answers[row]) >= limits[row]:
                done[row] = Continuation(tuple(answers[row]), finished=False)
            else:
                stay.append(place)
        if not stay:
            return [done[row] for row in range(len(prompts))]
        if len(stay) < len(alive):
            engine.keep(stay)
            alive = [alive[place] for place in stay]
            chosen = [chosen[place] for place in stay]
        scores = engine.advance(chosen)


def _draws(prompts: Sequence[Ids], samples: Sequence[int], generation: Generation) -> list[Random]:
    """The generator of each answer; none where the likeliest token is taken."""
    if generation.temperature <= 0:
        return []
    keys = [("generate", generation.seed, tuple(map(int, prompt))) for prompt in prompts]
    return [keyed_random(*key, n) if n else keyed_random(*key) for key, n in zip(keys, samples, strict=True)]


def stopped_at(decode: Callable[[list[int]], str], tokens: list[int], stop: Sequence[str]) -> int | None:
    """Where the first stop string begins in the text of tokens; None where there is none."""
    if not stop:
        return None
    text = decode(tokens)
    found = [text.find(mark) for mark in stop if mark and mark in text]
    return min(found) if found else None


def _choose(scores: Any, randoms: Sequence[Random], generation: Generation) -> list[int]:
    torch = import_torch()
    if generation.temperature <= 0:
        best: list[int] = scores.argmax(dim=-1).tolist()
        return best
    # Not every accelerator knows double precision, and a draw must not depend on which one it is.
    shares = torch.softmax(scores.cpu().double() / generation.temperature, dim=-1)
    ordered, ids = shares.sort(dim=-1, descending=True, stable=True)
    total = ordered.cumsum(dim=-1)
    if generation.top_p < 1:
        # The nucleus is the shortest list of likely tokens that reaches top_p; the first always stays.
        ordered = ordered.masked_fill(total - ordered >= generation.top_p, 0.0)
        total = ordered.cumsum(dim=-1)
    draws = torch.tensor([[random.random()] for random in randoms], dtype=total.dtype)
    place = torch.searchsorted(total, draws * total[:, -1:], right=True).clamp(max=total.shape[-1] - 1)
    drawn: list[int] = ids.gather(-1, place).squeeze(-1).tolist()
    return drawn


def leaves(sequences: Sequence[Ids]) -> Mapping[tuple[int, ...], tuple[int, ...]]:
    """For each sequence one that begins with it and is no beginning of another.

    Scoring the leaves scores everything: a token's probability depends only on what stands before it.
    """
    unique = sorted({tuple(ids) for ids in sequences})
    found: dict[tuple[int, ...], tuple[int, ...]] = {}
    for place in range(len(unique) - 1, -1, -1):
        ids = unique[place]
        after = unique[place + 1] if place + 1 < len(unique) else ()
        found[ids] = found[after] if after[: len(ids)] == ids and after else ids
    return found
