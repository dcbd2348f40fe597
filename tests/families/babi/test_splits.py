"""How the cells of a split are spread."""

from __future__ import annotations

from taskloom.families.babi.concepts import interleave


def test_any_first_part_shows_every_cell():
    pairs = list(interleave([4, 2, 0, 6]))
    assert sorted(pairs) == [(0, n) for n in range(4)] + [(1, n) for n in range(2)] + [(3, n) for n in range(6)]
    assert {cell for cell, _ in pairs[:4]} == {0, 1, 3}
