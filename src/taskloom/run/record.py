"""One answered instance, as it stands in the log."""

from __future__ import annotations

import sys
from array import array
from collections.abc import Iterator
from itertools import accumulate
from operator import attrgetter
from typing import Any

import msgspec

from taskloom.ask.judge import Assessment, Headline, ScoredReading, State, kept_of
from taskloom.core import Instance, Targets, question_hash
from taskloom.core.calls import Explained
from taskloom.core.display import printable
from taskloom.core.model import Output, Request
from taskloom.store import seal


class Record(Explained, msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """A record of a run. It carries no clock, so equal runs have equal records.

    Attributes:
        task: The task's name.
        id: The instance's id.
        index: The row's place among the rows that the run asks.
        row: The content hash of the row that was asked.
        question: The hash of task, input and targets alone, by which runs are joined.
        sample: Which of several answers to the same row this is.
        cell: The combination the row belongs to, where the run knows it.
        wording: Which wording of the instruction was shown.
        protocol: How the model was asked.
        state: `scored`; `errored` (the model failed: no score); `truncated` (it ran out of room; scored if an
            answer was found all the same).
        headline: Which reading counts.
        strict: The answer to the letter, scored.
        lenient: The answer as a careful person reads it, scored; None where it was not read so.
        scorer: Who scored it.
        raw: What the model said, cut to a sane length with the full length in `raw_length`.
        reasoning: What it thought before it answered, where that is given separately.
        targets: Every acceptable answer, so that logs can be scored again on their own.
        prompt: What the model saw.
        prompt_hash: The hash of every byte of it.
        marks: Stretches of the prompt that an answer needs (first and last character, the last left out), where the
            instance says which lines of its input they are.
        facets: The instance's facets.
        error: What went wrong.
        tokens: Prompt, output, cached, reasoning and billed tokens, cost, and what the server says that it charges
            (`charged`), where the model tells them.
        served: The name of the model that answered, as its server gives it.
        fingerprint: The snapshot or configuration that answered, as its server gives it.
        likelihood: Log-probabilities by candidate, normalised as the plan says, where answers are chosen by likelihood.
        mass: Probability mass: of all acceptable answers (`all`), of the best one (`best`), of parts.
    """

    task: str
    id: str
    index: int = 0
    row: str = ""
    question: str = ""
    sample: int = 0
    cell: str = ""
    wording: str = ""
    protocol: str = ""
    state: State
    headline: Headline = "strict"
    strict: ScoredReading
    lenient: ScoredReading | None = None
    scorer: str
    raw: str
    raw_length: int
    reasoning: str = ""
    targets: Targets
    prompt: str
    prompt_hash: str
    marks: tuple[tuple[int, int], ...] = ()
    facets: dict[str, Any] = {}
    error: str = ""
    tokens: dict[str, float] = {}
    likelihood: dict[str, float] = {}
    mass: dict[str, float] = {}
    served: str = ""
    fingerprint: str = ""

    @property
    def key(self) -> tuple[str, str]:
        """What a record is about: the same instance has the same key in every run."""
        return self.task, self.id

    @property
    def reading(self) -> ScoredReading:
        """The reading that counts."""
        return self.lenient if self.headline == "lenient" and self.lenient is not None else self.strict

    @property
    def score(self) -> float | None:
        """In [0, 1]; None if nothing could be scored."""
        return self.reading.score

    @property
    def answer(self) -> str | None:
        """The answer found in the output; None is "unparsed"."""
        return self.reading.answer

    @property
    def details(self) -> dict[str, Any]:
        """The scorer's details."""
        return self.reading.details


_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(Record).decode
_LONGEST_NAME = 200


def line_body(line: bytes) -> bytes | None:
    """The JSON object in a line of a log of any version; None if the line was changed or cut short."""
    first = b'"extracted":' in line and seal.SUM not in line[-27:] and line.endswith(b"\n")
    return _modern(line) if first and line[8:9] != b" " else seal.line_body(line)


def _modern(line: bytes) -> bytes | None:
    """A line of the first format (no checksum, place or readings) in today's words; its place is -1, not known."""
    try:
        data = msgspec.json.decode(line, type=dict[str, Any])
        read = {"answer": data.pop("extracted"), "score": data.pop("score"), "details": data.pop("details", {})}
        return _encode(msgspec.convert({**data, "index": -1, "strict": read}, Record))
    except (msgspec.DecodeError, KeyError, RecursionError, UnicodeDecodeError):
        return None


def encode_record(record: Record) -> bytes:
    """A record as canonical JSON. Equal records have equal bytes."""
    return _encode(record)


def proved_bytes(record: Record) -> bytes:
    """What must be equal between equal runs: everything but usage and the names that servers answer under."""
    if record.tokens or record.served or record.fingerprint:
        record = msgspec.structs.replace(record, tokens={}, served="", fingerprint="")
    return _encode(record)


def decode_record(body: bytes) -> Record:
    """A record from its JSON.

    Raises:
        msgspec.DecodeError: It is none.
    """
    try:
        return _decode(body)
    except (RecursionError, UnicodeDecodeError) as error:
        raise msgspec.DecodeError(f"it cannot be decoded: {error}") from None


def supporting_marks(instance: Instance, prompt: str) -> tuple[tuple[int, int], ...]:
    """Where the supporting lines of an input stand in the prompt that was made of it; none where it was reworded."""
    lines = instance.details.get("support")
    if not isinstance(lines, list) or (start := prompt.rfind(instance.input)) < 0:
        return ()
    # Where each line ends, without the line breaks before it.
    ends = [0, *accumulate(map(len, instance.input.split("\n")))]
    wanted = sorted({number for number in lines if isinstance(number, int) and 0 < number < len(ends)})
    return tuple((start + ends[line - 1] + line - 1, start + ends[line] + line - 1) for line in wanted)


_orders: dict[tuple[str, ...], tuple[str, ...]] = {}


def _sorted(facets: dict[str, Any]) -> dict[str, Any]:
    """The facets that are not None, in order of the alphabet; the order of the same names is found once."""
    names = tuple(facets)
    order = _orders.get(names) or _orders.setdefault(names, tuple(sorted(names)))
    return {name: facets[name] for name in order if facets[name] is not None}


def _exact(reading: ScoredReading) -> ScoredReading:
    """A reading whose score is a float: a whole number would have other bytes."""
    return msgspec.structs.replace(reading, score=float(reading.score)) if type(reading.score) is int else reading


USAGE = {
    "prompt_tokens": "prompt", "output_tokens": "output", "cost": "cost", "cached_tokens": "cached",
    "reasoning_tokens": "reasoning", "billed_tokens": "billed", "server_cost": "charged",
}  # fmt: skip
"""What an output says that it used, and is a column by the same name, and what a record's `tokens` call it."""
_used = attrgetter(*USAGE)
_NOTHING_USED = (None,) * len(USAGE)


def _tokens(output: Output) -> dict[str, float]:
    """What an answer used, as far as the model tells."""
    if (used := _used(output)) == _NOTHING_USED:
        return {}
    return {name: value for name, value in zip(USAGE.values(), used, strict=True) if value is not None}


def _floats(numbers: dict[str, float]) -> dict[str, float]:
    return {key: float(value) for key, value in numbers.items()} if numbers else {}


def make_record(
    request: Request,
    output: Output,
    found: Assessment,
    *,
    shown: str,
    index: int,
    row: str,
    question: str = "",
    sample: int = 0,
    **more: Any,
) -> Record:
    """The record of one output.

    Args:
        request: What was asked.
        output: What the model said.
        found: What the judge made of it.
        shown: The very text the model read.
        index: The row's place in the run.
        row: The row's hash.
        question: The question's hash, where it is known.
        sample: Which of several answers this is.
        **more: Further fields: cell, wording, protocol, headline.
    """
    raw, prompt = printable(output.raw or output.text), printable(output.shown or shown)
    if "headline" in more:
        more["headline"] = sys.intern(more["headline"])  # a default is left out of JSON by identity
    return Record(
        task=request.task.name,
        id=request.instance.id,
        index=index,
        row=row,
        question=question or question_hash(request.task.name, request.instance),
        sample=sample,
        state=found.state,
        strict=_exact(found.strict),
        lenient=None if found.lenient is None else _exact(found.lenient),
        scorer=found.scorer,
        raw=kept_of(raw),
        raw_length=len(raw),
        reasoning=output.reasoning and kept_of(output.reasoning),
        targets=request.instance.targets,
        prompt=prompt,
        prompt_hash=request.prompt.hash(),
        marks=supporting_marks(request.instance, prompt),
        facets=_sorted(request.instance.facets),
        error=output.error and printable(output.error),
        tokens=_tokens(output),
        likelihood=_floats(output.likelihood),
        mass=_floats(output.mass),
        served=output.served and printable(output.served)[:_LONGEST_NAME],
        fingerprint=output.fingerprint and printable(output.fingerprint)[:_LONGEST_NAME],
        **more,
    )


_PAGE = 1_024
STATES: tuple[State, ...] = ("scored", "truncated", "errored")
_STATES: tuple[State | None, ...] = (None, *STATES)
_CODES = {state: code for code, state in enumerate(_STATES)}


class RecordIndex:
    """States and row hashes by place. Places may be sparse: memory is taken in pages of 1,024."""

    def __init__(self) -> None:
        self._pages: dict[int, tuple[bytearray, array[int]]] = {}
        self._counts = [0] * len(_STATES)

    def put(self, place: int, state: State, row: str) -> None:
        """Note what became of a place; the newest word counts."""
        number, at = divmod(place, _PAGE)
        page = self._pages.get(number)
        if page is None:
            page = self._pages[number] = (bytearray(_PAGE), array("Q", bytes(8 * _PAGE)))
        states, rows = page
        if states[at]:
            self._counts[states[at]] -= 1
        states[at] = _CODES[state]
        self._counts[states[at]] += 1
        rows[at] = _short(row)

    def state(self, place: int) -> State | None:
        """The state of a place, None where nothing was asked yet."""
        number, at = divmod(place, _PAGE)
        page = self._pages.get(number)
        return None if page is None else _STATES[page[0][at]]

    def same_row(self, place: int, row: str) -> bool:
        """Whether the row asked at a place was this one."""
        number, at = divmod(place, _PAGE)
        return self._pages[number][1][at] == _short(row)

    def count(self, state: State) -> int:
        """How many places are in a state."""
        return self._counts[_CODES[state]]

    def __len__(self) -> int:
        return sum(self._counts)

    def __iter__(self) -> Iterator[int]:
        """The places that are taken, in order."""
        for number in sorted(self._pages):
            for at, code in enumerate(self._pages[number][0]):
                if code:
                    yield number * _PAGE + at


def _short(row: str) -> int:
    """Half of a row's hash: enough to see that it is another row."""
    return int(row[:16] or "0", 16)
