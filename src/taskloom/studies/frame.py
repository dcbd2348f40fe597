"""Records of many runs as one frame: choose, group, and take means over tasks and seeds with intervals."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from math import fsum, sqrt
from typing import Any, NamedTuple

import msgspec

from taskloom.adapt.curves import Point, read_curve
from taskloom.core import UserError, acceptable_texts
from taskloom.core.metric import Estimate
from taskloom.core.study import Value
from taskloom.run.record import Record
from taskloom.run.results import Run
from taskloom.score.stats import clustered_mean, mean_estimate, seed_label
from taskloom.studies.analysis.seeds import half_width
from taskloom.studies.grid import Arm
from taskloom.studies.shelf import Shelf

_SEEDS = ("data", "draw", "run")


class Observation(NamedTuple):
    """One scored answer, with the arm it belongs to."""

    arm: Arm
    record: Record
    score: float
    facets: Mapping[str, Any]

    def value(self, name: str) -> Value:
        """A factor of the arm, else a facet of instance or task; a list becomes its members joined by +."""
        if name in self.arm.factors:
            return self.arm.factors[name]
        if name == "task":
            return self.record.task
        value = self.facets.get(name)
        return "+".join(map(str, value)) if isinstance(value, list | tuple) else value

    @property
    def seeds(self) -> tuple[int, int, int]:
        """The seeds of data, drawn examples, and sampling or training."""
        return self.arm.seed, self.arm.draw, self.arm.run.run_seed


class Contrast(NamedTuple):
    """The difference of two means, first minus second, with its interval.

    `seeds` counts the replicates that both have; `method` says where the interval comes from.
    """

    value: float
    low: float
    high: float
    seeds: int
    method: str

    def __str__(self) -> str:
        return f"{self.value:+.3f} [{self.low:+.3f}, {self.high:+.3f}], {self.method}"


class Guessing(NamedTuple):
    """Levels of answers that never look at the question.

    Attributes:
        chance: One of the answers of the task at random: of its labels, or of those that occur.
        majority: The single answer that is right most often, given to everything.
    """

    chance: float
    majority: float

    def beaten(self, mean: Estimate) -> bool:
        """Whether a score is known to lie above both."""
        return mean.low > max(self)


_UNKNOWN = Guessing(0.0, 0.0)


def _guessed(part: Frame) -> tuple[float, float]:
    """Chance and majority of one task."""
    first = part.observations[0]
    task = part.runs[_name(first.arm)].tasks.get(first.record.task) if part.runs else None
    accepted = [frozenset(text.casefold() for text in acceptable_texts(one.record.targets)) for one in part]
    labels = {label.casefold() for label in getattr(task, "labels", ())}
    answers = labels or {one.record.targets.canonical().casefold() for one in part}
    right = Counter(text for texts in accepted for text in texts)
    chance = fsum(len(texts & answers) for texts in accepted) / len(answers) / len(accepted)
    return chance, max(right.values(), default=0) / len(accepted)


class Frame:
    """Observations of a study. Nothing in it changes: choosing and grouping give new frames."""

    def __init__(self, observations: Sequence[Observation], runs: Mapping[str, Run] | None = None) -> None:
        self.observations = observations
        self.runs: Mapping[str, Run] = runs or {}

    def __len__(self) -> int:
        return len(self.observations)

    def __iter__(self) -> Iterator[Observation]:
        return iter(self.observations)

    def __bool__(self) -> bool:
        return bool(self.observations)

    def where(self, choose: Callable[[Observation], bool] | None = None, /, **named: Value) -> Frame:
        """The observations whose factors and facets have these values, and for which `choose` is true."""
        wanted = {name.replace("_", " ") if name not in self._names() else name: v for name, v in named.items()}
        kept = [
            one
            for one in self.observations
            if all(one.value(name) == value for name, value in wanted.items()) and (choose is None or choose(one))
        ]
        return Frame(kept, self.runs)

    def _names(self) -> set[str]:
        return {name for one in self.observations[:1] for name in (*one.arm.factors, *one.facets)}

    def by(self, *names: str) -> dict[tuple[Value, ...], Frame]:
        """Frames by the values of factors or facets, in the order in which these first turn up."""
        found: dict[tuple[Value, ...], list[Observation]] = {}
        for one in self.observations:
            found.setdefault(tuple(one.value(name) for name in names), []).append(one)
        return {key: Frame(group, self.runs) for key, group in found.items()}

    def grouped(self, key: Callable[[Observation], str]) -> dict[str, Frame]:
        """Frames by the value of a function of an observation, sorted by it."""
        found: dict[str, list[Observation]] = {}
        for one in self.observations:
            found.setdefault(key(one), []).append(one)
        return {name: Frame(found[name], self.runs) for name in sorted(found)}

    def values(self, name: str) -> list[Value]:
        """The values of a factor or facet, in the order in which they first turn up."""
        return list(dict.fromkeys(one.value(name) for one in self.observations))

    def replicate(self) -> Callable[[Observation], str]:
        """The label of each observation's replicate: only seeds that vary, and of those that vary together, one."""
        columns = dict(
            zip(("data", "draw", "run"), zip(*{one.seeds for one in self.observations}, strict=True), strict=True)
        )
        kept: list[str] = []
        for name, column in columns.items():
            levels = len(set(column))
            alike = (len(set(zip(column, columns[other], strict=True))) == levels for other in kept)
            if levels > 1 and not any(alike):
                kept.append(name)
        return lambda one: seed_label(**{name: one.seeds[_SEEDS.index(name)] for name in kept})

    def cells(self) -> dict[tuple[str, str], list[float]]:
        """Scores by task and replicate."""
        if not self.observations:
            return {}
        label = self.replicate()
        found: dict[tuple[str, str], list[float]] = {}
        for one in self.observations:
            found.setdefault((one.record.task, label(one)), []).append(one.score)
        return found

    def mean(self) -> Estimate:
        """The mean over tasks, each counted once, with an interval over tasks and seeds."""
        return clustered_mean(self.cells())

    def over_seeds(self) -> Estimate:
        """The mean over tasks, each counted once, with an interval for other seeds of these very tasks.

        Where the tasks are the whole question, as those of one bAbI group are, an interval over tasks would be about
        others that are never asked. It is never narrower than the drawing of instances alone would make it.
        """
        if not self.observations:
            return self.mean()
        means = [_fixed(part) for part in self.grouped(self.replicate()).values()]
        count, value = len(means), fsum(mean for mean, _ in means) / len(means)
        floor = fsum(variance for _, variance in means) / count**2
        between = fsum((mean - value) ** 2 for mean, _ in means) / (count - 1) / count if count > 1 else 0.0
        half = half_width(between, floor, count)
        tasks = len({one.record.task for one in self.observations})
        how = f"t over {count} seeds" if count > 1 else "one seed, over instances"
        return Estimate(value, max(0.0, value - half), min(1.0, value + half), len(self), tasks, how)

    def scores(self) -> list[float]:
        """The scores as they come."""
        return [one.score for one in self.observations]

    def arms(self) -> list[Arm]:
        """The arms behind the observations."""
        return list({id(one.arm): one.arm for one in self.observations}.values())

    def curves(self, *names: str) -> dict[tuple[Value, ...], list[list[Point]]]:
        """The learning curves of the arms' trainings by factors, one per run."""
        found: dict[tuple[Value, ...], list[list[Point]]] = {}
        for arm in self.arms():
            if arm.trains:
                points = read_curve(self.run(arm).folder / "adaptation" / "curve.jsonl")
                found.setdefault(tuple(arm.factors[name] for name in names), []).append(points)
        return found

    def run(self, arm: Arm) -> Run:
        """The run of an arm."""
        return self.runs[_name(arm)]

    def guessing(self) -> Guessing:
        """What answers that never look at the question score by exact match, every task counted once."""
        levels = [_guessed(part) for part in self.by("task").values()]
        return Guessing(*(fsum(column) / len(levels) for column in zip(*levels, strict=True))) if levels else _UNKNOWN


