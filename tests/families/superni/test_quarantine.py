"""Damaged files and instances are left out, counted and named; the rest of a collection is never disturbed."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

from taskloom.cli.main import main
from taskloom.core import UserError, open_suite
from taskloom.core.errors import QuarantineWarning
from taskloom.families.superni.collection import Collection
from taskloom.families.superni.lint import lint_path

JUNK: list[Any] = [None, 3, -1.5, True, "", [], {}, [[]], ["x", 3], {"input": 1}, "a\x00", 10**30]


def task(number: int, category: str = "Textual Entailment") -> dict[str, Any]:
    return {
        "Contributors": ["somebody"],
        "Source": [f"source {number}"],
        "URL": ["https://example.org"],
        "Categories": [category],
        "Reasoning": [],
        "Definition": ["Say whether the number is even or odd; answer with one of the two words, even or odd."],
        "Input_language": ["English"],
        "Output_language": ["English"],
        "Instruction_language": ["English"],
        "Domains": ["Mathematics"],
        "Positive Examples": [{"input": str(-n), "output": ["even", "odd"][n % 2], "explanation": "x"} for n in (1, 2)],
        "Negative Examples": [{"input": "-3", "output": "even", "explanation": "x"}],
        "Instances": [
            {"id": f"task{number}-{n}", "input": str(n), "output": [["even", "odd"][n % 2]]} for n in range(6)
        ],
        "Instance License": ["CC0"],
    }


def write(folder: Path, name: str, data: Any) -> None:
    (folder / "tasks").mkdir(exist_ok=True)
    text = data if isinstance(data, str) else json.dumps(data)
    (folder / "tasks" / f"{name}.json").write_text(text, "utf-8", "surrogatepass")


@pytest.fixture
def collection(tmp_path: Path) -> Path:
    write(tmp_path, "task100_sound", task(100))
    spoilt = task(101)
    spoilt["Instances"][2]["output"] = 7
    spoilt["Instances"][4]["output"] = []
    write(tmp_path, "task101_spoilt", spoilt)
    write(tmp_path, "task102_broken", "{")
    return tmp_path


def test_a_damaged_instance_costs_itself_and_nothing_else(collection: Path) -> None:
    with pytest.raises(UserError):
        list(open_suite("superni/files", options={"path": str(collection)}).rows("test"))
    suite = open_suite("superni/files", options={"path": str(collection), "damaged": "skip"})
    ids = [row.instance.id for row in suite.rows("test")]
    assert ids == [f"task100-{n}" for n in range(6)] + [f"task101-{n}" for n in (0, 1, 3, 5)]
    assert suite.notes["damaged_instances"] == {"task101_spoilt": 2}
    assert suite.notes["damaged_files"] == ["task102_broken"]


@pytest.mark.parametrize("choose", ["first", "balanced"])
@pytest.mark.parametrize("split", ["test", "oracle"])
def test_every_way_to_choose_instances_skips(collection: Path, choose: str, split: str) -> None:
    options = {"path": str(collection), "damaged": "skip", "instances": 3, "oracle_instances": 9, "choose": choose}
    rows = list(open_suite("superni/test-en", options=options).rows(split))
    assert {row.task for row in rows} == {"task100_sound", "task101_spoilt"}
    assert all(row.instance.id not in ("task101-2", "task101-4") for row in rows)


@pytest.mark.parametrize("verb", ["show", "run", "generate"])
def test_verbs_skip_and_say_so(collection: Path, verb: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = [verb, "superni/files", "-T", f"path={collection}", "-T", "damaged=skip"]
    arguments += {"show": ["--n", "1"], "run": ["--model", "mock/copy-input"], "generate": []}[verb]
    arguments += [] if verb == "show" else ["-o", str(tmp_path / "out")]
    with pytest.warns(QuarantineWarning, match="1 damaged file .task102_broken. and 2 damaged instances of 1 task"):
        assert main(arguments) == 0
    capsys.readouterr()


def test_statistics_stop_where_they_are_asked_to(collection: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["study", "superni/statistics", "-T", f"path={collection}", "-T", "damaged=stop"]) == 2
    assert "task102_broken" in capsys.readouterr().err


@pytest.mark.parametrize("study", ["superni/baselines", "superni/official", "superni/statistics"])
def test_studies_skip_and_say_so(collection: Path, study: str, capsys: pytest.CaptureFixture[str]) -> None:
    said = collection / "said.jsonl"
    said.write_text('{"id": "task100-0", "prediction": "even"}\n')
    arguments = ["study", study, "-T", f"path={collection}"]
    if study == "superni/official":
        arguments += ["-T", f"predictions={said}"]
    if study != "superni/statistics":
        arguments += ["-T", "damaged=skip", "-T", "track=en"]
    assert main(arguments) == 0
    out = capsys.readouterr().out
    assert "1 damaged file (task102_broken)" in out
    assert "2 damaged instances of 1 task (task101_spoilt)" in out


def spoilt(value: Any, rng: random.Random) -> Any:
    if rng.random() < 0.03:
        return rng.choice(JUNK)
    if isinstance(value, dict):
        kept = {key + "x" * (rng.random() < 0.01): item for key, item in value.items() if rng.random() > 0.02}
        return {key: spoilt(item, rng) for key, item in kept.items()}
    return [spoilt(item, rng) for item in value] if isinstance(value, list) else value


def mutated(number: int) -> str:
    rng = random.Random(number)
    text = json.dumps(spoilt(task(number), rng))
    match rng.randrange(6):
        case 0:
            return text[: rng.randrange(len(text))]
        case 1:
            place = rng.randrange(len(text))
            return text[:place] + rng.choice('{}[]",:\\\x00é') + text[place:]
        case 2:
            return text.replace('"input"', '"output"', 1)
    return text


def test_a_thousand_mutated_files(tmp_path: Path) -> None:
    for number in range(1000, 2000):
        write(tmp_path, f"task{number}_x", mutated(number))
    found = Collection(tmp_path, skip=True)
    suite = open_suite("superni/files", options={"path": str(tmp_path), "damaged": "skip"})
    drawn: dict[str, int] = {}
    for row in suite.rows("test"):
        drawn[row.task] = drawn.get(row.task, 0) + 1
    assert len(suite.tasks) + len(suite.notes["damaged_files"]) == 1000
    assert len(suite.notes["damaged_files"]) > 100
    for name, header in found.headers.items():
        assert drawn.get(name, 0) + suite.notes["damaged_instances"].get(name, 0) == header.instances
    findings = list(lint_path(tmp_path))
    named = {Path(finding.file).stem for finding in findings if finding.level == "error"}
    assert set(suite.notes["damaged_files"]) <= named
    assert set(suite.notes["damaged_instances"]) <= named
