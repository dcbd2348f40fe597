"""The numbers of fixed data sets to six digits: no estimate, interval or test changes unseen.

Where one changes on purpose, coverage has to be measured anew (`python -m benchmarks.coverage`), then the tables here:
`python tests/score/test_stats_fixed.py` prints them.
"""

from __future__ import annotations

import numpy as np
import pytest

from taskloom.core.metric import Estimate
from taskloom.score import stats
from taskloom.score.compare import _reach, compare_apart, compare_cells
from taskloom.score.stats import clustered_mean


def grid(tasks: int, seeds: list[str], size: int, grades: int) -> dict[tuple[str, str], np.ndarray]:
    """Scores by (task, seed): tasks of unlike sizes, seeds that shift them a little."""
    return {
        (f"t{task}", seed): np.array([
            ((7 * task + 3 * step + 5 * row + row // 4) % grades / (grades - 1)) ** 2 for row in range(size + 4 * task)
        ])
        for task in range(tasks)
        for step, seed in enumerate(seeds)
    }  # fmt: skip


GRIDS = {
    "one": grid(1, [""], 9, 3),
    "right or wrong": grid(1, [""], 23, 2),
    "tasks": grid(4, [""], 6, 3),
    "many": grid(9, [""], 3, 5),
    "seeds": grid(3, ["run=0", "run=1"], 5, 4),
    "factors": grid(3, ["data=0;run=0", "data=0;run=1", "data=1;run=0"], 5, 4),
    "one task": grid(1, ["a", "b", "c"], 6, 3),
    "ragged": {key: values for key, values in grid(3, ["0", "1", "2"], 5, 4).items() if key != ("t1", "1")},
}
CASES = [(name, weigh, level) for name in GRIDS for weigh in ("tasks", "instances") for level in (0.95, 0.8)]


def estimated(name, weigh, level):
    found = clustered_mean(GRIDS[name], level, weigh)
    how = found.method.removeprefix(f"{weigh} weighed, ").removesuffix(" degrees of freedom")
    return [round(number, 6) for number in found[:3]], found.n, found.tasks, how


def compared(name, weigh, level):
    """Differences: a gain for every third instance, a loss for every fourth of the rest."""
    shift = [0.5 if row % 3 == 0 else -0.25 if row % 4 == 0 else 0.0 for row in range(60)]
    deltas = {key: np.array(shift[: len(scores)]) * (scores < 1) for key, scores in GRIDS[name].items()}
    if name == "right or wrong":
        deltas = {key: np.sign(values) for key, values in deltas.items()}
    found = compare_cells(deltas, level, weigh)
    return [round(number, 6) for number in found[:4]], *found[4:8], round(found.detectable, 4)


ESTIMATES = {
    ("one", "tasks", 0.95): ([0.277778, 0.090418, 0.598091], 9, 1, "wilson"),
    ("one", "tasks", 0.8): ([0.277778, 0.132806, 0.491338], 9, 1, "wilson"),
    ("one", "instances", 0.95): ([0.277778, 0.090418, 0.598091], 9, 1, "wilson"),
    ("one", "instances", 0.8): ([0.277778, 0.132806, 0.491338], 9, 1, "wilson"),
    ("right or wrong", "tasks", 0.95): ([0.521739, 0.329627, 0.707628], 23, 1, "wilson"),
    ("right or wrong", "tasks", 0.8): ([0.521739, 0.391322, 0.649258], 23, 1, "wilson"),
    ("right or wrong", "instances", 0.95): ([0.521739, 0.329627, 0.707628], 23, 1, "wilson"),
    ("right or wrong", "instances", 0.8): ([0.521739, 0.391322, 0.649258], 23, 1, "wilson"),
    ("tasks", "tasks", 0.95): ([0.40119, 0.240971, 0.585732], 48, 4, "t with 3.0"),
    ("tasks", "tasks", 0.8): ([0.40119, 0.311877, 0.497586], 48, 4, "t with 3.0"),
    ("tasks", "instances", 0.95): ([0.40625, 0.179919, 0.680901], 48, 4, "t with 2.1"),
    ("tasks", "instances", 0.8): ([0.40625, 0.287266, 0.537361], 48, 4, "t with 2.1"),
    ("many", "tasks", 0.95): ([0.339993, 0.24861, 0.44507], 171, 9, "t with 8.0"),
    ("many", "tasks", 0.8): ([0.339993, 0.282343, 0.402808], 171, 9, "t with 8.0"),
    ("many", "instances", 0.95): ([0.374269, 0.341324, 0.408422], 171, 9, "t with 4.4"),
    ("many", "instances", 0.8): ([0.374269, 0.355548, 0.393374], 171, 9, "t with 4.4"),
    ("seeds", "tasks", 0.95): ([0.345774, 0.30213, 0.392179], 54, 3, "t with 3.0"),
    ("seeds", "tasks", 0.8): ([0.345774, 0.32293, 0.369353], 54, 3, "t with 3.0"),
    ("seeds", "instances", 0.95): ([0.351852, 0.303005, 0.404008], 54, 3, "t with 2.3"),
    ("seeds", "instances", 0.8): ([0.351852, 0.328647, 0.375778], 54, 3, "t with 2.3"),
    ("factors", "tasks", 0.95): ([0.386494, 0.133255, 0.72078], 81, 3, "t with 1.6"),
    ("factors", "tasks", 0.8): ([0.386494, 0.260329, 0.529991], 81, 3, "t with 1.6"),
    ("factors", "instances", 0.95): ([0.386831, 0.155136, 0.684293], 81, 3, "t with 1.6"),
    ("factors", "instances", 0.8): ([0.386831, 0.276397, 0.510274], 81, 3, "t with 1.6"),
    ("one task", "tasks", 0.95): ([0.375, 0.086944, 0.790822], 18, 1, "t with 2.0"),
    ("one task", "tasks", 0.8): ([0.375, 0.196848, 0.594949], 18, 1, "t with 2.0"),
    ("one task", "instances", 0.95): ([0.375, 0.086944, 0.790822], 18, 1, "t with 2.0"),
    ("one task", "instances", 0.8): ([0.375, 0.196848, 0.594949], 18, 1, "t with 2.0"),
    ("ragged", "tasks", 0.95): ([0.393352, 0.21228, 0.60939], 72, 3, "t with 1.8"),
    ("ragged", "tasks", 0.8): ([0.393352, 0.30952, 0.483976], 72, 3, "t with 1.8"),
    ("ragged", "instances", 0.95): ([0.391975, 0.246779, 0.559179], 72, 3, "t with 2.0"),
    ("ragged", "instances", 0.8): ([0.391975, 0.323515, 0.464965], 72, 3, "t with 2.0"),
}  # fmt: skip
COMPARISONS = {
    ("one", "tasks", 0.95): ([0.111111, -0.206392, 0.388211, 0.442389], 9, 3, 2, 1, 0.4904),
    ("one", "tasks", 0.8): ([0.111111, -0.103486, 0.285304, 0.442389], 9, 3, 2, 1, 0.4904),
    ("one", "instances", 0.95): ([0.111111, -0.206392, 0.388211, 0.442389], 9, 3, 2, 1, 0.4904),
    ("one", "instances", 0.8): ([0.111111, -0.103486, 0.285304, 0.442389], 9, 3, 2, 1, 0.4904),
    ("right or wrong", "tasks", 0.95): ([0.086957, -0.139516, 0.299516, 0.6875], 23, 4, 2, 1, 0.3361),
    ("right or wrong", "tasks", 0.8): ([0.086957, -0.063534, 0.223534, 0.6875], 23, 4, 2, 1, 0.3361),
    ("right or wrong", "instances", 0.95): ([0.086957, -0.139516, 0.299516, 0.6875], 23, 4, 2, 1, 0.3361),
    ("right or wrong", "instances", 0.8): ([0.086957, -0.063534, 0.223534, 0.6875], 23, 4, 2, 1, 0.3361),
    ("tasks", "tasks", 0.95): ([0.098413, 0.032473, 0.164353, 0.017708], 48, 12, 6, 4, 0.1181),
    ("tasks", "tasks", 0.8): ([0.098413, 0.064479, 0.132347, 0.017708], 48, 12, 6, 4, 0.0669),
    ("tasks", "instances", 0.95): ([0.09375, 0.01874, 0.16876, 0.032479], 48, 12, 6, 4, 0.1484),
    ("tasks", "instances", 0.8): ([0.09375, 0.060275, 0.127225, 0.032479], 48, 12, 6, 4, 0.0717),
    ("many", "tasks", 0.95): ([0.116871, 0.086019, 0.147723, 2.3e-05], 171, 48, 22, 9, 0.0477),
    ("many", "tasks", 0.8): ([0.116871, 0.098183, 0.135559, 2.3e-05], 171, 48, 22, 9, 0.0328),
    ("many", "instances", 0.95): ([0.108187, 0.081774, 0.134601, 0.000226], 171, 48, 22, 9, 0.0439),
    ("many", "instances", 0.8): ([0.108187, 0.09332, 0.123055, 0.000226], 171, 48, 22, 9, 0.0276),
    ("seeds", "tasks", 0.95): ([0.106766, -0.044145, 0.257678, 0.094027], 54, 17, 7, 3, 0.3145),
    ("seeds", "tasks", 0.8): ([0.106766, 0.039846, 0.173687, 0.094027], 54, 17, 7, 3, 0.1478),
    ("seeds", "instances", 0.95): ([0.125, -0.103989, 0.353989, 0.117122], 54, 17, 7, 3, 0.5253),
    ("seeds", "instances", 0.8): ([0.125, 0.042204, 0.207796, 0.117122], 54, 17, 7, 3, 0.2014),
    ("factors", "tasks", 0.95): ([0.108832, 0.030776, 0.186888, 0.028582], 81, 23, 10, 3, 0.1763),
    ("factors", "tasks", 0.8): ([0.108832, 0.077174, 0.14049, 0.028582], 81, 23, 10, 3, 0.0745),
    ("factors", "instances", 0.95): ([0.111111, -0.005564, 0.227786, 0.054851], 81, 23, 10, 3, 0.2305),
    ("factors", "instances", 0.8): ([0.111111, 0.05907, 0.163153, 0.054851], 81, 23, 10, 3, 0.1114),
    ("one task", "tasks", 0.95): ([0.125, -0.592109, 0.842109, 0.531479], 18, 6, 3, 1, 1.0),
    ("one task", "tasks", 0.8): ([0.125, -0.18927, 0.43927, 0.531479], 18, 6, 3, 1, 0.6874),
    ("one task", "instances", 0.95): ([0.125, -0.592109, 0.842109, 0.531479], 18, 6, 3, 1, 1.0),
    ("one task", "instances", 0.8): ([0.125, -0.18927, 0.43927, 0.531479], 18, 6, 3, 1, 0.6874),
    ("ragged", "tasks", 0.95): ([0.104202, 0.048029, 0.160376, 0.010631], 72, 20, 9, 3, 0.102),
    ("ragged", "tasks", 0.8): ([0.104202, 0.075967, 0.132437, 0.010631], 72, 20, 9, 3, 0.0563),
    ("ragged", "instances", 0.95): ([0.107639, 0.055563, 0.159714, 0.007151], 72, 20, 9, 3, 0.0933),
    ("ragged", "instances", 0.8): ([0.107639, 0.080842, 0.134435, 0.007151], 72, 20, 9, 3, 0.0528),
}  # fmt: skip
REACH = {
    (1.0, 0.95, 0.8): 39.158,
    (1.0, 0.9, 0.5): 6.314,
    (3.0, 0.95, 0.8): 5.701,
    (3.0, 0.9, 0.5): 2.353,
    (12.5, 0.95, 0.8): 3.256,
    (12.5, 0.9, 0.5): 1.776,
    (200.0, 0.95, 0.8): 2.827,
    (200.0, 0.9, 0.5): 1.652,
}


@pytest.mark.parametrize("case", CASES, ids=str)
def test_estimates_of_fixed_scores(case):
    assert estimated(*case) == ESTIMATES[case]


@pytest.mark.parametrize("case", CASES, ids=str)
def test_comparisons_of_fixed_scores(case):
    assert compared(*case) == COMPARISONS[case]


def test_what_can_be_detected():
    """In standard errors; with many degrees of freedom the sum of two normal quantiles: 1.960 + 0.842."""
    assert {case: round(_reach(*case), 3) for case in REACH} == REACH


def test_very_many_tasks_are_estimated_by_a_shorter_formula(monkeypatch):
    """Tasks of one weight have as many degrees of freedom either way; of nine tasks that is eight."""
    exact = clustered_mean(GRIDS["many"])
    assert exact.method.endswith("8.0 degrees of freedom")
    unlike = clustered_mean(GRIDS["many"], weigh="instances").method
    monkeypatch.setattr(stats, "_MOST_EXACT", 9)
    assert clustered_mean(GRIDS["many"], weigh="instances").method == unlike, "nine tasks are not more than nine"
    monkeypatch.setattr(stats, "_MOST_EXACT", 8)
    assert clustered_mean(GRIDS["many"])[:3] == pytest.approx(exact[:3])
    assert clustered_mean(GRIDS["many"], weigh="instances").method != unlike


def test_a_fall_is_kept_within_bounds_and_widened_for_looks():
    high, low = Estimate(0.9, 0.8, 0.97, 50), Estimate(0.4, 0.25, 0.6, 40)
    assert str(compare_apart(high, low)) == "0.50 [0.28, 0.67]"
    assert str(compare_apart(high, low, 4)) == "0.50 [0.22, 0.71]"
    assert compare_apart(high, low, 0) == compare_apart(high, low, 1)
    none, all_ = Estimate(0.0, 0.0, 1.0, 0), Estimate(1.0, 0.0, 1.0, 1)
    assert (compare_apart(all_, none).low, compare_apart(all_, none).high) == (1 - 2**0.5, 1.0)
    assert compare_apart(none, all_).low == -1.0


if __name__ == "__main__":
    for title, make in (("ESTIMATES", estimated), ("COMPARISONS", compared)):
        print(f"{title} = {{")
        for each in CASES:
            print(f"    {each!r}: {make(*each)!r},".replace("'", '"'))
        print("}")
    print("REACH =", {case: round(_reach(*case), 3) for case in REACH})
