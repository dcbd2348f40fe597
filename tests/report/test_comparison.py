"""Which way round a difference is, in numbers and in words."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from taskloom.core.metric import Estimate
from taskloom.report import sections as comparison
from taskloom.report.sections import Outcomes, Side, compare_sides, comparison_card
from taskloom.run.results import Group, load_run
from taskloom.run.runner import launch
from taskloom.run.session import RunSettings
from taskloom.score.stats import Comparison
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


class Scored:
    """As much of a run as choosing a side looks at."""

    def __init__(self, value):
        self._value = value

    def overall(self):
        return Group("g", Estimate(self._value, 0.0, 1.0, 10), 10, 0, 0, 0)


def outcome(detectable, n=10, p_value=0.5):
    return Comparison(0.1, -0.1, 0.3, p_value, n, 2, 1, 3, "tasks", detectable)


def test_many_sides_are_compared_with_the_best(monkeypatch):
    monkeypatch.setattr(comparison, "compare_runs", lambda first, second: outcome(0.5))
    sides = [Side(str(n), [Scored(value)]) for n, value in enumerate([0.1, 0.9, *[0.5] * 11])]
    few = compare_sides(sides[:12]).pairs
    assert len(few) == 12 * 11 // 2 and [side.name for side in few[0][:2]] == ["0", "1"]
    many = compare_sides(sides).pairs
    assert len(many) == 12 and {second.name for _, second, _ in many} == {"1"}
    assert [first.name for first, _, _ in many] == ["0", *map(str, range(2, 13))]


def test_what_could_have_been_seen():
    def said(*found):
        return Outcomes([(Side("a", []), Side("b", []), one) for one in found]).sentences()

    assert said() == [] == said(outcome(0.5, n=0))
    assert said(outcome(0.25))[1] == "Given how much these runs disagree, 80 % power needs a true difference of 0.250."
    assert said(outcome(0.25), outcome(0.5))[1].endswith("a true difference of 0.250 to 0.500.")
    assert said(outcome(0.2501), outcome(0.2502))[1].endswith("a true difference of 0.250.")
    assert "no difference could be found" in said(outcome(1.0), outcome(1.0))[1]
    assert "0.990 to 1.000" in said(outcome(1.0), outcome(0.99))[1]


def card_of(*outcomes, names=None):
    sides = names or [f"m{place:02}" for place in range(len(outcomes))]
    pairs = [(Side("base", [Facing()]), Side(name, [Facing()]), one) for name, one in zip(sides, outcomes, strict=True)]
    return str(comparison_card(Outcomes(pairs), "pairs"))


class Facing(Scored):
    """As much of a run as a card of comparisons looks at."""

    tasks = ("a", "b")

    def __init__(self):
        super().__init__(0.5)

    def metric(self):
        return SimpleNamespace(name="mean")

    def by_facet(self, name):
        return {}


@pytest.fixture
def plain(monkeypatch):
    monkeypatch.setattr(comparison, "figure", lambda drawn, anchor, text: f"[{anchor}: {text}]")


def test_the_clearest_differences_come_first(plain):
    text = card_of(outcome(0.5, p_value=0.3), outcome(0.5, p_value=0.01), outcome(0.5, p_value=0.2))
    assert text.index("m01 against base") < text.index("m02 against base") < text.index("m00 against base")


@pytest.mark.parametrize(("count", "words"), [(12, None), (13, "The 12 clearest of 13 comparisons.")])
def test_twelve_comparisons_are_shown(plain, count, words):
    text = card_of(*(outcome(0.5, p_value=place / 100) for place in range(count)))
    assert "m11 against base" in text and "m12 against base" not in text
    assert ("clearest of" in text) == (words is not None) and (words or "") in text


def test_pairs_that_share_nothing_are_not_shown(plain):
    assert card_of() == "" == card_of(outcome(0.5, n=0))
    assert "m01 against base" not in card_of(outcome(0.5), outcome(0.5, n=0))


@pytest.mark.parametrize(("tasks", "words"), [(1, "of 1 task;"), (2, "of 2 tasks;"), (1200, "of 1,200 tasks;")])
def test_a_comparison_in_words(plain, tasks, words):
    text = card_of(outcome(0.5, n=1500)._replace(tasks=tasks))
    assert f"1,500 shared instances {words} better on 2, worse on 1." in text
    assert "[-0.100, +0.300], p = 0.5" in text and "+0.100" in text and "A dot per task" in text
