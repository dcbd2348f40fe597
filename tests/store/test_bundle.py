from __future__ import annotations

import dataclasses
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from taskloom.core import (
    AnyOf,
    Boolean,
    Instance,
    Instruction,
    Items,
    Product,
    Progress,
    Row,
    Structure,
    Suite,
    Task,
    UserError,
)
from taskloom.store.atomic import lock_folder
from taskloom.store.bundle import Bundle, check_bundle, is_bundle
from taskloom.store.ownership import sha256
from taskloom.store.write import write_bundle
from toy import FAMILY


def toy(seed: int = 0, **settings: int) -> Suite:
    return FAMILY.open("all", seed, settings)


def one_split(rows: list[Row], **settings) -> Suite:
    tasks = {name: Task(name, Instruction("d")) for name in {row.task for row in rows} | {"t"}}
    facets = {"a": str, "b": int, "c": float, "d": bool, "e": tuple}
    given = {"apart": "pairs", **settings}
    return Suite("x/y", {"k": 1}, 3, tasks, {"test": len(rows)}, lambda split: iter(rows), facets, **given)


def test_round_trip(tmp_path):
    suite = toy(seed=5, train=9000)
    write_bundle(suite, tmp_path / "b")
    back = Bundle(tmp_path / "b").suite()
    assert (back.name, back.seed, dict(back.recipe), back.apart, back.pool) == (
        suite.name, suite.seed, dict(suite.recipe), suite.apart, suite.pool,
    )  # fmt: skip
    assert back.tasks == suite.tasks
    for split in suite.splits:
        assert list(back.rows(split)) == list(suite.rows(split))
    assert list(check_bundle(tmp_path / "b")) == []


text = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
targets = st.one_of(
    st.builds(AnyOf, st.lists(text, min_size=1, max_size=3).map(tuple)),
    st.builds(Boolean, st.booleans()),
    st.builds(Items, st.lists(st.lists(text, max_size=3).map(tuple), min_size=1, max_size=2).map(tuple), st.booleans()),
    st.builds(Product, st.lists(st.lists(text, min_size=1, max_size=3).map(tuple), max_size=3).map(tuple)),
    st.just(Structure(('{"a":1}',))),
)
facets = st.fixed_dictionaries(
    {},
    optional={
        "a": text, "b": st.integers(-(2**60), 2**60), "c": st.floats(allow_nan=False), "d": st.booleans(),
        "e": st.lists(text, max_size=3).map(tuple),
    },
)  # fmt: skip


@given(st.lists(st.tuples(text, targets, facets, st.dictionaries(text, text, max_size=2)), min_size=1, max_size=4))
def test_anything_survives_the_disk(tmp_path_factory, drawn):
    rows = [Row("t", Instance(str(i), f"{i} {a}", b, c, d, {"i": i})) for i, (a, b, c, d) in enumerate(drawn)]
    folder = tmp_path_factory.mktemp("any")
    write_bundle(one_split(rows), folder)
    assert list(Bundle(folder).rows("test")) == rows
    assert list(check_bundle(folder)) == []


def test_same_content_same_hash(tmp_path):
    first = write_bundle(toy(1), tmp_path / "a")
    assert write_bundle(toy(1), tmp_path / "b").hash == first.hash
    assert write_bundle(toy(2), tmp_path / "c").hash != first.hash


def test_rewriting_replaces_the_whole(tmp_path):
    for seed in (1, 2, 2):
        write_bundle(toy(seed), tmp_path, replace=True)
    assert Bundle(tmp_path).manifest.seed == 2
    assert sorted(p.name[:4] for p in tmp_path.iterdir()) == ["data", "mani"]


