"""Datasets D(f): inputs with one answer drawn uniformly, and every acceptable one kept.

Every draw is keyed by suite seed, task and split. A larger split begins with the rows of a smaller one, and any row can
be made without those before it: the order of a split's words is fixed once, and the rest of a row follows from it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from random import Random
from typing import Any

from taskloom.core import AnyOf, Boolean, Instance, KeyedRandom, keyed_random
from taskloom.core.rng import below
from taskloom.families.taskbench.functions import Predicate, Relation
from taskloom.families.taskbench.lots import SHARES, Lot, Lots, first_of, one_cycle
from taskloom.families.taskbench.recipe import TaskBenchRecipe

__all__ = ["EXAMPLES", "TRUTH_WORDS", "Dataset", "PredicateData", "RelationData", "UnionData", "first_drawn", "sizes"]

TRUTH_WORDS = ("true", "false")
EXAMPLES = 4
"""How many instances the instruction of a task is made from."""


def sizes(recipe: TaskBenchRecipe, split: Lot) -> int:
    """How many instances of a split the recipe asks for."""
    return {"train": recipe.train, "dev": recipe.dev, "test": recipe.test, "example": EXAMPLES}[split]


@dataclass(frozen=True)
class Dataset(ABC):
    """What all kinds of datasets share. `name` is the task's name and part of every random key."""

    name: str
    recipe: TaskBenchRecipe
    seed: int
    lots: Lots

    def size(self, split: Lot) -> int:
        """How many rows a split has, few-shot training sets cut down."""
        chosen = self._shots(split)
        return self._available(split) if chosen is None else len(chosen)

    def rows(self, split: Lot, start: int = 0, stop: int | None = None) -> Iterator[Instance]:
        """The instances of a split from one place to another."""
        chosen: Sequence[int] = self._shots(split) or range(self._available(split))
        yield from self._pick(split, chosen[start:stop])

    @cached_property
    def _shots_by_size(self) -> dict[int, list[int]]:
        return {}

    def _shots(self, split: Lot) -> list[int] | None:
        """The places of a few-shot subset; None where the split is whole."""
        if split != "train" or not self.recipe.shots:
            return None
        count = self._available(split)
        if count not in self._shots_by_size:
            rng = keyed_random("taskbench", "shots", self.seed, self.name, self.recipe.shots, self.recipe.shot_draw)
            self._shots_by_size[count] = rng.sample(range(count), min(self.recipe.shots, count))
        return self._shots_by_size[count]

    @abstractmethod
    def samples(self) -> int:
        """How many different inputs there are."""

    @abstractmethod
    def spare(self) -> Iterator[Instance]:
        """Instances that are in no split and in no example; endless where there are that many."""

    @abstractmethod
    def _available(self, split: Lot) -> int:
        """How many rows a split has before few shots are chosen."""

    @abstractmethod
    def _pick(self, split: Lot, places: Sequence[int]) -> Iterator[Instance]:
        """The instances at some places of a split, in the order asked."""

    def _some(self, words: Sequence[str], count: int, *key: str) -> list[str]:
        """The first `count` of the words in random order."""
        return first_of(words, count, keyed_random("taskbench", "order", self.seed, self.name, *key))

    def _part(self, parted: Mapping[Lot, list[str]], split: Lot, size: int, examples: int, *key: str) -> list[str]:
        """Words of one split in random order. Where the lot gives too few examples, training words fill them up."""
        missing = max(0, examples - len(parted["example"]))
        if split == "example":
            spare = parted["train"][:missing]
            return [*self._some(parted["example"], size, split, *key), *spare][:size]
        words = parted[split][missing:] if split == "train" else parted[split]
        return self._some(words, size, split, *key)

    def _unused(self, words: Sequence[str], *used: Sequence[str]) -> list[str]:
        """Words that occur in none of some lists, in random order."""
        taken = {word for one in used for word in one}
        left = [word for word in words if word not in taken]
        return self._some(left, len(left), "spare")


def instance(split: str, index: int, text: str, targets: Any, facets: dict[str, Any], **details: Any) -> Instance:
    """A row of a split."""
    return Instance(f"{split}-{index:05d}", text, targets, facets, {}, details)


