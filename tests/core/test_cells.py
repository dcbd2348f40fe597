"""Cells as text and back."""

from functools import cached_property

import pytest

from planted import TASK, SmallLattice
from taskloom.core import AnyOf, Boolean, Instance, PlainWords
from taskloom.core.cells import Cell, Lattice, direct_parts, guessing_level


@pytest.mark.parametrize(
    ("cell", "text"),
    [
        (Cell("where", ("give", "move")), "where: give+move"),
        (Cell("", ("move",)), "move"),
        (Cell("is it: so", ("a", "b")), "is it: so: a+b"),
        (Cell("where", ()), "where: the plain task"),
        (Cell("", ()), "the plain task"),
    ],
)
def test_a_cell_and_its_name(cell, text):
    assert str(cell) == text
    assert Cell.parse(text) == cell


class Small(Lattice):
    """Four cells of two questions."""

    stream = cell_of = None

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


def test_a_lattice_that_says_no_more_has_one_level_and_pairs_of_two_items():
    lattice = SmallLattice()
    whole, part = Cell("where", ("coref", "move")), Cell("where", ("move",))
    pair = lattice.pair(whole, part, 3)
    assert not pair.minimal
    assert [lattice.cell_of(TASK, row.instance) for row in (pair.without, pair.whole)] == [part, whole]
    assert lattice.bound(pair.whole) is None
    assert pair == lattice.pair(whole, part, 3) != lattice.pair(whole, part, 4)


def test_names_are_explained_by_the_glossary_and_bound_ones_by_their_two():
    class Worded(SmallLattice):
        glossary = {
            "coref": PlainWords("a pronoun", "It stands for a person.", "Then he left."),
            "grab": PlainWords("a grab"),
        }

    lattice = Worded()
    assert lattice.explain("coref").name == "a pronoun"
    assert lattice.explain("coref(grab)") == PlainWords(
        "a pronoun (a grab)", "It stands for a person.", "Then he left."
    )
    assert lattice.explain("yes-no_question").name == "yes no question"


@pytest.mark.parametrize(
    ("answers", "random", "majority"),
    [
        (["a"] * 30 + ["b"] * 10, 0.5, 0.75),
        ([f"w{number}" for number in range(40)], 0.025, 0.0),  # nothing repeats: one of so many
        (["a", "b", "c", "d"] * 15, 0.25, 0.0),  # what is most frequent in one half is not in the other
        (["a"] * 7, None, None),  # too few to tell
    ],
)
def test_what_guessing_gets(answers, random, majority):
    found = guessing_level([("t", AnyOf((answer,))) for answer in answers])
    assert found == (None if random is None else (random, pytest.approx(majority, abs=0.3 if random == 0.25 else 0.01)))


def test_yes_or_no_can_be_guessed_half_the_time_at_least_and_tasks_are_guessed_apart():
    assert guessing_level([("t", Boolean(True)) for _ in range(12)]) == (0.5, 1.0)
    apart = [(task, AnyOf((task,))) for task in ("a", "b", "c", "d") for _ in range(4)]
    assert guessing_level(apart) == (1.0, 1.0)
