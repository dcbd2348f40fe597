"""What every storyteller does alike: draw actions by their weights, and speak of somebody a second time."""

from __future__ import annotations

from abc import ABC, abstractmethod
from bisect import bisect
from collections.abc import Callable, Mapping
from itertools import accumulate
from random import Random

from taskloom.families.babi.concepts import Concepts
from taskloom.families.babi.story import CONJ, Sentence

__all__ = ["TRIES", "Action", "ActionTable", "Storyteller"]

TRIES = 12
"""How often something is drawn anew before it is given up."""

Action = Callable[..., bool]
"""Tells something of at most so many sentences; False where it could not be done."""


class ActionTable:
    """The weighted actions of a concept set, ready for drawing.

    Args:
        concepts: Events and constructs with their weights.
        known: What can be told, by event or construct.
    """

    def __init__(self, concepts: Concepts, known: Mapping[str, Action]) -> None:
        self.known = known
        self.names = concepts.names()
        self.actions = tuple(known[name] for name in self.names)
        self.cumulated = list(accumulate(concepts.weights[name] for name in self.names))
        self.total = self.cumulated[-1]
        self.coref = [event for event in ("move", "grab", "drop") if concepts.may_refer(event)]
        self.coref_cumulated = list(accumulate(concepts.coref[event] for event in self.coref))
        self.affirm = concepts.affirm

    def draw_coref(self, rng: Random) -> str:
        """One event for a pronoun pair by weight."""
        return self.coref[bisect(self.coref_cumulated, rng.random() * self.coref_cumulated[-1])]


class Storyteller(ABC):
    """A story in the making.

    Args:
        rng: Where chance comes from.
        table: What random sentences may be.
    """

    __slots__ = ("rng", "sentences", "table")

    def __init__(self, rng: Random, table: ActionTable) -> None:
        self.rng = rng
        self.table = table
        self.sentences: list[Sentence] = []

    @abstractmethod
    def say(self, sentence: Sentence) -> None:
        """Tell a sentence that the caller answers for."""

    @abstractmethod
    def elsewhere(self, place: int) -> int:
        """A place other than this one."""

    @abstractmethod
    def _conj(self, room: int) -> bool: ...

    @abstractmethod
    def _again(self, who: int, event: str) -> Sentence | None: ...

    def tell_something(self, room: int) -> bool:
        """Add one random action of at most `room` sentences; False where nothing fitted."""
        table, random = self.table, self.rng.random
        actions, cumulated, total = table.actions, table.cumulated, table.total
        tries = TRIES
        while tries:  # any(...) would cost a generator for each sentence
            if actions[bisect(cumulated, random() * total)](self, room):
                return True
            tries -= 1
        return False

    def _compound(self, room: int) -> bool:
        """Two people go somewhere, then "they" go on."""
        if room < 2 or not self._conj(room):
            return False
        _, one, other, place, _, _ = self.sentences[-1]
        self.say(Sentence(CONJ, one, other, self.elsewhere(place), True))
        return True

    def _coref(self, room: int) -> bool:
        """Somebody does something, and something else, spoken with a pronoun."""
        table = self.table
        if room < 2 or not table.coref:
            return False
        if not table.known[table.draw_coref(self.rng)](self, room):
            return False
        who = self.sentences[-1].first
        for _ in range(TRIES):
            second = self._again(who, table.draw_coref(self.rng))
            if second is not None:
                self.say(second)
                return True
        return True  # the first sentence stands alone; it is fine by itself
