"""Next-token distributions of a local model, independent of batch, padding and cache.

Taskloom walks through the tokens itself instead of calling `module.generate`: positions follow from
the real tokens, never from the padding, so a prompt gets the same distribution alone or in company,
padded on either side, with remembered keys and values or without. A model steps in three moves:
`start` reads prompts, `advance` appends one token to each, `keep` drops or repeats rows.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from inspect import signature
from random import Random
from typing import Any, Literal, TypeAlias

import msgspec

from taskloom.core import keyed_random
from taskloom.core.model import Generation
from taskloom.models.runtime import import_torch

Side: TypeAlias = Literal["left", "right"]
Ids: TypeAlias = Sequence[int]


def pad(rows: Sequence[Ids], filler: int, side: Side, device: Any) -> tuple[Any, Any]:
    """Token ids as a rectangle, and a mask that is 1 where a token is real."""
    torch = import_torch()
    lengths = [len(row) for row in rows]
    width = max(lengths, default=0)
    gaps = [[filler] * (width - length) for length in lengths]
    # Tensors are made of all rows at once: one by one they cost as much as a small model's pass over them.
    whole = [[*gap, *row] if side == "left" else [*row, *gap] for row, gap in zip(rows, gaps, strict=True)]
    ids = torch.tensor(whole, dtype=torch.long).reshape(len(rows), width)
    places, ends = torch.arange(width), torch.tensor(lengths, dtype=torch.long).unsqueeze(1)
    mask = (places >= width - ends if side == "left" else places < ends).long()
    return ids.to(device), mask.to(device)


def _accepted(module: Any) -> frozenset[str]:
    """The arguments a module's forward takes, seen through adapters that wrap it and take anything."""
    inner = module.get_base_model() if hasattr(module, "get_base_model") else module
    return frozenset(signature(type(inner).forward).parameters)


def _looks_back_a_little(config: Any) -> bool:
    """Whether some layers attend to a window of recent places only."""
    kinds = f"{getattr(config, 'layer_types', None)} {getattr(config, 'attention_types', None)}"
    return bool(getattr(config, "sliding_window", None)) or "sliding" in kinds or "local" in kinds


def _exact(logits: Any) -> Any:
    """Scores in single precision at least; probabilities of many tokens are no place for bfloat16."""
    return logits if logits.dtype == import_torch().float64 else logits.float()


def _places(mask: Any) -> Any:
    """The place of each token among the real ones of its row."""
    return (mask.cumsum(dim=1) - 1).clamp(min=0)


@contextmanager
def _places_of_real_tokens(encoder: Any, mask: Any) -> Iterator[None]:
    """Make an encoder with absolute positions (BART and kin) count real tokens, not columns.

    Such encoders take no positions from outside, so their position table is asked again.
    """
    table = getattr(encoder, "embed_positions", None)
    if table is None or not hasattr(table, "weight"):
        yield
        return
    places = _places(mask) + getattr(table, "offset", 0)
    look_up = import_torch().nn.functional.embedding
    hook = table.register_forward_hook(lambda module, given, result: look_up(places, module.weight))
    try:
        yield
    finally:
        hook.remove()


