"""Which part of what can be asked belongs to which split, and fresh items that belong to none.

Where a blueprint has keys, splits own ranges of a permutation of the keys. Where it has none, they own residue classes
of the hash of the input. Where the author's rule divides the items, the rule decides instead; with keys, every key is
looked at once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import count

import msgspec

from taskloom.author.blueprint import Blueprint, Item
from taskloom.core.cells import SKILLS, Cell, Lattice, skills_cell
from taskloom.core.errors import UserError
from taskloom.core.instance import Facet, Instance, Row, input_hash
from taskloom.core.rng import KeyedRandom, Permutation, keyed_random
from taskloom.core.sampled import no_skills
from taskloom.core.suite import Suite
from taskloom.core.targets import AnyOf
from taskloom.core.task import Task

FRESH = "fresh"
"""The share that no split owns: what streams of a task draw from."""

COPY = "copy"
"""The detail that numbers the repetitions of an item in its split."""

_CLASSES = 64
MOST_DRAWS = 128_000
"""Draws in a row that bring nothing new, after which a stream ends."""


class Shares:
    """Which part of what can be asked belongs to which split.

    Args:
        sizes: Rows per task of each split; None for an endless split.
    """

    def __init__(self, sizes: Mapping[str, int | None]) -> None:
        self.sizes = dict(sizes)
        self._ruled: dict[tuple[str, int], RuledKeys] = {}
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
        self._owners = [split for split, owned in self.classes.items() for _ in owned]

    def owner(self, hashed: bytes) -> str:
        """The split that owns an input, by its hash."""
        return self._owners[int.from_bytes(hashed[:8], "big") % _CLASSES]

    def owner_of(self, blueprint: Blueprint, item: Item, hashed: bytes) -> str:
        """The split that owns an item: by the author's rule if there is one, else by the hash of its input."""
        owner = self.owner(hashed)
        return owner if blueprint.split is None or owner == FRESH else blueprint.split_of(item) or FRESH

    def ruled(self, blueprint: Blueprint, seed: int) -> RuledKeys:
        """The keys of a task that has a rule, divided by it once."""
        place = (blueprint.name, seed)
        if place not in self._ruled:
            self._ruled[place] = RuledKeys(blueprint, self.sizes, seed)
        return self._ruled[place]

    def rows_of(self, blueprint: Blueprint, split: str, seed: int) -> int | None:
        """The rows of a task in a split; None if they never end."""
        size = self.sizes[split]
        return size if not is_ruled(blueprint) else self.ruled(blueprint, seed).count(split)

    def keys(self, split: str, available: int, where: str) -> range:
        """The places in the permutation of a blueprint's keys that a split owns.

        Raises:
            UserError: The splits ask for more than there are keys.
        """
        asked = sum(size or 0 for size in self.sizes.values())
        if asked > available:
            fewer = " ".join(f"-T {split}=…" for split in self.sizes)
            message = f"there are {available:,} different items, not {asked:,}"
            raise UserError(message, where=where, hint=f"ask for fewer rows: {fewer}")
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


def is_ruled(blueprint: Blueprint) -> bool:
    """Whether a rule divides the keys of a task."""
    return blueprint.split is not None and blueprint.keys is not None


