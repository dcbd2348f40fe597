"""A story in the making, known only as far as a reader knows it.

There is no hidden world beside the text: whatever leaves the reader's knowledge free of contradiction may be
written, because some world then agrees with it. So random sentences (*noise*) may touch anybody and anything, the
people and objects of the question included, as long as they do not change what the support proves:

* a person who must stay where they are (`STAYS`) is not sent anywhere, but may still handle objects;
* places that the support ties together (*guarded* ones) are never tied to places that something is said about,
  nor to one another a second time. What noise adds to them then hangs on them like a leaf and shortens no
  proof.
"""

from __future__ import annotations

from bisect import bisect
from collections.abc import Callable
from itertools import accumulate
from random import Random

from taskloom.families.babi.concepts import Concepts
from taskloom.families.babi.reader import ANYWHERE, Reader
from taskloom.families.babi.story import AFFIRM, CONJ, DROP, GIVE, GRAB, INDEF, MOVE, NEGATE, Sentence
from taskloom.families.babi.worlds import Program, WorldProgram

__all__ = ["FREE", "IDLE", "STAYS", "TRAVELS", "Noise", "Teller", "sentence_of"]

IDLE, TRAVELS, STAYS, FREE = range(4)
"""What noise may do with a person: nothing; send them to new places; let them handle objects; both."""

_MOVES, _HANDLES = TRAVELS, STAYS

_TRIES = 12
_FOCUS_CHANCE = 0.55
_OBJECT_CHANCE = 0.7
_LURE_CHANCE = 0.25
_SHUN_CHANCE = 0.5
_PRONOUN_CHANCE = 0.2
_LEFT_CHANCE = 0.6


class Noise:
    """The weighted random sentences of a concept set.

    Args:
        concepts: Events and constructs with their weights.
        world: The events of the recipe's own.
    """

    def __init__(self, concepts: Concepts, world: WorldProgram) -> None:
        self.world = world
        self.names = concepts.names()
        self.tellers = tuple(_TELLERS.get(name) or _own_event(name, world) for name in self.names)
        self.cumulated = list(accumulate(concepts.weights[name] for name in self.names))
        self.total = self.cumulated[-1]
        self.coref = [event for event in ("move", "grab", "drop") if concepts.may_refer(event)]
        self.coref_cumulated = list(accumulate(concepts.coref[event] for event in self.coref))
        self.affirm = concepts.affirm
        self.handling = [_TELLERS[name] for name in ("grab", "drop", "give") if name in self.names]

    def draw_coref(self, rng: Random) -> str:
        """One event for a pronoun pair by weight."""
        return self.coref[bisect(self.coref_cumulated, rng.random() * self.coref_cumulated[-1])]


