"""Datasets D(f): inputs with one answer drawn uniformly, and every acceptable one kept.

Every draw is keyed by suite seed, task and split. A larger split begins with the rows of a smaller one, and any row can
be made without those before it: the order of a split's words is fixed once, and the rest of a row follows from it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import count
from random import Random
from typing import Any, Generic, NamedTuple, TypeVar

from taskloom.core import AnyOf, Boolean, Instance, KeyedRandom, Product, UserError, keyed_random
from taskloom.core.rng import Permutation, below, sample, shuffle
from taskloom.families.taskbench.functions import (
    SHARES,
    Predicate,
    Relation,
    SplitAssignment,
    SplitName,
    first_of,
    one_cycle,
)
from taskloom.families.taskbench.recipe import TaskBenchRecipe

TRUTH_WORDS = ("true", "false")
Tag = TypeVar("Tag")
EXAMPLES = 4
"""How many instances the instruction of a task is made from."""


def sizes(recipe: TaskBenchRecipe, split: SplitName) -> int:
    """How many instances of a split the recipe asks for."""
    return {"train": recipe.train, "dev": recipe.dev, "test": recipe.test, "example": EXAMPLES}[split]


@dataclass(frozen=True)
class Dataset(ABC):
    """What all kinds of datasets share. `name` is the task's name and part of every random key."""

    name: str
    recipe: TaskBenchRecipe
    seed: int
    assignment: SplitAssignment

    def size(self, split: SplitName) -> int:
        """How many rows a split has, few-shot training sets cut down."""
        chosen = self._shots(split)
        return self._available(split) if chosen is None else len(chosen)

    def rows(self, split: SplitName, start: int = 0, stop: int | None = None) -> Iterator[Instance]:
        """The instances of a split from one place to another."""
        chosen: Sequence[int] = self._shots(split) or range(self._available(split))
        yield from self._pick(split, chosen[start:stop])

    def _shots(self, split: SplitName) -> list[int] | None:
        """The places of a few-shot subset; None where the split is whole."""
        return self._few if split == "train" and self.recipe.shots else None

    @cached_property
    def _few(self) -> list[int]:
        count = self._available("train")
        rng = keyed_random("taskbench", "shots", self.seed, self.name, self.recipe.shots, self.recipe.shot_draw)
        return rng.sample(range(count), min(self.recipe.shots, count))

    @abstractmethod
    def samples(self) -> int:
        """How many different inputs there are."""

    @abstractmethod
    def spare(self) -> Iterator[Instance]:
        """Instances that are in no split and in no example; endless where there are that many."""

    @abstractmethod
    def _available(self, split: SplitName) -> int:
        """How many rows a split has before few shots are chosen."""

    @abstractmethod
    def _pick(self, split: SplitName, places: Sequence[int]) -> Iterator[Instance]:
        """The instances at some places of a split, in the order asked."""

    def _some(self, words: Sequence[str], count: int, *key: str) -> list[str]:
        """The first `count` of the words in random order."""
        return first_of(words, count, keyed_random("taskbench", "order", self.seed, self.name, *key))

    def _part(
        self, parted: Mapping[SplitName, list[str]], split: SplitName, size: int, examples: int, *key: str
    ) -> list[str]:
        """Words of one split in random order. Where the lot gives too few examples, training words fill them up."""
        missing = max(0, examples - len(parted["example"]))
        if split == "example":
            spare = parted["train"][:missing]
            return [*self._some(parted["example"], size, split, *key), *spare][:size]
        words = parted[split][missing:] if split == "train" else parted[split]
        return self._some(words, size, split, *key)


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


