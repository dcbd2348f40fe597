"""Every finding of `check RUN` in full: where it is, how bad, what helps; and what is no finding at all."""

from __future__ import annotations

import shutil

import msgspec
import pytest

from taskloom.core import AnyOf, UserError
from taskloom.run import check
from taskloom.run.check import _key, _key_hash, check_run
from taskloom.run.record import decode_record, encode_record
from taskloom.run.results import load_run, write_results
from taskloom.run.runner import RunSettings, launch
from taskloom.store.seal import read_sealed, write_sealed
from toy import FAMILY

ROWS = 12


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    folder = tmp_path_factory.mktemp("run") / "run"
    launch(FAMILY.open("all", 1, {"test": ROWS}), folder, RunSettings(model="mock/copy-input", cache=False))
    write_results(load_run(folder))
    return folder


@pytest.fixture
def run(finished, tmp_path):
    return shutil.copytree(finished, tmp_path / "run")


def found(folder):
    return [
        (one.level, one.code, one.key, one.message, one.file.removeprefix(f"{folder}/")) for one in check_run(folder)
    ]


def lines_of(folder):
    return (folder / "records.jsonl").read_bytes().splitlines(keepends=True)


def write(folder, *lines):
    (folder / "records.jsonl").write_bytes(b"".join(lines))


def changed(line, **fields):
    return encode_record(msgspec.structs.replace(decode_record(line, 0), **fields))


def test_a_sound_run_has_no_findings(run):
    assert found(run) == []
    (run / "results.json").unlink()
    assert found(run) == [], "results may be missing"


def test_records_in_another_order(run):
    first, second, *rest = lines_of(run)
    write(run, second, first, *rest)
    assert found(run) == [
        ("error", "missing", "",
         f"the log ends in a count of {ROWS} records, but they are not those that were counted, or not in that order",
         "records.jsonl"),
    ]  # fmt: skip


def test_a_record_too_few(run):
    lines = lines_of(run)
    write(run, *lines[:-2], lines[-1])
    log, results = found(run)
    assert log[3:] == (f"the log ends in a count of {ROWS} records, but holds {ROWS - 1}", "records.jsonl")
    assert results[:2] == ("error", "altered"), "and the results are those of another log"
    write(run, *lines[:3], *lines[4:])
    messages = [one[3] for one in found(run)]
    assert "1 rows have no record" in messages


def test_a_doubled_record_is_named_by_line_task_and_id(run):
    lines = lines_of(run)
    record = decode_record(lines[3], 3)
    write(run, *lines[:5], lines[3], *lines[5:])
    assert ("error", "doubled", f"6 ({record.task}/{record.id})", "another record already has this row number",
            "records.jsonl") in found(run)  # fmt: skip


def test_a_failure_may_be_followed_by_what_came_of_asking_again(run):
    lines = lines_of(run)
    failed = changed(
        lines[3], state="errored", strict=msgspec.structs.replace(decode_record(lines[3], 3).strict, score=None)
    )
    for name in ("columns.parquet", "columns.json", "results.json"):
        (run / name).unlink()
    write(run, *lines[:3], failed, *lines[3:-1])
    assert found(run) == [("warning", "open", "", "the log is not closed: the run has not finished", "records.jsonl")]
    write(run, *lines[:4], failed, *lines[4:-1])
    assert [one[1] for one in found(run)] == ["doubled", "open"], "but not the other way round"


def test_a_damaged_line_ends_the_counting_and_not_the_looking(run):
    lines = lines_of(run)
    write(run, *lines[:2], lines[2].replace(b'"id"', b'"ID"'), *lines[3:-1], lines[0], lines[-1])
    told = found(run)
    assert told[0][:3] == ("error", "altered", "3") and told[0][3].startswith("the record is damaged: ")
    assert [one[1] for one in told[1:3]] == ["doubled", "missing"]
    assert not any("ends in a count" in one[3] for one in told)


@pytest.mark.parametrize(
    ("score", "message"),
    [(1.5, "a score of 1.5 is impossible"), (-0.5, "a score of -0.5 is impossible"), (None, None), (0.25, None)],
)
@pytest.mark.parametrize("reading", ["strict", "lenient"])
def test_scores_that_cannot_be(run, score, message, reading):
    lines = lines_of(run)
    record = decode_record(lines[0], 0)
    held = msgspec.structs.replace(record.strict, score=score)
    write(run, changed(lines[0], **{reading: held}), *lines[1:])
    impossible = [one[3] for one in found(run) if one[1] == "impossible"]
    assert impossible == ([] if message is None else [message])


