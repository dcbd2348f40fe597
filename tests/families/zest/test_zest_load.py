"""Published files: their differences are taken in stride, their mistakes are named."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from taskloom.core import AnyOf, Items, Structure, UserError, open_suite
from taskloom.families.zest.load import answer_targets, read_tasks
from taskloom.families.zest.score.fair import FAIR
from taskloom.families.zest.score.official import OFFICIAL


def write(path: Path, *tasks: Any) -> Path:
    path.write_text("\n".join(json.dumps(task) for task in tasks) + "\n", encoding="utf-8")
    return path


def task(name: str = "b", kind: str = "normal", answer: Any = "x", derives: Any = ()) -> dict[str, Any]:
    return {
        "id": name,
        "question": f"What is {name}?",
        "type": {"generalization_type": kind, "domain": "dogs", "derives_from": list(derives)},
        "examples": [{"context": "Some context.", "answer": answer, "all_answers": [answer]}],
    }


def test_train_dev_and_test_without_answers(tmp_path: Path) -> None:
    write(tmp_path / "train.jsonl", task("a"), task("p", "paraphrase", derives=["a"]))
    write(tmp_path / "dev.jsonl", task("b", "target_semantics", derives=["gone"]))
    write(tmp_path / "test_unanswered.jsonl", {"id": "c", "question": "Is it?", "examples": [{"context": "c"}]})
    suite = open_suite("zest/file", options={"path": str(tmp_path)})
    assert dict(suite.splits) == {"train": 2, "dev": 1, "test": 1}
    assert suite.tasks["p"].facets["consistent_with"] == "a"
    assert suite.tasks["b"].facets["generalisation"] == "flip"
    ((_, unanswered),) = suite.rows("test")
    assert unanswered.facets["answer"] == "unknown"
    assert OFFICIAL.score("yes", unanswered.targets, suite.tasks["c"]).value == 0.0


@pytest.mark.parametrize(("answer", "targets"), [
    ("yes", AnyOf(("yes",))),
    (["red", "dark red", "red"], AnyOf(("red", "dark red"))),
    ("red|blue", Items((("red", "blue"),), separator="|", empty="n/a")),
    (["red|blue", "n/a"], Items((("red", "blue"), ()), separator="|", empty="n/a")),
    ('[{"a": "x"}]', Structure(('[{"a": "x"}]',))),
    (['[{"a": "x"}]'], Structure(('[{"a": "x"}]',))),
    ([{"a": "x"}], Structure(('[{"a": "x"}]',))),
    (None, None), ([], None), ("", None),
])  # fmt: skip
def test_forms_of_answers(answer: Any, targets: Any) -> None:
    assert answer_targets(answer) == targets


def test_derives_from_beside_the_type(tmp_path: Path) -> None:
    odd = {**task("p"), "type": {"generalization_type": "paraphrase"}, "derives_from": ["b"]}
    (read,) = read_tasks(write(tmp_path / "dev.jsonl", odd))
    assert read.derives_from == ("b",) and read.domain == "unknown"


@pytest.mark.parametrize(("content", "message"), [
    ("{", "line 1: this line cannot be read"),
    ('{"id": "a"}', "with a `question`"),
    ('{"question": "What?", "examples": [1]}', "`examples` is a list"),
    ("[" * 100_000, "line 1: this line"),
])  # fmt: skip
def test_mistakes_are_named_with_their_line(tmp_path: Path, content: str, message: str) -> None:
    path = tmp_path / "dev.jsonl"
    path.write_text(content)
    with pytest.raises(UserError, match=message):
        open_suite("zest/file", options={"path": str(path)})


def test_duplicate_ids_missing_paths_and_empty_folders(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="lines 1 and 2 have the id 'b'"):
        open_suite("zest/file", options={"path": str(write(tmp_path / "dev.jsonl", task(), task()))})
    with pytest.raises(UserError, match="path=FOLDER"):
        open_suite("zest/file")
    with pytest.raises(UserError, match="no ZEST file"):
        open_suite("zest/file", options={"path": str(tmp_path / "nowhere")})


def test_examples_of_the_instruction_score_as_they_should(tmp_path: Path) -> None:
    write(tmp_path / "dev.jsonl", task(), {**task("d"), "question": "Is it?"}, task("s", "structure", '[{"a": "x"}]'))
    suite = open_suite("zest/file", options={"path": str(tmp_path)})
    assert [suite.tasks[name].kind for name in "bds"] == ["text", "label", "json"]


def test_the_published_samples(reference: Path) -> None:
    folder = reference / "zest" / "real_sample"
    if not folder.is_dir():
        pytest.skip(f"no published sample at {folder}")
    suite = open_suite("zest/file", options={"path": str(folder)})
    assert set(suite.splits) == {"train", "dev", "test"}
    for split in ("train", "dev"):
        for name, instance in suite.rows(split):
            said = instance.targets.canonical()
            assert OFFICIAL.score(said, instance.targets, suite.tasks[name]).value == 1.0
            assert FAIR.score(said, instance.targets, suite.tasks[name]).value == 1.0
    assert {instance.facets["answer"] for _, instance in suite.rows("test")} == {"unknown"}


@pytest.mark.parametrize(("answer", "text"), [(5, "5"), (False, "false"), (1.5, "1.5")])
def test_an_answer_that_is_a_bare_number_is_its_text(answer: Any, text: str) -> None:
    assert answer_targets(answer) == AnyOf((text,))
