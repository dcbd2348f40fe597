"""The samples that a page looks at: a table, a query and an order. First hits are shown while texts are searched.

A view is computed once for all requests of its rows, its count or its groups; the last few views and tables are kept.
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import msgspec
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from starlette.datastructures import QueryParams

from taskloom.core import UserError
from taskloom.core.csv_table import encode_csv
from taskloom.run.record import encode_record
from taskloom.views.library import Library
from taskloom.views.table import NUMBERS, TEXTS, Mask, Rows, SampleTable, TextClause, keep_recent, parse_query

_MOST_SECONDS = 60.0
"""CPU seconds of a search: a busy machine does not end it, an expression that is slow on every row does."""
_FIRST_HITS = 0.35
"""Seconds that a request waits for the first hits of a search."""
_PATIENCE = 4.0
_KEPT_TABLES, _KEPT_VIEWS = 4, 12
MOST_ROWS = 500
_MOST_CSV = 50_000
DEFAULT_COLUMNS = ("outcome", "task", "said", "expected")


class SampleRequest(NamedTuple):
    """What a page shows: runs, whether they are lined up, what was typed, the order; and which part of it."""

    runs: tuple[str, ...]
    paired: bool = False
    query: str = ""
    sort: tuple[str, ...] = ()
    columns: tuple[str, ...] = DEFAULT_COLUMNS
    by: tuple[str, ...] = ()
    start: int = 0
    most: int = 100
    row: int = 0

    @classmethod
    def of(cls, given: QueryParams) -> SampleRequest:
        """What an address asks for."""
        sort, columns, by = (tuple(filter(None, given.get(key, "").split(","))) for key in ("sort", "cols", "by"))
        start, most, row = (whole_number(given, *each) for each in (("start", 0), ("count", 100), ("row", 0)))
        return cls(tuple(given.getlist("run")), given.get("pair") == "1", given.get("q", ""), sort[:3],
                   columns[:40] or DEFAULT_COLUMNS, by[:3], start, min(most, MOST_ROWS), row)  # fmt: skip


def whole_number(given: Mapping[str, str], name: str, fallback: int = 0) -> int:
    """A number of an address."""
    text = given.get(name, "")
    if not text:
        return fallback
    if not (text.isascii() and text.isdecimal() and len(text) < 16):
        raise UserError(f"{name} is a whole number, not {text[:40]!r}")
    return int(text)


class TextScan:
    """A search through the prompts and raw answers of a table, block by block.

    Attributes:
        hits: The rows found so far.
        read: How many records were read, of `total`.
        ended: Why it ended: "" while it goes on.
    """

    def __init__(self, table: SampleTable, clauses: Sequence[TextClause], among: Mask) -> None:
        self.hits: Mask = np.zeros(len(table), bool)
        self.read, self.total = 0, sum(len(run.columns) for run in table.runs)
        self.ended = ""
        self._table, self._clauses, self._among = table, clauses, among
        self._check()

    def _check(self) -> None:
        """Refuse an expression that cannot be read before anything is searched."""
        empty = pa.table({"prompt": pa.array([""]), "raw": pa.array([""])})
        try:
            _matching(empty, self._clauses)
        except pa.ArrowInvalid as error:
            problem = str(error).partition(": ")[2] or str(error)
            raise UserError(f"this regular expression cannot be read: {problem}", where="search") from None

    def run(self, wanted: Callable[[], bool]) -> None:
        """Search until all is read, the time is over, or no page asks any more."""
        begun = time.thread_time()
        try:
            for number, run in enumerate(self._table.runs):
                places = self._places(number)
                for rows, block in run.columns.blocks("prompt", "raw"):
                    spent = time.thread_time() - begun > _MOST_SECONDS
                    if spent or not wanted():
                        self.ended = (
                            f"stopped after {_MOST_SECONDS:.0f} CPU seconds" if spent else "no page asks any more"
                        )
                        return
                    own = places[rows]
                    among = (rows >= 0) & self._among[own]
                    if among.any():
                        self.hits[own[among & _matching(block, self._clauses)]] = True
                    self.read += len(rows)
            self.ended = "all read"
        except UserError as error:
            self.ended = f"stopped: {error.message}"
        finally:
            self.ended = self.ended or "stopped by an error"

    def _places(self, number: int) -> Rows:
        """The row of the table for every record of a run."""
        table = self._table
        if not table.paired:
            return np.flatnonzero(table.owner == number)
        own = table.answers[:, number]
        places = np.zeros(len(table.runs[number].columns), np.int64)
        places[own[own >= 0]] = np.flatnonzero(own >= 0)
        return places


def _matching(block: pa.Table, clauses: Sequence[TextClause]) -> Mask:
    found: Mask = np.ones(block.num_rows, bool)
    for clause in clauses:
        match = pc.match_substring_regex if clause.regex else pc.match_substring
        sides = [match(block.column(name), clause.text, ignore_case=True).to_numpy() for name in ("prompt", "raw")]
        found &= (sides[0] | sides[1]) != clause.absent
    return found


class SampleView:
    """What one request asks for: which rows, in which order, and how far the search is."""

    def __init__(self, table: SampleTable, request: SampleRequest, pool: ThreadPoolExecutor) -> None:
        query = parse_query(request.query)
        self.table = table
        self._sort = request.sort
        self._mask = table.mask(query.clauses)
        self.asked = time.monotonic()
        self.scan = TextScan(table, query.texts, self._mask) if query.texts else None
        self._done: Rows | None = None
        if self.scan is not None:
            self._search = pool.submit(self.scan.run, lambda: not self.forgotten)

    @property
    def forgotten(self) -> bool:
        """Whether no page has asked for a while: a search that was typed over gives up."""
        return time.monotonic() - self.asked > _PATIENCE

    @property
    def complete(self) -> bool:
        """Whether every row that fits is known."""
        return self.scan is None or bool(self.scan.ended)

    def wait(self, seconds: float) -> None:
        """Give a search a moment to find something."""
        end = time.monotonic() + seconds
        while not self.complete and not self.hits().any() and time.monotonic() < end:
            time.sleep(0.01)

    def hits(self) -> Mask:
        """Which rows fit, as far as is known."""
        return self._mask if self.scan is None else self.scan.hits

    def rows(self) -> Rows:
        """The rows that fit, in order."""
        if self._done is not None:
            return self._done
        complete, order = self.complete, self.table.order(self._sort)
        found: Rows = order[self.hits()[order]]
        if complete:
            self._done = found
        return found

    def progress(self) -> dict[str, Any]:
        """How far a search is."""
        if self.scan is None:
            return {"complete": True}
        return {"complete": self.complete, "read": self.scan.read, "of": self.scan.total, "ended": self.scan.ended}


class Samples:
    """Tables and views over a library, the last few of them kept."""

    def __init__(self, library: Library) -> None:
        self.library = library
        self._lock = threading.RLock()
        self._tables: OrderedDict[Hashable, SampleTable] = OrderedDict()
        self._views: OrderedDict[Hashable, SampleView] = OrderedDict()
        self._pool = ThreadPoolExecutor(2, thread_name_prefix="search")

    def table(self, runs: Sequence[str], *, paired: bool) -> tuple[Hashable, SampleTable]:
        """The table of some runs as they are now, and what tells it from others."""
        with self._lock:
            opened = [(name, self.library.run(name)) for name in runs]
            key = (tuple(runs), paired, tuple(id(run) for _, run in opened))
            return key, keep_recent(self._tables, key, _KEPT_TABLES, lambda: SampleTable(opened, paired=paired))

    def view(self, request: SampleRequest) -> SampleView:
        """What a request asks for."""
        with self._lock:
            key, table = self.table(request.runs, paired=request.paired)
            whole = (key, request.query, request.sort)
            known = self._views.get(whole)
            if known is not None and known.scan is not None and known.forgotten and known.scan.ended != "all read":
                del self._views[whole]
            view = keep_recent(self._views, whole, _KEPT_VIEWS, lambda: SampleView(table, request, self._pool))
            view.asked = time.monotonic()
            return view

    def rows(self, request: SampleRequest) -> dict[str, Any]:
        """Some rows of a view as plain data."""
        view = self.view(request)
        view.wait(_FIRST_HITS)
        progress = view.progress()
        rows = view.rows()
        start = request.start
        picked = rows[start : start + request.most]
        shown = {name: _values(view.table, name, picked) for name in request.columns}
        return {
            "total": len(rows), "all": len(view.table), "start": start, "rows": picked.tolist(), "columns": shown,
            **progress,
        }  # fmt: skip

    def csv(self, request: SampleRequest) -> str:
        """The rows of a view for spreadsheets, up to 50,000."""
        view = self.view(request)
        while not view.complete:
            time.sleep(0.05)
            view = self.view(request)
        rows = view.rows()[:_MOST_CSV]
        shown = [_values(view.table, name, rows) for name in request.columns]
        return encode_csv(request.columns, list(zip(*shown, strict=True)))

    def group(self, request: SampleRequest) -> dict[str, Any]:
        """The rows of a view in groups."""
        view = self.view(request)
        view.wait(_FIRST_HITS)
        progress = view.progress()
        whole = view.scan is None and not request.query.strip()
        groups = view.table.group(request.by, None if whole else view.hits())
        return {"names": list(request.by), "groups": msgspec.to_builtins(groups), **progress}

    def facets(self, request: SampleRequest) -> dict[str, Any]:
        """What can be filtered and grouped by."""
        _, table = self.table(request.runs, paired=request.paired)
        return {"columns": table.names_of_columns(), "numbers": list(NUMBERS), "texts": list(TEXTS),
                "runs": table.names, "rows": len(table)}  # fmt: skip

    def sample(self, request: SampleRequest) -> dict[str, Any]:
        """Everything about one row: the records behind it, exactly as they stand in the log."""
        _, table = self.table(request.runs, paired=request.paired)
        row = request.row
        if not 0 <= row < len(table):
            raise UserError(f"there is no row {row}", where="sample")
        held = enumerate(table.answers[row]) if table.paired else [(table.owner[row], table.row[row])]
        found = [(run, int(place)) for run, place in held if place >= 0]
        records = [encode_record(table.runs[run].records[place]) for run, place in found]
        return {"runs": [table.names[run] for run, _ in found], "row": row, "records": list(map(msgspec.Raw, records))}


def _values(table: SampleTable, name: str, rows: Rows) -> list[Any]:
    if name in NUMBERS:
        return [None if np.isnan(value) else value for value in table.numbers(name)[rows].tolist()]
    if name in TEXTS:
        return table.texts(name, rows)
    column = table.column(name)
    return [", ".join(column.labels[code]) for code in column.rows[rows].tolist()]
