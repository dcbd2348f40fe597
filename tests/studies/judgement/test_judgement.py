"""Forms and what came back: blind, complete, checked, and summed up as a hand would."""

from __future__ import annotations

import msgspec
import pytest

from taskloom import open_suite, run_suite
from taskloom.cli.main import main
from taskloom.core import UserError
from taskloom.studies.judgement.forms import COMPARE, RATINGS, FormKey, ItemKey, deal, make_form
from taskloom.studies.judgement.model_judge import judge_by_model
from taskloom.studies.judgement.read import Answer, judgement_tables, preference, read_answers


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    suite = open_suite("superni/embedded", options={"instances": 3, "languages": ["English"], "tasks": 4})
    folder = tmp_path_factory.mktemp("runs") / "copy"
    return run_suite(suite, model="mock/copy-demo", folder=folder, limit=2)


def _answers(form, rater, choose):
    return [
        Answer(form.id, rater, item.id, question.name, choose(item, question))
        for item in form.items
        for question in item.questions
    ]


def test_the_page_does_not_tell_whose_answer_is_whose(run):
    form, key = make_form([run], tasks=5, instances=2)
    text = msgspec.json.encode(form).decode()
    assert "mock/copy-demo" not in text
    assert "model_is_a" not in text
    orders = {item.model_is_a for item in key.items.values()}
    assert orders == {True, False}
    assert len(form.items) == len(key.items) <= 10


def test_the_same_seed_gives_the_same_form(run):
    assert make_form([run], tasks=3, seed=1) == make_form([run], tasks=3, seed=1)
    assert make_form([run], tasks=3, seed=1)[0] != make_form([run], tasks=3, seed=2)[0]


def test_answers_are_shown_under_the_right_letter(run):
    form, key = make_form([run], tasks=5)
    records = {(record.task, record.id): record for record in run.records}
    for item in form.items:
        known = key.items[item.id]
        texts = {text.title: text.text for text in item.texts}
        record = records[known.task, known.instance]
        assert texts["Answer A" if known.model_is_a else "Answer B"] == record.answer
        assert texts["Answer B" if known.model_is_a else "Answer A"] == record.targets.canonical()


def test_items_are_divided_with_an_overlap(run):
    form, _ = make_form([run], tasks=20)
    pages = deal(form, 3, 0.25)
    common = set.intersection(*({item.id for item in page.items} for page in pages))
    assert len(common) == round(0.25 * len(form.items))
    assert {item.id for page in pages for item in page.items} == {item.id for item in form.items}
    for raters, overlap in ((0, 0.0), (2, 1.5)):
        with pytest.raises(UserError):
            deal(form, raters, overlap)


@pytest.mark.parametrize("model_is_a", [True, False])
def test_preferences_are_turned_by_the_key(model_is_a):
    item = ItemKey("t", model_is_a=model_is_a)
    said = [preference(Answer("f", "r", "i", "better", choice), item) for choice in COMPARE]
    assert said == (["model", "both", "reference"] if model_is_a else ["reference", "both", "model"])


def test_shares_agreement_and_correlation():
    items = {str(n): ItemKey("t", str(n), "m", model_is_a=True, score=float(n < 6)) for n in range(10)}
    key = FormKey("f", "compare", items)
    votes = {n: COMPARE[0] if n < 5 else COMPARE[1] if n < 6 else COMPARE[2] for n in range(10)}
    answers = [Answer("f", rater, str(n), "better", votes[n]) for rater in ("x", "y") for n in range(10)]
    judged, agreement, raters, correlation = judgement_tables(answers, key)
    assert judged.rows[0][:6] == ("m", 20, 10, 2, 8, 0.6)
    assert agreement.rows[0][1] == 1.0
    assert [row[0] for row in raters.rows] == ["x", "y"]
    assert correlation.rows[0][1] > 0.9


