"""Other question answering data beside ZEST, in their published layouts."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from taskloom.core import UserError, open_suite
from taskloom.core.catalog import SCORERS
from taskloom.families.zest.multitask import read_questions

BOOLQ = [
    {"question": f"is it {at}", "title": "t", "answer": at % 2 == 0, "passage": f"Passage {at}."} for at in range(3)
]
GAP = "Which entity stands for @placeholder: @placeholder won."
SUPERGLUE_BOOLQ = [{"question": "is it", "passage": "P.", "idx": 7, "label": True}]
MULTIRC = [
    {
        "idx": 4,
        "version": 1.1,
        "passage": {
            "text": "Ann and Ben went home.",
            "questions": [
                {
                    "idx": 9,
                    "question": "Who went home?",
                    "answers": [
                        {"text": "Ann", "idx": 30, "label": 1},
                        {"text": "Cid", "idx": 31, "label": 0},
                    ],
                }
            ],
        },
    }
]
_SENTENCES = "<b>Sent 1: </b>Ann and Ben went home.<br><b>Sent 2: </b>Cid stayed.<br>"
_CANDIDATES = [{"text": "Ann", "isAnswer": True, "scores": {}}, {"text": "Cid", "isAnswer": False, "scores": {}}]
_ASKED = {"question": "Who went home?", "sentences_used": [0], "answers": _CANDIDATES, "idx": "2", "multisent": False}
OWN_MULTIRC = {"data": [{"id": "News/7.txt", "paragraph": {"text": _SENTENCES, "questions": [_ASKED]}}]}
_QUERY = {"query": "@placeholder won.", "answers": [{"start": 0, "end": 2, "text": "Ann"}, {"text": "Ann"}]}
_PASSAGE = {"text": "Ann won.\n@highlight\nBen lost.", "entities": [{"start": 0, "end": 2}]}
RECORD = {"version": "1.0", "data": [{"id": "a", "source": "x", "passage": _PASSAGE, "qas": [{"id": "a-0", **_QUERY}]}]}
SUPERGLUE_RECORD = [{"source": "x", "passage": _PASSAGE, "qas": [{"idx": 5, **_QUERY}], "idx": 1}]
_QA = {"id": "56be", "question": "Who won?", "answers": [{"answer_start": 0, "text": "Ann"}, {"text": "Ann Lee"}]}
SQUAD = {"version": "1.1", "data": [{"title": "T", "paragraphs": [{"context": "Ann Lee won.", "qas": [_QA]}]}]}


def write(path: Path, content: object) -> Path:
    lines = content if isinstance(content, list) else [content]
    path.write_text("\n".join(json.dumps(line) for line in lines), encoding="utf-8")
    return path


@pytest.mark.parametrize(("name", "content", "expected"), [
    ("boolq", BOOLQ, ("boolq-0", "Passage 0.", "is it 0?", "yes")),
    ("boolq", SUPERGLUE_BOOLQ, ("boolq-7", "P.", "is it?", "yes")),
    ("multirc", MULTIRC, ("multirc-4-9-30", "Ann and Ben went home.", "Who went home? Is the answer: Ann?", "yes")),
    ("multirc", OWN_MULTIRC, ("multirc-News/7.txt-2-0", "Ann and Ben went home. Cid stayed.",
                              "Who went home? Is the answer: Ann?", "yes")),
    ("record", RECORD, ("record-a-0", "Ann won. Ben lost.", GAP, "Ann")),
    ("record", SUPERGLUE_RECORD, ("record-5", "Ann won. Ben lost.", GAP, "Ann")),
    ("squad", SQUAD, ("squad-56be", "Ann Lee won.", "Who won?", "Ann")),
])  # fmt: skip
def test_published_layouts_are_read(tmp_path: Path, name: str, content: object, expected: tuple[str, ...]) -> None:
    first = read_questions(name, str(write(tmp_path / "file", content)))[0]
    assert (first.id, first.passage, first.question, first.targets.canonical()) == expected


@pytest.mark.parametrize(("name", "content", "message"), [
    ("boolq", [{"question": "is it", "passage": "P."}], "line 1.*label"),
    ("boolq", [], "no question"),
    ("multirc", [{"passage": "text"}], "passage"),
    ("record", {"data": [{"passage": _PASSAGE, "qas": [{"id": "a", "query": "q", "answers": []}]}]}, "without answers"),
    ("squad", {"data": [{"paragraphs": [{"context": "c", "qas": [{**_QA, "answers": []}]}]}]}, "2.0"),
    ("squad", {"data": [{"paragraphs": [{"context": "c", "qas": [_QA, _QA]}]}]}, "share an id"),
    ("squad", [1, 2], "cannot be read"),
])  # fmt: skip
def test_other_layouts_are_refused_with_the_place(tmp_path: Path, name: str, content: object, message: str) -> None:
    with pytest.raises(UserError, match=message):
        read_questions(name, write(tmp_path / "file", content))


@pytest.mark.parametrize(("name", "content"), [
    ("boolq", SQUAD), ("multirc", BOOLQ), ("multirc", RECORD), ("record", OWN_MULTIRC), ("squad", BOOLQ),
])  # fmt: skip
def test_the_file_of_another_data_set_is_refused_with_the_layout(tmp_path: Path, name: str, content: object) -> None:
    with pytest.raises(UserError) as caught:
        read_questions(name, write(tmp_path / "file", content))
    assert f"-T {name}= reads the training file as published: " in str(caught.value)


def zest_folder(tmp_path: Path) -> Path:
    def task(name: str) -> dict[str, object]:
        examples = [{"context": f"{name} {at}.", "answer": "n/a"} for at in range(6)]
        kind = {"generalization_type": "normal", "domain": "d", "derives_from": []}
        return {"id": name, "question": "What is it?", "type": kind, "examples": examples}

    write(tmp_path / "train.jsonl", [task("a")])
    write(tmp_path / "dev.jsonl", [task("b")])
    return tmp_path


def test_data_sets_take_turns_at_equal_rates(tmp_path: Path) -> None:
    options = {
        "path": str(zest_folder(tmp_path)),
        "boolq": str(write(tmp_path / "b.jsonl", BOOLQ)),
        "squad": str(write(tmp_path / "s.json", SQUAD)),
    }
    suite = open_suite("zest/multitask", seed=1, options=options)
    rows = list(suite.rows("train"))
    assert suite.splits == {"train": 18, "dev": 6}
    assert Counter(row.task for row in rows) == {"a": 6, "boolq": 6, "squad": 6}
    assert [row.task for row in rows[:6]] == ["a", "boolq", "squad"] * 2
    assert len({(row.task, row.instance.id) for row in rows}) == len(rows)
    assert {row.instance.id for row in rows if row.task == "a"} == {f"{at:03d}" for at in range(6)}
    assert suite["train"][11] == rows[11]
    assert {row.task for row in suite.rows("dev")} == {"b"}
    for row in rows:
        task = suite.tasks[row.task]
        assert SCORERS.get(task.scorer).score(row.instance.targets.canonical(), row.instance.targets, task).value == 1
    longer = open_suite("zest/multitask", seed=1, options={**options, "size": 30})
    assert list(longer.rows("train"))[:18] == rows


def test_multitask_without_files_says_what_it_needs() -> None:
    with pytest.raises(UserError, match="at least one file"):
        open_suite("zest/multitask")


def test_questions_in_the_format_of_squad_are_a_suite_of_their_own(tmp_path: Path) -> None:
    file = str(write(tmp_path / "s.json", SQUAD))
    suite = open_suite("zest/squad", options={"train": file, "test": file})
    rows = list(suite.rows("test"))
    assert suite.splits == {"train": len(rows), "test": len(rows)}
    assert [row.instance.id for row in rows] == [one.id for one in read_questions("squad", file)]
    (task,) = suite.tasks.values()
    for row in rows:
        loose = f"The {row.instance.targets.canonical()}."
        assert SCORERS.get(task.scorer).score(loose, row.instance.targets, task).value == 1
    with pytest.raises(UserError, match="a file to ask"):
        open_suite("zest/squad", options={"train": file})
