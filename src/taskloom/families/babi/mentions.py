"""What stories say of the person or object asked about outside the support: how often, of which kind, how long ago.

A support of one sentence is as hard to find as the sentences around it make it. So these are as frequent as in the
kit's stories, by question type and size of the support; `mentions.toml` has the kit's numbers and what to wish for.
`TELLING` holds the chances and lengths that were set to the same end.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from random import Random
from typing import Annotated, NamedTuple, TypeAlias

import msgspec

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


Weight: TypeAlias = Annotated[float, msgspec.Meta(ge=0)]


class Mentions(Recipe, frozen=True):
    """Sentences outside the support about the person or object asked about, on average; None for as many as in the kit.

    Attributes:
        place: That say for certain where the person is.
        open: That leave it open where the person is (not, no longer, either).
        object: In which the person takes, drops, gives or receives something.
        grab, drop, give: In which this happens to the object.
        late, middle, early: In the last quarter of the story, the quarter before, the first half.
    """

    place: Weight | None = None
    open: Weight | None = None
    object: Weight | None = None
    grab: Weight | None = None
    drop: Weight | None = None
    give: Weight | None = None
    late: Weight | None = None
    middle: Weight | None = None
    early: Weight | None = None


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


class Telling(NamedTuple):
    """How often a story does what it may, how far its parts reach, and how often something is tried.

    Chances and lengths were set so that people, objects and places are named about as often as in the published kit:
    `python -m benchmarks.babi_compare --kit FOLDER` prints both sides. Numbers of tries only cost time where they are
    larger, and leave more stories untold where they are smaller.
    """

    decoy: float = 0.65
    """A person of the support besides the last is also said not to be somewhere, or to be in one of two places."""
    tempting: float = 0.35
    """Where the answer is no, the place asked about is named as one of two."""
    denied: float = 0.7
    """Such a person is said not to be somewhere, rather than to be in one of two places."""
    backwards: float = 0.25
    """A link of a chain has the later person act before the earlier one is placed."""
    early: float = 0.4
    """A unit that may stand anywhere is told before others."""
    prelude: float = 0.85
    """Where people are left over, others act before the support begins."""
    glue: float = 0.35
    """Two units about one person follow each other at once."""
    back: float = 1.0
    """A story is passed over whose object is back where it was: where it is must not tell where it was."""
    room: float = 0.7
    """The support ends early enough for later sentences about the person asked about."""
    object_room: float = 0.85
    """The object asked about is taken late enough for earlier sentences about it."""
    stay: float = 0.6
    """The carrier of the object asked about stays in place until the support moves them."""
    onward: float = 0.75
    """After the move that is asked about, the object goes on."""
    late: float = 0.5
    """A chain leaves room behind it rather than before it."""
    late_start: tuple[float, float] = (0.2, 0.35)
    """An object is taken late, where it is asked about and where the place that it left is: without the latter the
    answer would be among the first places of the story too often."""
    favourite: float = 0.85
    """The object of the question is chosen where others would do."""
    fetch: float = 0.2
    """The person goes and gets that object first."""
    keep: float = 0.25
    """What a person took along is kept."""
    focus: float = 0.45
    """Noise is about a person of the support who may act."""
    again: float = 0.5
    """The place of the support is kept from being named more often than others."""
    other_place: float = 0.4
    """One of two places is the one that a distraction should name."""
    pronoun: float = 0.2
    """A sentence of noise refers to the person before it."""
    left: float = 0.8
    """A denial names the place just left. Not always, or places of people that matter would be named too often."""
    no_longer: float = 0.7
    """Of a place where the person may have been, it is said that they are no longer there, rather than not there."""
    tail: int = 9
    head: int = 14
    """Sentences that may follow a support, or come before it."""
    few: int = 3
    """Sentences between the units of a plan that was to be kept together."""
    latest: int = 16
    """Sentences behind the move that is asked about: after more of them the object comes to the same place again."""
    long: int = 60
    """Longer stories need plans that many sentences do not undo."""
    stories: float = 0.25
    """For each attempt of a sampler's patience, random stories looked through where no plan leads to a cell."""
    shapes: int = 8
    """Proofs drawn for a plan that is to be kept together; the one with the fewest demands is taken."""
    goals: int = 6
    """Places drawn until one is new to the object."""
    tries: int = 12
    """Draws of an action, or of a person for it, before noise goes on without."""
    companions: int = 8
    """Draws of people and objects for a sentence of a unit before the story is begun anew."""


TELLING = Telling()
