"""Runs as Arrow tables and data frames: one row per answer, one column per facet."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from taskloom.core import missing_extra

if TYPE_CHECKING:
    import pyarrow as pa

    from taskloom.run.results import Run

__all__ = ["records_frame", "records_table"]


def records_table(run: Run) -> pa.Table:
    """The records of a run with plain columns. A facet whose name is taken becomes `facet:NAME`."""
    import pyarrow as pa

    records = list(run.records)
    columns: dict[str, Any] = {
        "task": [record.task for record in records],
        "id": [record.id for record in records],
        "sample": [record.sample for record in records],
        "state": [record.state for record in records],
        "score": [record.score for record in records],
        "strict": [record.strict.score for record in records],
        "lenient": [None if record.lenient is None else record.lenient.score for record in records],
        "answer": [record.answer for record in records],
        "target": [record.targets.canonical() for record in records],
        "raw": [record.raw for record in records],
        "prompt": [record.prompt for record in records],
        "cell": [record.cell for record in records],
        "wording": [record.wording for record in records],
        "error": [record.error for record in records],
    }
    for name in run.facet_names():
        if name == "task":
            continue
        values = [record.facets.get(name, run.tasks[record.task].facets.get(name)) for record in records]
        columns[f"facet:{name}" if name in columns else name] = _uniform(values)
    return pa.table({name: pa.array(values) for name, values in columns.items()})


def _uniform(values: Sequence[Any]) -> list[Any]:
    """Values of one type: a column that mixes lists and words becomes text."""
    kinds = {type(value) for value in values if value is not None}
    if kinds <= {int, float} or len(kinds) <= 1:
        return list(values)
    return [None if value is None else str(value) for value in values]


def records_frame(run: Run) -> Any:
    """The records of a run as a pandas data frame, where pandas is installed."""
    if find_spec("pandas") is None:
        raise missing_extra("pandas", "frames", "a data frame")
    return records_table(run).to_pandas()
