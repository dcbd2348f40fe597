"""Records of many runs as one frame: choose, group, and take means over tasks and seeds with intervals."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from math import fsum, sqrt
from typing import TYPE_CHECKING, Any, NamedTuple

from taskloom.adapt.curves import Point, read_curve
from taskloom.core import UserError
from taskloom.core.metric import Estimate
from taskloom.core.study import Value
from taskloom.run.record import Record
from taskloom.run.results import Run
from taskloom.score.stats import clustered_mean, mean_estimate, seed_label
from taskloom.studies.analysis.seeds import half_width
from taskloom.studies.grid import Arm
from taskloom.studies.shelf import Shelf

if TYPE_CHECKING:
    import pyarrow as pa

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

    def to_arrow(self) -> pa.Table:
        """One row per answer: factors, seeds, task, id, score, answer, target and facets."""
        import pyarrow as pa

        rows = self.observations
        columns: dict[str, Any] = {
            "task": [one.record.task for one in rows],
            "id": [one.record.id for one in rows],
            "score": [one.score for one in rows],
            "answer": [one.record.answer for one in rows],
            "target": [one.record.targets.canonical() for one in rows],
            "data seed": [one.arm.seed for one in rows],
            "draw": [one.arm.draw for one in rows],
            "run seed": [one.arm.run.run_seed for one in rows],
        }
        names = dict.fromkeys(name for one in rows for name in (*one.arm.factors, *one.facets))
        for name in names:
            values = [one.value(name) for one in rows]
            kinds = {type(value) for value in values if value is not None}
            plain = (
                values if len(kinds) < 2 or kinds <= {int, float} else [None if v is None else str(v) for v in values]
            )
            columns.setdefault(name, plain)
        return pa.table({name: pa.array(values) for name, values in columns.items()})


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
    import msgspec

    return msgspec.json.encode(arm).decode()


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
