"""Endless data: a split that never ends, and a split mixed by facet."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping
from itertools import count

from msgspec.structs import replace

from taskloom.core import Row, Suite, UserError, keyed_random, open_suite, unknown_name
from taskloom.core.instance import Facet, input_hash
from taskloom.core.rng import digest

_HELD = 2_000
"""Rows of one value that wait for their turn in a mixture; more than these are dropped."""

_PATIENCE = 50_000
"""Rows that are drawn in search of one value before it counts as impossible."""


def endless(suite: Suite, split: str = "train", *, seed: int = 0) -> Iterator[Row]:
    """The rows of a split and, when they are used up, those of the same recipe under other seeds, without end.

    Nothing that another split of the suite asks ever comes up, so what is trained on stays apart from what is tested.
    Rows of later passes carry the number of the pass in their id.

    Args:
        suite: A suite that was opened by name, or one whose split is endless as it is.
        split: Which split.
        seed: Keys the later passes.

    Raises:
        UserError: The suite cannot be drawn again (a bundle, or one made in Python).

    Example:
        >>> from itertools import islice
        >>> from taskloom import open_suite
        >>> from taskloom.rl import endless
        >>> suite = open_suite("babi/task-1", options={"train": 5, "test": 5})
        >>> [row.instance.id for row in islice(endless(suite), 7)][5:]
        ['train-0-0~1', 'train-1-0~1']
    """
    yield from suite.rows(split)
    origin = suite.origin
    if origin is None or not _redrawable(suite):
        raise UserError(
            f"{suite.name} is fixed, so it has a limited number of rows",
            where=split,
            hint="open the suite by its name (taskloom list suites)",
        )
    asked = {input_hash(row.instance.input) for other in suite.splits if other != split for row in suite.rows(other)}
    for number in count(1):
        again = int.from_bytes(digest("endless", suite.identity, seed, number)[:6], "big")
        fresh = 0
        for row in open_suite(origin.name, seed=again, options=origin.options).rows(split):
            if input_hash(row.instance.input) not in asked:
                fresh += 1
                yield Row(row.task, replace(row.instance, id=f"{row.instance.id}~{number}"))
        if not fresh:
            raise UserError("another seed gives no rows that other splits do not ask", where=f"{suite.name}: {split}")


def _redrawable(suite: Suite) -> bool:
    from taskloom.core.catalog import FAMILIES

    assert suite.origin is not None
    return suite.origin.name.partition("/")[0] in FAMILIES


def mixed(
    suite: Suite, facet: str, mix: Mapping[Facet, float], split: str = "train", *, seed: int = 0
) -> Iterator[Row]:
    """Endless rows in which the values of a facet (or `task`) come up as often as the mixture says.

    Args:
        suite: A suite that was opened by name.
        facet: What is mixed: a facet of the instances, or "task".
        mix: The weight of each value.
        split: Which split.
        seed: Keys the order of the values.

    Raises:
        UserError: No such facet, weights that are none, or a value that does not come up.

    Example:
        >>> from itertools import islice
        >>> from taskloom import open_suite
        >>> from taskloom.rl import mixed
        >>> rows = mixed(open_suite("babi/mix-t7"), "question", {"where-person": 3, "where-object": 1}, "test")
        >>> {row.instance.facets["question"] for row in islice(rows, 20)} == {"where-person", "where-object"}
        True
    """
    if facet != "task" and facet not in suite.facets:
        raise unknown_name("facet", facet, [*suite.facets, "task"], where=suite.name)
    values, weights = list(mix), [float(weight) for weight in mix.values()]
    if not values or not all(0 <= weight < float("inf") for weight in weights) or not any(weights):
        raise UserError("a mixture needs weights of 0 or more, one of them above 0", where=facet)
    rows = endless(suite, split, seed=seed)
    waiting: dict[Facet, deque[Row]] = {value: deque(maxlen=_HELD) for value in values}
    for number in count():
        value = keyed_random("mixed", facet, seed, number).choices(values, weights)[0]
        searched = 0
        while not waiting[value]:
            row = next(rows)
            searched += 1
            own = row.task if facet == "task" else row.instance.facets.get(facet)
            if own in waiting:
                waiting[own].append(row)
            if searched >= _PATIENCE:
                raise UserError(f"{facet} {value!r} did not occur in {searched:,} rows", where=suite.name)
        yield waiting[value].popleft()
