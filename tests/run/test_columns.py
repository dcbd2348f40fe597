"""Columns say what the records say, are bound to the bytes of their log, and make the same numbers."""

from __future__ import annotations

import random
from collections import defaultdict
from itertools import product

import msgspec
import pytest

from taskloom.core import AnyOf, Instance, Instruction, Row, Suite, Task, UserError
from taskloom.run import columns
from taskloom.run import log as log_module
from taskloom.run.check import check_run
from taskloom.run.columns import COLUMNS, Columns
from taskloom.run.log import RECORDS, RunLog, column_groups, latest_records
from taskloom.run.records import build_columns, read_columns
from taskloom.run.results import Run, load_run
from taskloom.run.runner import RunSettings, launch
from taskloom.score.stats import clustered_mean


def facet_suite(rows: int = 120) -> Suite:
    """Facets of every kind: numbers, words, lists, empty lists, missing ones, some of the task alone."""
    rng = random.Random(4)
    tasks = {name: Task(name, Instruction(f"Say {name}."), facets={"kind": name[:1], "level": 7}) for name in "abc"}
    made = []
    for number in range(rows):
        facets = {"size": rng.choice([1, 2, 10]), "tags": rng.choice([["x"], ["x", "y"], []])}
        if rng.random() < 0.5:
            facets["level"] = rng.choice([1, 2])
        made.append(Row(rng.choice("abc"), Instance(str(number), f"{number}?", AnyOf((str(number % 3),)), facets)))
    return Suite(
        "own/facets", {}, 0, tasks, {"test": rows}, lambda split: iter(made), {"size": int, "tags": list, "level": int}
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("columns") / "run"
    launch(facet_suite(), folder, RunSettings(model="mock/flaky", model_options={"fail": 0.2}, cache=False))
    return folder


def test_columns_say_what_the_records_say(folder):
    run, records = load_run(folder), latest_records(folder)
    assert run.records == records and list(run.records) == records
    assert run.records[-1] == records[-1] and run.records[3:9:2] == records[3:9:2]
    table = run.columns.table().to_pylist()
    for row, record in zip(table, records, strict=True):
        found = [row[name] for name in ("task", "id", "index", "state", "score", "answer", "strict", "error")]
        assert found == [
            record.task, record.id, record.index, record.state, record.score, record.answer, record.strict.score,
            record.error,
        ]  # fmt: skip
        assert row["target"] == record.targets.canonical()


@pytest.mark.parametrize("names", [("size",), ("tags",), ("level",), ("kind", "tags"), ("task", "level", "size")])
def test_groups_are_those_of_a_loop_over_records(folder, names):
    run = load_run(folder)
    groups = defaultdict(list)
    for place, record in enumerate(run.records):
        for key in product(*(run.facet(record, name) for name in names)):
            groups[key].append(place)
    rows = {key: members.tolist() for key, members in run.rows_by(*names).items()}
    assert rows == dict(groups)
    for key, group in run.by_facet(*names).items():
        members = [run.records[place] for place in groups[key]]
        cells = defaultdict(list)
        for record in members:
            if record.score is not None:
                cells[record.task, run.replicate].append(record.score)
        assert group.estimate[:4] == pytest.approx(clustered_mean(cells)[:4], nan_ok=True)
        assert group.errored == sum(record.state == "errored" for record in members)
        assert group.unparsed == sum(record.state == "scored" and record.answer is None for record in members)
    assert run.facet_values(names[0]) == {value for record in run.records for value in run.facet(record, names[0])}


def test_failures_count_as_the_policy_says(folder):
    left, wrong = load_run(folder), load_run(folder, errors="wrong")
    assert wrong.overall().estimate.n == len(wrong.records) > left.overall().estimate.n
    assert wrong.overall().estimate.value < left.overall().estimate.value


def test_columns_of_another_log_are_not_used(folder, tmp_path):
    lines = (folder / RECORDS).read_bytes().splitlines(keepends=True)
    for name in ("run.json", "tasks.jsonl", COLUMNS, "columns.json"):
        (tmp_path / name).write_bytes((folder / name).read_bytes())
    (tmp_path / RECORDS).write_bytes(b"".join(lines[:50]))
    assert len(load_run(tmp_path).records) == 50
    (tmp_path / RECORDS).write_bytes(b"".join(lines[:50]).replace(b'"task"', b'"tusk"', 1))
    with pytest.raises(UserError, match="damaged"):
        load_run(tmp_path)


def test_damaged_columns_are_refused_and_found(folder, tmp_path):
    for path in folder.iterdir():
        if path.is_file():
            (tmp_path / path.name).write_bytes(path.read_bytes())
    data = bytearray((tmp_path / COLUMNS).read_bytes())
    data[len(data) // 2] ^= 1
    (tmp_path / COLUMNS).write_bytes(data)
    with pytest.raises(UserError, match="changed after they were written") as caught:
        load_run(tmp_path)
    assert "rebuilt" in str(caught.value.hint)
    assert {finding.code for finding in check_run(tmp_path)} == {"altered"}
    (tmp_path / COLUMNS).unlink()
    assert len(load_run(tmp_path).records) == 120


@pytest.mark.parametrize("missing", [(COLUMNS, "columns.json"), ("columns.json",)])
def test_a_run_killed_before_its_columns_gets_them_when_it_is_opened_again(folder, tmp_path, missing):
    for path in folder.iterdir():
        if path.is_file() and path.name not in missing:
            (tmp_path / path.name).write_bytes(path.read_bytes())
    with RunLog(tmp_path) as log:
        log.finish()
    for name in (COLUMNS, "columns.json", RECORDS):
        assert (tmp_path / name).read_bytes() == (folder / name).read_bytes(), name


def test_an_unfinished_log_counts_the_newest_answer(folder, tmp_path):
    lines = (folder / RECORDS).read_bytes().splitlines(keepends=True)[:-1]
    (tmp_path / RECORDS).write_bytes(b"".join([*lines, lines[3], lines[0]]))
    newest = Columns(build_columns(tmp_path / RECORDS))
    assert newest.column("id").to_pylist() == read_columns(folder).column("id").to_pylist()
    assert newest.whole("start")[0] > newest.whole("start")[-1], "read from where the newest stands"


def test_the_time_of_by_task_grows_with_the_records_alone(folder, monkeypatch):
    touched = []
    group = Run.group
    monkeypatch.setattr(Run, "group", lambda run, name, rows: touched.append(len(rows)) or group(run, name, rows))
    load_run(folder).by_task()
    assert sum(touched) == 120


def test_groups_of_unlike_facets_have_the_same_columns(tmp_path, monkeypatch):
    """Batches are packed one by one, before it is known which facets the later ones carry."""
    monkeypatch.setattr(columns, "_BATCH", 2)
    monkeypatch.setattr(columns, "GROUP", 4)
    builder = columns.ColumnBuilder()
    for n in range(11):
        facets = {"early": msgspec.Raw(b'"x"')} if n < 3 else {"late": msgspec.Raw(b"%d" % n)}
        reading = columns._EntryReading("a", n / 11)
        builder.add(
            columns.LogEntry(
                "t",
                str(n),
                "scored",
                "exact",
                msgspec.Raw(b'{"type":"any","answers":["a"]}'),
                reading,
                n,
                facets=facets,
            ),
            n,
            1,
        )
    groups = list(builder.groups())
    assert [group.num_rows for group in groups] == [4, 4, 3]
    assert len({tuple(group.column_names) for group in groups}) == 1
    table = builder.table()
    assert table.column("facet:early").to_pylist() == ['"x"'] * 3 + [None] * 8
    assert table.column("facet:late").to_pylist() == [None] * 3 + [str(n) for n in range(3, 11)]
    log = tmp_path / "records.jsonl"
    log.write_bytes(b"log")
    columns.write_columns(tmp_path, log, builder)
    kept = columns.sealed_columns(tmp_path, log)
    assert len(kept) == 11 and kept.equals([builder])
    assert kept.codes("facet:late").labels == [str(n) for n in range(3, 11)]
    other = columns.ColumnBuilder()
    assert not kept.equals([other])


def test_a_log_is_compared_with_its_columns_one_group_at_a_time(tmp_path, monkeypatch):
    """A check of a million records holds one group of them, whichever facets the others carry."""
    monkeypatch.setattr(columns, "_BATCH", 2)
    monkeypatch.setattr(columns, "GROUP", 4)
    monkeypatch.setattr(log_module, "GROUP", 4)
    folder = tmp_path / "run"
    launch(facet_suite(8), folder, RunSettings(model="mock/oracle", cache=False))
    path = folder / "records.jsonl"
    builders = list(column_groups(path))
    assert [len(builder) for builder in builders] == [4, 4]
    kept = columns.sealed_columns(folder, path)
    assert kept.equals(builders)
    assert not kept.equals(builders[:1]) and not kept.equals([*builders, builders[0]])
    assert not kept.equals(reversed(builders))
    assert not list(check_run(folder))