def test_overlapping_splits_are_an_error(tmp_path):
    row = Row("t", Instance("1", "same  question", AnyOf(("x",))))
    other = Row("u", Instance("1", "same question", AnyOf(("x",))))
    tasks = {name: Task(name, Instruction("d")) for name in "tu"}

    def suite(first: Row, second: Row, apart: str) -> Suite:
        rows = {"train": first, "test": second}
        return Suite("x/y", {}, 0, tasks, {"train": 1, "test": 1}, lambda s: iter([rows[s]]), {}, apart)  # type: ignore[arg-type]

    with pytest.raises(UserError, match="'test' and 'train' share an input"):
        write_bundle(suite(row, other, "inputs"), tmp_path)
    with pytest.raises(UserError, match="share task 't'"):
        write_bundle(suite(row, Row("t", Instance("2", "new", AnyOf(("x",)))), "tasks"), tmp_path)
    with pytest.raises(UserError, match="share an input"):
        write_bundle(suite(row, row, "pairs"), tmp_path)
    write_bundle(suite(row, other, "pairs"), tmp_path)


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ([Row("t", Instance("1", "a", AnyOf(("x",)))), Row("t", Instance("1", "b", AnyOf(("x",))))], "repeat an id"),
        ([Row("t", Instance("1", "a", AnyOf(("x",)), {"zz": 1}))], "'zz' is not declared"),
        ([Row("t", Instance("1", "a", AnyOf(("x",)), {"b": "text"}))], "does not fit its column"),
    ],
)
def test_wrong_rows_are_refused_and_nothing_is_left(tmp_path, rows, words):
    with pytest.raises(UserError, match=words):
        write_bundle(one_split(rows), tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_failed_rewrite_leaves_the_old_bundle(tmp_path):
    write_bundle(toy(1), tmp_path)
    with pytest.raises(UserError):
        write_bundle(one_split([Row("t", Instance("1", "a", AnyOf(("x",)), {"zz": 1}))]), tmp_path)
    assert list(check_bundle(tmp_path)) == []
    assert Bundle(tmp_path).manifest.seed == 1


def test_a_changed_byte_is_found_wherever_it_is(tmp_path):
    write_bundle(toy(1), tmp_path)
    rng = random.Random(0)
    files = sorted(p for p in tmp_path.rglob("*") if p.is_file())
    assert len(files) == 4
    for path in files:
        whole = path.read_bytes()
        for _ in range(12):
            place = rng.randrange(len(whole))
            path.write_bytes(whole[:place] + bytes([whole[place] ^ (1 << rng.randrange(8))]) + whole[place + 1 :])
            assert list(check_bundle(tmp_path)), f"{path.name} at {place}"
        path.write_bytes(whole)
    assert list(check_bundle(tmp_path)) == []


@pytest.mark.parametrize("share", [0.0, 0.3, 0.99])
def test_a_cut_file_is_a_clear_error(tmp_path, share):
    write_bundle(toy(1), tmp_path)
    for path in [p for p in tmp_path.rglob("*") if p.is_file()]:
        whole = path.read_bytes()
        path.write_bytes(whole[: int(len(whole) * share)])
        findings = list(check_bundle(tmp_path))
        assert findings
        assert all("taskloom generate" in finding.fix for finding in findings)
        path.write_bytes(whole)


def test_a_newer_format_says_so(tmp_path):
    write_bundle(toy(1), tmp_path)
    path = tmp_path / "manifest.json"
    data = msgspec.json.decode(path.read_bytes())
    path.write_bytes(msgspec.json.encode({**data, "format": 99, "new_key": 1}))
    with pytest.raises(UserError, match=r"format 99.*\n.*upgrade"):
        Bundle(tmp_path)


def test_a_manifest_cannot_point_outside(tmp_path):
    write_bundle(toy(1), tmp_path)
    path = tmp_path / "manifest.json"
    data = msgspec.json.decode(path.read_bytes())
    data["splits"]["test"]["file"] = "../../secret"
    path.write_bytes(msgspec.json.encode(data))
    with pytest.raises(UserError, match="outside"):
        Bundle(tmp_path)


def test_other_folders_are_left_alone(tmp_path):
    (tmp_path / "thesis.txt").write_text("years of work")
    with pytest.raises(UserError, match=r"other files \(thesis.txt\)"):
        write_bundle(toy(1), tmp_path)
    assert (tmp_path / "thesis.txt").read_text() == "years of work"


def test_a_file_in_the_way_is_a_clear_error(tmp_path):
    (tmp_path / "file").write_text("x")
    with pytest.raises(UserError, match="the folder is not writable"):
        write_bundle(toy(1), tmp_path / "file" / "inside")
    with pytest.raises(UserError, match="cannot write here: File name too long"):
        write_bundle(toy(1), tmp_path / ("x" * 300))


WRITER = """
import sys
from pathlib import Path
from taskloom.core import resolve
from taskloom.store.write import write_bundle
from toy import FAMILY, ToyRecipe
suite = FAMILY.open("all", int(sys.argv[2]), {"train": 30000})
print("ready", flush=True)
write_bundle(suite, Path(sys.argv[1]), replace=True)
"""


def test_a_killed_writer_leaves_the_old_bundle_or_the_new_one(tmp_path):
    write_bundle(toy(0, train=100), tmp_path)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p), "TASKLOOM_PROGRESS": "off"}
    rng = random.Random(7)
    for seed in range(1, 7):
        writer = subprocess.Popen(
            [sys.executable, "-c", WRITER, str(tmp_path), str(seed)], stdout=subprocess.PIPE, env=environment
        )
        assert writer.stdout is not None
        writer.stdout.readline()
        time.sleep(rng.random() * 1.2)
        writer.send_signal(signal.SIGKILL)
        writer.wait()
        writer.stdout.close()
        assert list(check_bundle(tmp_path)) == []
    write_bundle(toy(99), tmp_path, replace=True)
    assert sorted(p.name[:4] for p in tmp_path.iterdir()) == ["data", "mani"]


