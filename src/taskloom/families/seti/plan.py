"""From sentence pairs to splits: which verb meets which pair, in which split, checked against the setting.

A block of a setting is a set of verbs times a list of pairs. Everything after that is arithmetic on numbers: the
instance at any place of a split is found without those before it, and its text is made when the row is drawn.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import accumulate
from math import lcm
from typing import Generic, NamedTuple, Protocol, TypeAlias, TypeVar

from taskloom.core import Key, Shuffle, UserError, keyed_random
from taskloom.families.seti.pool import Pool, Supply, demand
from taskloom.families.seti.settings import BlockSpec, Kind, Setting, SettingRecipe, composition_rule
from taskloom.families.seti.verbs import ClauseVerb, RuleTable, rule_table
from taskloom.sources.sentences.pairs import Pair

TRAIN_SHARE = 0.8


class PairItem(NamedTuple):
    """One instance before it is put into words.

    Attributes:
        number: The place of the pair in its block.
        negated: Whether the embedding verb is negated.
    """

    kind: Kind
    verb: ClauseVerb
    pair: Pair
    number: int
    negated: bool = False


class PairBlock:
    """Verbs times pairs. Blocks of natural inference have one nameless verb.

    Args:
        kind: What is asked.
        verbs: The verbs that embed.
        parts: The pairs, one list for each kind of natural inference and label.
        labels: The label of each list.
    """

    def __init__(
        self, kind: Kind, verbs: tuple[ClauseVerb, ...], parts: Sequence[Sequence[Pair]], labels: Sequence[bool]
    ):
        self.kind = kind
        self.verbs = verbs
        self.parts = parts
        self.labels = labels
        self.starts = [0, *accumulate(map(len, parts))]

    @property
    def pairs(self) -> int:
        return self.starts[-1]

    @property
    def size(self) -> int:
        return len(self.verbs) * self.pairs

    def pair(self, place: int) -> Pair:
        part = bisect_right(self.starts, place) - 1
        return self.parts[part][place - self.starts[part]]

    def item(self, number: int) -> PairItem:
        verb, place = divmod(number, self.pairs)
        return PairItem(self.kind, self.verbs[verb], self.pair(place), place)

    def only(self, keep: set[Pair] | set[str]) -> PairBlock:
        """The block with those pairs, or with the pairs of those rules."""
        parts = [[pair for pair in part if pair in keep or pair.rule in keep] for part in self.parts]
        return PairBlock(self.kind, self.verbs, parts, self.labels)


class _Side:
    """The places of the pairs of one label, in random order."""

    def __init__(self, block: PairBlock, label: bool, *key: Key) -> None:
        spans = [(start, len(part)) for start, part, own in zip(block.starts, block.parts, block.labels, strict=False)
                 if own is label]  # fmt: skip
        self._first = [start for start, _ in spans]
        self._ends = [0, *accumulate(size for _, size in spans)]
        self._order = Shuffle(max(1, self._ends[-1]), "seti", "order", *key, label)

    def __len__(self) -> int:
        return self._ends[-1]

    def __getitem__(self, turn: int) -> int:
        place = self._order(turn)
        span = bisect_right(self._ends, place) - 1
        return self._first[span] + place - self._ends[span]


class _Deal:
    """The instances of a block in the order in which they are dealt out.

    Verbs take turns, and each goes through the pairs from a place of its own; labels take turns as well, so that any
    beginning is balanced.
    """

    def __init__(self, block: PairBlock, *key: Key) -> None:
        self.block = block
        rng = keyed_random("seti", "deal", *key)
        yes, no = _Side(block, True, *key), _Side(block, False, *key)
        self._first, self._second = (yes, no) if rng.random() < 0.5 else (no, yes)
        self._turns = 2 * min(len(yes), len(no))
        self._longer = self._first if len(self._first) > len(self._second) else self._second
        self._seats = list(range(len(block.verbs)))  # in random order: a cut within a round favours no class of verbs
        rng.shuffle(self._seats)

    def _place(self, turn: int) -> int:
        if turn < self._turns:
            return (self._second if turn % 2 else self._first)[turn // 2]
        return self._longer[turn - self._turns // 2]

    def item(self, number: int) -> PairItem:
        block = self.block
        turn, seat = divmod(number, len(block.verbs))
        verb = self._seats[seat]
        shift = verb * block.pairs // len(block.verbs)
        return block.item(verb * block.pairs + self._place((turn + shift) % block.pairs))


I_co = TypeVar("I_co", covariant=True)


class ItemSource(Protocol[I_co]):
    """Instances by number."""

    def item(self, number: int) -> I_co:
        """The instance of a number."""


class RowRange(NamedTuple, Generic[I_co]):
    """Instances `start` to `start + size` of a source."""

    source: ItemSource[I_co]
    start: int
    size: int


class SplitOrder(Generic[I_co]):
    """The instances of one split: stretches shuffled together, or a part of them.

    Args:
        stretches: What is shuffled together.
        span: The places of that order that belong to the split; None for all.
        key: What decides the order.
    """

    def __init__(self, stretches: Sequence[RowRange[I_co]], span: range | None, *key: Key) -> None:
        self._stretches = [stretch for stretch in stretches if stretch.size]
        self._starts = [0, *accumulate(stretch.size for stretch in self._stretches)]
        self._order = Shuffle(max(1, self._starts[-1]), "seti", "shuffle", *key)
        self._span = range(self._starts[-1]) if span is None else span

    def __len__(self) -> int:
        return len(self._span)

    def __getitem__(self, index: int) -> I_co:
        place = self._order(self._span[index])
        number = bisect_right(self._starts, place) - 1
        source, start, _ = self._stretches[number]
        return source.item(start + place - self._starts[number])

    def first(self, limit: int | None) -> SplitOrder[I_co]:
        """The split cut down to its first instances."""
        if limit is not None and limit < len(self._span):
            self._span = self._span[:limit]
        return self

    def __iter__(self) -> Iterator[I_co]:
        return map(self.__getitem__, range(len(self)))


class SettingPlan(NamedTuple):
    """What a setting trains on and tests: blocks of training and development data, of the test, and the splits."""

    learned: Sequence[PairBlock]
    tested: Sequence[PairBlock]
    splits: Mapping[str, SplitOrder[PairItem] | list[PairItem]]

    @property
    def size(self) -> int:
        return sum(map(len, self.splits.values()))


def _labels_of(spec: BlockSpec) -> tuple[bool, ...]:
    """The labels whose pairs a block uses.

    Generated pairs share their premises between the labels, and where only the premise is asked about, it counts once.
    """
    return spec.labels[:1] if spec.kind == "veridical" else spec.labels


def _block(spec: BlockSpec, supply: Supply, generated: bool, table: RuleTable) -> PairBlock:
    labels = _labels_of(spec) if generated else spec.labels
    cells = [(natural, label) for natural in spec.natural for label in labels]
    parts = [supply[cell] for cell in cells]
    if spec.kind == "veridical" and not generated:
        seen: set[str] = set()
        parts = [[p for p in part if p.premise not in seen and not seen.add(p.premise)] for part in parts]  # type: ignore[func-returns-value]
    return PairBlock(spec.kind, table.side(spec.verbs), parts, [label for _, label in cells])


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
    table = rule_table(recipe.rules, recipe.verbs)

    def shape(spec: BlockSpec) -> tuple[int, int]:
        pairs = sum(counts[n, label] for n in spec.natural for label in _labels_of(spec))
        return len(table.side(spec.verbs)), pairs

    dealt = _train_counts([shape(spec) for spec in setting.train])
    cuts = [round(TRAIN_SHARE * count) for count in dealt]
    train = sum(_shares(cuts, recipe.train))
    dev = sum(_shares([count - cut for count, cut in zip(dealt, cuts, strict=True)], recipe.dev))
    if recipe.train is not None or recipe.dev is not None:
        return {"train": train, "dev": dev, "test": None, **({"few": recipe.few} if recipe.few else {})}
    test = sum(_shares([verbs * pairs for verbs, pairs in map(shape, setting.test)], recipe.test))
    return {"train": train, "dev": dev, "test": test, **({"few": recipe.few} if recipe.few else {})}


def make_plan(setting: Setting, pool: Pool, recipe: SettingRecipe, seed: int, name: str) -> SettingPlan:
    """Deal the pairs out to the splits of a setting."""
    generated = recipe.source == "generated"
    table = rule_table(recipe.rules, recipe.verbs)
    learned = [_block(spec, pool.train, generated, table) for spec in setting.train]
    parts = _learned_parts(learned, recipe, name, seed)
    tested = [_block(spec, pool.test, generated, table) for spec in setting.test]
    if recipe.train is not None or recipe.dev is not None:
        tested = _only_known(setting, parts, tested)
    parts["test"] = [
        RowRange(_Deal(block, name, seed, "test", place), 0, count)
        for place, (block, count) in enumerate(
            zip(tested, _shares([block.size for block in tested], recipe.test), strict=True)
        )
    ]
    splits: dict[str, SplitOrder[PairItem] | list[PairItem]] = {}
    if recipe.split == "in-distribution":
        splits.update(mixed_splits(parts, name, seed))
    else:
        splits.update({split: SplitOrder(own, None, name, seed, split) for split, own in parts.items()})
    if recipe.few:
        dosed = [_block(spec, pool.few, generated, table) for spec in setting.test]
        splits["few"] = _doses(dosed, recipe.few, name, seed)
    return SettingPlan(learned, tested, splits)


def _learned_parts(
    learned: list[PairBlock], recipe: SettingRecipe, name: str, seed: int
) -> dict[str, list[RowRange[PairItem]]]:
    """For train and dev the instances of each block, within the limits of the recipe."""
    counts = _train_counts([(len(block.verbs), block.pairs) for block in learned])
    cuts = [round(TRAIN_SHARE * count) for count in counts]
    deals = [_Deal(block, name, seed, "train", place) for place, block in enumerate(learned)]
    train = _shares(cuts, recipe.train)
    dev = _shares([count - cut for count, cut in zip(counts, cuts, strict=True)], recipe.dev)
    return {
        "train": [RowRange(deal, 0, size) for deal, size in zip(deals, train, strict=True)],
        "dev": [RowRange(deal, cut, size) for deal, cut, size in zip(deals, cuts, dev, strict=True)],
    }


def _only_known(
    setting: Setting, parts: dict[str, list[RowRange[PairItem]]], tested: list[PairBlock]
) -> list[PairBlock]:
    """What is tested when training is cut down: only inferences (or rules) that training still shows."""
    shown = {
        item.pair
        for stretches in parts.values()
        for source, start, size in stretches
        for item in map(source.item, range(start, start + size))
        if item.kind != "veridical"
    }
    keep = shown if setting.contexts == "same" else {pair.rule for pair in shown}
    return [block.only(keep) for block in tested]


def mixed_splits(parts: dict[str, list[RowRange[I_co]]], name: str, seed: int) -> dict[str, SplitOrder[I_co]]:
    """The union of all splits, cut at random into parts of the same sizes."""
    union = [stretch for stretches in parts.values() for stretch in stretches]
    splits, start = {}, 0
    for split, stretches in parts.items():
        size = sum(stretch.size for stretch in stretches)
        splits[split] = SplitOrder(union, range(start, start + size), name, seed, "mix")
        start += size
    return splits


def _doses(blocks: list[PairBlock], few: int, name: str, seed: int) -> list[PairItem]:
    """Compositions in an order in which every dose is the beginning of every larger one.

    Each round shows one instance of every kind of composition that is tested, with a verb and a
    sentence pair not shown before as long as there are any.
    """
    queues = []
    for index, block in enumerate(blocks):
        for start, part, label in zip(block.starts, block.parts, block.labels, strict=False):
            if not len(part):
                continue
            classes = [side for side in (True, False) if any(verb.veridical is side for verb in block.verbs)]
            for place, veridical in enumerate(classes):
                rng = keyed_random("seti", "few", name, seed, index, part[0].natural, label, veridical)
                verbs = [verb for verb in block.verbs if verb.veridical is veridical]
                rng.shuffle(verbs)
                # Two verb classes share the pairs of a block: each takes every other one.
                mine = range(start + place, start + len(part), len(classes))
                order = (part[0].natural, index, not veridical, not label)
                queues.append((order, block, verbs, mine, start))
    queues.sort(key=lambda queue: queue[0])
    chosen = []
    for turn in range(few):
        _, block, verbs, mine, start = queues[turn % len(queues)]
        round_ = turn // len(queues)
        if round_ >= len(verbs) * len(mine):
            raise UserError(
                f"doses of {few} need more sentence pairs than this", where=name, hint="-T size=paper, or -T few=16"
            )
        place = mine[round_ % len(mine)]
        verb = verbs[(round_ + round_ // lcm(len(mine), len(verbs))) % len(verbs)]
        chosen.append(PairItem(block.kind, verb, block.pair(place), place - start))
    return chosen


_Require: TypeAlias = Callable[[bool, str], None]

CHECKED_ROWS = 20_000
"""Plans up to this size are checked instance by instance, larger generated ones block by block."""


class SplitContents:
    """What a split shows: kinds, verbs, sentences, inference rules, composition rules and cells."""

    def __init__(self) -> None:
        self.kinds: set[str] = set()
        self.verbs: set[str] = set()
        self.pairs: set[tuple[str, str]] = set()
        self.sentences: set[str] = set()
        self.natural_rules: set[tuple[str, str]] = set()
        self.rules: set[int] = set()
        self.cells: set[tuple[bool, str, bool]] = set()

    def add(self, item: PairItem) -> None:
        kind, verb, pair, *_ = item
        self.kinds.add(kind)
        if kind != "natural":
            self.verbs.add(verb)
        if kind != "veridical":
            self.pairs.add((pair.premise, pair.hypothesis))
            self.sentences.add(pair.hypothesis)
            self.natural_rules.add((pair.natural, pair.rule))
        if kind == "composition":
            veridical = verb.veridical
            self.rules.add(composition_rule(veridical, pair.entailed))
            self.cells.add((veridical, pair.natural, pair.entailed))
        self.sentences.add(pair.premise)


def shown_by(items: Iterable[PairItem]) -> SplitContents:
    """What some instances show together."""
    shown = SplitContents()
    for item in items:
        shown.add(item)
    return shown


def check_plan(
    setting: Setting, plan: SettingPlan, name: str, split: str, *, generated: bool = True, whole: bool = False
) -> None:
    """Raise if the data breaks what defines the setting.

    Every instance is looked at, except in generated plans that are whole or beyond `CHECKED_ROWS`: there one pair for
    every kind and label of every block stands for the others, and what holds of the sentences follows from the lanes
    of the grammar. So the proof costs the same at any size.

    Args:
        setting: What defines the splits.
        plan: The splits.
        name: The suite, for messages.
        split: "compositional" or "in-distribution".
        generated: Whether the pairs come from the grammar.
        whole: Whether no limit on a split cuts the plan down.

    Raises:
        UserError: Two splits share an instance, a split is empty, or (for compositional splits) training
            shows what it must lack or lacks what it must show.
    """

    def require(holds: bool, sentence: str) -> None:
        if not holds:
            raise UserError(f"the split breaks its definition: {sentence}", where=name)

    require(all(len(plan.splits[part]) for part in ("train", "dev", "test")), "a split is empty; ask for more pairs")
    if generated and (whole or plan.size > CHECKED_ROWS):
        if split == "compositional":
            learned, tested = (shown_by(_samples(blocks)) for blocks in (plan.learned, plan.tested))
            _check_rules(setting, learned, tested, require)
        return
    _check_apart(plan, require)
    shown = {part: shown_by(items) for part, items in plan.splits.items()}
    if "few" in shown:
        _check_few(shown, require)
    if split == "compositional":
        _check_compositional(setting, shown, require)


def _samples(blocks: Iterable[PairBlock]) -> Iterable[PairItem]:
    """One instance for every verb with the first pair of every part."""
    for block in blocks:
        for start, part in zip(block.starts, block.parts, strict=False):
            if len(part):
                for verb in range(len(block.verbs)):
                    yield block.item(verb * block.pairs + start)


def _check_apart(plan: SettingPlan, require: _Require) -> None:
    seen: set[tuple[str, str, str, str]] = set()
    total = 0
    for items in plan.splits.values():
        for kind, verb, pair, *_ in items:
            seen.add((kind, verb, pair.premise, "" if kind == "veridical" else pair.hypothesis))
            total += 1
    require(len(seen) == total, "an instance stands in two splits, or twice in one")


def _check_few(shown: dict[str, SplitContents], require: _Require) -> None:
    few = shown["few"]
    require(few.kinds == {"composition"}, "doses consist of compositions")
    others = set().union(*(shown[part].pairs for part in ("train", "dev", "test")))
    require(not few.pairs & others, "a dose uses a sentence pair of another split")


def _check_compositional(setting: Setting, shown: dict[str, SplitContents], require: _Require) -> None:
    learned = SplitContents()
    for part in ("train", "dev"):
        for field, values in vars(shown[part]).items():
            getattr(learned, field).update(values)
    test = shown["test"]
    _check_rules(setting, learned, test, require)
    require(test.verbs <= shown["train"].verbs, "a tested verb was never trained on")
    if setting.contexts == "same":
        require(test.pairs <= learned.pairs, "a tested natural inference was never seen by itself or in a composition")
    else:
        require(test.natural_rules <= learned.natural_rules, "a tested inference rule was never seen")
        require(not test.sentences & learned.sentences, "a tested sentence was seen in training")


def _check_rules(setting: Setting, learned: SplitContents, test: SplitContents, require: _Require) -> None:
    require(test.kinds == {"composition"}, "only compositions are tested")
    kinds = {spec.kind for spec in setting.train}
    require(learned.kinds == kinds, f"training consists of {' and '.join(sorted(kinds))} inferences")
    require(not test.cells & learned.cells, "a tested kind of composition was trained on")
    if setting.unseen_rules:
        require(test.rules == set(setting.unseen_rules), f"the test shows rules {setting.unseen_rules} and no other")
        require(not test.rules & learned.rules, "a rule that must be unseen was trained on")
    elif "composition" in kinds:
        require(test.rules <= learned.rules, "a tested composition rule was never trained on")
    else:
        require(test.rules == {1, 2, 3, 4}, "all four composition rules are tested")
