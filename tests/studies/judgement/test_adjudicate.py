"""Answers of people as a run."""

from __future__ import annotations

import msgspec
import pytest

from taskloom import open_suite, run_suite
from taskloom.cli.main import main
from taskloom.core import AnyOf, Instance, Instruction, Row, Suite, Task, UserError
from taskloom.core.model import open_model
from taskloom.run.results import load_run
from taskloom.studies.judgement.forms import make_form
from taskloom.studies.judgement.read import RaterAnswer, judgement_tables, run_people, settled_answers


@pytest.fixture
def asked(tmp_path):
    suite = open_suite("babi/task-6", seed=3, options={"train": 10, "dev": 0, "test": 30})
    run = run_suite(suite, model="mock/majority", folder=tmp_path / "source")
    form, key = make_form([run], "answer", instances=6)
    right = {record.id: record.targets.canonical() for record in run.records}
    return form, key, right


def _said(form, key, right, rater, wrong=()):
    asked = {item.id: key.items[item.id].instance for item in form.items}
    answers = {item: "maybe" if instance in wrong else right[instance] for item, instance in asked.items()}
    return [RaterAnswer(form.id, rater, item, "answer", answer) for item, answer in answers.items()]


def test_people_are_a_model_of_an_ordinary_run(asked, tmp_path):
    form, key, right = asked
    ids = sorted(item.instance for item in key.items.values())
    answers = (
        _said(form, key, right, "x") + _said(form, key, right, "y", ids[:2]) + _said(form, key, right, "z", ids[:1])
    )
    run = run_people(answers, key, "crowd", tmp_path / "crowd")
    assert run.name == "human/crowd"
    assert {record.id for record in run.records} == set(ids)
    # Two of three were wrong on the first, one of three on the second.
    assert run.overall().estimate.value == pytest.approx(5 / 6)
    assert main(["check", str(tmp_path / "crowd")]) == 0


def test_people_who_disagree_give_no_answer(asked, tmp_path):
    form, key, right = asked
    ids = sorted(item.instance for item in key.items.values())
    answers = _said(form, key, right, "x") + _said(form, key, right, "y", ids[:1])
    with pytest.warns(UserWarning, match="people disagree on 1 of 6 items"):
        run = run_people(answers, key, "crowd", tmp_path / "crowd")
    assert {record.id: (record.raw, record.score) for record in run.records}[ids[0]] == ("", 0.0)
    assert run.overall().estimate.value == pytest.approx(5 / 6)


def test_what_people_disagree_on_is_named(asked):
    form, key, right = asked
    first = min(item.instance for item in key.items.values())
    said = _said(form, key, right, "x") + _said(form, key, right, "y", [first])
    (table,) = [table for table in judgement_tables(said, key) if "differ" in table.title]
    assert table.rows == (("task-6", first, f"x: {right[first]}; y: maybe", "disputed"),)
    settled = judgement_tables([*said, *_said(form, key, right, "z")], key)[1]
    assert [row[-1] for row in settled.rows] == [right[first]]
    assert len(judgement_tables(_said(form, key, right, "x"), key)) == 1


def test_many_labels_are_settled_by_majority_in_the_table_and_in_the_run():
    # Too many labels for buttons are typed; they are labels all the same, and no shorter answer stands for a longer.
    labels = [f"{colour} {thing}" for colour in ("red", "blue") for thing in ("box", "ball", "hat", "cup", "key")]

    tasks = {"pick": Task("pick", Instruction("Name what is meant."), labels=("box", *labels))}
    row = Row("pick", Instance("0", "The red box.", AnyOf(("red box",))))
    suite = Suite("own/pick", {}, 0, tasks, {"test": 1}, lambda split: iter([row]))
    form, key = make_form([], "answer", suite=suite)
    (item,) = form.items
    assert not item.questions[0].choices
    said = [
        RaterAnswer(form.id, rater, item.id, "answer", text)
        for rater, text in zip("xyz", ("red box", "box", "red box"), strict=True)
    ]
    (differing,) = judgement_tables(said, key)[1].rows
    assert differing[-1] == "red box"
    assert settled_answers(said, key)[item.id].answer == "red box"


def test_items_that_nobody_answered_are_named(asked, tmp_path):
    form, key, right = asked
    with pytest.raises(UserError, match="1 of 6 items"):
        run_people(_said(form, key, right, "x")[1:], key, "crowd", tmp_path / "crowd")


def test_the_form_does_not_show_answers(asked):
    form, _, _ = asked
    titles = {text.title for item in form.items for text in item.texts}
    assert not any(title.startswith("Answer") for title in titles)
    assert form.items[0].questions[0].choices == ("yes", "no")


def test_the_command_line(asked, tmp_path, capsys):
    form, key, right = asked
    (tmp_path / "key.json").write_bytes(msgspec.json.encode(key))
    lines = b"".join(msgspec.json.encode(line) + b"\n" for line in _said(form, key, right, "x"))
    (tmp_path / "answers.jsonl").write_bytes(lines)
    read = ["judge", "read", str(tmp_path / "key.json"), str(tmp_path / "answers.jsonl"), "--name", "me"]
    assert main([*read, "-o", str(tmp_path / "me")]) == 0
    assert load_run(tmp_path / "me").overall().estimate.value == 1.0
    assert main(read) == 2
    assert "-o" in capsys.readouterr().err


def test_a_model_of_people_needs_its_file():
    with pytest.raises(UserError, match="which answers"):
        open_model("human/crowd")
