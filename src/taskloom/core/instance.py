"""One question with every acceptable answer and the facets one can group by."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from hashlib import blake2b
from typing import Any, NamedTuple, TypeAlias

import msgspec

from taskloom.core.calls import Explained, explain_tuple
from taskloom.core.display import clipped, html_table
from taskloom.core.targets import Targets

Facet: TypeAlias = str | int | float | bool | tuple[str, ...] | None
FacetType: TypeAlias = type[str] | type[int] | type[float] | type[bool] | type[tuple[str, ...]]

_encoder = msgspec.json.Encoder(order="deterministic")
_empty = blake2b(digest_size=16)


class Instance(Explained, msgspec.Struct, frozen=True, gc=False):
    """One question.

    Attributes:
        id: Unique within its task and split; the same for every draw with the same recipe and seed.
        input: The question as a person would read it (without the instruction).
        targets: Every acceptable answer.
        facets: Typed columns to group by (concepts, support size, length, novelty ...).
        parts: Named pieces of the input, for models that need them separately: story and question,
            premise and hypothesis, passage and question.
        details: Anything else worth keeping but not worth grouping by: supports, derivations. JSON values only.
    """

    id: str
    input: str
    targets: Targets
    facets: dict[str, Facet] = {}
    parts: dict[str, str] = {}
    details: dict[str, Any] = {}

    def __repr__(self) -> str:
        return f"<Instance {self.id}: {clipped(self.input, 60)!r} → {clipped(self.targets.canonical(), 30)!r}>"

    def _repr_html_(self) -> str:
        rows: list[tuple[str, object]] = [("input", self.input), ("answer", self.targets.canonical())]
        return html_table(self.id, ("", ""), [*rows, *self.facets.items()])


class Row(NamedTuple):
    """An instance and the name of the task it belongs to."""

    task: str
    instance: Instance


explain_tuple(Row)


def content_hash(value: Any) -> str:
    """Thirty-two hexadecimal digits over the canonical JSON of a value, the same everywhere."""
    return blake2b(_encoder.encode(value), digest_size=16).hexdigest()


def input_hash(text: str) -> bytes:
    """A hash of what is asked, blind to white space, to prove that splits do not overlap."""
    state = _empty.copy()
    state.update(plain_text(text))
    return state.digest()


def input_digests(texts: Iterable[str]) -> list[bytes]:
    """The `input_hash` of many texts."""
    given = list(texts)
    # Together, with a mark between them that no text has, they are looked at once: most need no second look.
    joined = "\0".join(given).replace("\n", " ")
    if joined.count("\0") == len(given) - 1 and _is_plain(joined.replace("\0", " ")):
        return digests_of(joined.encode().split(b"\0"))
    return digests_of(map(plain_text, given))


def _is_plain(text: str) -> bool:
    """Whether all white space is single blanks inside: what else there is, and surrogates, are unprintable."""
    return text.isprintable() and "  " not in text and text[:1] != " " and text[-1:] != " "


def plain_text(text: str) -> bytes:
    """A text with single blanks for all white space."""
    flat = text.replace("\n", " ")
    if _is_plain(flat):
        return flat.encode()
    return " ".join(text.split()).encode("utf-8", "surrogatepass")


def digests_of(texts: Iterable[bytes]) -> list[bytes]:
    """Sixteen bytes of BLAKE2b for each: a copy of an empty state costs less than a new one with its options."""
    empty, found = _empty.copy, []
    for text in texts:
        state = empty()
        state.update(text)
        found.append(state.digest())
    return found


def row_hash(task: str, instance: Instance) -> str:
    """The content hash of a row. A facet that is None is the same as one that is absent."""
    return row_digests([Row(task, instance)])[0].hex()


def row_digests(rows: Sequence[Row]) -> list[bytes]:
    """The sixteen bytes behind each row's `row_hash`, for writers of many rows: all are put into JSON at once."""
    # JSON escapes line breaks inside texts, so each line is one row.
    lines = _encoder.encode_lines(
        [(task, one.id, one.input, one.targets, _present(one.facets), one.parts, one.details) for task, one in rows]
    )
    return digests_of(lines.split(b"\n")[:-1])


def question_hash(task: str, instance: Instance) -> str:
    """The hash of what is asked: task, input and targets. A row that gains a facet or another id keeps it."""
    return question_digests([Row(task, instance)])[0].hex()


def question_digests(rows: Sequence[Row]) -> list[bytes]:
    """The sixteen bytes behind each row's `question_hash`."""
    lines = _encoder.encode_lines([(task, one.input, one.targets) for task, one in rows])
    return digests_of(lines.split(b"\n")[:-1])


def _present(facets: dict[str, Facet]) -> dict[str, Facet]:
    if None not in facets.values():
        return facets
    return {key: value for key, value in facets.items() if value is not None}
