"""Records of many runs as one frame: choose, group, and take means over tasks and seeds with intervals."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from math import fsum
from typing import Any, NamedTuple, TypeAlias

import msgspec

from taskloom.adapt.curves import Point, read_curve
from taskloom.core import UserError, acceptable_texts
from taskloom.core.cells import GuessingLevel
from taskloom.core.metric import Estimate
from taskloom.core.study import Table, Value
from taskloom.figures import HeatCell, HeatMap, IntervalPlot, IntervalPoint, Line, LinePoint
from taskloom.run.columns import grouped
from taskloom.run.record import Record
from taskloom.run.results import Run
from taskloom.score.stats import clustered_mean, compare_apart, few_tasks, mean_estimate, seed_label, smoothed_variance
from taskloom.studies.analysis import centre, mean_of
from taskloom.studies.findings import Check, Over, above, below, estimate_cells, scored_table
from taskloom.studies.grid import WITHOUT_WEIGHTS, Arm, RunStore

_SEEDS = ("data", "draw", "run")


class Observation(NamedTuple):
    """One scored answer, with the arm it belongs to."""

    arm: Arm
    record: Record
    score: float
    facets: Mapping[str, Any]

    def value(self, name: str | Computed) -> Value:
        """A factor of the arm, else a facet of instance or task; a list becomes its members joined by +.

        A function in the place of a name is asked for it.
        """
        if not isinstance(name, str):
            return name(self)
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


Computed: TypeAlias = Callable[[Observation], Value]
"""A value that follows from an observation."""


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


def _guessed(part: Frame) -> GuessingLevel:
    """One of the labels of a task at random (of the answers that occur, without labels), and always the best one."""
    first = part.observations[0]
    task = part.runs[_name(first.arm)].tasks.get(first.record.task) if part.runs else None
    accepted = [frozenset(text.casefold() for text in acceptable_texts(one.record.targets)) for one in part]
    labels = {label.casefold() for label in getattr(task, "labels", ())}
    answers = labels or {one.record.targets.canonical().casefold() for one in part}
    right = Counter(text for texts in accepted for text in texts)
    chance = fsum(len(texts & answers) for texts in accepted) / len(answers) / len(accepted)
    return GuessingLevel(chance, max(right.values(), default=0) / len(accepted))


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
        known = {name for one in self.observations[:1] for name in (*one.arm.factors, *one.facets)}
        wanted = {name if name in known else name.replace("_", " "): value for name, value in named.items()}
        kept = [
            one
            for one in self.observations
            if all(one.value(name) == value for name, value in wanted.items()) and (choose is None or choose(one))
        ]
        return Frame(kept, self.runs)

    def by(self, *names: str | Computed) -> dict[tuple[Value, ...], Frame]:
        """Frames by the values of factors, facets or functions, in the order in which these first turn up."""
        pairs = ((tuple(one.value(name) for name in names), one) for one in self.observations)
        return {key: Frame(group, self.runs) for key, group in grouped(pairs).items()}

    def values(self, name: str) -> list[Value]:
        """The values of a factor or facet, in the order in which they first turn up."""
        return list(dict.fromkeys(one.value(name) for one in self.observations))

    def replicate(self) -> Callable[[Observation], str]:
        """The label of each observation's replicate: only seeds that vary, and of those that vary together, one."""
        columns = dict(zip(_SEEDS, zip(*{one.seeds for one in self.observations}, strict=True), strict=True))
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
        return grouped(((one.record.task, label(one)), one.score) for one in self.observations)

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
        means = [_fixed(part) for part in self.by(self.replicate()).values()]
        count = len(means)
        value, half = centre([mean for mean, _ in means], fsum(variance for _, variance in means) / count**2)
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
        trained = [arm for arm in self.arms() if arm.trains]
        curves = (read_curve(self.run(arm).folder / "adaptation" / "curve.jsonl") for arm in trained)
        keys = (tuple(arm.factors[name] for name in names) for arm in trained)
        return grouped(zip(keys, curves, strict=True))

    def run(self, arm: Arm) -> Run:
        """The run of an arm."""
        return self.runs[_name(arm)]

    def beats_guessing(self, mean: Estimate) -> bool:
        """Whether a score is known to lie above both; where all answers of a task are the same, chance alone counts."""
        tasks = [_guessed(part) for part in self.by("task").values()]
        levels = [max((level for level in task if level < 1), default=1.0) for task in tasks]
        return mean.low > fsum(levels) / len(levels)

    def guessing(self) -> GuessingLevel:
        """What answers that never look at the question score by exact match, every task counted once."""
        levels = [_guessed(part) for part in self.by("task").values()]
        randoms, majorities = zip(*levels, strict=True) if levels else ((0.0,), (0.0,))
        return GuessingLevel(mean_of(randoms), mean_of(majorities))


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
    split = [frame.by(label) for frame in (first, second)]
    shared = sorted(split[0].keys() & split[1].keys())
    if len(shared) < 2:
        apart = compare_apart(mean_estimate(first.scores()), mean_estimate(second.scores()))
        return Contrast(*apart, 1, "Newcombe over instances, one seed")
    means = [[split[side][seed].mean() for seed in shared] for side in (0, 1)]
    deltas = [a.value - b.value for a, b in zip(*means, strict=True)]
    count = len(deltas)
    floor = fsum(smoothed_variance(one.value, one.n) for side in means for one in side) / count**2
    value, half = centre(deltas, floor)
    low, high = max(-1.0, value - half), min(1.0, value + half)
    return Contrast(value, low, high, count, f"t over {count} seeds")