def first_drawn(relation: Relation, word: str, rng: Random) -> tuple[str, ...]:
    """The answers for a word with a uniformly drawn typical one in front: what a model is trained on."""
    answers, typical = relation.outputs(word), relation.typical(word)
    drawn = below(rng, len(typical or answers))
    if typical is not None:
        drawn = answers.index(typical[drawn])
    return (answers[drawn], *answers[:drawn], *answers[drawn + 1 :])


def _word_facets(answers: int) -> dict[str, Any]:
    return {"outputs": float(answers), "length": 1, "kept": 1}


ALL_LOTS: tuple[Lot, ...] = tuple(lot for lot, _ in SHARES)


@dataclass(frozen=True)
class RelationData(Dataset):
    """Words with their outputs."""

    relation: Relation

    def samples(self) -> int:
        return len(self.relation.inputs)

    @cached_property
    def _parted(self) -> dict[Lot, list[str]]:
        return self.lots.sort(self.relation.inputs)

    @cached_property
    def _orders(self) -> dict[Lot, tuple[list[str], list[str]]]:
        return {}

    def _order(self, split: Lot) -> tuple[list[str], list[str]]:
        """The words of a split, and the words whose answers they get: themselves, unless answers are permuted."""
        if split not in self._orders:
            words = self._part(self._parted, split, sizes(self.recipe, split), EXAMPLES)
            givers = words
            if self.recipe.permuted:
                givers = one_cycle(words, "taskbench", "permute", self.seed, self.name, split)
            self._orders[split] = (words, givers)
        return self._orders[split]

    def _available(self, split: Lot) -> int:
        return len(self._order(split)[0])

    def _pick(self, split: Lot, places: Sequence[int]) -> Iterator[Instance]:
        words, givers = self._order(split)
        for index in places:
            yield self._row(split, index, words[index], givers[index])

    def _row(self, split: str, index: int, word: str, giver: str) -> Instance:
        right = first_drawn(self.relation, giver, self._randoms.at(word))
        return instance(split, index, word, AnyOf(right), _word_facets(len(right)))

    @cached_property
    def _randoms(self) -> KeyedRandom:
        return KeyedRandom("taskbench", "answer", self.seed, self.name)

    def spare(self) -> Iterator[Instance]:
        used = [self._order(lot)[0] for lot in ALL_LOTS]
        for index, word in enumerate(self._unused(self.relation.inputs, *used)):
            yield self._row("spare", index, word, word)


@dataclass(frozen=True)
class PredicateData(Dataset):
    """Words with a truth value, as many true as false."""

    predicate: Predicate

    def samples(self) -> int:
        return 2 * min(len(self.predicate.true), len(self.predicate.false))

    @cached_property
    def _parted(self) -> tuple[dict[Lot, list[str]], dict[Lot, list[str]]]:
        return self.lots.sort(self.predicate.true), self.lots.sort(self.predicate.false)

    @cached_property
    def _orders(self) -> dict[Lot, list[tuple[str, bool]]]:
        return {}

    def _order(self, split: Lot) -> list[tuple[str, bool]]:
        if split not in self._orders:
            self._orders[split] = self._balanced(split, sizes(self.recipe, split))
        return self._orders[split]

    def _balanced(self, split: Lot, size: int) -> list[tuple[str, bool]]:
        """Truth values alternate in random pairs, so every prefix of the split is in balance too."""
        half, examples = (size + 1) // 2, EXAMPLES // 2
        true = self._part(self._parted[0], split, half, examples, "true")
        false = self._part(self._parted[1], split, half, examples, "false")
        each = min(len(true), len(false))
        rng = keyed_random("taskbench", "sides", self.seed, self.name, split)
        rows: list[tuple[str, bool]] = []
        for pair in zip(true[:each], false[:each], strict=True):
            both = [(pair[0], True), (pair[1], False)]
            rows += both if rng.random() < 0.5 else reversed(both)
        rows = rows[:size]
        if self.recipe.permuted:
            values = [value for _, value in rows]
            moved = one_cycle(values, "taskbench", "permute", self.seed, self.name, split)
            rows = [(word, value) for (word, _), value in zip(rows, moved, strict=True)]
        return rows

    def _available(self, split: Lot) -> int:
        return len(self._order(split))

    def _pick(self, split: Lot, places: Sequence[int]) -> Iterator[Instance]:
        rows = self._order(split)
        for index in places:
            word, value = rows[index]
            yield instance(split, index, word, Boolean(value, TRUTH_WORDS), _word_facets(1))

    def spare(self) -> Iterator[Instance]:
        used = [[word for word, _ in self._order(lot)] for lot in ALL_LOTS]
        sides = [self._unused(words, *used) for words in (self.predicate.true, self.predicate.false)]
        for index, pair in enumerate(zip(*sides, strict=False)):
            for word, value in zip(pair, (True, False), strict=True):
                yield instance("spare", 2 * index + (not value), word, Boolean(value, TRUTH_WORDS), _word_facets(1))


