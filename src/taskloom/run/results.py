"""From a log to numbers: per task, per facet, overall, with intervals and denominators.

A run is read as columns (`run.columns`); `Run.records` is a sequence that reads a record from the log when it is asked
for one. So a run of a million records takes no more memory than its numbers do.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from math import fsum
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, SupportsIndex, TypeAlias, overload

import msgspec

from taskloom.ask.judge import Headline
from taskloom.core import Task, UserError, ensure_known
from taskloom.core.calls import Explained, explained, explained_methods, missing_item
from taskloom.core.catalog import METRICS
from taskloom.core.display import counted, html_table, notebook_view
from taskloom.core.errors import NamedValues
from taskloom.core.meaning import alike
from taskloom.core.metric import Estimate, ItemScore, Metric, make_metric
from taskloom.core.scorer import metric_of
from taskloom.run.columns import (
    Columns,
    Records,
    distinct,
    facet_labels,
    facet_rows,
    labels_of,
    natural_order,
    split_by_code,
)
from taskloom.run.log import open_columns
from taskloom.run.plan import RESULTS, Plan, load_plan, load_tasks
from taskloom.run.record import USAGE, Record
from taskloom.run.samples import averaged, mean_of_samples, sample_estimates
from taskloom.run.sealed import latest_seal
from taskloom.store.remote import stored
from taskloom.store.seal import write_sealed

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

    from taskloom.score.stats import Weigh

    Rows = NDArray[np.int64]

_FEW_VALUES = 24

ErrorPolicy: TypeAlias = Literal["leave-out", "wrong"]
"""Whether a failed instance is left out of the mean or counts as a wrong answer; denominators are shown either way."""


class Group(Explained, msgspec.Struct, frozen=True):
    """One row of a table: what was grouped, its estimate, and every denominator behind it."""

    name: str
    estimate: Estimate
    scored: int
    truncated: int
    errored: int
    unparsed: int

    def __repr__(self) -> str:
        return f"<Group {self.name}: {self.estimate}>"

    def _repr_html_(self) -> str:
        names = ("score", "low", "high", "n", "truncated", "errored", "unparsed")
        shown = [f"{number:.3f}" for number in self.estimate[:3]]
        return html_table(self.name, names, [(*shown, self.scored, self.truncated, self.errored, self.unparsed)])


class Groups(list[Group]):
    """Rows of a table, found by number or by name."""

    @overload
    def __getitem__(self, index: SupportsIndex | str) -> Group: ...
    @overload
    def __getitem__(self, index: slice) -> list[Group]: ...
    def __getitem__(self, index: SupportsIndex | slice | str) -> Group | list[Group]:
        if isinstance(index, str):
            return NamedValues("task", {each.name: each for each in self})[index]
        return super().__getitem__(index)


@explained_methods
class Run(Explained):
    """A finished or unfinished run, read from its log.

    Attributes:
        folder: Where it lies: every answer is saved there as it arrives.
        plan: What was asked, of whom and how.
        tasks: The tasks by name.
        columns: The records by column: tasks, states, scores, facets, offsets in the log.
        records: The records themselves, each read from the log on demand.
    """

    def __init__(
        self,
        folder: str | Path,
        errors: ErrorPolicy = "leave-out",
        weigh: Weigh = "tasks",
        columns: Columns | None = None,
    ) -> None:
        with stored(folder, write=False) as self.folder:
            pass  # of a run on object storage this is the copy, which stays
        self.plan: Plan = load_plan(self.folder)
        self.tasks: dict[str, Task] = NamedValues("task", load_tasks(self.folder))
        self.columns = columns if columns is not None else open_columns(self.folder)
        self.records = Records(self.columns)
        self.errors = errors
        self.weigh = weigh
        self._refuse_foreign()

    def _refuse_foreign(self) -> None:
        """Records that no run writes: of a task that the run does not have, or with a score that cannot be."""
        import numpy as np

        codes, names = self.columns.codes("task")
        strange = np.asarray([name not in self.tasks for name in names], dtype=bool)
        odd = np.flatnonzero((strange[codes] if strange.any() else False) | (self._values < 0) | (self._values > 1))
        if len(odd):
            record = self.records[int(odd[0])]
            raise UserError(
                f"the record of {record.task}/{record.id} was not written by a run",
                where=str(self.folder),
                hint=f"taskloom check {self.folder}",
            )

    @cached_property
    def _values(self) -> NDArray[np.float64]:
        """The score that counts of every record, nan where there is none."""
        return self.columns.floats("score")

    @property
    def name(self) -> str:
        """What to call the run in tables: the model, and how it was adapted."""
        return self.plan.title

    def __len__(self) -> int:
        return len(self.records)

    def __iter__(self) -> Iterator[Record]:
        return iter(self.records)

    @overload
    def __getitem__(self, index: int) -> Record: ...
    @overload
    def __getitem__(self, index: slice) -> list[Record]: ...
    def __getitem__(self, index: int | slice) -> Record | list[Record]:
        if not isinstance(index, int | slice):
            if isinstance(index, str) and {*alike(index)} & {*dir(self)}:
                missing_item(self, index)
            facet = (
                f"by_facet({index!r}) groups by it" if index in self.facet_names() else "by_facet(…) groups by a facet"
            )
            raise UserError(f"a run is indexed by number, not by {index!r}", hint=f"run.{facet}; run[0] is a record")
        if isinstance(index, int) and not -len(self) <= index < len(self):
            raise IndexError(f"there is no record {index}: this run has {len(self):,}, run[0] to run[{len(self) - 1}]")
        return self.records[index]

    def failures(self) -> Records:
        """The records that did not get the full score, unanswered ones included, in the run's order.

        Example:
            >>> from tempfile import mkdtemp
            >>> from taskloom import run_suite
            >>> run = run_suite("babi/task-1", model=lambda prompt: "kitchen", folder=mkdtemp(), limit=20)
            >>> len(run.failures()) + round(20 * run.overall().estimate.value)
            20
        """
        return Records(self.columns, (~(self._values >= 1)).nonzero()[0])

    @explained
    def sample(self, count: int, seed: int = 0) -> list[Record]:
        """Some records, drawn without replacement; the seed decides which."""
        return self.records.sample(count, seed)

    def __repr__(self) -> str:
        failed = next((record for record in self.failures() if record.error), None)
        why = f", {self._denominators(None)[2]:,} failed (the first: {failed.error})" if failed else ""
        records = counted(len(self.records), "record")
        return f"<Run of {self.name} on {self.plan.suite} ({self.plan.split}): {records}{why}>"

    def _repr_html_(self) -> str:
        return notebook_view(self)

    def to_arrow(self) -> pa.Table:
        """The records as an Arrow table: one row per answer, one column per facet."""
        from taskloom.run.frames import records_table

        return records_table(self)

    def sql(self, query: str) -> pa.Table:
        """The answer to a query over the table `records`, as an Arrow table; needs DuckDB (`run.frames`)."""
        from taskloom.run.frames import query_runs

        return query_runs([self], query)

    def to_pandas(self) -> Any:
        """The records as a pandas data frame; needs pandas."""
        from taskloom.run.frames import records_frame

        return records_frame(self)

    def facet_names(self) -> list[str]:
        """Facets of instances and tasks that you can group by."""
        names = {*self.columns.facets, "task"}
        names |= {name for task in self.tasks.values() for name in task.facets}
        names |= {"wording"} if any(self.columns.codes("wording").labels) else set()
        return sorted(names)

    def facet(self, record: Record, name: str) -> list[str]:
        """The groups a record belongs to: one per member for a facet that is a list."""
        if name == "task":
            return [record.task]
        if name == "wording":
            return [record.wording or "–"]
        return labels_of(record.facets.get(name, self.tasks[record.task].facets.get(name)))

    def facet_values(self, name: str) -> set[str]:
        """All groups of a facet."""
        codes, labels = facet_labels(self.columns, self.tasks, name)
        return {label for code in distinct(codes) for label in labels[code]}

    def rows_by(self, *names: str) -> dict[tuple[str, ...], Rows]:
        """The rows (of `columns` and `records`) of every combination of the facets' values.

        Raises:
            UserError: A facet that no row has (with the nearest names).
        """
        known = self.facet_names()
        for name in names:
            ensure_known("facet", name, known, where=str(self.folder))
        return facet_rows(self.columns, self.tasks, names)

    def metric(self) -> Metric:
        """The metric of the suite: that of its scorers if they agree, else the mean."""
        names = {metric_of(scorer) for scorer in self.columns.codes("scorer").labels}
        metric: Metric = METRICS.get(names.pop() if len(names) == 1 else "mean")
        if self.weigh == "tasks":
            return metric
        if "weigh" not in metric.__struct_fields__:
            raise UserError(f"the metric {metric.name} always counts every task once", where="--weigh")
        return msgspec.structs.replace(metric, weigh=self.weigh)

    @property
    def estimand(self) -> str:
        """What the overall score is, in words."""
        from taskloom.score.stats import estimand

        return estimand(self.weigh, self.metric().name)

    @property
    def replicate(self) -> str:
        """Which replicate this is: the seeds of its data, of drawn examples, and of sampling or training."""
        from taskloom.score.stats import seed_label

        draw = self.plan.adaptation.get("draw", 0)
        return seed_label(data=self.plan.data_seed, draw=draw, run=self.plan.run_seed)

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

    def values(self, headline: Headline | None = None) -> NDArray[np.float64]:
        """The score of every record (nan if there is none), for the headline reading or a named one."""
        import numpy as np

        if headline is None:
            return self._values
        strict = self.columns.floats("strict")
        if headline == "strict":
            return strict
        return np.where(self.columns.column("read_twice").to_numpy(), self.columns.floats("lenient"), strict)

    def cells(self, rows: Rows | None = None, headline: Headline | None = None) -> dict[str, NDArray[np.float64]]:
        """The scores of some rows (all by default) by task, failures by policy, samples of one instance averaged."""
        import numpy as np

        values = self.values(headline)
        codes, names = self.columns.codes("task")
        missing = np.isnan(values if rows is None else values[rows])
        if missing.any() and self.errors == "leave-out":
            rows = np.flatnonzero(~missing) if rows is None else rows[~missing]
        picked = slice(None) if rows is None else rows
        of_task, found = codes[picked], np.nan_to_num(values[picked])
        if self.plan.samples > 1:
            of_task, found = mean_of_samples(of_task, self.columns.codes("id").rows[picked], found)
        return {names[code]: found[members] for code, members in split_by_code(of_task).items()}

    def mean_metric(self) -> Metric:
        """The mean, weighted like this run; for numbers that do not come from scorers."""
        return make_metric("mean", {"weigh": self.weigh})

    def overall(self) -> Group:
        """The whole run as one row."""
        return self.group("overall")

    def by_task(self) -> Groups:
        """One row per task, in the order of the suite; `by_task()["task-1"]` is that of one."""
        codes, names = self.columns.codes("task")
        rows = {names[code]: members for code, members in split_by_code(codes).items()}
        return Groups(self.group(name, rows[name]) for name in self.tasks if name in rows)

    def by_facet(self, *names: str) -> dict[tuple[str, ...], Group]:
        """One row per combination of the facets' values.

        Raises:
            UserError: A facet that no row has (with the nearest names).
        """
        rows = self.rows_by(*names)
        groups = {key: self.group(" × ".join(key), rows[key]) for key in sorted(rows, key=natural_order)}
        return NamedValues("group", groups)

    def records_by(self, *names: str) -> dict[tuple[str, ...], list[Record]]:
        """The records of each combination of the facets' values, in natural order: for runs that fit into memory.

        Raises:
            UserError: A facet that no row has (with the nearest names).
        """
        rows = self.rows_by(*names)
        return {key: self.records.at(rows[key].tolist()) for key in sorted(rows, key=natural_order)}

    def usage(self) -> dict[str, float]:
        """Total tokens of prompts, answers, caches, reasoning and the bill, and costs, where the model reports them."""
        columns = ((name, self.columns.floats(column)[self.columns.present(column)]) for column, name in USAGE.items())
        return {name: fsum(told) for name, told in columns if len(told)}

    def served(self) -> list[str]:
        """The models and snapshots that answered, as servers name them; none where no server says."""
        import numpy as np

        (names, words), (prints, marks) = self.columns.codes("served"), self.columns.codes("fingerprint")
        if not any((*words, *marks)):
            return []
        pairs = np.unique(np.stack([names, prints]), axis=1).T.tolist()
        told = [(words[name] if name >= 0 else "", marks[mark] if mark >= 0 else "") for name, mark in pairs]
        return sorted(" ".join(filter(None, (name, mark and f"({mark})"))) for name, mark in told if name or mark)

    def group(self, name: str, rows: Rows | None = None, headline: Headline | None = None) -> Group:
        """Some rows as one row of a table.

        Args:
            name: What to call it.
            rows: The rows, as `rows_by` gives them; all of them by default.
            headline: The reading to score by, where it is not the one that counts.
        """
        metric = self.metric()
        codes, names = self.columns.codes("task")
        present = distinct(codes if rows is None else codes[rows])
        facets: dict[str, Any] = {names[code]: self.tasks[names[code]].facets for code in present}
        cells = {(task, self.replicate): found for task, found in self.cells(rows, headline).items()}
        estimate = metric.from_values(cells, facets)
        if estimate is None:
            scores = self.scored(self._picked(rows, headline))
            estimate = metric.task(scores) if len(facets) == 1 else metric.suite(scores, facets)
        return Group(name, estimate, *self._denominators(rows))

    def _picked(self, rows: Rows | None, headline: Headline | None) -> Iterator[Record]:
        for record in self.records if rows is None else self.records.read(rows.tolist()):
            yield record if headline is None else msgspec.structs.replace(record, headline=headline)

    def _denominators(self, rows: Rows | None) -> tuple[int, int, int, int]:
        """How many are scored, truncated, errored, and scored without an answer."""
        states, names = self.columns.codes("state")
        answered = self._answered
        if rows is not None:
            states, answered = states[rows], answered[rows]
        counts = {name: int((states == code).sum()) for code, name in enumerate(names)}
        unparsed = int(((states == names.index("scored")) & ~answered).sum()) if "scored" in names else 0
        return counts.get("scored", 0), counts.get("truncated", 0), counts.get("errored", 0), unparsed

    @cached_property
    def _answered(self) -> NDArray[np.bool_]:
        return self.columns.present("answer")


@explained
def load_run(folder: str | Path, errors: ErrorPolicy = "leave-out", weigh: Weigh = "tasks") -> Run:
    """Read a run. An empty log is an error.

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
    write_sealed(run.folder / RESULTS, results)
    return results


