"""The named splits of Dyna-bAbI and the original tasks: records in `tasks.toml`, and what they stand for.

Cells follow the reference kit's configurations, without their defects: filters that nothing can pass are left out,
question types do not leak between sub-tasks, and the 772 compound stories that make up diverse(T12)'s printed size
replace a sub-task of ten. Mix(T7) has no statements, so that more sentences are about any one object (`mentions`).
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Sequence
from importlib.resources import files
from typing import Any

import msgspec

from taskloom.families.babi.concepts import CellSpec, Concepts, question_kinds

__all__ = ["DIVERSE", "GROUPS", "MIX", "ORIGINAL_RECORDS", "SIZES", "OriginalRecord", "interleave"]

_SPREAD, _TRAINING_SPREAD = 0.4, 0.1
"""How likely a size is passed over for the next larger one: training supports are mostly of the least size of their
range, as the paper's mean tells."""


class _CellRecord(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The cells of one sub-task: (least, greatest support, share) each."""

    task: str
    concepts: str
    cells: tuple[tuple[int, int, float], ...]
    question: str = ""
    length: tuple[int, int] = (20, 20)
    mentions: tuple[float, ...] = ()

    def specs(self, concepts: dict[str, Concepts], spread: float) -> Iterator[CellSpec]:
        wished = self.mentions or (None,) * len(self.cells)
        for (low, high, share), mentions in zip(self.cells, wished, strict=True):
            yield CellSpec(
                self.task,
                concepts[self.concepts],
                question_kinds(self.question or self.task),
                (low, high),
                self.length,
                mentions=mentions,
                spread=spread,
                share=share,
            )


class OriginalRecord(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One of the original story tasks.

    Attributes:
        title: One line for lists.
        question: Its question type.
        concepts: What its stories are made of.
        ask: What is asked, if not just that type.
        beat: The actions that happen between two chances to ask: names, or "" for any action.
        chance: How likely a chance to ask is used.
        support: Least and greatest support size.
        vocabulary: Its words, where they are not those of most tasks.
    """

    title: str
    question: str
    concepts: Concepts
    ask: str = ""
    beat: tuple[str, ...] = ("", "")
    chance: float = 1.0
    support: tuple[int, int] = (1, 1)
    vocabulary: dict[str, Any] = {}


class _Records(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    groups: dict[str, tuple[int, ...]]
    sizes: dict[str, int]
    concepts: dict[str, Concepts]
    original: dict[str, OriginalRecord]
    mix: dict[str, tuple[_CellRecord, ...]]
    diverse: dict[str, tuple[_CellRecord, ...]]

    def cells(self, table: dict[str, tuple[_CellRecord, ...]], spread: float) -> dict[str, list[CellSpec]]:
        return {
            group: [spec for record in records for spec in record.specs(self.concepts, spread)]
            for group, records in table.items()
        }


_RECORDS = msgspec.convert(
    tomllib.loads(files("taskloom.families.babi").joinpath("tasks.toml").read_text(encoding="utf-8")), _Records
)

GROUPS = _RECORDS.groups
"""The groups of original tasks."""

SIZES = _RECORDS.sizes
"""Training sizes (test sizes for mix)."""

ORIGINAL_RECORDS = {int(number): record for number, record in _RECORDS.original.items()}
MIX = _RECORDS.cells(_RECORDS.mix, _SPREAD)
DIVERSE = _RECORDS.cells(_RECORDS.diverse, _TRAINING_SPREAD)


def interleave(counts: Sequence[int]) -> Iterator[tuple[int, int]]:
    """(cell, number) pairs spread evenly, so that any first part of a split shows every cell."""
    from heapq import heapify, heapreplace

    heap = [(0.5 / count, cell, 0) for cell, count in enumerate(counts) if count]
    heapify(heap)
    for _ in range(sum(counts)):
        _, cell, number = heap[0]
        yield cell, number
        after = number + 1
        # A cell that has given all its items sinks beyond the end.
        position = (after + 0.5) / counts[cell] if after < counts[cell] else 2.0
        heapreplace(heap, (position, cell, after))