class Engine(ABC):
    """Steps a module through tokens.

    Args:
        module: The torch module, in evaluation mode.
        filler: The id that stands at padded places; never looked at.
        side: Where shorter rows are padded.
        cache: Whether keys and values are remembered between steps.
    """

    def __init__(self, module: Any, filler: int, side: Side, cache: bool) -> None:
        self.module, self.filler, self.side = module, filler, side
        self._accepts = _accepted(module)
        self.cache = cache and "past_key_values" in self._accepts
        self._lanes: list[int] = []
        self._select: Callable[[Sequence[int]], None] | None = None
        self._rows: list[list[int]] = []
        self._past: Any = None
        self._held: list[Any] = []
        """What else is known of each row: tensors whose first dimension is that of the rows."""

    def for_lanes(self, lanes: Sequence[int], select: Callable[[Sequence[int]], None]) -> None:
        """Say which adaptation each prompt is for, where the module holds several.

        `select` tells the module which adaptation each row of its next pass belongs to.
        """
        self._lanes, self._select = list(lanes), select

    def _use(self, rows: Ids) -> None:
        """Let the module know whose rows come next: these of the present ones, in this order."""
        if self._select is not None:
            self._lanes = [self._lanes[row] for row in rows]
            self._select(self._lanes)

    @property
    def device(self) -> Any:
        return self.module.device

    @abstractmethod
    def start(self, prompts: Sequence[Ids]) -> Any:
        """Read prompts; the scores of their next tokens, one row per prompt, in float32."""

    def advance(self, tokens: Ids) -> Any:
        """Append one token to each row; the scores of the tokens after it."""
        for row, token in zip(self._rows, tokens, strict=True):
            row.append(token)
        return self._next(tokens)

    @abstractmethod
    def _next(self, tokens: Ids) -> Any:
        """The scores after rows to which these tokens were appended."""

    def keep(self, rows: Ids) -> None:
        """Go on with these rows only, in this order; a row may be repeated."""
        self._use(rows)
        self._rows = [list(self._rows[row]) for row in rows]
        index = self._index(rows)
        self._held = [tensor[index] for tensor in self._held]
        if self._past is not None:
            self._past.batch_select_indices(index)

    def _index(self, rows: Ids) -> Any:
        return import_torch().tensor(list(rows), device=self.device)

    @abstractmethod
    def force(self, prompts: Sequence[Ids], rows: Sequence[tuple[int, Ids]]) -> list[list[float]]:
        """The log-probability of each token of given answers.

        Args:
            prompts: The prompts, each read once.
            rows: For each answer the index of its prompt and its tokens (at least one).
        """

    def _pick(self, logits: Any, answers: Sequence[Ids]) -> list[list[float]]:
        """The log-probability of each answer's tokens, given the scores before each of them."""
        wanted, _ = pad(answers, 0, "right", logits.device)
        picked = _exact(logits).log_softmax(dim=-1).gather(-1, wanted.unsqueeze(-1)).squeeze(-1).tolist()
        return [row[: len(answer)] for row, answer in zip(picked, answers, strict=True)]


class TwoPartEngine(Engine):
    """Encoder-decoder models: the prompt goes into the encoder, the answer comes from the decoder.

    Every answer begins with `start_token` before its first real token.
    """

    def __init__(self, module: Any, filler: int, side: Side, cache: bool, start_token: int) -> None:
        super().__init__(module, filler, side, cache)
        self._start_token = start_token

    def _read(self, prompts: Sequence[Ids]) -> list[Any]:
        self._use(range(len(prompts)))
        ids, mask = pad(prompts, self.filler, self.side, self.device)
        encoder = self.module.get_encoder()
        with _places_of_real_tokens(encoder, mask) if self.side == "left" else nullcontext():
            hidden = encoder(input_ids=ids, attention_mask=mask).last_hidden_state
        # An encoder with a soft prompt gives more states than it was given tokens; they stand in front.
        soft = mask.new_ones((mask.shape[0], hidden.shape[1] - mask.shape[1]))
        return [hidden, import_torch().cat([soft, mask], dim=1)]

    def _decode(self, read: Sequence[Any], ids: Any, past: Any = None, use_cache: bool = False) -> Any:
        return self.module(
            encoder_outputs=(read[0],),
            attention_mask=read[1],
            decoder_input_ids=ids,
            past_key_values=past,
            use_cache=use_cache,
        )

    def start(self, prompts: Sequence[Ids]) -> Any:
        self._held, self._past, self._rows = self._read(prompts), None, [[] for _ in prompts]
        return self.advance([self._start_token] * len(prompts))

    def _next(self, tokens: Ids) -> Any:
        fed = [[token] for token in tokens] if self.cache else self._rows
        ids = import_torch().tensor(fed, device=self.device)
        output = self._decode(self._held, ids, self._past, self.cache)
        self._past = output.past_key_values if self.cache else None
        return _exact(output.logits[:, -1])

    def force(self, prompts: Sequence[Ids], rows: Sequence[tuple[int, Ids]]) -> list[list[float]]:
        read = self._read(prompts)
        used, answers = [prompt for prompt, _ in rows], [ids for _, ids in rows]
        self._use(used)
        index = self._index(used)
        # Causal attention keeps the padding behind an answer out of sight, so it needs no mask.
        fed, _ = pad([[self._start_token, *ids[:-1]] for ids in answers], self.filler, "right", self.device)
        return self._pick(self._decode([tensor[index] for tensor in read], fed).logits, answers)