def test_two_writers_do_not_meet(tmp_path):
    with lock_folder(tmp_path), pytest.raises(UserError, match="another process is writing"):
        write_bundle(toy(1), tmp_path)


def test_a_full_disk_loses_nothing(tmp_path, monkeypatch):
    """The disk fills up while the data is being written (ENOSPC from the system call itself)."""
    write_bundle(toy(1), tmp_path)
    monkeypatch.setattr(os, "fsync", _no_space)
    with pytest.raises(UserError, match="disk is full"):
        write_bundle(toy(2), tmp_path, replace=True)
    monkeypatch.undo()
    assert list(check_bundle(tmp_path)) == []
    assert Bundle(tmp_path).manifest.seed == 1


def _no_space(handle: int) -> None:
    import errno

    raise OSError(errno.ENOSPC, "No space left on device")


def test_a_bundle_is_named_by_its_folder_only(tmp_path):
    with pytest.raises(UserError, match="no bundle here"):
        Bundle(Path(tmp_path))


@pytest.mark.parametrize(("sizes", "total"), [({"train": 40, "test": 20}, 60), ({"train": None, "test": 20}, None)])
def test_the_bar_has_an_end_where_all_sizes_are_known(tmp_path, monkeypatch, sizes, total):
    ends = []

    def noted(title, end, **settings):
        ends.append(end)
        return Progress(title, end, **settings)

    monkeypatch.setattr("taskloom.store.write.Progress", noted)
    write_bundle(dataclasses.replace(toy(), splits=sizes), tmp_path)
    assert ends == [total]


def sealed(folder, **changes):
    """Another manifest in the place of the one that was written."""
    changed = msgspec.structs.replace(Bundle(folder).manifest, **changes)
    (folder / "manifest.json").write_bytes(changed.sealed().render())


def test_a_bundle_from_before_pieces_is_proved_as_a_whole(tmp_path):
    write_bundle(FAMILY.open("all", 1), tmp_path)
    rows = list(Bundle(tmp_path).rows("test"))
    entry = Bundle(tmp_path).manifest.splits["test"]
    old = msgspec.structs.replace(entry, pieces=[])
    sealed(tmp_path, splits=Bundle(tmp_path).manifest.splits | {"test": old})
    assert list(Bundle(tmp_path).rows("test")) == rows
    path = tmp_path / entry.file
    path.write_bytes(path.read_bytes()[:-1] + b"x")
    with pytest.raises(UserError, match="the data was changed after it was written") as raised:
        list(Bundle(tmp_path).rows("test"))
    assert raised.value.where == str(path)
    path.unlink()
    with pytest.raises(UserError, match="no such file"):
        list(Bundle(tmp_path).rows("test"))


