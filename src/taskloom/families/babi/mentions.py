"""What stories say of the person or object asked about outside the support: how often, of which kind, how long ago.

A support of one sentence is as hard to find as the sentences around it make it. So these are as frequent as in the
kit's stories, by question type and size of the support; `mentions.toml` has the kit's numbers and what to wish for.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from random import Random
from typing import NamedTuple

from taskloom.core import Recipe
from taskloom.core.decode import read_toml
from taskloom.families.babi import kinds

PERSON_KINDS = ("place", "open", "object")
OBJECT_KINDS = ("give", "drop", "grab")
"""Kinds of mentions, in the order in which they are told where several can be: the rarer chance first."""

AGES = {"late": (0.75, 1.0), "middle": (0.5, 0.75), "early": (0.0, 0.5)}
"""The part of a story that each age covers."""

_LENGTH = 20
"""The sentences of the kit's stories."""


class Mentions(Recipe, frozen=True):
    """Sentences outside the support about the person or object asked about, on average; None for as many as in the kit.

    Attributes:
        place: That say for certain where the person is.
        open: That leave it open where the person is (not, no longer, either).
        object: In which the person takes, drops, gives or receives something.
        grab, drop, give: In which this happens to the object.
        late, middle, early: In the last quarter of the story, the quarter before, the first half.
    """

    place: float | None = None
    open: float | None = None
    object: float | None = None
    grab: float | None = None
    drop: float | None = None
    give: float | None = None
    late: float | None = None
    middle: float | None = None
    early: float | None = None

    def __post_init__(self) -> None:
        for name in self.__struct_fields__:
            if (getattr(self, name) or 0) < 0:
                raise ValueError(f"mentions.{name} is {getattr(self, name):g}; it must be 0 or more")


class Wishes(NamedTuple):
    """What to tell of the person or object asked about: how many of each kind, on average, and of each age."""

    kinds: dict[str, float]
    ages: dict[str, float]

    def draw(self, rng: Random, length: int, scale: float) -> tuple[dict[str, int], list[tuple[int, int]]]:
        """How many of each kind a story is to tell, and when: from one sentence to another, the first time last."""
        counts = {name: int(mean * scale + rng.random()) for name, mean in self.kinds.items()}
        times = []
        for name, mean in self.ages.items():
            start, end = AGES[name]
            for _ in range(int(mean * scale + rng.random())):
                times.append((int(length * (start + (end - start) * rng.random())), int(length * end)))
        times.sort(reverse=True)
        return counts, times


def story_scale(kind: int, length: int) -> float:
    """How many times as much longer stories tell; not of an object that must not come to the same place twice."""
    return (min(length, _LENGTH) if kind == kinds.WHERE_WAS else length) / _LENGTH


Tables = dict[str, dict[str, dict[str, dict[str, dict[str, float]]]]]


@cache
def tables() -> Tables:
    """The kit's means and what to wish for: stories with open statements or plain ones, question, size of support."""
    found: Tables = read_toml(Path(__file__).with_name("mentions.toml"))
    return found


@cache
def wishes(kind: int, size: int, statements: bool, mentions: float | Mentions | None) -> Wishes | None:
    """What to wish for, so that stories say on average what is asked for.

    Args:
        kind: The kind of question.
        size: The size of the support.
        statements: Whether stories hold statements that leave a place open.
        mentions: What is asked for: how many, or how many of each kind and age; None for what the kit has.

    Returns:
        None for questions of which the kit's stories show nothing.
    """
    if kind >= len(kinds.QUESTION_KINDS):
        return None
    known, name = tables(), kinds.QUESTION_KINDS[kind]
    table = (known["plain"] if not statements else {}).get(name) or known["open"].get(name)
    if table is None:
        return None
    cell = table[str(max((int(least) for least in table if int(least) <= size), default=min(map(int, table))))]
    kit, told = cell["kit"], dict(cell["told"])
    if mentions is not None:
        total = sum(kit[age] for age in AGES)
        for part, there in kit.items():
            wished = mentions * there / total if isinstance(mentions, int | float) else getattr(mentions, part)
            if wished is not None:
                told[part] = told[part] * wished / there if there else wished
    names = OBJECT_KINDS if "grab" in told else PERSON_KINDS
    return Wishes({part: told[part] for part in names}, {age: told[age] for age in AGES})
