"""Beyond the paper's settings: negation and quantifiers as further primitives (its section 7), and deeper embedding.

Three questions about operators, each with a trivial and a non-trivial split where both make sense:

* `negation`, `quantifiers`: inferences under an operator are learned by themselves, embedding is learned
  with plain sentences (negation) or by itself (quantifiers), and the two are composed in the test.
* `negation-nontrivial`, `quantifiers-nontrivial`: every operator and every lexical relation is seen in
  training, but never the pairs of them that are tested.
* `factivity`: the embedding verb itself is negated. "Someone does not know that s" still gives s.

`productivity` is "Someone hopes that Mary realizes that …", trained shallow and tested deep. A chain of verbs lets the
innermost sentence through only if every verb does, so the Boolean rule of Table 3 goes on for any number of layers.
What a speaker *presupposes* is not what is asked: verbs that work like a negation ("doubt", "wish") would leave the
presupposition of a factive verb below them standing, so they appear only as the innermost verb, where no such verb is
below. Each of its instances is a function of its number alone. Every split has a lane of the grammar, so splits share
no sentence; within a lane the pairs go round, and each round embeds a pair under another verb.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from random import Random
from typing import NamedTuple, TypeAlias

from taskloom.core import Instance, KeyedRandom, UserError, keyed_random
from taskloom.families.seti.plan import PairItem, RowRange, SplitOrder, mixed_splits
from taskloom.families.seti.pool import LANE_FRESH, DrawnPairs, aspect_of
from taskloom.families.seti.rows import item_facets, word_instance
from taskloom.families.seti.settings import (
    OPERATORS,
    DepthRecipe,
    Kind,
    OperatorRecipe,
    OperatorSuite,
    PairSpec,
    PartSpec,
)
from taskloom.families.seti.verbs import ClauseVerb, RuleTable, Template, rule_table
from taskloom.sources.sentences.pairs import Pair, PairOrder, lexical_space, pick, structural_space
from taskloom.sources.sentences.polarity import NEGATIONS, RELATIONS, OperatorKind, OperatorOrder
from taskloom.sources.sentences.words import Aspect, capitalise, shuffled_list

OperatorRelation: TypeAlias = tuple[str, str]
"""An operator and the lexical relation that meets it."""

_TURNED = ("hypernym", "hyponym")
_CHECKED_ROWS = 20_000


def operator_cell(item: PairItem) -> tuple[str, str, str, str, bool]:
    """What makes an item what it is: kind, verb class, operator, relation, negation."""
    kind, verb, pair, _, negated = item
    side = "" if kind == "natural" else "veridical" if verb.follows(negated) else "non-veridical"
    form, relation = ("", "") if kind == "veridical" else (pair.form, pair.relation)
    return kind, side, form, relation, negated


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

    def item(self, number: int) -> PairItem:
        round_, turn = divmod(number, len(self.verbs))
        verb = self.verbs[shuffled_list(len(self.verbs), self.salt + round_ % 97)[turn]]
        return PairItem(self.kind, verb, self.pairs.at(number), self.pairs.first + number, self.negated)


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
) -> dict[str, SplitOrder[PairItem]]:
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


def _shown(parts: Iterable[_Part]) -> list[PairItem]:
    """The instances of some parts; of very long ones, the first that go through all verbs, operators and relations."""
    return [part.item(number) for part in parts for number in range(min(part.pairs.size, _CHECKED_ROWS))]


def check_operators(name: str, train: Iterable[PairItem], test: Iterable[PairItem]) -> None:
    """No tested cell may be trained on; every tested verb, operator and relation must be.

    Raises:
        UserError: What is broken.
    """
    train = list(train)
    learned = {operator_cell(asked) for asked in train}
    verbs = {asked.verb for asked in train}
    for asked in test:
        _, side, form, relation, negated = operator_cell(asked)
        known = {
            "verb": not side or asked.verb in verbs,
            "operator": not form or any(cell[2] == form for cell in learned),
            "relation": not relation or any(cell[3] == relation for cell in learned),
            "negated verb": not negated or any(cell[4] for cell in learned),
        }
        lacking = [part for part, shown in known.items() if not shown]
        if lacking:
            raise UserError(
                f"a tested {lacking[0]} was never trained on: {operator_cell(asked)}",
                where=f"seti/{name}",
                hint="ask for more pairs: -T pairs=320",
            )
        if operator_cell(asked) in learned:
            raise UserError(f"a tested kind of inference was trained on: {operator_cell(asked)}", where=f"seti/{name}")


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


_FAILURES = ((True, False), (False, True), (False, False))
_DEFAULT_SIZES = {"train": 2000, "dev": 200, "test": 1000}
_LANES = {"train": 0, "dev": 1, "test": 2, "fresh": LANE_FRESH}
_WINDOW = 720
"""Instances are shuffled within windows of this size: a longer split begins with the windows of a shorter one."""

_ROUND = 12
"""Six instances with lexical pairs, then six with structural ones, of each half three that are entailed."""


class VerbChain(NamedTuple):
    """Verbs from the outermost to the innermost, the pair below them, and where the subjects begin."""

    verbs: tuple[ClauseVerb, ...]
    pair: Pair
    turn: int


def depth_sizes(recipe: DepthRecipe) -> dict[str, int]:
    """The sizes of the splits."""
    return {split: getattr(recipe, split) or size for split, size in _DEFAULT_SIZES.items()}


def chain_verbs(rng: Random, table: RuleTable, depth: int, veridical: bool, inner: int) -> tuple[ClauseVerb, ...]:
    """A chain that lets its sentence through, or one in which at least one verb does not.

    `inner` chooses the innermost verb of its class.
    """
    blocked = 0 if veridical else 1 + int(rng.random() * (2**depth - 1))  # one bit per layer, not all of them 0
    last = depth - 1
    verbs = [pick(rng, table.outer if blocked >> layer & 1 else table.veridical) for layer in range(last)]
    innermost = table.non_veridical if blocked >> last & 1 else table.veridical
    return (*verbs, innermost[inner % len(innermost)])


class DepthPlan:
    """The chains of every split, by number.

    Args:
        recipe: The recipe.
        seed: The seed of the data.
        table: The verbs; those of the recipe where none is given.

    Raises:
        UserError: A split is larger than its lane, or the test needs a verb that training lacks.
    """

    def __init__(self, recipe: DepthRecipe, seed: int, table: RuleTable | None = None) -> None:
        self.recipe = recipe
        self.table = table or rule_table(recipe.rules, recipe.verbs)
        self.sizes = depth_sizes(recipe)
        aspect = aspect_of(recipe.tense)
        lexical = lexical_space(relations=self.table.relations)
        spaces = {"lexical": lexical, "structural": structural_space(voices=self.table.voices)}
        self._orders = {name: PairOrder(space, aspect, "seti", "depth", seed) for name, space in spaces.items()}
        self._keys = {split: KeyedRandom("seti", "depth", seed, split, recipe.split) for split in _LANES}
        # A half of a round takes four entailed pairs and two others.
        self.lane_rows = min(space.pairs // 4 for space in spaces.values()) * _ROUND
        self.most = self.lane_rows * len(self.table.veridical)
        for split, size in self.sizes.items():
            if size > self.most:
                raise UserError(
                    f"the grammar has {self.most:,} different instances for one split, fewer than {size:,}",
                    where=f"seti/productivity: {split}",
                    hint=f"-T {split}={self.most}",
                )
        if recipe.split == "compositional":
            check_depth(self)

    def depths(self, split: str) -> tuple[int, ...]:
        recipe = self.recipe
        if recipe.split == "in-distribution":
            return tuple(sorted({*recipe.train_depths, *recipe.test_depths}))
        return recipe.test_depths if split == "test" else recipe.train_depths

    def place(self, split: str, index: int) -> int:
        """Where the instance at a place of the split stands before shuffling."""
        window, rest = divmod(index, _WINDOW)
        size = min(_WINDOW, self.sizes[split] - window * _WINDOW)
        return window * _WINDOW + shuffled_list(size, window % 61)[rest]

    def chain(self, split: str, number: int, depths: tuple[int, ...]) -> VerbChain:
        """The chain of a number: half of them entailed, the rest spread evenly over the three ways to fail."""
        rng = self._keys[split].at(number)
        verbs, (kind, index, entailed) = self._verbs(rng, split, number, depths)
        pair = self._orders[kind].pair(index, entailed, _LANES[split])
        return VerbChain(verbs, pair, int(rng.random() * len(self.recipe.subjects)))

    def _verbs(
        self, rng: Random, split: str, number: int, depths: tuple[int, ...]
    ) -> tuple[tuple[ClauseVerb, ...], tuple[str, int, bool]]:
        """The verbs of the chain of a number, and which pair they stand before: its kind, number and label."""
        couple, odd = divmod(number, 2)
        veridical, entailed = (True, True) if odd else _FAILURES[couple % 3]
        half, rest = divmod(couple, 3)
        kind = "structural" if half % 2 else "lexical"
        # Six instances take four entailed pairs and two others.
        before = ((0, 2, 3)[rest] if odd else 1) if entailed else rest // 2
        index = half // 2 * (4 if entailed else 2) + before
        rounds, index = divmod(index, self.lane_rows // _ROUND * (4 if entailed else 2))
        # Depths take turns in an order that changes, or they would keep step with the groups of pairs.
        rounds_, turn = divmod(couple // 6, len(depths))
        depth = depths[shuffled_list(len(depths), rounds_ % 997)[turn]]
        inner = int(self._keys[split].at("inner", kind, entailed, index).random() * len(self.table.veridical)) + rounds
        return chain_verbs(rng, self.table, depth, veridical, inner), (kind, index, entailed)

    def verbs_at(self, split: str, index: int) -> tuple[ClauseVerb, ...]:
        """The verbs of the chain at a place of a split, without its pair of sentences."""
        number = self.place(split, index)
        return self._verbs(self._keys[split].at(number), split, number, self.depths(split))[0]

    def at(self, split: str, index: int) -> VerbChain:
        return self.chain(split, self.place(split, index), self.depths(split))


@lru_cache(maxsize=4)
def depth_plan(recipe: DepthRecipe, seed: int, table: RuleTable | None = None) -> DepthPlan:
    """The checked plan of the suite."""
    return DepthPlan(recipe, seed, table)


_LOOKED_AT = 3_000


def check_depth(plan: DepthPlan) -> None:
    """The test goes deeper than training but uses no verb that training lacks.

    Raises:
        UserError: What is broken.
    """
    shared = {*plan.depths("train"), *plan.depths("dev")} & {*plan.depths("test")}
    if shared:
        raise UserError(f"depth {min(shared)} is in both training and test", where="seti/productivity")
    known = _verbs_of(plan, "train")
    unknown = [] if known == set(plan.table.both) else sorted(_verbs_of(plan, "test") - known)
    if unknown:
        raise UserError(
            f"the tested verb {unknown[0]!r} was never trained on", where="seti/productivity", hint="-T train=500"
        )


def _verbs_of(plan: DepthPlan, split: str) -> set[str]:
    """The verbs of a split: those of its first instances, or all there are where it is longer."""
    verbs: set[str] = set()
    all_verbs: set[str] = {*plan.table.both}
    for index in range(min(plan.sizes[split], _LOOKED_AT)):
        verbs.update(plan.verbs_at(split, index))
        if verbs == all_verbs:
            break
    return verbs if plan.sizes[split] <= _LOOKED_AT or split == "train" else all_verbs


def chain_instance(number: int, chain: VerbChain, template: Template) -> Instance:
    """A chain in words."""
    verbs, pair, turn = chain
    premise = template.embed(verbs[-1], pair, turn)
    for layer, verb in enumerate(reversed(verbs[:-1]), 1):
        premise = template.deepen(verb, premise, turn + layer)
    veridical = all(verb.veridical for verb in verbs)
    holds = veridical and pair.entailed
    facets = item_facets("composition", verbs[0] if len(verbs) == 1 else " ".join(verbs), veridical, pair, holds)
    facets["depth"] = len(verbs)
    id_ = f"depth{len(verbs)}-{number}"
    return word_instance(id_, capitalise(premise), capitalise(pair.hypothesis), holds, facets)
