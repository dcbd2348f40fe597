"""The natural sentence pairs a setting is built from: generated in any number, or taken from SICK."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple, TypeAlias, overload

from taskloom.core import UserError, keyed_random
from taskloom.core.errors import QuarantineWarning
from taskloom.families.seti.settings import Setting, SettingRecipe
from taskloom.families.seti.verbs import Tense, rule_table
from taskloom.sources.sentences.pairs import Pair, PairOrder, PairSpace, lexical_space, structural_space
from taskloom.sources.sentences.sick import SickRow, contradictions, extract_pairs, read_sick
from taskloom.sources.sentences.words import Aspect

Supply: TypeAlias = dict[tuple[str, bool], Sequence[Pair]]
"""Pairs by kind of natural inference and label."""

# Lanes of the grammar share no sentence. Streams of cells have one of their own, so they meet no split of any seed.
_LANE_TRAIN, _LANE_TEST, _LANE_FEW, LANE_FRESH = range(4)

_KEPT = 65_536


class Pool(NamedTuple):
    """Pairs for training, for testing (the same ones unless contexts must differ) and for few-shot doses."""

    train: Supply
    test: Supply
    few: Supply


class DrawnPairs(Sequence[Pair]):
    """Generated pairs of one kind and label, each made when it is asked for and then kept.

    Args:
        order: The order of the pairs.
        entailed: The label.
        lane: The lane of the grammar.
        count: How many there are.
        start: The number of the first one.
    """

    def __init__(self, order: PairOrder, entailed: bool, lane: int, count: int, start: int = 0) -> None:
        self._order, self._entailed, self._lane = order, entailed, lane
        self._count, self._start = count, start
        self._kept: dict[int, Pair] = {}

    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, index: int) -> Pair: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Pair]: ...
    def __getitem__(self, index: int | slice) -> Pair | Sequence[Pair]:
        if isinstance(index, slice):
            return [self[place] for place in range(*index.indices(self._count))]
        if not 0 <= index < self._count:
            raise IndexError(index)
        pair = self._kept.get(index)
        if pair is None:
            pair = self._order.pair(self._start + index, self._entailed, self._lane)
            if len(self._kept) < _KEPT:
                self._kept[index] = pair
        return pair


def aspect_of(tense: Tense) -> Aspect:
    """The aspect of embedded sentences: a verb in the past takes them along."""
    return "past-progressive" if tense in ("past", "past-perfect") else "progressive"


def demand(setting: Setting, recipe: SettingRecipe) -> dict[tuple[str, bool], int]:
    """How many pairs of each kind and label a setting asks for in training (half of them where contexts differ)."""
    paper = setting.corpus if recipe.source == "sick" and setting.corpus else setting.paper
    default = paper if recipe.size == "paper" else setting.small
    wanted = {
        "lexical": default[0] if recipe.lexical is None else recipe.lexical,
        "structural": default[1] if recipe.structural is None else recipe.structural,
    }
    needs: dict[str, dict[bool, None]] = {}
    for block in (*setting.train, *setting.test):
        for natural in block.natural:
            needs.setdefault(natural, {}).update(dict.fromkeys(block.labels))
    counts = {}
    for natural, labels in needs.items():
        total = wanted[natural] // 2 if setting.contexts == "other" else wanted[natural]
        share, rest = divmod(total, len(labels))
        for label in sorted(labels, reverse=True):
            counts[natural, label] = share + (rest if label else 0)
    return counts


def few_share(setting: Setting, few: int) -> int:
    """How many pairs of each kind and label the doses want, so that none comes up with two verbs.

    A dose goes through all tested kinds of composition before it repeats one; two verb classes that are
    tested with the same pairs take turns.
    """
    classes = 2 if any(block.verbs == "both" for block in setting.test) else 1
    cells = classes * sum(len(block.natural) * len(block.labels) for block in setting.test)
    return classes * -(-few // cells)


def pair_orders(recipe: SettingRecipe, kinds: Iterable[str], *key: str | int) -> dict[str, PairOrder]:
    """The generated pairs of a recipe by kind, in the order that a key decides. Each kind takes time to work out."""
    aspect = recipe.aspect or aspect_of(recipe.tense)
    table = rule_table(recipe.rules, recipe.verbs)
    spaces: dict[str, Callable[[], PairSpace]] = {
        "lexical": lambda: lexical_space(recipe.passives, table.relations),
        "structural": lambda: structural_space(tuple(recipe.contrasts), table.voices),
    }
    return {kind: PairOrder(spaces[kind](), aspect, "seti", *key) for kind in sorted(set(kinds))}


def draw_pool(setting: Setting, recipe: SettingRecipe, seed: int, name: str) -> Pool:
    """The pairs of a setting; the same for the same recipe, seed and name.

    Raises:
        UserError: More pairs are asked for than there are.
    """
    if recipe.source == "sick":
        return _sick_pool(setting, recipe, seed, name)
    counts = demand(setting, recipe)
    orders = pair_orders(recipe, (natural for natural, _ in counts), name, seed)
    other = setting.contexts == "other"
    pool = Pool({}, {}, {})
    for (natural, label), count in counts.items():
        order = orders[natural]
        # Where contexts differ the doses follow the rules of training, elsewhere they have rules of their own.
        share = few_share(setting, recipe.few)
        start, share = (0, min(share, count)) if other else (count, share)
        if max(count, start + share) > order.space.pairs:
            labels = len({entry for kind, entry in counts if kind == natural})
            most = (order.space.pairs - (0 if other else share)) * labels * (2 if other else 1)
            raise UserError(
                f"the grammar has {order.space.pairs:,} different {natural} pairs of each label for one split",
                where=f"{name}: {natural}",
                hint=f"-T {natural}={most} is the most",
            )
        pool.train[natural, label] = DrawnPairs(order, label, _LANE_TRAIN, count)
        pool.test[natural, label] = DrawnPairs(order, label, _LANE_TEST, count) if other else pool.train[natural, label]
        pool.few[natural, label] = DrawnPairs(order, label, _LANE_FEW, share, start)
    return pool


# ----------------------------------------------------------------------------------------- SICK


def _sick_pool(setting: Setting, recipe: SettingRecipe, seed: int, name: str) -> Pool:
    counts = demand(setting, recipe)
    supply: dict[tuple[str, bool], list[Pair]] = {cell: [] for cell in counts}
    rows = read_sick(recipe.path)
    _prove(rows, recipe, name)
    for pair in extract_pairs(rows, recipe.span, strict=recipe.strict_voice):
        if (pair.natural, pair.entailed) in supply:
            supply[pair.natural, pair.entailed].append(pair)
    for cell, pairs in supply.items():
        keyed_random("seti", "sick", name, seed, *cell).shuffle(pairs)
    if setting.contexts == "other":
        train, others = _by_context(supply)
        train = _balanced(train, counts)
        test = {cell: _with_rules_of(train[cell], pairs) for cell, pairs in others.items()}
    else:
        train = test = supply
    few: dict[tuple[str, bool], list[Pair]] = {}
    if recipe.few:
        # What is set aside for doses must leave both what is trained on and what is tested.
        share = few_share(setting, recipe.few)
        few = {cell: pairs[:share] for cell, pairs in test.items()}
        test = {cell: pairs[share:] for cell, pairs in test.items()}
    test = _balanced(test, counts)
    return Pool(dict(train if setting.contexts == "other" else test), dict(test), dict(few))


def _prove(rows: list[SickRow], recipe: SettingRecipe, name: str) -> None:
    """Refuse or set aside rows that contradict each other; rows that merely repeat count once."""
    found = contradictions(rows)
    if not found:
        return
    first, second = found[0]
    what = f"pairs {first.id} and {second.id} are the same sentences with contradicting judgments"
    if recipe.faults == "refuse":
        raise UserError(what, where=recipe.path, hint="correct the file, or leave such rows out: -T faults=quarantine")
    gone = {row.id for rows_ in found for row in rows_}
    rows[:] = [row for row in rows if row.id not in gone]
    warnings.warn(f"{name}: {len(gone)} rows left out; the first: {what}", QuarantineWarning, stacklevel=2)


_Lists: TypeAlias = dict[tuple[str, bool], list[Pair]]


def _with_rules_of(known: list[Pair], pairs: list[Pair]) -> list[Pair]:
    rules = {pair.rule for pair in known}
    return [pair for pair in pairs if pair.rule in rules]


def _balanced(supply: _Lists, counts: dict[tuple[str, bool], int]) -> _Lists:
    """At most the counts asked for, and as many entailed pairs as others of the same kind."""
    kept: _Lists = {}
    for (natural, label), pairs in supply.items():
        least = min(len(other) for (kind, _), other in supply.items() if kind == natural)
        if not least:
            raise UserError(
                f"SICK leaves no {natural} pairs of one label for this setting",
                hint="ask for a smaller dose or for more pairs: -T few=0 -T size=paper",
            )
        kept[natural, label] = pairs[: min(counts[natural, label], least)]
    return kept


def _by_context(supply: _Lists) -> tuple[_Lists, _Lists]:
    """Divide pairs so that both sides know the same rules but share no sentence.

    Greedy and in a fixed order: a pair goes to the side that has fewer pairs of its rule, unless one of
    its sentences already stands on the other side. Afterwards the test side keeps only known rules.
    """
    sides: tuple[_Lists, _Lists] = ({cell: [] for cell in supply}, {cell: [] for cell in supply})
    texts: tuple[set[str], set[str]] = (set(), set())
    for cell, pairs in supply.items():
        tally: dict[str, list[int]] = {}
        for pair in sorted(pairs, key=lambda pair: pair.rule):
            count = tally.setdefault(pair.rule, [0, 0])
            for side in (0, 1) if count[0] <= count[1] else (1, 0):
                if not {pair.premise, pair.hypothesis} & texts[1 - side]:
                    texts[side].update((pair.premise, pair.hypothesis))
                    sides[side][cell].append(pair)
                    count[side] += 1
                    break
        both = {rule for rule, count in tally.items() if all(count)}
        for supplied in sides:
            supplied[cell] = [pair for pair in supplied[cell] if pair.rule in both]
    return sides
