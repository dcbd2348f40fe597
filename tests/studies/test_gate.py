"""A gate passes and fails by intervals, and says so when it cannot tell."""

from __future__ import annotations

from collections import Counter

import pytest

from taskloom import UserError, open_suite, run_suite
from taskloom.core.metric import Estimate
from taskloom.score.stats import Comparison, clustered_mean, compare_paired
from taskloom.studies import contrasts as gate
from taskloom.studies.contrasts import GateCheck, GateResult, gate_run, side_of


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs")
    suite = open_suite("babi/mix-t7")
    flaky = {"fail": 0.0, "stall": 0.0, "truncate": 0.0, "rubbish": 0.0, "empty": 0.2}
    return {
        "oracle": run_suite(suite, model="mock/oracle", folder=folder / "oracle", limit=100),
        "flaky": run_suite(suite, model="mock/flaky", model_options=flaky, folder=folder / "flaky", limit=100),
        "majority": run_suite(suite, model="mock/majority", folder=folder / "majority", limit=100),
    }


def test_levels(runs):
    assert gate_run(runs["oracle"], minimum=0.8).verdict == "pass"
    assert gate_run(runs["majority"], minimum=0.9).verdict == "fail"
    flaky = runs["flaky"].overall().estimate
    assert gate_run(runs["flaky"], minimum=flaky.value).verdict == "cannot tell"
    (check,) = gate_run(runs["flaky"], minimum=0.5).checks
    # One check alone decides by the very interval that tables show.
    assert (check.value, check.low, check.high) == (flaky.value, flaky.low, flaky.high)


def test_groups_share_the_level(runs):
    result = gate_run(runs["oracle"], minimum=0.9, by=["question"])
    kinds = Counter(record.facets["question"] for record in runs["oracle"].records)
    assert [check.name for check in result.checks] == ["overall", *sorted(kinds)]
    alone = {key[0]: group.estimate for key, group in runs["oracle"].by_facet("question").items()}
    for check in result.checks[1:]:
        assert check.low < alone[check.name].low  # wider than the interval of one group alone
    with pytest.raises(UserError, match="facet"):
        gate_run(runs["oracle"], minimum=0.9, by=["questoin"])


def test_drops_are_paired(runs):
    same = gate_run(runs["oracle"], baseline=runs["oracle"], max_drop=0.1)
    assert same.verdict == "pass"
    worse = gate_run(runs["majority"], baseline=runs["oracle"], max_drop=0.1)
    assert worse.verdict == "fail" and worse.checks[0].high < -0.1
    assert gate_run(runs["oracle"], baseline=runs["flaky"], max_drop=0.0).verdict == "pass"
    both = gate_run(runs["flaky"], minimum=0.2, baseline=runs["oracle"], max_drop=0.9, by=["question"])
    assert both.verdict == "pass" and {check.kind for check in both.checks} == {"level", "drop"}


def test_a_drop_has_the_level_that_was_asked_for(runs):
    wide, narrow = (
        gate_run(runs["flaky"], baseline=runs["oracle"], max_drop=0.1, level=level).checks[0] for level in (0.99, 0.8)
    )
    assert wide.value == narrow.value
    assert wide.low < narrow.low < narrow.high < wide.high


def test_what_makes_no_sense_is_refused(runs, tmp_path):
    oracle = runs["oracle"]
    for settings in ({}, {"minimum": 2.0}, {"max_drop": 0.1}, {"baseline": oracle}):
        with pytest.raises(UserError):
            gate_run(oracle, **settings)
    other = run_suite(open_suite("babi/task-1"), model="mock/oracle", folder=tmp_path, limit=5)
    with pytest.raises(UserError, match=r"share no questions.*5 records of babi/task-1.*300 records of babi/mix-t7"):
        gate_run(oracle, baseline=other, max_drop=0.1)


def test_another_data_seed_is_no_baseline(tmp_path):
    one, two = (
        run_suite(open_suite("babi/task-1", seed=seed), model="mock/oracle", folder=tmp_path / str(seed), limit=50)
        for seed in (1, 2)
    )
    assert {record.id for record in one.records} == {record.id for record in two.records}, "the ids are the same"
    with pytest.raises(UserError, match="share no questions"):
        gate_run(one, baseline=two, max_drop=0.5)


def test_a_baseline_that_shares_some_questions_says_how_far(runs, tmp_path):
    fewer = run_suite(open_suite("babi/mix-t7"), model="mock/oracle", folder=tmp_path, limit=40)
    (check,) = gate_run(runs["oracle"], baseline=fewer, max_drop=0.5).checks
    assert (check.n, check.unpaired) == (120, 180)
    assert "180 answers left out" in check.sentence()


@pytest.mark.parametrize(
    ("low", "high", "n", "verdict"),
    [
        (0.5, 0.9, 9, "pass"),
        (0.4999, 0.9, 9, "cannot tell"),
        (0.1, 0.5, 9, "cannot tell"),
        (0.1, 0.4999, 9, "fail"),
        (0.6, 0.9, 0, "cannot tell"),
        (float("nan"), 0.1, 9, "cannot tell"),
        (0.6, float("nan"), 9, "cannot tell"),
    ],
)
def test_the_whole_interval_has_to_be_on_one_side(low, high, n, verdict):
    assert side_of(low, high, 0.5, n) == verdict


