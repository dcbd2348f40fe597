"""Whether the statistics do what they say: coverage, error rates and power over simulated data sets.

    python -m benchmarks.coverage            2,000 data sets per setting (`make coverage`)
    python -m benchmarks.coverage --sets 200 a quick look

Each line is one setting; a nominal 95 % interval should cover between 93 and 97 % of the time from three tasks up.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator

import numpy as np

from taskloom.score.stats import clustered_mean, compare_paired, few_tasks, holm, seed_label

POPULATIONS = {
    "even (beta 2,2)": (2.0, 2.0),
    "easy (beta 5,1)": (5.0, 1.0),
    "all or nothing (beta .5,.5)": (0.5, 0.5),
    "very easy (beta 9,1)": (9.0, 1.0),
    "alike (p = .8)": None,
}
TASKS = (2, 3, 5, 10, 30)
LOW = {"low (beta 1,9)": (1.0, 9.0), "very low (beta .5,9.5)": (0.5, 9.5), "low and alike (p = .05)": None}
"""Fractional scores, as ROUGE-L gives them to models that know little."""
KINDS = (0.5, 0.3, 0.2, 0.1)
"""The share of tasks that are easy (.9) where the others are hard (.1)."""
CROSSED = {
    "tasks and seeds alike strong": {},
    "strong tasks": {"shift": 0.02, "width": 0.6, "low": 0.25},
    "strong seeds": {"shift": 0.1, "width": 0.1, "low": 0.55},
    "high scores": {"shift": 0.04, "width": 0.4, "low": 0.5},
}
"""What varies more where every task has every seed."""
GRIDS = (
    (3, 2), (3, 3), (3, 5), (3, 10), (5, 2), (5, 3), (5, 5), (10, 2), (10, 3), (10, 5), (30, 3), (30, 10), (1, 5),
)  # fmt: skip
"""Numbers of tasks and seeds."""


def shares(population: tuple[float, float] | None, tasks: int, rng: np.random.Generator) -> np.ndarray:
    """The true share of each of some drawn tasks."""
    return np.full(tasks, 0.8) if population is None else rng.beta(*population, size=tasks)


def coverage_of_means(sets: int, tasks: int, population: tuple[float, float] | None, *, n: int = 50) -> float:
    """How often the interval of a suite's mean contains the mean of the population of tasks."""
    rng = np.random.default_rng(tasks)
    truth = 0.8 if population is None else population[0] / sum(population)
    hits = 0
    for _ in range(sets):
        drawn = shares(population, tasks, rng)
        cells = {(str(task), ""): (rng.random(n) < share).astype(float) for task, share in enumerate(drawn)}
        estimate = clustered_mean(cells)
        hits += estimate.low <= truth <= estimate.high
    return hits / sets


def coverage_of_kinds(sets: int, tasks: int, easy: float, *, n: int = 20) -> tuple[float, float]:
    """Coverage where tasks are of two kinds, and how often the estimate comes with a warning."""
    rng = np.random.default_rng(tasks)
    truth, hits, warned = 0.1 + 0.8 * easy, 0, 0
    for _ in range(sets):
        drawn = np.where(rng.random(tasks) < easy, 0.9, 0.1)
        cells = {(str(task), ""): (rng.random(n) < share).astype(float) for task, share in enumerate(drawn)}
        estimate = clustered_mean(cells)
        hits += estimate.low <= truth <= estimate.high
        warned += bool(few_tasks([estimate]))
    return hits / sets, warned / sets


def coverage_of_fractions(sets: int, tasks: int, population: tuple[float, float] | None, *, n: int = 20) -> float:
    """Coverage where every answer has a score between 0 and 1, most of them near 0."""
    rng = np.random.default_rng(tasks)
    truth, hits = 0.05 if population is None else population[0] / sum(population), 0
    for _ in range(sets):
        drawn = np.full(tasks, 0.05) if population is None else rng.beta(*population, size=tasks)
        cells = {(str(t), ""): rng.beta(5 * p + 1e-6, 5 * (1 - p) + 1e-6, n) for t, p in enumerate(drawn)}
        estimate = clustered_mean(cells)
        hits += estimate.low <= truth <= estimate.high
    return hits / sets


def two_runs(
    tasks: int, rng: np.random.Generator, *, effect: float = 0.0, apart: float = 0.15, n: int = 50, uneven: bool = False
) -> tuple[dict[tuple[str, ...], float], dict[tuple[str, ...], float]]:
    """Two runs whose difference varies by task with a standard deviation of `apart` around `effect`."""
    first: dict[tuple[str, ...], float] = {}
    second: dict[tuple[str, ...], float] = {}
    for task in range(tasks):
        share = 0.3 + 0.4 * rng.random()
        gain = np.clip(effect + apart * rng.standard_normal(), -0.29, 0.29)
        for item in range(int(n * rng.uniform(0.3, 3)) if uneven else n):
            key, luck = (str(task), str(item)), rng.random()
            # Half the instances are the same for both runs, so that pairing matters.
            other = luck if item % 2 else rng.random()
            first[key], second[key] = float(luck < share - gain / 2), float(other < share + gain / 2)
    return first, second