def test_instructions_are_rated(run):
    form, key = make_form([run], "instructions", tasks=4)
    first = _answers(form, "x", lambda item, question: RATINGS[3] if question.choices else "clearer <b>words</b>")
    second = _answers(form, "y", lambda item, question: RATINGS[1] if question.choices else "")
    ratings, agreement, remarks = judgement_tables([*first, *second], key)
    assert {row[0] for row in ratings.rows} >= {"definition", "positive"}
    assert all(row[-3] == 0.5 for row in ratings.rows)
    assert all(row[1] < 0 for row in agreement.rows)
    assert len(remarks.rows) == 4


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ({"form": "other"}, "another form"),
        ({"item": "none"}, "no item"),
        ({"rater": " "}, "nobody"),
        ({"answer": "C is better"}, "not among the answers"),
    ],
)
def test_what_does_not_belong_is_refused_with_its_line(tmp_path, line, message):
    key = FormKey("f", "compare", {"i": ItemKey("t")})
    good = {"form": "f", "rater": "x", "item": "i", "question": "better", "answer": COMPARE[0]}
    path = tmp_path / "answers.jsonl"
    path.write_bytes(msgspec.json.encode(good) + b"\n" + msgspec.json.encode({**good, **line}) + b"\n")
    with pytest.raises(UserError, match=message) as error:
        read_answers([path], key)
    assert ":2" in str(error.value)


def test_the_last_answer_counts(tmp_path):
    key = FormKey("f", "compare", {"i": ItemKey("t")})
    lines = [Answer("f", "x", "i", "better", choice) for choice in COMPARE]
    path = tmp_path / "answers.jsonl"
    path.write_bytes(b"".join(msgspec.json.encode(line) + b"\n" for line in lines))
    assert read_answers([path], key) == [lines[-1]]


def test_the_command_line(run, tmp_path, capsys):
    page = tmp_path / "form.html"
    assert main(["judge", "make", str(run.folder), "--tasks", "3", "-o", str(page)]) == 0
    assert "keep it away from raters" in capsys.readouterr().out
    form, _ = make_form([run], tasks=3)
    answers = tmp_path / "answers.jsonl"
    lines = _answers(form, "x", lambda item, question: COMPARE[1])
    answers.write_bytes(b"".join(msgspec.json.encode(line) + b"\n" for line in lines))
    assert main(["judge", "read", str(tmp_path / "form.key.json"), str(answers), "--json"]) == 0
    tables = msgspec.json.decode(capsys.readouterr().out)
    assert tables[0]["rows"][0][5] == 1.0
    assert main(["judge", "read", str(tmp_path / "form.key.json")]) == 2
    page.write_text("mine")
    assert main(["judge", "make", str(run.folder), "-o", str(page)]) == 2
    assert page.read_text() == "mine"


def test_a_model_is_a_rater_of_the_same_form(run, tmp_path, capsys):
    page = tmp_path / "form.html"
    make = ["judge", "make", str(run.folder), "--tasks", "3", "--instances", "2", "-o", str(page)]
    assert main([*make, "--judge", "mock/constant", "-M", "answer=both alike"]) == 0
    said = capsys.readouterr().out
    file = tmp_path / "form.judge-mock-constant.jsonl"
    assert str(file) in said
    answers = [msgspec.json.decode(line, type=Answer) for line in file.read_bytes().splitlines()]
    key = msgspec.json.decode((tmp_path / "form.key.json").read_bytes(), type=FormKey)
    assert {answer.item for answer in answers} == set(key.items)
    assert {(answer.rater, answer.answer) for answer in answers} == {("mock/constant", "both alike")}
    assert main(["judge", "read", str(tmp_path / "form.key.json"), str(file)]) == 0
    assert "mock/constant" in capsys.readouterr().out


def test_a_judge_that_gives_no_answer_offered_is_counted(run, tmp_path):
    form, _ = make_form([run], tasks=2, instances=1)
    answers, missed = judge_by_model(form, "mock/constant", {"answer": "perhaps"}, tmp_path / "run")
    assert (answers, missed) == ([], len(form.items))
    rated, _ = make_form([run], "instructions", tasks=2)
    answers, missed = judge_by_model(rated, "mock/constant", {"answer": "Okay."}, tmp_path / "rated")
    assert {answer.answer for answer in answers} == {"okay"}
    assert not missed
