"""`check RUN` finds records that are missing, doubled, foreign, altered or impossible, and flipped bits anywhere."""

from __future__ import annotations

import shutil

import msgspec
import pytest
from benchmarks.flips import flip

from taskloom.cli.main import main
from taskloom.core import open_suite
from taskloom.run.check import check_run
from taskloom.run.record import decode_record, encode_record
from taskloom.run.results import load_run, write_results
from taskloom.run.runner import RunSettings, launch
from taskloom.store.ours import sha256
from taskloom.store.seal import read_sealed, write_sealed
from taskloom.studies.frontier.run import probe_model
from taskloom.studies.frontier.search import SearchSettings
from toy import FAMILY


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    folder = tmp_path_factory.mktemp("run") / "run"
    launch(FAMILY.open("all", 1, {"test": 30}), folder, RunSettings(model="mock/copy-input", cache=False))
    write_results(load_run(folder))
    assert list(check_run(folder)) == []
    return folder


@pytest.fixture
def run(finished, tmp_path):
    return shutil.copytree(finished, tmp_path / "run")


def codes(folder) -> set[str]:
    return {finding.code for finding in check_run(folder)}


def lines_of(folder) -> list[bytes]:
    return (folder / "records.jsonl").read_bytes().splitlines(keepends=True)


def write(folder, lines) -> None:
    (folder / "records.jsonl").write_bytes(b"".join(lines))


def test_a_probe_is_sound_although_its_combinations_number_their_items_alike(tmp_path):
    search = SearchSettings(budget=60)
    probe_model(open_suite("babi/mix-t2", seed=1), tmp_path, RunSettings(model="mock/majority"), search)
    assert list(check_run(tmp_path)) == []


@pytest.mark.parametrize("kept", [0, 1, 10, 28])
def test_missing_records_are_found(run, kept):
    lines = lines_of(run)
    write(run, [*lines[:kept], lines[-1]])
    assert "missing" in codes(run)


@pytest.mark.parametrize("kept", [1, 10, 29])
def test_a_finished_log_that_lost_its_end_is_found(run, kept):
    """Without its closing line a log looks like one in the making; the columns beside it know better."""
    write(run, lines_of(run)[:kept])
    assert "missing" in codes(run)


def test_an_empty_log_is_found(run):
    write(run, [])
    assert codes(run) == {"missing"}
    (run / "records.jsonl").unlink()
    assert codes(run) == {"missing"}


def test_doubled_records_are_found(run):
    lines = lines_of(run)
    write(run, [*lines[:5], lines[3], *lines[5:]])
    assert "doubled" in codes(run)


def test_exchanged_records_are_found(run):
    lines = lines_of(run)
    write(run, [lines[1], lines[0], *lines[2:]])
    assert codes(run) == {"missing"}


def test_foreign_records_are_found(run):
    lines = lines_of(run)
    other = msgspec.structs.replace(decode_record(lines[0], 0), task="nobody's", index=30)
    write(run, [*lines[:-1], encode_record(other), lines[-1]])
    assert "foreign" in codes(run)


@pytest.mark.parametrize(("score", "code"), [(7.5, "impossible"), (-1.0, "impossible"), (0.123, "altered")])
def test_scores_that_nobody_gave_are_found(run, score, code):
    """The checksum is right: whoever altered the score made a new one."""
    lines = lines_of(run)
    record = decode_record(lines[2], 2)
    strict = msgspec.structs.replace(record.strict, score=score)
    lines[2] = encode_record(msgspec.structs.replace(record, strict=strict))
    write(run, lines)
    assert code in codes(run)


def test_results_of_another_log_are_found(run):
    text = (run / "results.json").read_text()
    (run / "results.json").write_text(text.replace('"n": ', '"n": 1', 1))
    assert codes(run) == {"altered"}


def test_other_tasks_are_found(run):
    lines = (run / "tasks.jsonl").read_bytes()
    (run / "tasks.jsonl").write_bytes(lines.replace(b"Add the numbers", b"Add two numbers"))
    assert "tasks" in codes(run)


def test_an_unfinished_run_is_no_error(run, capsys):
    for name in ("columns.parquet", "columns.json", "results.json"):
        (run / name).unlink()
    write(run, [*lines_of(run)[:7], b'{"torn'])
    assert codes(run) == {"torn", "open"}
    assert main(["check", str(run)]) == 0
    capsys.readouterr()


def test_a_flipped_bit_is_found_or_harmless_wherever_it_is(tmp_path):
    """A short version of `make flips`."""
    results = flip(200, tmp_path)
    assert {what for _, what in results} <= {"found", "harmless"}, results


def findings(folder) -> set[tuple[str, str]]:
    return {(finding.code, finding.message) for finding in check_run(folder)}


def changed(run, place, **fields):
    """One record with other fields and a right checksum of its own."""
    lines = lines_of(run)
    lines[place] = encode_record(msgspec.structs.replace(decode_record(lines[place], place), **fields))
    write(run, lines)


def test_one_instance_at_two_places_is_found(run):
    lines = lines_of(run)
    again = encode_record(msgspec.structs.replace(decode_record(lines[3], 3), index=30))
    write(run, [*lines[:-1], again, lines[-1]])
    found = findings(run)
    assert ("doubled", "the instance is also answered by another record") in found
    assert ("missing", "the log ends in a count of 30 records, but holds 31") in found


@pytest.mark.parametrize("fields", [{"index": -1}, {"sample": 1}, {"sample": -1}])
def test_places_that_cannot_be_are_found(run, fields):
    changed(run, 4, **fields)
    assert ("impossible", "the record's row number is impossible") in findings(run)


def test_places_without_a_record_are_counted(run):
    changed(run, 29, index=33)
    assert ("missing", "4 rows have no record") in findings(run)


def test_a_failure_with_a_score_is_found(run):
    changed(run, 5, state="errored")
    assert ("impossible", "a failed instance has a score") in findings(run)


def test_a_score_is_compared_with_its_output(run):
    record = decode_record(lines_of(run)[6], 6)
    changed(run, 6, strict=msgspec.structs.replace(record.strict, score=0.5))
    assert ("altered", f"scored 0.5, but its output scores {record.strict.score}") in findings(run)
    changed(run, 6, raw_length=len(record.raw) + 1)
    assert not any(message.startswith("scored") for _, message in findings(run)), "the whole output is not in the log"


def test_lines_after_the_end_and_a_damaged_end_are_found(run):
    lines = lines_of(run)
    write(run, [*lines, lines[0]])
    assert ("foreign", "a line follows the end of the log") in findings(run)
    write(run, [*lines[:-1], lines[-1].replace(b"30", b"31")])
    assert ("altered", "the closing line is damaged") in findings(run)


def test_columns_of_another_log_are_found(run, tmp_path):
    other = tmp_path / "other"
    launch(FAMILY.open("all", 1, {"test": 30}), other, RunSettings(model="mock/oracle", cache=False))
    seal = read_sealed(run / "columns.json", "the seal")
    shutil.copy(other / "columns.parquet", run / "columns.parquet")
    assert ("altered", "the columns were changed after they were written") in findings(run)
    write_sealed(run / "columns.json", {**seal, "columns": sha256(run / "columns.parquet")})
    assert ("altered", "the columns are not those of the log") in findings(run)


def test_no_more_than_twenty_findings_of_a_log_are_shown(run):
    for place in range(24):
        changed(run, place, index=-1)
    shown = [finding for finding in check_run(run) if finding.code == "impossible"]
    assert len(shown) == 20
