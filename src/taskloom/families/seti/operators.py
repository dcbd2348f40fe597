"""Negation and quantifiers as further primitives (section 7 of the paper asks for them).

Three questions, each with a trivial and a non-trivial split where both make sense:

* `negation`, `quantifiers`: inferences under an operator are learned by themselves, embedding is learned
  with plain sentences (negation) or by itself (quantifiers), and the two are composed in the test.
* `negation-nontrivial`, `quantifiers-nontrivial`: every operator and every lexical relation is seen in
  training, but never the pairs of them that are tested.
* `factivity`: the embedding verb itself is negated. "Someone does not know that s" still gives s.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple, TypeAlias

from taskloom.core import UserError, keyed_random
from taskloom.families.seti.plan import PairItem, SplitOrder, Stretch, mixed_splits
from taskloom.families.seti.pool import DrawnPairs, aspect_of
from taskloom.families.seti.recipe import OperatorRecipe
from taskloom.families.seti.settings import Kind
from taskloom.families.seti.verbs import NO_VERB, ClauseVerb, RuleTable, rule_table
from taskloom.sources.sentences import (
    NEGATIONS,
    RELATIONS,
    Aspect,
    OperatorKind,
    OperatorOrder,
    Pair,
    PairOrder,
    lexical_space,
)
from taskloom.sources.sentences.order import shuffled_list

OperatorRelation: TypeAlias = tuple[str, str]
"""An operator and the lexical relation that meets it."""

_TURNED = ("hypernym", "hyponym")
_CHECKED_ROWS = 20_000


class OperatorItem(NamedTuple):
    """One instance before it is put into words; `negated` says that the embedding verb is negated."""

    item: PairItem
    negated: bool = False

    def cell(self) -> tuple[str, str, str, str, bool]:
        """What makes it what it is: kind, verb class, operator, relation, negation."""
        kind, verb, pair, _ = self.item
        side = "" if kind == "natural" else "veridical" if verb.follows(self.negated) else "non-veridical"
        return (
            kind,
            side,
            "" if kind == "veridical" else pair.form,
            "" if kind == "veridical" else pair.relation,
            self.negated,
        )


class _Pairs(NamedTuple):
    """Pairs by number, as many as `size`; `first` is the number that their instances count from."""

    at: Callable[[int], Pair]
    size: int
    first: int

    def part(self, start: int, count: int) -> _Pairs:
        """Some of them."""
        return _Pairs(lambda index: self.at(start + index), count, self.first + start)


class _Part:
    """Pairs asked in one way: each with one verb, verbs in random turn."""

    def __init__(
        self, kind: Kind, pairs: _Pairs, verbs: Sequence[ClauseVerb], salt: int, negated: bool = False
    ) -> None:
        self.kind, self.pairs, self.verbs, self.salt, self.negated = kind, pairs, verbs, salt, negated

    def item(self, number: int) -> OperatorItem:
        """The instance of a number."""
        round_, turn = divmod(number, len(self.verbs))
        verb = self.verbs[shuffled_list(len(self.verbs), self.salt + round_ % 97)[turn]]
        return OperatorItem(PairItem(self.kind, verb, self.pairs.at(number), self.pairs.first + number), self.negated)


_Parts: TypeAlias = tuple[list[_Part], list[_Part]]
"""What is trained and what is tested."""


class OperatorSuite(NamedTuple):
    """One suite.

    Attributes:
        title: One line for lists.
        make: Makes what is trained and what is tested.
        shares: How many instances of training and test there are for each pair of the recipe.
    """

    title: str
    make: Callable[[_Maker, int], _Parts]
    shares: tuple[int, int]


class _Maker:
    """Numbers the pairs of one suite and gives them verbs."""

    def __init__(self, name: str, seed: int, aspect: Aspect, verbs: RuleTable) -> None:
        self.key = (name, seed)
        self.verbs = verbs
        self.aspect = aspect
        self._first = 0

    def _numbered(self, at: Callable[[int], Pair], count: int) -> _Pairs:
        pairs = _Pairs(at, count, self._first)
        self._first += count
        return pairs

    def plain(self, count: int) -> _Pairs:
        """Lexical pairs without an operator, labels taking turns."""
        order = PairOrder(lexical_space(relations=self.verbs.relations), self.aspect, "seti", *self.key)
        half = -(-count // 2)
        if 2 * half > order.space.pairs:
            raise UserError(
                f"the grammar has {order.space.pairs:,} plain sentence pairs with different premises for this suite",
                hint=f"-T pairs={order.space.pairs // 2}",
            )
        # The labels have premises of their own: here a premise is also asked about by itself.
        sides = [DrawnPairs(order, label, 0, half, start) for start, label in ((0, True), (half, False))]
        return self._numbered(lambda index: sides[index % 2][index // 2], count)

    def under(self, kind: OperatorKind, cells: Sequence[OperatorRelation], count: int, lane: int = 0) -> _Pairs:
        """Pairs under operators, the cells taking turns; half of them entailed."""
        order = OperatorOrder(kind, self.aspect, "seti", *self.key, quantifiers=self.verbs.quantifiers)
        most = min(order.pairs(*cell) for cell in cells) * len(cells)
        if count > most:
            raise UserError(f"the grammar has {most:,} different pairs for this suite", hint=f"-T pairs={most}")
        return self._numbered(lambda index: order.pair(*cells[index % len(cells)], index // len(cells), lane), count)

    def part(
        self, kind: Kind, pairs: _Pairs, verbs: Sequence[ClauseVerb], purpose: str, negated: bool = False
    ) -> _Part:
        """The pairs as instances of a kind."""
        salt = int(keyed_random("seti", "verbs", *self.key, purpose).random() * 1000)
        return _Part(kind, pairs, verbs, salt, negated)


def _all_cells(maker: _Maker, kind: OperatorKind) -> list[OperatorRelation]:
    operators = NEGATIONS if kind == "negation" else tuple(maker.verbs.quantifiers)
    return [(operator, relation) for relation in RELATIONS for operator in operators]


def _negation(maker: _Maker, pairs: int) -> _Parts:
    under = maker.under("negation", _all_cells(maker, "negation"), pairs)
    plain = maker.plain(pairs)
    train = [
        maker.part("natural", under, (NO_VERB,), "train-natural"),
        maker.part("composition", plain, maker.verbs.veridical, "train-veridical"),
        maker.part("composition", plain, maker.verbs.non_veridical, "train-non-veridical"),
    ]
    return train, _both_classes(maker, under)


def _quantifiers(maker: _Maker, pairs: int) -> _Parts:
    under = maker.under("quantifier", _all_cells(maker, "quantifier"), pairs)
    alone = _premises(under, len(maker.verbs.quantifiers))
    train = [
        maker.part("natural", under, (NO_VERB,), "train-natural"),
        maker.part("veridical", alone, maker.verbs.veridical, "train-veridical"),
        maker.part("veridical", alone, maker.verbs.non_veridical, "train-non-veridical"),
    ]
    return train, _both_classes(maker, under)


def _premises(pairs: _Pairs, operators: int) -> _Pairs:
    """Pairs with all different premises: of two relations that share theirs, only the first."""

    def at(index: int) -> Pair:
        rounds, place = divmod(index, 2 * operators)
        return pairs.at(rounds * 4 * operators + place + (operators if place >= operators else 0))

    return _Pairs(at, _premise_count(pairs.size, operators), pairs.first)


def _premise_count(pairs: int, operators: int) -> int:
    rounds, rest = divmod(pairs, 4 * operators)
    return rounds * 2 * operators + min(rest, operators) + max(0, min(rest - 2 * operators, operators))


def _both_classes(maker: _Maker, pairs: _Pairs) -> list[_Part]:
    return [
        maker.part("composition", pairs, maker.verbs.veridical, "test-veridical"),
        maker.part("composition", pairs, maker.verbs.non_veridical, "test-non-veridical"),
    ]


def _negation_turned(maker: _Maker, pairs: int) -> _Parts:
    """Training shows general and specific words only in plain sentences; negation turns them round in the test."""
    known = [cell for cell in _all_cells(maker, "negation") if cell[1] not in _TURNED]
    held = [cell for cell in _all_cells(maker, "negation") if cell[1] in _TURNED]
    train = [
        maker.part("natural", maker.plain(pairs), (NO_VERB,), "train-plain"),
        maker.part("natural", maker.under("negation", known, pairs), (NO_VERB,), "train-negated"),
    ]
    return train, [maker.part("natural", maker.under("negation", held, pairs), (NO_VERB,), "test")]


def _quantifiers_turned(maker: _Maker, pairs: int) -> _Parts:
    """Half of the quantifiers are trained with hypernyms only, the others with hyponyms; the test exchanges them."""
    names = list(maker.verbs.quantifiers)
    general, specific = names[0::2], names[1::2]
    shared = [cell for cell in _all_cells(maker, "quantifier") if cell[1] not in _TURNED]
    known = [(name, "hypernym") for name in general] + [(name, "hyponym") for name in specific]
    held = [(name, "hyponym") for name in general] + [(name, "hypernym") for name in specific]
    train = [
        maker.part("natural", maker.under("quantifier", shared, pairs), (NO_VERB,), "train-shared"),
        maker.part("natural", maker.under("quantifier", known, pairs), (NO_VERB,), "train-known"),
    ]
    # A premise that was trained with one relation would be asked with the opposite label here: other sentences.
    return train, [maker.part("natural", maker.under("quantifier", held, pairs, lane=1), (NO_VERB,), "test")]


def _factivity(maker: _Maker, pairs: int) -> _Parts:
    """Negated verbs are trained on where nothing follows; the test asks about those where s still follows."""
    plain = maker.plain(2 * pairs)
    first, second = plain.part(0, pairs), plain.part(pairs, pairs)
    train = [
        maker.part("natural", plain, (NO_VERB,), "train-natural"),
        maker.part("veridical", first, maker.verbs.factive, "train-factive"),
        maker.part("veridical", second, maker.verbs.neutral, "train-other"),
        maker.part("veridical", first, maker.verbs.neutral, "train-negated", negated=True),
    ]
    test = [
        maker.part("veridical", second, maker.verbs.factive, "test-factive", negated=True),
        maker.part("composition", first, maker.verbs.factive, "test-composed", negated=True),
        maker.part("composition", second, maker.verbs.neutral, "test-other", negated=True),
    ]
    return train, test


OPERATORS: dict[str, OperatorSuite] = {
    "negation": OperatorSuite(
        "inferences under negation, composed with verbs learned on plain sentences", _negation, (3, 2)
    ),
    "negation-nontrivial": OperatorSuite(
        "negation turns a lexical relation round that was seen only plain", _negation_turned, (2, 1)
    ),
    "quantifiers": OperatorSuite("inferences under quantifiers -> compositions with verbs", _quantifiers, (2, 2)),
    "quantifiers-nontrivial": OperatorSuite(
        "every quantifier and every relation seen, but not the tested pairs of them", _quantifiers_turned, (2, 1)
    ),
    "factivity": OperatorSuite("verbs under negation: what someone does not know is still true", _factivity, (5, 3)),
}


@lru_cache(maxsize=4)
def operator_plan(
    name: str, recipe: OperatorRecipe, seed: int, table: RuleTable | None = None
) -> dict[str, SplitOrder[OperatorItem]]:
    """The instances of every split, checked against what defines the suite."""
    maker = _Maker(f"seti/{name}", seed, aspect_of(recipe.tense), table or rule_table(recipe.rules, recipe.verbs))
    trained, tested = OPERATORS[name].make(maker, recipe.pairs)
    if recipe.split == "compositional":
        check_operators(name, _shown(trained), _shown(tested))
    cut = [(part.pairs.size, part.pairs.size // 5) for part in trained]
    parts = {
        "train": [Stretch(part, held, count - held) for part, (count, held) in zip(trained, cut, strict=True)],
        "dev": [Stretch(part, 0, held) for part, (_, held) in zip(trained, cut, strict=True)],
        "test": [Stretch(part, 0, part.pairs.size) for part in tested],
    }
    if recipe.split == "in-distribution":
        splits = mixed_splits(parts, name, seed)
    else:
        splits = {split: SplitOrder(own, None, name, seed, split) for split, own in parts.items()}
    limits = {split: getattr(recipe, split) for split in splits}
    return {split: order.first(limits[split]) for split, order in splits.items()}


def _shown(parts: Iterable[_Part]) -> list[OperatorItem]:
    """The instances of some parts; of very long ones, the first that go through all verbs, operators and relations."""
    return [part.item(number) for part in parts for number in range(min(part.pairs.size, _CHECKED_ROWS))]


def check_operators(name: str, train: Iterable[OperatorItem], test: Iterable[OperatorItem]) -> None:
    """No tested cell may be trained on; every tested verb, operator and relation must be.

    Raises:
        UserError: What is broken.
    """
    train = list(train)
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
        lacking = [part for part, shown in known.items() if not shown]
        if lacking:
            raise UserError(
                f"a tested {lacking[0]} was never trained on: {asked.cell()}",
                where=f"seti/{name}",
                hint="ask for more pairs: -T pairs=320",
            )
        if asked.cell() in learned:
            raise UserError(f"a tested kind of inference was trained on: {asked.cell()}", where=f"seti/{name}")


def operator_sizes(name: str, recipe: OperatorRecipe) -> dict[str, int]:
    """The sizes of the splits, without making any."""
    operator = OPERATORS[name]
    whole = [recipe.pairs] * operator.shares[0]
    if name == "quantifiers":
        alone = _premise_count(recipe.pairs, len(rule_table(recipe.rules, recipe.verbs).quantifiers))
        whole = [recipe.pairs, alone, alone]
    elif name == "factivity":
        whole = [2 * recipe.pairs, *[recipe.pairs] * 3]
    held = sum(count // 5 for count in whole)
    sizes = {"train": sum(whole) - held, "dev": held, "test": operator.shares[1] * recipe.pairs}
    limits = {split: getattr(recipe, split) for split in sizes}
    return {split: size if limits[split] is None else min(size, limits[split]) for split, size in sizes.items()}