def _fixed(frame: Frame) -> tuple[float, float]:
    """The mean over the tasks of one seed, and its variance where these tasks are the only ones."""
    tasks = [mean_estimate(part.scores()) for part in frame.by("task").values()]
    value = fsum(task.value for task in tasks) / len(tasks)
    return value, fsum(smoothed_variance(task.value, task.n) for task in tasks) / len(tasks) ** 2


def _name(arm: Arm) -> str:
    return msgspec.json.encode(arm).decode()


def guessers(frame: Frame) -> list[str]:
    """A sentence for every model that is nowhere known to do better than guessing: its numbers decide nothing."""
    said = []
    for (model,), part in frame.by("model").items():
        if str(model).startswith(WITHOUT_WEIGHTS):
            continue
        groups = part.by(lambda one: str(one.arm.factors)).values()
        if not any(group.beats_guessing(group.over_seeds()) for group in groups):
            best = max(groups, key=lambda group: group.over_seeds().value)
            level = best.guessing()
            said.append(
                f"{model} is nowhere known to do better than guessing (at best {best.over_seeds().value:.3f}; chance "
                f"{level.random:.3f}, majority {level.majority:.3f}): its numbers decide nothing about the paper's."
            )
    return said


def load_frame(arms: Iterable[Arm], shelf: RunStore) -> Frame:
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


Keys: TypeAlias = Mapping[str, Any]
"""The values that a group has in common, by name."""


class ScoreRow(NamedTuple):
    """A group of observations: what they have in common, their mean, what a paper prints for it, and all of them."""

    key: dict[str, Value]
    mean: Estimate
    published: float | None = None
    part: Frame | None = None


@dataclass(frozen=True)
class Scores:
    """Rows of means. Nothing in it changes: ordering and renaming give others.

    Attributes:
        rows: One for each group.
        over: What the intervals are about.
        compared: Whether a paper's numbers stand beside them.
    """

    rows: Sequence[ScoreRow]
    over: Over = "seeds"
    compared: bool = False

    def nested(self, **orders: Callable[[Any], Any]) -> Scores:
        """The rows in nested order: each value where it first turned up, or by the key that is given for its name."""
        seen: dict[str, dict[Value, int]] = {}
        for row in self.rows:
            for name, value in row.key.items():
                seen.setdefault(name, {}).setdefault(value, len(seen[name]))

        def place(row: ScoreRow) -> tuple[Any, ...]:
            return tuple(
                orders[name](value) if name in orders else seen[name][value] for name, value in row.key.items()
            )

        return replace(self, rows=sorted(self.rows, key=place))

    def named(self, **words: Mapping[Any, str]) -> Scores:
        """The rows with some values called by other words: `named(asked={"mix": "out of distribution"})`."""
        rows = [
            row._replace(key={name: words[name][value] if name in words else value for name, value in row.key.items()})
            for row in self.rows
        ]
        return replace(self, rows=rows)

    def table(
        self,
        title: str,
        *,
        columns: Mapping[str, str] | None = None,
        metric: str = "accuracy",
        column: str = "",
        note: str = "",
    ) -> Table:
        """A table of the rows.

        Args:
            title: Its title.
            columns: What to call values that have another name in the frame.
            metric: What the numbers are, for the note.
            column: The head of the means; the metric by default.
            note: What else to know about them.
        """
        names = [(columns or {}).get(name, name) for name in (self.rows[0].key if self.rows else ())]
        levels = ("chance", "majority")
        heads = (*names, column or metric, "low", "high", "n", *levels, *(["published"] if self.compared else []))
        guessed = [row.part.guessing() if row.part else (None, None) for row in self.rows]
        known = {row.key.get("model") for row in self.rows if not row.part or row.part.beats_guessing(row.mean)}
        rows = []
        for row, guess in zip(self.rows, guessed, strict=True):
            # Beside a model that only guesses a published number would look like a replication.
            beside = [row.published if row.key.get("model") in known else None] if self.compared else []
            rows.append((*row.key.values(), *estimate_cells(row.mean), *guess, *beside))
        if self.over == "tasks" and (few := few_tasks(row.mean for row in self.rows)):
            note = f"Intervals {few}. {note}".rstrip()
        return scored_table(title, heads, rows, metric=metric, over=self.over, note=note)

    def points(self, place: str, series: str = "") -> list[IntervalPoint]:
        """A point for each row, and one for each number of a paper; `place` and `series` are filled from its key."""
        found = []
        for row in self.rows:
            where, which = place.format(**row.key), series.format(**row.key)
            found.append(IntervalPoint(where, row.mean.value, row.mean.low, row.mean.high, row.mean.n, which))
            if row.published is not None:
                share = row.published
                found.append(IntervalPoint(where, share, share, share, 0, which, published=True))
        return found

    def intervals(
        self, title: str, place: str, series: str = "", *, axis: str = "accuracy", **more: Any
    ) -> IntervalPlot:
        """The rows as dots with intervals."""
        return IntervalPlot(title=title, points=tuple(self.points(place, series)), axis=axis, **more)

    def lines(self, x: str, name: str, dashed: Callable[[Keys], bool] = lambda key: False) -> list[Line]:
        """A line for each name, along one of the values."""
        found = grouped((name.format(**row.key), row) for row in self.nested(**{x: _number}).rows)
        return [
            Line(
                called,
                tuple(LinePoint(_number(key[x]), mean.value, mean.low, mean.high, mean.n) for key, mean, *_ in rows),
                dashed=dashed(rows[0].key),
            )
            for called, rows in found.items()
        ]

    def heat(self, title: str, row: str, column: str, framed: Callable[[Keys], bool], **more: Any) -> HeatMap:
        """A map of two of the values."""
        cells = tuple(
            HeatCell(
                str(one.key[row]), str(one.key[column]), one.mean.value, one.mean.low, one.mean.high, one.mean.n,
                framed(one.key),
            )
            for one in self.rows
        )  # fmt: skip
        return HeatMap(title=title, cells=cells, **more)


