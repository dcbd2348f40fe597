"""Several answers to one question: every number by hand, and pass@k by counting."""

from __future__ import annotations

from itertools import combinations
from typing import NamedTuple

import numpy as np
import pytest

from taskloom import open_suite, run_suite
from taskloom.core.metric import ItemScore
from taskloom.run.samples import agreement, averaged, majority, mean_of_samples, pass_at, sample_estimates


class Said(NamedTuple):
    answer: str | None
    score: float | None


@pytest.mark.parametrize("scores", [[1.0, 0.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 0.0], [1.0, 1.0], [0.999, 1.0, 0.5]])
def test_pass_at_k_is_the_share_of_draws_with_a_right_answer(scores):
    for k in range(1, len(scores) + 1):
        draws = list(combinations(scores, k))
        assert pass_at(scores, k) == pytest.approx(sum(1.0 in draw for draw in draws) / len(draws))


def test_votes_and_agreement():
    said = [Said("b", 0.0), Said("a", 1.0), Said(None, 0.0), Said("a", 1.0), Said("b", 0.0)]
    assert majority(said) == 0.0, "of equally common answers the first"
    assert majority([*said, Said("a", 1.0)]) == 1.0
    assert majority([Said(None, 0.0)]) == 0.0
    assert majority([Said("a", None)]) == 0.0
    assert agreement(said) == pytest.approx(2 / 10), "two pairs of ten"
    assert agreement([Said("a", 1.0)]) is None
    assert agreement([Said("a", 1.0), Said("a", 1.0)]) == 1.0


def test_means_of_samples():
    scores = [ItemScore("t", "1", 1.0, {"first": 1}), ItemScore("u", "1", 0.5), ItemScore("t", "1", 0.0)]
    found = averaged(scores)
    assert [(score.task, score.id, score.value) for score in found] == [("t", "1", 0.5), ("u", "1", 0.5)]
    assert found[0].details == {"first": 1}
    tasks, instances = np.array([1, 0, 1, 1, 0]), np.array([2, 0, 2, 0, 0])
    groups, means = mean_of_samples(tasks, instances, np.array([1.0, 0.25, 0.0, 0.75, 0.75]))
    assert groups.tolist() == [1, 0, 1] and means.tolist() == [0.5, 0.5, 0.75], "by their first sample"
    empty = np.array([])
    assert mean_of_samples(empty, empty, empty)[1] is empty


def test_estimates_of_a_run(tmp_path):
    suite = open_suite("babi/task-1", options={"test": 30})
    flaky = {"fail": 0.0, "stall": 0.0, "truncate": 0.0, "rubbish": 0.0, "empty": 0.5}
    run = run_suite(
        suite,
        model="mock/flaky",
        model_options=flaky,
        samples=3,
        generation={"temperature": 0.7},
        folder=tmp_path / "three",
    )
    found = sample_estimates(run)
    assert set(found) == {"mean", "pass@1", "pass@3", "majority", "agreement"}
    by_id: dict[str, list] = {}
    for record in run.records:
        by_id.setdefault(record.id, []).append(record)
    assert {len(group) for group in by_id.values()} == {3} and found["mean"].n == 30
    for name, expected in (
        ("mean", [sum(record.score for record in group) / 3 for group in by_id.values()]),
        ("pass@1", [pass_at([record.score for record in group], 1) for group in by_id.values()]),
        ("pass@3", [float(any(record.score == 1 for record in group)) for group in by_id.values()]),
        ("majority", [majority(group) for group in by_id.values()]),
        ("agreement", [agreement(group) for group in by_id.values()]),
    ):
        assert found[name].value == pytest.approx(sum(expected) / 30), name
    once = run_suite(suite, model="mock/oracle", folder=tmp_path / "once")
    assert sample_estimates(once) == {}
