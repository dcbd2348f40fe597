"""The natural sentence pairs a setting is built from: generated in any number, or taken from SICK."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import NamedTuple, TypeAlias

from taskloom.core import KeyedRandom, UserError, keyed_random
from taskloom.families.seti.recipe import SettingRecipe
from taskloom.families.seti.settings import Setting
from taskloom.families.seti.verbs import Tense
from taskloom.sources.sentences import Aspect, Pair, extract_pairs, lexical_pair, read_sick, structural_pair

__all__ = ["Pool", "Supply", "aspect_of", "demand", "distinct_pair", "draw_pool"]

Supply: TypeAlias = dict[tuple[str, bool], list[Pair]]
"""Pairs by kind of natural inference and label."""

_ATTEMPTS = 500


class Pool(NamedTuple):
    """Pairs for training, for testing (the same ones unless contexts must differ) and for few-shot doses."""

    train: Supply
    test: Supply
    few: Supply


def aspect_of(tense: Tense) -> Aspect:
    """The aspect of embedded sentences: a verb in the past takes them along."""
    return "past-progressive" if tense in ("past", "past-perfect") else "progressive"


def demand(setting: Setting, recipe: SettingRecipe) -> dict[tuple[str, bool], int]:
    """How many pairs of each kind and label a setting asks for in training (half of them where contexts differ)."""
    default = setting.paper if recipe.size == "paper" else setting.small
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
    """How many pairs of each kind and label the doses need, so that none is shown twice.

    A dose goes through all tested kinds of composition before it repeats one; two verb classes that are
    tested with the same pairs take turns.
    """
    classes = 2 if any(block.verbs == "both" for block in setting.test) else 1
    cells = classes * sum(len(block.natural) * len(block.labels) for block in setting.test)
    return classes * -(-few // cells)


def draw_pool(setting: Setting, recipe: SettingRecipe, seed: int, name: str) -> Pool:
    """The pairs of a setting; the same for the same recipe, seed and name."""
    if recipe.source == "sick":
        return _sick_pool(setting, recipe, seed, name)
    return _Generator(setting, recipe, seed, name).pool()


def distinct_pair(rng: Random, make: Callable[[Random], Pair], seen: set[str], avoid: set[str]) -> Pair:
    """The first draw whose premise is new and whose sentences are not to be avoided; its premise becomes seen."""
    for _ in range(_ATTEMPTS):
        pair = make(rng)
        if pair.premise not in seen and pair.premise not in avoid and pair.hypothesis not in avoid:
            seen.add(pair.premise)
            return pair
    raise UserError(
        f"the grammar gives no new sentence pair after {len(seen):,} different ones",
        hint="ask for fewer pairs, or allow more contrasts and positions",
    )


class _Generator:
    """Draws pairs that never share a premise."""

    def __init__(self, setting: Setting, recipe: SettingRecipe, seed: int, name: str) -> None:
        self.setting, self.recipe = setting, recipe
        self.key = (name, seed)
        self.aspect = recipe.aspect or aspect_of(recipe.tense)
        self.seen: set[str] = set()
        self.avoid: set[str] = set()

    def pool(self) -> Pool:
        counts = demand(self.setting, self.recipe)
        train = {cell: self._draw("train", cell, count) for cell, count in counts.items()}
        test = train
        if self.setting.contexts == "other":
            self.avoid = {text for pairs in train.values() for p in pairs for text in (p.premise, p.hypothesis)}
            test = {cell: self._again("test", cell, train[cell], len(train[cell])) for cell in counts}
        few: Supply = {}
        if self.recipe.few:
            share = few_share(self.setting, self.recipe.few)
            for cell in counts:
                if self.setting.contexts == "other":
                    few[cell] = self._again("few", cell, train[cell], share)
                else:
                    few[cell] = self._draw("few", cell, share)
        return Pool(train, test, few)

    def _draw(self, purpose: str, cell: tuple[str, bool], count: int) -> list[Pair]:
        natural, label = cell
        aspect, contrasts, passives = self.aspect, self.recipe.contrasts, self.recipe.passives
        keys = KeyedRandom("seti", "pairs", *self.key, purpose, natural, label)

        def make(rng: Random) -> Pair:
            if natural == "lexical":
                return lexical_pair(rng, label, aspect, passives=passives)
            return structural_pair(rng, label, aspect, contrasts)

        return [distinct_pair(keys.at(index), make, self.seen, self.avoid) for index in range(count)]

    def _again(self, purpose: str, cell: tuple[str, bool], models: list[Pair], count: int) -> list[Pair]:
        """As many pairs as asked that follow the rules of the given ones in other sentences."""
        keys = KeyedRandom("seti", "pairs", *self.key, purpose, *cell)

        def maker(model: Pair) -> Callable[[Random], Pair]:
            rule = (model.position, model.rule)
            return lambda rng: lexical_pair(rng, cell[1], self.aspect, rule, self.recipe.passives)

        return [
            distinct_pair(keys.at(index), maker(models[index % len(models)]), self.seen, self.avoid)
            for index in range(count)
        ]


# ----------------------------------------------------------------------------------------- SICK


def _sick_pool(setting: Setting, recipe: SettingRecipe, seed: int, name: str) -> Pool:
    counts = demand(setting, recipe)
    supply: Supply = {cell: [] for cell in counts}
    for pair in extract_pairs(read_sick(recipe.path), recipe.span):
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
    few: Supply = {}
    if recipe.few:
        # What is set aside for doses must leave both what is trained on and what is tested.
        share = few_share(setting, recipe.few)
        few = {cell: pairs[:share] for cell, pairs in test.items()}
        test = {cell: pairs[share:] for cell, pairs in test.items()}
    test = _balanced(test, counts)
    return Pool(train if setting.contexts == "other" else test, test, few)


def _with_rules_of(known: list[Pair], pairs: list[Pair]) -> list[Pair]:
    rules = {pair.rule for pair in known}
    return [pair for pair in pairs if pair.rule in rules]


def _balanced(supply: Supply, counts: dict[tuple[str, bool], int]) -> Supply:
    """At most the counts asked for, and as many entailed pairs as others of the same kind."""
    kept: Supply = {}
    for (natural, label), pairs in supply.items():
        least = min(len(other) for (kind, _), other in supply.items() if kind == natural)
        if not least:
            raise UserError(
                f"SICK leaves no {natural} pairs of one label for this setting",
                hint="ask for a smaller dose or for more pairs: -T few=0 -T size=paper",
            )
        kept[natural, label] = pairs[: min(counts[natural, label], least)]
    return kept


def _by_context(supply: Supply) -> tuple[Supply, Supply]:
    """Divide pairs so that both sides know the same rules but share no sentence.

    Greedy and in a fixed order: a pair goes to the side that has fewer pairs of its rule, unless one of
    its sentences already stands on the other side. Afterwards the test side keeps only known rules.
    """
    sides: tuple[Supply, Supply] = ({cell: [] for cell in supply}, {cell: [] for cell in supply})
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
