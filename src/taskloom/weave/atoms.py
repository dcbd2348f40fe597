"""Atoms: any task of any family, of a file or in Python, as a supply of items whose answers operators can use."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache, cached_property, lru_cache
from itertools import chain, islice
from pathlib import Path
from typing import Any

import msgspec

from taskloom.core import Row, Suite, Task, UserError, keyed_random, open_suite, unknown_name
from taskloom.core.catalog import FAMILIES
from taskloom.core.decode import read_toml
from taskloom.core.definition import Definition
from taskloom.core.instance import input_hash
from taskloom.core.kind import KINDS
from taskloom.weave.records import Outline, Woven, number_of, value_of

LANES = {"shown": 1, "train": 5, "dev": 3, "test": 4, "fresh": 3}
"""The sixteenths of all inputs that belong to worked examples, to each split, and to endless streams. The hash of the
input of each part decides, so that no item of one lane shares an input with one of another."""
WHEEL = tuple(lane for lane, share in LANES.items() for _ in range(share))
_LOOKED_AT = 48
"""Rows whose answers say what type a task without a typed kind has."""
_NEXT_SEED = 1_000_003
_MOST_SEEDS = 10_000
"""Suites of different seeds that are opened for one task, after which it is used up."""
_MOSTLY = 0.8
"""The share of answers that are single words where a task is said to give words; the others are not asked about."""
_OPEN = frozenset({"n/a", "none", "nothing", "unknown"})
_ANY_TASK = Definition.of("You are given a task with its input. Do the task. Answer as the task says.")
_TYPES = {"label": "label", "boolean": "label", "number": "number", "items": "list"}


class _AtomSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The file `atoms.toml`."""

    aliases: dict[str, str]
    nouns: dict[str, str]
    suites: dict[str, str]
    several: dict[str, bool]
    plenty: dict[str, dict[str, Any]]


@cache
def _settings() -> _AtomSettings:
    return read_toml(Path(__file__).with_name("atoms.toml"), type=_AtomSettings)


def tag_of(text: str) -> int:
    """A number of three or four digits that tells inputs apart, and whose remainder by sixteen is that of the lane."""
    key = input_hash(text)
    return 112 + 16 * (int.from_bytes(key[1:3], "big") % 600) + key[0] % len(WHEEL)


class TaskAtom:
    """A task as a supply of items.

    Args:
        name: As it is written in expressions.
        suite: A seed to the suite.
        task: The name of the task in it; None where the suite has several and any may be asked, each with its own
            definition.
        several: Whether acceptable texts are answers of their own.
    """

    def __init__(self, name: str, suite: Callable[[int], Suite], task: str | None, *, several: bool) -> None:
        self.name = name
        self._open = lru_cache(maxsize=2)(suite)
        self._task = task
        self._several = several
        self._decks: dict[tuple[str, int], tuple[list[Woven], Iterator[Woven]]] = {}

    @cached_property
    def task(self) -> Task | None:
        """The task; None where the items are of several."""
        return None if self._task is None else self._open(0).tasks[self._task]

    @cached_property
    def outline(self) -> Outline:
        """What is known of it before any item is drawn."""
        task = self.task
        said = _ANY_TASK if task is None else task.instruction.fields
        noun = said.noun or _settings().nouns[self._type]
        labels = () if task is None else task.labels
        language = "English" if task is None else str(task.facets.get("output_language", "English"))
        return Outline(
            type=self._type,
            noun=noun,
            used=said.text("task", "used"),
            notes=said.text("notes"),
            form=said.text("form"),
            whole=str(said),
            writes=self._type == "text" and not said.text("used"),
            lead=f"Find the {noun}, then" if " asked " in said.text("task") else "Then",
            labels=labels,
            language=language,
            spoken="English" if task is None else str(task.facets.get("instruction_language", "English")),
            kind="text" if task is None else task.kind,
            scorer="exact" if task is None else task.scorer,
        )

    @cached_property
    def _type(self) -> str:
        if self.task is None:
            return "text"
        if self.task.kind in _TYPES or KINDS.get(self.task.kind).structured:
            return _TYPES.get(self.task.kind, "record")
        said = [leaf.value for leaf in islice(self._drawn(0), _LOOKED_AT)]
        known = [value for value in said if value.canonical.lower() not in _OPEN]
        if known and all(number_of(text) is not None for value in known for text in value.texts):
            return "number"
        words = sum(all(text.isalpha() for text in value.texts) for value in known)
        return "word" if known and words >= _MOSTLY * len(known) else "text"

    def _rows(self, seed: int) -> Iterator[Row]:
        suite = self._open(seed)
        return chain.from_iterable(suite.rows(split, task=self._task) for split in suite.splits)

    def _drawn(self, seed: int) -> Iterator[Woven]:
        for row in self._rows(seed):
            targets, shown = row.instance.targets, row.instance.input
            value = value_of(targets, several=self._several)
            if self._task is None:
                shown = f"{self._open(seed).tasks[row.task].instruction.definition}\n{shown}"
            yield Woven(shown, value, (value.canonical,), targets)

    def _lane(self, lane: str, seed: int) -> Iterator[Woven]:
        """All items of a lane, each once: when a suite is used up, that of another seed follows, until none is new."""
        seen: set[bytes] = set()
        # A family may plan its tasks by the seed (zest does), so that a task is not in the suite of every seed.
        seeds = (seed + number * _NEXT_SEED for number in range(_MOST_SEEDS))
        for own in (one for one in seeds if self._task is None or self._task in self._open(one).tasks):
            before = len(seen)
            for leaf in self._drawn(own):
                key = input_hash(leaf.input)
                if WHEEL[key[0] % len(WHEEL)] == lane and key not in seen:
                    seen.add(key)
                    yield leaf
            if len(seen) == before:
                return

    def held(self, lane: str, seed: int, most: int) -> int:
        """How many items a lane has, up to a number."""
        if self.leaf(lane, seed, most - 1) is not None:
            return most
        return len(self._decks[lane, seed][0])

    def leaf(self, lane: str, seed: int, index: int) -> Woven | None:
        """The item of that number in a lane; None where there are fewer. Labels come equally often."""
        key = (lane, seed)
        if key not in self._decks:
            own = self._lane(lane, seed)
            balanced = self.outline.type == "label" and len(self.outline.labels) > 1
            self._decks[key] = ([], _balanced(own, self.name, key) if balanced else own)
        deck, more = self._decks[key]
        deck.extend(islice(more, index + 1 - len(deck)) if index >= len(deck) else ())
        return deck[index] if index < len(deck) else None


