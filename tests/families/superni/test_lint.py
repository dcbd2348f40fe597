"""The linter: each check fires on its defect and stays silent on a sound file."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from taskloom.core import Finding, UserError
from taskloom.families.superni.collection import decode_instances, read_header
from taskloom.families.superni.export import scaffold_task
from taskloom.families.superni.lint import lint_file, lint_path


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
        with pytest.raises(UserError, match="already exists"):
            scaffold_task(name, tmp_path / "tasks")
    with pytest.raises(UserError, match="does not describe"):
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
    labelled(data, ["yes", "no"])
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
    "missing-header": (change(Contributors=[]), "Contributors"),
    "unknown-category": (change(Categories=["Sentiment Analisys"]), "Categories"),
    "unknown-domain": (change(Domains=["Cookery"]), "Domains"),
    "unknown-language": (change(Input_language=["Klingon"]), "Input_language"),
    "unnamed-language": (change(Input_language=["French"]), "Definition"),
    "not-a-list": (change(Source="one text"), "Source"),
    "string-output": (lambda data: data["Instances"][4].update(output="one text"), "Instances[4].output"),
    "list-output": (lambda data: data["Positive Examples"][0].update(output=["x"]), "Positive Examples[0].output"),
    "no-id": (lambda data: data["Instances"][5].pop("id"), "Instances[5].id"),
    "foreign-id": (lambda data: data["Instances"][6].update(id="task101-00"), "Instances[6].id"),
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
        lambda d: d["Instances"].extend(
            {"id": f"task100-{n}", "input": f"x{n}", "output": [f"y{n}"]} for n in range(6500)
        ),
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


@pytest.mark.parametrize("told", ["{}", " {} ", "{}!"])
def test_a_right_output_as_negative_example_is_found_whatever_the_spelling(sound, tmp_path, told) -> None:
    labelled(sound, ["yes", "no"])
    first = sound["Instances"][0]
    shown = told.format(first["input"].upper().rstrip("."))
    sound["Negative Examples"][0] = {"input": shown, "output": "yes", "explanation": "It looks wrong."}
    assert lint(tmp_path, sound)["contradiction"].key.startswith("Negative Examples[0]")
    sound["Negative Examples"][0]["output"] = "no"
    assert "contradiction" not in lint(tmp_path, sound)


def test_labels_that_differ_in_case_only_are_found(sound: dict[str, Any], tmp_path: Path) -> None:
    labelled(sound, ["Yes", "no", "yes", "no"])
    found = lint(tmp_path, sound)["label-variants"]
    assert "'Yes' (" in found.message
    assert "'yes' (" in found.message
    labelled(sound, ["yes", "no"])
    assert "label-variants" not in lint(tmp_path, sound)


def test_a_label_that_every_input_gives_away_is_found(sound: dict[str, Any], tmp_path: Path) -> None:
    labelled(sound, ["cheap", "dear"])
    for number, instance in enumerate(sound["Instances"]):
        instance["input"] = f"Offer {number}: really {instance['output'][0]}, said the seller."
    assert "answer-in-input" in lint(tmp_path, sound)
    sound["Instances"][3]["input"] = "Offer 3: neither is said here."
    assert "answer-in-input" not in lint(tmp_path, sound)
    for number, instance in enumerate(sound["Instances"]):
        instance["input"] = f"Offer {number}: cheap or dear?"
    assert "answer-in-input" not in lint(tmp_path, sound)


def test_positive_examples_that_contradict_each_other(sound: dict[str, Any], tmp_path: Path) -> None:
    labelled(sound, ["yes", "no"])
    first, second = sound["Positive Examples"][:2]
    first["output"], second["output"] = "yes", "no"
    assert "contradiction" not in lint(tmp_path, sound)
    second["input"] = first["input"]
    assert lint(tmp_path, sound)["contradiction"].key == "Positive Examples[1].output"
    second["output"] = "Yes"
    assert "contradiction" not in lint(tmp_path, sound)


@pytest.mark.parametrize("text", ["A cafÃ© in town.", "It wasnâ€™t there.", "served Ã\xa0 la carte"])
@pytest.mark.parametrize("ascii_only", [False, True])
def test_text_decoded_wrongly_is_found(sound: dict[str, Any], tmp_path: Path, text: str, ascii_only: bool) -> None:
    sound["Instances"][4]["input"] = text
    path = tmp_path / "task100_order.json"
    path.write_text(json.dumps(sound, ensure_ascii=ascii_only), "utf-8")
    found = [finding for finding in lint_file(path) if finding.code == "characters"]
    assert [finding.key for finding in found] == ["Instances[4].input"]
    sound["Instances"][4]["input"] = "NÃO, São Paulo, château, 5 € à la carte"
    assert "characters" not in lint(tmp_path, sound)


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
    assert "upper-case" in lint(tmp_path, sound, "task100_Order")


@pytest.mark.parametrize(
    ("old", "new", "key"),
    [
        ('"Source": [', '"Source": ["lost"], "Source": [', "Source"),
        ('"output": ["', '"output": ["lost"], "output": ["', "output"),
        ('"URL"', '"UR\\u004c": ["lost"], "URL"', "URL"),
        ('"Instances": [', '"Instances": [], "Instances": [', "Instances"),
    ],
)
def test_keys_that_stand_twice_are_found(sound: dict[str, Any], tmp_path: Path, old: str, new: str, key: str) -> None:
    path = tmp_path / "task100_order.json"
    path.write_text(json.dumps(sound).replace(old, new, 1), "utf-8")
    found = {finding.code: finding for finding in lint_file(path)}
    assert found["duplicate-key"].key == key
    sound["Instances"][0]["output"] = ["input", "output", "Source", "id"]
    path.write_text(json.dumps(sound), "utf-8")
    assert "duplicate-key" not in {finding.code for finding in lint_file(path)}


def official_entropy(outputs: list[str]) -> float:
    """Written from the collection's own test, to compare with."""
    import numpy as np

    _, counts = np.unique(outputs, return_counts=True)
    shares = counts / counts.sum()
    return float(-(shares * np.log(shares) / np.log(len(counts))).sum())


