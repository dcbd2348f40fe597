"""The numbers of fixed data sets to five digits: no estimate, interval or test changes unseen.

`stats_fixed.txt` holds them; see `tests/approved.py`. Where one changes on purpose, coverage has to be measured anew
(`python -m benchmarks.coverage`).
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from approved import approved, plain
from taskloom.core.metric import Estimate
from taskloom.score import stats
from taskloom.score.stats import clustered_mean, compare_apart, compare_cells, standard_errors


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


REACH = [(freedom, *rest) for freedom in (1.0, 3.0, 12.5, 200.0) for rest in ((0.95, 0.8), (0.9, 0.5))]


def told() -> Iterator[str]:
    for case in CASES:
        yield f"{case}: {plain(estimated(*case))} {plain(compared(*case))}"
    for case in REACH:
        yield f"detectable {case}: {standard_errors(*case):.3f} standard errors"


def test_the_numbers_of_fixed_scores():
    approved(Path(__file__).parent / "stats_fixed.txt", "\n".join(told()) + "\n")


def test_what_can_be_detected():
    """With many degrees of freedom, as many standard errors as two normal quantiles make: 1.960 + 0.842."""
    assert standard_errors(200.0, 0.95, 0.8) == pytest.approx(2.802, abs=0.03)


def test_very_many_tasks_are_estimated_by_a_shorter_formula(monkeypatch):
    """Tasks of one weight have as many degrees of freedom either way; of nine tasks that is eight."""
    exact = clustered_mean(GRIDS["many"])
    assert exact.method.endswith("8.0 degrees of freedom")
    unlike = clustered_mean(GRIDS["many"], weigh="instances").method
    monkeypatch.setattr(stats, "MOST_EXACT", 9)
    assert clustered_mean(GRIDS["many"], weigh="instances").method == unlike, "nine tasks are not more than nine"
    monkeypatch.setattr(stats, "MOST_EXACT", 8)
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