@dataclass(frozen=True)
class WordData(Dataset, Generic[Tag]):
    """Single words, each with a tag that says what its answers are."""

    @abstractmethod
    def _draw(self, split: SplitName, size: int) -> list[tuple[str, Tag]]:
        """The words of a split with their tags."""

    @abstractmethod
    def _left(self, used: set[str]) -> Iterator[tuple[str, Tag]]:
        """Words beyond those that are used, in random order, with their tags."""

    @abstractmethod
    def _row(self, split: str, index: int, word: str, tag: Tag) -> Instance:
        """The row of a word."""

    @cached_property
    def _orders(self) -> dict[SplitName, list[tuple[str, Tag]]]:
        return {}

    def _order(self, split: SplitName) -> list[tuple[str, Tag]]:
        if split not in self._orders:
            self._orders[split] = self._draw(split, sizes(self.recipe, split))
        return self._orders[split]

    def _available(self, split: SplitName) -> int:
        return len(self._order(split))

    def _pick(self, split: SplitName, places: Sequence[int]) -> Iterator[Instance]:
        rows = self._order(split)
        for index in places:
            yield self._row(split, index, *rows[index])

    def spare(self) -> Iterator[Instance]:
        used = {word for split, _ in SHARES for word, _ in self._order(split)}
        for index, (word, tag) in enumerate(self._left(used)):
            yield self._row("spare", index, word, tag)

    def _unused(self, words: Sequence[str], used: set[str]) -> list[str]:
        left = [word for word in words if word not in used]
        return self._some(left, len(left), "spare")

    @cached_property
    def _randoms(self) -> KeyedRandom:
        return KeyedRandom("taskbench", "answer", self.seed, self.name)


@dataclass(frozen=True)
class RelationData(WordData[str]):
    """Words with their outputs. The tag is the word whose answers it gets: itself, unless answers are permuted."""

    relation: Relation

    def samples(self) -> int:
        return len(self.relation.inputs)

    @cached_property
    def _parted(self) -> dict[SplitName, list[str]]:
        return self.assignment.sort(self.relation.inputs)

    def _draw(self, split: SplitName, size: int) -> list[tuple[str, str]]:
        words = self._part(self._parted, split, size, EXAMPLES)
        permuted = self.recipe.permuted
        givers = one_cycle(words, "taskbench", "permute", self.seed, self.name, split) if permuted else words
        return list(zip(words, givers, strict=True))

    def _left(self, used: set[str]) -> Iterator[tuple[str, str]]:
        return ((word, word) for word in self._unused(self.relation.inputs, used))

    def _row(self, split: str, index: int, word: str, tag: str) -> Instance:
        right = first_drawn(self.relation, tag, self._randoms.at(word))
        return instance(split, index, word, AnyOf(right), _word_facets(len(right)))


@dataclass(frozen=True)
class PredicateData(WordData[bool]):
    """Words with a truth value, as many true as false."""

    predicate: Predicate

    def samples(self) -> int:
        return 2 * min(len(self.predicate.true), len(self.predicate.false))

    @cached_property
    def _parted(self) -> tuple[dict[SplitName, list[str]], dict[SplitName, list[str]]]:
        return self.assignment.sort(self.predicate.true), self.assignment.sort(self.predicate.false)

    def _draw(self, split: SplitName, size: int) -> list[tuple[str, bool]]:
        """Truth values alternate in random pairs, so every prefix of the split is in balance too."""
        half, examples = (size + 1) // 2, EXAMPLES // 2
        true = self._part(self._parted[0], split, half, examples, "true")
        false = self._part(self._parted[1], split, half, examples, "false")
        rng = keyed_random("taskbench", "sides", self.seed, self.name, split)
        rows: list[tuple[str, bool]] = []
        for pair in zip(true, false, strict=False):
            both = [(pair[0], True), (pair[1], False)]
            rows += both if rng.random() < 0.5 else reversed(both)
        rows = rows[:size]
        if self.recipe.permuted:
            values = [value for _, value in rows]
            moved = one_cycle(values, "taskbench", "permute", self.seed, self.name, split)
            rows = [(word, value) for (word, _), value in zip(rows, moved, strict=True)]
        return rows

    def _left(self, used: set[str]) -> Iterator[tuple[str, bool]]:
        sides = [self._unused(words, used) for words in (self.predicate.true, self.predicate.false)]
        return (
            (word, value) for pair in zip(*sides, strict=False) for word, value in zip(pair, (True, False), strict=True)
        )

    def _row(self, split: str, index: int, word: str, tag: bool) -> Instance:
        return instance(split, index, word, Boolean(tag, TRUTH_WORDS), _word_facets(1))


