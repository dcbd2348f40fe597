"""From sentence pairs to splits: which verb meets which pair, in which split.

A plan holds numbers, not texts: a block is a set of verbs times a list of pairs, an instance is one
number, and its text is made when the row is drawn.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Sequence
from typing import NamedTuple

from taskloom.core import keyed_random
from taskloom.families.seti.pool import Pool, Supply, demand
from taskloom.families.seti.recipe import SettingRecipe
from taskloom.families.seti.settings import BlockSpec, Kind, Setting
from taskloom.families.seti.verbs import NON_VERIDICAL, VERIDICAL, is_veridical
from taskloom.sources.sentences import Pair

__all__ = ["Block", "Item", "Plan", "make_plan", "plan_sizes", "verbs_of"]

TRAIN_SHARE = 0.8


class Block(NamedTuple):
    """Verbs times pairs. Blocks of natural inference have one nameless verb."""

    kind: Kind
    verbs: tuple[str, ...]
    pairs: list[Pair]

    def size(self) -> int:
        """How many instances the block holds."""
        return len(self.verbs) * len(self.pairs)


class Item(NamedTuple):
    """One instance before it is put into words. `number` is the place of the pair in its block."""

    kind: Kind
    verb: str
    pair: Pair
    number: int


class Plan:
    """Blocks and, for each split, the numbers of its instances."""

    def __init__(self, blocks: Sequence[Block], splits: dict[str, array[int]]) -> None:
        self.blocks = tuple(blocks)
        self.splits = splits
        self.starts = _starts(blocks)

    def item(self, number: int) -> Item:
        """The instance of a number."""
        index = bisect_right(self.starts, number) - 1
        block = self.blocks[index]
        verb, place = divmod(number - self.starts[index], len(block.pairs))
        return Item(block.kind, block.verbs[verb], block.pairs[place], place)


def _starts(blocks: Sequence[Block]) -> list[int]:
    starts, total = [], 0
    for block in blocks:
        starts.append(total)
        total += block.size()
    return starts


def verbs_of(name: str) -> tuple[str, ...]:
    """The verbs a block specification names."""
    return {
        "": ("",),
        "veridical": VERIDICAL,
        "non-veridical": NON_VERIDICAL,
        "both": (*VERIDICAL, *NON_VERIDICAL),
    }[name]


def _block(spec: BlockSpec, supply: Supply) -> Block:
    pairs = [pair for natural in spec.natural for label in spec.labels for pair in supply[natural, label]]
    if spec.kind == "veridical":  # the hypothesis is the premise's own sentence, so a sentence counts once
        pairs = list({pair.premise: pair for pair in pairs}.values())
    return Block(spec.kind, verbs_of(spec.verbs), pairs)


def _alternating(block: Block, *key: str | int) -> list[int]:
    """The places of the pairs in random order with labels taking turns, so that any beginning is balanced."""
    sides: tuple[list[int], list[int]] = ([], [])
    for place, pair in enumerate(block.pairs):
        sides[pair.entailed].append(place)
    rng = keyed_random("seti", "order", *key)
    for side in sides:
        rng.shuffle(side)
    first, second = sides if rng.random() < 0.5 else sides[::-1]
    turns = min(len(first), len(second))
    mixed = [place for turn in zip(first[:turns], second[:turns], strict=True) for place in turn]
    return mixed + first[turns:] + second[turns:]


def _deal(block: Block, count: int, *key: str | int) -> array[int]:
    """`count` instances of a block: verbs take turns, and each goes through the pairs from a place of its own."""
    order = _alternating(block, *key)
    verbs, pairs = len(block.verbs), len(block.pairs)
    first = [verb * pairs // verbs for verb in range(verbs)]
    seats = list(range(verbs))  # in random order, so that a cut within a round favours no class of verbs
    keyed_random("seti", "seats", *key).shuffle(seats)
    dealt = array("Q")
    for number in range(count):
        turn, seat = divmod(number, verbs)
        verb = seats[seat]
        dealt.append(verb * pairs + order[(turn + first[verb]) % pairs])
    return dealt


def _train_counts(shapes: Sequence[tuple[int, int]]) -> list[int]:
    """How many instances each training block gives; shapes are (verbs, pairs).

    The larger type is cut down to the smaller one, the same number for every verb (Appendix B), but
    never below two per verb: every verb must be trained on.
    """
    least = min(verbs * pairs for verbs, pairs in shapes)
    return [min(verbs * pairs, verbs * max(2, least // verbs)) if verbs > 1 else pairs for verbs, pairs in shapes]


def _shares(sizes: Sequence[int], limit: int | None) -> list[int]:
    """How many instances each block gives under an upper limit on the whole."""
    total = sum(sizes)
    if limit is None or limit >= total:
        return list(sizes)
    shares = [size * limit // total for size in sizes]
    shares[-1] += limit - sum(shares)
    return shares


def plan_sizes(setting: Setting, recipe: SettingRecipe) -> dict[str, int | None]:
    """The sizes of the splits of generated data, without making any.

    Cutting training down leaves only what it still shows to be tested; how much that is shows when it is drawn.
    """
    counts = demand(setting, recipe)

    def shape(spec: BlockSpec) -> tuple[int, int]:
        return len(verbs_of(spec.verbs)), sum(counts[n, label] for n in spec.natural for label in spec.labels)

    dealt = _train_counts([shape(spec) for spec in setting.train])
    cuts = [round(TRAIN_SHARE * count) for count in dealt]
    train = sum(_shares(cuts, recipe.train))
    dev = sum(_shares([count - cut for count, cut in zip(dealt, cuts, strict=True)], recipe.dev))
    if recipe.train is not None or recipe.dev is not None:
        return {"train": train, "dev": dev, "test": None, **({"few": recipe.few} if recipe.few else {})}
    test = sum(_shares([verbs * pairs for verbs, pairs in map(shape, setting.test)], recipe.test))
    return {"train": train, "dev": dev, "test": test, **({"few": recipe.few} if recipe.few else {})}


def make_plan(setting: Setting, pool: Pool, recipe: SettingRecipe, seed: int, name: str) -> Plan:
    """Deal the pairs out to the splits of a setting."""
    learned = [_block(spec, pool.train) for spec in setting.train]
    parts = _learned_parts(learned, recipe, name, seed)
    tested = [_block(spec, pool.test) for spec in setting.test]
    if recipe.train is not None or recipe.dev is not None:
        tested = _only_known(setting, learned, parts, tested)
    dosed = [_block(spec, pool.few) for spec in setting.test] if recipe.few else []
    blocks = [*learned, *tested, *dosed]
    starts = _starts(blocks)
    splits = {split: array("Q") for split in ("train", "dev", "test")}
    for split, dealt in parts.items():
        for start, numbers in zip(starts, dealt, strict=False):
            splits[split].extend(start + number for number in numbers)
    for place, count in enumerate(_shares([block.size() for block in tested], recipe.test)):
        start = starts[len(learned) + place]
        splits["test"].extend(start + n for n in _deal(tested[place], count, name, seed, "test", place))
    if recipe.split == "in-distribution":
        splits = _mixed(splits, name, seed)
    for split, numbers in splits.items():
        keyed_random("seti", "shuffle", name, seed, split).shuffle(numbers)
    if recipe.few:
        splits["few"] = _doses(dosed, starts[len(learned) + len(tested) :], recipe.few, name, seed)
    return Plan(blocks, splits)


def _learned_parts(learned: list[Block], recipe: SettingRecipe, name: str, seed: int) -> dict[str, list[array[int]]]:
    """For train and dev the instances of each block, within the limits of the recipe."""
    counts = _train_counts([(len(block.verbs), len(block.pairs)) for block in learned])
    cuts = [round(TRAIN_SHARE * count) for count in counts]
    dealt = [_deal(block, counts[i], name, seed, "train", i) for i, block in enumerate(learned)]
    train = _shares(cuts, recipe.train)
    dev = _shares([count - cut for count, cut in zip(counts, cuts, strict=True)], recipe.dev)
    return {
        "train": [numbers[:size] for numbers, size in zip(dealt, train, strict=True)],
        "dev": [numbers[cut : cut + size] for numbers, cut, size in zip(dealt, cuts, dev, strict=True)],
    }


def _only_known(
    setting: Setting, learned: list[Block], parts: dict[str, list[array[int]]], tested: list[Block]
) -> list[Block]:
    """What is tested when training is cut down: only inferences (or rules) that training still shows."""
    shown = [
        block.pairs[number % len(block.pairs)]
        for dealt in parts.values()
        for block, numbers in zip(learned, dealt, strict=True)
        if block.kind != "veridical"
        for number in numbers
    ]
    if setting.contexts == "same":
        pairs = set(shown)
        return [block._replace(pairs=[pair for pair in block.pairs if pair in pairs]) for block in tested]
    rules = {pair.rule for pair in shown}
    return [block._replace(pairs=[pair for pair in block.pairs if pair.rule in rules]) for block in tested]


def _mixed(splits: dict[str, array[int]], name: str, seed: int) -> dict[str, array[int]]:
    """The union of all splits, cut at random into parts of the same sizes."""
    union = array("Q", (number for numbers in splits.values() for number in numbers))
    keyed_random("seti", "mix", name, seed).shuffle(union)
    parts, start = {}, 0
    for split, numbers in splits.items():
        parts[split] = union[start : start + len(numbers)]
        start += len(numbers)
    return parts


def _doses(blocks: list[Block], starts: list[int], few: int, name: str, seed: int) -> array[int]:
    """Compositions in an order in which every dose is the beginning of every larger one.

    Each round shows one instance of every kind of composition that is tested, with a verb and a
    sentence pair not shown before as long as there are any.
    """
    cells: dict[tuple[str, bool, int, bool], list[int]] = {}
    for index, block in enumerate(blocks):
        for place, pair in enumerate(block.pairs):
            for veridical in (True, False):
                if any(is_veridical(verb) == veridical for verb in block.verbs):
                    cells.setdefault((pair.natural, pair.entailed, index, veridical), []).append(place)
    queues = []
    for key, places in sorted(cells.items(), key=lambda cell: (cell[0][0], cell[0][2], not cell[0][3], not cell[0][1])):
        natural, entailed, index, veridical = key
        rng = keyed_random("seti", "few", name, seed, natural, entailed, index, veridical)
        verbs = [i for i, verb in enumerate(blocks[index].verbs) if is_veridical(verb) == veridical]
        rng.shuffle(verbs)
        # Two verb classes share the pairs of a block: each takes every other one.
        shared = sum((natural, entailed, index, side) in cells for side in (True, False))
        mine = places[0 if veridical else shared - 1 :: shared]
        queues.append((starts[index], len(blocks[index].pairs), verbs, mine))
    chosen = array("Q")
    for turn in range(few):
        start, width, verbs, mine = queues[turn % len(queues)]
        round_ = turn // len(queues)
        chosen.append(start + verbs[round_ % len(verbs)] * width + mine[round_ % len(mine)])
    return chosen
