"""The defining constraints of a setting, checked on the data of every plan that is made."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeAlias

from taskloom.core import UserError
from taskloom.families.seti.plan import PairBlock, PairItem, SettingPlan
from taskloom.families.seti.settings import Setting, composition_rule

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
        """Take note of one instance."""
        kind, verb, pair, _ = item
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
    of the grammar. So the proof costs the same whatever the size.

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
        for kind, verb, pair, _ in items:
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