@pytest.mark.parametrize("score", [0.0, 1.0])
def test_the_ends_of_the_scale_are_scores(run, score):
    lines = lines_of(run)
    held = msgspec.structs.replace(decode_record(lines[0], 0).strict, score=score)
    write(run, changed(lines[0], lenient=held), *lines[1:])
    assert not any(one[1] == "impossible" for one in found(run))


def test_an_answer_is_read_again_too(run):
    lines = lines_of(run)
    record = decode_record(lines[0], 0)
    write(run, changed(lines[0], strict=msgspec.structs.replace(record.strict, answer="other")), *lines[1:])
    score = record.strict.score
    assert f"scored {score}, but its output scores {score}" in [one[3] for one in found(run)]
    cut = changed(
        lines[0], strict=msgspec.structs.replace(record.strict, answer="other"), raw_length=len(record.raw) + 1
    )
    write(run, cut, *lines[1:])
    assert not any(one[3].startswith("scored") for one in found(run)), "the whole output is not in the log"


def test_tasks_of_another_run_and_a_plan_that_cannot_be_read(run):
    plan = read_sealed(run / "run.json", "the plan")
    write_sealed(run / "run.json", {**plan, "tasks_hash": "other"})
    assert ("error", "tasks", "", "the tasks are not those of the plan", "tasks.jsonl") in found(run)
    write_sealed(run / "run.json", {**plan, "tasks_hash": ""})
    assert not any(one[1] == "tasks" for one in found(run)), "early plans do not say"
    (run / "run.json").write_text("{")
    ((level, code, key, _, file),) = found(run)
    assert (level, code, key, file) == ("error", "damaged", "", "run.json")


def test_a_missing_log_and_an_empty_one(run):
    write(run)
    told = found(run)
    assert told[0] == ("error", "missing", "", "the log is empty", "records.jsonl")
    (run / "records.jsonl").unlink()
    assert found(run) == [("error", "missing", "", "there is no log", "records.jsonl")]


def test_a_torn_end_is_a_warning_with_the_log_it_follows(run):
    lines = lines_of(run)
    for name in ("columns.parquet", "columns.json", "results.json"):
        (run / name).unlink()
    write(run, *lines[:4], b'{"torn')
    assert [one[:4] for one in found(run)] == [
        ("warning", "torn", "", "the last line is incomplete; the run can be resumed"),
        ("warning", "open", "", "the log is not closed: the run has not finished"),
    ]
    write(run, b'{"torn')
    assert [one[:2] for one in found(run)] == [("warning", "torn"), ("error", "missing")]


def test_a_log_that_lost_records_since_it_was_finished(run):
    lines = lines_of(run)
    write(run, *lines[:4])
    assert (
        "error",
        "missing",
        "",
        f"the log has 4 records, but the finished run had {ROWS}",
        "records.jsonl",
    ) in found(run)
    write(run, *lines[:-1])
    assert [one[1] for one in found(run)] == ["open"], "as many as before"
    seal = read_sealed(run / "columns.json", "the seal")
    write_sealed(run / "columns.json", {key: value for key, value in seal.items() if key != "records"})
    write(run, *lines[:4])
    assert [one[1] for one in found(run)] == ["open"], "an early seal does not say how many"
    (run / "columns.json").write_text("{")
    told = found(run)
    assert {one[4] for one in told if one[1] == "altered"} == {"columns.json"}


def test_results_are_compared_where_they_are_of_the_same_kind(run):
    results = read_sealed(run / "results.json", "results")
    for change, keys in (
        ({"model": "other"}, ["model"]), ({"more": 1}, []), ({"estimand": "other", "model": "x"}, []),
        ({"errors": "wrong", "model": "x"}, []), ({"usage": {"cost": 1.0}, "suite": "x"}, ["suite"]),
    ):  # fmt: skip
        write_sealed(run / "results.json", {**results, **change})
        told = [(one[2], one[3]) for one in found(run)]
        assert told == [(key, "the results are not those of the log") for key in keys]


def test_what_helps_is_said_by_kind(run):
    lines = lines_of(run)
    write(run, *lines[:3], *lines[4:])
    fixes = {one.code: one.fix for one in check_run(run)}
    assert fixes["missing"] == "run the same command again: it asks what is missing"
    assert fixes["altered"] == "delete the line and run the same command again"
    write(run, changed(lines[0], task="nobody's"), *lines[1:])
    assert {one.code: one.fix for one in check_run(run)}["foreign"] == "remove it, or run again with another -o"


