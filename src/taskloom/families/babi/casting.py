"""Whom and what a story may touch next, by what a reader knows so far."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from taskloom.families.babi.actions import TRIES, ActionTable, Storyteller
from taskloom.families.babi.knowledge import ANYWHERE
from taskloom.families.babi.programs import Program, WorldProgram
from taskloom.families.babi.reader import Reader
from taskloom.families.babi.story import Sentence

__all__ = ["FREE", "HANDLES", "IDLE", "MOVES", "STAYS", "TRAVELS", "Casting"]

IDLE, TRAVELS, STAYS, FREE = range(4)
"""What noise may do with a person: nothing; send them to new places; let them handle objects; both."""

MOVES, HANDLES = TRAVELS, STAYS

_FOCUS_CHANCE = 0.55
_OBJECT_CHANCE = 0.7
_SHUN_CHANCE = 0.5


class Casting(Storyteller):
    """The sentences so far, what a reader makes of them, and whom and what noise may touch.

    Args:
        rng: Where chance comes from.
        table: What random sentences may be.
        persons: How many persons there are.
        objects: How many objects there are.
        places: How many places there are.
        world: The events of the recipe's own.
    """

    __slots__ = (
        "_guard_roots",
        "_guard_state",
        "far",
        "focus_objects",
        "focus_persons",
        "guards",
        "lure",
        "objects",
        "persons",
        "places",
        "pronouns",
        "reader",
        "reserved",
        "shunned",
        "status",
        "touch",
        "used",
    )

    def __init__(
        self, rng: Random, table: ActionTable, persons: int, objects: int, places: int, world: WorldProgram
    ) -> None:
        super().__init__(rng, table)
        self.persons, self.objects, self.places = persons, objects, places
        self.reader = Reader(persons, objects, world)
        self.status = [FREE] * persons
        self.reserved = [False] * objects
        self.used = self.shunned = 0
        """The places drawn so far, and the one of the support, as bit sets."""
        self.guards: list[int] = []
        self._guard_state = (-1, -1)
        self._guard_roots: set[int] = set()
        # Whom and what noise seeks (or, where `far`, shuns).
        self.focus_persons: list[int] = []
        self.focus_objects: list[int] = []
        self.far = False
        self.touch = 0.0
        """How often noise handles an object before anything else is tried."""
        self.lure = -1
        """A place that noise likes to name beside another one: the place that the question names."""
        self.pronouns = 0
        """How many pronoun moves noise tells besides: a proof that has one must not stand out by it."""

    def say(self, sentence: Sentence) -> None:
        """Tell a sentence that the caller answers for."""
        self.sentences.append(sentence)
        self.reader.tell(sentence)

    # -- what may be tied together --------------------------------------------------------------------

    def known(self, person: int) -> int | None:
        """Where a person is known to be."""
        reader = self.reader
        return reader.place(reader.stay[person])

    def may_join(self, one: int, other: int) -> bool:
        """Whether noise may say that two stays share a place."""
        reader = self.reader
        left, right = reader._root(one), reader._root(other)
        if left == right:
            return not self.guards or left not in self._guarded()
        if not reader.domain[left] & reader.domain[right]:
            return False
        if not self.guards:
            return True
        guarded = self._guarded()
        if left in guarded:
            return right not in guarded and reader.domain[right] == ANYWHERE
        return right not in guarded or reader.domain[left] == ANYWHERE

    def fits(self, one: int, other: int) -> bool:
        """Whether two stays can share a place at all."""
        reader = self.reader
        return bool(reader.possible(one) & reader.possible(other))

    def _guarded(self) -> set[int]:
        """The roots of the guarded stays; they change only when stays are tied together or guarded."""
        state = (self.reader.unions, len(self.guards))
        if state != self._guard_state:
            root = self.reader._root
            self._guard_state, self._guard_roots = state, {root(stay) for stay in self.guards}
        return self._guard_roots

    # -- casting ----------------------------------------------------------------------------------------

    def _somebody(self, need: int) -> int:
        """A person whom noise may move, or let handle objects, or -1."""
        random = self.rng.random
        status = self.status
        if self.focus_persons and not self.far and random() < _FOCUS_CHANCE:
            who = self.focus_persons[int(random() * len(self.focus_persons))]
            if status[who] & need:
                return who
        for _ in range(TRIES):
            who = int(random() * self.persons)
            if status[who] & need:
                return who
        return -1

    def _something(self) -> int:
        """An object that noise may touch, or -1."""
        random = self.rng.random
        if self.focus_objects and not self.far and random() < _OBJECT_CHANCE:
            thing = self.focus_objects[int(random() * len(self.focus_objects))]
        else:
            thing = int(random() * self.objects)
        return -1 if self.reserved[thing] else thing

    def elsewhere(self, place: int | None, other: int | None = None) -> int:
        """A place that is neither of two, likelier one that the story has not used yet.

        A story of few places gives its answer away to whoever guesses among those it names.
        """
        random, places = self.rng.random, self.places
        again = self.used
        while True:
            found = int(random() * places)
            if found in (place, other):
                continue
            if again >> found & 1:
                again = self.shunned if again != self.shunned else 0
                continue
            self.used |= 1 << found
            return found

    def shun(self, place: int) -> int:
        """Keep noise from naming the place of the support, which is named there anyway, more often than others."""
        self.used |= 1 << place
        if self.rng.random() < _SHUN_CHANCE:
            self.shunned = 1 << place
        return place

    # -- events of the recipe's own -----------------------------------------------------------------------

    def draw_roles(self, event: Program) -> list[int] | None:
        """People, objects and places for an event, all different."""
        roles: list[int] = []
        moved = {one for name, one, _, _ in event.ops if name in ("in", "either", "not", "with")}
        for position, sort in enumerate(event.sorts):
            if sort == "person":
                found = self._somebody(MOVES if position in moved else HANDLES)
            else:
                found = self._something() if sort == "object" else int(self.rng.random() * self.places)
            if found < 0 or any(roles[i] == found for i in range(position) if event.sorts[i] == sort):
                return None
            roles.append(found)
        return roles

    def allows(self, event: Program, roles: list[int], *, core: bool = False) -> bool:
        """Whether an event may happen to these people, objects and places now.

        Args:
            event: The event.
            roles: Who and what takes part.
            core: Whether it belongs to the support, which may tie guarded places together.
        """
        reader = self.reader
        join = self.fits if core else self.may_join
        for attribute, position, value in event.requires:
            known = reader.values.get((attribute, roles[position]))
            if known is None or known[0] != value:
                return False
        for name, one, two, three in event.ops:
            if name in ("not", "either"):
                continue  # a new stay, of which nothing else is known yet
            if name == "in":
                if self.known(roles[one]) == roles[two]:
                    return False
            elif name in ("with", "meet"):
                stay = reader.stay[roles[two]]
                if name == "meet" and not join(reader.stay[roles[one]], stay):
                    return False
                if name == "with" and reader._root(reader.stay[roles[one]]) == reader._root(stay):
                    return False  # they are together already
            elif name == "at":
                stay = reader.stay[roles[one]]
                if not reader.possible(stay) >> roles[two] & 1 or (not core and reader._root(stay) in self._guarded()):
                    return False
            elif not self._allows_handling(name, roles, one, two, three, join):
                return False
        return True

    def _allows_handling(
        self, name: str, roles: list[int], one: int, two: int, three: int, join: Callable[[int, int], bool]
    ) -> bool:
        reader = self.reader
        if name == "copy":
            return (one, roles[three]) in reader.values
        if name == "set":
            known = reader.values.get((one, roles[two]))
            return known is None or known[0] != three
        who, thing = roles[one], roles[two]
        stay = reader.stay[who]
        if name == "drop":
            return reader.holder[thing] == who
        if name == "take":
            return reader.holder[thing] < 0 and join(reader.path[thing][-1][0], stay)
        if name == "touch":
            return join(reader.path[thing][-1][0], stay)
        return reader.holder[thing] == who and join(stay, reader.stay[roles[three]])