def _number(value: Value) -> float:
    return value if isinstance(value, int | float) else float(str(value))


def measure(
    frame: Frame,
    *names: str,
    over: Over = "seeds",
    published: Callable[[Keys], float | None] | None = None,
    computed: Mapping[str, Computed] | None = None,
) -> Scores:
    """The mean of every group, in the order in which groups first turn up.

    Args:
        frame: The observations.
        names: Factors and facets to group by.
        over: Whether intervals are for other seeds of these tasks, or for other tasks and seeds.
        published: What a paper prints for a group, as a share; None where it prints nothing.
        computed: Further values to group by, computed from an observation.
    """
    named: dict[str, str | Computed] = {**{name: name for name in names}, **(computed or {})}
    rows = []
    for values, part in frame.by(*named.values()).items():
        key = dict(zip(named, values, strict=True))
        mean = part.over_seeds() if over == "seeds" else part.mean()
        rows.append(ScoreRow(key, mean, published(key) if published else None, part))
    return Scores(rows, over, published is not None)


class Expectation(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One part of every group of answers scores more than another, where the group has both.

    Attributes:
        claim: What is expected, as a sentence; names of `by` in braces are filled in.
        by: Factors and facets to group by.
        where: Patterns of values (`*` and `?`) that the answers must have.
        unless: Patterns of values that they must not have.
        more: Values of the part that should score more; a value in braces is one that the study computes.
        less: Values of the other part.
        source: Who expects it: the table or figure of a paper.
        at_most: Where it is expected to score hardly more: by less than this.
    """

    claim: str
    by: tuple[str, ...] = ("model",)
    where: dict[str, str] = {}
    unless: dict[str, str] = {}
    more: dict[str, Value]
    less: dict[str, Value]
    source: str = ""
    at_most: float | None = None

    def checks(self, frame: Frame, **computed: Value) -> list[Check]:
        """What became of it in each group of a frame."""
        found = []
        for values, part in frame.where(self._is_meant).by(*self.by).items():
            better, worse = (
                part.where(**{name: computed.get(str(value)[1:-1], value) for name, value in side.items()})
                for side in (self.more, self.less)
            )
            if better and worse:
                said = self.claim.format(**dict(zip(self.by, values, strict=True)), **computed)
                delta = contrast(better, worse)
                bound = self.at_most
                check = above(said, delta) if bound is None else below(said, delta, bound)
                found.append(msgspec.structs.replace(check, source=self.source))
        return found

    def _is_meant(self, answer: Observation) -> bool:
        def fits(patterns: Mapping[str, str]) -> list[bool]:
            return [fnmatchcase(str(answer.value(name)), pattern) for name, pattern in patterns.items()]

        return all(fits(self.where)) and not any(fits(self.unless))
