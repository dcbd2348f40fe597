"""The defining constraints of a setting, checked on the data of every split that is made."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeAlias

from taskloom.core import UserError
from taskloom.families.seti.plan import Item, Plan
from taskloom.families.seti.settings import Setting, composition_rule
from taskloom.families.seti.verbs import is_veridical

__all__ = ["Seen", "check_plan", "look_at"]

_Require: TypeAlias = Callable[[bool, str], None]


class Seen:
    """What a split shows: kinds, verbs, sentences, inference rules, composition rules and cells."""

    def __init__(self) -> None:
        self.kinds: set[str] = set()
        self.verbs: set[str] = set()
        self.pairs: set[tuple[str, str]] = set()
        self.sentences: set[str] = set()
        self.natural_rules: set[tuple[str, str]] = set()
        self.rules: set[int] = set()
        self.cells: set[tuple[bool, str, bool]] = set()

    def add(self, item: Item) -> None:
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
            veridical = is_veridical(verb)
            self.rules.add(composition_rule(veridical, pair.entailed))
            self.cells.add((veridical, pair.natural, pair.entailed))
        self.sentences.add(pair.premise)


def look_at(items: Iterator[Item]) -> Seen:
    """What some instances show together."""
    seen = Seen()
    for item in items:
        seen.add(item)
    return seen


def check_plan(setting: Setting, plan: Plan, name: str, split: str) -> None:
    """Raise if the data breaks what defines the setting.

    Raises:
        UserError: Two splits share an instance, a split is empty, or (for compositional splits) training
            shows what it must lack or lacks what it must show.
    """

    def require(holds: bool, sentence: str) -> None:
        if not holds:
            raise UserError(f"the split breaks its definition: {sentence}", where=name)

    taken = bytearray(sum(block.size() for block in plan.blocks))
    for numbers in plan.splits.values():
        for number in numbers:
            taken[number] += 1
    require(max(taken, default=0) <= 1, "an instance stands in two splits")
    require(all(len(plan.splits[part]) for part in ("train", "dev", "test")), "a split is empty; ask for more pairs")
    seen = {part: look_at(map(plan.item, numbers)) for part, numbers in plan.splits.items()}
    if "few" in seen:
        _check_few(seen, require)
    if split == "compositional":
        _check_compositional(setting, seen, require)


def _check_few(seen: dict[str, Seen], require: _Require) -> None:
    few = seen["few"]
    require(few.kinds == {"composition"}, "doses consist of compositions")
    others = set().union(*(seen[part].pairs for part in ("train", "dev", "test")))
    require(not few.pairs & others, "a dose uses a sentence pair of another split")


def _check_compositional(setting: Setting, seen: dict[str, Seen], require: _Require) -> None:
    learned = Seen()
    for part in ("train", "dev"):
        for field, values in vars(seen[part]).items():
            getattr(learned, field).update(values)
    test = seen["test"]
    require(test.kinds == {"composition"}, "only compositions are tested")
    kinds = {spec.kind for spec in setting.train}
    require(learned.kinds == kinds, f"training consists of {' and '.join(sorted(kinds))} inferences")
    require(not test.cells & learned.cells, "a tested kind of composition was trained on")
    require(test.verbs <= seen["train"].verbs, "a tested verb was never trained on")
    if setting.contexts == "same":
        require(test.pairs <= learned.pairs, "a tested natural inference was never seen by itself or in a composition")
    else:
        require(test.natural_rules <= learned.natural_rules, "a tested inference rule was never seen")
        require(not test.sentences & learned.sentences, "a tested sentence was seen in training")
    if setting.unseen_rules:
        require(test.rules == set(setting.unseen_rules), f"the test shows rules {setting.unseen_rules} and no other")
        require(not test.rules & learned.rules, "a rule that must be unseen was trained on")
    elif "composition" in kinds:
        require(test.rules <= learned.rules, "a tested composition rule was never trained on")
    else:
        require(test.rules == {1, 2, 3, 4}, "all four composition rules are tested")
