"""Cells as text and back."""

import pytest

from taskloom.core.cells import Cell


@pytest.mark.parametrize(
    ("cell", "text"),
    [
        (Cell("where", ("give", "move")), "where: give+move"),
        (Cell("", ("move",)), "move"),
        (Cell("is it: so", ("a", "b")), "is it: so: a+b"),
        (Cell("where", ()), "where: "),
    ],
)
def test_a_cell_and_its_name(cell, text):
    assert str(cell) == text
    assert Cell.parse(text) == cell
