"""Runs as Arrow tables and data frames: one row per answer, one column per facet."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import msgspec

from taskloom.core import missing_extra

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