@pytest.mark.parametrize("seed", range(12))
def test_the_rule_of_balance_is_the_official_one(sound: dict[str, Any], tmp_path: Path, seed: int) -> None:
    rng = random.Random(seed)
    labels = [f"label{n}" for n in range(rng.randint(2, 17))]
    weights = [rng.random() ** 3 for _ in labels]
    for instance in sound["Instances"]:
        instance["output"] = rng.choices(labels, weights, k=rng.choice([1, 1, 2]))
    flat = [output for instance in sound["Instances"] for output in instance["output"]]
    refused = len(set(flat)) < 15 and official_entropy(flat) <= 0.8
    assert ("label-balance" in lint(tmp_path, sound)) == refused


def test_open_ended_tasks_raise_no_alarm(sound: dict[str, Any], tmp_path: Path) -> None:
    rooms = ["attic", "den", "garage", "kitchen", "office", "parlour", "hall"]
    for outputs in (rooms, ["Where is Ann?", "Where is Bob?"], ["two", "three", "five"], ["(1, 2)", "(2, 3)"]):
        labelled(sound, outputs)
        assert "unnamed-labels" not in lint(tmp_path, sound)
    for index, instance in enumerate(sound["Instances"]):
        instance["output"] = [f"a sentence of its own, number {index}"]
    leak(sound)
    sound["Positive Examples"][0]["output"] = "another good sentence"
    assert "contradiction" not in lint(tmp_path, sound)


def test_files_are_compared_with_each_other(sound: dict[str, Any], tmp_path: Path) -> None:
    (tmp_path / "tasks").mkdir()
    (tmp_path / "splits" / "default").mkdir(parents=True)
    (tmp_path / "splits" / "default" / "train_tasks.txt").write_text("task101_two\n")
    for name, changes in {
        "task100_one": {"Categories": ["Textual Entailment"]},
        "task101_two": {"Definition": ["Another text of more than eight words, about the same instances."]},
    }.items():
        number = name.partition("_")[0]
        instances = [{**one, "id": one["id"].replace("task100", number)} for one in sound["Instances"]]
        data = {**sound, **changes, "Instances": instances}
        (tmp_path / "tasks" / f"{name}.json").write_text(json.dumps(data))
    found = {finding.code: finding for finding in lint_path(tmp_path)}
    assert found["near-duplicate"].file.endswith("task101_two.json")
    assert found["leaking-source"].key == "Source"


@pytest.mark.parametrize("kept", [2000, 1200, 60])
def test_a_part_of_a_large_task_is_found_whatever_its_size(sound: dict[str, Any], tmp_path: Path, kept: int) -> None:
    texts = [f"the {number * 7919} things {'and more ' * (number % 5)}counted" for number in range(2000)]
    for number, part in (("task100", texts), ("task101", texts[:kept])):
        instances = [
            {"id": f"{number}-{index}", "input": text, "output": [str(len(text))]} for index, text in enumerate(part)
        ]
        (tmp_path / f"{number}_words.json").write_text(json.dumps({**sound, "Instances": instances}))
    shares = [finding.message for finding in lint_path(tmp_path) if finding.code == "near-duplicate"]
    assert bool(shares) == (kept > 1000)
    assert kept < 2000 or "about 100% of its instances" in shares[0]


@pytest.mark.parametrize("form", ["json", "github", "sarif"])
def test_findings_in_the_formats_of_others(
    sound: dict[str, Any], tmp_path: Path, capsys: pytest.CaptureFixture[str], form: str
) -> None:
    from taskloom.cli.main import main

    change(Contributors=[])(sound)
    path = tmp_path / "task100_order.json"
    path.write_text(json.dumps(sound))
    assert main(["check", str(path), "--format", form]) == 1
    out = capsys.readouterr().out
    if form == "github":
        assert out.startswith(f"::error file={path},title=missing-header%3A Contributors::")
    elif form == "json":
        assert json.loads(out)["code"] == "missing-header"
    else:
        log = json.loads(out)
        assert log["version"] == "2.1.0"
        assert [result["ruleId"] for result in log["runs"][0]["results"]] == ["missing-header"]


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
