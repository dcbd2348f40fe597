from __future__ import annotations

from html.parser import HTMLParser

import pytest

from taskloom.core import UserError
from taskloom.report.build import build_report
from taskloom.report.html import safe_json
from taskloom.report.sections import choose_facets, choose_pairs
from taskloom.run.results import load_run
from taskloom.run.runner import launch
from taskloom.run.session import RunSettings
from toy import FAMILY

HOSTILE = "</script><script>alert(1)</script><img src=x onerror=alert(2)>&\u2028"


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs")
    suite = FAMILY.open("all", 1, {"test": 100})
    made = []
    for name, options in (("oracle", {}), ("constant", {"answer": HOSTILE}), ("flaky", {"fail": 0.2})):
        launch(suite, folder / name, RunSettings(model=f"mock/{name}", model_options=options, command="taskloom run …"))
        made.append(load_run(folder / name))
    return made


class Reader(HTMLParser):
    """Collects what a browser would fetch or run."""

    def __init__(self) -> None:
        super().__init__()
        self.links: list[str] = []
        self.tags: list[str] = []
        self.open: list[str] = []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.links += [value for name, value in attrs if name in ("src", "href", "xlink:href") and value]


def test_the_page_is_complete_and_self_contained(runs, tmp_path):
    path = tmp_path / "page.html"
    build_report(runs, path, title="A <b>bold</b> title")
    text = path.read_text(encoding="utf-8")
    reader = Reader()
    reader.feed(text)
    assert [link for link in reader.links if not link.startswith("#")] == []
    assert "img" not in reader.tags
    assert text.count("<svg") >= 8
    assert "A &lt;b&gt;bold&lt;/b&gt; title" in text
    for words in ("95 % interval", "Score by facet", "Heat map of two facets", "Two runs", "Samples", "What was run"):
        assert words in text
    assert "taskloom run …" in text


def test_hostile_output_stays_text(runs, tmp_path):
    path = tmp_path / "page.html"
    build_report(runs, path)
    text = path.read_text(encoding="utf-8")
    assert "<script>alert" not in text
    assert "<img src=x" not in text


def test_json_in_a_script_cannot_end_it():
    assert "<" not in safe_json([HOSTILE])
    assert "\u2028" not in safe_json([HOSTILE])


def test_equal_runs_make_equal_pages(runs, tmp_path):
    for name in ("a.html", "b.html"):
        build_report(runs, tmp_path / name)
    assert (tmp_path / "a.html").read_bytes() == (tmp_path / "b.html").read_bytes()


def test_choices(runs):
    facets = choose_facets(runs, [])
    assert "size" in facets.drawn
    assert "share" in facets.left_out, "a hundred different numbers make no plot, and the page says so"
    pairs = choose_pairs(runs, facets.drawn, [])
    assert ("task", "size") in pairs or ("task", "tags") in pairs
    with pytest.raises(UserError, match="'size'"):
        choose_facets(runs, ["sizes"])


def test_a_facet_with_many_values_is_a_table_that_unfolds(many, tmp_path):
    launch(many, tmp_path / "run", RunSettings(model="mock/oracle"))
    build_report([load_run(tmp_path / "run")], tmp_path / "page.html")
    text = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert all(f"a{k:02}+b" in text for k in range(60))
    assert 'data-folded="30"' in text


def test_runs_must_be_given(tmp_path):
    with pytest.raises(UserError, match="at least one run"):
        build_report([], tmp_path / "x.html")


def test_curves_of_one_adaptation_per_task_become_their_mean(tmp_path):
    from taskloom.adapt.curves import Curve as Written
    from taskloom.adapt.curves import Point
    from taskloom.report.sections import read_curves

    # The second task stops early and has its own times of looking.
    for task, scores in {"a": {0: 0.0, 4: 0.5, 8: 1.0}, "b": {0: 0.0, 2: 0.5}}.items():
        folder = tmp_path / "adaptation" / "lanes" / task
        folder.mkdir(parents=True)
        written = Written(folder / "curve.jsonl")
        for update, score in scores.items():
            written.append(Point(update, update / 4, scores={"test": score, "train": 1.0}))
    [unseen, train] = read_curves(tmp_path, "run")
    assert unseen.name == "run (mean of 2 tasks)"
    assert [(point.x, point.y) for point in unseen.points] == [(0, 0.0), (2, 0.25), (4, 0.5), (8, 0.75)]
    assert [point.y for point in train.points] == [1.0] * 4


def test_curves_of_adaptations_are_drawn(tmp_path):
    from taskloom.adapt.curves import Curve as Written
    from taskloom.adapt.curves import Point
    from taskloom.report.sections import read_curves

    assert read_curves(tmp_path, "run") == []
    (tmp_path / "adaptation").mkdir()
    written = Written(tmp_path / "adaptation" / "curve.jsonl")
    for update in (0, 10, 20):
        written.append(Point(update=update, epoch=0.0, scores={"train": update / 20, "test": update / 40}))
    [unseen, train] = read_curves(tmp_path, "run")
    assert [(point.x, point.y) for point in unseen.points] == [(0, 0.0), (10, 0.25), (20, 0.5)]
    assert ([point.y for point in train.points], train.dashed) == ([0.0, 0.5, 1.0], True)


def test_runs_of_one_name_are_told_apart_by_what_differs_in_their_settings(tmp_path):
    from taskloom.report.sections import distinct_names

    suite = FAMILY.open("all", 1, {"test": 4})
    made = []
    for k, draw in ((1, 0), (1, 1), (2, 0)):
        folder = tmp_path / f"job-{len(made)}"
        options = {"k": k, "draw": draw}
        launch(suite, folder, RunSettings(model="mock/oracle", adapt="in-context", adapt_options=options))
        made.append(load_run(folder))
    names = [distinct_names(made)[id(run)].partition("(")[2] for run in made]
    assert names == ["k=1, draw=0)", "k=1, draw=1)", "k=2, draw=0)"]
    twice = [load_run(tmp_path / "job-0"), load_run(tmp_path / "job-0")]
    assert distinct_names(twice)[id(twice[0])].endswith("(job-0)")
    assert distinct_names(made[:1])[id(made[0])] == "mock/oracle + in-context"
