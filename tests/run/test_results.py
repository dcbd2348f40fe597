"""What `results.json` holds: groups worth showing, counts that add up, and nothing of an empty log."""

from __future__ import annotations

from html import unescape
from types import SimpleNamespace

import msgspec
import numpy as np
import pytest

from records import old_log
from taskloom.ask import ScoredReading
from taskloom.core import AnyOf, Instance, Instruction, Row, Suite, Task, UserError
from taskloom.core.metric import Estimate
from taskloom.models.mock import MockModel
from taskloom.run.columns import natural_order
from taskloom.run.log import RunLog
from taskloom.run.plan import Plan, save_plan
from taskloom.run.record import Record
from taskloom.run.results import Group, facet_groups, group_results, load_run, run_results, write_results
from taskloom.run.runner import launch, run_suite
from taskloom.run.session import RunSettings
from taskloom.score.metrics import MeanScore
from taskloom.store.seal import read_sealed

ROWS = 60


def facets(n):
    return {"alpha": f"a{n % 2}", "half": f"h{n % 30}", "more": f"m{n % 31}", "same": "x", "zeta": n % 3}


@pytest.fixture(scope="module")
def suite():
    rows = [Row("t", Instance(str(n), f"q {n}", AnyOf((f"{n % 2}",)), facets(n))) for n in range(ROWS)]
    kinds: dict[str, type] = {"alpha": str, "half": str, "more": str, "same": str, "zeta": int}
    task = Task("t", Instruction("Say it."), "text", "exact", facets={"task": "t"})
    return Suite("x/y", {}, 1, {"t": task}, {"test": ROWS}, lambda split: iter(rows), kinds, "pairs")


