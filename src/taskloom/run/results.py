"""From a log to numbers: per task, per facet, overall, with intervals and denominators."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from math import fsum
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import msgspec

from taskloom.core import Task, UserError, unknown_name
from taskloom.core.catalog import METRICS, SCORERS
from taskloom.core.display import html_table
from taskloom.core.metric import Estimate, ItemScore, Metric, make_metric
from taskloom.run.frames import records_frame, records_table
from taskloom.run.log import latest_records
from taskloom.run.plan import Plan, load_plan, load_tasks
from taskloom.run.record import Record
from taskloom.run.samples import averaged, sample_estimates
from taskloom.score.stats import Weigh, seed_label
from taskloom.store.seal import write_sealed

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["ErrorPolicy", "Group", "Run", "load_run", "results_of", "run_results", "write_results"]

_USED = ("prompt", "output", "cost")
_FEW_VALUES = 24

ErrorPolicy: TypeAlias = Literal["leave-out", "wrong"]
"""Whether a failed instance is left out of the mean or counts as a wrong answer; denominators are shown either way."""


class Group(msgspec.Struct, frozen=True):
    """One row of a table: what was grouped, its estimate, and every denominator behind it."""

    name: str
    estimate: Estimate
    scored: int
    truncated: int
    errored: int
    unparsed: int


class Run:
    """A finished or unfinished run, read from its log."""

    def __init__(self, folder: str | Path, errors: ErrorPolicy = "leave-out", weigh: Weigh = "tasks") -> None:
        self.folder = Path(folder)
        self.plan: Plan = load_plan(self.folder)
        self.tasks: dict[str, Task] = load_tasks(self.folder)
        self.records: list[Record] = latest_records(self.folder)
        for record in self.records:
            if record.task not in self.tasks or not 0 <= (record.score or 0.0) <= 1:
                raise UserError(
                    f"the record of {record.task}/{record.id} is not one that a run writes",
                    where=str(self.folder),
                    hint=f"taskloom check {self.folder}",
                )
        self.errors = errors
        self.weigh = weigh

    @property
    def name(self) -> str:
        """What to call the run in tables: the model, and how it was adapted."""
        adapted = self.plan.adaptation.get("name", "none")
        model = str(self.plan.model["name"])
        # A model that was adapted in another run carries that in its identity.
        before = self.plan.model.get("settings", {}).get("adaptation", {}).get("name")
        names = [model, *filter(None, (before, "" if adapted == "none" else adapted))]
        return " + ".join(names)

    def __repr__(self) -> str:
        return f"<Run of {self.name} on {self.plan.suite} ({self.plan.split}): {len(self.records):,} records>"

    def _repr_html_(self) -> str:
        rows = [
            (group.name, f"{group.estimate.value:.3f}", f"{group.estimate.low:.3f} – {group.estimate.high:.3f}",
             group.estimate.n) for group in (self.overall(), *self.by_task()[:20])
        ]  # fmt: skip
        return html_table(repr(self)[1:-1], ("", "score", "interval", "n"), rows)

    def to_arrow(self) -> pa.Table:
        """The records as an Arrow table: one row per answer, one column per facet."""
        return records_table(self)

    def to_pandas(self) -> Any:
        """The records as a pandas data frame, where pandas is installed."""
        return records_frame(self)

    def facet_names(self) -> list[str]:
        """Facets of instances and tasks one can group by."""
        names = {name for record in self.records for name in record.facets}
        names |= {name for task in self.tasks.values() for name in task.facets}
        names |= {"wording"} if any(record.wording for record in self.records) else set()
        return sorted(names | {"task"})

    def facet(self, record: Record, name: str) -> list[str]:
        """The groups a record belongs to: one per member for a facet that is a list."""
        if name == "task":
            return [record.task]
        if name == "wording":
            return [record.wording or "–"]
        value = record.facets.get(name, self.tasks[record.task].facets.get(name))
        if value is None:
            return ["–"]
        if isinstance(value, list | tuple):
            return [str(item) for item in value] or ["none"]
        return [str(value)]

    def metric(self) -> Metric:
        """The metric of the suite: that of its scorers where they agree, else the mean."""
        names = {getattr(SCORERS.get(record.scorer), "metric", "mean") for record in self._one_per_task()}
        metric: Metric = METRICS.get(names.pop() if len(names) == 1 else "mean")
        if self.weigh == "tasks":
            return metric
        if "weigh" not in metric.__struct_fields__:
            raise UserError(f"the metric {metric.name} counts every task once and knows no other way", where="--weigh")
        return msgspec.structs.replace(metric, weigh=self.weigh)

    @property
    def estimand(self) -> str:
        """What the number of the whole run is, in words."""
        counted = "task" if self.weigh == "tasks" else "instance"
        return f"{self.metric().name}, every {counted} counts once"

    @property
    def replicate(self) -> str:
        """Which of several like runs this is: the seeds of its data, of drawn examples, and of sampling or training."""
        draw = self.plan.adaptation.get("draw", 0)
        return seed_label(data=self.plan.data_seed, draw=draw, run=self.plan.run_seed)

    def _one_per_task(self) -> Iterable[Record]:
        return {record.task: record for record in self.records}.values()

    def scored(self, records: Iterable[Record]) -> list[ItemScore]:
        """Records as a metric sees them, failures by policy."""
        values = []
        for record in records:
            if record.score is None and self.errors == "leave-out":
                continue
            value = record.score or 0.0
            values.append(ItemScore(record.task, record.id, value, record.details, record.facets, self.replicate))
        # Several samples are one instance: to count them one by one would make intervals too narrow.
        return averaged(values) if self.plan.samples > 1 else values

    def mean_metric(self) -> Metric:
        """The mean, weighed as this run is; for numbers of which the scorers know nothing."""
        return make_metric("mean", {"weigh": self.weigh})

    def overall(self) -> Group:
        """The whole run as one row."""
        return self._group("overall", self.records)

    def by_task(self) -> list[Group]:
        """One row per task, in the order of the suite."""
        of_task: dict[str, list[Record]] = {name: [] for name in self.tasks}
        for record in self.records:
            of_task[record.task].append(record)
        return [self._group(name, records) for name, records in of_task.items() if records]

    def by_facet(self, *names: str) -> dict[tuple[str, ...], Group]:
        """One row per combination of the facets' values.

        Raises:
            UserError: A facet nobody carries (with the nearest names).
        """
        return {key: self._group(" × ".join(key), records) for key, records in self.records_by(*names).items()}

    def records_by(self, *names: str) -> dict[tuple[str, ...], list[Record]]:
        """The records of each combination of the facets' values, in natural order.

        Raises:
            UserError: A facet nobody carries (with the nearest names).
        """
        known = self.facet_names()
        for name in names:
            if name not in known:
                raise unknown_name("facet", name, known, where=str(self.folder))
        groups: dict[tuple[str, ...], list[Record]] = defaultdict(list)
        for record in self.records:
            keys: list[tuple[str, ...]] = [()]
            for name in names:
                keys = [(*key, value) for key in keys for value in self.facet(record, name)]
            for key in keys:
                groups[key].append(record)
        return {key: groups[key] for key in sorted(groups, key=_natural)}

    def usage(self) -> dict[str, float]:
        """Tokens of prompts and answers and their cost over all records, where the model tells them."""
        counts = {name: [record.tokens[name] for record in self.records if name in record.tokens] for name in _USED}
        return {name: fsum(values) for name, values in counts.items() if values}

    def _group(self, name: str, records: Sequence[Record]) -> Group:
        metric = self.metric()
        facets: dict[str, Any] = {task: self.tasks[task].facets for task in {record.task for record in records}}
        scores = self.scored(records)
        estimate = metric.task(scores) if len(facets) == 1 else metric.suite(scores, facets)
        states = [record.state for record in records]
        return Group(
            name,
            estimate,
            states.count("scored"),
            states.count("truncated"),
            states.count("errored"),
            sum(record.answer is None and record.state == "scored" for record in records),
        )


def _natural(key: tuple[str, ...]) -> list[tuple[int, float, str]]:
    """Sort numbers as numbers, so that support 10 comes after support 9."""
    parts = []
    for text in key:
        try:
            parts.append((0, float(text), text))
        except ValueError:
            parts.append((1, 0.0, text))
    return parts


def load_run(folder: str | Path, errors: ErrorPolicy = "leave-out", weigh: Weigh = "tasks") -> Run:
    """Read a run; an empty log is an error, because there is nothing to say about it.

    Example:
        >>> from taskloom import load_run, open_suite, run_suite
        >>> _ = run_suite(open_suite("babi/task-1"), model="mock/oracle", folder="runs/one", limit=5)
        >>> load_run("runs/one")
        <Run of mock/oracle on babi/task-1 (test): 5 records>
    """
    run = Run(folder, errors, weigh)
    if not run.records:
        raise UserError("the log of this run is empty", where=str(folder), hint=run.plan.command or None)
    return run


def write_results(run: Run, more: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Write `results.json` beside the log and return what it holds.

    Args:
        run: The run.
        more: Further keys, such as pooled estimates of combinations.
    """
    results = {**run_results(run), **(more or {})}
    write_sealed(run.folder / "results.json", results)
    return results