@pytest.mark.parametrize(
    ("found", "verdict"),
    [
        (["pass", "pass"], "pass"),
        (["pass", "cannot tell"], "cannot tell"),
        (["cannot tell", "fail", "pass"], "fail"),
    ],
)
def test_a_gate_is_as_good_as_its_worst_check(found, verdict):
    checks = [GateCheck("overall", "level", 0.5, 0.6, 0.5, 0.7, 9, each) for each in found]
    assert GateResult("m", checks, 0.95, "mean").verdict == verdict


def test_checks_in_words():
    level = GateCheck("overall", "level", 0.5, 0.61, 0.52, 0.7, 1234, "pass")
    assert level.sentence() == "overall: 0.610 [0.520, 0.700], n = 1,234, at least 0.5 wanted"
    drop = level._replace(name="a × b", kind="drop", value=0.01, low=-0.02, bound=0.1)
    expected = "a × b: +0.010 [-0.020, 0.700], n = 1,234 against the baseline, a drop of 0.1 allowed"
    assert drop.sentence() == expected
    assert level._replace(n=0).sentence() == "overall: nothing was scored"
    assert "nothing" not in level._replace(n=1).sentence()


@pytest.mark.parametrize("both", [True, False])
def test_each_of_several_checks_has_its_share_of_the_level(runs, both):
    run = runs["flaky"]
    drop = {"baseline": runs["oracle"], "max_drop": 0.5} if both else {}
    checks = gate_run(run, minimum=0.5, by=["question"], level=0.9, **drop).checks
    groups = run.records_by("question")
    each = (1 + len(groups)) * (2 if both else 1)
    assert len(checks) == each
    for check in checks:
        held = run.records if check.name == "overall" else groups[tuple(check.name.split(" × "))]
        if check.kind == "level":
            cells = {}
            for score in run.scored(held):
                cells.setdefault((score.task, ""), []).append(score.value)
            expected = clustered_mean(cells, 1 - 0.1 / each)
            assert (check.value, check.low, check.high, check.n) == pytest.approx(expected[:4])
        else:
            ours, theirs = (
                {(score.task, score.id): score.value for score in one.scored(records)}
                for one, records in ((run, held), (runs["oracle"], runs["oracle"].records))
            )
            difference = compare_paired(theirs, ours, 1 - 0.1 / each)
            assert (check.value, check.low, check.high, check.n) == pytest.approx(
                (difference.difference, difference.low, difference.high, difference.n)
            )


def test_what_a_result_says_of_itself(runs):
    result = gate_run(runs["oracle"], minimum=0.5, level=0.8)
    assert (result.run, result.level, result.estimand) == ("mock/oracle", 0.8, runs["oracle"].estimand)


@pytest.mark.parametrize("bound", [0, 1])
def test_bounds_are_shares(runs, bound):
    oracle = runs["oracle"]
    assert gate_run(oracle, minimum=bound).checks[0].bound == bound
    assert gate_run(oracle, baseline=oracle, max_drop=bound).checks[0].bound == bound
    for name, settings in (("--min", {"minimum": 3 * bound - 1.5}), ("--max-drop", {"max_drop": 3 * bound - 1.5})):
        with pytest.raises(UserError, match="between 0 and 1") as raised:
            gate_run(oracle, **settings)
        assert raised.value.where == name


@pytest.mark.parametrize("settings", [{"max_drop": 0.1}, {"baseline": 1}, {"minimum": 0.5, "max_drop": 0.1}])
def test_a_baseline_and_a_drop_belong_together(runs, settings):
    given = {key: runs["oracle"] if key == "baseline" else value for key, value in settings.items()}
    with pytest.raises(UserError, match="a baseline needs a maximum drop"):
        gate_run(runs["oracle"], **given)
    with pytest.raises(UserError, match="nothing to check"):
        gate_run(runs["oracle"])


class Other:
    """A metric of its own, which knows one level only."""

    name = "share"

    def task(self, scores):
        return Estimate(0.25, 0.2, 0.3, len(scores))

    def suite(self, scores, facets):
        return Estimate(0.75, 0.7, 0.8, len(scores), len(facets))

    def from_values(self, cells, facets):
        return None


def test_another_metric_is_shown_as_tables_show_it(runs, monkeypatch):
    run = runs["oracle"]
    monkeypatch.setattr(run, "metric", Other)
    several, *ones = gate_run(run, minimum=0.22, by=["task"]).checks
    assert (several.value, several.low, several.high, several.n) == (0.75, 0.7, 0.8, 300)
    assert [(check.value, check.low, check.high, check.n) for check in ones] == [(0.25, 0.2, 0.3, 100)] * 3
    seen = []
    comparison = Comparison(-0.5, -0.6, -0.4, 0.01, 7, 0, 7)
    monkeypatch.setattr(gate, "compare_runs", lambda *sides: seen.append(sides) or comparison)
    (check,) = gate_run(run, baseline=runs["flaky"], max_drop=0.1).checks
    assert [sides[:2] for sides in seen] == [([runs["flaky"]], [run])]
    assert (check.value, check.low, check.high, check.n, check.verdict) == (-0.5, -0.6, -0.4, 7, "fail")
