"""The named splits of Dyna-bAbI: which cells they are made of, and how many items each cell gets.

The sizes are those of Table 2 of the paper. Cells follow the reference kit's configurations, without their
defects: filters that nothing can pass are left out, question types do not leak between sub-tasks, and the
772 compound stories that make up diverse(T12)'s printed size replace a sub-task of ten.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from taskloom.families.babi.concepts import CellSpec, Concepts
from taskloom.families.babi.story import COUNTING, GIVE_QUESTIONS, LIST, WHERE_O, WHERE_P, WHERE_WAS, YES_NO

__all__ = ["DIVERSE", "GROUPS", "MIX", "SIZES", "interleave"]

GROUPS: dict[str, tuple[int, ...]] = {
    "t2": (2, 11),
    "t7": (1, 2, 3, 5, 11, 12, 13),
    "t12": (1, 2, 3, 5, 6, 7, 8, 9, 10, 11, 12, 13),
}
"""The groups of original tasks."""

SIZES: dict[str, int] = {
    "concat-t2": 18_000,
    "concat-t7": 63_000,
    "concat-t12": 108_000,
    "inject-t2": 45_000,
    "inject-t7": 190_158,
    "inject-t12": 368_831,
    "diverse-t2": 4_000,
    "diverse-t7": 17_000,
    "diverse-t12": 24_772,
    "mix-t2": 1_000,
    "mix-t7": 3_000,
    "mix-t12": 6_000,
}
"""Training sizes (test sizes for mix): Table 2, and our own choice for the two splits the paper does not have."""

_COREF = {"move": 0.1, "grab": 1.0, "drop": 1.0}


def _plain(*names: str, coref: dict[str, float] | None = None) -> Concepts:
    return Concepts(dict.fromkeys(names, 1.0), coref or {"move": 1.0})


_POSS = _plain("move", "grab", "drop")
_GIVE = _plain("move", "grab", "drop", "give")
_MIX_T2 = _plain("move", "grab", "drop", "coref", coref=_COREF)
_MIX_T7 = _plain("move", "grab", "drop", "give", "coref", "conj", "compound", coref=_COREF)
_MIX_T12 = Concepts(
    {
        "move": 0.5,
        "grab": 1.0,
        "drop": 0.8,
        "give": 1.0,
        "coref": 1.0,
        "conj": 0.5,
        "compound": 0.5,
        "negate": 1.0,
        "indef": 1.0,
    },
    _COREF,
)


def _cells(
    task: str, concepts: Concepts, kinds: int | tuple[int, ...], *sizes: tuple[int, int, float], length: int = 20
) -> list[CellSpec]:
    """Cells of one sub-task, one per (least, greatest support, share)."""
    asked = (kinds,) if isinstance(kinds, int) else kinds
    return [CellSpec(task, concepts, asked, (low, high), (length, length), share=share) for low, high, share in sizes]


def _mix_t12() -> list[CellSpec]:
    concepts = _MIX_T12
    spread = ((1, 1, 250), (2, 2, 250), (3, 3, 250), (4, 15, 250))
    counts = ((3, 3, 250), (4, 4, 250), (5, 5, 250), (6, 15, 250))
    return [
        *_cells("yes-no", concepts, YES_NO, *spread),
        *_cells("where-person", concepts, WHERE_P, *spread),
        *_cells("where-object", concepts, WHERE_O, (2, 2, 334), (3, 3, 333), (4, 15, 333)),
        *_cells("where-was-object", concepts, WHERE_WAS, *counts),
        *_cells("list", concepts, LIST, *counts),
        *_cells("counting", concepts, COUNTING, *counts),
    ]


def _mix_t7() -> list[CellSpec]:
    cells = [
        *_cells("where-was-object", _MIX_T7, WHERE_WAS, (3, 3, 1000)),
        *_cells("where-object", _MIX_T7, WHERE_O, (2, 2, 500), (3, 3, 500)),
        *_cells("where-person", _MIX_T7, WHERE_P, (1, 1, 334), (2, 2, 333), (3, 3, 333)),
    ]
    # Without statements, more sentences are about any one object (see `sampler._MENTIONS`).
    mentions = (4.4, 5.4, 5.8, 2.7, 2.1, 3.1)
    return [replace(cell, mentions=wished) for cell, wished in zip(cells, mentions, strict=True)]


def _mix_t2() -> list[CellSpec]:
    shares = ((WHERE_O, 2, 500.0), (WHERE_O, 3, 150.0), (WHERE_P, 1, 100.0), (WHERE_P, 2, 250.0))
    names = {WHERE_O: "where-object", WHERE_P: "where-person"}
    return [CellSpec(names[kind], _MIX_T2, (kind,), (size, size), (6, 20), share=share) for kind, size, share in shares]


def _diverse_core(person: int, thing: tuple[tuple[int, int, float], ...]) -> list[CellSpec]:
    return [
        *_cells("where-person", _POSS, WHERE_P, (1, 1, 1000), (3, person, 1000)),
        *_cells("where-object", _POSS, WHERE_O, *thing),
    ]


def _diverse_constructs(compound: float) -> list[CellSpec]:
    return [
        *_cells("coref", _plain("move", "coref"), WHERE_P, (1, 2, 1000)),
        *_cells("compound", _plain("move", "compound"), WHERE_P, (1, 2, compound)),
        *_cells("conj", _plain("move", "conj"), WHERE_P, (1, 1, 1000)),
    ]


def _diverse_t7() -> list[CellSpec]:
    return [
        *_diverse_core(3, ((2, 2, 1000), (3, 3, 1000))),
        *_cells("where-was-object", _POSS, WHERE_WAS, (3, 3, 4000)),
        *_cells("give-where-object", _GIVE, WHERE_O, (2, 2, 1000), (3, 3, 1000)),
        *_cells("give-where-person", _GIVE, WHERE_P, (1, 1, 1000), (2, 2, 1000), (3, 3, 1000)),
        *_cells("give", _GIVE, GIVE_QUESTIONS, (1, 1, 1000)),
        *_diverse_constructs(1000),
    ]


def _diverse_t12() -> list[CellSpec]:
    counts = ((1, 3, 250), (4, 4, 250), (5, 5, 250), (6, 15, 250))
    return [
        *_diverse_core(15, ((2, 2, 1000), (3, 3, 1000), (4, 15, 1000))),
        *_cells("where-was-object", _POSS, WHERE_WAS, (3, 3, 2500), (4, 12, 2500)),
        *_cells("give-where-object", _GIVE, WHERE_O, (2, 2, 1000), (3, 3, 1000), (4, 4, 1000)),
        *_cells("give-where-person", _GIVE, WHERE_P, (1, 1, 1000), (2, 2, 1000), (3, 15, 1000)),
        *_cells("give", _GIVE, GIVE_QUESTIONS, (1, 1, 1000)),
        *_diverse_constructs(772),
        *_cells("yes-no", _plain("move"), YES_NO, (1, 1, 800)),
        *_cells("yes-no-where-person", _plain("move"), WHERE_P, (1, 1, 200)),
        *_cells("negate", _plain("move", "negate"), YES_NO, (1, 1, 800)),
        *_cells("negate-where-person", _plain("move", "negate"), WHERE_P, (1, 1, 200)),
        *_cells("indef", _plain("move", "indef"), YES_NO, (1, 1, 800)),
        *_cells("indef-where-person", _plain("move", "indef"), WHERE_P, (1, 1, 200)),
        *_cells("counting", _GIVE, COUNTING, *counts),
        *_cells("list", _POSS, LIST, *counts),
    ]


def _diverse_t2() -> list[CellSpec]:
    return [
        *_cells("where-object", _POSS, WHERE_O, (2, 2, 1000), (3, 3, 1000)),
        *_cells("where-person", _POSS, WHERE_P, (1, 1, 500), (3, 3, 500)),
        *_cells("coref", _plain("move", "coref"), WHERE_P, (1, 2, 1000)),
    ]


MIX: dict[str, list[CellSpec]] = {"t2": _mix_t2(), "t7": _mix_t7(), "t12": _mix_t12()}
# Training supports are mostly of the least size of their range, as the paper's mean tells.
DIVERSE: dict[str, list[CellSpec]] = {
    group: [replace(cell, spread=0.1) for cell in cells]
    for group, cells in (("t2", _diverse_t2()), ("t7", _diverse_t7()), ("t12", _diverse_t12()))
}


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
