"""A split as a sequence: what a list of its rows would give, whether rows come in blocks or not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from taskloom.core import AnyOf, Instance, Instruction, Row, Suite, Task, UserError
from taskloom.core.blocks import Blocks, UniformBlocks
from taskloom.core.suite import SplitView

ROWS = [
    Row("ab"[n % 2], Instance(str(n), f"in {n}", AnyOf((f"out {n}",)), {"size": n % 3, "tags": ("x",) * (n % 2)}))
    for n in range(11)
]


def suite(blocks: bool, size: int | None = 11) -> Suite:
    tasks = {name: Task(name, Instruction("d")) for name in "ab"}

    def draw(split):
        return UniformBlocks(lambda number: iter(ROWS[number * 4 : number * 4 + 4]), 11, 4) if blocks else iter(ROWS)

    return Suite("own/s", {}, 1, tasks, {"test": size}, draw, {"size": int, "tags": tuple}, "pairs")


@pytest.fixture(params=[True, False], ids=["blocks", "stream"])
def view(request):
    return suite(request.param)["test"]


@pytest.mark.parametrize("blocks", [True, False])
@given(
    start=st.none() | st.integers(-14, 14),
    stop=st.none() | st.integers(-14, 14),
    step=st.none() | st.integers(-4, 4).filter(bool),
)
def test_slices_are_those_of_a_list(blocks, start, stop, step):
    assert suite(blocks)["test"][start:stop:step] == ROWS[start:stop:step]


def test_single_rows_are_those_of_a_list(view):
    assert [view[index] for index in range(-11, 11)] == ROWS + ROWS
    for beyond in (11, 40, -12):
        with pytest.raises(IndexError):
            view[beyond]


def test_length_is_counted_where_it_is_not_known():
    assert len(suite(True)["test"]) == len(suite(False, None)["test"]) == 11


def test_rows_are_chosen_by_task_and_facet(view):
    assert list(view.only(task="a")) == ROWS[::2]
    assert list(view.only(size=[0, 2], task="b")) == [each for each in ROWS[1::2] if each.instance.facets["size"] != 1]
    assert len(view.only(task="b")) == 5
    assert view.only(task="b")[1] == ROWS[3]


def test_taking_and_shuffling(view):
    assert list(view.take(3)) == ROWS[:3] and len(view.take(3)) == 3
    assert list(view.take(40)) == ROWS and len(view.take(40)) == 11
    assert list(view.take(0)) == []
    with pytest.raises(UserError, match="not -1"):
        view.take(-1)
    shuffled = list(view.shuffle(1))
    assert shuffled == list(view.shuffle(1)) != list(view.shuffle(2))
    assert sorted(shuffled, key=ROWS.index) == ROWS and shuffled != ROWS
    assert len(view.shuffle(1)) == 11


def test_how_it_looks(view):
    assert repr(view) == "<own/s: test, 11 rows>"
    assert repr(view.only(task="a")) == "<own/s: test, ? rows>"
    html = view._repr_html_()
    assert "in 4" in html and "in 5" not in html and "out 0" in html and ">own/s: test, 11 rows<" in html
    empty = suite(False)["test"].take(0)
    assert repr(empty) == "<own/s: test, 0 rows>" and "in 0" not in empty._repr_html_()


class Counted(Blocks):
    """Blocks of three that end after seven rows, which only drawing tells; counts what it is asked."""

    size = None

    def __init__(self):
        self.drawn, self.located = [], []

    def numbers(self):
        return iter(range(3))

    def rows(self, number):
        self.drawn.append(number)
        return iter(ROWS[:7][number * 3 : number * 3 + 3])

    def locate(self, index):
        self.located.append(index)
        if index > 30:
            raise IndexError(index)
        return divmod(index, 3)


def of(rows) -> SplitView:
    return Suite("own/s", {}, 1, {}, {"test": None}, lambda split: rows)["test"]


@pytest.mark.parametrize(
    ("part", "found", "drawn"),
    [
        (slice(2), [0, 1], [0]), (slice(0, 3), [0, 1, 2], [0]), (slice(3, 5), [3, 4], [1]),
        (slice(2, 4), [2, 3], [0, 1]), (slice(0, 7, 3), [0, 3, 6], [0, 1, 2]), (slice(5, 40), [5, 6], [1, 2]),
        (slice(4, 4), [], []), (slice(31, 50), [], []), (slice(7, 20), [], [2]),
    ],
)  # fmt: skip
def test_a_slice_draws_each_block_once_and_none_beyond_its_end(part, found, drawn):
    rows = Counted()
    assert of(rows)[part] == [ROWS[place] for place in found]
    assert rows.drawn == drawn
    assert len([index for index in rows.located if index > 30]) <= 1


@pytest.mark.parametrize(("part", "drawn"), [(slice(0, 3), 3), (slice(1, 6, 2), 6), (slice(2, 2), 0), (slice(9, 1), 0)])
def test_a_slice_of_a_stream_draws_no_more_than_it_needs(part, drawn):
    seen = []
    rows = (seen.append(row) or row for row in ROWS)
    assert of(rows)[part] == ROWS[part]
    assert len(seen) == drawn


def test_what_is_counted_from_the_start_needs_no_length():
    endless = UniformBlocks(lambda number: iter(ROWS[:4]), None, 4)
    assert of(endless)[0:3] == of(endless)[:3] == of(endless)[4:7:1] == ROWS[:3]
    assert of(endless)[5] == ROWS[1]
    for part in (slice(None), slice(1, None), slice(-1, 3), slice(0, -1), slice(3, 0, -1)):
        with pytest.raises(UserError, match="own/s: test: this split has no known length"):
            of(endless)[part]
    with pytest.raises(ValueError, match="zero"):
        of(endless)[0:3:0]


def test_the_same_seed_shuffles_every_split_in_its_own_way():
    rows = Suite("own/s", {}, 1, {}, {"test": 11, "dev": 11}, lambda split: ROWS)
    assert list(rows["test"].shuffle()) == list(rows["test"].shuffle(0)) != list(rows["dev"].shuffle(0))