class RuledKeys:
    """The keys of a task whose splits a rule decides, in an order of their own.

    Args:
        blueprint: The task.
        sizes: Rows of each split; None for all that the rule gives it.
        seed: The seed of the suite.

    Raises:
        UserError: A split is to have more rows than the rule gives it.
    """

    def __init__(self, blueprint: Blueprint, sizes: Mapping[str, int | None], seed: int) -> None:
        self._blueprint = blueprint
        self._draws = KeyedRandom("ruled", blueprint.name, seed)
        keys = blueprint.keys or 0
        order = list(range(keys))
        keyed_random("ruled order", blueprint.name, seed).shuffle(order)
        shown = example_hashes(blueprint)
        found: dict[str, list[tuple[int, int]]] = {FRESH: []}
        self.skills: dict[int, Facet] = {}
        for key in order:
            item = self.item(key)
            self.skills[key] = item.facets.get(SKILLS)
            owner = blueprint.split_of(item) or FRESH
            # An example may be practised, but not asked.
            if owner == "train" or input_hash(item.input) not in shown:
                found.setdefault(owner, []).extend((key, copy) for copy in range(item.copies))
        self.places: dict[str, list[tuple[int, int]]] = {}
        for split, size in sizes.items():
            held = found.pop(split, [])
            if size is not None and size > len(held):
                raise UserError(
                    f"the rule gives {len(held):,} items to split {split!r}, not {size:,}",
                    where=f"task {blueprint.name}",
                    hint=f"ask for fewer rows, or for all: {split}=None",
                )
            self.places[split] = held[:size]
            found[FRESH] += [] if size is None else held[size:]
        owned = {key for held in self.places.values() for key, _ in held}
        self.places[FRESH] = [
            place for held in found.values() for place in held if not place[1] if place[0] not in owned
        ]

    def item(self, key: int, copy: int = 0) -> Item:
        """The item of a key, or one of its copies."""
        item = self._blueprint.draw(self._draws.at(key), key)
        return msgspec.structs.replace(item, details={**item.details, COPY: copy}) if copy else item

    def asked(self, split: str) -> list[int]:
        """The keys that streams draw from: what no split owns (`FRESH`), then what the test split owns."""
        return [key for key, copy in self.places.get(split, ()) if not copy]

    def count(self, split: str) -> int:
        return len(self.places[split])

    def items(self, split: str, part: int, rows: int) -> Iterator[Item]:
        """The items of one block of a split."""
        return (self.item(*place) for place in self.places[split][part * rows : (part + 1) * rows])


def example_hashes(blueprint: Blueprint) -> set[bytes]:
    """The hashes of the inputs that a task shows as examples."""
    shown = blueprint.instruction
    return {input_hash(example.input) for example in (*shown.positive, *shown.negative)}


def to_instance(item: Item, name: str) -> Instance:
    """A drawn item as an instance."""
    return Instance(name, item.input, item.answer, dict(item.facets), dict(item.parts), dict(item.details))


def fresh_items(
    blueprint: Blueprint, shares: Shares, seed: int, stream: int, skills: Collection[str] | None = None
) -> Iterator[Item]:
    """Items that no split of the suite owns, without end where the maker has any number of them.

    Where a rule and the sizes leave nothing over, items of the test split are taken; those of training never are.

    Args:
        blueprint: The task.
        shares: The shares of the suite's splits.
        seed: The seed of the suite.
        stream: Keys the stream.
        skills: Only items that need exactly these. Makers that take requests are asked for them, others until they
            make one.
    """
    wanted = None if skills is None else tuple(sorted(skills))
    shown = example_hashes(blueprint)
    if blueprint.keys is not None:
        for item in _fresh_by_key(blueprint, blueprint.keys, shares, seed, stream, wanted):
            if input_hash(item.input) not in shown and wanted in (None, item.facets.get(SKILLS)):
                yield item
        return
    idle = 0
    draws = KeyedRandom("fresh", blueprint.name, stream)
    for attempt in count():
        item = blueprint.draw(draws.at(attempt), skills=wanted)
        hashed = input_hash(item.input)
        fits = wanted in (None, item.facets.get(SKILLS)) and hashed not in shown
        if not fits or shares.owner_of(blueprint, item, hashed) != FRESH:
            idle += 1
            if idle > MOST_DRAWS:
                return
            continue
        shown.add(hashed)
        idle = 0
        yield item


def _fresh_by_key(
    blueprint: Blueprint, keys: int, shares: Shares, seed: int, stream: int, wanted: tuple[str, ...] | None
) -> Iterator[Item]:
    if is_ruled(blueprint):
        ruled = shares.ruled(blueprint, seed)
        for split in (FRESH, "test"):
            held = [key for key in ruled.asked(split) if wanted in (None, ruled.skills[key])]
            order = Permutation(len(held), "fresh", blueprint.name, stream, split)
            yield from (ruled.item(held[order(place)]) for place in range(len(held)))
        return
    owned = shares.keys(FRESH, keys, f"task {blueprint.name}")
    order = Permutation(len(owned), "fresh", blueprint.name, stream)
    permuted = Permutation(keys, "blueprint", blueprint.name, seed)
    draws = KeyedRandom("fresh", blueprint.name, stream)
    for place in range(len(owned)):
        key = permuted(owned[order(place)])
        yield blueprint.draw(draws.at(key), key)


