"""Cells as text and back."""

from functools import cached_property

import pytest

from taskloom.core import AnyOf, Instance
from taskloom.core.cells import Cell, Lattice, direct_parts


@pytest.mark.parametrize(
    ("cell", "text"),
    [
        (Cell("where", ("give", "move")), "where: give+move"),
        (Cell("", ("move",)), "move"),
        (Cell("is it: so", ("a", "b")), "is it: so: a+b"),
        (Cell("where", ()), "where: nothing else"),
        (Cell("", ()), "nothing else"),
    ],
)
def test_a_cell_and_its_name(cell, text):
    assert str(cell) == text
    assert Cell.parse(text) == cell


class Small(Lattice):
    """Four cells of two questions."""

    stream = trained = cell_of = None

    @cached_property
    def cells(self):
        return [Cell("q", ("a",)), Cell("q", ("b",)), Cell("q", ("a", "b")), Cell("r", ("c", "a"))]


def test_the_order_of_cells_is_inclusion_within_a_question():
    lattice = Small()
    assert repr(lattice) == "<Small>", "counting the cells of a large suite takes time"
    assert lattice.atoms == ("a", "b", "c")
    assert lattice.parts(Cell("q", ("a", "b"))) == (Cell("q", ("a",)), Cell("q", ("b",)))
    assert lattice.parts(Cell("q", ("a",))) == () == lattice.parts(Cell("r", ("c", "a")))
    assert lattice.parts(Cell("q", ("z",))) == ()
    assert repr(lattice) == "<Small: 4 cells>"


def test_only_the_largest_parts_are_direct():
    chain = [Cell("q", tuple("abcd"[:size])) for size in range(1, 5)]
    parts = direct_parts(chain)
    assert [parts[cell] for cell in chain] == [(), (chain[0],), (chain[1],), (chain[2],)]


def test_the_age_of_what_an_answer_needs():
    row = Instance("i", "x", AnyOf(("a",)), {"support_age": 3})
    assert Small().age_of(row) == 3
    assert Small().age_of(Instance("i", "x", AnyOf(("a",)), {"support_age": "old"})) is None
    assert Small().age_of(Instance("i", "x", AnyOf(("a",)))) is None
    assert Small().size_of(row) is None


def test_cells_are_sorted_by_question_and_atoms():
    cells = [Cell("b", ()), Cell("a", ("y",)), Cell("a", ("x", "z")), Cell("a", ("x",))]
    assert sorted(cells) == [cells[3], cells[2], cells[1], cells[0]]
