"""A story in the making: the hidden world, and sentences drawn at random that leave a plan untouched."""

from __future__ import annotations

from random import Random

from taskloom.families.babi.actions import TRIES, Action, ActionTable, Storyteller
from taskloom.families.babi.concepts import Concepts
from taskloom.families.babi.story import AFFIRM, CONJ, DROP, GIVE, GRAB, INDEF, MOVE, NEGATE, Sentence

__all__ = ["FREE", "FROZEN", "LEAVE_FIRST", "TRAVEL_ONLY", "Actions", "Draft"]

FREE, FROZEN, LEAVE_FIRST, TRAVEL_ONLY = range(4)
"""What random sentences may do with a person: anything; nothing; anything once they have been sent to a new
place; nothing but send them to new places."""


class Actions(ActionTable):
    """The weighted actions of a concept set."""

    def __init__(self, concepts: Concepts) -> None:
        super().__init__(concepts, _DOERS)


class Draft(Storyteller):
    """The hidden world of one story and the sentences so far.

    Args:
        rng: Where chance comes from.
        actions: What random sentences may be.
        persons: How many persons there are.
        objects: How many objects there are.
        places: How many places there are.
    """

    __slots__ = ("at", "holder", "lies", "persons", "places", "reserved", "status")

    def __init__(self, rng: Random, actions: Actions, persons: int, objects: int, places: int) -> None:
        super().__init__(rng, actions)
        random = rng.random
        self.persons = persons
        self.places = places
        self.at = [int(random() * places) for _ in range(persons)]
        self.lies = [int(random() * places) for _ in range(objects)]
        self.holder = [-1] * objects
        self.status = [FREE] * persons
        self.reserved = [False] * objects

    # -- telling ----------------------------------------------------------------------------------

    def say(self, sentence: Sentence) -> None:
        """Tell a sentence whose truth the caller answers for; the world follows."""
        kind, first, second, third, _, _ = sentence
        if kind in (MOVE, AFFIRM):
            self.at[first] = second
        elif kind == CONJ:
            self.at[first] = self.at[second] = third
        elif kind == GRAB:
            self.holder[second] = first
        elif kind == DROP:
            self.holder[second] = -1
            self.lies[second] = self.at[first]
        elif kind == GIVE:
            self.holder[second] = third
        self.sentences.append(sentence)

    def tell(self, name: str, room: int = 2) -> bool:
        """Add one random action of this name; False where it could not be done."""
        return _DOERS[name](self, room)

    # -- random actions; each returns whether it could be done --------------------------------------

    def _anyone(self) -> int:
        """A person who may be sent to a new place, or -1."""
        random = self.rng.random
        for _ in range(TRIES):
            who = int(random() * self.persons)
            if self.status[who] != FROZEN:
                return who
        return -1

    def elsewhere(self, place: int, other: int = -1) -> int:
        """A place that is neither of two."""
        random = self.rng.random
        while True:
            found = int(random() * self.places)
            if found not in (place, other):
                return found

    def _set_free(self, who: int) -> None:
        if self.status[who] == LEAVE_FIRST:
            self.status[who] = FREE

    def _send(self, who: int, sentence: Sentence) -> None:
        self._set_free(who)
        self.say(sentence)

    def _move(self, room: int) -> bool:
        who = self._anyone()
        if who < 0:
            return False
        self._send(who, Sentence(MOVE, who, self.elsewhere(self.at[who])))
        return True

    def _negate(self, room: int) -> bool:
        who = self._anyone()
        if who < 0:
            return False
        before = self.at[who]
        place = self.elsewhere(before)
        if self.rng.random() < self.table.affirm:
            self._send(who, Sentence(AFFIRM, who, place))
        else:
            self.at[who] = place
            self._send(who, Sentence(NEGATE, who, before))
        return True

    def _indef(self, room: int) -> bool:
        who = self._anyone()
        if who < 0:
            return False
        before = self.at[who]
        one = self.elsewhere(before)
        other = self.elsewhere(before, one)
        self.at[who] = one if self.rng.random() < 0.5 else other
        self._send(who, Sentence(INDEF, who, one, other))
        return True

    def _pair(self) -> tuple[int, int]:
        one, other = self._anyone(), self._anyone()
        return (one, other) if one != other else (-1, -1)

    def _conj(self, room: int) -> bool:
        one, other = self._pair()
        if one < 0 or other < 0:
            return False
        place = self.elsewhere(self.at[one], self.at[other])
        self._set_free(one)
        self._set_free(other)
        self.say(Sentence(CONJ, one, other, place))
        return True

    def _grab(self, room: int) -> bool:
        thing = int(self.rng.random() * len(self.holder))
        if self.holder[thing] >= 0 or self.reserved[thing]:
            return False
        who = self._somebody_at(self.lies[thing])
        if who < 0:
            return False
        self.say(Sentence(GRAB, who, thing))
        return True

    def _somebody_at(self, place: int, but: int = -1) -> int:
        """A person at a place who is free to act, or -1; everyone there is as likely."""
        found, count = -1, 0
        for who, where in enumerate(self.at):
            if where == place and who != but and self.status[who] == FREE:
                count += 1
                if count == 1 or self.rng.random() * count < 1:
                    found = who
        return found

    def _holding(self) -> int:
        """An object that a free person holds and the plan does not need, or -1."""
        thing = int(self.rng.random() * len(self.holder))
        who = self.holder[thing]
        return thing if who >= 0 and self.status[who] == FREE and not self.reserved[thing] else -1

    def _drop(self, room: int) -> bool:
        thing = self._holding()
        if thing < 0:
            return False
        self.say(Sentence(DROP, self.holder[thing], thing))
        return True

    def _give(self, room: int) -> bool:
        thing = self._holding()
        if thing < 0:
            return False
        giver = self.holder[thing]
        receiver = self._somebody_at(self.at[giver], giver)
        if receiver < 0:
            return False
        self.say(Sentence(GIVE, giver, thing, receiver))
        return True

    def _again(self, who: int, event: str) -> Sentence | None:
        """A second sentence about the same person, spoken with a pronoun."""
        if event == "move":
            if self.status[who] == FROZEN:
                return None
            self._set_free(who)
            return Sentence(MOVE, who, self.elsewhere(self.at[who]), -1, True)
        if self.status[who] != FREE:
            return None
        thing = int(self.rng.random() * len(self.holder))
        if self.reserved[thing]:
            return None
        if event == "grab" and self.holder[thing] < 0 and self.lies[thing] == self.at[who]:
            return Sentence(GRAB, who, thing, -1, True)
        if event == "drop" and self.holder[thing] == who:
            return Sentence(DROP, who, thing, -1, True)
        return None


_DOERS: dict[str, Action] = {
    "move": Draft._move,
    "grab": Draft._grab,
    "drop": Draft._drop,
    "give": Draft._give,
    "coref": Draft._coref,
    "conj": Draft._conj,
    "compound": Draft._compound,
    "negate": Draft._negate,
    "indef": Draft._indef,
}