def contrast(first: Frame, second: Frame) -> Contrast:
    """The mean of one frame minus that of another, with an interval for other seeds.

    With several seeds that both frames have, the difference is taken seed by seed and its interval is Student's over
    them: what a seed does to both is shared and drops out. It is never narrower than the drawing of instances alone
    would make it. With one seed the interval is Newcombe's, over instances alone.

    Raises:
        UserError: One of them is empty.
    """
    if not first or not second:
        raise UserError("a contrast of nothing", hint="the selected frame contains no observations")
    both = Frame([*first, *second])
    label = both.replicate()
    split = [frame.grouped(label) for frame in (first, second)]
    shared = sorted(split[0].keys() & split[1].keys())
    if len(shared) < 2:
        return _newcombe(first, second)
    means = [[split[side][seed].mean() for seed in shared] for side in (0, 1)]
    deltas = [a.value - b.value for a, b in zip(*means, strict=True)]
    count = len(deltas)
    value = fsum(deltas) / count
    between = fsum((delta - value) ** 2 for delta in deltas) / (count - 1) / count
    floor = fsum(_smoothed(one) for side in means for one in side) / count**2
    half = half_width(between, floor, count)
    low, high = max(-1.0, value - half), min(1.0, value + half)
    return Contrast(value, low, high, count, f"t over {count} seeds")


