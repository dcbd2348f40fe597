"""One table over the records of any number of runs: filtered, sorted and grouped by columns, never record by record.

A row is a record, or, where runs are lined up, a question with the answer of each run. Columns are read when they are
first asked for and kept as small integers with their labels; an order, once sorted, is kept too. So the second look at
a million records costs a few milliseconds.
"""

from __future__ import annotations

import operator
import re
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable, Sequence
from functools import partial
from itertools import product
from math import isnan
from typing import Any, NamedTuple, TypeAlias, TypeVar

import msgspec
import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from taskloom.core import UserError, ensure_known, unknown_name
from taskloom.core.catalog import FAMILIES
from taskloom.report.samples import SampleIndex
from taskloom.run.columns import Codes, facet_labels, natural_order
from taskloom.run.results import Run
from taskloom.score.stats import wilson
from taskloom.studies.frontier.static import cells_of

Rows: TypeAlias = NDArray[np.int64]
Mask: TypeAlias = NDArray[np.bool_]
T = TypeVar("T")

OUTCOMES = ("right", "wrong", "partly", "unparsed", "cut", "failed")
NUMBERS = {"score": "score", "prompt_tokens": "prompt_tokens", "output_tokens": "output_tokens", "cost": "cost",
           "characters": "raw_length"}  # fmt: skip
"""Columns of numbers, and where they are kept."""
TEXTS = {"id": "id", "said": "answer", "expected": "target"}
_LABELS = {name: name for name in ("state", "scorer", "protocol", "error")}
_SIGNS: dict[str, Callable[[Any, Any], Any]] = {
    "<": operator.lt, ">": operator.gt, "<=": operator.le, ">=": operator.ge,
}  # fmt: skip
_KEPT_ORDERS = 12
_MOST_GROUPS = 5_000


class Column(NamedTuple):
    """A code per row, and the groups that each code stands for (several for a facet that is a list)."""

    rows: NDArray[np.integer[Any]]
    labels: list[tuple[str, ...]]


class GroupRow(msgspec.Struct, frozen=True):
    """Some rows: what they have in common, how many, their mean score with its interval, and those without a score."""

    names: tuple[str, ...]
    n: int
    value: float | None
    low: float
    high: float
    unscored: int


def keep_recent(store: OrderedDict[Hashable, T], key: Hashable, most: int, make: Callable[[], T]) -> T:
    """A value that was made before, or is made now; those that were not used for longest are forgotten."""
    if key in store:
        store.move_to_end(key)
    else:
        store[key] = make()
        while len(store) > most:
            store.popitem(last=False)
    return store[key]


