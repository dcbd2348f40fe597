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
