"""Numbers with intervals, as they show themselves, and metrics by name."""

from __future__ import annotations

import pytest

from taskloom.core import UserError
from taskloom.core.metric import Estimate, ItemScore, make_metric


def test_an_estimate_is_of_one_task_unless_it_says_otherwise():
    one = Estimate(0.25, 0.125, 0.5, 1234)
    assert (one.tasks, one.method) == (1, "wilson")
    assert str(one) == "0.250 [0.125, 0.500] n=1,234" and repr(one) == f"<Estimate {one}>"
    html = Estimate(0.25, 0.125, 0.5, 1234, 5678)._repr_html_()
    cells = [part.partition("</td>")[0].rpartition(">")[2] for part in html.split("<td")[1:]]
    assert cells == ["0.250", "0.125", "0.500", "1,234", "5,678", "wilson"]


def test_scores_of_one_run_have_no_seed():
    score = ItemScore("t", "1", 0.5)
    assert (score.details, score.facets, score.seed) == ({}, {}, "")


def test_a_metric_by_name_with_some_of_its_options():
    assert make_metric("competence", {"threshold": 0.5}).threshold == 0.5
    assert make_metric("competence").threshold == 0.9
    with pytest.raises(UserError, match="metric competence: unknown key 'nothing'"):
        make_metric("competence", {"nothing": 1})
