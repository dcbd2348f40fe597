"""Records in groups, by task and by facet, as arrays of row numbers: no Python per record.

A facet is the instance's, else its task's. One that is a list puts a record into a group per member.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from typing import TYPE_CHECKING, Any

import msgspec

from taskloom.core import Task
from taskloom.run.columns import Columns

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Rows = NDArray[np.int64]


def labels_of(value: Any) -> list[str]:
    """The groups that a facet's value puts a record into."""
    if value is None:
        return ["–"]
    if isinstance(value, list | tuple):
        return [str(item) for item in value] or ["none"]
    return [str(value)]


def natural_order(key: tuple[str, ...]) -> list[tuple[int, float, str]]:
    """Sort numbers as numbers, so that support 10 comes after support 9."""
    parts = []
    for text in key:
        try:
            parts.append((0, float(text), text))
        except ValueError:
            parts.append((1, 0.0, text))
    return parts


def distinct(codes: NDArray[Any]) -> list[int]:
    """The codes that occur, in order."""
    import numpy as np

    found: list[int] = np.flatnonzero(np.bincount(codes)).tolist()
    return found


def split_by_code(codes: NDArray[Any]) -> dict[int, Rows]:
    """The rows of every code, in order; the codes by their first row."""
    import numpy as np

    if not len(codes):
        return {}
    order = np.argsort(codes, kind="stable")
    ordered = codes[order]
    bounds = np.flatnonzero(ordered[1:] != ordered[:-1]) + 1
    groups = np.split(order, bounds)
    return {int(codes[rows[0]]): rows for rows in sorted(groups, key=lambda rows: int(rows[0]))}


def facet_labels(columns: Columns, tasks: Mapping[str, Task], name: str) -> tuple[NDArray[Any], list[list[str]]]:
    """A code per record, and the groups that each code stands for."""
    import numpy as np

    if name in ("task", "wording"):
        rows, labels = columns.codes(name)
        return rows, [[label or "–"] for label in labels]
    of_task, names = columns.codes("task")
    by_task = [labels_of(tasks[task].facets.get(name)) for task in names]
    if name not in columns.facets:
        return of_task, by_task
    rows, texts = columns.codes(f"facet:{name}")
    own = [labels_of(msgspec.json.decode(text)) for text in texts]
    if not (rows < 0).any():
        return rows, own
    # Where the instance does not carry the facet, its task may.
    return np.where(rows < 0, of_task.astype(np.int64) + len(own), rows), own + by_task


def facet_rows(columns: Columns, tasks: Mapping[str, Task], names: Sequence[str]) -> dict[tuple[str, ...], Rows]:
    """The rows of every combination of the facets' values."""
    import numpy as np

    coded = [facet_labels(columns, tasks, name) for name in names]
    joint = np.zeros(len(columns), np.int64)
    for rows, labels in coded:
        joint = joint * len(labels) + rows
    groups: dict[tuple[str, ...], list[Rows]] = {}
    for members in split_by_code(joint).values():
        first = members[0]
        for key in product(*(labels[rows[first]] for rows, labels in coded)):
            groups.setdefault(key, []).append(members)
    return {key: parts[0] if len(parts) == 1 else np.sort(np.concatenate(parts)) for key, parts in groups.items()}
