"""Blocks and lattice: rows by index, and fresh items of any expression."""

from __future__ import annotations

from itertools import islice
from typing import Any

import pytest

from taskloom.core import Suite, UserError, open_suite
from taskloom.core.cells import Cell
from taskloom.families.taskbench import FAMILY
from taskloom.families.taskbench.language import parse
from taskloom.families.taskbench.lattice import cell_of_expression

SMALL = {"train": 40, "dev": 10, "test": 20, "knowledge": "world:600", "least": 10}


def suite(name: str, **options: Any) -> Suite:
    return open_suite(f"taskbench/{name}", options={**SMALL, **options})


def test_a_row_is_found_by_its_index() -> None:
    made = suite("chain", tasks=4, train=1300, knowledge="none")
    rows = list(made.rows("train"))
    for place in (0, 7, len(rows) // 2, len(rows) - 1):
        assert made["train"][place] == rows[place]
    assert len(made["test"]) == len(list(made.rows("test")))


def test_blocks_of_sequences_share_nothing() -> None:
    made = suite("map{synonyms[eng]}", train=3500, knowledge="none")
    inputs = [row.input for _, row in made.rows("train")]
    assert len(inputs) == len(set(inputs)) == 3500
    assert made["train"][3210].instance.input == inputs[3210]
    assert not set(inputs) & {row.input for _, row in made.rows("test")}
    shorter = suite("map{synonyms[eng]}", train=1200, knowledge="none")
    assert [row.input for _, row in shorter.rows("train")] == inputs[:1200]


def test_more_sequences_than_there_are_is_refused() -> None:
    with pytest.raises(UserError, match="different sequences"):
        list(suite("map{synonyms[eng]}", train=10**9, knowledge="none").rows("train", limit=1))


def test_parts_are_the_expressions_inside() -> None:
    lattice = FAMILY.lattice(suite("chain", tasks=2, knowledge="none"))
    cell = cell_of_expression(parse("map{antonyms[eng](synonyms[eng])}"))
    (inner,) = lattice.parts(cell)
    assert [part.question for part in lattice.parts(inner)] == ["antonyms[eng]", "synonyms[eng]"]
    assert lattice.parts(cell_of_expression(parse("antonyms[eng]"))) == ()
    assert Cell.parse(str(cell)) == cell


@pytest.mark.parametrize("name", ["synonyms[eng]", "map{antonyms[eng]}", "is-POS-noun[eng]"])
def test_streams_are_fresh_and_repeatable(name: str) -> None:
    made = suite(name, knowledge="none")
    lattice = FAMILY.lattice(made)
    cell = cell_of_expression(parse(name))
    first = list(islice(lattice.stream(cell, 1), 50))
    assert first == list(islice(FAMILY.lattice(made).stream(cell, 1), 50))
    inputs = {row.instance.input for row in first}
    assert len(inputs) == 50
    assert inputs != {row.instance.input for row in islice(lattice.stream(cell, 2), 50)}
    asked = {row.input for split in made.splits for _, row in made.rows(split)}
    assert not inputs & asked


def test_a_finite_cell_says_how_many_items_it_has() -> None:
    lattice = FAMILY.lattice(suite("entailments[eng]", knowledge="none", least=1))
    with pytest.raises(UserError, match="different items apart from the splits"):
        list(lattice.stream(cell_of_expression(parse("entailments[eng]")), 0))
