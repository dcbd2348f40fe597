"""Which way round a difference is, in numbers and in words."""

from __future__ import annotations

import pytest

from taskloom.report.comparison import Side, compare_sides, comparison_card
from taskloom.run.results import load_run
from taskloom.run.runner import RunSettings, launch
from toy import FAMILY


@pytest.fixture(scope="module")
def sides(tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs")
    suite = FAMILY.open("all", 1, {"test": 60})
    for name, options in (("oracle", {}), ("constant", {"answer": "yes"})):
        launch(suite, folder / name, RunSettings(model=f"mock/{name}", model_options=options))
    return {name: Side(name, [load_run(folder / name)]) for name in ("oracle", "constant")}


@pytest.mark.parametrize(("first", "second", "sign"), [("constant", "oracle", 1), ("oracle", "constant", -1)])
def test_the_difference_is_the_second_minus_the_first(sides, first, second, sign):
    ((one, two, outcome),) = compare_sides([sides[first], sides[second]]).pairs
    scores = {name: side.runs[0].overall().estimate.value for name, side in sides.items()}
    assert (one.name, two.name) == (first, second)
    assert outcome.difference == pytest.approx(scores[second] - scores[first])
    assert outcome.difference * sign > 0
    assert (outcome.better > 0, outcome.worse > 0) == (sign > 0, sign < 0)
    assert outcome.low <= outcome.difference <= outcome.high


def test_the_card_says_the_second_run_with_the_sign_of_its_difference(sides):
    text = str(comparison_card(compare_sides([sides["constant"], sides["oracle"]]), "compare"))
    assert text.index("oracle") < text.index("constant")
    assert "+0." in text or "+1." in text
    assert "worse on 0." in text
