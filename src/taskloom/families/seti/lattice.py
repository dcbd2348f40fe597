"""The lattice of SETI: which parts an inference is made of, and fresh items of every combination.

A part is the class of the embedding verb, its negation, a natural inference (with its relation and, under an
operator, its form), or the depth of embedding. So the parts of a composition are its primitives, as in the paper:
"veridical-verb+lexical/hypernym" lies above "veridical-verb" and above "lexical/hypernym".
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import TypeAlias

import msgspec

from taskloom.core import Cell, Instance, ItemPair, Key, KeyedRandom, Lattice, Row, Suite, Task, UserError
from taskloom.families.seti.extensions import VerbChain, chain_instance, chain_verbs, operator_plan
from taskloom.families.seti.plan import PairItem
from taskloom.families.seti.pool import LANE_FRESH, aspect_of
from taskloom.families.seti.rows import make_instance
from taskloom.families.seti.settings import (
    SETTINGS,
    BaseRecipe,
    BlockSpec,
    DepthRecipe,
    Kind,
    OperatorRecipe,
    SettingRecipe,
)
from taskloom.families.seti.verbs import ClauseVerb, RuleTable, Template, rule_table
from taskloom.sources.sentences.pairs import (
    PASSIVES,
    STRUCTURAL_CONTRASTS,
    Pair,
    PairOrder,
    PairSpace,
    lexical_space,
    pick,
    structural_space,
)
from taskloom.sources.sentences.polarity import OperatorKind, OperatorOrder
from taskloom.sources.sentences.words import Aspect

_CLASSES = {"veridical-verb": True, "non-veridical-verb": False}
_NEGATED = "negated-verb"


def open_lattice(suite: Suite) -> SetiLattice:
    """The lattice of a suite.

    Raises:
        UserError: Its sentences come from files, so there are no fresh ones.
    """
    if suite.recipe.get("source", "generated") != "generated":
        raise UserError(f"{suite.name} reads its sentences from files, so no fresh ones can be drawn")
    name = suite.name.partition("/")[2]
    setting = name.removesuffix("-id")
    if setting in SETTINGS:
        return _SettingLattice(suite, msgspec.convert(dict(suite.recipe), SettingRecipe), setting)
    if name == "productivity":
        return _DepthLattice(suite, msgspec.convert(dict(suite.recipe), DepthRecipe))
    return _OperatorLattice(suite, msgspec.convert(dict(suite.recipe), OperatorRecipe), name)


def _atoms(kind: str, veridical: bool, natural: tuple[str, str, str] | None, negated: bool, depth: int = 0) -> Cell:
    """The cell of an inference: (kind of natural inference, form, relation) where there is one."""
    atoms = []
    if kind != "natural":
        atoms.append("veridical-verb" if veridical else "non-veridical-verb")
    if negated:
        atoms.append(_NEGATED)
    if natural is not None and kind != "veridical":
        inference, form, relation = natural
        atoms.append(f"{inference}/{relation}" if form == "plain" else f"{inference}/{form}/{relation}")
    if depth:
        atoms.append(f"depth/{depth}")
    return Cell("", tuple(sorted(atoms)))


def _is_inference(atom: str) -> bool:
    return "/" in atom and not atom.startswith("depth/")


_Fresh: TypeAlias = Callable[[], Iterator[Pair]]
"""Pairs of the lane that no split uses, from the beginning each time."""


def _exhausted(suite: str, number: int) -> UserError:
    return UserError(f"{suite} has {number:,} different items of this cell, and all were drawn")


def _under(order: OperatorOrder, operator: str, relation: str) -> _Fresh:
    if (operator, relation) not in order.groups or not order.pairs(operator, relation):
        raise UserError(f"the grammar has no pair of {order.kind}/{operator}/{relation}")
    return lambda: (order.pair(operator, relation, n, LANE_FRESH) for n in range(order.pairs(operator, relation)))


def _plain(natural: str, relation: str, order: PairOrder, table: RuleTable) -> _Fresh:
    true, false = (table.plain_relations(natural, label, STRUCTURAL_CONTRASTS) for label in (True, False))
    if relation and relation not in (*true, *false):
        raise UserError(f"the grammar has no pair of {natural}/{relation}")
    entailed = not relation or relation in true  # where any pair will do, one label goes through all premises

    def drawn() -> Iterator[Pair]:
        pairs = (order.pair(number, entailed, LANE_FRESH) for number in range(order.space.pairs))
        return pairs if not relation else (pair for pair in pairs if pair.relation == relation)

    return drawn


class SetiLattice(Lattice):
    """What all suites of the family share: cells from facets, and pairs from the lane that no split uses."""

    def __init__(self, suite: Suite, recipe: BaseRecipe) -> None:
        self.suite = suite
        self.recipe = recipe
        self.task = next(iter(suite.tasks))
        self.template = Template(recipe.subjects, recipe.tense, recipe.complementizer)
        self.table = rule_table(recipe.rules, recipe.verbs)

    @property
    def _depth_counts(self) -> bool:
        return False

    def cell_of(self, task: Task, instance: Instance) -> Cell | None:
        facets = instance.facets
        if not isinstance(facets.get("kind"), str):
            return None
        natural = None
        if facets.get("natural") is not None:
            natural = (str(facets["natural"]), str(facets["form"]), str(facets["relation"]))
        depth = facets.get("depth")
        deep = depth if self._depth_counts and isinstance(depth, int) else 0
        veridical, negated = bool(facets.get("veridical")), bool(facets.get("negated"))
        return _atoms(str(facets["kind"]), veridical, natural, negated, deep)

    def bound(self, row: Row) -> Cell | None:
        """Lexical inferences with the place in the sentence where the word stands: "lexical/hypernym(object)"."""
        cell, position = self.cell_of(self.suite.tasks[row.task], row.instance), row.instance.facets.get("position")
        if cell is None or not isinstance(position, str):
            return cell
        atoms = (f"{atom}({position})" if _is_inference(atom) else atom for atom in cell.atoms)
        return Cell(cell.question, tuple(sorted(atoms)))

    def pair(self, cell: Cell, part: Cell, seed: int) -> ItemPair:
        """The same sentences with and without what the cell adds: the verb, its negation, or the natural inference."""
        loose = Cell(cell.question, tuple(sorted(atom.partition("(")[0] for atom in cell.atoms)))
        if self._depth_counts or not set(part.atoms) < set(loose.atoms):
            return super().pair(loose, part, seed)
        for whole, twin in zip(self.stream(loose, seed), self._drawn(loose, part, seed), strict=False):
            if loose == cell or self.bound(whole) == cell:
                return ItemPair(twin, whole, minimal=True)
        raise _exhausted(self.suite.name, 0)

    def _drawn(
        self, cell: Cell, asked: Cell, seed: int, depths: Sequence[int] = (), size: int | None = None
    ) -> Iterator[Row]:
        """The items of a cell, asked with all or with some of its atoms."""
        inner = [atom for atom in cell.atoms if _is_inference(atom)]
        classes = [atom for atom in cell.atoms if atom in _CLASSES]
        verb_asked = any(atom in _CLASSES for atom in asked.atoms)
        inferred = any(map(_is_inference, asked.atoms))
        kind: Kind = "natural" if not verb_asked else "composition" if inferred else "veridical"
        # Under negation only verbs that people agree on.
        side = "" if not verb_asked else classes[0].removesuffix("-verb")
        if side and _NEGATED in cell.atoms:
            side = "factive" if _CLASSES[classes[0]] else "neutral"
        keys = KeyedRandom("seti", "cell", self.suite.name, str(cell), seed)
        pairs = self._pairs(inner[0] if inner else "", cell, seed)
        return self._rows(kind, self.table.side(side), _NEGATED in asked.atoms, pairs, keys, depths, size)

    def stream(self, cell: Cell, seed: int, *, size: int | None = None) -> Iterator[Row]:
        if size is not None and size != 1 and not self._depth_counts:
            raise UserError(f"{self.suite.name} embeds under one verb, so items of size {size} do not exist")
        classes = [atom for atom in cell.atoms if atom in _CLASSES]
        inner = [atom for atom in cell.atoms if _is_inference(atom)]
        depths = [int(atom.partition("/")[2]) for atom in cell.atoms if atom.startswith("depth/")]
        if len(classes) > 1 or len(inner) > 1 or len(depths) > 1 or not (classes or inner):
            raise UserError(f"no inference is made of {cell}")
        if _NEGATED in cell.atoms and not classes:
            raise UserError(f"no inference is made of {cell}: only a verb is negated")
        return self._drawn(cell, cell, seed, depths, size)

    def _rows(
        self, kind: Kind, verbs: Sequence[ClauseVerb], negated: bool, pairs: _Fresh, keys: KeyedRandom,
        depths: Sequence[int], size: int | None,
    ) -> Iterator[Row]:  # fmt: skip
        """Every pair under one verb, then every pair under another, until all verbs had their turn."""
        number = 0
        for turn in range(len(verbs)):
            for index, pair in enumerate(pairs()):
                verb = verbs[(int(keys.at(index).random() * len(verbs)) + turn) % len(verbs)]
                instance = make_instance(PairItem(kind, verb, pair, index, negated), self.template)
                yield Row(self.task, msgspec.structs.replace(instance, id=f"fresh-{number}"))
                number += 1
        raise _exhausted(self.suite.name, number)

    def _pairs(self, atom: str, cell: Cell, seed: int) -> _Fresh:
        """Pairs of one natural inference; any plain ones where the cell asks about the verb alone."""
        aspect = getattr(self.recipe, "aspect", None) or aspect_of(self.recipe.tense)
        key = ("seti", "cell", self.suite.name, str(cell), seed)
        natural, *parts = atom.split("/") if atom else ["lexical"]
        if natural in ("negation", "quantifier") and len(parts) == 2:
            return _under(self._operators(natural, aspect, *key), *parts)
        if natural in ("lexical", "structural") and len(parts) <= 1:
            order = PairOrder(self._space(natural), aspect, *key)
            return _plain(natural, parts[0] if parts else "", order, self.table)
        raise UserError(f"the grammar has no pair of {atom}")

    def _operators(self, natural: str, aspect: Aspect, *key: Key) -> OperatorOrder:
        kind: OperatorKind = "negation" if natural == "negation" else "quantifier"
        return OperatorOrder(kind, aspect, *key, quantifiers=self.table.quantifiers)

    def _space(self, natural: str) -> PairSpace:
        if natural == "structural":
            contrasts = tuple(getattr(self.recipe, "contrasts", STRUCTURAL_CONTRASTS))
            return structural_space(contrasts, self.table.voices)
        return lexical_space(getattr(self.recipe, "passives", PASSIVES), self.table.relations)


class _SettingLattice(SetiLattice):
    """The cells of one of the seven settings, read off its definition."""

    def __init__(self, suite: Suite, recipe: SettingRecipe, setting: str) -> None:
        super().__init__(suite, recipe)
        self.setting = SETTINGS[setting]
        self._contrasts = recipe.contrasts

    def _cells_of(self, blocks: Sequence[BlockSpec]) -> frozenset[Cell]:
        found = set()
        for block in blocks:
            classes = {"both": tuple(_CLASSES), "": ("",)}.get(block.verbs, (f"{block.verbs}-verb",))
            for name in classes:
                veridical = _CLASSES.get(name, False)
                for natural in block.natural:
                    for label in block.labels:
                        found |= {
                            _atoms(block.kind, veridical, (natural, "plain", relation), False)
                            for relation in self.table.plain_relations(natural, label, self._contrasts)
                        }
        return frozenset(found)

    @cached_property
    def cells(self) -> Sequence[Cell]:
        return sorted(self._cells_of((*self.setting.train, *self.setting.test)))


class _OperatorLattice(SetiLattice):
    """The cells of a suite with operators, read off its plan at the default number of pairs."""

    def __init__(self, suite: Suite, recipe: OperatorRecipe, name: str) -> None:
        super().__init__(suite, recipe)
        plan = operator_plan(name, msgspec.structs.replace(recipe, pairs=640, train=None, dev=None, test=None), 0)
        self._shown = frozenset(_operator_cell(item) for items in plan.values() for item in items)

    @cached_property
    def cells(self) -> Sequence[Cell]:
        return sorted(self._shown)


def _operator_cell(asked: PairItem) -> Cell:
    kind, verb, pair, _, negated = asked
    return _atoms(kind, verb.follows(negated), (pair.natural, pair.form, pair.relation), negated)


class _DepthLattice(SetiLattice):
    """The cells of nested verbs: whether the chain lets its sentence through, the inference, and the depth."""

    recipe: DepthRecipe

    @property
    def _depth_counts(self) -> bool:
        return True

    def _cells_at(self, depths: Sequence[int]) -> frozenset[Cell]:
        relations = [
            (natural, relation)
            for natural in ("lexical", "structural")
            for label in (True, False)
            for relation in self.table.plain_relations(natural, label, STRUCTURAL_CONTRASTS)
        ]
        return frozenset(
            _atoms("composition", veridical, (natural, "plain", relation), False, depth)
            for depth in depths
            for veridical in _CLASSES.values()
            for natural, relation in relations
        )

    @cached_property
    def cells(self) -> Sequence[Cell]:
        return sorted(self._cells_at((*self.recipe.train_depths, *self.recipe.test_depths)))

    def _rows(
        self, kind: Kind, verbs: Sequence[ClauseVerb], negated: bool, pairs: _Fresh, keys: KeyedRandom,
        depths: Sequence[int], size: int | None,
    ) -> Iterator[Row]:  # fmt: skip
        if kind != "composition":
            raise UserError("nested verbs are asked with a natural inference below them")
        if size is not None and depths and size != depths[0]:
            raise UserError(f"the cell fixes depth {depths[0]}, not {size}")
        depth = depths[0] if depths else size
        choices = [depth] if depth else [*self.recipe.train_depths, *self.recipe.test_depths]
        return self._chains(verbs[0].veridical, pairs, keys, choices)

    def _chains(self, through: bool, pairs: _Fresh, keys: KeyedRandom, choices: list[int]) -> Iterator[Row]:
        number = 0
        for turn in range(len(self.table.veridical)):
            for index, pair in enumerate(pairs()):
                rng = keys.at(number)
                inner = int(keys.at("inner", index).random() * len(self.table.veridical)) + turn
                verbs = chain_verbs(rng, self.table, pick(rng, choices), through, inner)
                subject = int(rng.random() * len(self.recipe.subjects))
                instance = chain_instance(number, VerbChain(verbs, pair, subject), self.template)
                yield Row(self.task, instance)
                number += 1
        raise _exhausted(self.suite.name, number)
