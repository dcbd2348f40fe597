"""The F1 of tasks and the kinds of errors, from bucket entries."""

from __future__ import annotations

import pytest

from taskloom.core.catalog import METRICS
from taskloom.core.metric import ItemScore
from taskloom.families.zest.score.metrics import ZestF1, error_kind, error_shares


def test_f1_of_a_task_comes_from_its_buckets() -> None:
    scores = [
        ItemScore("t", "1", 1.0, {"tp": [1.0]}),
        ItemScore("t", "2", 0.5, {"tp": [0.5]}),
        ItemScore("t", "3", 0.0, {"fn": [0.0]}),
        ItemScore("t", "4", 1.0, {"tn": [1.0]}),
    ]
    estimate = ZestF1().task(scores)
    assert estimate.value == pytest.approx(0.6)
    assert 0 <= estimate.low < 0.6 < estimate.high <= 1
    assert ZestF1().suite(scores).value == pytest.approx(0.6)


def test_errors_are_sorted_as_in_table_6() -> None:
    scores = [
        ItemScore("t", "1", 1.0, {"tn": [1.0]}),
        ItemScore("t", "2", 0.0, {"fn": [0.0]}),
        ItemScore("t", "3", 0.0, {"fp": [0.0]}),
        ItemScore("t", "4", 0.5, {"tp": [0.5]}),
        ItemScore("t", "5", 0.0, {"tp": [0.0]}),
        ItemScore("t", "6", 0.4, {"tp": [1.0], "fn": [0.0], "fp": [0.0]}),
    ]
    assert [error_kind(score) for score in scores] == [None, "recall", "precision", "partial", "other", "partial"]
    assert error_shares(scores) == {"recall": 1, "precision": 1, "partial": 2, "other": 1}


def test_competence_by_f1_differs_from_competence_by_the_mean() -> None:
    scores = [ItemScore("t", str(index), 1.0, {"tn": [1.0]}) for index in range(19)]
    scores.append(ItemScore("t", "19", 0.0, {"fn": [0.0]}))
    assert METRICS.get("competence").suite(scores).value == 1.0
    assert METRICS.get("zest-competence").suite(scores).value == 0.0