@dataclass(frozen=True)
class UnionData(Dataset):
    """A union of two relations for the study of distributions.

    Training shows as many examples of the first relation as of the second: first the inputs that both know, once
    for each, then equally many that only one knows. Development and test ask inputs that both know.

    Attributes:
        first: The left relation.
        second: The right relation.
    """

    first: Relation
    second: Relation

    def samples(self) -> int:
        return len(self._domains[0] & self._domains[1])

    @cached_property
    def _domains(self) -> tuple[set[str], set[str]]:
        return set(self.first.inputs), set(self.second.inputs)

    @cached_property
    def _orders(self) -> dict[Lot, list[tuple[str, str]]]:
        return {}

    def _order(self, split: Lot) -> list[tuple[str, str]]:
        if split not in self._orders:
            self._orders[split] = self._sides(split, sizes(self.recipe, split))
        return self._orders[split]

    def _sides(self, split: Lot, size: int) -> list[tuple[str, str]]:
        """The words of a split, each with the side that its answer is drawn from."""
        in_first, in_second = self._domains
        parted = self.lots.sort(sorted(in_first & in_second))
        if split != "train":
            return [(word, "both") for word in self._part(parted, split, size, EXAMPLES)]
        each = size // 2
        shared = self._part(parted, split, each, EXAMPLES)
        only_first = self.lots.sort(sorted(in_first - in_second))[split]
        only_second = self.lots.sort(sorted(in_second - in_first))[split]
        more = min(each - len(shared), len(only_first), len(only_second))
        rows = [(word, "first") for word in (*shared, *self._some(only_first, more, "first"))]
        rows += [(word, "second") for word in (*shared, *self._some(only_second, more, "second"))]
        keyed_random("taskbench", "union", self.seed, self.name).shuffle(rows)
        return rows

    def _available(self, split: Lot) -> int:
        return len(self._order(split))

    def _pick(self, split: Lot, places: Sequence[int]) -> Iterator[Instance]:
        rows = self._order(split)
        randoms = KeyedRandom("taskbench", "answer", self.seed, self.name)
        for index in places:
            word, side = rows[index]
            yield self._row(split, index, word, side, randoms.at(word, side))

    def spare(self) -> Iterator[Instance]:
        used = [[word for word, _ in self._order(lot)] for lot in ALL_LOTS]
        both = sorted(self._domains[0] & self._domains[1])
        randoms = KeyedRandom("taskbench", "answer", self.seed, self.name)
        for index, word in enumerate(self._unused(both, *used)):
            yield self._row("spare", index, word, "both", randoms.at(word, "both"))

    def _row(self, split: str, index: int, word: str, side: str, rng: Random) -> Instance:
        first = self.first.outputs(word) if word in self._domains[0] else ()
        second = self.second.outputs(word) if word in self._domains[1] else ()
        pool = {"first": first, "second": second}.get(side) or (first if rng.random() < 0.5 else second)
        drawn = pool[rng.randrange(len(pool))]
        everything = tuple(sorted({*first, *second} - {drawn}))
        facets = {**_word_facets(1 + len(everything)), "side": side, "both": bool(first and second)}
        return instance(split, index, word, AnyOf((drawn, *everything)), facets, first=first, second=second)
