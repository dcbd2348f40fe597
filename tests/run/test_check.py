"""`check RUN` makes a run again from its plan, so that an edit is found even where every hash was made to fit it."""

from __future__ import annotations

import shutil
from collections.abc import Callable

import msgspec
import pytest
from benchmarks.flips import flip

from records import old_log, torn_log
from taskloom.cli.main import main
from taskloom.core import AnyOf, open_suite
from taskloom.run.check import RunProof, check_run
from taskloom.run.log import RunLog, read_records
from taskloom.run.plan import load_plan, load_tasks, save_plan
from taskloom.run.record import Record
from taskloom.run.results import load_run, write_results
from taskloom.run.runner import launch
from taskloom.run.session import RunSettings
from taskloom.store.seal import read_sealed, write_sealed
from taskloom.store.write import write_bundle
from taskloom.studies.frontier.run import probe_model
from taskloom.studies.frontier.search import SearchSettings
from toy import FAMILY

replace = msgspec.structs.replace


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    folder = tmp_path_factory.mktemp("run") / "run"
    options = {"fail": 0.1, "rubbish": 0.2, "truncate": 0.0, "stall": 0.0, "empty": 0.0}
    settings = RunSettings(model="mock/flaky", model_options=options, cache=False, protocol="chat")
    launch(open_suite("babi/task-1", options={"test": 60}), folder, settings)
    write_results(load_run(folder))
    assert list(check_run(folder)) == []
    return folder


@pytest.fixture
def run(finished, tmp_path):
    return shutil.copytree(finished, tmp_path / "run")


def resealed(folder, change: Callable[[list[Record]], list[Record]], plan=None):
    """The same run with other records, sealed as if they had been written so."""
    target = folder.with_name("edited")
    target.mkdir()
    save_plan(plan or load_plan(folder), list(load_tasks(folder).values()), target)
    with RunLog(target) as log:
        log.append(change(list(read_records(folder))))
        log.finish()
    return target


def codes(folder) -> set[str]:
    return {finding.code for finding in check_run(folder)}


def one(**fields) -> Callable[[list[Record]], list[Record]]:
    """Other fields of the first record that was scored."""

    def change(records):
        place = next(n for n, record in enumerate(records) if record.state == "scored" and record.strict.score == 1.0)
        given = {name: value(records[place]) if callable(value) else value for name, value in fields.items()}
        return [*records[:place], replace(records[place], **given), *records[place + 1 :]]

    return change


