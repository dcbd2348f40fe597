"""What was tuned about telling stories, in one record."""

from __future__ import annotations

from typing import NamedTuple


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
