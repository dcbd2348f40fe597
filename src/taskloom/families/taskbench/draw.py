"""Datasets D(f): inputs with one answer drawn uniformly, and every acceptable one kept.

Every draw is keyed by suite seed, task and split. A larger split begins with the rows of a smaller one.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from random import Random
from typing import Any

from taskloom.core import AnyOf, Boolean, Instance, KeyedRandom, Product, keyed_random
from taskloom.families.taskbench.functions import Predicate, Relation
from taskloom.families.taskbench.lots import Lot, Lots, first_of, one_cycle
from taskloom.families.taskbench.recipe import TaskBenchRecipe

__all__ = ["TRUTH_WORDS", "Dataset", "PredicateData", "RelationData", "SequenceData", "UnionData", "sizes"]

TRUTH_WORDS = ("true", "false")
_EXAMPLES = 4
_MOST_TRIES = 2_000
_ORDERS = 4  # so many orders of the same words are tried before other words are drawn


def sizes(recipe: TaskBenchRecipe, split: Lot) -> int:
    """How many instances of a split the recipe asks for."""
    return {"train": recipe.train, "dev": recipe.dev, "test": recipe.test, "example": _EXAMPLES}[split]


@dataclass(frozen=True)
class Dataset(ABC):
    """What all kinds of datasets share. `name` is the task's name and part of every random key."""

    name: str
    recipe: TaskBenchRecipe
    seed: int
    lots: Lots

    def rows(self, split: Lot) -> Iterator[Instance]:
        """The instances of a split, few-shot training sets cut down."""
        found = self._draw(split, sizes(self.recipe, split))
        if split == "train" and self.recipe.shots:
            everything = list(found)
            rng = keyed_random("taskbench", "shots", self.seed, self.name, self.recipe.shots, self.recipe.shot_draw)
            chosen = rng.sample(range(len(everything)), min(self.recipe.shots, len(everything)))
            found = (everything[index] for index in chosen)
        yield from found

    @abstractmethod
    def _draw(self, split: Lot, size: int) -> Iterator[Instance]:
        """All instances of a split."""

    def _some(self, words: Sequence[str], count: int, *key: str) -> list[str]:
        """So many of the words, in random order."""
        return first_of(words, count, keyed_random("taskbench", "order", self.seed, self.name, *key))

    def _part(self, parted: Mapping[Lot, list[str]], split: Lot, size: int, examples: int, *key: str) -> list[str]:
        """Words of one split in random order. Where the lot gives too few examples, training words fill them up."""
        missing = max(0, examples - len(parted["example"]))
        if split == "example":
            spare = parted["train"][:missing]
            return [*self._some(parted["example"], size, split, *key), *spare][:size]
        words = parted[split][missing:] if split == "train" else parted[split]
        return self._some(words, size, split, *key)


def _instance(split: str, index: int, text: str, targets: Any, facets: dict[str, Any], **details: Any) -> Instance:
    return Instance(f"{split}-{index:05d}", text, targets, facets, {}, details)


def _first(answers: tuple[str, ...], rng: Random) -> tuple[str, ...]:
    """The answers with a uniformly drawn one in front: what a model is trained on."""
    drawn = rng.randrange(len(answers))
    return (answers[drawn], *answers[:drawn], *answers[drawn + 1 :])


def _word_facets(answers: int) -> dict[str, Any]:
    return {"outputs": float(answers), "length": 1, "kept": 1}


@dataclass(frozen=True)
class RelationData(Dataset):
    """Words with their outputs."""

    relation: Relation

    def samples(self) -> int:
        """How many different inputs there are."""
        return len(self.relation.inputs)

    @cached_property
    def _parted(self) -> dict[Lot, list[str]]:
        return self.lots.sort(self.relation.inputs)

    def _draw(self, split: Lot, size: int) -> Iterator[Instance]:
        words = self._part(self._parted, split, size, _EXAMPLES)
        answers = [self.relation.outputs(word) for word in words]
        if self.recipe.permuted:
            answers = one_cycle(answers, "taskbench", "permute", self.seed, self.name, split)
        randoms = KeyedRandom("taskbench", "answer", self.seed, self.name)
        for index, (word, right) in enumerate(zip(words, answers, strict=True)):
            yield _instance(split, index, word, AnyOf(_first(right, randoms.at(word))), _word_facets(len(right)))


@dataclass(frozen=True)
class PredicateData(Dataset):
    """Words with a truth value, as many true as false."""

    predicate: Predicate

    def samples(self) -> int:
        """How many inputs there are with truth values in balance."""
        return 2 * min(len(self.predicate.true), len(self.predicate.false))

    @cached_property
    def _parted(self) -> tuple[dict[Lot, list[str]], dict[Lot, list[str]]]:
        return self.lots.sort(self.predicate.true), self.lots.sort(self.predicate.false)

    def _draw(self, split: Lot, size: int) -> Iterator[Instance]:
        half, examples = (size + 1) // 2, _EXAMPLES // 2
        true = self._part(self._parted[0], split, half, examples, "true")
        false = self._part(self._parted[1], split, half, examples, "false")
        each = min(len(true), len(false))
        # Truth values alternate in random pairs, so every prefix of the split is in balance too.
        rng = keyed_random("taskbench", "sides", self.seed, self.name, split)
        rows: list[tuple[str, bool]] = []
        for pair in zip(true[:each], false[:each], strict=True):
            both = [(pair[0], True), (pair[1], False)]
            rows += both if rng.random() < 0.5 else reversed(both)
        rows = rows[:size]
        values = [value for _, value in rows]
        if self.recipe.permuted:
            values = one_cycle(values, "taskbench", "permute", self.seed, self.name, split)
        for index, ((word, _), value) in enumerate(zip(rows, values, strict=True)):
            yield _instance(split, index, word, Boolean(value, TRUTH_WORDS), _word_facets(1))