EDITS = {
    "strict score": one(strict=lambda r: replace(r.strict, score=0.0)),
    "strict answer": one(strict=lambda r: replace(r.strict, answer="hall of fame")),
    "lenient score": one(lenient=lambda r: replace(r.lenient, score=0.0)),
    "lenient answer": one(lenient=lambda r: replace(r.lenient, answer="x")),
    "why": one(lenient=lambda r: replace(r.lenient, why="because")),
    "details": one(strict=lambda r: replace(r.strict, details={"x": 1})),
    "no lenient reading": one(lenient=None),
    "headline": one(headline="strict"),
    "targets": one(targets=AnyOf(("anything",))),
    "facets": one(facets=lambda r: {**r.facets, "support_size": 9}),
    "id": one(id="test-99999"),
    "row": one(row="0" * 32),
    "question": one(question="0" * 32),
    "prompt": one(prompt=lambda r: r.prompt + " Say kitchen."),
    "prompt hash": one(prompt_hash="0" * 32),
    "marks": one(marks=((0, 1),)),
    "raw length": one(raw_length=lambda r: r.raw_length + 5),
    "a failure with a score": one(state="errored"),
    "scorer": one(scorer="rouge-l"),
    "a score above one": one(strict=lambda r: replace(r.strict, score=1.5)),
    "protocol": one(protocol="base"),
    "wording": one(wording="3"),
    "the last third": lambda records: records[: 2 * len(records) // 3],
    "the first": lambda records: [replace(r, index=r.index - 1) for r in records[1:]],
    "one in the middle": lambda records: records[:7] + records[8:],
    "two exchanged": lambda records: [replace(r, index={2: 3, 3: 2}.get(r.index, r.index)) for r in records],
    "one too many": lambda records: [*records, replace(records[0], index=len(records))],
}  # fmt: skip


@pytest.mark.parametrize("name", EDITS)
def test_an_edit_is_found_although_everything_was_sealed_again(run, name):
    edited = resealed(run, EDITS[name])
    assert codes(edited), name


UNPROVABLE = {
    "raw output with fitting readings": one(
        raw="the moon", raw_length=8, strict=lambda r: replace(r.strict, answer="the moon", score=0.0, details={})
    ),
    "usage": one(tokens={"prompt": 3.0}),
    "error text": lambda records: [replace(r, error="other") if r.state == "errored" else r for r in records],
}


def test_what_only_the_model_knew_is_named_and_not_proved(run):
    proof = RunProof(resealed(run, UNPROVABLE["usage"]))
    assert list(proof.findings()) == []
    assert (proof.drawn, proof.prompts) == (60, 60) and proof.read > 40
    said = proof.sentence()
    assert "taken on trust: the model's words, failures and names, usage, the limit" in said


def test_the_command_says_what_was_proved(run, capsys):
    assert main(["check", str(run)]) == 0
    said = capsys.readouterr().out
    assert "60 rows and 60 prompts made again" in said and "taken on trust" in said
    assert main(["check", str(resealed(run, EDITS["lenient score"]))]) == 1
    assert "its lenient reading says" in capsys.readouterr().out


_TASKS = """
import taskloom

@taskloom.task(definition="Write the letters in reverse order.", right=[("ab", "ba", "The last comes first.")])
def backwards(rng):
    word = "".join(rng.choices("abcdefgh", k=6))
    return word, word[::-1]
"""


def test_code_of_the_users_runs_only_when_it_is_named(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text(_TASKS)
    command = ["run", "mine.py", "--model", "mock/oracle", "--limit", "5", "-o", "run"]
    assert main(command) == 0
    capsys.readouterr()
    assert main(["check", "run"]) == 0
    assert "rows were not drawn again" in capsys.readouterr().out
    assert main(["check", "run", "--suite", "mine.py"]) == 0
    assert "5 rows and 5 prompts made again" in capsys.readouterr().out


def test_a_suite_with_other_rows_proves_nothing_and_says_so(run):
    plan = msgspec.structs.replace(load_plan(run), identity="0" * 32)
    proof = RunProof(resealed(run, list, plan))
    assert list(proof.findings()) == [] and "other rows now" in proof.sentence()


def test_a_probe_is_sound_although_its_combinations_number_their_items_alike(tmp_path):
    search = SearchSettings(budget=60)
    probe_model(open_suite("babi/mix-t2", seed=1), tmp_path, RunSettings(model="mock/majority"), search)
    assert list(check_run(tmp_path)) == []


def test_runs_with_examples_in_their_prompts_and_several_wordings_are_made_again(tmp_path):
    suite = open_suite("babi/task-1", options={"test": 12})
    launch(suite, tmp_path / "a", RunSettings(model="mock/oracle", adapt="in-context", cache=False))
    launch(suite, tmp_path / "b", RunSettings(model="mock/oracle", protocol="chat", wordings=3, cache=False))
    drawn = {"generation": {"temperature": 1.0}, "samples": 2}
    launch(suite, tmp_path / "c", RunSettings(model="mock/oracle", limit=4, cache=False, **drawn))
    for name in "abc":
        proof = RunProof(tmp_path / name)
        assert list(proof.findings()) == [] and not proof.unproved and proof.prompts == (4 if name == "c" else 12)


@pytest.mark.parametrize("closed", [True, False])
def test_a_run_of_an_older_version_is_proved_and_sealed(run, closed):
    records = list(read_records(run))
    for path in (*run.glob("*.parquet"), *run.glob("manifest-*.json")):
        path.unlink()
    old_log(run, records[:40] if not closed else records, closed=closed)
    assert codes(run) == (set() if closed else {"open"})
    if closed:
        assert main(["check", str(run), "--upgrade"]) == 0
        assert (run / "manifest-000001.json").is_file() and not (run / "records.jsonl").exists()
        assert list(read_records(run)) == records and list(check_run(run)) == []


def test_missing_records_of_an_older_version_are_counted(run):
    records = list(read_records(run))
    for path in (*run.glob("*.parquet"), *run.glob("manifest-*.json")):
        path.unlink()
    path = old_log(run, records)
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([*lines[:30], lines[-1]]))
    assert any("a count of 60 records, but holds 30" in finding.message for finding in check_run(run))


def test_an_unfinished_run_is_no_error(run):
    torn_log(run, 20, b"torn")
    found = list(check_run(run))
    assert {(finding.code, finding.level) for finding in found} == {("open", "warning"), ("torn", "warning")}


def test_results_that_nobody_computed_are_found(run):
    data = read_sealed(run / "results.json", "results")
    data["overall"]["value"] = 0.123
    write_sealed(run / "results.json", data)
    assert codes(run) == {"altered"}


def test_a_plan_that_was_exchanged_is_found(run):
    plan = load_plan(run)
    write_sealed(run / "run.json", msgspec.structs.replace(plan, run_seed=9))
    assert "the manifest belongs to another plan" in {finding.message for finding in check_run(run)}


def test_no_more_than_twenty_findings_are_shown(run):
    edited = resealed(run, lambda records: [replace(r, scorer="rouge-l") for r in records])
    assert len(list(check_run(edited))) == 20


def test_a_folder_without_records_is_named(run, tmp_path):
    shutil.copy(run / "run.json", tmp_path)
    shutil.copy(run / "tasks.jsonl", tmp_path)
    assert codes(tmp_path) == {"missing"}
    assert codes(tmp_path / "nowhere") == {"damaged"}


def test_flipped_bits_are_found_or_harmless(tmp_path):
    results = flip(200, tmp_path)
    assert {what for _, what in results} <= {"found", "harmless"}, results


def test_toy_suites_are_proved_as_far_as_can_be(tmp_path):
    launch(FAMILY.open("all", 1, {"test": 30}), tmp_path, RunSettings(model="mock/copy-input", cache=False))
    proof = RunProof(tmp_path)
    assert list(proof.findings()) == [] and proof.drawn == 0 and proof.read == 30


def test_a_run_of_a_bundle_is_proved_by_the_bundle(tmp_path):
    suite = open_suite("babi/task-1", options={"test": 20, "train": 0, "dev": 0})
    write_bundle(suite, tmp_path / "bundle")
    launch(open_suite(tmp_path / "bundle"), tmp_path / "run", RunSettings(model="mock/oracle", cache=False))
    proof = RunProof(tmp_path / "run", str(tmp_path / "bundle"))
    assert list(proof.findings()) == [] and proof.unproved == []
    assert (proof.drawn, proof.prompts, proof.read) == (20, 20, 20)
    write_bundle(open_suite("babi/task-1", seed=1, options=suite.recipe), tmp_path / "other")
    other = RunProof(tmp_path / "run", str(tmp_path / "other"))
    assert list(other.findings()) == [] and other.drawn == 0 and "other rows" in other.unproved[0]
