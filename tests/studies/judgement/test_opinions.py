"""Second opinions stand beside readings and change none; a judge quotes and never sees the acceptable answers."""

from __future__ import annotations

import json

import pytest

from taskloom import compare, load_run, run_suite
from taskloom.cli.main import main
from taskloom.core import Example, Instance, Instruction, Row, Suite, Task, UserError, any_of
from taskloom.core.model import Identity, Model, Output
from taskloom.studies.judgement.forms import opinions_file, second_opinions, sentence, summary

TASK = Task("t", Instruction("Say where the person is.", (Example("Where is Mary?", "garden"),)))
SAID = {
    "a": "So my friends, we land at last in the office, dear reader!", "b": "Answer: office",
    "c": "So my friends, we drift at last into the hall, dear reader!",
    "d": "Answer: hall", "e": "Nothing at all to see here, dear folks, so please move along!",
}  # fmt: skip


class Judging(Model):
    def __init__(self, quotes):
        self.identity, self.quotes, self.seen = Identity("test/judge"), quotes, []

    def generate(self, requests, generation):
        self.seen += [request.prompt.text for request in requests]
        return [Output(self.quotes[request.instance.id]) for request in requests]


@pytest.fixture
def run(tmp_path):
    rows = [Row("t", Instance(key, f"{key}: Where is Ann?", any_of("office"))) for key in SAID]
    suite = Suite("own/where", {}, 0, {"t": TASK}, {"test": len(rows)}, lambda split: iter(rows))
    run_suite(
        suite, model=lambda prompt: SAID[prompt[-16]], folder=tmp_path / "run", cache=False, protocol="chat", examples=0
    )
    return load_run(tmp_path / "run")


def test_a_judge_quotes_and_changes_nothing(run):
    before = [(record.answer, record.score) for record in run.records]
    judge = Judging(
        {"a": "Answer: office", "c": "**Answer:** hall", "e": "Answer: office", "b": "Answer: office", "d": "NONE"}
    )
    found = {one.id: one for one in second_opinions(run, judge)}
    assert set(found) == {record.id for record in run.records if record.answer is None}
    assert "acceptable" not in judge.seen[0]
    assert found["e"].quote is None, "a quote that does not stand in the output is none"
    assert (found["a"].answer, found["a"].score) == ("office", 1.0)
    assert (found["c"].answer, found["c"].score) == ("hall", 0.0)
    again = load_run(run.folder)
    assert [(record.answer, record.score) for record in again.records] == before
    assert opinions_file(run, "test/judge").exists()
    asked = len(judge.seen)
    second_opinions(run, judge)
    assert len(judge.seen) == asked, "an output is not asked about twice"


@pytest.mark.parametrize(
    "reply",
    [
        '{"answer": "office"}', '{"quote": "office"}', '```json\n{"answer": "office"}\n```', "```\noffice\n```",
        "<think>The hall?</think>\nThe answer is: office", '{"answer": "office", "reasoning": "the last word"}',
    ],
)  # fmt: skip
def test_a_judge_is_unwrapped_as_every_model_is(run, reply):
    judge = Judging({"a": reply, "c": '{"answer": "NONE"}', "e": '{"quote": null}'})
    found = {one.id: one for one in second_opinions(run, judge)}
    assert (found["a"].quote, found["a"].score) == ("office", 1.0)
    assert found["c"].quote is None is found["e"].quote


def test_what_is_not_judged_is_said(tmp_path):
    said = {"a": SAID["a"], "b": "", "c": "<think>She went", "d": "Answer: hall", "e": " \n"}
    rows = [Row("t", Instance(one, f"{one}: Where is Ann?", any_of("office"))) for one in said]
    suite = Suite("own/mixed", {}, 0, {"t": TASK}, {"test": len(rows)}, lambda split: iter(rows))
    mixed = run_suite(suite, model=lambda prompt: said[prompt[-16]], folder=tmp_path / "mixed", cache=False, examples=0)
    found = summary(mixed, second_opinions(mixed, Judging(dict.fromkeys(said, "Answer: office"))))
    assert found.unparsed + found.empty == sum(record.answer is None for record in mixed.records)
    assert sentence(found, "test/judge") == (
        "test/judge: answers in 1 of 2 unparsed outputs, 1 of them right (cut off: 1; empty and "
        "not judged: 2). The scores above are the reader's."
    )


