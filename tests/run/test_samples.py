"""Several answers to one question: every number by hand, and pass@k by counting."""

from __future__ import annotations

from itertools import combinations
from types import SimpleNamespace
from typing import NamedTuple

import numpy as np
import pytest

from taskloom import open_suite, run_suite
from taskloom.core.metric import ItemScore
from taskloom.run.samples import agreement, averaged, majority, mean_of_samples, pass_at, sample_estimates
from taskloom.score.metrics import MEAN


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


def fake(samples, rows, facets=None):
    """A run as far as samples read it: rows of task, instance, answer and score."""
    task, instance, answer, score = (list(column) for column in zip(*rows, strict=True))
    held = {"task": task, "id": instance, "answer": answer}
    columns = SimpleNamespace(
        column=lambda name: SimpleNamespace(to_pylist=lambda: held[name]),
        floats=lambda name: np.array([np.nan if one is None else one for one in score]),
    )
    tasks = {name: SimpleNamespace(facets=(facets or {}).get(name, {})) for name in dict.fromkeys(task)}
    plan = SimpleNamespace(samples=samples)
    return SimpleNamespace(columns=columns, tasks=tasks, plan=plan, replicate="data=1", mean_metric=lambda: MEAN)


def test_two_samples_are_several():
    rows = [("t", "1", "a", 1.0), ("t", "1", "b", 0.0), ("t", "2", "a", 0.0), ("t", "2", "a", 0.0)]
    found = {name: (estimate.value, estimate.n) for name, estimate in sample_estimates(fake(2, rows)).items()}
    assert found == {
        "mean": (0.25, 2), "pass@1": (0.25, 2), "pass@2": (0.5, 2), "majority": (0.5, 2), "agreement": (0.5, 2),
    }  # fmt: skip
    assert sample_estimates(fake(1, rows)) == {}


def test_failed_samples_do_not_count():
    rows = [("t", "1", "a", 1.0), ("t", "1", None, None), ("t", "2", "a", 0.0), ("t", "2", "b", 1.0)]
    found = {name: (estimate.value, estimate.n) for name, estimate in sample_estimates(fake(2, rows)).items()}
    assert found == {
        "mean": (0.75, 2), "pass@1": (0.75, 2), "pass@2": (1.0, 1), "majority": (0.5, 2), "agreement": (0.0, 1),
    }  # fmt: skip


def test_tasks_count_once_over_several():
    rows = [("t", "1", "a", 1.0), ("u", "1", "a", 0.0), ("u", "2", "a", 0.0), ("u", "3", "a", 1.0)]
    several = sample_estimates(fake(2, rows))["mean"]
    assert (several.value, several.tasks) == (pytest.approx((1 + 1 / 3) / 2), 2)
    one = sample_estimates(fake(2, rows[1:]))["mean"]
    assert one == MEAN.task([ItemScore("u", str(number), value) for number, value in ((1, 0.0), (2, 0.0), (3, 1.0))])


def test_pass_at_more_than_there_are_wrong_is_certain():
    assert pass_at([1.0, 0.0], 2) == 1.0 and pass_at([0.0, 0.0], 2) == 0.0 and pass_at([0.0, 0.0], 3) == 1.0
    assert pass_at([1.0 - 1e-12, 0.0], 1) == 0.5, "rounding is no mistake"


def test_instances_of_one_code_in_two_tasks_are_two():
    tasks, instances = np.array([0, 1, 0, 1], np.int8), np.array([1, 0, 0, 1])
    groups, means = mean_of_samples(tasks, instances, np.array([0.1, 0.2, 0.3, 0.4]))
    assert groups.tolist() == [0, 1, 0, 1] and means.tolist() == [0.1, 0.2, 0.3, 0.4]
    many = np.zeros(300, np.int8), np.arange(300)
    assert len(mean_of_samples(*many, np.ones(300))[1]) == 300