class SampleTable:
    """The records of named runs; if `paired`, a row is a question with one answer of each run instead of a record."""

    def __init__(self, runs: Sequence[tuple[str, Run]], *, paired: bool = False) -> None:
        if not runs:
            raise UserError("no run is chosen", hint="tick runs on the page Runs")
        self.names = [name for name, _ in runs]
        self.runs = [run for _, run in runs]
        self.paired = paired and len(runs) > 1
        self._lock = threading.RLock()
        self._columns: dict[str, Column] = {}
        self._kept: OrderedDict[Hashable, Any] = OrderedDict()
        if self.paired:
            self.answers: Rows = SampleIndex(self.runs).rows
            self.owner = (self.answers >= 0).argmax(axis=1)
            self.row: Rows = self.answers[np.arange(len(self.answers)), self.owner]
        else:
            sizes = [len(run.columns) for run in self.runs]
            self.owner = np.repeat(np.arange(len(sizes), dtype=np.int16), sizes)
            self.row = np.concatenate([np.arange(size) for size in sizes])

    def __len__(self) -> int:
        return len(self.row)

    def names_of_columns(self) -> list[str]:
        """What rows can be filtered, sorted and grouped by."""
        facets = sorted({name for run in self.runs for name in run.facet_names()} - {"task"})
        cells = any(run.plan.suite.partition("/")[0] in FAMILIES or "skills" in run.facet_names() for run in self.runs)
        several = [f"outcome@{n + 1}" for n in range(len(self.runs))] + ["outcomes"] if self.paired else []
        first = ["outcome", "task", *(["cell"] if cells else []), *([] if self.paired else ["run"]), *several]
        return list(dict.fromkeys([*first, *TEXTS, "state", *NUMBERS, *facets]))

    # Columns

    def column(self, name: str) -> Column:
        """A column of labels."""
        with self._lock:
            if name not in self._columns:
                self._columns[name] = self._read(name)
            return self._columns[name]

    def _read(self, name: str) -> Column:
        if name == "run":
            return Column(self.owner.astype(np.int16), [(own,) for own in self.names])
        if name == "outcomes" and self.paired:
            return self._agreement()
        base, _, number = name.partition("@")
        if number:
            if not (self.paired and base == "outcome" and number.isdecimal() and 0 < int(number) <= len(self.runs)):
                raise unknown_name("column", name, self.names_of_columns())
            return self._of_run(int(number) - 1)
        known = self.names_of_columns()
        ensure_known("column", name, known)
        places: dict[tuple[str, ...], int] = {}
        found = []
        for run in self.runs:
            rows, labels = self._codes(run, name)
            lut = np.asarray([places.setdefault(tuple(each), len(places)) for each in labels], np.int32)
            found.append(lut[rows])
        joined = self._gathered(found)
        kind = np.int8 if len(places) < 128 else np.int16 if len(places) < 32_768 else np.int32
        return Column(joined.astype(kind), list(places))

    def _gathered(self, of_runs: Sequence[NDArray[Any]]) -> NDArray[Any]:
        """Columns of the runs as one column of the table."""
        joined = np.concatenate(of_runs)
        if not self.paired:
            return joined
        starts = np.cumsum([0, *map(len, of_runs)])[:-1]
        found: NDArray[Any] = joined[starts[self.owner] + self.row]
        return found

    @staticmethod
    def _codes(run: Run, name: str) -> tuple[NDArray[Any], list[list[str]]]:
        if name == "outcome":
            rows, labels = _outcomes(run)
            return rows, [[label] for label in labels]
        if name == "cell":
            rows, labels = cells_of(run)
            return rows, [[label or "–"] for label in labels]
        if name in _LABELS or name in TEXTS:
            codes, texts = run.columns.codes({**_LABELS, **TEXTS}[name])
            # An integer of few bits cannot hold the number of the label for nothing.
            return np.where(codes < 0, np.int32(len(texts)), codes), [[text or "–"] for text in (*texts, "–")]
        if name in NUMBERS:
            return _coded_numbers(run.columns.floats(NUMBERS[name]))
        return facet_labels(run.columns, run.tasks, name)

    def _of_run(self, number: int) -> Column:
        """The outcome of one run for every question."""
        codes, labels = _outcomes(self.runs[number])
        asked = self.answers[:, number]
        rows = np.where(asked >= 0, codes[asked], len(labels)).astype(np.int8)
        return Column(rows, [(label,) for label in (*labels, "not asked")])

    def _agreement(self) -> Column:
        """Whether the runs have the same outcome."""
        every = np.stack([self.column(f"outcome@{n + 1}").rows for n in range(len(self.runs))])
        return Column((every != every[0]).any(axis=0).astype(np.int8), [("same",), ("differ",)])

    def numbers(self, name: str) -> NDArray[np.float64]:
        """A column of numbers, nan where there is none; kept."""
        return self._keep(
            ("numbers", name), lambda: self._gathered([r.columns.floats(NUMBERS[name]) for r in self.runs])
        )

    def texts(self, name: str, rows: Rows) -> list[str | None]:
        """What stands in a column of texts, in some rows."""
        columns = [self._keep(("texts", name, n), partial(_plain, run, TEXTS[name])) for n, run in enumerate(self.runs)]
        return [columns[self.owner[row]][int(self.row[row])].as_py() for row in rows]

    def _keep(self, key: Hashable, make: Callable[[], T]) -> T:
        with self._lock:
            kept: T = keep_recent(self._kept, key, _KEPT_ORDERS + 4 * len(self.runs), make)
            return kept

    # Filter, sort, group

    def mask(self, clauses: Iterable[FacetClause]) -> Mask:
        """The rows that satisfy all of these."""
        found: Mask = np.ones(len(self), bool)
        for clause in clauses:
            found &= self._satisfying(clause)
        return found

    def _satisfying(self, clause: FacetClause) -> Mask:
        if clause.sign in _SIGNS:
            compare, bound = _SIGNS[clause.sign], _number(clause.values[0])
            if isnan(bound):
                raise UserError(f"{clause.values[0]!r} is not a number", where=f"{clause.name}{clause.sign}")
            if clause.name in NUMBERS:
                with np.errstate(invalid="ignore"):
                    fits: Mask = compare(self.numbers(clause.name), bound)
                return fits
            column = self.column(clause.name)
            wanted = [any(compare(_number(label), bound) for label in labels) for labels in column.labels]
        else:
            column = self.column(clause.name)
            wanted = [bool(set(labels) & set(clause.values)) == (clause.sign == "=") for labels in column.labels]
        chosen: Mask = np.asarray(wanted, bool)[column.rows]
        return chosen

    def order(self, keys: Sequence[str]) -> Rows:
        """All rows sorted by columns, `-name` for descending; kept."""
        return self._keep(("order", *keys), lambda: self._sorted(keys))

    def _sorted(self, keys: Sequence[str]) -> Rows:
        order: Rows = np.arange(len(self))
        for key in reversed(keys):
            ranks = self._ranks(key.removeprefix("-"))
            order = order[np.argsort((-ranks if key.startswith("-") else ranks)[order], kind="stable")]
        return order

    def _ranks(self, name: str) -> NDArray[Any]:
        """Numbers to sort a column by."""
        if name in NUMBERS:
            return np.nan_to_num(self.numbers(name), nan=-1.0)
        column = self.column(name)
        order = sorted(range(len(column.labels)), key=lambda code: natural_order(column.labels[code]))
        rank = np.empty(len(order), np.int16 if len(order) < 32_000 else np.int32)
        rank[order] = np.arange(len(order))
        ranks: NDArray[Any] = rank[column.rows]
        return ranks

    def group(self, names: Sequence[str], mask: Mask | None = None) -> list[GroupRow]:
        """The chosen rows by the values of some columns: how many, and their mean score with a Wilson interval."""
        columns = [self.column(name) for name in names]
        total = int(np.prod([len(column.labels) for column in columns]))
        if total > 10_000_000:
            raise UserError(f"{' × '.join(names)} has too many combinations to group by")
        codes = np.zeros(len(self), np.int64)
        for column in columns:
            codes = codes * len(column.labels) + column.rows
        scores = self.numbers("score")
        if mask is not None:
            codes, scores = codes[mask], scores[mask]
        scored = ~np.isnan(scores)
        counts = np.bincount(codes, minlength=total)
        answered = np.bincount(codes[scored], minlength=total)
        sums = np.bincount(codes[scored], weights=scores[scored], minlength=total)
        found: dict[tuple[str, ...], list[float]] = {}
        for code in np.flatnonzero(counts).tolist():
            rest, groups = code, []
            for column in reversed(columns):
                rest, own = divmod(rest, len(column.labels))
                groups.append(column.labels[own])
            for key in product(*reversed(groups)):
                into = found.setdefault(key, [0, 0, 0.0])
                into[0] += int(counts[code])
                into[1] += int(answered[code])
                into[2] += float(sums[code])
        if len(found) > _MOST_GROUPS:
            raise UserError(f"{' × '.join(names)} has {len(found):,} groups; at most {_MOST_GROUPS:,} are shown")
        return [_grouped(key, *map(float, found[key])) for key in sorted(found, key=natural_order)]