def test_after_errors_the_columns_are_not_compared(run, monkeypatch):
    monkeypatch.setattr(check, "_check_columns", lambda folder, path: iter(["columns"]))
    monkeypatch.setattr(check, "_check_cut", lambda folder, log: iter(["cut"]))
    assert list(check_run(run)) == ["columns", "cut"]
    write(run, *lines_of(run)[:3], *lines_of(run)[4:])
    assert not {"columns", "cut"} & {one for one in check_run(run) if isinstance(one, str)}


def test_samples_have_places_of_their_own(tmp_path):
    suite = FAMILY.open("all", 1, {"test": 5})
    settings = RunSettings(model="mock/random", samples=2, generation={"temperature": 1.0}, cache=False)
    launch(suite, tmp_path, settings)
    assert found(tmp_path) == []
    lines = lines_of(tmp_path)
    write(tmp_path, *lines[:3], *lines[4:])
    assert "1 rows have no record" in [one[3] for one in found(tmp_path)]
    write(tmp_path, changed(lines[0], sample=2), *lines[1:])
    assert found(tmp_path)[0][1] == "impossible"


def test_logs_of_the_first_format_are_checked(run):
    """They have neither checksums nor places: each line stands for the row of its number."""
    for name in ("columns.parquet", "columns.json", "results.json"):
        (run / name).unlink()
    old = []
    for place, line in enumerate(lines_of(run)[:-1]):
        record = decode_record(line, place)
        fields = (
            "task",
            "id",
            "state",
            "scorer",
            "raw",
            "raw_length",
            "prompt",
            "prompt_hash",
            "facets",
            "error",
            "tokens",
        )
        data = {name: getattr(record, name) for name in fields} | {"targets": record.targets}
        data |= {"score": record.strict.score, "extracted": record.strict.answer, "details": {}}
        old.append(msgspec.json.encode(data) + b"\n")
    write(run, *old)
    assert [one[1] for one in found(run)] == ["open"]
    write(run, *old, old[0])
    assert [one[1:3] for one in found(run)][:1] == [("doubled", f"{old_name(old[0])}")], "by what it answers"


def old_name(line):
    held = msgspec.json.decode(line)
    return f"{held['task']}/{held['id']}"


def test_a_key_is_hashed_as_a_whole(run):
    one = decode_record(lines_of(run)[3], 3)
    assert _key(one) == (one.task, "", one.id, 0)
    others = [
        msgspec.structs.replace(one, **change) for change in ({"task": "u"}, {"cell": "c"}, {"id": "x"}, {"sample": 1})
    ]
    assert len({_key_hash(each) for each in (one, *others)}) == 5
    same = msgspec.structs.replace(one, index=9, targets=AnyOf(("z",)))
    assert _key_hash(same) == _key_hash(one) < 1 << 64


def test_two_places_of_one_instance_are_compared_by_their_lines(run, monkeypatch):
    monkeypatch.setattr(check, "_key_hash", lambda record: 7)
    assert found(run) == [], "equal hashes of other instances are no finding"


def test_a_log_closed_twice_is_foreign(run):
    lines = lines_of(run)
    write(run, *lines, lines[-1])
    assert found(run)[0][:4] == ("error", "foreign", str(ROWS + 2), "a line follows the end of the log")


@pytest.mark.parametrize(
    ("function", "file", "code"),
    [
        ("load_plan", "", "damaged"), ("sealed_columns", "columns.parquet", "altered"),
        ("results_of", "results.json", "altered"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_named_by_its_file(run, monkeypatch, function, file, code):
    def fail(*given, **more):
        raise UserError("it fell over")

    monkeypatch.setattr(check, function, fail)
    assert [(one.code, one.message, one.file) for one in check_run(run)] == [
        (code, "it fell over", str(run / file) if file else str(run))
    ]


def test_a_seal_that_cannot_be_read_is_named_by_its_file(run, monkeypatch):
    write(run, *lines_of(run)[:4])
    monkeypatch.setattr(check, "sealed_columns", lambda folder, path: None)

    def fail(*given, **more):
        raise UserError("it fell over")

    monkeypatch.setattr(check, "read_sealed", fail)
    told = [(one.code, one.file) for one in check_run(run) if one.message == "it fell over"]
    assert told == [("altered", str(run / "columns.json"))]
