"""The mean, over instances of a task, over tasks, and over all instances."""

from __future__ import annotations

import math

import numpy as np

from taskloom.core.metric import ItemScore
from taskloom.score.metrics import MEAN, MeanScore
from taskloom.score.stats import clustered_mean, mean_estimate

SCORES = [
    ItemScore("a", "1", 1.0), ItemScore("a", "2", 0.0), ItemScore("a", "3", 1.0), ItemScore("b", "1", 0.5, seed="x"),
]  # fmt: skip
CELLS = {("a", ""): [1.0, 0.0, 1.0], ("b", "x"): [0.5]}


def test_the_number_of_a_task():
    assert MEAN.number(SCORES) == 0.625 and math.isnan(MEAN.number([]))


def test_the_estimate_of_a_task_and_of_a_suite():
    assert MEAN.task(SCORES[:3]) == mean_estimate([1.0, 0.0, 1.0])
    assert MEAN.suite(SCORES) == clustered_mean(CELLS) == MEAN.from_values(CELLS)
    assert MEAN.suite(iter(SCORES), {"a": {}}) == clustered_mean(CELLS)


def test_every_instance_may_count_once():
    instances = MeanScore(weigh="instances")
    assert instances.suite(SCORES) == clustered_mean(CELLS, weigh="instances") == instances.from_values(CELLS)
    assert instances.suite(SCORES).value == np.mean([1.0, 0.0, 1.0, 0.5]) != MEAN.suite(SCORES).value
    assert MeanScore().weigh == "tasks" and MEAN.name == "mean"
