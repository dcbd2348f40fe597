"""The parts a report is put together from, and how runs are counted and called."""

from __future__ import annotations

import re
from types import SimpleNamespace

import msgspec
import pytest

from taskloom.core import UserError
from taskloom.core.display import counted
from taskloom.core.study import Table
from taskloom.report import build
from taskloom.report.build import build_report, label_of, published_scores, two_sides
from taskloom.report.sections import distinct_names, scatter_points, task_dots
from taskloom.run.results import load_run


def planned(tmp_path, suite="x/y", split="test", streams=(), notes=None):
    plan = SimpleNamespace(suite=suite, split=split, streams=streams, notes=notes or {})
    return SimpleNamespace(plan=plan, folder=tmp_path)


@pytest.mark.parametrize(("split", "label"), [("test", "x/y"), ("", "x/y"), ("dev", "x/y (dev)")])
def test_a_section_is_named_after_suite_and_split(split, label, tmp_path):
    assert label_of(planned(tmp_path, split=split)) == label


def test_a_probe_has_a_section_of_its_own(tmp_path):
    assert label_of(planned(tmp_path, streams=("a",))) == "x/y", "streams alone are no probe"
    (tmp_path / "frontier.json").write_text("{}")
    assert label_of(planned(tmp_path, streams=("a",))) == "x/y (probe)"
    assert label_of(planned(tmp_path)) == "x/y"


@pytest.mark.parametrize(("number", "words"), [(0, "0 runs"), (1, "1 run"), (2, "2 runs"), (1200, "1,200 runs")])
def test_counts_in_words(number, words):
    assert counted(number, "run") == words


@pytest.mark.parametrize(
    ("notes", "found"),
    [
        ({}, {}), ({"published": "0.9"}, {}), ({"published": {"scores": [1]}}, {}),
        ({"published": {"scores": {"a": 0.5, "b": "high", 3: 1}}},
         {"scores": {"a": 0.5, "3": 1}, "source": "published scores"}),
        ({"published": {"scores": {}, "source": "a paper"}}, {"scores": {}, "source": "a paper"}),
    ],
)  # fmt: skip
def test_published_scores_are_read_with_care(notes, found, tmp_path):
    assert published_scores(planned(tmp_path, notes=notes)) == found


def test_runs_that_differ_in_seeds_alone_are_one_side(runs):
    other = load_run(runs["half"].folder)
    other.plan = msgspec.structs.replace(other.plan, run_seed=5)
    pair = [runs["half"], other, runs["all"]]
    sides = two_sides(pair, distinct_names(pair))
    assert [(side.name, len(side.runs)) for side in sides] == [
        ("mock/constant, mean of 2 seeds", 2), ("mock/constant", 1),
    ]  # fmt: skip


def test_published_scores_are_drawn_beside_one_run(runs, tmp_path):
    run = load_run(runs["half"].folder)
    build_report([run], tmp_path / "plain.html")
    assert "s0-forest" not in (tmp_path / "plain.html").read_text("utf-8")
    run.plan = msgspec.structs.replace(run.plan, notes={"published": {"scores": {"Their <b>": 0.75}, "source": "P."}})
    build_report([run], tmp_path / "page.html")
    text = (tmp_path / "page.html").read_text("utf-8")
    assert "s0-forest" in text and "Open diamonds: P.." in text and "Their <b>" not in text
    assert re.search(r'"Their \\u003cb\\u003e"[^]]*0\.75', text), "with its score"
    build_report([runs["half"], runs["half"]], tmp_path / "two.html")
    assert "s0-forest" in (tmp_path / "two.html").read_text("utf-8")


def test_what_a_report_is_about_is_said_on_top(runs, tmp_path):
    table = Table("Costs", ("a",), ((1,),))
    build_report([runs["half"]], tmp_path / "page.html", tables=[table], title="Mine")
    text = (tmp_path / "page.html").read_text("utf-8")
    nav = re.search(r"<nav.*?</nav>", text, re.DOTALL)[0]
    assert 'href="#tables"' in nav and 'href="#studies"' not in nav and 'href="#answer"' in nav
    assert "1 run on 1 suite, 24 records<" in text and 'id="table-0-costs"' in text
    with pytest.raises(UserError, match="at least one run"):
        build_report([], tmp_path / "none.html", tables=[table])
    (tmp_path / "mine.html").write_text("mine")
    with pytest.raises(UserError):
        build_report([runs["half"]], tmp_path / "mine.html")
    assert (tmp_path / "mine.html").read_text() == "mine"


def test_facets_that_a_run_does_not_have_are_left_to_others(runs, tmp_path):
    build_report([runs["half"]], tmp_path / "page.html", facets=["side", "nobody's"], heat=[("side", "depth")])
    text = (tmp_path / "page.html").read_text("utf-8")
    assert "s0-facet-side" in text and "s0-facet-depth" not in text and "side × depth" in text


def test_a_dot_is_a_task_or_a_value_of_the_best_facet(runs):
    assert task_dots(runs["half"], runs["all"]) == "depth", "of one task"
    two = SimpleNamespace(tasks={"a": 1, "b": 2})
    assert task_dots(two, runs["all"]) == "task"
    points = scatter_points(runs["half"], runs["all"], "depth")
    assert [(point.name, point.x, point.y, point.n) for point in points] == [
        ("deep", 1.0, 1.0, 12),
        ("flat", 0.0, 1.0, 12),
    ]


def groups(**by_value):
    found = {
        (name,): SimpleNamespace(estimate=SimpleNamespace(value=value, n=n)) for name, (value, n) in by_value.items()
    }
    return SimpleNamespace(by_facet=lambda name: found)


def test_dots_need_answers_of_both():
    one, two = (
        groups(b=(0.1, 3), a=(0.2, 4), c=(0.3, 5), d=(0.5, 0)),
        groups(a=(0.6, 7), b=(0.5, 8), c=(0.9, 0), d=(1, 2)),
    )
    found = [(point.name, point.x, point.y, point.n) for point in scatter_points(one, two, "f")]
    assert found == [("a", 0.2, 0.6, 4), ("b", 0.1, 0.5, 3)]


def test_every_suite_is_a_step_of_the_progress(runs, tmp_path, monkeypatch):
    steps = []

    class Counting:
        def __init__(self, title, total, unit):
            steps.append((total, unit))

        def __enter__(self):
            return self

        def __exit__(self, *error):
            return None

        def advance(self):
            steps.append(1)

    monkeypatch.setattr(build, "Progress", Counting)
    build_report([runs["half"], runs["all"], runs["half"]], tmp_path / "page.html")
    assert steps == [(2, "suites"), 1, 1]
