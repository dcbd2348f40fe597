"""Targets and facets as plain typed columns, for tools that read tables rather than suites, and back without loss."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import msgspec

from taskloom.core import AnyOf, Boolean, FacetType, Items, Product, Structure, Targets, UserError
from taskloom.core.targets import CheckedAnswers

RESERVED = frozenset(
    {"id", "task", "prompt", "messages", "input", "answer", "targets", "parts", "details", "hash", "split", "text"}
    # What trainers and harnesses hand to functions of their own under these names.
    | {"prompts", "completions", "completion", "completion_ids", "trainer_state", "log_extra", "log_metric"}
    | {"environments"}
)
"""Names of columns that a facet must not take."""

_decode: Callable[[str], Targets] = msgspec.json.Decoder(Targets).decode


def facet_columns(facets: Mapping[str, FacetType] | Iterable[str]) -> dict[str, str]:
    """The column of each facet: its own name, with `facet_` before one that means something else already."""
    columns = {name: name for name in facets}
    for name in columns.keys() & RESERVED:
        # As often as it takes to be no other facet's name.
        while columns[name] in RESERVED or columns[name] in columns:
            columns[name] = f"facet_{columns[name]}"
    return columns


def pack_targets(targets: Targets) -> dict[str, Any]:
    """Targets as one record with the same typed fields for every kind.

    `kind` says how to read `answers`: alternatives of one text each (`any`, `json`, `checked`), alternatives of several
    items (`items`), acceptable words place by place (`product`), or the words for true and false (`bool`).
    """
    packed: dict[str, Any] = {"kind": "", "answers": [], "value": None, "ordered": None, "separator": None,
                              "empty": None, "entry": None}  # fmt: skip
    match targets:
        case CheckedAnswers(answers, entry):
            packed |= {"kind": "checked", "answers": [[one] for one in answers], "entry": entry}
        case AnyOf(answers):
            packed |= {"kind": "any", "answers": [[one] for one in answers]}
        case Boolean(value, words):
            packed |= {"kind": "bool", "answers": [list(words)], "value": value}
        case Items(alternatives, ordered, separator, empty):
            packed |= {"kind": "items", "answers": [list(one) for one in alternatives], "ordered": ordered}
            packed |= {"separator": separator, "empty": empty}
        case Product(slots, separator):
            packed |= {"kind": "product", "answers": [list(slot) for slot in slots], "separator": separator}
        case Structure(alternatives):
            packed |= {"kind": "json", "answers": [[one] for one in alternatives]}
    return packed


def unpack_targets(value: Any) -> Targets:
    """The targets of a packed record, of a bundle's JSON text, or (a plain text) of the one right answer itself.

    Raises:
        UserError: It is none of these.
    """
    if isinstance(value, AnyOf | Boolean | Items | Product | Structure):
        return value
    if isinstance(value, str):
        if value.startswith('{"type":'):
            try:
                return _decode(value)
            except msgspec.DecodeError:
                pass  # an answer that only looks like targets
        return AnyOf((value,))
    try:
        return _unpacked(value, value["answers"])
    except (TypeError, KeyError, IndexError) as error:
        raise UserError(f"targets of a form that Taskloom does not write: {error!r}") from None


def _unpacked(value: Mapping[str, Any], answers: Any) -> Targets:
    match value["kind"]:
        case "any":
            return AnyOf(tuple(one[0] for one in answers))
        case "checked":
            return CheckedAnswers(tuple(one[0] for one in answers), value["entry"])
        case "bool":
            return Boolean(value["value"], (answers[0][0], answers[0][1]))
        case "items":
            lists = tuple(tuple(one) for one in answers)
            return Items(lists, value["ordered"], value["separator"], value["empty"])
        case "product":
            return Product(tuple(tuple(slot) for slot in answers), value["separator"])
        case "json":
            return Structure(tuple(one[0] for one in answers))
        case other:
            raise KeyError(other)
