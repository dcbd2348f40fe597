"""Runs that differ in their seeds alone, taken together: seeds of data, of drawn examples, of sampling or training."""

from __future__ import annotations

from collections.abc import Sequence
from math import fsum
from typing import TYPE_CHECKING, Any

import msgspec

from taskloom.core import content_hash
from taskloom.core.metric import ItemScore
from taskloom.run.grouping import split_by_code
from taskloom.run.results import Group, Run
from taskloom.score.compare import Comparison, compare_cells, compare_paired

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

__all__ = ["compare_runs", "group_replicates", "pooled"]

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


def compare_runs(first: Sequence[Run], second: Sequence[Run]) -> Comparison:
    """How the second group of replicates compares with the first, by the estimand of their tables.

    Where the metric is not the mean score and there are several tasks, what is compared is the metric's number of each
    task on the instances that both groups scored.
    """
    metric, weigh = first[0].metric(), first[0].weigh
    if metric.name == "mean" and all(run.plan.samples == 1 for run in (*first, *second)):
        return compare_cells(_differences(first, second), weigh=weigh)
    one, two = _scores(first), _scores(second)
    shared = one.keys() & two.keys()
    if metric.name == "mean" or len({key[0] for key in shared}) < 2 or second[0].metric().name != metric.name:
        before, after = ({key: _mean(scores) for key, scores in side.items()} for side in (one, two))
        return compare_paired(before, after, weigh=weigh)
    sides = []
    for side in (one, two):
        cells: dict[tuple[str, ...], list[ItemScore]] = {}
        for key in sorted(shared):
            cells.setdefault((key[0], "", key[2]), []).extend(side[key])
        sides.append({key: metric.number(scores) for key, scores in cells.items()})
    before, after = sides
    return compare_paired(before, after)._replace(n=len(shared))


def _differences(first: Sequence[Run], second: Sequence[Run]) -> dict[tuple[str, str], NDArray[np.float64]]:
    """What each instance gains from the first runs to the second, by task and replicate, instances in order."""
    before = {run.replicate: run for run in first}
    cells: dict[tuple[str, str], NDArray[np.float64]] = {}
    for run in second:
        if run.replicate not in before:
            continue
        table = _shared_scores(before[run.replicate], run)
        deltas = table.column("after").to_numpy() - table.column("before").to_numpy()
        codes = table.column("task").combine_chunks().dictionary_encode()
        names = codes.dictionary.to_pylist()
        for code, rows in split_by_code(codes.indices.to_numpy()).items():
            cells[names[code], run.replicate] = deltas[rows]
    return dict(sorted(cells.items()))


def _shared_scores(first: Run, second: Run) -> pa.Table:
    """The scores of the instances that both runs scored, by task and instance."""
    one, two = _item_table(first, "before"), _item_table(second, "after")
    keys = ["task", "id"]
    if one.select(keys).equals(two.select(keys)):  # as a rule: both were asked the same, and nothing has to be sought
        both = one.append_column("after", two.column("after"))
    else:
        both = one.join(two, keys, join_type="inner")
    return both.sort_by([(key, "ascending") for key in keys])


def _item_table(run: Run, name: str) -> pa.Table:
    import numpy as np
    import pyarrow as pa

    values = run.values()
    task, identity = run.columns.column("task").cast(pa.string()), run.columns.column("id")
    table = pa.table({"task": task, "id": identity, name: np.nan_to_num(values)})
    return table.filter(pa.array(~np.isnan(values))) if run.errors == "leave-out" else table


def _scores(runs: Sequence[Run]) -> dict[tuple[str, ...], list[ItemScore]]:
    """The scores of each instance by task, instance and replicate: several where several answers were drawn."""
    found: dict[tuple[str, ...], list[ItemScore]] = {}
    for run in runs:
        for score in run.scored(run.records):
            found.setdefault((score.task, score.id, run.replicate), []).append(score)
    return found


def _mean(scores: Sequence[ItemScore]) -> float:
    return fsum(score.value for score in scores) / len(scores)
