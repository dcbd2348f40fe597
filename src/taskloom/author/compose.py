"""Suites made of blueprints: rows drawn in blocks, splits disjoint by construction.

Splits and blocks own parts of what can be asked. Where a blueprint has keys, they own ranges of a permutation of the
keys, and an item costs the same wherever it stands. Where it has none, they own residue classes of the hash of the
input: an item belongs to one split and one block and is drawn again elsewhere, so that an item costs
as many draws as there are blocks of its task and split. Such blocks are therefore long: up to 50,000 rows are one, of
which the hashes are remembered, and an item costs one draw. Where the author's rule divides the items of a task, it
replaces the hash; with keys, every key is looked at once.
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
from taskloom.author.shares import Shares, SkillLattice, example_hashes, is_ruled, to_instance
from taskloom.core.blocks import Blocks
from taskloom.core.errors import UserError
from taskloom.core.instance import FacetType, Row, content_hash, input_hash, row_hash
from taskloom.core.rng import KeyedRandom, Permutation
from taskloom.core.suite import Suite
from taskloom.core.task import LazyMapping, Task, tasks_hash

MOST_ATTEMPTS = 2_000
_ROWS = 1_000
_UNKEYED_ROWS = 50_000
_REDRAWS = 12
PATIENCE = 200


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
        sizes = [shares.rows_of(blueprint, split, seed) for blueprint in blueprints]
        self.endless = None in sizes
        self._sizes = [0 if size is None else size for size in sizes]
        self.size = None if self.endless else sum(self._sizes)
        self._before = [0, *accumulate(self._sizes)]
        # The first block of each task, and one past the last; an endless split has none such.
        counts = [_blocks_of(size, self._block_of(each)) for each, size in zip(blueprints, self._sizes, strict=True)]
        self._starts = [0, *accumulate(counts)]

    def _block_of(self, blueprint: Blueprint) -> int:
        """Rows of each block of a task but the last."""
        return self._unkeyed if blueprint.keys is None and not self.endless else self.block

    def numbers(self) -> Iterator[int]:
        return count() if self.endless else iter(range(self._starts[-1]))

    def numbers_of(self, task: str) -> Iterator[int]:
        place = next((place for place, blueprint in enumerate(self._blueprints) if blueprint.name == task), None)
        if place is None:
            return iter(())  # a task of another split
        if self.endless:
            return count(place, len(self._blueprints))
        return iter(range(self._starts[place], self._starts[place + 1]))

    def task_of(self, number: int) -> str:
        return self._blueprints[self._place(number)[0]].name

    def _place(self, number: int) -> tuple[int, int]:
        """The task that a block belongs to, and which of its blocks it is."""
        if self.endless:
            part, task = divmod(number, len(self._blueprints))
            return task, part
        task = bisect_right(self._starts, number) - 1
        return task, number - self._starts[task]

    def rows(self, number: int) -> Iterator[Row]:
        task, part = self._place(number)
        blueprint, size = self._blueprints[task], None if self.endless else self._sizes[task]
        block = self._block_of(blueprint)
        first = part * block
        if is_ruled(blueprint):
            items = self._shares.ruled(blueprint, self._seed).items(self._split, part, block)
        else:
            wanted = block if size is None else min(block, size - first)
            items = self._items(blueprint, size, part, wanted)
        for index, item in enumerate(items, start=first):
            yield Row(blueprint.name, to_instance(item, f"{self._split}-{index}"))

    def _items(self, blueprint: Blueprint, size: int | None, part: int, wanted: int) -> Iterator[Item]:
        """The items of one block, all different, none of them an example of the task."""
        where = f"task {blueprint.name}"
        seen = example_hashes(blueprint)
        drawn: Callable[[Quota | None], Iterator[tuple[Item, bytes] | None]]
        parts = 1 if size is None else _blocks_of(size, self._block_of(blueprint))
        if blueprint.keys is None:
            drawn = partial(_by_hash, blueprint, self._split, self._shares, self._seed, part, parts)
        else:
            owned = self._shares.keys(self._split, blueprint.keys, where)
            places = portion_of(owned, part, self.block, size, len(seen))
            drawn = partial(_by_key, blueprint, blueprint.keys, self._split, self._seed, places)
        given = idle = 0
        quota = Quota(len(blueprint.labels), wanted, self.block) if blueprint.balanced and blueprint.labels else None
        for found in drawn(quota):
            if found is None or found[1] in seen or (quota and not quota.takes(found[0])):
                idle += 1
                if idle > MOST_ATTEMPTS * parts:
                    break
                continue
            item, hashed = found
            seen.add(hashed)
            if quota:
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
        if self.endless:
            return divmod(index, self.block)
        task = bisect_right(self._before, index) - 1
        part, place = divmod(index - self._before[task], self._block_of(self._blueprints[task]))
        return self._starts[task] + part, place


def _blocks_of(rows: int, block: int) -> int:
    return -(-rows // block)


def _by_hash(
    blueprint: Blueprint, split: str, shares: Shares, seed: int, part: int, parts: int, quota: Quota | None
) -> Iterator[tuple[Item, bytes] | None]:
    """Items that the split and the block own with the hashes of their inputs, None for each that they do not."""
    draws, ruled = KeyedRandom("blueprint", blueprint.name, seed, split, part), blueprint.split is not None
    for attempt in count():
        item = blueprint.draft(draws.at(attempt))
        hashed = input_hash(item.input)
        mine = parts == 1 or int.from_bytes(hashed[8:], "big") % parts == part
        if mine and (ruled or shares.owner(hashed) == split):
            item = blueprint.answered(item)
            yield None if ruled and shares.owner_of(blueprint, item, hashed) != split else (item, hashed)
        else:
            yield None


def portion_of(owned: range, part: int, block: int, size: int | None, passed_over: int) -> range:
    """The places of one block: its rows, and its part of what the split has to spare."""
    if size is None:
        width = block + passed_over
        return owned[part * width : (part + 1) * width]
    spare, parts = len(owned) - size, _blocks_of(size, block)
    # The last block may be short of rows; it then has all that is left.
    return owned[part * block + spare * part // parts : (part + 1) * block + spare * (part + 1) // parts]


def _by_key(
    blueprint: Blueprint, keys: int, split: str, seed: int, places: range, quota: Quota | None
) -> Iterator[tuple[Item, bytes]]:
    permuted = Permutation(keys, "blueprint", blueprint.name, seed)
    draws = KeyedRandom("blueprint", blueprint.name, seed, split)
    for place in places:
        key = permuted(place)
        item = blueprint.draw(draws.at(key), key)
        if quota:
            # A key is asked about once; where chance decides the label, another draw may give the one that is needed.
            for attempt in range(_REDRAWS):
                if quota.has_room(item):
                    break
                item = blueprint.draw(draws.at(key, attempt), key)
            quota.patient = False
        yield item, input_hash(item.input)


class Quota:
    """How often each label may still occur in a stretch of rows, where the labels of a task are to be balanced.

    A label whose share is used up is refused until hundreds of draws in a row have brought no other; then anything is
    taken.

    Args:
        labels: How many there are.
        wanted: Rows of the block.
        stretch: Rows after which the shares begin anew, so that a block that is long is balanced all along.
    """

    def __init__(self, labels: int, wanted: int, stretch: int) -> None:
        self._labels, self._most = labels, PATIENCE * labels
        self._wanted, self._stretch = wanted, stretch
        self._refused = 0
        self.patient = True
        self._begin()

    def _begin(self) -> None:
        self._taken: Counter[str] = Counter()
        self._share = -(-min(self._wanted, self._stretch) // self._labels)

    def has_room(self, item: Item) -> bool:
        return self._taken[item.answer.canonical()] < self._share

    def takes(self, item: Item) -> bool:
        if self.has_room(item) or not self.patient or self._refused >= self._most:
            return True
        self._refused += 1
        return False

    def count(self, item: Item) -> None:
        if self.has_room(item):
            self._refused = 0  # there is hope again
        self._taken[item.answer.canonical()] += 1
        if self._taken.total() == self._stretch:
            self._wanted -= self._stretch
            self._begin()


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
    shares, by_name = Shares(kept), {blueprint.name: blueprint for blueprint in blueprints}
    suite = Suite(
        name=name,
        recipe={"tasks": list(tasks), **kept} if recipe is None else recipe,
        seed=seed,
        tasks=tasks,
        # A rule is applied to every item of a task to count them, so they are counted when asked.
        splits=LazyMapping(kept, lambda split: BlueprintBlocks(blueprints, split, shares, seed).size),
        draw=lambda split: BlueprintBlocks(blueprints, split, shares, seed),
        facets=_columns(blueprints),
        apart="pairs",
        pool="train" if "train" in kept else None,
        notes=notes or {},
        lattice=lambda suite: SkillLattice(suite, by_name, dict.fromkeys(by_name, shares)),
    )
    return suite.identified_by(lambda: _identity(suite, blueprints))


_SEEN_ROWS = 1_000
"""Rows of each split that the identity of a suite covers besides the source of its makers."""


def _identity(suite: Suite, blueprints: Sequence[Blueprint]) -> str:
    """What decides the rows of functions: their source, options, seed and versions, and the first rows themselves.

    A maker may use names of its module that its source does not show, so the rows are looked at as well.
    """
    sources = [
        _source(function)
        for blueprint in blueprints
        for function in (blueprint.make, blueprint.solve, *filter(callable, (blueprint.skills, blueprint.split)))
    ]
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
