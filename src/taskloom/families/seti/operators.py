"""Negation and quantifiers as further primitives (section 7 of the paper asks for them).

Three questions, each with a trivial and a non-trivial split where both make sense:

* `negation`, `quantifiers`: inferences under an operator are learned by themselves, embedding is learned
  with plain sentences (negation) or by itself (quantifiers), and the two are composed in the test.
* `negation-nontrivial`, `quantifiers-nontrivial`: every operator and every lexical relation is seen in
  training, but never the pairs of them that are tested.
* `factivity`: the embedding verb itself is negated. "Someone does not know that s" still gives s.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from random import Random
from typing import Literal, NamedTuple, TypeAlias

from taskloom.core import Instance, KeyedRandom, UserError, keyed_random
from taskloom.families.seti.plan import Item
from taskloom.families.seti.pool import aspect_of, distinct_pair
from taskloom.families.seti.recipe import OperatorRecipe
from taskloom.families.seti.rows import make_instance
from taskloom.families.seti.settings import Kind
from taskloom.families.seti.verbs import FACTIVE, NEGATABLE, NON_VERIDICAL, VERIDICAL, Template, is_veridical
from taskloom.sources.sentences import (
    NEGATIONS,
    QUANTIFIERS,
    RELATIONS,
    Aspect,
    Pair,
    lexical_pair,
    negated_pair,
    quantified_pair,
)

__all__ = ["OPERATORS", "Asked", "operator_rows", "operator_sizes"]

Cell: TypeAlias = tuple[str, str]
"""An operator and the lexical relation that meets it."""

_TURNED = ("hypernym", "hyponym")


class Asked(NamedTuple):
    """One instance before it is put into words; `negated` says that the embedding verb is negated."""

    item: Item
    negated: bool = False

    def cell(self) -> tuple[str, str, str, str, bool]:
        """What makes it what it is: kind, verb class, operator, relation, negation."""
        kind, verb, pair, _ = self.item
        side = "" if kind == "natural" else "veridical" if is_veridical(verb) else "non-veridical"
        return (
            kind,
            side,
            "" if kind == "veridical" else pair.form,
            "" if kind == "veridical" else pair.relation,
            self.negated,
        )


class Operator(NamedTuple):
    """One suite: its title and how its training and test instances are made."""

    title: str
    make: Callable[[_Maker, int], tuple[list[Asked], list[Asked]]]


class _Maker:
    """Draws pairs under operators that never share a premise, and gives them verbs in turn."""

    def __init__(self, name: str, seed: int, aspect: Aspect) -> None:
        self.key = (name, seed)
        self.aspect = aspect
        self.seen: set[str] = set()
        self.numbers: dict[str, int] = {}

    def _many(self, count: int, purpose: str, make: Callable[[Random, int], Pair]) -> list[Pair]:
        keys = KeyedRandom("seti", "operator", *self.key, purpose)

        def at(index: int) -> Callable[[Random], Pair]:
            return lambda rng: make(rng, index)

        pairs = [distinct_pair(keys.at(index), at(index), self.seen, set()) for index in range(count)]
        for pair in pairs:
            self.numbers[pair.premise] = len(self.numbers)
        return pairs

    def plain(self, count: int, purpose: str) -> list[Pair]:
        """Lexical pairs without an operator, labels taking turns."""
        return self._many(count, purpose, lambda rng, index: lexical_pair(rng, index % 2 == 0, self.aspect))

    def under(
        self, kind: Literal["negation", "quantifier"], cells: Sequence[Cell], count: int, purpose: str
    ) -> list[Pair]:
        """Pairs under operators, the cells taking turns; half of them entailed."""
        make = negated_pair if kind == "negation" else quantified_pair
        return self._many(count, purpose, lambda rng, index: make(rng, *cells[index % len(cells)], self.aspect))

    def items(
        self, kind: Kind, pairs: Sequence[Pair], verbs: Sequence[str], purpose: str, negated: bool = False
    ) -> list[Asked]:
        """The pairs as instances of a kind; each is asked with one verb of every list, in random turn."""
        asked = []
        order = list(verbs)
        rng = keyed_random("seti", "verbs", *self.key, purpose)
        for number, pair in enumerate(pairs):
            if number % len(order) == 0:
                rng.shuffle(order)
            verb = order[number % len(order)]
            asked.append(Asked(Item(kind, verb, pair, self.numbers[pair.premise]), negated))
        return asked


def _all_cells(kind: Literal["negation", "quantifier"]) -> list[Cell]:
    operators = NEGATIONS if kind == "negation" else tuple(QUANTIFIERS)
    return [(operator, relation) for relation in RELATIONS for operator in operators]


def _negation(maker: _Maker, pairs: int) -> tuple[list[Asked], list[Asked]]:
    under = maker.under("negation", _all_cells("negation"), pairs, "negated")
    plain = maker.plain(pairs, "plain")
    train = maker.items("natural", under, ("",), "train-natural")
    train += maker.items("composition", plain, VERIDICAL, "train-veridical")
    train += maker.items("composition", plain, NON_VERIDICAL, "train-non-veridical")
    return train, _both_classes(maker, under)


def _quantifiers(maker: _Maker, pairs: int) -> tuple[list[Asked], list[Asked]]:
    under = maker.under("quantifier", _all_cells("quantifier"), pairs, "quantified")
    train = maker.items("natural", under, ("",), "train-natural")
    train += maker.items("veridical", under[: pairs // 2], VERIDICAL, "train-veridical")
    train += maker.items("veridical", under[pairs // 2 :], NON_VERIDICAL, "train-non-veridical")
    return train, _both_classes(maker, under)


def _both_classes(maker: _Maker, pairs: list[Pair]) -> list[Asked]:
    test = maker.items("composition", pairs, VERIDICAL, "test-veridical")
    return test + maker.items("composition", pairs, NON_VERIDICAL, "test-non-veridical")


def _negation_turned(maker: _Maker, pairs: int) -> tuple[list[Asked], list[Asked]]:
    """Training shows general and specific words only in plain sentences; negation turns them round in the test."""
    known = [cell for cell in _all_cells("negation") if cell[1] not in _TURNED]
    held = [cell for cell in _all_cells("negation") if cell[1] in _TURNED]
    train = maker.items("natural", maker.plain(pairs, "plain"), ("",), "train-plain")
    train += maker.items("natural", maker.under("negation", known, pairs, "known"), ("",), "train-negated")
    return train, maker.items("natural", maker.under("negation", held, pairs, "held"), ("",), "test")


def _quantifiers_turned(maker: _Maker, pairs: int) -> tuple[list[Asked], list[Asked]]:
    """Half of the quantifiers are trained with hypernyms only, the others with hyponyms; the test exchanges them."""
    names = list(QUANTIFIERS)
    general, specific = names[0::2], names[1::2]
    shared = [cell for cell in _all_cells("quantifier") if cell[1] not in _TURNED]
    known = [(name, "hypernym") for name in general] + [(name, "hyponym") for name in specific]
    held = [(name, "hyponym") for name in general] + [(name, "hypernym") for name in specific]
    train = maker.items("natural", maker.under("quantifier", shared, pairs, "shared"), ("",), "train-shared")
    train += maker.items("natural", maker.under("quantifier", known, pairs, "known"), ("",), "train-known")
    return train, maker.items("natural", maker.under("quantifier", held, pairs, "held"), ("",), "test")


def _factivity(maker: _Maker, pairs: int) -> tuple[list[Asked], list[Asked]]:
    """Negated verbs are trained on where nothing follows; the test asks about those where s still follows."""
    plain = maker.plain(2 * pairs, "plain")
    first, second = plain[:pairs], plain[pairs:]
    train = maker.items("natural", plain, ("",), "train-natural")
    train += maker.items("veridical", first, FACTIVE, "train-factive")
    train += maker.items("veridical", second, NEGATABLE, "train-other")
    train += maker.items("veridical", first, NEGATABLE, "train-negated", negated=True)
    test = maker.items("veridical", second, FACTIVE, "test-factive", negated=True)
    test += maker.items("composition", first, FACTIVE, "test-composed", negated=True)
    test += maker.items("composition", second, NEGATABLE, "test-other", negated=True)
    return train, test


OPERATORS: dict[str, Operator] = {
    "negation": Operator("inferences under negation, composed with verbs learned on plain sentences", _negation),
    "negation-nontrivial": Operator(
        "negation turns a lexical relation round that was seen only plain", _negation_turned
    ),
    "quantifiers": Operator("inferences under quantifiers -> compositions with verbs", _quantifiers),
    "quantifiers-nontrivial": Operator(
        "every quantifier and every relation seen, but not the tested pairs of them", _quantifiers_turned
    ),
    "factivity": Operator("verbs under negation: what someone does not know is still true", _factivity),
}


@lru_cache(maxsize=4)
def _splits(name: str, recipe: OperatorRecipe, seed: int) -> dict[str, list[Asked]]:
    maker = _Maker(f"seti/{name}", seed, aspect_of(recipe.tense))
    train, test = OPERATORS[name].make(maker, recipe.pairs)
    if recipe.split == "compositional":
        _check(name, train, test)
    rng = keyed_random("seti", "operator-order", name, seed)
    rng.shuffle(train)
    rng.shuffle(test)
    if recipe.split == "in-distribution":
        union = train + test
        rng.shuffle(union)
        train, test = union[: len(train)], union[len(train) :]
    cut = max(1, len(train) // 5)
    splits = {"train": train[cut:], "dev": train[:cut], "test": test}
    return {split: rows[: getattr(recipe, split)] for split, rows in splits.items()}


def _check(name: str, train: list[Asked], test: list[Asked]) -> None:
    """No tested cell may be trained on; every tested verb, operator and relation must be."""
    learned = {asked.cell() for asked in train}
    verbs = {asked.item.verb for asked in train}
    for asked in test:
        _, side, form, relation, negated = asked.cell()
        known = {
            "verb": not side or asked.item.verb in verbs,
            "operator": not form or any(cell[2] == form for cell in learned),
            "relation": not relation or any(cell[3] == relation for cell in learned),
            "negated verb": not negated or any(cell[4] for cell in learned),
        }
        lacking = [part for part, seen in known.items() if not seen]
        if lacking:
            raise UserError(f"a tested {lacking[0]} was never trained on: {asked.cell()}", where=f"seti/{name}")
        if asked.cell() in learned:
            raise UserError(f"a tested kind of inference was trained on: {asked.cell()}", where=f"seti/{name}")


def operator_rows(name: str, recipe: OperatorRecipe, seed: int, split: str) -> Iterator[Instance]:
    """The instances of one split."""
    template = Template(recipe.subjects, recipe.tense, recipe.complementizer)
    for item, negated in _splits(name, recipe, seed)[split]:
        yield make_instance(item, template, negated=negated)


def operator_sizes(name: str, recipe: OperatorRecipe) -> dict[str, int]:
    """The sizes of the splits, without making any."""
    shapes = {
        "negation": (3, 2),
        "negation-nontrivial": (2, 1),
        "quantifiers": (2, 2),
        "quantifiers-nontrivial": (2, 1),
        "factivity": (5, 3),
    }
    train, test = (share * recipe.pairs for share in shapes[name])
    cut = max(1, train // 5)
    sizes = {"train": train - cut, "dev": cut, "test": test}
    limits = {split: getattr(recipe, split) for split in sizes}
    return {split: size if limits[split] is None else min(size, limits[split]) for split, size in sizes.items()}
