"""Texts and questions of one's own, and how the answers of several people become one."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from taskloom.cli.main import main
from taskloom.core import UserError, open_suite
from taskloom.core.catalog import SCORERS
from taskloom.families.zest.score.official import DISPUTED, OPEN
from taskloom.protocol.formats import answer_format


@pytest.fixture
def files(tmp_path: Path) -> dict[str, str]:
    folder = tmp_path / "texts"
    folder.mkdir()
    (folder / "fen.txt").write_text("Dogs are welcome at the fen.", encoding="utf-8")
    (folder / "wood.md").write_text("The wood has oaks.", encoding="utf-8")
    (folder / "notes.pdf").write_bytes(b"%PDF")
    questions = tmp_path / "questions.txt"
    questions.write_text("# rules\nAre dogs allowed?\n\nWhich trees grow here?\n", encoding="utf-8")
    return {"passages": str(folder), "questions": str(questions)}


def annotate(path: Path, *rows: tuple[str, str, str, str]) -> str:
    keys = ("question", "passage", "annotator", "answer")
    path.write_text("\n".join(json.dumps(dict(zip(keys, row, strict=True))) for row in rows), encoding="utf-8")
    return str(path)


def test_texts_and_questions_become_a_suite_with_open_gold(files: dict[str, str]) -> None:
    suite = open_suite("zest/documents", options=files)
    rows = list(suite.rows("test"))
    assert [(row.task, row.instance.id) for row in rows] == [
        ("question-2", "fen"), ("question-2", "wood"), ("question-4", "fen"), ("question-4", "wood"),
    ]  # fmt: skip
    assert suite.notes["open"] == 4 and {row.instance.targets.canonical() for row in rows} == {OPEN}
    assert suite.tasks["question-2"].kind == "label" and suite.tasks["question-4"].kind == "text"
    scorer = SCORERS.get("zest/fair")
    assert scorer.score("yes", rows[0].instance.targets, suite.tasks["question-2"]).value == 0


def test_a_prompt_does_not_ask_for_one_word_where_several_may_be_right(files: dict[str, str]) -> None:
    suite = open_suite("zest/documents", options=files)
    spans = [task for task in suite.tasks.values() if not task.labels]
    [task] = spans
    assert answer_format(task) == "Answer with the answer alone, without any explanation."
    assert "n/a" in task.instruction.definition


def test_people_answer_and_the_rule_settles(files: dict[str, str], tmp_path: Path) -> None:
    answers = annotate(
        tmp_path / "answers.jsonl",
        ("question-2", "fen", "a", "yes"), ("question-2", "fen", "b", "yes"), ("question-2", "fen", "c", "no"),
        ("question-4", "wood", "a", "the oaks"), ("question-4", "wood", "b", "oaks"),
        ("question-4", "wood", "c", "has oaks"),
    )  # fmt: skip
    suite = open_suite("zest/documents", options={**files, "answers": answers})
    rows = {(row.task, row.instance.id): row.instance for row in suite.rows("test")}
    assert rows["question-2", "fen"].targets.canonical() == "yes"
    assert rows["question-2", "fen"].facets["agreement"] == "majority"
    assert rows["question-4", "wood"].targets.canonical() == "oaks"
    assert rows["question-4", "wood"].details["annotators"] == {"a": "the oaks", "b": "oaks", "c": "has oaks"}
    assert rows["question-4", "fen"].facets["answer"] == "open" and suite.notes["open"] == 2


@pytest.mark.parametrize("scorer", ["zest/official", "zest/fair"])
def test_no_answer_earns_anything_where_none_was_agreed_on(files, tmp_path, scorer):
    answers = annotate(
        tmp_path / "answers.jsonl", ("question-4", "fen", "a", "willows"), ("question-4", "fen", "b", "no trees")
    )
    suite = open_suite("zest/documents", options={**files, "answers": answers, "scorer": scorer})
    rows = list(suite.rows("test"))
    assert {row.instance.targets.canonical() for row in rows} == {OPEN, DISPUTED}
    for row in rows:
        said = row.instance.targets.canonical()
        for answer in (said, "the annotators disagree", "open", "n/a"):
            assert SCORERS.get(scorer).score(answer, row.instance.targets, suite.tasks[row.task]).value == 0


def test_questions_may_name_their_form_and_their_base(files: dict[str, str], tmp_path: Path) -> None:
    path = tmp_path / "q.jsonl"
    rows = [
        {"id": "dogs", "question": "Tell me: may dogs come?", "format": "yes-no"},
        {"id": "dogs-2", "question": "Are dogs welcome?", "type": "paraphrase", "derives_from": ["dogs"]},
    ]
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    suite = open_suite("zest/documents", options={**files, "questions": str(path)})
    assert suite.tasks["dogs"].kind == "label" and suite.tasks["dogs-2"].facets["consistent_with"] == "dogs"


@pytest.mark.parametrize(("row", "message"), [
    ({"question": "question-9", "passage": "fen", "annotator": "a", "answer": "yes"}, "no question"),
    ({"question": "question-2", "passage": "sea", "annotator": "a", "answer": "yes"}, "no passage"),
    ({"question": "question-2", "passage": "fen", "annotator": "a", "answer": ""}, "missing or empty"),
    ({"question": "question-2", "passage": "fen", "answer": "yes"}, "annotator"),
])  # fmt: skip
def test_answers_to_nothing_are_refused(
    files: dict[str, str], tmp_path: Path, row: dict[str, str], message: str
) -> None:
    path = tmp_path / "answers.jsonl"
    path.write_text(json.dumps(row), encoding="utf-8")
    with pytest.raises(UserError, match=message):
        open_suite("zest/documents", options={**files, "answers": str(path)})


@pytest.fixture
def form(files: dict[str, str], tmp_path: Path) -> Path:
    """The folder of a form over the documents, without answers."""
    folder = tmp_path / "form"
    settings = [word for key, value in files.items() for word in ("-T", f"{key}={value}")]
    made = ["--form", "answer", "--raters", "2", "--overlap", "1", "-o", str(folder / "form.html")]
    assert main(["judge", "make", "zest/documents", *settings, *made]) == 0
    return folder


def _saved(form: Path, rater: str, said: dict[str, str]) -> None:
    """What the page saves when a rater is done: the same answer to every instance of a question."""
    key = json.loads((form / "form.key.json").read_text(encoding="utf-8"))
    lines = [
        {"form": key["id"], "rater": rater, "item": id_, "question": "answer", "answer": said[item["task"]]}
        for id_, item in key["items"].items()
    ]
    (form / f"answers-{key['id']}-{rater}.jsonl").write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")


def test_what_comes_back_from_the_answering_form_is_the_gold(files: dict[str, str], form: Path) -> None:
    _saved(form, "a", {"question-2": "yes", "question-4": "oaks"})
    _saved(form, "b", {"question-2": "no", "question-4": "old oaks"})
    _saved(form, "c", {"question-2": "yes", "question-4": "a few oaks"})
    suite = open_suite("zest/documents", options={**files, "answers": str(form)})
    gold = {
        (row.task, row.instance.targets.canonical(), row.instance.facets["agreement"]) for row in suite.rows("test")
    }
    assert gold == {("question-2", "yes", "majority"), ("question-4", "oaks", "subset")}


def test_disagreement_is_not_the_same_as_no_answer(files: dict[str, str], form: Path) -> None:
    _saved(form, "a", {"question-2": "yes", "question-4": "oaks"})
    _saved(form, "b", {"question-2": "no", "question-4": "oaks"})
    with pytest.warns(UserWarning, match=r"^0 of 4 items are unanswered, 2 disputed: they score 0$"):
        suite = open_suite("zest/documents", options={**files, "answers": str(form)})
    disputed = [row.instance for row in suite.rows("test") if row.task == "question-2"]
    assert {(one.targets.canonical(), one.facets["agreement"]) for one in disputed} == {(DISPUTED, "disputed")}
    assert (suite.notes["open"], suite.notes["disputed"]) == (0, 2)


def test_answers_to_another_form_are_refused(files: dict[str, str], form: Path) -> None:
    with pytest.raises(UserError, match="keys: 1, files of answers: 0"):
        open_suite("zest/documents", options={**files, "answers": str(form)})
    (form / "answers-x-a.jsonl").write_text(
        '{"form": "x", "rater": "a", "item": "y", "answer": "yes"}', encoding="utf-8"
    )
    with pytest.raises(UserError, match="another form"):
        open_suite("zest/documents", options={**files, "answers": str(form)})
    (form / "form.key.json").write_text('{"id": "x", "kind": "compare", "items": {}}', encoding="utf-8")
    with pytest.raises(UserError, match="not the key"):
        open_suite("zest/documents", options={**files, "answers": str(form)})


def test_missing_files_are_named(files: dict[str, str], tmp_path: Path) -> None:
    with pytest.raises(UserError, match="needs passages"):
        open_suite("zest/documents")
    empty = tmp_path / "empty"
    empty.mkdir()
    with pytest.raises(UserError, match="no texts"):
        open_suite("zest/documents", options={**files, "passages": str(empty)})
    with pytest.raises(UserError, match="no such file"):
        open_suite("zest/documents", options={**files, "questions": str(tmp_path / "gone.txt")})
