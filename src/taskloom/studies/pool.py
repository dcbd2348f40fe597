"""Runs that differ in their seeds alone, taken together: seeds of data, of drawn examples, of sampling or training."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from taskloom.core import content_hash
from taskloom.core.metric import ItemScore
from taskloom.run.columns import split_by_code
from taskloom.run.join import item_numbers, join_runs
from taskloom.run.results import Group, Run
from taskloom.score.stats import Comparison, compare_cells, compare_paired

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Rows = NDArray[np.int64]

_SEEDS = ("data_seed", "run_seed", "identity", "tasks_hash", "environment", "command", "notes")


def _what(run: Run) -> str:
    """A hash of everything about a run but its seeds."""
    plan: dict[str, Any] = msgspec.to_builtins(run.plan)
    for name in _SEEDS:
        plan.pop(name)
    plan["generation"] = {key: value for key, value in plan["generation"].items() if key != "seed"}
    plan["adaptation"] = {key: value for key, value in plan["adaptation"].items() if key != "draw"}
    # Weights drawn from the training seed are part of the same replicate.
    plan["model"] = {key: value for key, value in plan["model"].items() if key not in ("weights", "revision")}
    return content_hash(plan)


def group_replicates(runs: Sequence[Run]) -> list[list[Run]]:
    """The runs in groups that differ in their seeds alone, in the order of their first members."""
    groups: dict[str, list[Run]] = {}
    for run in runs:
        groups.setdefault(_what(run), []).append(run)
    return [_distinct(group) for group in groups.values()]


def _distinct(group: list[Run]) -> list[Run]:
    """One run per replicate: a run that was made twice with the same seeds says nothing new."""
    return list({run.replicate: run for run in group}.values())


def pooled(runs: Sequence[Run], name: str) -> Group:
    """One row for several replicates: their mean, with an interval for unseen tasks and unseen seeds."""
    metric = runs[0].metric()
    groups = [run.overall() for run in runs]
    facets = {task: runs[0].tasks[task].facets for task in runs[0].tasks}
    cells = {(task, run.replicate): values for run in runs for task, values in run.cells().items()}
    estimate = metric.from_values(cells, facets)
    if estimate is None:
        estimate = metric.suite([score for run in runs for score in run.scored(run.records)], facets)
    fields = ("scored", "truncated", "errored", "unparsed")
    return Group(name, estimate, *(sum(getattr(group, field) for group in groups) for field in fields))


def compare_runs(
    first: Sequence[Run], second: Sequence[Run], level: float = 0.95, within: Sequence[Rows | None] | None = None
) -> Comparison:
    """How the second group of replicates compares with the first, by the estimand of their tables.

    Questions are joined by content (`run.join`); replicates of other data seeds share none and are left out. Where the
    metric is not the mean score and there are several tasks, what is compared is the metric's number of each task on
    the instances that both groups scored.

    Args:
        first: The runs compared with.
        second: The runs that are compared.
        level: The share of the interval.
        within: For each run of the second group, the rows that count; all of them by default.
    """
    metric, weigh = first[0].metric(), first[0].weigh
    # Two single runs are compared even if their seeds differ: their questions say which answers belong together.
    alone = len(first) == len(second) == 1
    before = {second[0].replicate: first[0]} if alone else {run.replicate: run for run in first}
    chosen = zip(second, within or [None] * len(second), strict=True)
    pairs = [(run, _paired(before[run.replicate], run, rows)) for run, rows in chosen if run.replicate in before]
    asked = sum(paired.unpaired for _, paired in pairs)
    if metric.name == "mean" or second[0].metric().name != metric.name or _one_task(pairs):
        cells = {(task, run.replicate): found for run, paired in pairs for task, found in paired.gains().items()}
        return compare_cells(dict(sorted(cells.items())), level, weigh)._replace(unpaired=asked)
    one: dict[tuple[str, ...], float] = {}
    two: dict[tuple[str, ...], float] = {}
    for run, paired in pairs:
        for side, of, rows in zip((one, two), (before[run.replicate], run), paired.records(), strict=True):
            cells_of: dict[str, list[ItemScore]] = {}
            for score in of.scored(of.records.read(rows)):  # of several samples the first
                cells_of.setdefault(score.task, []).append(score)
            side.update({(task, "", run.replicate): metric.number(scores) for task, scores in cells_of.items()})
    shared = sum(len(paired.before) for _, paired in pairs)
    return compare_paired(one, two, level)._replace(n=shared, unpaired=asked)


class _Paired(NamedTuple):
    """The questions that two runs both scored: a task, two scores and the rows behind them for each."""

    tasks: list[str]
    task: NDArray[Any]
    before: NDArray[np.float64]
    after: NDArray[np.float64]
    rows: tuple[Rows, Rows]
    unpaired: int

    def gains(self) -> dict[str, NDArray[np.float64]]:
        """What each question gains, by task."""
        gained = self.after - self.before
        return {self.tasks[code]: gained[members] for code, members in split_by_code(self.task).items()}

    def records(self) -> tuple[list[int], list[int]]:
        """The rows of either run behind the scores."""
        return self.rows[0].tolist(), self.rows[1].tolist()


def _one_task(pairs: Sequence[tuple[Run, _Paired]]) -> bool:
    return len({paired.tasks[code] for _, paired in pairs for code in set(paired.task.tolist())}) < 2


def _paired(first: Run, second: Run, within: Rows | None) -> _Paired:
    """The scores of two runs on the questions that both scored, samples of one question averaged."""
    import numpy as np

    joined = join_runs(first, second)
    one, two = joined.first, joined.second
    rows = np.arange(len(second.columns)) if within is None else within
    if max(first.plan.samples, second.plan.samples) > 1:  # a question is known by its first sample
        rows = rows[second.columns.whole("sample")[rows] == 0]
    wanted = np.zeros(len(second.columns), np.bool_)
    wanted[rows] = True
    keep = wanted[two]
    unpaired = len(rows) - int(keep.sum())
    before, after = _item_values(first)[one], _item_values(second)[two]
    keep &= ~(np.isnan(before) | np.isnan(after))
    codes, names = second.columns.codes("task")
    return _Paired(names, codes[two[keep]], before[keep], after[keep], (one[keep], two[keep]), unpaired)


def _item_values(run: Run) -> NDArray[np.float64]:
    """For every record the score of its question, failures by policy: the mean of its samples, nan for none."""
    import numpy as np

    values = run.values() if run.errors == "leave-out" else np.nan_to_num(run.values())
    if run.plan.samples == 1:
        return values
    item, there = item_numbers(run.columns), ~np.isnan(values)
    sums = np.bincount(item, np.nan_to_num(values))
    counts = np.bincount(item, there)
    means: NDArray[np.float64] = np.divide(sums, counts, out=np.full(len(sums), np.nan), where=counts > 0)[item]
    return means