class Teller:
    """The sentences so far and what a reader makes of them.

    Args:
        rng: Where chance comes from.
        noise: What random sentences may be.
        persons: How many persons there are.
        objects: How many objects there are.
        places: How many places there are.
    """

    __slots__ = (
        "_guard_roots",
        "_guard_state",
        "far",
        "focus_objects",
        "focus_persons",
        "guards",
        "lure",
        "noise",
        "objects",
        "persons",
        "places",
        "pronouns",
        "reader",
        "reserved",
        "rng",
        "sentences",
        "shunned",
        "status",
        "touch",
        "used",
    )

    def __init__(self, rng: Random, noise: Noise, persons: int, objects: int, places: int) -> None:
        self.rng = rng
        self.noise = noise
        self.persons, self.objects, self.places = persons, objects, places
        self.sentences: list[Sentence] = []
        self.reader = Reader(persons, objects, noise.world)
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

    # -- telling ----------------------------------------------------------------------------------

    def say(self, sentence: Sentence) -> None:
        """Tell a sentence that the caller answers for."""
        self.sentences.append(sentence)
        self.reader.tell(sentence)

    def tell_something(self, room: int) -> bool:
        """Add one random action of at most `room` sentences; False where nothing fitted."""
        noise, random = self.noise, self.rng.random
        if self.touch and random() < self.touch and self._touch(room):
            return True
        if self.lure >= 0 and random() < _LURE_CHANCE and self._indef(room):
            return True
        if self.pronouns and room > 1 and random() < _PRONOUN_CHANCE and self._walk(room):
            self.pronouns -= 1
            return True
        tellers, cumulated, total = noise.tellers, noise.cumulated, noise.total
        tries = _TRIES
        while tries:  # any(...) would cost a generator for each sentence
            if tellers[bisect(cumulated, random() * total)](self, room):
                return True
            tries -= 1
        return False

    def _walk(self, room: int) -> bool:
        """Let somebody go somewhere and on from there, spoken with a pronoun."""
        if not self._move(room):
            return False
        _, who, place, _, _, _ = self.sentences[-1]
        self.say(Sentence(MOVE, who, self.elsewhere(place), -1, True))
        return True

    def _touch(self, room: int) -> bool:
        """Let somebody handle an object, most likely one that noise seeks."""
        handling = self.noise.handling
        return bool(handling) and room > 0 and handling[int(self.rng.random() * len(handling))](self, room)

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
        for _ in range(_TRIES):
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

    # -- random actions; each returns whether it could be done ------------------------------------------

    def _move(self, room: int) -> bool:
        who = self._somebody(_MOVES)
        if who < 0:
            return False
        self.say(Sentence(MOVE, who, self.elsewhere(self.known(who))))
        return True

    def _negate(self, room: int) -> bool:
        who = self._somebody(_MOVES)
        if who < 0:
            return False
        before = self.known(who)
        if self.rng.random() < self.noise.affirm:
            self.say(Sentence(AFFIRM, who, self.elsewhere(before)))
        else:
            # Mostly the place just left; not always, or places of people that matter would be named too often.
            left = before is not None and self.rng.random() < _LEFT_CHANCE
            self.say(Sentence(NEGATE, who, before if left and before is not None else self.elsewhere(before)))
        return True

    def _indef(self, room: int) -> bool:
        who = self._somebody(_MOVES)
        if who < 0:
            return False
        before = self.known(who)
        one = self.elsewhere(before) if self.lure in (-1, before) else self.lure
        other = self.elsewhere(before, one)
        if self.lure >= 0 and self.rng.random() < 0.5:
            one, other = other, one
        self.say(Sentence(INDEF, who, one, other))
        return True

    def _conj(self, room: int) -> bool:
        one, other = self._somebody(_MOVES), self._somebody(_MOVES)
        if one == other or one < 0 or other < 0:
            return False
        self.say(Sentence(CONJ, one, other, self.elsewhere(self.known(one), self.known(other))))
        return True

    def _compound(self, room: int) -> bool:
        if room < 2 or not self._conj(room):
            return False
        _, one, other, place, _, _ = self.sentences[-1]
        self.say(Sentence(CONJ, one, other, self.elsewhere(place), True))
        return True

    def _grab(self, room: int) -> bool:
        thing = self._something()
        reader = self.reader
        if thing < 0 or reader.holder[thing] >= 0:
            return False
        who = self._partner(reader.path[thing][-1][0], -1)
        if who < 0:
            return False
        self.say(Sentence(GRAB, who, thing))
        return True

    def _partner(self, stay: int, but: int) -> int:
        """A person who may be tied to a stay, or -1."""
        stays = self.reader.stay
        for _ in range(4):
            who = self._somebody(_HANDLES)
            if who >= 0 and who != but and self.may_join(stay, stays[who]):
                return who
        return -1

    def _held(self) -> int:
        """An object held by somebody noise may deal with, or -1."""
        holder = self.reader.holder
        for _ in range(2):
            thing = self._something()
            if thing >= 0 and holder[thing] >= 0 and self.status[holder[thing]] & _HANDLES:
                return thing
        return -1

    def _drop(self, room: int) -> bool:
        thing = self._held()
        if thing < 0:
            return False
        self.say(Sentence(DROP, self.reader.holder[thing], thing))
        return True

    def _give(self, room: int) -> bool:
        thing = self._held()
        if thing < 0:
            return False
        giver = self.reader.holder[thing]
        receiver = self._partner(self.reader.stay[giver], giver)
        if receiver < 0:
            return False
        self.say(Sentence(GIVE, giver, thing, receiver))
        return True

    def _coref(self, room: int) -> bool:
        if room < 2 or not self.noise.coref:
            return False
        if not _TELLERS[self.noise.draw_coref(self.rng)](self, room):
            return False
        who = self.sentences[-1].first
        for _ in range(_TRIES):
            second = self._again(who, self.noise.draw_coref(self.rng))
            if second is not None:
                self.say(second)
                return True
        return True  # the first sentence stands alone; it is fine by itself

    def _again(self, who: int, event: str) -> Sentence | None:
        """A second sentence about the same person, spoken with a pronoun."""
        if event == "move":
            if not self.status[who] & _MOVES:
                return None
            return Sentence(MOVE, who, self.elsewhere(self.known(who)), -1, True)
        thing = self._something()
        if thing < 0 or not self.status[who] & _HANDLES:
            return None
        reader = self.reader
        if event == "grab":
            fits = reader.holder[thing] < 0 and self.may_join(reader.path[thing][-1][0], reader.stay[who])
            return Sentence(GRAB, who, thing, -1, True) if fits else None
        return Sentence(DROP, who, thing, -1, True) if reader.holder[thing] == who else None

    # -- events of the recipe's own -----------------------------------------------------------------------

    def draw_roles(self, event: Program) -> list[int] | None:
        """People, objects and places for an event, all different."""
        roles: list[int] = []
        moved = {one for name, one, _, _ in event.ops if name in ("in", "either", "not", "with")}
        for position, sort in enumerate(event.sorts):
            if sort == "person":
                found = self._somebody(_MOVES if position in moved else _HANDLES)
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


def sentence_of(kind: int, roles: list[int], pronoun: bool = False) -> Sentence:
    """A sentence from its roles in order."""
    first, second, third, fourth = (*roles, -1, -1, -1)[:4]
    return Sentence(kind, first, second, third, pronoun, fourth)


def _own_event(name: str, world: WorldProgram) -> Callable[[Teller, int], bool]:
    kind = world.kind(name)
    event = world.events[kind]

    def tell(teller: Teller, room: int) -> bool:
        roles = teller.draw_roles(event)
        if roles is None or not teller.allows(event, roles):
            return False
        teller.say(sentence_of(kind, roles))
        return True

    return tell


_TELLERS: dict[str, Callable[[Teller, int], bool]] = {
    "move": Teller._move,
    "grab": Teller._grab,
    "drop": Teller._drop,
    "give": Teller._give,
    "coref": Teller._coref,
    "conj": Teller._conj,
    "compound": Teller._compound,
    "negate": Teller._negate,
    "indef": Teller._indef,
}