def error_rate(sets: int, tasks: int, weigh: str = "tasks", **settings: object) -> tuple[float, float]:
    """Rejections of a true null, and coverage of the true difference zero."""
    rng = np.random.default_rng(tasks)
    wrong = covered = 0
    for _ in range(sets):
        outcome = compare_paired(*two_runs(tasks, rng, **settings), weigh=weigh)  # type: ignore[arg-type]
        wrong += outcome.p_value < 0.05
        covered += outcome.low <= 0 <= outcome.high
    return wrong / sets, covered / sets


def power(sets: int, tasks: int, **settings: object) -> float:
    """How often a true difference as large as a first comparison says it needs is found by a second one."""
    rng = np.random.default_rng(tasks)
    found = usable = 0
    for _ in range(sets):
        wanted = compare_paired(*two_runs(tasks, rng, **settings)).detectable  # type: ignore[arg-type]
        if wanted > 0.25:
            continue  # beyond what this simulation can build
        usable += 1
        found += compare_paired(*two_runs(tasks, rng, effect=wanted, **settings)).p_value < 0.05  # type: ignore[arg-type]
    return found / usable if usable > sets / 2 else float("nan")


def crossed(
    sets: int, tasks: int, seeds: int, *, shift: float = 0.08, n: int = 40, low: float = 0.3, width: float = 0.4
) -> float:
    """Coverage where each seed moves all tasks alike and each pair of task and seed has its own luck."""
    rng = np.random.default_rng(100 * tasks + seeds)
    hits, truth = 0, low + width / 2
    for _ in range(sets):
        # One task is all there is; what varies then is the seed.
        base = low + width * rng.beta(2, 2, size=tasks) if tasks > 1 else np.full(1, truth)
        moves = shift * rng.standard_normal(seeds)
        share = np.clip(base[:, None] + moves[None, :] + 0.03 * rng.standard_normal((tasks, seeds)), 0, 1)
        right = rng.binomial(n, share)
        cells = {
            (str(task), seed_label(run=seed)): np.arange(n) < right[task, seed]
            for task in range(tasks)
            for seed in range(seeds)
        }
        estimate = clustered_mean(cells)
        hits += estimate.low <= truth <= estimate.high
    return hits / sets


def family_error(sets: int, runs: int, tasks: int) -> float:
    """How often Holm names any difference among runs that do not differ."""
    rng = np.random.default_rng(runs)
    wrong = 0
    for _ in range(sets):
        share = 0.3 + 0.4 * rng.random(tasks)
        scores = [
            {(str(t), str(i)): float(rng.random() < share[t] + g[t]) for t in range(tasks) for i in range(20)}
            for g in 0.1 * rng.standard_normal((runs, tasks))
        ]
        pairs = [(a, b) for i, a in enumerate(scores) for b in scores[i + 1 :]]
        wrong += min(holm([compare_paired(a, b).p_value for a, b in pairs])) < 0.05
    return wrong / sets


def lines(sets: int) -> Iterator[str]:
    """Every setting, one line each."""
    for name, population in POPULATIONS.items():
        found = [f"{tasks} tasks {coverage_of_means(sets, tasks, population):.3f}" for tasks in TASKS]
        yield f"coverage of a mean, {name}: " + ", ".join(found)
    for name, population in LOW.items():
        found = [f"{tasks} tasks {coverage_of_fractions(sets, tasks, population):.3f}" for tasks in TASKS[1:]]
        yield f"coverage of a mean, fractional, {name}: " + ", ".join(found)
    for easy in KINDS:
        found = [
            f"{tasks} tasks {covered:.3f} (warned {warned:.0%})"
            for tasks in TASKS[1:]
            for covered, warned in (coverage_of_kinds(sets, tasks, easy),)
        ]
        yield f"coverage of a mean, two kinds of tasks, {easy:.0%} easy: " + ", ".join(found)
    for tasks in (3, 5, 10, 30):
        for label, settings in {"": {}, ", alike tasks": {"apart": 0.0}, ", uneven tasks": {"uneven": True}}.items():
            wrong, covered = error_rate(sets, tasks, **settings)
            by_instance, _ = error_rate(sets, tasks, "instances", **settings)
            yield (
                f"difference, {tasks} tasks{label}: false positives {wrong:.3f}, coverage {covered:.3f}, "
                f"false positives weighing instances {by_instance:.3f}"
            )
    yield f"difference, 1 task: false positives {error_rate(sets, 1, apart=0.0)[0]:.3f}"
    for tasks in (5, 10, 30):
        yield f"power at the detectable difference, {tasks} tasks: {power(sets, tasks, apart=0.05, n=100):.3f}"
    for label, settings in CROSSED.items():
        found = [f"{tasks} x {seeds} {crossed(sets, tasks, seeds, **settings):.3f}" for tasks, seeds in GRIDS]
        yield f"coverage with crossed seeds, {label} (tasks x seeds): " + ", ".join(found)
    yield f"Holm over 4 equal runs, 10 tasks: any difference named {family_error(max(100, sets // 4), 4, 10):.3f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", type=int, default=2_000, help="data sets per setting")
    for line in lines(parser.parse_args().sets):
        print(line, flush=True)


if __name__ == "__main__":
    main()