def test_an_audit_estimates_the_readers_error(run):
    judge = Judging({"a": "Answer: office", "c": "Answer: hall", "e": "NONE", "b": "Answer: office", "d": "NONE"})
    found = summary(run, second_opinions(run, judge, audit=2))
    assert (found.unparsed, found.answered, found.right) == (3, 2, 1)
    assert (found.audited, found.otherwise) == (2, 1)
    assert found.error[0] < 0.5 < found.error[1]


def test_the_command_prints_it_and_needs_something_to_judge(run, tmp_path, capsys):
    assert main(["score", str(run.folder), "--judge", "mock/constant", "-M", "answer=Answer: office"]) == 0
    assert "answers in 1 of 3 unparsed outputs, 1 of them right" in capsys.readouterr().out
    assert main(["score", str(run.folder), "--audit", "3"]) == 2
    every = [Row("t", Instance("b", "b: Where is Ann?", any_of("office")))]
    suite = Suite("own/where", {}, 0, {"t": TASK}, {"test": 1}, lambda split: iter(every))
    run_suite(suite, model=lambda prompt: "Answer: office", folder=tmp_path / "all", cache=False, protocol="chat")
    with pytest.raises(UserError, match="nothing to judge"):
        second_opinions(load_run(tmp_path / "all"), Judging({}))


def test_tables_say_at_most_and_why(run):
    from taskloom.cli.tables import results_table

    table = results_table(run)
    assert table.columns[-2:] == ("unparsed", "at most")
    assert table.rows[0][-2:] == (3, pytest.approx(0.8))
    assert "unparsed: 3 " in table.note


def test_reasons_are_counted_as_the_table_counts(tmp_path):
    from taskloom.cli.tables import results_table

    said = {"a": "<think>She went", "b": "", "c": "Answer: hall", "d": SAID["e"], "e": "<think>Then"}
    every = [Row("t", Instance(one, f"{one}: Where is Ann?", any_of("hall"))) for one in said]
    suite = Suite("own/cut", {}, 0, {"t": TASK}, {"test": 5}, lambda split: iter(every))
    cut = run_suite(
        suite, model=lambda prompt: said[prompt[-16]], folder=tmp_path / "cut", cache=False, protocol="chat", examples=0
    )
    table = results_table(cut)
    counted = table.note.split("unparsed: ")[1].split(";")[0].split(", ")
    assert table.rows[0][table.columns.index("unparsed")] == sum(int(part.split()[0]) for part in counted) == 2
    assert "cut off without an answer: 2 still thinking" in table.note


def test_comparing_says_that_runs_are_closer_than_what_is_unparsed_in_them(run):
    (warning,) = compare(run, run).warnings
    assert "0.000 apart, and 0.600 and 0.600 of their outputs are unparsed" in warning


def test_people_judge_the_same_queue(run, tmp_path, capsys):
    page = tmp_path / "unread.html"
    assert main(["judge", "make", str(run.folder), "--form", "read", "-o", str(page)]) == 0
    key = json.loads((tmp_path / "unread.key.json").read_text())
    asked = {item["instance"]: name for name, item in key["items"].items()}
    assert set(asked) == {record.id for record in run.records if record.answer is None}
    said = {"a": "office", "c": "hall", "e": "NONE"}
    lines = [
        {"form": key["id"], "item": asked[one], "question": "answer", "answer": said[one], "rater": "Ann"}
        for one in asked
    ]
    answers = tmp_path / "answers.jsonl"
    answers.write_text("".join(json.dumps(line) + "\n" for line in lines))
    capsys.readouterr()
    assert main(["judge", "read", str(tmp_path / "unread.key.json"), str(answers)]) == 0
    note = "human/Ann: answers in 2 of 3 unparsed outputs, 1 of them right"
    assert note in capsys.readouterr().out
    assert main(["report", str(run.folder), "-o", str(tmp_path / "report.html")]) == 0
    assert note in (tmp_path / "report.html").read_text()
    assert [record.answer for record in load_run(run.folder).records] == [record.answer for record in run.records]
