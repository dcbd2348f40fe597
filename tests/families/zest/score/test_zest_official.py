"""The published evaluator, cell by cell where its saved outputs are at hand, and by hand-worked cases."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from taskloom.core import AnyOf, Instruction, Items, Structure, Task
from taskloom.families.zest.score.file import prediction_lines, score_file
from taskloom.families.zest.score.metrics import BUCKETS, f1_of_entries, gather
from taskloom.families.zest.score.official import (
    OFFICIAL,
    UnscorableError,
    is_na,
    judge,
    normalise,
    read_prediction,
    span_score,
)

TASK = Task("t", Instruction("Answer."))


def load(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def saved(reference: Path) -> Path:
    folder = reference / "zest"
    if not folder.is_dir():
        pytest.skip(f"no ZEST reference at {folder}")
    return folder


def test_unit_cases_agree_cell_by_cell(saved: Path) -> None:
    cases = load(saved / "unit_cases.json")
    for case in cases["plain"]:
        assert judge(case["gold"], case["pred"]).score == case["score"], case
        assert [normalise(gold) for gold in case["gold"]] == case["norm_gold"], case
        assert normalise(case["pred"]) == case["norm_pred"], case
    for case in cases["structure"]:
        judged = judge(case["gold"], case["pred"])
        assert judged.score == case["score"], case
        lists = gather(judged.entries)
        assert {bucket: lists.get(bucket, []) for bucket in BUCKETS} == {b: case["mapping"][b] for b in BUCKETS}, case
        assert f1_of_entries(judged.entries) == case["f1"], case
    for case in cases["is_na"]:
        assert is_na(case["x"]) is case["na"], case


@pytest.mark.parametrize(("predictions", "trace", "results"), [
    ("predictions.txt", "trace_main.json", "results.json"),
    ("predictions_nolist.txt", "trace_nolist.json", "results_nolist.json"),
])  # fmt: skip
def test_whole_files_agree_cell_by_cell(
    saved: Path, tmp_path: Path, predictions: str, trace: str, results: str
) -> None:
    tasks = [json.loads(line) for line in (saved / "dev.jsonl").read_text(encoding="utf-8").splitlines()]
    report = score_file(tasks, prediction_lines((saved / predictions).read_text(encoding="utf-8")))
    expected = load(saved / trace)
    assert len(expected) == len(report.tasks)
    for row, task in zip(expected, report.tasks, strict=True):
        assert (row["id"], row["category"], row["score"]) == (task.id, task.type, task.f1)
        assert row["answer_scores"] == task.answers
        lists = gather(task.entries)
        assert [row[bucket] for bucket in BUCKETS] == [lists.get(bucket, []) for bucket in BUCKETS]
    report.write(tmp_path / results)
    assert load(tmp_path / results) == load(saved / results)
    assert (tmp_path / f"{results}.csv").read_text() == (saved / f"{results}.csv").read_text()
    assert not report.findings


def test_what_stops_the_evaluator_is_wrong_and_reported(saved: Path) -> None:
    for case in load(saved / "failure_cases.json"):
        report = score_file(case["dev"], prediction_lines(case["predictions"]))
        if case["exit_code"] == 0:
            assert report.results() == case["result"], case["case"]
            # The evaluator passes over surplus predictions without a word; here they are said.
            assert {finding.code for finding in report.findings} <= {"too-many-predictions"}, case["case"]
        else:
            assert report.findings, case["case"]
            if case["case"] not in {"unknown first word of the question", "no base tasks at all"}:
                assert report.overall < 100, case["case"]


def test_rotated_rows_lose_everything_and_swapped_ones_nothing() -> None:
    rows = [{"k": "x"}, {"k": "y"}, {"k": "z"}]
    gold = json.dumps(rows)
    assert f1_of_entries(judge(gold, json.dumps([rows[1], rows[0], rows[2]])).entries) == 1.0
    assert f1_of_entries(judge(gold, json.dumps([rows[1], rows[2], rows[0]])).entries) == 0.0


def test_draws_of_list_predictions_are_shared_over_a_file() -> None:
    names = [f"name{i}" for i in range(50)]
    tasks = [
        {
            "question": "Who is it?",
            "id": "b",
            "type": {"generalization_type": "normal", "domain": "d", "derives_from": []},
            "examples": [{"context": "c", "answer": "name7"}] * 40,
        }
    ]
    report = score_file(tasks, [json.dumps(names)] * 40)
    draws = Random(0)
    assert report.tasks[0].answers == [float(draws.choice(names) == "name7") for _ in range(40)]


def test_percentages_are_cut_like_the_published_ones() -> None:
    task = {
        "question": "Who?",
        "id": "b",
        "type": {"generalization_type": "normal", "domain": "", "derives_from": []},
        "examples": [{"context": "c", "answer": "x"}],
    }
    report = score_file([{**task, "id": str(i)} for i in range(100)], ["x"] * 29 + ["y"] * 71)
    assert report.types["normal"].mean == pytest.approx(0.29)
    assert report.overall == 28
    assert report.csv() == ",mean,75,90\nnormal,28,28,28\naverage,28,28,28\n"


@pytest.mark.parametrize(("gold", "said", "score"), [
    (AnyOf(("the Marlow family",)), "Marlow family.", 1.0),
    (AnyOf(("n/a",)), "N/A", 1.0),
    (Items((("red", "blue"),), separator="|"), "blue|red", 1.0),
    (Items((("red", "blue"),), separator="|"), "blue", 0.5),
    (Structure(('[{"a": "x"}]',)), '⁇"a": "x"⁇', 0.0),
    (Structure(('[{"a": "x"}]',)), '[⁇"a": "x"⁇]', 1.0),
])  # fmt: skip
def test_scorer_contract(gold: Any, said: str, score: float) -> None:
    assert OFFICIAL.score(said, gold, TASK).value == score


@given(st.one_of(st.text(max_size=60), st.recursive(
    st.one_of(st.none(), st.booleans(), st.floats(), st.integers(), st.text(max_size=5)),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(st.text(max_size=3), inner, max_size=3)),
    max_leaves=8).map(json.dumps)))  # fmt: skip
def test_no_answer_stops_the_scorer(answer: str) -> None:
    for gold in (AnyOf(("n/a",)), AnyOf(("5 km",)), Structure(('[{"a": "x", "b": ["1", "n/a"]}, {"a": "y"}]',))):
        score = OFFICIAL.score(answer, gold, TASK)
        assert 0.0 <= score.value <= 1.0
        assert 0.0 <= f1_of_entries((b, v) for b in BUCKETS for v in score.details.get(b, [])) <= 1.0


@pytest.mark.parametrize(
    "answer",
    ["[" * 200_000, "[" * 50_000 + "]" * 50_000, '{"a":' * 90_000, json.dumps([{"a": "q"}] * 3_000), "x|" * 5_000, "",
     json.dumps([[["x"] * 500] * 50]), "9" * 6_000, "\ud800", "[" + "9" * 6_000 + "]"],
)  # fmt: skip
def test_monsters_are_merely_wrong(answer: str) -> None:
    for gold in (AnyOf(("x y",)), AnyOf(("n/a",)), Structure(('[{"a": "x"}, {"a": "y"}, {"a": "z"}]',))):
        assert OFFICIAL.score(answer, gold, TASK).value < 1.0


def test_reading_a_line() -> None:
    assert read_prediction(' "a \\"b\\"" ') == 'a "b"'
    assert read_prediction("[⁇⁇, ⁇⁇]") == "[{}, {}]"
    for line in ("", "   ", '"', '"a" or "b"'):
        with pytest.raises(ValueError, match="prediction"):
            read_prediction(line)


def test_na_of_odd_values() -> None:
    assert is_na([]) and is_na("[{}]") and not is_na("nan")
    for odd in (5, True, '{"a": "b"}', '[{"a": 5}]'):
        with pytest.raises(UnscorableError):
            is_na(odd)


def test_span_scores_round_to_even() -> None:
    assert span_score([], []) != span_score([], [])  # nan, as published
    assert span_score(["x"], []) == 0.0
    # 1/40 is a tie at the third digit: numpy's rounding gives 0.02, Python's would give 0.03.
    assert span_score([f"w{i}" for i in range(40)], ["w0", *[f"v{i}" for i in range(39)]]) == 0.02


def test_the_first_alternative_of_a_gold_value_decides_its_bucket() -> None:
    gold = '[{"k": ["n/a", "x"]}]'
    assert judge(gold, '[{"k": "x"}]').entries == [("fp", 1.0)]
    assert judge(gold, '[{"k": "n/a"}]').entries == [("tn", 1.0)]


def test_empty_lists_are_fatal_in_predictions_only() -> None:
    assert judge('[{"k": [], "l": "x"}]', '[{"k": "n/a", "l": "x"}]').refused == ""
    assert judge('[{"k": "y"}]', '[{"k": "y"}, {"l": []}]').refused


def test_a_combination_needs_a_list_of_bases_too() -> None:
    kind = {"generalization_type": "combination", "domain": "d", "derives_from": "b"}
    task = {"id": "c", "question": "What is it?", "type": kind, "examples": [{"context": "", "answer": "x"}]}
    report = score_file([task], ["x"])
    assert report.types["combination"].mean == 0.0
    assert {finding.code for finding in report.findings} == {"derives-from", "no-base"}


def _task(name: str, kind: str, answers: list[str], derives: tuple[str, ...] = ()) -> dict[str, object]:
    examples = [{"context": f'{name}, "{answer}"', "answer": answer} for answer in answers]
    question = f"What is the {name}?"
    return {"id": name, "question": question, "examples": examples, "type": {
        "generalization_type": kind, "derives_from": list(derives), "domain": "d"}}  # fmt: skip


def test_the_four_files_of_the_evaluator_list_what_went_wrong(tmp_path: Path) -> None:
    report = score_file([_task("a", "normal", ["red", "blue", "n/a"])], ["red", "green", "n/a"])
    report.write(tmp_path / "results.json")
    row = '0,What is the a?,"a, ""blue""",green,[\'blue\']'
    for name in ("results.jsonerrors.csv", "results.json_sampled_errors.csv"):
        assert (tmp_path / name).read_text() == f",question,context,prediction,gold\n{row}\n"
    right = score_file([_task("a", "normal", ["red"])], ["red"])
    right.write(tmp_path / "right.json")
    assert (tmp_path / "right.jsonerrors.csv").read_text() == '""\n'


def test_a_hundred_errors_are_sampled_as_pandas_samples_them(tmp_path: Path) -> None:
    report = score_file([_task("a", "normal", ["red"] * 250)], ["blue"] * 250)
    report.write(tmp_path / "results.json")
    lines = (tmp_path / "results.json_sampled_errors.csv").read_text().splitlines()[1:]
    # DataFrame.sample(n=100, random_state=0) of 250 rows begins so.
    assert len(lines) == 100
    assert [int(line.split(",")[0]) for line in lines[:5]] == [225, 122, 92, 157, 154]


def test_surplus_predictions_are_said() -> None:
    found = score_file([_task("a", "normal", ["red"])], ["red", "blue", "green"]).findings
    assert [(finding.code, finding.message[:32]) for finding in found] == [
        ("too-many-predictions", "2 lines after the last answer ar")
    ]


def test_types_stand_in_the_order_of_their_first_counted_task() -> None:
    tasks = [
        _task("p", "paraphrase", ["red"], ("absent",)),
        _task("c", "combination", ["red"], ("a",)),
        _task("q", "paraphrase", ["red"], ("a",)),
        _task("a", "normal", ["red"]),
    ]
    assert list(score_file(tasks, ["red"] * 4).types) == ["combination", "paraphrase", "normal"]