class DecoderEngine(Engine):
    """Decoder-only models: the answer continues the prompt."""

    def __init__(self, module: Any, filler: int, side: Side, cache: bool) -> None:
        super().__init__(module, filler, side, cache)
        # Padding on the right leaves a gap in what is remembered, and a window over the last few places
        # would count the gap as if it were text.
        self.cache = self.cache and not (side == "right" and _looks_back_a_little(module.config))

    def start(self, prompts: Sequence[Ids]) -> Any:
        self._rows, self._past, self._held = [list(prompt) for prompt in prompts], None, []
        self._use(range(len(prompts)))
        if not self.cache:
            return self._next(())
        logits, self._past, mask = self._read(prompts)
        self._held = [mask]
        return logits

    def _next(self, tokens: Ids) -> Any:
        if not self.cache:
            return self._last(self._whole(self._rows)[0], self._rows)
        lengths = [len(row) - 1 for row in self._rows]
        logits, self._past, mask = self._go_on(self._past, self._held[0], lengths, [[token] for token in tokens])
        self._held = [mask]
        return _exact(logits[:, -1])

    def force(self, prompts: Sequence[Ids], rows: Sequence[tuple[int, Ids]]) -> list[list[float]]:
        used, answers = [prompt for prompt, _ in rows], [ids for _, ids in rows]
        if not self.cache:
            self._use(used)
            return self._force_whole([prompts[prompt] for prompt in used], answers)
        self._use(range(len(prompts)))
        first, past, mask = self._read(prompts)
        self._use(used)
        index = self._index(used)
        first, mask = first[index].unsqueeze(1), mask[index]
        fed = [ids[:-1] for ids in answers]
        if not any(fed):
            return self._pick(first, answers)
        past.batch_select_indices(index)
        later, _, _ = self._go_on(past, mask, [len(prompts[prompt]) for prompt in used], fed)
        return self._pick(import_torch().cat([first.to(later.dtype), later], dim=1), answers)

    def _read(self, prompts: Sequence[Ids]) -> tuple[Any, Any, Any]:
        """Scores after each prompt, what is remembered of it, and where its tokens are."""
        # On the left all prompts end in the last column, so only that column's scores are needed.
        last_only = self.side == "left" and "logits_to_keep" in self._accepts
        logits, past, mask = self._whole(prompts, use_cache=True, **({"logits_to_keep": 1} if last_only else {}))
        return self._last(logits, prompts), past, mask

    def _go_on(self, past: Any, mask: Any, lengths: Sequence[int], fed: Sequence[Ids]) -> tuple[Any, Any, Any]:
        torch = import_torch()
        ids, new = pad(fed, self.filler, "right", self.device)
        places = self._index(lengths).unsqueeze(1) + torch.arange(ids.shape[1], device=self.device).unsqueeze(0)
        mask = torch.cat([mask, new], dim=1)
        output = self._forward(ids, mask, places * new, past_key_values=past, use_cache=True)
        return output.logits, output.past_key_values, mask

    def _whole(self, rows: Sequence[Ids], *, use_cache: bool = False, **more: Any) -> tuple[Any, Any, Any]:
        """The scores of rows read from their beginning, what is remembered of them, and where their tokens are."""
        ids, mask = pad(rows, self.filler, self.side, self.device)
        output = self._forward(ids, mask, _places(mask), use_cache=use_cache, **more)
        return output.logits, output.past_key_values if use_cache else None, mask

    def _force_whole(self, prompts: Sequence[Ids], answers: Sequence[Ids]) -> list[list[float]]:
        torch = import_torch()
        rows = [[*prompt, *answer[:-1]] for prompt, answer in zip(prompts, answers, strict=True)]
        logits, _, mask = self._whole(rows)
        wanted = torch.zeros((len(rows), max(map(len, answers))), dtype=torch.long, device=self.device)
        for index, (row, prompt, answer) in enumerate(zip(rows, prompts, answers, strict=True)):
            begin = (mask.shape[1] - len(row) if self.side == "left" else 0) + len(prompt) - 1
            wanted[index, : len(answer)] = torch.arange(begin, begin + len(answer), device=self.device)
        return self._pick(logits.gather(1, wanted.unsqueeze(-1).expand(-1, -1, logits.shape[-1])), answers)

    def _forward(self, ids: Any, mask: Any, places: Any, **more: Any) -> Any:
        if "position_ids" in self._accepts:
            more["position_ids"] = places
        return self.module(input_ids=ids, attention_mask=mask, **more)

    def _last(self, logits: Any, rows: Sequence[Ids]) -> Any:
        if self.side == "left":
            return _exact(logits[:, -1])
        ends = self._index([len(row) - 1 for row in rows]).to(logits.device)
        return _exact(logits[import_torch().arange(len(rows), device=logits.device), ends])


class Continuation(msgspec.Struct, frozen=True):
    """The tokens of one answer, without the end token. `finished` says that the model ended by itself."""

    tokens: tuple[int, ...]
    finished: bool
    cut_at: int | None = None
    """Where a stop string begins in the decoded text, if one ended the answer."""
    lost: bool = False
    """The scores of the next token were not numbers, so there is no next token."""


