"""Rows made by several processes, or found by index, are those that one process draws in order."""

from __future__ import annotations

import gc
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from taskloom.author import task
from taskloom.core import (
    BLOCK_ROWS,
    AnyOf,
    Instance,
    Instruction,
    Row,
    Suite,
    Task,
    UniformBlocks,
    UserError,
    open_suite,
)
from taskloom.core.parallel import ordered_map
from taskloom.core.suite import Origin
from taskloom.store import write as produce
from taskloom.store.disjoint import asked_keys
from taskloom.store.write import packs, parallel_problem, write_bundle
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
@pytest.mark.parametrize(
    "name", ["babi/task-1", *(pytest.param(name, marks=pytest.mark.proof) for name in SMALL if name != "babi/task-1")]
)
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


TASKS = {"t": Task("t", Instruction("Say x."))}


def plain(count: int, name: str = "t") -> Iterator[Row]:
    return (Row(name, Instance(str(n), f"in {n}", AnyOf(("x",)))) for n in range(count))


def suite_of(draw) -> Suite:
    return Suite("own/s", {}, 0, TASKS, {"test": None}, lambda split: draw())


def sizes(suite: Suite, **settings) -> list[int]:
    return [pack.batch.num_rows for pack in packs(suite, "test", **settings)]


def test_rows_that_come_in_order_are_packed_by_thousands():
    assert sizes(suite_of(lambda: plain(4_097))) == [4_096, 1]
    assert sizes(suite_of(lambda: plain(0))) == []


@pytest.mark.parametrize(("count", "packed"), [(0, []), (3, [6]), (4, [8]), (9, [8, 8, 2])])
def test_four_blocks_make_a_pack(count, packed):
    suite = suite_of(lambda: UniformBlocks(lambda number: plain(2), 2 * count, 2))
    assert sizes(suite) == packed


def test_a_pack_is_made_of_chunks(monkeypatch):
    seen = []
    real = produce.row_digests
    monkeypatch.setattr(produce, "row_digests", lambda rows: seen.append(len(rows)) or real(rows))
    made = produce.pack(suite_of(lambda: iter(())), plain(1_030))
    assert seen == [1_024, 6]
    assert (made.batch.num_rows, len(made.digests), len(made.asked)) == (1_030, 16 * 1_030, 16 * 1_030)
    assert made.digests == b"".join(real(list(plain(1_030))))
    assert made.asked == asked_keys("inputs", list(plain(1_030)))


def test_no_rows_make_an_empty_pack_with_all_columns():
    made = produce.pack(suite_of(lambda: iter(())), ())
    assert (made.batch.num_rows, made.digests, made.asked) == (0, b"", b"")
    assert made.batch.schema == produce.pack(suite_of(lambda: iter(())), plain(1)).batch.schema


def test_a_row_of_a_task_that_the_suite_lacks_is_refused():
    with pytest.raises(UserError, match="a row names the task 'u', which is not in the suite") as raised:
        produce.pack(suite_of(lambda: iter(())), [*plain(1), *plain(1, "u")])
    assert raised.value.where == "own/s"


@pytest.mark.parametrize("on", [True, False])
def test_cycles_are_not_looked_for_meanwhile(on):
    before = gc.isenabled()
    (gc.enable if on else gc.disable)()
    try:
        with pytest.raises(KeyError), produce.without_cycle_search():
            assert not gc.isenabled()
            raise KeyError
        assert gc.isenabled() == on
    finally:
        (gc.enable if before else gc.disable)()


@pytest.mark.parametrize(
    ("settings", "shared"), [({}, False), ({"jobs": 2}, True), ({"jobs": 0}, True), ({"engine": "ray"}, True)]
)
def test_other_processes_open_the_suite_again(own, monkeypatch, tmp_path, settings, shared):
    asked = []

    def here(work, pieces, *, jobs, engine, address):
        asked.append((jobs, engine))
        return map(work, pieces)

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(produce, "ordered_map", here)
    own = open_suite("own.py", seed=3, options={"train": 0, "test": 20})
    home = Path.cwd()
    found = list(packs(own, "test", **settings))
    assert Path.cwd() == home
    assert asked == ([(settings.get("jobs", 1), settings.get("engine", "local"))] if shared else [])
    assert [pack.digests for pack in found] == [b"".join(produce.row_digests(list(own.rows("test"))))]


def test_the_end_of_a_split_is_shared_block_by_block(own, monkeypatch):
    handed = []

    def here(work, pieces, **settings):
        for piece in pieces:
            handed.append(len(piece[-1]))
            yield work(piece)

    monkeypatch.setattr(produce, "ordered_map", here)
    suite = own.derive("own", draw=lambda split: UniformBlocks(lambda number: plain(2, "add"), 75, 2))
    monkeypatch.setattr(produce, "open_once", lambda origin, home: suite)
    one, two = list(packs(suite, "test")), list(packs(suite, "test", jobs=2))
    assert handed == [4, 4] + [1] * 30
    assert one == two and [pack.batch.num_rows for pack in two] == [8] * 9 + [3]


def test_a_worker_goes_to_the_folder_of_the_caller(own, monkeypatch, tmp_path):
    monkeypatch.chdir("/")
    origin = msgspec.msgpack.encode(("own.py", 3, {"test": 20}))
    suite = produce.open_once(origin, str(tmp_path))
    assert Path.cwd() == tmp_path and (suite.name, suite.seed, suite.splits["test"]) == ("own", 3, 20)


def test_why_work_cannot_be_shared(own):
    assert parallel_problem(own, ["train", "test"]) == ""
    assert parallel_problem(FAMILY.open("all"), ["test"]).startswith("the suite was created in this process")
    ordered = FAMILY.open("all").opened_as(Origin("toy/all", 0, {}))
    assert parallel_problem(ordered, ["train", "test"]) == "the rows of train, test can only be drawn in order"
    assert parallel_problem(ordered, []) == ""
    with pytest.raises(UserError, match="the rows of this split can only be drawn in order"):
        produce.pack_blocks(ordered, "test", (0,))
