"""Suites made of blueprints: rows drawn in blocks, splits disjoint by construction.

Splits and blocks own parts of what can be asked. Where a blueprint has keys, they own ranges of a permutation of the
keys, and an item costs the same wherever it stands. Where it has none, they own residue classes of the hash of the
input: whatever a maker returns belongs to one split and one block and is drawn again elsewhere, so that an item costs
as many draws as there are blocks of its task and split. Such blocks are therefore long: up to 50,000 rows are one, of
which the hashes are remembered, and an item costs one draw.
"""

from __future__ import annotations

import inspect
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import accumulate, count
from typing import Any

from taskloom.author.blueprint import Blueprint, Item
from taskloom.core.blocks import Blocks
from taskloom.core.errors import UserError
from taskloom.core.instance import FacetType, Instance, Row, content_hash, input_hash, row_hash
from taskloom.core.permute import Permutation
from taskloom.core.rng import KeyedRandom
from taskloom.core.suite import Suite
from taskloom.core.task import Task, tasks_hash

__all__ = ["FRESH", "BlueprintBlocks", "Shares", "compose", "fresh_items"]

FRESH = "fresh"
"""The share that no split owns: what streams of a task draw from."""

_CLASSES = 64
_MOST_ATTEMPTS = 2_000
_ROWS = 1_000
_UNKEYED_ROWS = 50_000
_REDRAWS = 12
_PATIENCE = 200


class Shares:
    """Which part of what can be asked belongs to which split.

    Args:
        sizes: Rows per task of each split; None for an endless split.
    """

    def __init__(self, sizes: Mapping[str, int | None]) -> None:
        self.sizes = dict(sizes)
        largest = max([1, *(size for size in sizes.values() if size)])
        weights = {split: largest if size is None else max(1, size) for split, size in sizes.items()}
        total = sum(weights.values())
        # One class of hashes stays free for streams; every split has at least one.
        free = _CLASSES - 1 - len(weights)
        self.classes: dict[str, range] = {}
        start = 0
        for split, weight in weights.items():
            width = 1 + free * weight // total
            self.classes[split] = range(start, start + width)
            start += width
        self.classes[FRESH] = range(start, _CLASSES)

    def owner(self, hashed: bytes) -> str:
        """The split that owns an input, by its hash."""
        place = int.from_bytes(hashed[:8], "big") % _CLASSES
        return next(split for split, owned in self.classes.items() if place in owned)

    def keys(self, split: str, available: int, where: str) -> range:
        """The places in the permutation of a blueprint's keys that a split owns.

        Raises:
            UserError: The splits ask for more than there are keys.
        """
        asked = sum(size or 0 for size in self.sizes.values())
        if asked > available:
            raise UserError(
                f"there are {available:,} different items, not {asked:,}", where=where, hint="ask for fewer rows"
            )
        endless = sum(size is None for size in self.sizes.values())
        # What is left over serves as slack: an item that is also an example is passed over.
        spare = (available - asked) // (len(self.sizes) + 1 + endless)
        start = 0
        for name, size in self.sizes.items():
            width = (size or 0) + spare * (2 if size is None else 1)
            if name == split:
                return range(start, start + width)
            start += width
        return range(start, available)


