"""Beam search: several beginnings of an answer are kept at each step, and the likeliest whole answer wins.

The rules are those of transformers (`num_beams`, length penalty 1, no early stopping): of the 2n best
continuations of n beams those that end go to the finished answers if they are among the first n, the
best n others go on; an answer's score is its log-probability divided by its length, end included; the
search is over when no beam can beat the worst of n finished answers at its present length.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from taskloom.models.decode import Continuation, stopped_at
from taskloom.models.engine import Engine, Ids
from taskloom.models.runtime import import_torch

__all__ = ["search_prompts"]


class _Beam(msgspec.Struct):
    """A beginning of an answer; `row` is its place in the engine."""

    tokens: tuple[int, ...]
    total: float
    row: int


class _Hypothesis(msgspec.Struct):
    score: float
    spoken: Continuation


class _Search(msgspec.Struct):
    """The state of one prompt."""

    beams: list[_Beam]
    limit: int
    finished: list[_Hypothesis] = []
    lost: bool = False

    def add(self, score: float, spoken: Continuation, most: int) -> None:
        """Take in a finished answer; only the best are kept, earlier ones first among equals."""
        self.finished.append(_Hypothesis(score, spoken))
        self.finished.sort(key=lambda item: -item.score)
        del self.finished[most:]

    def is_over(self, most: int) -> bool:
        """Whether nothing can change any more."""
        if self.lost or not self.beams:
            return True
        length = len(self.beams[0].tokens)
        if length >= self.limit:
            return True
        return len(self.finished) >= most and self.finished[-1].score >= self.beams[0].total / max(1, length)

    def answer(self) -> Continuation:
        """The best answer; one that was cut off only where it beats all that ended."""
        if self.lost:
            return Continuation((), finished=False, lost=True)
        for beam in self.beams:
            cut = Continuation(beam.tokens, finished=False)
            self.finished.append(_Hypothesis(beam.total / max(1, len(beam.tokens)), cut))
        return max(self.finished, key=lambda item: item.score).spoken


def search_prompts(
    engine: Engine,
    prompts: Sequence[Ids],
    beams: int,
    *,
    ends: frozenset[int],
    decode: Callable[[list[int]], str],
    limits: Sequence[int],
    stop: Sequence[str] = (),
    forced_first: int | None = None,
) -> list[Continuation]:
    """Answer a batch of prompts; arguments as for `continue_prompts`."""
    searches = [_Search([_Beam((), 0.0, row)], limit) for row, limit in enumerate(limits)]
    scores = engine.start(prompts)
    while True:
        rows = scores.log_softmax(dim=-1)
        if forced_first is not None and not searches[0].beams[0].tokens:
            rows = _only(rows, forced_first)
        for search in searches:
            if not search.is_over(beams):
                _step(search, rows, beams, ends, decode, stop)
        alive = [beam for search in searches if not search.is_over(beams) for beam in search.beams]
        if not alive:
            return [search.answer() for search in searches]
        engine.keep([beam.row for beam in alive])
        for place, beam in enumerate(alive):
            beam.row = place
        scores = engine.advance([beam.tokens[-1] for beam in alive])


def _only(rows: Any, token: int) -> Any:
    forced = import_torch().full_like(rows, -float("inf"))
    forced[:, token] = 0.0
    return forced


def _step(
    search: _Search,
    rows: Any,
    most: int,
    ends: frozenset[int],
    decode: Callable[[list[int]], str],
    stop: Sequence[str],
) -> None:
    """One more token for every beam of a prompt."""
    torch = import_torch()
    own = torch.stack([rows[beam.row].double() + beam.total for beam in search.beams])
    if bool(own.amax().isnan()):
        search.lost = True
        return
    totals, places = own.flatten().topk(min(2 * most, own.numel()))
    going: list[_Beam] = []
    for rank, (total, place) in enumerate(zip(totals.tolist(), places.tolist(), strict=True)):
        beam, token = search.beams[place // own.shape[1]], place % own.shape[1]
        length = len(beam.tokens) + 1
        if token in ends:
            if rank < most:
                search.add(total / length, Continuation(beam.tokens, finished=True), most)
            continue
        tokens = (*beam.tokens, token)
        cut = stopped_at(decode, list(tokens), stop)
        if cut is not None:
            if rank < most:
                search.add(total / length, Continuation(tokens, finished=True, cut_at=cut), most)
        elif len(going) < most:
            going.append(_Beam(tokens, total, beam.row))
    search.beams = going
