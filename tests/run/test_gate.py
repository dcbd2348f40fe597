"""A gate passes and fails by intervals, and says so when it cannot tell."""

from __future__ import annotations

from collections import Counter

import pytest

from taskloom import UserError, open_suite, run_suite
from taskloom.run.gate import gate_run


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
    with pytest.raises(UserError, match="shares no instances"):
        gate_run(oracle, baseline=other, max_drop=0.1)
