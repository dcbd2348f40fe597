"""Sequences by Algorithm 1: words that are kept and mapped among words that are filtered out, in random order.

The first thousand sequences of a split are drawn freely and compared with one another. Every later one begins with
two words of its own: a keyed permutation of all pairs of words gives each place in the split another pair, so no
two of them are equal, and a block of them needs no other block but the first. Splits are kept apart by the text alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import count
from random import Random

from taskloom.core import Instance, KeyedRandom, Product, UserError
from taskloom.core.permute import Permutation
from taskloom.core.rng import below, sample, shuffle
from taskloom.families.taskbench.draw import Dataset, first_drawn, instance, sizes
from taskloom.families.taskbench.functions import Relation
from taskloom.families.taskbench.lots import Lot

__all__ = ["BLOCK", "SequenceData"]

BLOCK = 1_000
"""Rows of a block."""

_MOST_TRIES = 2_000
_ORDERS = 4  # orders of the same words that are tried before other words are drawn
_AMPLE = 200  # with as many words on each side there are far more sequences than a block has rows

Marked = list[tuple[str, bool]]
"""Words, each with whether it is kept."""


@dataclass(frozen=True)
class _Pools:
    """The words that sequences of a split are made of."""

    accepted: Sequence[str]
    rejected: Sequence[str]

    def __bool__(self) -> bool:
        return bool(self.accepted)

    def of(self, kept: bool) -> Sequence[str]:
        return self.accepted if kept else self.rejected


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
        """What stands between words."""
        return " # " if self.recipe.separator else " "

    def samples(self) -> int:
        """How many different words the sequences are made of: on each side of the filter, if there is one."""
        return 2 * min(len(self.accepted), len(self.rejected)) if self.filtered else len(self.accepted)

    @cached_property
    def _texts(self) -> dict[Lot, list[str]]:
        return {}

    def _pools(self, split: Lot) -> _Pools:
        if self.recipe.sequence_words != "apart":
            return _Pools(self.accepted, self.rejected)
        lot: Lot = "train" if split == "example" else split
        return _Pools(self.lots.sort(self.accepted)[lot], self.lots.sort(self.rejected)[lot])

    def _available(self, split: Lot) -> int:
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

    def _pick(self, split: Lot, places: Sequence[int]) -> Iterator[Instance]:
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

    def _free(self, split: Lot) -> Iterator[tuple[Marked, Random]]:
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

    def _first_texts(self, split: Lot) -> list[str]:
        if split not in self._texts:
            self._texts[split] = [self._text(marked) for marked, _ in self._free(split)]
        return self._texts[split]

    def _fresh(self, rng: Random, split: Lot, seen: set[str], pools: _Pools) -> Marked | None:
        """A sequence whose lot is this split and that is new to its block; None where there seems to be none."""
        for attempt in range(_MOST_TRIES):
            if attempt % _ORDERS == 0:
                marked = self._sequence(rng, pools)
            shuffle(rng, marked)
            text = self._text(marked)
            if self.lots.draw(text) == split and text not in seen:
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

    def _owner(self, split: Lot) -> Callable[[Random, int], Marked]:
        """What draws the sequence that begins with the pair of a number."""
        pools = self._pools(split)
        return self._beginning(split, split, pools, set(self._first_texts(split)))

    def _beginning(self, split: Lot, key: str, pools: _Pools, taken: set[str]) -> Callable[[Random, int], Marked]:
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
                    word = _other(rng, pools.of(kept), others)
                    others.add(word)
                    marked.append((word, kept))
                text = self._text(marked)
                if self.lots.draw(text) == split and text not in taken:
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
        left, right = pools.of(kinds[0]), pools.of(kinds[1])
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
    return max(0, len(pools.of(kinds[0])) * (len(pools.of(kinds[1])) - (kinds[0] == kinds[1])))


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