def _balanced(leaves: Iterator[Woven], name: str, key: tuple[str, int]) -> Iterator[Woven]:
    """Items in rounds, one of every answer in each, in random order; what an answer has too many of is left out."""
    first = list(islice(leaves, _LOOKED_AT))
    waiting: dict[str, list[Woven]] = {leaf.value.canonical: [] for leaf in first}
    number = 0
    for leaf in chain(first, leaves):
        waiting.setdefault(leaf.value.canonical, []).append(leaf)
        if all(waiting.values()):
            group = [queue.pop(0) for queue in waiting.values()]
            keyed_random("weave", "round", name, *key, number).shuffle(group)
            number += 1
            yield from group


def task_atom(name: str, bound: Mapping[str, Any] | None = None) -> TaskAtom:
    """The atom of that name.

    Args:
        name: `family/suite`, `family/suite/task`, `family/task`, a file of tasks, or a name in `bound`.
        bound: Tasks of the caller's own by name (`taskloom.Blueprint` or `taskloom.Suite`).

    Raises:
        UserError: There is no such task, with the nearest names.
    """
    if bound and name in bound:
        given = bound[name]
        own = given if isinstance(given, Suite) else Suite.of([given], train=10_000)
        return TaskAtom(name, lambda seed: own, next(iter(own.tasks)) if len(own.tasks) == 1 else None, several=False)
    return _named_atom(name)


@lru_cache(maxsize=512)
def _named_atom(name: str) -> TaskAtom:
    suite_name, task = _resolve(name)
    family = suite_name.partition("/")[0]
    plenty = _settings().plenty
    known = FAMILIES.get(family).spec(suite_name.partition("/")[2]).recipe if family in FAMILIES else None
    wanted = plenty.get(suite_name, plenty.get(family, {}))
    options = {key: value for key, value in wanted.items() if hasattr(known, key)}
    several = _settings().several.get(family, False)
    return TaskAtom(name, lambda seed: open_suite(suite_name, seed=seed, options=options), task, several=several)


def _resolve(name: str) -> tuple[str, str | None]:
    """The suite and the task that a name means; the task is None where a suite of several is meant."""
    name = re.sub(r"^qa(\d+)$", r"babi/task-\1", _settings().aliases.get(name, name))
    head, slash, rest = name.rpartition("/")
    family = name.partition("/")[0]
    try:
        suite = open_suite(name)
    except UserError as error:
        if family not in FAMILIES and not slash:
            raise unknown_name("task or operator", name, _names(), hint="taskloom list suites") from error
        wider = [head] if "/" in head or family not in FAMILIES else []
        wider += [f"{family}/{own}"] if (own := _settings().suites.get(family)) else []
        for other in wider:
            try:
                tasks = open_suite(other).tasks
            except UserError:
                continue
            if rest in tasks:
                return other, rest
            raise unknown_name("task", rest, tasks, where=other) from error
        raise
    return name, next(iter(suite.tasks)) if len(suite.tasks) == 1 else None


def _names() -> list[str]:
    from taskloom.weave.draw import operator_words

    return [*operator_words(), *FAMILIES]
