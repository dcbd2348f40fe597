"""The linter: each check fires on its defect and stays silent on a sound file."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from taskloom.core import Finding, UserError
from taskloom.families.superni.lint import lint_file, lint_path
from taskloom.families.superni.scaffold import scaffold_task
from taskloom.families.superni.schema import decode_instances, read_header


@pytest.fixture
def sound(tmp_path: Path) -> dict[str, Any]:
    data: dict[str, Any] = json.loads(scaffold_task("task100_order", tmp_path / "made").read_text("utf-8"))
    return data


def lint(folder: Path, data: Any, name: str = "task100_order") -> dict[str, Finding]:
    path = folder / f"{name}.json"
    path.write_text(json.dumps(data, ensure_ascii=False), "utf-8")
    return {finding.code: finding for finding in lint_file(path)}


def test_the_scaffold_is_sound_and_a_name_is_needed(tmp_path: Path) -> None:
    path = scaffold_task("Longest Word!", tmp_path / "tasks")
    assert path.name == "task001_longest_word.json"
    assert list(lint_path(tmp_path)) == []
    for name in ("longest word", "task001_longest_word"):
        with pytest.raises(UserError, match="exists already"):
            scaffold_task(name, tmp_path / "tasks")
    with pytest.raises(UserError, match="says nothing"):
        scaffold_task("7", tmp_path)


def labelled(data: dict[str, Any], outputs: list[str]) -> None:
    for index, instance in enumerate(data["Instances"]):
        instance["output"] = [outputs[index % len(outputs)]]


def change(**values: Any) -> Callable[[dict[str, Any]], None]:
    return lambda data: data.update(values)


def leak(data: dict[str, Any]) -> None:
    first = data["Instances"][0]
    data["Positive Examples"][0] = {"input": first["input"], "output": first["output"][0], "explanation": "x"}


def contradict(data: dict[str, Any]) -> None:
    leak(data)
    data["Positive Examples"][0]["output"] = "something else"


def wrong_is_right(data: dict[str, Any]) -> None:
    data["Negative Examples"][0]["output"] = data["Positive Examples"][0]["output"]


def blind(data: dict[str, Any]) -> None:
    data["Negative Examples"][0]["output"] = data["Positive Examples"][0]["output"].upper()


DEFECTS: dict[str, tuple[Callable[[dict[str, Any]], None], str]] = {
    "missing-key": (lambda data: data.pop("Instances"), "Instances"),
    "unknown-key": (lambda data: data.update({"Definitions": []}), "Definitions"),
    "type": (change(Categories=[3]), "Categories"),
    "definition": (change(Definition=["Do it."]), "Definition"),
    "duplicate-input": (lambda d: d["Instances"][7].update(input=d["Instances"][3]["input"]), "Instances[7].input"),
    "duplicate-id": (lambda d: d["Instances"][7].update(id=d["Instances"][3]["id"]), "Instances[7].id"),
    "blank": (lambda data: data["Instances"][2].update(output=[" "]), "Instances[2].output"),
    "no-output": (lambda data: data["Instances"][2].update(output=[]), "Instances[2].output"),
    "repeated-output": (lambda data: data["Instances"][2].update(output=["a", "a"]), "Instances[2].output"),
    "characters": (lambda data: data["Instances"][2].update(input="a\x00b"), "Instances[2].input"),
    "untrimmed": (lambda data: data["Instances"][2].update(input=" a"), "Instances[2].input"),
    "few-instances": (lambda data: data["Instances"].clear(), "Instances"),
    "many-instances": (
        lambda d: d["Instances"].extend({"id": str(n), "input": f"x{n}", "output": [f"y{n}"]} for n in range(6500)),
        "Instances",
    ),
    "few-examples": (lambda data: data["Positive Examples"].pop(), "Positive Examples"),
    "no-explanation": (
        lambda data: data["Positive Examples"][1].pop("explanation"),
        "Positive Examples[1].explanation",
    ),
    "leak": (leak, "Positive Examples[0]"),
    "contradiction": (contradict, "Positive Examples[0].output"),
    "blind-spot": (blind, "Negative Examples[0].output"),
    "constant-label": (lambda data: labelled(data, ["yes"]), "Instances"),
    "label-balance": (lambda data: labelled(data, ["yes"] * 9 + ["no"]), "Instances"),
    "unnamed-labels": (lambda data: labelled(data, ["good", "bad"]), "Definition"),
    "unknown-label": (lambda data: labelled(data, ["good", "bad"]), "Positive Examples[1].output"),
}


@pytest.mark.parametrize("code", DEFECTS)
def test_each_defect_is_found_where_it_is(code: str, sound: dict[str, Any], tmp_path: Path) -> None:
    spoil, key = DEFECTS[code]
    assert code not in lint(tmp_path, sound)
    spoil(sound)
    found = lint(tmp_path, sound)
    assert found[code].key == key
    assert found[code].file.endswith("task100_order.json")
    assert found[code].message


def test_a_negative_example_that_is_right(sound: dict[str, Any], tmp_path: Path) -> None:
    wrong_is_right(sound)
    assert lint(tmp_path, sound)["contradiction"].key == "Negative Examples[0].output"


def test_files_that_are_no_json_or_oddly_encoded(sound: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / "task100_x.json"
    path.write_bytes(b"{")
    assert [finding.code for finding in lint_file(path)] == ["json"]
    path.write_bytes(b"\xef\xbb\xbf" + json.dumps(sound).encode())
    assert {finding.code for finding in lint_file(path)} == {"bom"}
    path.write_bytes(json.dumps(sound).encode().replace(b"Your name", b"\xff"))
    assert "encoding" in {finding.code for finding in lint_file(path)}
    path.write_text("[" * 50_000)
    assert [finding.code for finding in lint_file(path)] == ["json"]
    assert "file-name" in lint(tmp_path, sound, "my task")


def test_numbers_and_found_words_are_no_labels(sound: dict[str, Any], tmp_path: Path) -> None:
    labelled(sound, ["1", "2", "3"])
    assert "unnamed-labels" not in lint(tmp_path, sound)
    for index, instance in enumerate(sound["Instances"]):
        word = ["red", "blue"][index % 2]
        instance.update(input=f"{index} {word}", output=[word])
    assert "unnamed-labels" not in lint(tmp_path, sound)


def test_many_alike_are_counted_not_listed(sound: dict[str, Any], tmp_path: Path) -> None:
    for instance in sound["Instances"]:
        instance["input"] += " "
    path = tmp_path / "task100_x.json"
    path.write_text(json.dumps(sound))
    findings = [finding for finding in lint_file(path) if finding.code in ("untrimmed", "more")]
    assert len(findings) == 4
    assert "117 more" in findings[-1].message


def test_an_empty_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="taskloom new task"):
        list(lint_path(tmp_path))


def test_published_files_have_no_schema_errors(reference: Path) -> None:
    findings = list(lint_path(reference / "superni" / "sample"))
    codes = {finding.code for finding in findings}
    assert not codes & {"json", "type", "unknown-key", "duplicate-id", "encoding", "no-output"}
    assert {"unnamed-labels", "label-balance", "untrimmed"} <= codes


JUNK: list[Any] = [None, 3, -1.5, True, "", [], {}, [[]], ["x", 3], {"input": 1}, float("nan"), "a\x00", 10**30]


def spoilt(value: Any, rng: random.Random) -> Any:
    if rng.random() < 0.03:
        return rng.choice(JUNK)
    if isinstance(value, dict):
        kept = {key + "x" * (rng.random() < 0.01): item for key, item in value.items() if rng.random() > 0.02}
        return {key: spoilt(item, rng) for key, item in kept.items()}
    return [spoilt(item, rng) for item in value] if isinstance(value, list) else value


@pytest.mark.parametrize("seed", range(40))
def test_spoilt_files_give_findings_and_nothing_else(seed: int, sound: dict[str, Any], tmp_path: Path) -> None:
    sound["Instances"] = sound["Instances"][:12]
    for more in range(20):
        rng = random.Random(f"{seed}/{more}")
        path = tmp_path / "task100_order.json"
        path.write_text(json.dumps(spoilt(sound, rng)), "utf-8")
        findings = list(lint_file(path))
        try:
            header, raws = read_header(path)
            decode_instances(path, raws, range(header.instances))
        except UserError as error:
            assert any(finding.level == "error" for finding in findings), error
