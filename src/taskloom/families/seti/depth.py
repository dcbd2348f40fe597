"""Deeper embedding: "Someone hopes that Mary realizes that …", trained shallow and tested deep.

A chain of verbs lets the innermost sentence through only if every verb does, so the Boolean rule of
Table 3 goes on for any number of layers. What a speaker *presupposes* is not what is asked: verbs that
work like a negation ("doubt", "wish") would leave the presupposition of a factive verb below them
standing, so they appear only as the innermost verb, where no such verb is below.

An instance is a function of its number alone. Every split has a lane of the grammar, so splits share no sentence;
within a lane the pairs go round, and each round embeds a pair under another verb.
"""

from __future__ import annotations

from functools import lru_cache
from random import Random
from typing import NamedTuple

from taskloom.core import Instance, KeyedRandom, UserError
from taskloom.families.seti.pool import LANE_FRESH, aspect_of
from taskloom.families.seti.rows import item_facets, word_instance
from taskloom.families.seti.settings import DepthRecipe
from taskloom.families.seti.verbs import ClauseVerb, RuleTable, Template, rule_table
from taskloom.sources.sentences.grammar import capitalise
from taskloom.sources.sentences.pairs import Pair, PairOrder, lexical_space, pick, structural_space
from taskloom.sources.sentences.words import shuffled_list

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
