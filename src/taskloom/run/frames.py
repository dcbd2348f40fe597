"""Runs as Arrow tables and data frames: one row per answer, one column per facet."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import msgspec

from taskloom.core import UserError, missing_extra
from taskloom.run.layout import FACET, FILES
from taskloom.run.sealed import SealedPart

if TYPE_CHECKING:
    import pyarrow as pa

    from taskloom.run.results import Run


_PLAIN = (
    "task", "id", "sample", "state", "score", "strict", "lenient", "answer", "target", "raw", "prompt", "cell",
    "wording", "error",
)  # fmt: skip


def records_table(run: Run) -> pa.Table:
    """The records of a run with plain columns. A facet whose name is taken becomes `facet:NAME`."""
    import pyarrow as pa

    columns: dict[str, Any] = {name: _plain(run.columns.column(name)) for name in _PLAIN}
    columns["question_hash"] = pa.array(
        [None if value is None else value.hex() for value in run.columns.column("question").to_pylist()], pa.string()
    )
    for name in run.facet_names():
        if name not in ("task", "wording"):
            columns[f"facet:{name}" if name in columns else name] = _facet(run, name)
    return pa.table(columns)


def _plain(column: pa.ChunkedArray) -> pa.ChunkedArray:
    import pyarrow as pa

    return column.cast(column.type.value_type) if pa.types.is_dictionary(column.type) else column


def _facet(run: Run, name: str) -> pa.Array:
    """The values of a facet, of the instance or else of its task; of unlike types, as text."""
    import numpy as np
    import pyarrow as pa

    of_task, tasks = run.columns.codes("task")
    values = [run.tasks[task].facets.get(name) for task in tasks]
    codes = of_task.astype(np.int64)
    if name in run.columns.facets:
        own, texts = run.columns.codes(f"facet:{name}")
        codes = np.where(own < 0, codes + len(texts), own)
        values = [*(msgspec.json.decode(text) for text in texts), *values]
    kinds = {type(values[code]) for code in np.unique(codes).tolist() if values[code] is not None}
    if not (kinds <= {int, float} or len(kinds) <= 1):
        values = [None if value is None else str(value) for value in values]
    used = sorted(np.unique(codes).tolist())
    return pa.array([values[code] for code in used]).take(pa.array(np.searchsorted(used, codes)))


def records_frame(run: Run) -> Any:
    """The records of a run as a pandas data frame, where pandas is installed."""
    if find_spec("pandas") is None:
        raise missing_extra("pandas", "frames", "a data frame")
    return records_table(run).to_pandas()


_TAKEN = {name for columns in FILES.values() for name in columns} | {"run", "score", "answer"}


def query_runs(runs: Sequence[Run], query: str) -> pa.Table:
    """The answer to a query over `records`, which holds all records of these runs.

    Its columns are those of `run.layout` (with `row` and `question` as hexadecimal text), `run` (the run's name),
    `score` and `answer` (of the reading that counts), and one per facet, as text; a facet whose name is taken is
    `facet:NAME`.

    Raises:
        UserError: DuckDB is not installed, or cannot answer the query.

    Example:
        >>> from taskloom import load_run, open_suite, run_suite
        >>> run = run_suite("babi/task-1", model="mock/oracle", folder="runs/asked", limit=5)
        >>> run.sql("select count(*) as n, avg(score) as mean from records").to_pylist()
        [{'n': 5, 'mean': 1.0}]
    """
    if find_spec("duckdb") is None:
        raise missing_extra("duckdb", "sql", "a query in SQL")
    import duckdb

    facets = sorted({name for run in runs for name in run.columns.facets})
    with duckdb.connect() as connection:
        try:
            parts = [_select(connection, run, number, facets) for number, run in enumerate(runs)]
            connection.execute(f"create view records as {' union all by name '.join(parts)}")
            kinds = [statement.type for statement in connection.extract_statements(query)]
            if kinds != [duckdb.StatementType.SELECT]:
                raise UserError("this is not one query: it begins with select", where=query)
            found: pa.Table = connection.sql(query).to_arrow_table()
        except duckdb.Error as error:
            columns = ", ".join(["run", "task", "id", "state", "score", "answer", "targets", *facets])
            message = f"the query cannot be answered: {error}"
            raise UserError(message, where=query, hint=f"records has {columns} …") from None
    return found


def _select(connection: Any, run: Run, number: int, facets: Sequence[str]) -> str:
    """A query for the records of one run: from its files where one part holds them all, else from memory."""
    parts = run.columns.parts
    if len(parts) == 1 and isinstance(parts[0], SealedPart):
        files = parts[0].verified()
        source = " positional join ".join(f"read_parquet({_quoted(str(path))})" for path in files)
    else:
        names = [*_TAKEN - {"run", "score", "answer"}, *(FACET + name for name in run.columns.facets)]
        source = f"run_{number}"
        connection.register(source, _table(run, names))
    lenient = "headline = 'lenient' and read_twice"
    chosen = [
        f"{_quoted(run.name)} as run",
        f"* {_left_out(run)}replace (lower(hex(row)) as row, lower(hex(question)) as question)",
        f"case when {lenient} then lenient else strict end as score",
        f"case when {lenient} then lenient_answer else strict_answer end as answer",
    ]  # fmt: skip
    for name in facets:
        if name in run.columns.facets:
            shown = f"{FACET}{name}" if name in _TAKEN else name
            chosen.append(f"json_extract_string({_named(FACET + name)}::varchar, '$') as {_named(shown)}")
    return f"(select {', '.join(chosen)} from {source})"  # noqa: S608 -- names are quoted


def _left_out(run: Run) -> str:
    """The facets as JSON, which stand in the table in plain words."""
    own = ", ".join(_named(FACET + name) for name in run.columns.facets)
    return f"exclude ({own}) " if own else ""


def _table(run: Run, names: Sequence[str]) -> pa.Table:
    import pyarrow as pa

    return pa.table({name: run.columns.column(name) for name in names})


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _named(text: str) -> str:
    return '"' + text.replace('"', '""') + '"'
