"""Curves of one training and of many: which data they are about, and what the mean of several is."""

from __future__ import annotations

import msgspec
import pytest

from taskloom.adapt.curves import Point
from taskloom.figures import LinePoint
from taskloom.report.sections import curve_at, mean_curve, read_curves


def write(path, *points):
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = [msgspec.json.encode(Point(update, 0.0, scores=scores)) + b"\n" for update, scores in points]
    path.write_bytes(b"".join(lines))


@pytest.mark.parametrize(("update", "value"), [(0, 0.1), (1, 0.1), (4, 0.1), (5, 0.5), (6, 0.5), (9, 0.9), (99, 0.9)])
def test_a_curve_stays_where_it_was_until_it_is_looked_at_again(update, value):
    assert curve_at([(1, 0.1), (5, 0.5), (9, 0.9)], update) == value


def test_the_mean_is_taken_wherever_one_was_looked_at():
    lanes = [[(0, 0.0), (10, 1.0)], [(0, 0.5), (5, 0.75)]]
    assert mean_curve(lanes) == [(0, 0.25), (5, 0.375), (10, 0.875)]
    assert mean_curve([]) == []


def test_one_curve_for_unseen_and_one_for_training_data(tmp_path):
    write(tmp_path / "adaptation" / "curve.jsonl", (0, {"dev": 0.25, "train": 0.5}), (3, {"train": 0.75}))
    unseen, train = read_curves(tmp_path, "run")
    assert (unseen.name, unseen.points, unseen.dashed) == ("run", (LinePoint(0, 0.25),), False)
    assert (train.name, train.points, train.dashed) == ("run", (LinePoint(0, 0.5), LinePoint(3, 0.75)), True)


def test_test_scores_are_unseen_data_before_development_scores(tmp_path):
    write(tmp_path / "adaptation" / "curve.jsonl", (0, {"dev": 0.25}), (3, {"dev": 0.5, "test": 0.125}))
    (unseen,) = read_curves(tmp_path, "run")
    assert unseen.points == (LinePoint(3, 0.125),)


def test_several_lanes_are_their_mean(tmp_path):
    for lane, value in (("a", 0.25), ("b", 0.75)):
        write(tmp_path / "adaptation" / "lanes" / lane / "curve.jsonl", (2, {"test": value}))
    write(tmp_path / "adaptation" / "lanes" / "c" / "curve.jsonl")
    (mean,) = read_curves(tmp_path, "run")
    assert (mean.name, mean.points) == ("run (mean of 2 tasks)", (LinePoint(2, 0.5),)), "an empty lane is none"
    write(tmp_path / "adaptation" / "curve.jsonl", (2, {"test": 1.0}))
    (alone,) = read_curves(tmp_path, "run")
    assert (alone.name, alone.points) == ("run", (LinePoint(2, 1.0),)), "the curve of the whole comes first"
    assert read_curves(tmp_path / "nowhere", "run") == []