def _grouped(names: tuple[str, ...], count: float, answered: float, total: float) -> GroupRow:
    if not answered:
        return GroupRow(names, int(count), None, 0.0, 1.0, int(count))
    low, high = wilson(total, int(answered))
    return GroupRow(names, int(count), total / answered, low, high, int(count - answered))


def _outcomes(run: Run) -> Codes:
    """What became of every record, in one word."""
    codes, states = run.columns.codes("state")
    scores = run.values()
    found = np.full(len(scores), OUTCOMES.index("partly"), np.int8)
    found[scores >= 1] = OUTCOMES.index("right")
    found[scores <= 0] = OUTCOMES.index("wrong")
    found[~run.columns.present("answer")] = OUTCOMES.index("unparsed")
    for state, outcome in (("truncated", "cut"), ("errored", "failed")):
        if state in states:
            found[codes == states.index(state)] = OUTCOMES.index(outcome)
    return Codes(found, list(OUTCOMES))


def _coded_numbers(values: NDArray[np.float64]) -> tuple[NDArray[Any], list[list[str]]]:
    unique, rows = np.unique(values, return_inverse=True)
    return rows, [["–" if isnan(value) else f"{value:g}"] for value in unique.tolist()]


def _plain(run: Run, name: str) -> pa.ChunkedArray:
    column = run.columns.column(name)
    return column.unify_dictionaries().combine_chunks() if pa.types.is_dictionary(column.type) else column


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return float("nan")