@pytest.fixture(scope="module")
def run(suite, tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs") / "one"
    launch(suite, folder, RunSettings(model="mock/constant", model_options={"answer": "1"}))
    return load_run(folder)


def test_facets_that_are_groups(run):
    found = run_results(run)
    assert set(found["facets"]) == {"alpha", "half", "zeta"}, "half as many values as records are still groups"
    assert found["facets_left_out"] == {"more": 31}
    alpha = found["facets"]["alpha"]
    assert {name: (group["value"], group["n"], group["scored"]) for name, group in alpha.items()} == {
        "a0": (0.0, 30, 30),
        "a1": (1.0, 30, 30),
    }
    low, high = alpha["a1"]["interval"]
    assert low < 1.0 == high
    assert run_results(load_run(run.folder)) == found


def test_an_empty_log_has_no_results(run, tmp_path):
    folder = tmp_path / "empty"
    folder.mkdir()
    save_plan(run.plan, [], folder)
    (folder / "log").mkdir()
    (folder / "log" / "a.jsonl").write_bytes(b"")
    with pytest.raises(UserError, match="log of this run is empty"):
        load_run(folder)


def test_answers_are_kept_for_the_next_run_unless_somebody_says_no(suite, tmp_path, monkeypatch):
    monkeypatch.setenv("TASKLOOM_CACHE", str(tmp_path / "cache"))
    asked = []
    generate = MockModel.generate
    monkeypatch.setattr(MockModel, "generate", lambda self, *given: asked.append(1) or generate(self, *given))
    monkeypatch.setattr(MockModel, "cacheable", True)
    for name, more, calls in (("a", {"cache": False}, True), ("b", {}, True), ("c", {}, False)):
        run_suite(suite, model="mock/oracle", folder=tmp_path / name, **more)
        assert bool(asked) == calls, name
        asked.clear()


def test_a_replicate_is_named_by_every_seed(run, suite, tmp_path):
    assert run.replicate == "data=1;draw=0;run=0"
    launch(suite, tmp_path, RunSettings(model="mock/constant", model_options={"answer": "1"}, run_seed=3))
    assert load_run(tmp_path).replicate == "data=1;draw=0;run=3"


def test_numbers_sort_as_numbers():
    keys = [("10", "b"), ("9", "a"), ("x", "1"), ("-1.5", "a"), ("10", "2"), ("b", "z")]
    assert sorted(keys, key=natural_order) == [
        ("-1.5", "a"),
        ("9", "a"),
        ("10", "2"),
        ("10", "b"),
        ("b", "z"),
        ("x", "1"),
    ]
    assert natural_order(("3", "x")) == [(0, 3.0, "3"), (1, 0.0, "x")]


def written(folder, records, plan=None, tasks=("t", "u")):
    """A run of these records, whatever they say."""
    planned = Plan(
        suite="x/y", data_seed=1, recipe={}, tasks_hash="", split="test", limit=None, model={"name": "m"},
        encoding={"name": "plain"}, generation={}, adaptation={"name": "none"}, run_seed=0, scorer=None,
    )  # fmt: skip
    save_plan(
        msgspec.structs.replace(planned, **(plan or {})), [Task(name, Instruction("d")) for name in tasks], folder
    )
    old_log(folder, records, closed=False)
    return folder


def record(number, task="t", score=1.0, state="scored", answer="a", lenient=None, **more):
    return Record(
        task=task, id=str(number), index=number, state=state, scorer="exact", raw="a", raw_length=1,
        targets=AnyOf(("a",)), prompt="p", prompt_hash="h", strict=ScoredReading(answer, score),
        lenient=None if lenient is None else ScoredReading("b", lenient), **more,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("records", "bad"),
    [
        ([record(0, score=0.0), record(1, score=1.0), record(2, score=None, state="errored")], None),
        ([record(0), record(1, score=1.25)], "t/1"), ([record(0), record(1, score=-0.25)], "t/1"),
        ([record(0), record(1, "v"), record(2, "w")], "v/1"),
    ],
)  # fmt: skip
def test_records_that_no_run_writes_are_refused(records, bad, tmp_path):
    folder = written(tmp_path, records)
    if bad is None:
        assert len(load_run(folder).records) == 3
        return
    with pytest.raises(UserError, match=f"the record of {bad} was not written by a run") as raised:
        load_run(folder)
    assert raised.value.where == str(folder) and raised.value.hint == f"taskloom check {folder}"


@pytest.mark.parametrize(
    ("plan", "name"),
    [
        ({}, "m"), ({"adaptation": {}}, "m"), ({"adaptation": {"name": "lora"}}, "m + lora"),
        ({"model": {"name": "m", "settings": {"adaptation": {"name": "finetune"}}}}, "m + finetune"),
        ({"model": {"name": "m", "settings": {"adaptation": {"name": "finetune"}}}, "adaptation": {"name": "lora"}},
         "m + finetune + lora"),
        ({"model": {"name": "m", "settings": {}}}, "m"),
    ],
)  # fmt: skip
def test_what_a_run_is_called(plan, name, tmp_path):
    run = load_run(written(tmp_path, [record(0)], plan))
    assert run.name == name and repr(run) == f"<Run of {name} on x/y (test): 1 record>"


def test_readings_and_failures(tmp_path):
    records = [
        record(0, score=0.0, lenient=1.0), record(1, score=1.0), record(2, score=None, state="errored"),
        record(3, "u", score=0.5, state="truncated", answer=None), record(4, "u", score=0.0, answer=None, lenient=0.5),
    ]  # fmt: skip
    run = load_run(written(tmp_path, records))
    nan = float("nan")
    assert run.values("strict").tolist() == pytest.approx([0.0, 1.0, nan, 0.5, 0.0], nan_ok=True)
    assert run.values("lenient").tolist() == pytest.approx([1.0, 1.0, nan, 0.5, 0.5], nan_ok=True)
    assert {task: held.tolist() for task, held in run.cells().items()} == {"t": [0.0, 1.0], "u": [0.5, 0.0]}
    assert {task: held.tolist() for task, held in run.cells(headline="lenient").items()} == {
        "t": [1, 1],
        "u": [0.5, 0.5],
    }
    assert {task: held.tolist() for task, held in run.cells(np.array([1, 2, 4])).items()} == {"t": [1.0], "u": [0.0]}
    wrong = load_run(tmp_path, "wrong")
    assert {task: held.tolist() for task, held in wrong.cells().items()} == {"t": [0.0, 1.0, 0.0], "u": [0.5, 0.0]}
    assert [(score.id, score.value) for score in run.scored(run.records)] == [("0", 0), ("1", 1), ("3", 0.5), ("4", 0)]
    assert [score.value for score in wrong.scored(wrong.records)] == [0.0, 1.0, 0.0, 0.5, 0.0]
    overall = run.overall()
    assert (overall.scored, overall.truncated, overall.errored, overall.unparsed) == (3, 1, 1, 1)
    part = run.group("part", np.array([2, 3]))
    assert (part.name, part.scored, part.truncated, part.errored, part.unparsed) == ("part", 0, 1, 1, 0)
    assert [(group.name, group.estimate.n) for group in run.by_task()] == [("t", 2), ("u", 2)]
    assert run.group("l", headline="lenient").estimate.value == pytest.approx(0.75)


def test_a_run_without_a_scored_answer(tmp_path):
    run = load_run(written(tmp_path, [record(0, score=None, state="errored", error="busy")]))
    overall = run.overall()
    assert (overall.scored, overall.errored, overall.unparsed, overall.estimate.n) == (0, 1, 0, 0)
    plain = group_results(overall)
    assert (plain["value"], plain["n"], plain["errored"], plain["interval"]) == (None, 0, 1, [0.0, 1.0])


def test_what_was_used(tmp_path):
    used = [record(0, tokens={"prompt": 5, "cost": 0.5}), record(1, tokens={"prompt": 7, "cost": 0.25}), record(2)]
    assert load_run(written(tmp_path, used)).usage() == {"prompt": 12.0, "cost": 0.75}


def test_facets_of_a_record(tmp_path):
    run = load_run(written(tmp_path, [record(0, facets={"size": 3, "tags": ["x", "y"]}, wording="w"), record(1)]))
    first, second = run.records
    assert run.facet_names() == ["size", "tags", "task", "wording"]
    assert run.facet(first, "task") == ["t"] and run.facet(first, "wording") == ["w"]
    assert run.facet(second, "wording") == ["–"] == run.facet(second, "size") and run.facet(first, "tags") == ["x", "y"]
    assert run.facet_values("tags") == {"x", "y", "–"} and run.facet_values("size") == {"3", "–"}
    groups = run.records_by("tags", "size")
    assert list(groups) == [("x", "3"), ("y", "3"), ("–", "–")] and groups["x", "3"] == [first]
    with pytest.raises(UserError, match="did you mean 'size'"):
        run.rows_by("sise")
    (tmp_path / "other").mkdir()
    plain = load_run(written(tmp_path / "other", [record(0)]))
    assert plain.facet_names() == ["task"], "nobody was asked in several wordings"


def test_samples_of_one_instance_are_averaged(tmp_path):
    several = [
        record(0, score=1.0),
        record(0, score=0.0, sample=1),
        record(1, score=1.0),
        record(1, score=1.0, sample=1),
    ]
    run = load_run(written(tmp_path, several, {"samples": 2}))
    assert run.cells()["t"].tolist() == [0.5, 1.0]
    assert [(score.id, score.value) for score in run.scored(run.records)] == [("0", 0.5), ("1", 1.0)]
    assert run.overall().estimate.n == 2


def test_results_are_written_with_what_else_is_known(tmp_path):
    run = load_run(written(tmp_path, [record(0), record(1, "u", score=0.0)]))
    results = write_results(run, {"more": 1})
    assert results["more"] == 1 and (results["suite"], results["model"], results["metric"]) == ("x/y", "m", "mean")
    assert results["tasks"]["u"]["value"] == 0.0 and results["overall"]["value"] == 0.5
    assert results["errors"] == "leave-out" and results["plan"] == run.plan.hash() and results["samples"] == {}
    assert read_sealed(tmp_path / "results.json", "results")["more"] == 1
    assert "more" not in write_results(run)


def test_tables_of_a_run_show_original_tasks(tmp_path):
    names = [f"task{number:02}" for number in range(22)]
    run = load_run(written(tmp_path, [record(place, name) for place, name in enumerate(names)], tasks=names))
    shown = unescape(run._repr_html_())
    assert all(f">{name}<" in shown for name in names)
    group = run.overall()
    assert repr(group) == f"<Group overall: {group.estimate}>" and "1.000" in group._repr_html_()


def test_the_metric_of_scorers_that_disagree_is_the_mean(tmp_path, monkeypatch):
    from taskloom.run import results

    metrics = {"exact": "share", "other": "share", "odd": "mean"}
    monkeypatch.setattr(results, "metric_of", metrics.__getitem__)
    monkeypatch.setattr(results, "METRICS", SimpleNamespace(get=lambda name: name))

    def metric(*scorers):
        folder = tmp_path / "-".join(scorers)
        folder.mkdir()
        told = [msgspec.structs.replace(record(place), scorer=scorer) for place, scorer in enumerate(scorers)]
        return load_run(written(folder, told)).metric()

    assert (metric("exact", "other"), metric("exact", "odd"), metric("odd")) == ("share", "mean", "mean")


def test_a_metric_of_its_own_gets_scores_where_it_does_not_take_values(tmp_path, monkeypatch):
    seen = []

    class Own:
        name = "own"

        def from_values(self, cells, facets):
            return None

        def task(self, scores):
            seen.append(("task", [score.value for score in scores]))
            return Estimate(0.1, 0.0, 0.2, len(scores))

        def suite(self, scores, facets):
            seen.append(("suite", [score.value for score in scores], sorted(facets)))
            return Estimate(0.3, 0.2, 0.4, len(scores))

    run = load_run(written(tmp_path, [record(0, score=0.0, lenient=1.0), record(1, "u", score=0.5)]))
    monkeypatch.setattr(run, "metric", Own)
    assert run.overall().estimate.value == 0.3 and run.by_task()[0].estimate.value == 0.1
    assert seen == [("suite", [0.0, 0.5], ["t", "u"]), ("task", [0.0]), ("task", [0.5])]
    seen.clear()
    run.group("l", headline="lenient")
    assert seen == [("suite", [1.0, 0.5], ["t", "u"])]


@pytest.mark.parametrize(
    ("values", "records", "group"), [(24, 10, True), (25, 10, False), (25, 50, True), (26, 51, False)]
)
def test_facets_with_few_values_are_groups_whatever_the_number_of_records(values, records, group):
    held = {str(place): _group(place) for place in range(values)}
    run = SimpleNamespace(
        facet_names=lambda: ["f", "one", "task"], facet_values=lambda name: set(held) if name == "f" else {"x"},
        by_facet=lambda name: {(key,): value for key, value in held.items()}, records=[None] * records,
    )  # fmt: skip
    found = facet_groups(run)
    assert (list(found["facets"]) == ["f"]) == group and found["facets_left_out"] == ({} if group else {"f": values})


def _group(place):
    return Group(str(place), Estimate(0.5, 0.4, 0.6, 9), 9, 0, 0, 0)


@pytest.mark.parametrize(("state", "counts"), [("scored", (1, 0, 0)), ("truncated", (0, 1, 0)), ("errored", (0, 0, 1))])
def test_states_that_nothing_is_in_are_counted_as_none(state, counts, tmp_path):
    overall = load_run(written(tmp_path, [record(0, state=state, score=None if state == "errored" else 1.0)])).overall()
    assert (overall.scored, overall.truncated, overall.errored) == counts


def test_items_of_two_combinations_that_are_numbered_alike_are_two(tmp_path):
    written(tmp_path, [])
    with RunLog(tmp_path) as log:
        log.append([record(0, cell="a"), msgspec.structs.replace(record(1, score=0.0, cell="b"), id="0")])
        log.finish()
    run = load_run(tmp_path)
    assert run.overall().estimate.n == 2 and [score.value for score in run.scored(run.records)] == [1.0, 0.0]


@pytest.mark.parametrize("command", ["taskloom run x", ""])
def test_an_empty_log_says_how_it_was_begun(command, tmp_path):
    with pytest.raises(UserError, match="log of this run is empty") as raised:
        load_run(written(tmp_path, [], {"command": command}))
    assert raised.value.hint == (command or None) and raised.value.where == str(tmp_path)


@pytest.mark.parametrize("weigh", ["tasks", "instances"])
def test_means_that_do_not_come_from_scorers_are_weighted_alike(weigh, tmp_path):
    assert load_run(written(tmp_path, [record(0)]), weigh=weigh).mean_metric() == MeanScore(weigh=weigh)
