"""The first screen without a frontier: how a model falls from suite to suite or along a facet; the page around it."""

from __future__ import annotations

import re

import pytest

from taskloom.core import AnyOf, Instance, Instruction, Row, Suite, Task, UserError, open_suite
from taskloom.report.build import build_report
from taskloom.report.first import _fall, _findings, _share, _steps, _where, is_probe
from taskloom.report.names import distinct_names
from taskloom.report.sections import _trained, heat_card, plan_card
from taskloom.run.results import load_run
from taskloom.run.runner import RunSettings, launch


def suite(name, split="test", rows=24, right=lambda n: n % 2):
    """Questions answered by 1 or 0; a model that always says 1 is right where `right` says so."""
    held = [
        Row("t", Instance(str(n), f"q {n}", AnyOf((str(right(n)),)), {
            "depth": "deep" if n % 2 else "flat", "side": "abc"[n % 3], "novel": n % 3 == 0,
        }))
        for n in range(rows)
    ]  # fmt: skip
    task = Task("t", Instruction("Say it."), "text", "exact")
    kinds: dict[str, type] = {"depth": str, "side": str, "novel": bool}
    return Suite(name, {}, 1, {"t": task}, {split: rows}, lambda asked: iter(held), kinds, "pairs")


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs")
    found = {}
    for key, made in (
        ("half", suite("x/half")), ("all", suite("x/all", right=lambda n: 1)), ("dev", suite("x/half", "dev")),
    ):  # fmt: skip
        launch(made, folder / key, RunSettings(model="mock/constant", model_options={"answer": "1"}))
        found[key] = load_run(folder / key)
    return found


def test_the_fall_from_the_best_suite_to_the_worst(runs):
    pair = [runs["half"], runs["all"]]
    answer = _fall(pair, {})
    half, full = (_share(run.overall().estimate) for run in pair)
    assert answer.said == f"{full} on x/all, {half} on x/half: falls by 0.50."
    assert answer.model == "mock/constant" and "every task counts once" in answer.where
    assert full.startswith("1.00 [") and full.endswith("(n = 24)")


def test_the_fall_along_a_facet(runs):
    answer = _fall([runs["half"]], {})
    groups = {key[0]: _share(group.estimate) for key, group in runs["half"].by_facet("depth").items()}
    assert answer.said == (
        f"{_share(runs['half'].overall().estimate)} on x/half; by depth, from {groups['deep']} with deep "
        f"down to {groups['flat']} with flat."
    )
    assert _fall([runs["all"]], {}).said == f"{_share(runs['all'].overall().estimate)} on x/all.", "nothing to divide"


def test_groups_of_five_answers_count_and_of_four_do_not(tmp_path):
    for rows, divided in ((10, True), (8, False)):
        launch(
            suite("x/few", rows=rows),
            tmp_path / str(rows),
            RunSettings(model="mock/constant", model_options={"answer": "1"}),
        )
        assert ("; by depth, from 1.00" in _fall([load_run(tmp_path / str(rows))], {}).said) == divided


def test_a_model_that_never_answered(tmp_path):
    failing = dict.fromkeys(("stall", "truncate", "rubbish", "empty", "flood"), 0.0) | {"fail": 1.0}
    launch(suite("x/none"), tmp_path / "none", RunSettings(model="mock/flaky", model_options=failing))
    answer = _fall([load_run(tmp_path / "none")], {})
    assert (answer.model, answer.said) == ("mock/flaky", "Has no scored answer.")


def test_suites_and_splits(runs):
    assert [_where(run) for run in runs.values()] == ["x/half", "x/all", "x/half (dev)"]
    assert is_probe(runs["half"]) is False
    assert _steps({"m": [runs["half"]]}) is None
    plot = _steps({"m": [runs["half"], runs["dev"]], "n": [runs["half"]]})
    assert [(point.name, point.value, point.series) for point in plot.points] == [
        ("x/half", 0.5, "m"), ("x/half", 0.5, "n"), ("x/half (dev)", 0.5, "m"),
    ]  # fmt: skip


def test_cells_are_framed_as_trained_only_if_everything_in_them_is(runs):
    trained = _trained(runs["half"], "depth", "side")
    assert trained == {(depth, side): side != "a" for depth in ("deep", "flat") for side in "abc"}
    card = str(heat_card([runs["half"]], distinct_names([runs["half"]]), [("depth", "side")], "s0"))
    assert "depth × side · mock/constant" in card and '"columns":["a","b","c"]' in card
    assert heat_card([runs["half"]], distinct_names([runs["half"]]), [("depth", "nope")], "s0") == ""


def test_the_page_of_one_suite_and_of_two(runs, tmp_path):
    build_report([runs["half"]], tmp_path / "one.html")
    one = (tmp_path / "one.html").read_text("utf-8")
    nav = re.search(r"<nav.*?</nav>", one, re.DOTALL)[0]
    assert 'href="#s0-scores"' in nav and 'href="#s0"' not in nav, "one suite: links to its parts"
    assert "1 run on 1 suite, 24 records" in one
    build_report([runs["half"], runs["all"]], tmp_path / "two.html")
    two = (tmp_path / "two.html").read_text("utf-8")
    nav = re.search(r"<nav.*?</nav>", two, re.DOTALL)[0]
    assert 'href="#s0"' in nav and 'href="#s1"' in nav and "2 runs on 2 suites, 48 records" in two
    assert re.search(r"<h2[^>]*>.*?x/all", two) and "Every model on every suite" in two


def test_what_was_run_is_shown_with_its_plan(runs):
    pair = [runs["half"], runs["dev"]]
    card = str(plan_card(pair, distinct_names(pair), "s0"))
    assert all(run.plan.hash() in card for run in pair) and "s0-plan" in card and "split: dev" in card


def test_a_run_that_suggests_nothing_does_not_silence_the_next(tmp_path, monkeypatch):
    stories = open_suite("babi/mix-t2")
    for name, limit in (("long", 30), ("short", 12)):
        launch(stories, tmp_path / name, RunSettings(model="mock/random", limit=limit))
    pair = [load_run(tmp_path / name) for name in ("long", "short")]
    monkeypatch.setattr("taskloom.report.first._MOST_POOLED", len(pair[1].records))
    found, doubts = _findings(pair, distinct_names(pair))
    assert [finding.found.records for finding in found] == [len(pair[1].records)]
    assert len(doubts) == 1 and "no frontier is suggested from more than" in doubts[0]

    def refuse(run):
        raise UserError("the fit did not converge")

    monkeypatch.setattr("taskloom.studies.frontier.static.study_run", refuse)
    found, doubts = _findings(pair, distinct_names(pair))
    assert found == [] and "suggests no frontier: the fit did not converge" in doubts[1]