_FEWEST_LOOKED_AT = 2_000
"""Items in a row without a new set of skills, after which no more are looked at: what is rarer than one in a thousand
may be missed."""
_MOST_LOOKED_AT = 50_000
_FEWEST_ASKED = 20
"""Items that a cell must have to be searched, where their number is known: fewer prove nothing."""


def _shared_cell(blueprint: Blueprint) -> Cell | None:
    """The cell of all items of a task; None where it names no skills."""
    return skills_cell(blueprint.task, Instance("", "", AnyOf(())))


class SkillLattice(Lattice):
    """The cells of a suite whose tasks name their skills.

    Args:
        suite: The suite.
        blueprints: What makes fresh items of its tasks, by name.
        shares: Which part of what can be asked every split owns, by task.

    Raises:
        UserError: No task names any skills.
    """

    def __init__(self, suite: Suite, blueprints: Mapping[str, Blueprint], shares: Mapping[str, Shares]) -> None:
        self._suite = suite
        self._shares = shares
        self._blueprints = {name: blueprints[name] for name in suite.tasks if name in blueprints}
        if not any(each.has_skills or _shared_cell(each) for each in self._blueprints.values()):
            raise no_skills(suite)

    @cached_property
    def _tasks(self) -> Mapping[Cell, list[Blueprint]]:
        found: dict[Cell, list[Blueprint]] = {}
        for name, blueprint in self._blueprints.items():
            if blueprint.has_skills:
                found |= {Cell(name, skills): [blueprint] for skills in self._seen(blueprint)}
            elif (cell := _shared_cell(blueprint)) is not None:
                found.setdefault(cell, []).append(blueprint)
        return found

    def _seen(self, blueprint: Blueprint) -> set[tuple[str, ...]]:
        """The sets of skills that items of a task need."""
        if is_ruled(blueprint):
            ruled = self._shares[blueprint.name].ruled(blueprint, self._suite.seed)
            counts = Counter(ruled.skills[key] for split in (FRESH, "test") for key in ruled.asked(split))
            return {skills for skills, count in counts.items() if isinstance(skills, tuple) and count >= _FEWEST_ASKED}
        found: set[tuple[str, ...]] = set()
        since = 0
        for skills in self._looked_at(blueprint):
            since = 0 if skills not in found else since + 1
            found.add(skills)
            if since >= _FEWEST_LOOKED_AT and blueprint.keys is None:
                break
        return found

    def _looked_at(self, blueprint: Blueprint) -> Iterable[tuple[str, ...]]:
        draws = KeyedRandom("skills", blueprint.name)
        number = min(_MOST_LOOKED_AT, blueprint.keys or _MOST_LOOKED_AT)
        step = (blueprint.keys or 0) // number
        items = (blueprint.draw(draws.at(place), place * step) for place in range(number))
        needed = (item.facets.get(SKILLS) for item in items)
        return (skills for skills in needed if isinstance(skills, tuple))

    @cached_property
    def cells(self) -> Sequence[Cell]:
        return tuple(sorted(self._tasks))

    def cell_of(self, task: Task, instance: Instance) -> Cell | None:
        return skills_cell(task, instance)

    def stream(self, cell: Cell, seed: int, *, size: int | None = None) -> Iterator[Row]:
        blueprints = self._tasks.get(cell)
        if blueprints is None:
            asked = self._blueprints.get(cell.question)
            if asked is None or not asked.takes_requests:
                raise UserError(f"no task of {self._suite.name} makes items that need exactly {cell}")
            blueprints = [asked]
        if size is not None:
            raise UserError(f"items of {self._suite.name} have no size to hold fixed")
        return self._rows(blueprints, cell, seed)

    def _rows(self, blueprints: Sequence[Blueprint], cell: Cell, seed: int) -> Iterator[Row]:
        """Tasks of one cell by turns; a task whose items are used up is left out."""
        drawn = {
            each.name: enumerate(
                fresh_items(
                    each, self._shares[each.name], self._suite.seed, seed, cell.atoms if each.has_skills else None
                )
            )
            for each in blueprints
        }
        while drawn:
            for name, items in list(drawn.items()):
                index, item = next(items, (0, None))
                if item is None:
                    del drawn[name]
                else:
                    yield Row(name, to_instance(item, f"stream-{seed}-{index}"))
        raise UserError(
            f"there are no more items of {cell} that no split owns",
            where=self._suite.name,
            hint="ask for fewer rows, or leave some out of the splits: -T train=…",
        )