class BlueprintBlocks(Blocks):
    """The rows of one split: task after task where it ends, block by block in turns where it does not.

    Args:
        blueprints: The tasks, in order.
        split: The split.
        shares: Which split owns what.
        seed: The seed of the suite.
        block: Rows of a block.
        unkeyed: Rows of a block of a task without keys.
    """

    def __init__(
        self,
        blueprints: Sequence[Blueprint],
        split: str,
        shares: Shares,
        seed: int,
        block: int = _ROWS,
        unkeyed: int = _UNKEYED_ROWS,
    ) -> None:
        self.block = block
        self._unkeyed = unkeyed
        self._blueprints = blueprints
        self._split = split
        self._shares = shares
        self._seed = seed
        self._per_task = size = shares.sizes[split]
        self.size = None if size is None else size * len(blueprints)
        self.endless = size is None
        # The first block of each task, and one past the last; an endless split has none such.
        counts = [] if size is None else [_blocks_of(size, self._block_of(blueprint)) for blueprint in blueprints]
        self._starts = [0, *accumulate(counts)]

    def _block_of(self, blueprint: Blueprint) -> int:
        """Rows of each block of a task but the last."""
        return self._unkeyed if blueprint.keys is None and self._per_task is not None else self.block

    def numbers(self) -> Iterator[int]:
        return count() if self._per_task is None else iter(range(self._starts[-1]))

    def numbers_of(self, task: str) -> Iterator[int]:
        place = next((place for place, blueprint in enumerate(self._blueprints) if blueprint.name == task), None)
        if place is None:
            return iter(())  # a task of another split
        if self._per_task is None:
            return count(place, len(self._blueprints))
        return iter(range(self._starts[place], self._starts[place + 1]))

    def task_of(self, number: int) -> str:
        """The one task whose rows a block holds."""
        return self._place(number)[0].name

    def _place(self, number: int) -> tuple[Blueprint, int]:
        if self._per_task is None:
            part, task = divmod(number, len(self._blueprints))
            return self._blueprints[task], part
        task = bisect_right(self._starts, number) - 1
        return self._blueprints[task], number - self._starts[task]

    def rows(self, number: int) -> Iterator[Row]:
        blueprint, part = self._place(number)
        block = self._block_of(blueprint)
        first = part * block
        wanted = block if self._per_task is None else min(block, self._per_task - first)
        items = self._items(blueprint, part, wanted)
        for index, item in enumerate(items, start=first):
            yield Row(blueprint.name, to_instance(item, f"{self._split}-{index}"))

    def _items(self, blueprint: Blueprint, part: int, wanted: int) -> Iterator[Item]:
        """The items of one block, all different, none of them an example of the task."""
        where = f"task {blueprint.name}"
        seen = _examples(blueprint)
        drawn: Callable[[_Quota], Iterator[Item | None]]
        parts = 1 if self._per_task is None else _blocks_of(self._per_task, self._block_of(blueprint))
        if blueprint.keys is None:
            drawn = partial(_by_hash, blueprint, self._split, self._shares, self._seed, part, parts)
        else:
            owned = self._shares.keys(self._split, blueprint.keys, where)
            places = _portion(owned, part, self.block, self._per_task, len(seen))
            drawn = partial(_by_key, blueprint, blueprint.keys, self._split, self._seed, places)
        given = idle = 0
        quota = _Quota(blueprint, wanted, self.block)
        for item in drawn(quota):
            key = None if item is None else input_hash(item.input)
            if item is None or key is None or key in seen or not quota.takes(item):
                idle += 1
                if idle > _MOST_ATTEMPTS * parts:
                    break
                continue
            seen.add(key)
            quota.count(item)
            given, idle = given + 1, 0
            yield item
            if given == wanted:
                return
        raise UserError(
            f"only {given:,} of {wanted:,} different items were found for split {self._split!r}",
            where=where,
            hint="ask for fewer rows, or let the maker draw from more",
        )

    def locate(self, index: int) -> tuple[int, int]:
        if index < 0 or (self.size is not None and index >= self.size):
            raise IndexError(index)
        if self._per_task is None:
            return divmod(index, self.block)
        task, row = divmod(index, self._per_task)
        part, place = divmod(row, self._block_of(self._blueprints[task]))
        return self._starts[task] + part, place