@dataclass(frozen=True)
class UnionData(WordData[str]):
    """A union of two relations for the study of distributions.

    Training shows as many examples of the first relation as of the second: first the inputs that both know, once
    for each, then equally many that only one knows. Development and test ask inputs that both know. The tag is the
    side that an answer is drawn from.
    """

    first: Relation
    second: Relation

    def samples(self) -> int:
        return len(self._domains[0] & self._domains[1])

    @cached_property
    def _domains(self) -> tuple[set[str], set[str]]:
        return set(self.first.inputs), set(self.second.inputs)

    def _draw(self, split: SplitName, size: int) -> list[tuple[str, str]]:
        in_first, in_second = self._domains
        parted = self.assignment.sort(sorted(in_first & in_second))
        if split != "train":
            return [(word, "both") for word in self._part(parted, split, size, EXAMPLES)]
        each = size // 2
        shared = self._part(parted, split, each, EXAMPLES)
        only_first = self.assignment.sort(sorted(in_first - in_second))[split]
        only_second = self.assignment.sort(sorted(in_second - in_first))[split]
        more = min(each - len(shared), len(only_first), len(only_second))
        rows = [(word, "first") for word in (*shared, *self._some(only_first, more, "first"))]
        rows += [(word, "second") for word in (*shared, *self._some(only_second, more, "second"))]
        keyed_random("taskbench", "union", self.seed, self.name).shuffle(rows)
        return rows

    def _left(self, used: set[str]) -> Iterator[tuple[str, str]]:
        return ((word, "both") for word in self._unused(sorted(self._domains[0] & self._domains[1]), used))

    def _row(self, split: str, index: int, word: str, tag: str) -> Instance:
        rng = self._randoms.at(word, tag)
        first = self.first.outputs(word) if word in self._domains[0] else ()
        second = self.second.outputs(word) if word in self._domains[1] else ()
        pool = {"first": first, "second": second}.get(tag) or (first if rng.random() < 0.5 else second)
        drawn = pool[rng.randrange(len(pool))]
        everything = tuple(sorted({*first, *second} - {drawn}))
        facets = {**_word_facets(1 + len(everything)), "side": tag, "both": bool(first and second)}
        return instance(split, index, word, AnyOf((drawn, *everything)), facets, first=first, second=second)


BLOCK = 1_000
"""Rows of a block."""

_MOST_TRIES = 2_000
_ORDERS = 4  # orders of the same words that are tried before other words are drawn
_AMPLE = 200  # with as many words on each side there are far more sequences than a block has rows

Marked = list[tuple[str, bool]]
"""Words, each with whether it is kept."""


class _Pools(NamedTuple):
    """The words that sequences of a split are made of."""

    rejected: Sequence[str]
    accepted: Sequence[str]