def test_data_that_arrow_cannot_read_is_a_sentence_of_one_line(tmp_path):
    write_bundle(FAMILY.open("all", 1), tmp_path)
    entry = Bundle(tmp_path).manifest.splits["test"]
    path = tmp_path / entry.file
    path.write_bytes(b"no parquet\n" * 9)
    fresh = msgspec.structs.replace(entry, sha256=sha256(path))
    sealed(tmp_path, splits=Bundle(tmp_path).manifest.splits | {"test": fresh})
    with pytest.raises(UserError, match="the data cannot be read: .") as raised:
        list(Bundle(tmp_path).rows("test"))
    assert "\n" not in raised.value.message
    assert raised.value.hint == "recreate it with: taskloom generate toy/all --seed 1 -o DIR"


def test_tasks_are_proved_by_bytes_and_by_content(tmp_path):
    write_bundle(FAMILY.open("all", 1), tmp_path)
    manifest = Bundle(tmp_path).manifest
    path = tmp_path / manifest.tasks_file
    lines = path.read_bytes().split(b"\n")
    assert list(Bundle(tmp_path).tasks()) == ["add", "even", "list", "copy", "record"]
    path.write_bytes(b"\n".join(lines[1:]))
    with pytest.raises(UserError, match="the tasks cannot be read: the tasks were changed"):
        Bundle(tmp_path).tasks()
    sealed(tmp_path, tasks_sha256="")
    with pytest.raises(UserError, match="^[^:]*: the tasks were changed after they were written"):
        Bundle(tmp_path).tasks()
    path.write_bytes(b"\n".join([lines[0], b"{"]))
    with pytest.raises(UserError, match="the tasks cannot be read: this task cannot be read") as raised:
        Bundle(tmp_path).tasks()
    assert raised.value.where == f"{path}:2"
    path.write_bytes(b"\n".join(lines))
    assert len(Bundle(tmp_path).tasks()) == 5


def test_a_suite_of_a_bundle_is_what_was_written(tmp_path):
    suite = FAMILY.open("all", 1)
    manifest = write_bundle(suite, tmp_path)
    found = Bundle(str(tmp_path)).suite()
    assert (found.name, found.seed, found.recipe, found.tasks) == (suite.name, 1, suite.recipe, suite.tasks)
    assert (found.splits, found.facets, found.apart, found.pool) == (
        {"train": 40, "test": 20},
        suite.facets,
        "inputs",
        "train",
    )
    assert found.identity == found.identified("bundle", manifest.hash).identity
    (tmp_path / "manifest.json").write_bytes(msgspec.structs.replace(manifest, seed=2).render())
    with pytest.raises(UserError, match="the manifest was edited after it was written") as raised:
        Bundle(tmp_path)
    assert raised.value.where == str(tmp_path / "manifest.json")


def test_a_folder_with_a_manifest_looks_like_a_bundle(tmp_path):
    assert is_bundle(tmp_path) is False
    (tmp_path / "manifest.json").write_text("")
    assert is_bundle(tmp_path) is True


def test_the_stored_hashes_serve_a_run(tmp_path):
    """Rows of a bundle are not hashed again to be asked; what a run says of them is the same."""
    from taskloom import open_suite, run_suite, write_bundle

    suite = open_suite("babi/task-1").take(12)
    write_bundle(suite, tmp_path / "b")
    bundle = open_suite(tmp_path / "b")
    assert all(digits for _, digits in bundle.hashed_rows("test"))
    assert not any(digits for _, digits in suite.hashed_rows("test"))
    runs = [run_suite(each, model="mock/oracle", folder=tmp_path / f"r{n}") for n, each in enumerate((suite, bundle))]
    assert runs[0].columns.column("row") == runs[1].columns.column("row")


def test_reading_holds_a_few_rows_and_not_the_file(tmp_path):
    import pyarrow as pa

    def draw(split):
        for number in range(40_000):
            text = random.Random(number).randbytes(100).hex()
            yield Row("t", Instance(str(number), text, AnyOf(("yes",))))

    write_bundle(Suite("own/long", {}, 0, {"t": Task("t", Instruction("Say yes."))}, {"test": 40_000}, draw), tmp_path)
    size = max(path.stat().st_size for path in tmp_path.rglob("*.parquet"))
    before = pa.total_allocated_bytes()
    held = [pa.total_allocated_bytes() - before for _ in Bundle(tmp_path).rows("test")]
    assert size > 4_000_000 and held[-1] < size / 2
