"""Rows made by several processes, or found by index, are those that one process draws in order."""

from __future__ import annotations

from collections import Counter

import pytest

from taskloom.core import BLOCK_ROWS, Row, Suite, UniformBlocks, UserError, open_suite, task
from taskloom.core.parallel import ordered_map
from taskloom.store.write import write_bundle
from toy import FAMILY

FILE = """
from taskloom import task

@task(definition="Add the numbers.", right=[("1 2", 3, "One and two make three.")], keys=10**12)
def add(rng, key):
    first, second = divmod(key, 10**6)
    return f"{first} {second}", first + second
"""


@pytest.fixture
def own(tmp_path):
    (tmp_path / "own.py").write_text(FILE)
    return open_suite(tmp_path / "own.py", seed=3, options={"train": 5_000, "test": 1_000})


def test_how_many_processes_draw_does_not_change_a_byte(tmp_path, own):
    one = write_bundle(own, tmp_path / "one")
    two = write_bundle(own, tmp_path / "two", jobs=2)
    assert one == two
    for name, entry in one.splits.items():
        assert (tmp_path / "one" / entry.file).read_bytes() == (tmp_path / "two" / entry.file).read_bytes(), name


def test_rows_are_found_by_index(own):
    rows = list(own.rows("train"))
    view = own["train"]
    for index in (0, 1, BLOCK_ROWS - 1, BLOCK_ROWS, 4_321, -1):
        assert view[index] == rows[index]
    assert view[998:1_003] == rows[998:1_003]
    with pytest.raises(IndexError):
        view[5_000]


def test_a_suite_that_others_cannot_open_is_refused(tmp_path):
    with pytest.raises(UserError, match="must be drawn by one process"):
        write_bundle(FAMILY.open("all"), tmp_path / "x", jobs=2)
    assert not (tmp_path / "x").exists()


def test_an_endless_split_is_not_written(tmp_path, own):
    row = next(own.rows("train"))
    endless = own.derive("endless", draw=lambda split: UniformBlocks(lambda n: iter([Row(*row)]), None))
    with pytest.raises(UserError, match="endless"):
        write_bundle(endless, tmp_path / "x")


def test_an_error_in_a_worker_is_the_callers(tmp_path):
    with pytest.raises(ValueError, match="invalid literal"):
        list(ordered_map(int, ["1", "2", "x"], jobs=2))
    assert list(ordered_map(int, map(str, range(40)), jobs=2)) == list(range(40))


SMALL = {
    "babi/task-1": {"train": 2_500, "dev": 0, "test": 500},
    "seti/task1-trivial": {},
    "taskbench/atomic": {"tasks": 2},
    "zest/fictional": {"train": 30, "dev": 10, "test": 20, "surplus": 0},
    "superni/embedded": {"instances": 3},
}


@pytest.mark.slow
@pytest.mark.parametrize("name", SMALL)
def test_a_suite_of_each_family_has_the_same_bytes_on_two_cores(name, tmp_path):
    suite = open_suite(name, seed=5, options=SMALL[name])
    one = write_bundle(suite, tmp_path / "one")
    two = write_bundle(suite, tmp_path / "two", jobs=2)
    assert one == two


@pytest.mark.parametrize("name", SMALL)
def test_any_row_is_found_by_its_index(name):
    suite = open_suite(name, seed=5, options=SMALL[name])
    split = "train" if suite.splits.get("train") != 0 else "test"
    rows = list(suite[split].take(400))
    for index in (0, 1, len(rows) // 3, len(rows) - 1):
        assert suite[split][index] == rows[index]


@pytest.mark.parametrize("name", SMALL)
def test_the_rows_of_a_task_are_those_of_the_split(name):
    suite = open_suite(name, seed=5, options=SMALL[name])
    split = "test" if suite.splits.get("test") != 0 else "train"
    rows = list(suite.rows(split))
    held = list(dict.fromkeys(row.task for row in rows))
    for chosen in {held[0], held[len(held) // 2], held[-1]}:
        own = [row for row in rows if row.task == chosen]
        assert list(suite.rows(split, task=chosen)) == own
        assert list(suite.only_task(chosen).rows(split, limit=3)) == own[:3]


def test_rows_of_a_task_are_drawn_without_those_of_others():
    drawn = Counter()

    def maker(name):
        def make(rng):
            drawn[name] += 1
            word = "".join(rng.choices("abcdefgh", k=9))
            return word, word[::-1]

        return task(name=name, definition="Write the word backwards.", right=[("ab", "ba", "b comes first.")])(make)

    suite = Suite.of([maker("one"), maker("two"), maker("three")], test=40)
    drawn.clear()
    assert {row.task for row in suite.rows("test", task="two")} == {"two"}
    assert set(drawn) == {"two"}


@pytest.mark.proof  # a cluster takes longer to start than to draw
@pytest.mark.parametrize("name", SMALL)
def test_a_cluster_draws_the_same_bytes(name, tmp_path):
    pytest.importorskip("ray")
    suite = open_suite(name, seed=5, options=SMALL[name])
    assert write_bundle(suite, tmp_path / "one") == write_bundle(suite, tmp_path / "ray", jobs=2, engine="ray")
