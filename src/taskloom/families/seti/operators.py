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
from taskloom.families.seti.plan import PairItem, RowRange, SplitOrder, mixed_splits
from taskloom.families.seti.pool import DrawnPairs, aspect_of
from taskloom.families.seti.settings import OPERATORS, Kind, OperatorRecipe, OperatorSuite, PairSpec, PartSpec
from taskloom.families.seti.verbs import ClauseVerb, RuleTable, rule_table
from taskloom.sources.sentences.grammar import Aspect
from taskloom.sources.sentences.pairs import Pair, PairOrder, lexical_space
from taskloom.sources.sentences.polarity import NEGATIONS, RELATIONS, OperatorKind, OperatorOrder
from taskloom.sources.sentences.words import shuffled_list

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
        return _Pairs(lambda index: self.at(start + index), count, self.first + start)


class _Part:
    """Pairs asked in one way: each with one verb, verbs in random turn."""

    def __init__(
        self, kind: Kind, pairs: _Pairs, verbs: Sequence[ClauseVerb], salt: int, negated: bool = False
    ) -> None:
        self.kind, self.pairs, self.verbs, self.salt, self.negated = kind, pairs, verbs, salt, negated

    def item(self, number: int) -> OperatorItem:
        round_, turn = divmod(number, len(self.verbs))
        verb = self.verbs[shuffled_list(len(self.verbs), self.salt + round_ % 97)[turn]]
        return OperatorItem(PairItem(self.kind, verb, self.pairs.at(number), self.pairs.first + number), self.negated)


class _Maker:
    """Numbers the pairs of one suite and gives them verbs."""

    def __init__(self, name: str, seed: int, aspect: Aspect, verbs: RuleTable) -> None:
        self.key = (name, seed)
        self.verbs = verbs
        self.aspect = aspect
        self._first = 0
        self._pairs: dict[str, _Pairs] = {}

    def parts(self, suite: OperatorSuite, count: int) -> tuple[list[_Part], list[_Part]]:
        """What a suite trains and what it tests, with so many pairs of each sort."""
        for name, spec in suite.pairs.items():
            self._pairs[name] = self._made(spec, count)
        train, test = ([self._part(spec) for spec in specs] for specs in (suite.train, suite.test))
        return train, test

    def _part(self, spec: PartSpec) -> _Part:
        salt = int(keyed_random("seti", "verbs", *self.key, spec.purpose).random() * 1000)
        return _Part(spec.kind, self._pairs[spec.pairs], self.verbs.side(spec.verbs), salt, spec.negated)

    def _made(self, spec: PairSpec, count: int) -> _Pairs:
        if spec.premises:
            return _premises(self._pairs[spec.of], len(self.verbs.quantifiers))
        if spec.of:
            return self._pairs[spec.of].part(spec.start * count, count)
        size = spec.times * count
        at = self._plain(size) if spec.under is None else self._under(spec.under, spec, size)
        self._first += size
        return _Pairs(at, size, self._first - size)

    def _plain(self, count: int) -> Callable[[int], Pair]:
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
        return lambda index: sides[index % 2][index // 2]

    def _under(self, kind: OperatorKind, spec: PairSpec, count: int) -> Callable[[int], Pair]:
        """Pairs under operators, the cells taking turns; half of them entailed."""
        order = OperatorOrder(kind, self.aspect, "seti", *self.key, quantifiers=self.verbs.quantifiers)
        cells = _cells(NEGATIONS if kind == "negation" else tuple(self.verbs.quantifiers), spec.cells)
        most = min(order.pairs(*cell) for cell in cells) * len(cells)
        if count > most:
            raise UserError(f"the grammar has {most:,} different pairs for this suite", hint=f"-T pairs={most}")
        return lambda index: order.pair(*cells[index % len(cells)], index // len(cells), spec.lane)


def _cells(operators: tuple[str, ...], chosen: str) -> list[OperatorRelation]:
    """Operators with the lexical relations that meet them."""
    if chosen in ("known", "held"):
        first, second = _TURNED if chosen == "known" else _TURNED[::-1]
        return [(name, first) for name in operators[0::2]] + [(name, second) for name in operators[1::2]]
    return [
        (name, relation)
        for relation in RELATIONS
        for name in operators
        if chosen == "all" or (relation in _TURNED) == (chosen == "turned")
    ]


def _premises(pairs: _Pairs, operators: int) -> _Pairs:
    """Pairs with all different premises: of two relations that share theirs, only the first."""

    def at(index: int) -> Pair:
        rounds, place = divmod(index, 2 * operators)
        return pairs.at(rounds * 4 * operators + place + (operators if place >= operators else 0))

    return _Pairs(at, _premise_count(pairs.size, operators), pairs.first)


def _premise_count(pairs: int, operators: int) -> int:
    rounds, rest = divmod(pairs, 4 * operators)
    return rounds * 2 * operators + min(rest, operators) + max(0, min(rest - 2 * operators, operators))


@lru_cache(maxsize=4)
def operator_plan(
    name: str, recipe: OperatorRecipe, seed: int, table: RuleTable | None = None
) -> dict[str, SplitOrder[OperatorItem]]:
    """The instances of every split, checked against what defines the suite."""
    maker = _Maker(f"seti/{name}", seed, aspect_of(recipe.tense), table or rule_table(recipe.rules, recipe.verbs))
    trained, tested = maker.parts(OPERATORS[name], recipe.pairs)
    if recipe.split == "compositional":
        check_operators(name, _shown(trained), _shown(tested))
    cut = [(part.pairs.size, part.pairs.size // 5) for part in trained]
    parts = {
        "train": [RowRange(part, held, count - held) for part, (count, held) in zip(trained, cut, strict=True)],
        "dev": [RowRange(part, 0, held) for part, (_, held) in zip(trained, cut, strict=True)],
        "test": [RowRange(part, 0, part.pairs.size) for part in tested],
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
    suite, quantifiers = OPERATORS[name], len(rule_table(recipe.rules, recipe.verbs).quantifiers)
    counts = {
        pairs: _premise_count(recipe.pairs, quantifiers) if spec.premises else spec.times * recipe.pairs
        for pairs, spec in suite.pairs.items()
    }
    whole = [counts[part.pairs] for part in suite.train]
    held = sum(count // 5 for count in whole)
    sizes = {"train": sum(whole) - held, "dev": held, "test": sum(counts[part.pairs] for part in suite.test)}
    limits = {split: getattr(recipe, split) for split in sizes}
    return {split: size if limits[split] is None else min(size, limits[split]) for split, size in sizes.items()}