def results_of(folder: str | Path) -> dict[str, Any]:
    """What `results.json` of a run holds, from its log."""
    return run_results(load_run(folder))


def run_results(run: Run) -> dict[str, Any]:
    """The numbers of a run as plain data."""
    return {
        "suite": run.plan.suite,
        "model": run.name,
        "metric": run.metric().name,
        "estimand": run.estimand,
        "overall": _plain(run.overall()),
        "tasks": {group.name: _plain(group) for group in run.by_task()},
        **_facets(run),
        "samples": {name: list(estimate) for name, estimate in sample_estimates(run).items()},
        "usage": run.usage(),
        "errors": run.errors,
        "protocol": run.plan.protocol,
        "plan": run.plan.hash(),
    }


def _facets(run: Run) -> dict[str, Any]:
    """Every facet by itself. One with a value for almost every record is no group; it is named with its number."""
    found: dict[str, Any] = {}
    left_out: dict[str, int] = {}
    for name in run.facet_names():
        if name == "task":
            continue
        values = {value for record in run.records for value in run.facet(record, name)}
        if len(values) > max(_FEW_VALUES, len(run.records) // 2):
            left_out[name] = len(values)
        elif len(values) > 1:
            found[name] = {" × ".join(key): _plain(group) for key, group in run.by_facet(name).items()}
    return {"facets": found, "facets_left_out": left_out}


def _plain(group: Group) -> dict[str, Any]:
    estimate = group.estimate
    return {
        "value": None if estimate.value != estimate.value else estimate.value,
        "interval": [estimate.low, estimate.high],
        "method": estimate.method,
        "n": estimate.n,
        "scored": group.scored,
        "truncated": group.truncated,
        "errored": group.errored,
        "unparsed": group.unparsed,
    }