@dataclass(frozen=True)
class SequenceData(Dataset):
    """Sequences by Algorithm 1: m words that are kept and mapped, n - m that are filtered out, in random order.

    Attributes:
        relation: What is done to the kept words.
        accepted: Words in the relation's domain that the filter keeps.
        rejected: Words that the filter drops; empty for a mere map.
    """

    relation: Relation
    accepted: tuple[str, ...]
    rejected: tuple[str, ...] = ()
    filtered: bool = False

    @property
    def separator(self) -> str:
        """What stands between words."""
        return " # " if self.recipe.separator else " "

    def samples(self) -> int:
        """How many different words the sequences are made of: on each side of the filter, if there is one."""
        return 2 * min(len(self.accepted), len(self.rejected)) if self.filtered else len(self.accepted)

    def _draw(self, split: Lot, size: int) -> Iterator[Instance]:
        accepted: Sequence[str] = self.accepted
        rejected: Sequence[str] = self.rejected
        if self.recipe.sequence_words == "apart":
            lot: Lot = "train" if split == "example" else split
            accepted, rejected = self.lots.sort(accepted)[lot], self.lots.sort(rejected)[lot]
        if not accepted or (self.filtered and not rejected):
            return
        randoms = KeyedRandom("taskbench", "sequence", self.seed, self.name, split)
        seen: set[str] = set()
        for index in range(size):
            rng = randoms.at(index)
            marked = self._fresh(rng, split, seen, accepted, rejected)
            if marked is None:
                return  # there are hardly any more different sequences
            words = [word for word, _ in marked]
            slots = tuple([_first(self.relation.outputs(word), rng) for word, kept in marked if kept])
            average = sum(map(len, slots)) / len(slots)
            facets = {"outputs": average, "length": len(words), "kept": len(slots)}
            text = self.separator.join(words)
            yield _instance(split, index, text, Product(slots, self.separator), facets, words=words)

    def _fresh(
        self, rng: Random, split: Lot, seen: set[str], accepted: Sequence[str], rejected: Sequence[str]
    ) -> list[tuple[str, bool]] | None:
        """A sequence whose lot is this split and that has not been drawn before; None where there seems to be none."""
        for attempt in range(_MOST_TRIES):
            if attempt % _ORDERS == 0:
                marked = self._sequence(rng, accepted, rejected)
            rng.shuffle(marked)
            text = self.separator.join([word for word, _ in marked])
            if self.lots.draw(text) == split and text not in seen:
                seen.add(text)
                return marked
        return None

    def _sequence(self, rng: Random, accepted: Sequence[str], rejected: Sequence[str]) -> list[tuple[str, bool]]:
        """Words, each with whether it is kept. Both numbers vary, so neither gives the other away."""
        length = rng.randint(self.recipe.shortest, self.recipe.longest)
        keep = rng.randint(1, length) if self.filtered else length
        marked = [(word, True) for word in _different(rng, accepted, keep)]
        return marked + [(word, False) for word in _different(rng, rejected, length - keep)]


def _different(rng: Random, words: Sequence[str], count: int) -> list[str]:
    """Different words where there are enough, else with repeats."""
    return rng.sample(words, count) if count <= len(words) else rng.choices(words, k=count)


@dataclass(frozen=True)
class UnionData(Dataset):
    """A union of two relations for the study of distributions.

    Training shows as many examples of the first relation as of the second: first the inputs that both know, once
    for each, then equally many that only one knows. Development and test ask inputs that both know.
    """

    first: Relation
    second: Relation

    def samples(self) -> int:
        """How many inputs both relations know."""
        return len(set(self.first.inputs) & set(self.second.inputs))

    def _draw(self, split: Lot, size: int) -> Iterator[Instance]:
        in_first, in_second = set(self.first.inputs), set(self.second.inputs)
        parted = self.lots.sort(sorted(in_first & in_second))
        if split != "train":
            rows = [(word, "both") for word in self._part(parted, split, size, _EXAMPLES)]
        else:
            each = size // 2
            shared = self._part(parted, split, each, _EXAMPLES)
            only_first = self.lots.sort(sorted(in_first - in_second))[split]
            only_second = self.lots.sort(sorted(in_second - in_first))[split]
            more = min(each - len(shared), len(only_first), len(only_second))
            rows = [(word, "first") for word in (*shared, *self._some(only_first, more, "first"))]
            rows += [(word, "second") for word in (*shared, *self._some(only_second, more, "second"))]
            keyed_random("taskbench", "union", self.seed, self.name).shuffle(rows)
        randoms = KeyedRandom("taskbench", "answer", self.seed, self.name)
        for index, (word, side) in enumerate(rows):
            yield self._row(split, index, word, side, in_first, in_second, randoms.at(word, side))

    def _row(
        self, split: str, index: int, word: str, side: str, in_first: set[str], in_second: set[str], rng: Random
    ) -> Instance:
        first = self.first.outputs(word) if word in in_first else ()
        second = self.second.outputs(word) if word in in_second else ()
        pool = {"first": first, "second": second}.get(side) or (first if rng.random() < 0.5 else second)
        drawn = pool[rng.randrange(len(pool))]
        everything = tuple(sorted({*first, *second} - {drawn}))
        facets = {**_word_facets(1 + len(everything)), "side": side, "both": bool(first and second)}
        return _instance(split, index, word, AnyOf((drawn, *everything)), facets, first=first, second=second)
