"""Facets as lines, points or tables; heat maps, curves, tasks and plans: each where there is something to show."""

from __future__ import annotations

from types import SimpleNamespace

import msgspec
import pytest

from taskloom.adapt.curves import Point
from taskloom.core.metric import Estimate
from taskloom.figures import IntervalPlot, LinePlot
from taskloom.report import sections
from taskloom.report.sections import (
    Facets,
    caption_of,
    curve_card,
    distinct_names,
    facet_card,
    facet_pane,
    heat_card,
    heat_map,
    line_pane,
    plan_card,
    task_card,
    trained_cells,
)
from taskloom.run.results import Group, load_run


def group(value, n=9):
    return Group("g", Estimate(value, value - 0.1, value + 0.1, n), n, 0, 0, 0)


@pytest.fixture
def drawn(monkeypatch):
    """Figures and tables as they are asked for."""
    monkeypatch.setattr(sections, "figure", lambda plot, anchor: plot)
    monkeypatch.setattr(sections, "strip_table", lambda anchor, caption, columns, rows: (columns, rows))
    monkeypatch.setattr(sections, "caption_of", lambda runs, what: what)


def pane(**by_run):
    return facet_pane([], by_run, "depth", "anchor")


def test_three_numbers_are_a_line(drawn):
    found = pane(a={"10": group(0.5), "9": group(0.3), "1": group(0.1), "2": group(0.9, 0)}, b={"1": group(0.2)})
    assert isinstance(found, LinePlot) and found.x_name == "depth" and found.caption == "score by depth"
    assert [(point.x, point.y, point.n) for point in found.lines[0].points] == [
        (1.0, 0.1, 9),
        (9.0, 0.3, 9),
        (10.0, 0.5, 9),
    ]
    assert [line.name for line in found.lines] == ["a", "b"]
    (first, *_) = line_pane({"1": group(0.5)})
    assert (first.low, first.high) == (0.4, 0.6)


def test_two_numbers_and_words_are_points(drawn):
    found = pane(a={"1": group(0.5), "2": group(0.3)}, b={"2": group(0.4), "1": group(0.9, 0)})
    assert isinstance(found, IntervalPlot)
    assert [(point.name, point.value, point.series) for point in found.points] == [
        ("1", 0.5, "a"),
        ("2", 0.3, "a"),
        ("2", 0.4, "b"),
    ]
    words = pane(a={"x": group(0.5), "2": group(0.3), "3": group(0.1)})
    assert isinstance(words, IntervalPlot) and words.axis == words.title == "score by depth"


@pytest.mark.parametrize(("values", "table"), [(24, False), (25, True)])
def test_more_than_twenty_four_values_are_a_table(drawn, values, table):
    held = {f"v{place}": group(0.5) for place in range(values)}
    found = pane(a=held, b={"v0": group(0.25)})
    assert isinstance(found, tuple) == table
    if table:
        columns, rows = found
        assert columns == ("depth", "run") and len(rows) == 26
        assert [(names, place) for names, _, place in rows[:3]] == [
            (("v0", "a"), 0),
            (("v0", "b"), 1),
            (("v1", "a"), 0),
        ]


def test_facets_that_were_left_out_are_named(runs):
    run = runs["half"]
    names = distinct_names([run])
    assert facet_card([run], names, Facets([], {"x": "why"}), "s0") == ""
    text = str(facet_card([run], names, Facets(["depth"], {"x": "hardly any twice", "y": "z"}), "s0"))
    assert "Not drawn: x (hardly any twice); y (z). --facet NAME draws them." in text and 's0-facets"' in text
    assert "Not drawn" not in str(facet_card([run], names, Facets(["depth"], {}), "s0"))


def heat_of(cells, novel=None):
    names = ["a", "b", *(["novel"] if novel is not None else [])]
    found = {key: group(value, n) for key, (value, n) in cells.items()}
    return SimpleNamespace(by_facet=lambda *given: found, facet_names=lambda: names, plan=None)


def test_cells_of_a_heat_map_are_rounded_to_six_digits(monkeypatch):
    seen = {}
    monkeypatch.setattr(sections, "caption_of", lambda runs, what: what)
    monkeypatch.setattr(sections, "data_block", lambda data: seen.update(data) or "")
    monkeypatch.setattr(sections, "trained_cells", lambda run, rows, columns: {("x", "1"): True})
    heat_map(
        heat_of({("x", "1"): (1 / 3, 9), ("y", "1"): (float("nan"), 0), ("x", "2"): (0.5, 3)}), "a", "b", "t", "s0"
    )
    assert seen["rows"] == ["x", "y"] and seen["columns"] == ["1", "2"] and seen["samples"] == "s0"
    first, second, third = seen["cells"]
    assert first == (0, 0, 0.333333, 0.233333, 0.433333, 9, True)
    assert second[:3] == (1, 0, None) and second[5:] == (0, None) and third[:3] == (0, 1, 0.5)


