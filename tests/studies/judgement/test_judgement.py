"""Forms and what came back: blind, complete, checked, and summed up as a hand would."""

from __future__ import annotations

from copy import copy

import msgspec
import pytest

from taskloom import open_suite, run_suite
from taskloom.cli.main import main
from taskloom.core import UserError
from taskloom.score.stats import wilson
from taskloom.studies.judgement.forms import COMPARE, RATINGS, FormKey, ItemKey, deal, make_form
from taskloom.studies.judgement.read import (
    RaterAnswer,
    judge_by_model,
    judged_runs,
    judgement_tables,
    preference,
    read_answers,
)


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    suite = open_suite("superni/embedded", options={"instances": 3, "languages": ["English"], "tasks": 4})
    folder = tmp_path_factory.mktemp("runs") / "copy"
    return run_suite(suite, model="mock/copy-demo", folder=folder, limit=2)


def _answers(form, rater, choose):
    return [
        RaterAnswer(form.id, rater, item.id, question.name, choose(item, question))
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
    said = [preference(RaterAnswer("f", "r", "i", "better", choice), item) for choice in COMPARE]
    assert said == (["model", "both", "reference"] if model_is_a else ["reference", "both", "model"])


def test_shares_agreement_and_correlation():
    items = {str(n): ItemKey("t", str(n), "m", model_is_a=True, score=float(n < 6)) for n in range(10)}
    key = FormKey("f", "compare", items)
    votes = {n: COMPARE[0] if n < 5 else COMPARE[1] if n < 6 else COMPARE[2] for n in range(10)}
    answers = [RaterAnswer("f", rater, str(n), "better", votes[n]) for rater in ("x", "y") for n in range(10)]
    judged, agreement, raters, correlation = judgement_tables(answers, key)
    assert judged.rows[0][:7] == ("m", 20, 10, 2, 8, 0, 0.6)
    # Two raters of one answer are no two answers: the interval is that of ten.
    assert judged.rows[0][7:] == pytest.approx(wilson(6, 10))
    assert agreement.rows[0][1] == 1.0
    assert [row[0] for row in raters.rows] == ["x", "y"]
    assert correlation.rows[0][1] > 0.9


def test_answers_that_equal_the_reference_are_as_good_as_it_and_shown_to_nobody(tmp_path):
    suite = open_suite("superni/embedded", options={"instances": 6, "languages": ["English"], "tasks": 2})
    run = run_suite(suite, model="mock/majority", folder=tmp_path / "run", limit=6)
    same = sum(record.answer == record.targets.canonical() for record in run.records)
    form, key = make_form([run])
    assert 0 < same < len(run.records)
    assert len(form.items) == len(run.records) - same
    assert key.same == {run.name: same}
    answers = [RaterAnswer(form.id, "x", item.id, "better", "") for item in form.items]
    worse = [
        msgspec.structs.replace(one, answer=COMPARE[2] if key.items[one.item].model_is_a else COMPARE[0])
        for one in answers
    ]
    judged = judgement_tables(worse, key)[0]
    assert judged.rows[0][5] == same
    assert judged.rows[0][6] == pytest.approx(same / len(run.records))


def test_a_run_that_always_gives_the_reference_is_kept(tmp_path):
    suite = open_suite("superni/embedded", options={"instances": 6, "languages": ["English"], "tasks": 2})
    models = ("mock/oracle", "mock/majority")
    perfect, other = (run_suite(suite, model=model, folder=tmp_path / model[5:], limit=6) for model in models)
    form, key = make_form([perfect, other])
    answers = [RaterAnswer(form.id, "x", item.id, "better", COMPARE[1]) for item in form.items]
    rows = {row[0]: row for row in judgement_tables(answers, key)[0].rows}
    assert rows[perfect.name][1] == 0
    assert rows[perfect.name][5:7] == (len(perfect.records), 1.0)
    assert {one.run for one in judged_runs(answers, key)} == {perfect.name, other.name}


def test_people_read_the_input_and_not_the_prompt(tmp_path):
    suite = open_suite("superni/embedded", options={"instances": 3, "languages": ["English"], "tasks": 4})
    folder = tmp_path / "run"
    run = run_suite(suite, model="mock/copy-demo", folder=folder, limit=1, encoding="superni/def-pos1")
    for kind in ("compare", "answer"):
        form, key = make_form([run], kind, tasks=3)
        records = {record.key: record for record in run.records}
        for item in form.items:
            (shown,) = (text.text for text in item.texts if text.title == "Input")
            prompt = records[key.items[item.id].task, key.items[item.id].instance].prompt
            assert shown in prompt
            assert len(shown) < len(prompt)
            assert item.texts[0].text not in shown


def test_where_the_suite_is_gone_people_read_what_the_model_saw(run):
    lost = copy(run)
    lost.plan = msgspec.structs.replace(run.plan, suite="files/that-are-gone")
    form, _ = make_form([lost], tasks=2)
    titles = {text.title for item in form.items for text in item.texts}
    assert "Prompt, as the model saw it" in titles
    assert "Input" not in titles


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
        ({"rater": " "}, "no rater"),
        ({"answer": "C is better"}, "not among the answers"),
        ({"answer": ""}, "not among the answers"),
        ({"question": "remarks", "answer": "both are bad"}, "no question 'remarks'"),
        ({"question": "worse"}, "no question 'worse'"),
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


def test_labels_are_chosen_among_those_offered(tmp_path):
    key = FormKey("f", "answer", {"i": ItemKey("t", "1", choices=("yes", "no")), "j": ItemKey("u", "2")})
    path = tmp_path / "answers.jsonl"

    def read(*given):
        path.write_bytes(b"".join(msgspec.json.encode(RaterAnswer("f", " x ", *one)) + b"\n" for one in given))
        return [(one.rater, one.item, one.answer) for one in read_answers([path], key)]

    assert read(("i", "answer", "yes"), ("j", "answer", "anything")) == [("x", "i", "yes"), ("x", "j", "anything")]
    # A text that was deleted again is no answer.
    assert read(("i", "answer", "no"), ("j", "answer", "any"), ("j", "answer", "  ")) == [("x", "i", "no")]
    with pytest.raises(UserError, match="not among the answers"):
        read(("i", "answer", "maybe"))


def test_three_people_rate_every_instruction_unless_told_otherwise(run, tmp_path, capsys):
    page = tmp_path / "rate.html"
    make = ["judge", "make", str(run.folder), "--form", "instructions", "--tasks", "4", "-o", str(page)]
    assert main(make) == 0
    assert "agreement cannot be measured" not in capsys.readouterr().out
    pages = [path.read_text() for path in sorted(tmp_path.glob("rate-*.html"))]
    assert len(pages) == 3
    assert len(set(pages)) == 1
    assert main([*make, "--raters", "1"]) == 0
    assert page.is_file()


def test_the_last_answer_counts(tmp_path):
    key = FormKey("f", "compare", {"i": ItemKey("t")})
    lines = [RaterAnswer("f", "x", "i", "better", choice) for choice in COMPARE]
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
    assert tables[0]["rows"][0][6] == 1.0
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
    answers = [msgspec.json.decode(line, type=RaterAnswer) for line in file.read_bytes().splitlines()]
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
