"""Choosing rows by task and facets."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from taskloom.core.errors import unknown_name
from taskloom.core.instance import Row
from taskloom.core.task import Task


def row_filter(
    where: Mapping[str, Any], tasks: Mapping[str, Task], facets: Iterable[str], name: str
) -> Callable[[Row], bool]:
    """Whether a row has the wanted values.

    Args:
        where: Values by `task` or facet. Of a facet that is a list, one member is enough; a set, list or tuple of
            values means any of them.
        tasks: The tasks; their facets count for all their rows.
        facets: The facets that instances carry.
        name: The suite, for errors.

    Raises:
        UserError: A facet nobody carries, or a task that does not exist (with the nearest names).
    """
    known = {"task", *facets}
    if not known.issuperset(where):
        # Only then: suites of many tasks make them when they are looked at.
        known |= {facet for task in tasks.values() for facet in task.facets}
    for key in where:
        if key not in known:
            raise unknown_name("facet", key, known, where=name)
    wanted = {key: _options(value) for key, value in where.items()}
    for task in wanted.get("task", ()):
        if task not in tasks:
            raise unknown_name("task", str(task), tasks, where=name)

    def keeps(row: Row) -> bool:
        for key, options in wanted.items():
            if key == "task":
                found: Any = row.task
            elif key in row.instance.facets:
                found = row.instance.facets[key]
            else:
                found = tasks[row.task].facets.get(key)
            if isinstance(found, tuple | list):
                if not options.intersection(found):
                    return False
            elif found not in options:
                return False
        return True

    return keeps


def _options(value: Any) -> frozenset[Any]:
    return frozenset(value) if isinstance(value, set | frozenset | list | tuple) else frozenset((value,))