@pytest.mark.parametrize(
    ("sums", "trained"),
    [
        ({("x", "y", "False"): 1}, {("x", "y"): True}), ({("x", "y", "True"): 1}, {("x", "y"): False}),
        ({("x", "y", "False"): 1, ("x", "y", "True"): 1}, {("x", "y"): False}),
        ({("x", "y", "True"): 1, ("x", "y", "False"): 1}, {("x", "y"): False}), ({("x", "y", "–"): 1}, {}),
    ],
)  # fmt: skip
def test_a_cell_is_trained_if_everything_in_it_is(sums, trained, monkeypatch):
    monkeypatch.setattr(sections, "score_sums", lambda run, *names: sums if names == ("a", "b", "novel") else {})
    monkeypatch.setattr(sections, "fitted_here", lambda plan: True)
    assert trained_cells(heat_of({}, novel=True), "a", "b") == trained
    assert trained_cells(heat_of({}), "a", "b") == {}


def test_heat_maps_of_runs_that_vary(runs, monkeypatch):
    half, flat = runs["half"], runs["all"]
    names = distinct_names([half, flat])
    both = str(heat_card([half, flat], names, [("depth", "side")], "s0"))
    assert "Framed" not in both
    monkeypatch.setattr(sections, "fitted_here", lambda plan: True)
    assert "Framed: among the rows" in str(heat_card([half, flat], names, [("depth", "side")], "s0"))
    assert "mock/constant" in str(heat_card([flat], distinct_names([flat]), [("depth", "side")], "s0")), (
        "alone, it is shown"
    )
    assert heat_card([half], names, [], "s0") == "" == heat_card([half], names, [("nope", "side")], "s0")
    assert heat_card([half], names, [("side", "nope")], "s0") == ""


def test_learning_curves_where_there_are_some(runs, tmp_path):
    run = load_run(runs["half"].folder)
    assert curve_card([run], {id(run): "m"}, "s0") == ""
    run.folder = tmp_path
    (tmp_path / "adaptation").mkdir()
    line = msgspec.json.encode(Point(3, 0.0, scores={"test": 0.5})) + b"\n"
    (tmp_path / "adaptation" / "curve.jsonl").write_bytes(line)
    text = str(curve_card([run], {id(run): "m"}, "s0"))
    assert 'id="s0-curves"' in text and 'id="s0-curve"' in text and "Solid: unseen data." in text


def test_tasks_where_there_are_several(runs):
    run = runs["half"]
    assert task_card([run], distinct_names([run]), "s0") == ""
    tasks = SimpleNamespace(codes=lambda name: SimpleNamespace(labels=["a", "b"] if name == "task" else ["strict"]))
    several = SimpleNamespace(
        columns=tasks, by_task=lambda: [group(0.5)], plan=run.plan, estimand="mean", overall=run.overall
    )
    text = str(task_card([several, several], {id(several): "m"}, "s0"))
    assert "score of each task" in text and text.count("<tr>") == 3


def test_captions_say_what_numbers_are(runs):
    run = runs["half"]
    plan = msgspec.structs.replace(run.plan, protocol={})
    plain = SimpleNamespace(plan=plan, columns=run.columns, estimand="other")
    text = caption_of([run, run, plain], "scores")
    assert text == f"scores: {run.estimand}; other; protocol {run.plan.protocol['name']}, {plan.encoding['name']}; " \
        f"{', '.join(run.columns.codes('headline').labels)} reading; 95 % intervals."  # fmt: skip


def test_plans_are_shown_without_their_command_inside(runs):
    run = load_run(runs["half"].folder)
    run.plan = msgspec.structs.replace(run.plan, command="taskloom run x", notes={"zeta": 1, "alpha": "ü"})
    text = str(plan_card([run], {id(run): "m"}, "s0"))
    assert "taskloom run x" in text and "command:" not in text and f"plan: {run.plan.hash()}" in text
    assert text.index("zeta") < text.index("alpha") and "ü" in text, "as they stand in the plan"