class AnswerRules(msgspec.Struct, frozen=True):
    """When an answer is over, and what it must begin with.

    Attributes:
        limits: The most tokens each answer may have.
        ends: The ids that end an answer.
        decode: Tokens to text, to look for stop strings.
        forced_first: An id that every answer must begin with (some BART and mBART checkpoints).
        stop: Stop strings.
    """

    limits: Sequence[int]
    ends: frozenset[int]
    decode: Callable[[list[int]], str]
    forced_first: int | None = None
    stop: Sequence[str] = ()

    def stopped_at(self, tokens: list[int]) -> int | None:
        """Where the first stop string begins in the text of tokens; None where there is none."""
        text = self.decode(tokens) if self.stop else ""
        return min((text.find(mark) for mark in self.stop if mark and mark in text), default=None)


def continue_prompts(
    engine: Engine, prompts: Sequence[Ids], generation: Generation, rules: AnswerRules, samples: Sequence[int] = ()
) -> list[Continuation]:
    """Answer a batch of prompts.

    A sampled answer depends on the seed, its own prompt and its number among several draws (`samples`; all the first
    by default), never on its neighbours in the batch.
    """
    answers: list[list[int]] = [[] for _ in prompts]
    done: dict[int, Continuation] = {}
    randoms = _draws(prompts, samples or [0] * len(prompts), generation)
    alive = list(range(len(prompts)))
    scores = engine.start(prompts)
    while True:
        chosen = _choose(scores, [randoms[row] for row in alive] if randoms else [], generation)
        if rules.forced_first is not None and not answers[alive[0]]:
            chosen = [rules.forced_first] * len(alive)
        lost = scores.amax(dim=-1).isnan().tolist()
        stay: list[int] = []
        for place, (row, token) in enumerate(zip(alive, chosen, strict=True)):
            if lost[place] or token in rules.ends:
                done[row] = Continuation(tuple(answers[row]), finished=not lost[place], lost=lost[place])
                continue
            answers[row].append(token)
            cut = rules.stopped_at(answers[row])
            if cut is not None or len(answers[row]) >= rules.limits[row]:
                done[row] = Continuation(tuple(answers[row]), finished=cut is not None, cut_at=cut)
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


class _Beam(msgspec.Struct):
    """A beginning of an answer; `row` is its place in the engine."""

    tokens: tuple[int, ...]
    total: float
    row: int


class _Hypothesis(msgspec.Struct):
    score: float
    spoken: Continuation


class _BeamSearch(msgspec.Struct):
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


def search_prompts(engine: Engine, prompts: Sequence[Ids], beams: int, rules: AnswerRules) -> list[Continuation]:
    """Beam search: several beginnings of an answer are kept at each step, and the likeliest whole answer wins.

    The rules are those of transformers (`num_beams`, length penalty 1, no early stopping): of the 2n best
    continuations of n beams those that end go to the finished answers if they are among the first n, the
    best n others go on; an answer's score is its log-probability divided by its length, end included; the
    search is over when no beam can beat the worst of n finished answers at its present length.
    """
    searches = [_BeamSearch([_Beam((), 0.0, row)], limit) for row, limit in enumerate(rules.limits)]
    scores = engine.start(prompts)
    while True:
        rows = scores.log_softmax(dim=-1)
        if rules.forced_first is not None and not searches[0].beams[0].tokens:
            forced = import_torch().full_like(rows, -float("inf"))
            forced[:, rules.forced_first] = 0.0
            rows = forced
        for search in searches:
            if not search.is_over(beams):
                _step(search, rows, beams, rules)
        alive = [beam for search in searches if not search.is_over(beams) for beam in search.beams]
        if not alive:
            return [search.answer() for search in searches]
        engine.keep([beam.row for beam in alive])
        for place, beam in enumerate(alive):
            beam.row = place
        scores = engine.advance([beam.tokens[-1] for beam in alive])


def _step(search: _BeamSearch, rows: Any, most: int, rules: AnswerRules) -> None:
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
        ended = token in rules.ends
        tokens = beam.tokens if ended else (*beam.tokens, token)
        cut = None if ended else rules.stopped_at(list(tokens))
        if ended or cut is not None:
            if rank < most:
                search.add(total / (len(beam.tokens) + 1), Continuation(tokens, finished=True, cut_at=cut), most)
        elif len(going) < most:
            going.append(_Beam(tokens, total, beam.row))
    search.beams = going