def _fixed(frame: Frame) -> tuple[float, float]:
    """The mean over the tasks of one seed, and its variance where these tasks are the only ones."""
    tasks = [mean_estimate(part.scores()) for part in frame.by("task").values()]
    value = fsum(task.value for task in tasks) / len(tasks)
    return value, fsum(map(_smoothed, tasks)) / len(tasks) ** 2


def _smoothed(estimate: Estimate) -> float:
    share = (estimate.value * estimate.n + 1) / (estimate.n + 2)
    return share * (1 - share) / estimate.n


def _newcombe(first: Frame, second: Frame) -> Contrast:
    a, b = mean_estimate(first.scores()), mean_estimate(second.scores())
    value = a.value - b.value
    low = value - sqrt((a.value - a.low) ** 2 + (b.high - b.value) ** 2)
    high = value + sqrt((a.high - a.value) ** 2 + (b.value - b.low) ** 2)
    return Contrast(value, max(-1.0, low), min(1.0, high), 1, "Newcombe over instances, one seed")


def _name(arm: Arm) -> str:
    return msgspec.json.encode(arm).decode()


_WITHOUT_WEIGHTS = ("mock/", "reading/", "human/", "outputs/")


def guessers(frame: Frame) -> list[str]:
    """A sentence for every model that is nowhere known to do better than guessing: its numbers decide nothing."""
    said = []
    for (model,), part in frame.by("model").items():
        if str(model).startswith(_WITHOUT_WEIGHTS):
            continue
        groups = part.grouped(lambda one: str(one.arm.factors)).values()
        if not any(group.guessing().beaten(group.over_seeds()) for group in groups):
            best = max(groups, key=lambda group: group.over_seeds().value)
            level = best.guessing()
            said.append(
                f"{model} is nowhere known to do better than guessing (at best {best.over_seeds().value:.3f}; chance "
                f"{level.chance:.3f}, majority {level.majority:.3f}): its numbers decide nothing about the paper's."
            )
    return said


def load_frame(arms: Iterable[Arm], shelf: Shelf) -> Frame:
    """The records of finished arms. Answers that failed are left out; a shelf holds no run that has any."""
    observations: list[Observation] = []
    runs: dict[str, Run] = {}
    for arm in arms:
        run = shelf.load(arm)
        runs[_name(arm)] = run
        for record in run.records:
            if record.score is not None:
                facets = {**run.tasks[record.task].facets, **record.facets}
                observations.append(Observation(arm, record, record.score, facets))
    return Frame(observations, runs)