def run_results(run: Run) -> dict[str, Any]:
    """The numbers of a run as plain data."""
    return {
        "suite": run.plan.suite,
        "model": run.name,
        "metric": run.metric().name,
        "estimand": run.estimand,
        "overall": group_results(run.overall()),
        "tasks": {group.name: group_results(group) for group in run.by_task()},
        **facet_groups(run),
        "samples": {name: list(estimate) for name, estimate in sample_estimates(run).items()},
        "usage": run.usage(),
        "served": run.served(),
        "errors": run.errors,
        "protocol": run.plan.protocol,
        "plan": run.plan.hash(),
        "proof": proof_of(run),
    }


def proof_of(run: Run) -> dict[str, Any]:
    """What the numbers were computed from: plan, rows, records and version. `check` compares it with the run."""
    seal = latest_seal(run.folder)
    return {
        "plan": run.plan.hash(),
        "rows": run.plan.identity,
        "records": seal.chain if seal is not None else "",
        "taskloom": run.plan.environment.get("taskloom", ""),
    }


def facet_groups(run: Run) -> dict[str, Any]:
    """Every facet by itself. One with a value for almost every record is no group; it is named with its number."""
    found: dict[str, Any] = {}
    left_out: dict[str, int] = {}
    for name in run.facet_names():
        if name == "task":
            continue
        values = run.facet_values(name)
        if len(values) > max(_FEW_VALUES, len(run.records) // 2):
            left_out[name] = len(values)
        elif len(values) > 1:
            found[name] = {" × ".join(key): group_results(group) for key, group in run.by_facet(name).items()}
    return {"facets": found, "facets_left_out": left_out}


def group_results(group: Group) -> dict[str, Any]:
    """The numbers of a group as plain data."""
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
