"""A split as a sequence: what a list of its rows would give, whether rows come in blocks or not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from taskloom.core import AnyOf, Instance, Instruction, Row, Suite, Task, UserError
from taskloom.core.blocks import UniformBlocks

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
    assert "in 4" in html and "in 5" not in html and "out 0" in html