@dataclass(frozen=True)
class SequenceData(Dataset):
    """Sequences with the outputs of their kept words.

    Attributes:
        relation: What is done to the kept words.
        accepted: Words in the relation's domain that the filter keeps.
        rejected: Words that the filter drops; empty for a mere map.
        filtered: Whether there is a filter.
    """

    relation: Relation
    accepted: tuple[str, ...]
    rejected: tuple[str, ...] = ()
    filtered: bool = False

    @property
    def separator(self) -> str:
        return " # " if self.recipe.separator else " "

    def samples(self) -> int:
        """How many different words the sequences are made of: on each side of the filter, if there is one."""
        return 2 * min(len(self.accepted), len(self.rejected)) if self.filtered else len(self.accepted)

    @cached_property
    def _texts(self) -> dict[SplitName, list[str]]:
        return {}

    def _pools(self, split: SplitName) -> _Pools:
        if self.recipe.sequence_words != "apart":
            return _Pools(self.rejected, self.accepted)
        part: SplitName = "train" if split == "example" else split
        return _Pools(self.assignment.sort(self.rejected)[part], self.assignment.sort(self.accepted)[part])

    def _available(self, split: SplitName) -> int:
        wanted = sizes(self.recipe, split)
        pools = self._pools(split)
        if not pools.accepted or (self.filtered and not pools.rejected):
            return 0
        ample = min(len(pools.accepted), len(pools.rejected) if self.filtered else _AMPLE) >= _AMPLE
        if self.recipe.longest < 2 or not ample:
            return len(self._first_texts(split))  # there may be fewer different ones than a block has rows
        most = BLOCK + self._pairs(pools)
        if wanted > most:
            raise UserError(
                f"{self.name} has {most:,} different sequences for {split}, not {wanted:,}",
                where="taskbench",
                hint=f"-T {split}={most}",
            )
        return wanted

    def _pick(self, split: SplitName, places: Sequence[int]) -> Iterator[Instance]:
        early = {index for index in places if index < BLOCK}
        found = {
            index: self._row(split, index, marked, rng)
            for index, (marked, rng) in zip(range(max(early, default=-1) + 1), self._free(split), strict=False)
            if index in early
        }
        randoms = KeyedRandom("taskbench", "sequence", self.seed, self.name, split)
        owned = self._owner(split) if len(early) < len(places) else None
        for index in places:
            if index in found:
                yield found[index]
            elif owned is not None:
                rng = randoms.at(index)
                yield self._row(split, index, owned(rng, index - BLOCK), rng)

    def _row(self, split: str, index: int, marked: Marked, rng: Random) -> Instance:
        words = [word for word, _ in marked]
        slots = tuple([first_drawn(self.relation, word, rng) for word, kept in marked if kept])
        facets = {"outputs": sum(map(len, slots)) / len(slots), "length": len(words), "kept": len(slots)}
        return instance(split, index, self.separator.join(words), Product(slots, self.separator), facets, words=words)

    def _text(self, marked: Marked) -> str:
        return self.separator.join([word for word, _ in marked])

    # ------------------------------------------------------------------ the first block

    def _free(self, split: SplitName) -> Iterator[tuple[Marked, Random]]:
        """The first block, each sequence with the generator that draws its answers."""
        pools = self._pools(split)
        randoms = KeyedRandom("taskbench", "sequence", self.seed, self.name, split)
        seen: set[str] = set()
        for index in range(min(BLOCK, sizes(self.recipe, split))):
            rng = randoms.at(index)
            marked = self._fresh(rng, split, seen, pools)
            if marked is None:
                return  # there are hardly any more different sequences
            yield marked, rng

    def _first_texts(self, split: SplitName) -> list[str]:
        if split not in self._texts:
            self._texts[split] = [self._text(marked) for marked, _ in self._free(split)]
        return self._texts[split]

    def _fresh(self, rng: Random, split: SplitName, seen: set[str], pools: _Pools) -> Marked | None:
        """A sequence whose lot is this split and that is new to its block; None where there seems to be none."""
        for attempt in range(_MOST_TRIES):
            if attempt % _ORDERS == 0:
                marked = self._sequence(rng, pools)
            shuffle(rng, marked)
            text = self._text(marked)
            if self.assignment.draw(text) == split and text not in seen:
                seen.add(text)
                return marked
        return None

    def _sequence(self, rng: Random, pools: _Pools) -> Marked:
        """Words, each with whether it is kept. Both numbers vary, so neither gives the other away."""
        length = self.recipe.shortest + below(rng, self.recipe.longest - self.recipe.shortest + 1)
        keep = 1 + below(rng, length) if self.filtered else length
        marked = [(word, True) for word in _different(rng, pools.accepted, keep)]
        return marked + [(word, False) for word in _different(rng, pools.rejected, length - keep)]

    # --------------------------------------------------------------- the blocks after it

    def _pairs(self, pools: _Pools) -> int:
        """How many places have a pair of words of their own, whichever of the two are kept."""
        kinds = [(True, True)] + ([(True, False), (False, True), (False, False)] if self.filtered else [])
        return min(_space(pools, kind) for kind in kinds)

    def _owner(self, split: SplitName) -> Callable[[Random, int], Marked]:
        """What draws the sequence that begins with the pair of a number."""
        pools = self._pools(split)
        return self._beginning(split, split, pools, set(self._first_texts(split)))

    def _beginning(self, split: SplitName, key: str, pools: _Pools, taken: set[str]) -> Callable[[Random, int], Marked]:
        orders = {
            kinds: Permutation(_space(pools, kinds), "taskbench", "pairs", self.seed, self.name, key, *kinds)
            for kinds in ((True, True), (True, False), (False, True), (False, False))
        }

        def draw(rng: Random, number: int) -> Marked:
            for _ in range(_MOST_TRIES):
                marks = self._marks(rng)
                kinds = (marks[0], marks[1])
                first, second = self._pair(pools, kinds, orders[kinds](number))
                marked = [(first, kinds[0]), (second, kinds[1])]
                others = {first, second}
                for kept in marks[2:]:
                    word = _other(rng, pools[kept], others)
                    others.add(word)
                    marked.append((word, kept))
                text = self._text(marked)
                if self.assignment.draw(text) == split and text not in taken:
                    return marked
            raise UserError(f"{self.name}: no sequence begins with pair {number:,} of {split}", where="taskbench")

        return draw

    def _marks(self, rng: Random) -> list[bool]:
        """Which places of a sequence hold kept words; two places at least."""
        length = rng.randint(max(2, self.recipe.shortest), self.recipe.longest)
        keep = 1 + below(rng, length) if self.filtered else length
        marks = [place < keep for place in range(length)]
        shuffle(rng, marks)
        return marks

    def _pair(self, pools: _Pools, kinds: tuple[bool, bool], number: int) -> tuple[str, str]:
        """The pair of different words with a number."""
        left, right = pools[kinds[0]], pools[kinds[1]]
        if kinds[0] != kinds[1]:
            first, second = divmod(number, len(right))
            return left[first], right[second]
        first, second = divmod(number, len(right) - 1)
        return left[first], right[second + (second >= first)]

    def spare(self) -> Iterator[Instance]:
        """Sequences of the lot of examples, without those that an instruction shows; endless for most tasks."""
        pools = self._pools("example")
        shown = set(self._first_texts("example"))
        randoms = KeyedRandom("taskbench", "sequence", self.seed, self.name, "spare")
        if self.recipe.longest < 2 or self._pairs(pools) < 2:
            return
        draw = self._beginning("example", "spare", pools, shown)
        for index in count():
            if index >= self._pairs(pools):
                return
            rng = randoms.at(index)
            yield self._row("spare", index, draw(rng, index), rng)


def _space(pools: _Pools, kinds: tuple[bool, bool]) -> int:
    """How many pairs of different words there are, by whether each is kept."""
    return max(0, len(pools[kinds[0]]) * (len(pools[kinds[1]]) - (kinds[0] == kinds[1])))


def _different(rng: Random, words: Sequence[str], number: int) -> list[str]:
    """Different words where there are enough, else with repeats."""
    return sample(rng, words, number) if number <= len(words) else rng.choices(words, k=number)


def _other(rng: Random, words: Sequence[str], taken: set[str]) -> str:
    """A word that is not taken yet, unless nearly all are."""
    for _ in range(8):
        word = words[below(rng, len(words))]
        if word not in taken:
            return word
    return word