def _blocks_of(rows: int, block: int) -> int:
    """How many blocks so many rows fill."""
    return -(-rows // block)


def _examples(blueprint: Blueprint) -> set[bytes]:
    shown = blueprint.instruction
    return {input_hash(example.input) for example in (*shown.positive, *shown.negative)}


def to_instance(item: Item, name: str) -> Instance:
    """A drawn item as an instance."""
    return Instance(name, item.input, item.answer, dict(item.facets), dict(item.parts), dict(item.details))


def _by_hash(
    blueprint: Blueprint, split: str, shares: Shares, seed: int, part: int, parts: int, quota: _Quota
) -> Iterator[Item | None]:
    """Items that the split and the block own, None for each that they do not."""
    draws = KeyedRandom("blueprint", blueprint.name, seed, split, part)
    for attempt in count():
        item = blueprint.draw(draws.at(attempt))
        hashed = input_hash(item.input)
        mine = shares.owner(hashed) == split and int.from_bytes(hashed[8:], "big") % parts == part
        yield item if mine else None


def _portion(owned: range, part: int, block: int, size: int | None, passed_over: int) -> range:
    """The places of one block: its rows, and its part of what the split has to spare."""
    if size is None:
        width = block + passed_over
        return owned[part * width : (part + 1) * width]
    spare, parts = len(owned) - size, _blocks_of(size, block)
    # The last block may be short of rows; it then has all that is left.
    return owned[part * block + spare * part // parts : (part + 1) * block + spare * (part + 1) // parts]


def _by_key(blueprint: Blueprint, keys: int, split: str, seed: int, places: range, quota: _Quota) -> Iterator[Item]:
    permuted = Permutation(keys, "blueprint", blueprint.name, seed)
    draws = KeyedRandom("blueprint", blueprint.name, seed, split)
    for place in places:
        key = permuted(place)
        item = blueprint.draw(draws.at(key), key)
        # A key is asked about once; where chance decides the label, another draw may give the one that is needed.
        for attempt in range(_REDRAWS):
            if quota.has_room(item):
                break
            item = blueprint.draw(draws.at(key, attempt), key)
        quota.patient = False
        yield item


class _Quota:
    """How often each label may still occur in a stretch of rows, where the labels of a task are to be balanced.

    A label whose share is used up is refused until hundreds of draws in a row have brought no other; then anything is
    taken.

    Args:
        blueprint: The task.
        wanted: Rows of the block.
        stretch: Rows after which the shares begin anew, so that a block that is long is balanced all along.
    """

    def __init__(self, blueprint: Blueprint, wanted: int, stretch: int) -> None:
        self._labels = len(blueprint.labels) if blueprint.balanced else 0
        self._most = _PATIENCE * self._labels
        self._wanted, self._stretch = wanted, stretch
        self._refused = 0
        self.patient = True
        self._begin()

    def _begin(self) -> None:
        self._taken: Counter[str] = Counter()
        rows = min(self._wanted, self._stretch)
        self._share = -(-rows // self._labels) if self._labels else None

    def has_room(self, item: Item) -> bool:
        """Whether the label of an item may occur once more."""
        return self._share is None or self._taken[item.answer.canonical()] < self._share

    def takes(self, item: Item) -> bool:
        """Whether the item is taken."""
        if self.has_room(item) or not self.patient or self._refused >= self._most:
            return True
        self._refused += 1
        return False

    def count(self, item: Item) -> None:
        """Take note of an item that was taken."""
        if self._share is None:
            return
        if self.has_room(item):
            self._refused = 0  # there is hope again
        self._taken[item.answer.canonical()] += 1
        if self._taken.total() == self._stretch:
            self._wanted -= self._stretch
            self._begin()


def fresh_items(blueprint: Blueprint, shares: Shares, seed: int, stream: int) -> Iterator[Item]:
    """Items that no split of the suite owns, without end where the maker has any number of them.

    Args:
        blueprint: The task.
        shares: The shares of the suite's splits.
        seed: The seed of the suite.
        stream: Keys the stream.
    """
    where = f"task {blueprint.name}"
    if blueprint.keys is not None:
        owned = shares.keys(FRESH, blueprint.keys, where)
        order = Permutation(len(owned), "fresh", blueprint.name, stream)
        permuted = Permutation(blueprint.keys, "blueprint", blueprint.name, seed)
        shown = _examples(blueprint)
        for place in range(len(owned)):
            key = permuted(owned[order(place)])
            item = blueprint.draw(KeyedRandom("fresh", blueprint.name, stream).at(key), key)
            if input_hash(item.input) not in shown:
                yield item
        return
    seen = _examples(blueprint)
    idle = 0
    draws = KeyedRandom("fresh", blueprint.name, stream)
    for attempt in count():
        item = blueprint.draw(draws.at(attempt))
        hashed = input_hash(item.input)
        if hashed in seen or shares.owner(hashed) != FRESH:
            idle += 1
            if idle > _CLASSES * _MOST_ATTEMPTS:
                return
            continue
        seen.add(hashed)
        idle = 0
        yield item


def _columns(blueprints: Iterable[Blueprint]) -> dict[str, FacetType]:
    found: dict[str, FacetType] = {}
    for blueprint in blueprints:
        for name, kind in blueprint.column_types.items():
            if found.setdefault(name, kind) is not kind:
                raise UserError(f"two tasks declare the column {name!r} with different types", where=blueprint.name)
    return found


def compose(
    blueprints: Sequence[Blueprint],
    *,
    seed: int = 0,
    sizes: Mapping[str, int | None],
    name: str = "own",
    recipe: Mapping[str, Any] | None = None,
    notes: Mapping[str, Any] | None = None,
) -> Suite:
    """A suite of blueprints. `Suite.of` is the usual way to it.

    Args:
        blueprints: The tasks, in order.
        seed: The seed of the data.
        sizes: Rows per task of each split; None for an endless one.
        name: The name of the suite.
        recipe: What to log as its recipe; the sizes and tasks unless given.
        notes: Remarks for reports.

    Raises:
        UserError: No task, two of one name, or no split.
    """
    tasks: dict[str, Task] = {}
    for blueprint in blueprints:
        if not isinstance(blueprint, Blueprint):
            raise UserError(
                f"{blueprint!r} is not a task", where=name, hint="put @taskloom.task(definition=…) above the function"
            )
        if blueprint.name in tasks:
            raise UserError(f"two tasks are called {blueprint.name!r}", where=name)
        tasks[blueprint.name] = blueprint.task
    kept = {split: size for split, size in sizes.items() if size is None or size > 0}
    if not tasks or not kept or any(size is not None and size < 0 for size in sizes.values()):
        what = "tasks" if not tasks else "splits"
        raise UserError(f"a suite needs {what}", where=name, hint="taskloom.Suite.of([my_task], test=100)")
    endless = next((split for split, size in kept.items() if size is None), None)
    unkeyed = next((blueprint.name for blueprint in blueprints if blueprint.keys is None), None)
    if endless and unkeyed:
        raise UserError(
            f"split {endless!r} is endless, but task {unkeyed!r} has no keys to keep its items apart",
            where=name,
            hint="give the split a size, or write the maker with keys=…",
        )
    shares = Shares(kept)
    suite = Suite(
        name=name,
        recipe={"tasks": list(tasks), **kept} if recipe is None else recipe,
        seed=seed,
        tasks=tasks,
        splits={split: None if size is None else size * len(tasks) for split, size in kept.items()},
        draw=lambda split: BlueprintBlocks(blueprints, split, shares, seed),
        facets=_columns(blueprints),
        apart="pairs",
        pool="train" if "train" in kept else None,
        notes=notes or {},
    )
    return suite.identified_by(lambda: _identity(suite, blueprints))


_SEEN_ROWS = 1_000
"""Rows of each split that the identity of a suite covers besides the source of its makers."""


def _identity(suite: Suite, blueprints: Sequence[Blueprint]) -> str:
    """What decides the rows of functions: their source, options, seed and versions, and the first rows themselves.

    A maker may use names of its module that its source does not show, so the rows are looked at as well.
    """
    sources = [_source(function) for blueprint in blueprints for function in (blueprint.make, blueprint.solve)]
    rows = {
        split: [row_hash(row.task, row.instance) for row in suite.rows(split, limit=_SEEN_ROWS)]
        for split in suite.splits
    }
    splits = {split: "endless" if size is None else size for split, size in suite.splits.items()}
    return content_hash(
        ("python", suite.name, dict(suite.recipe), suite.seed, splits, tasks_hash(suite.tasks), sources, rows)
    )


def _source(function: Any) -> str:
    if function is None:
        return ""
    try:
        return inspect.getsource(function)
    except (OSError, TypeError):
        # Written at a prompt, or no plain function: its rows have to speak for it.
        return ""
