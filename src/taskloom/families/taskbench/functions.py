"""Evaluated word functions (what an expression gives for every input there is), and the cache of what was worked out.

Evaluating the atoms takes seconds, reading what came of it milliseconds. What is kept is keyed by the code, the
embedded words, the settings that decide it and, where facts or random relations are asked for, by the seed. What
files or a graph of the user's own decide is worked out anew each time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from hashlib import blake2b
from random import Random
from typing import Any, Literal, Protocol, TypeAlias, TypeVar

import msgspec

from taskloom.algebra import Expression, atoms, signature
from taskloom.core import content_hash, digest, keyed_random
from taskloom.families.taskbench.published import PublishedTask
from taskloom.families.taskbench.recipe import TaskBenchRecipe
from taskloom.sources.atoms import is_ours
from taskloom.store.derived import DerivedCache, code_hash, shipped

SplitName: TypeAlias = Literal["example", "test", "dev", "train"]
SPLITS: tuple[SplitName, ...] = ("train", "dev", "test")
SHARES: tuple[tuple[SplitName, float], ...] = (("example", 0.05), ("test", 0.20), ("dev", 0.10), ("train", 0.65))
_TICKETS: tuple[SplitName, ...] = tuple(lot for lot, share in SHARES for _ in range(round(share * 20)))

T = TypeVar("T")


class SplitAssignment:
    """Draws lots for texts, each text the same lot every time."""

    def __init__(self, seed: int) -> None:
        self._state = blake2b(digest("taskbench", "lot", seed), digest_size=8)
        self._drawn: dict[str, SplitName] = {}

    def of(self, text: str) -> SplitName:
        """The lot of a text; case and white space make no difference."""
        lot = self._drawn.get(text)
        if lot is None:
            lot = self._drawn[text] = self.draw(text)
        return lot

    def draw(self, text: str) -> SplitName:
        """The same without remembering, for sequences that are asked about once."""
        state = self._state.copy()
        state.update(" ".join(text.casefold().split()).encode("utf-8", "surrogatepass"))
        return _TICKETS[int.from_bytes(state.digest(), "big") % len(_TICKETS)]

    def sort(self, words: Iterable[str]) -> dict[SplitName, list[str]]:
        """Words by lot, each list in the order given."""
        found: dict[SplitName, list[str]] = {lot: [] for lot, _ in SHARES}
        known = self._drawn
        for word in words:
            found[known.get(word) or self.of(word)].append(word)
        return found


def first_of(items: Sequence[T], count: int, rng: Random) -> list[T]:
    """The first `count` of the items in random order; asking for more only adds to them."""
    order = list(items)
    taken = min(count, len(order))
    for place in range(taken):
        other = place + int(rng.random() * (len(order) - place))
        order[place], order[other] = order[other], order[place]
    return order[:taken]


def one_cycle(items: list[T], *key: str | int) -> list[T]:
    """The items moved along one random cycle, so that none stays in its place (if there are two or more)."""
    rng = keyed_random(*key)
    places = list(range(len(items)))
    for i in range(len(places) - 1, 0, -1):
        j = rng.randrange(i)
        places[i], places[j] = places[j], places[i]
    return [items[place] for place in places]


class Relation(Protocol):
    """A relation as a table: its inputs, sorted, and the outputs of each, never empty, always in the same order."""

    @property
    def inputs(self) -> Sequence[str]: ...

    def outputs(self, word: str) -> tuple[str, ...]: ...

    def typical(self, word: str) -> tuple[str, ...] | None:
        """The outputs that the canonical answer is drawn from, in their order; None where any of them will do."""
        ...


class Predicate(msgspec.Struct, frozen=True, tag="truth"):
    """The inputs a predicate is true of and those it is false of; all others are unknown. Both sorted."""

    true: tuple[str, ...]
    false: tuple[str, ...]
    domain: int = -1

    def __post_init__(self) -> None:
        msgspec.structs.force_setattr(self, "domain", len(self.true) + len(self.false))


class PackedRelation(msgspec.Struct, frozen=True, eq=False, dict=True, tag="packed"):
    """A relation whose outputs are numbers into a list of words, so that hundreds fit in memory.

    Attributes:
        inputs: The inputs, sorted.
        starts: Where the outputs of input `i` start; one longer than `inputs`. Numbers of eight bytes.
        values: Numbers of output words, rising within a row. Numbers of four bytes.
        words: Every output word, in the order of its language's list.
        domain: How many inputs have an answer, those with too many outputs included.
        narrow: A relation whose outputs, where it has any, are the typical ones of this one.
    """

    inputs: tuple[str, ...]
    starts: bytes
    values: bytes
    words: tuple[str, ...]
    domain: int
    narrow: PackedRelation | None = None

    @cached_property
    def _place(self) -> dict[str, int]:
        return {word: place for place, word in enumerate(self.inputs)}

    @cached_property
    def _numbers(self) -> tuple[memoryview, memoryview]:
        return memoryview(self.starts).cast("q"), memoryview(self.values).cast("i")

    def outputs(self, word: str) -> tuple[str, ...]:
        """The outputs of one input in the order of the word list; KeyError for a word that is no input."""
        place = self._place[word]
        words, (starts, values) = self.words, self._numbers
        return tuple([words[number] for number in values[starts[place] : starts[place + 1]].tolist()])

    def typical(self, word: str) -> tuple[str, ...] | None:
        """The outputs that the canonical answer is drawn from; None where any of them will do."""
        narrow = self.narrow
        return narrow.outputs(word) if narrow is not None and word in narrow._place else None

    def print(self) -> bytes:
        """A hash over all of it, without spelling any word twice."""
        state = blake2b(digest_size=16)
        for words in (self.inputs, self.words):
            state.update("\x00".join(words).encode("utf-8", "surrogatepass") + b"\n")
        state.update(self.starts)
        state.update(self.values)
        return state.digest()


class TableRelation(msgspec.Struct, frozen=True, eq=False, dict=True, tag="rows"):
    """A relation as a mapping from inputs to outputs, which are never empty; both sorted."""

    rows: dict[str, tuple[str, ...]]
    domain: int

    @cached_property
    def inputs(self) -> tuple[str, ...]:
        return tuple(self.rows)

    def outputs(self, word: str) -> tuple[str, ...]:
        return self.rows[word]

    def typical(self, word: str) -> None:
        return None


WordFunction: TypeAlias = Predicate | PackedRelation | TableRelation
"""A function as it is evaluated and kept; `domain` counts the inputs that have an answer."""


def table(rows: Mapping[str, Iterable[str]], domain: int) -> TableRelation:
    """A relation from a mapping; inputs without outputs are left out."""
    return TableRelation({word: found for word in sorted(rows) if (found := tuple(sorted(set(rows[word]))))}, domain)


def fingerprint(function: Relation | Predicate) -> str:
    """Equal for two functions that agree on every input, under any name."""
    state = blake2b(digest_size=16)
    if isinstance(function, PackedRelation):
        state.update(function.print())
    elif isinstance(function, Predicate):
        for words in (function.true, function.false):
            state.update(b"p%d;" % len(words))
            state.update("\x00".join(words).encode("utf-8", "surrogatepass"))
    else:
        for word in function.inputs:
            outputs = function.outputs(word)
            state.update(b"r%d;" % len(outputs))
            state.update("\x00".join((word, *outputs)).encode("utf-8", "surrogatepass"))
    return state.hexdigest()


def constant(relation: Relation) -> bool:
    """Whether every input has the same outputs, so that there is nothing to learn."""
    inputs = relation.inputs
    return bool(inputs) and all(relation.outputs(word) == relation.outputs(inputs[0]) for word in inputs)


def permuted(relation: Relation, *key: str | int) -> Relation:
    """The relation with its answers exchanged among the inputs; how often each answer occurs stays the same."""
    inputs = list(relation.inputs)
    return _PermutedAnswers(relation, dict(zip(inputs, one_cycle(inputs, *key), strict=True)))


def permuted_truth(truth: Predicate, *key: str | int) -> Predicate:
    """The predicate with its truth values exchanged among the inputs."""
    words = sorted((*truth.true, *truth.false))
    true = set(truth.true)
    pairs = list(zip(words, one_cycle([word in true for word in words], *key), strict=True))
    return Predicate(tuple(w for w, v in pairs if v), tuple(w for w, v in pairs if not v))


class _PermutedAnswers:
    def __init__(self, relation: Relation, moved: Mapping[str, str]) -> None:
        self._relation = relation
        self._moved = moved

    @property
    def inputs(self) -> Sequence[str]:
        return self._relation.inputs

    def outputs(self, word: str) -> tuple[str, ...]:
        return self._relation.outputs(self._moved[word])

    def typical(self, word: str) -> tuple[str, ...] | None:
        return self._relation.typical(self._moved[word])


State: TypeAlias = Literal["built", "too few samples", "source missing", "degenerate", "duplicate", "not a union"]

Outcome: TypeAlias = tuple[str, State, str, int, int]
"""What became of the expression at one place of a list: name, state, reason, domain and samples of its verdict."""

_CODE = (
    "core", "algebra", "families/taskbench", "sources/knowledge", "sources/lexicon", "sources/names.py",
    "sources/names.toml",
)  # fmt: skip
_SIZES = ("train", "dev", "test", "shots", "shot_draw")
"""How many rows there are decides nothing that is kept."""


def cache() -> DerivedCache:
    """Where results of this very code are kept."""
    return DerivedCache("taskbench", code_hash(*_CODE))


class TaskCache:
    """Finds what was worked out for a recipe and a seed, and puts there what was not.

    Args:
        recipe: The settings.
        seed: The seed of the suite.
    """

    def __init__(self, recipe: TaskBenchRecipe, seed: int) -> None:
        self._recipe = recipe
        self._seed = seed
        self._own_words = bool(recipe.resources or recipe.english_words or recipe.spanish_words)
        self._invented = recipe.knowledge.partition(":")[0] in ("world", "none")

    @cached_property
    def _cache(self) -> DerivedCache:
        return cache()

    def find(self, key: tuple[str, str] | None, kind: Any) -> Any:
        """What is shipped or kept under a key; None where there is nothing, or nothing of that kind."""
        if key is None:
            return None
        found = shipped(kind, "taskbench", *key)
        return self._cache.get(kind, *key) if found is None else found

    def keep(self, key: tuple[str, str] | None, found: Any) -> None:
        """Keep a result; without a key, files of the user's decide it, and it is worked out each time."""
        if key is not None:
            self._cache.put(found, *key)

    def found_or_made(self, key: tuple[str, str] | None, kind: Any, make: Callable[[], T]) -> T:
        """What is shipped or kept under a key; else it is made now, and kept."""
        found: T | None = self.find(key, kind)
        if found is None:
            found = make()
            self.keep(key, found)
        return found

    def function_key(self, form: Expression) -> tuple[str, str] | None:
        """What decides a function besides the code; None where files of the user's do."""
        if not is_ours(form):
            return None
        recipe = self._recipe
        decided: tuple[Any, ...]
        if signature(form).source == "entity":
            if not self._invented:
                return None
            decided = ("entity", recipe.knowledge, self._seed, recipe.most_outputs, recipe.row_limit)
        else:
            if self._own_words:
                return None
            drawn = self._seed if any(atom.name == "random" for atom in atoms(form)) else None
            decided = ("word", drawn, recipe.most_outputs, recipe.labels, recipe.vulgar, recipe.antonyms)
        return "function", content_hash((repr(form), decided))

    def list_key(self, plan: Sequence[PublishedTask]) -> tuple[str, str] | None:
        """What decides the outcomes of a list besides the code."""
        return self.suite_key("outcomes", plan, (entry.expression for entry in plan))

    def suite_key(self, kind: str, about: Any, nodes: Iterable[Expression] = ()) -> tuple[str, str] | None:
        """What decides something of a suite besides the code."""
        if self._own_words or not self._invented or not all(map(is_ours, nodes)):
            return None
        settings = {name: value for name, value in msgspec.to_builtins(self._recipe).items() if name not in _SIZES}
        return kind, content_hash((settings, self._seed, repr(about)))
