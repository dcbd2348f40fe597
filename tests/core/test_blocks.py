from __future__ import annotations

from itertools import count, islice

import pytest

from taskloom.core import AnyOf, Instance, Row, UserError
from taskloom.core.blocks import SeriesBlocks, UniformBlocks


def row(name: object) -> Row:
    return Row("t", Instance(str(name), f"in {name}", AnyOf(("x",))))


def names(rows) -> list[str]:
    return [each.instance.id for each in rows]


def uniform(size: int | None, block: int = 4) -> UniformBlocks:
    return UniformBlocks(lambda number: (row(f"{number}.{place}") for place in count()), size, block, "own/s: test")


@pytest.mark.parametrize(("size", "blocks"), [(0, 0), (1, 1), (4, 1), (5, 2), (11, 3)])
def test_blocks_of_equal_size_end_with_the_split(size, blocks):
    drawn = uniform(size)
    rows = list(drawn)
    assert (len(rows), len(list(drawn.numbers())), drawn.size, drawn.endless) == (size, blocks, size, False)
    assert names(rows) == [f"{index // 4}.{index % 4}" for index in range(size)]
    assert [drawn.row(index) for index in range(size)] == rows
    for beyond in (-1, size, size + 9):
        with pytest.raises(IndexError):
            drawn.row(beyond)


def test_an_endless_split_goes_on():
    drawn = uniform(None)
    assert (drawn.size, drawn.endless) == (None, True)
    assert names(islice(drawn, 9))[-1] == "2.0"
    assert drawn.row(4_001).instance.id == "1000.1"
    assert drawn.locate(4_001) == (1000, 1)


def test_a_block_that_is_too_short_is_an_error():
    short = UniformBlocks(lambda number: iter([row(number)]), 4, 2, "own/s: test")
    with pytest.raises(UserError, match="own/s: test: block 0 has 1 rows, not 2"):
        list(short)


@pytest.mark.parametrize("known", [True, False])
def test_blocks_of_unlike_size(known):
    sizes = [2, 0, 3]
    makers = [lambda n=n, size=size: (row(f"{n}.{place}") for place in range(size)) for n, size in enumerate(sizes)]
    drawn = SeriesBlocks(makers, sizes if known else None)
    rows = list(drawn)
    assert drawn.size == (5 if known else None)
    assert names(rows) == ["0.0", "0.1", "2.0", "2.1", "2.2"]
    assert [drawn.locate(index) for index in range(5)] == [(0, 0), (0, 1), (2, 0), (2, 1), (2, 2)]
    assert [drawn.row(index) for index in range(5)] == rows
    for beyond in (-1, 5):
        with pytest.raises(IndexError):
            drawn.locate(beyond)


def test_a_block_has_a_thousand_rows_unless_a_family_says_otherwise():
    drawn = UniformBlocks(lambda number: (row(n) for n in count()), 2_500)
    assert [drawn.locate(index) for index in (999, 1_000, 2_499)] == [(0, 999), (1, 0), (2, 499)]
    assert sum(1 for _ in drawn.rows(0)) == 1_000 and sum(1 for _ in drawn.rows(2)) == 500
    assert list(drawn.rows(3)) == []


def test_a_series_ends():
    assert SeriesBlocks([]).endless is False
    assert list(SeriesBlocks([])) == []
    with pytest.raises(UserError) as raised:
        list(UniformBlocks(lambda number: iter(()), 1))
    assert raised.value.where is None


def test_a_row_that_a_block_promised_and_lacks_is_not_there():
    short = SeriesBlocks([lambda: iter([row(1)])], sizes=[2])
    assert short.row(0).instance.id == "1"
    with pytest.raises(IndexError):
        short.row(1)


def test_rows_of_a_task_come_from_the_blocks_that_may_hold_them():
    def of(task, *names):
        return lambda: (Row(task, row(name).instance) for name in names)

    known = SeriesBlocks([of("a", 1), of("b", 2, 3), of("a", 4)], tasks=["a", "b", "a"])
    drawn = SeriesBlocks([of("a", 1), of("b", 2, 3), of("a", 4)])
    for blocks, numbers in ((known, [0, 2]), (drawn, [0, 1, 2])):
        assert list(blocks.numbers_of("a")) == numbers
        assert names(blocks.of_task("a")) == ["1", "4"] and names(blocks.of_task("b")) == ["2", "3"]
    assert list(uniform(9).numbers_of("t")) == [0, 1, 2]
    with pytest.raises(IndexError):
        uniform(9).locate(9)
