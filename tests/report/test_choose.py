"""Which facets a report draws without being asked."""

from __future__ import annotations

import pytest

from taskloom.core import AnyOf, Instance, Instruction, Row, Suite, Task
from taskloom.report.choose import choose_facets
from taskloom.run.results import load_run
from taskloom.run.runner import RunSettings, launch


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """Thirty questions with a facet for everything that may be left out."""
    rows = [
        Row("t", Instance(str(n), f"q {n}", AnyOf((("yes", "no")[n % 2],)), {
            "answer": ("yes", "no")[n % 2], "depth": n % 3, "same": "x", "name": f"n{n}", "number": n % 15,
        }))
        for n in range(30)
    ]  # fmt: skip
    facets: dict[str, type] = {"answer": str, "depth": int, "same": str, "name": str, "number": int}
    task = Task("t", Instruction("Say yes or no."), "label", "label", ("yes", "no"))
    suite = Suite("x/y", {}, 1, {"t": task}, {"test": 30}, lambda split: iter(rows), facets, "pairs")
    folder = tmp_path_factory.mktemp("runs") / "one"
    launch(suite, folder, RunSettings(model="mock/constant", model_options={"answer": "yes"}))
    return load_run(folder)


def test_the_right_answer_is_not_drawn_as_a_facet(run):
    facets = choose_facets([run], ())
    assert "answer" not in facets.drawn
    assert facets.left_out["answer"] == "is the right answer"
    assert choose_facets([run], ("answer",)).drawn == ["answer"]


def test_what_divides_nothing_or_everything_is_not_drawn(run):
    facets = choose_facets([run], ())
    assert "depth" in facets.drawn
    assert "same" not in facets.drawn and "same" not in facets.left_out
    assert "hardly any twice" in facets.left_out["name"]