_TOKEN = re.compile(
    r"""\s*(?:
      (?P<name>[^\s"/=<>!][^\s"=<>!]*)(?P<sign>!=|<=|>=|=|<|>)(?P<values>(?:"(?:[^"\\]|\\.)*"|[^\s"|]|\|)*)
    | (?P<minus>-)?(?:/(?P<pattern>(?:[^/\\]|\\.)+)/(?=\s|$) | "(?P<phrase>(?:[^"\\]|\\.)*)" | (?P<word>\S+))
    )""",
    re.VERBOSE,
)
_VALUE = re.compile(r'"(?:[^"\\]|\\.)*"|[^"|]+')
_LONGEST = 2_000


class FacetClause(NamedTuple):
    """A facet, how it is compared, and with which values."""

    name: str
    sign: str
    values: tuple[str, ...]


class TextClause(NamedTuple):
    """A text that must (or must not) stand in a prompt or an answer."""

    text: str
    regex: bool = False
    absent: bool = False


class Query(NamedTuple):
    """What a row must satisfy."""

    clauses: tuple[FacetClause, ...] = ()
    texts: tuple[TextClause, ...] = ()


def parse_query(text: str) -> Query:
    """A query from what was typed."""
    if len(text) > _LONGEST:
        raise UserError(f"a search has at most {_LONGEST:,} characters")
    clauses: list[FacetClause] = []
    texts: list[TextClause] = []
    for found in _TOKEN.finditer(text):
        if found["name"] is not None:
            values = [_unescaped(one[1:-1]) if one.startswith('"') else one for one in _VALUE.findall(found["values"])]
            clauses.append(FacetClause(found["name"], found["sign"], tuple(values) or ("",)))
        elif found["pattern"] is not None:
            texts.append(TextClause(found["pattern"], regex=True, absent=bool(found["minus"])))
        else:
            said = found["word"] if found["phrase"] is None else _unescaped(found["phrase"])
            if said:
                texts.append(TextClause(said, absent=bool(found["minus"])))
    return Query(tuple(clauses), tuple(texts))


def _unescaped(text: str) -> str:
    return re.sub(r"\\(.)", r"\1", text)
