"""The first screen, and the page around it."""

from __future__ import annotations

import re

from taskloom.core import UserError, open_suite
from taskloom.report import sections
from taskloom.report.build import build_report
from taskloom.report.first import first_findings, is_probe
from taskloom.report.sections import distinct_names, heat_card, plan_card, trained_cells
from taskloom.run.results import load_run
from taskloom.run.runner import launch
from taskloom.run.session import RunSettings


def test_a_plain_run_is_no_probe(runs):
    assert is_probe(runs["half"]) is False


def test_cells_are_framed_as_trained_only_if_everything_in_them_is(runs, monkeypatch):
    assert trained_cells(runs["half"], "depth", "side") == {}, "a model that no run fitted was trained on nothing known"
    monkeypatch.setattr(sections, "fitted_here", lambda plan: True)
    trained = trained_cells(runs["half"], "depth", "side")
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
    monkeypatch.setattr("taskloom.report.first.MOST_POOLED", len(pair[1].records))
    found, doubts = first_findings(pair, distinct_names(pair))
    assert [finding.found.records for finding in found] == [len(pair[1].records)]
    claims = (*found[0].found.claims, *found[0].found.unable)
    assert {atom for claim in claims for atom in claim.cell.split(": ")[1].split("+")} <= set(found[0].found.words)
    assert len(doubts) == 1 and "no frontier is suggested from more than" in doubts[0]

    def refuse(run):
        raise UserError("the fit did not converge")

    monkeypatch.setattr("taskloom.studies.frontier.static.study_run", refuse)
    found, doubts = first_findings(pair, distinct_names(pair))
    assert found == [] and "suggests no frontier: the fit did not converge" in doubts[1]
