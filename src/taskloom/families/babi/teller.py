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

from random import Random

from taskloom.families.babi.actions import Action, ActionTable
from taskloom.families.babi.casting import HANDLES, MOVES, Casting
from taskloom.families.babi.concepts import Concepts
from taskloom.families.babi.programs import WorldProgram
from taskloom.families.babi.story import AFFIRM, CONJ, DROP, GIVE, GRAB, INDEF, MOVE, NEGATE, Sentence

__all__ = ["Noise", "Teller", "sentence_of"]

_LURE_CHANCE = 0.25
_PRONOUN_CHANCE = 0.2
_LEFT_CHANCE = 0.6


class Noise(ActionTable):
    """The weighted random sentences of a concept set.

    Args:
        concepts: Events and constructs with their weights.
        world: The events of the recipe's own.
    """

    def __init__(self, concepts: Concepts, world: WorldProgram) -> None:
        own = {name: _own_event(name, world) for name in concepts.names() if name not in _TELLERS}
        super().__init__(concepts, {**_TELLERS, **own})
        self.world = world
        self.handling = [_TELLERS[name] for name in ("grab", "drop", "give") if name in self.names]


class Teller(Casting):
    """The random sentences of a story.

    Args:
        rng: Where chance comes from.
        noise: What random sentences may be.
        persons: How many persons there are.
        objects: How many objects there are.
        places: How many places there are.
    """

    __slots__ = ()

    table: Noise

    def __init__(self, rng: Random, noise: Noise, persons: int, objects: int, places: int) -> None:
        super().__init__(rng, noise, persons, objects, places, noise.world)

    # -- telling ----------------------------------------------------------------------------------

    def tell_something(self, room: int) -> bool:
        """Add one random action of at most `room` sentences; False where nothing fitted."""
        random = self.rng.random
        if self.touch and random() < self.touch and self._touch(room):
            return True
        if self.lure >= 0 and random() < _LURE_CHANCE and self._indef(room):
            return True
        if self.pronouns and room > 1 and random() < _PRONOUN_CHANCE and self._walk(room):
            self.pronouns -= 1
            return True
        return super().tell_something(room)

    def _walk(self, room: int) -> bool:
        """Let somebody go somewhere and on from there, spoken with a pronoun."""
        if not self._move(room):
            return False
        _, who, place, _, _, _ = self.sentences[-1]
        self.say(Sentence(MOVE, who, self.elsewhere(place), -1, True))
        return True

    def _touch(self, room: int) -> bool:
        """Let somebody handle an object, most likely one that noise seeks."""
        handling = self.table.handling
        return bool(handling) and room > 0 and handling[int(self.rng.random() * len(handling))](self, room)

    # -- random actions; each returns whether it could be done ------------------------------------------

    def _move(self, room: int) -> bool:
        who = self._somebody(MOVES)
        if who < 0:
            return False
        self.say(Sentence(MOVE, who, self.elsewhere(self.known(who))))
        return True

    def _negate(self, room: int) -> bool:
        who = self._somebody(MOVES)
        if who < 0:
            return False
        before = self.known(who)
        if self.rng.random() < self.table.affirm:
            self.say(Sentence(AFFIRM, who, self.elsewhere(before)))
        else:
            # Mostly the place just left; not always, or places of people that matter would be named too often.
            left = before is not None and self.rng.random() < _LEFT_CHANCE
            self.say(Sentence(NEGATE, who, before if left and before is not None else self.elsewhere(before)))
        return True

    def _indef(self, room: int) -> bool:
        who = self._somebody(MOVES)
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
        one, other = self._somebody(MOVES), self._somebody(MOVES)
        if one == other or one < 0 or other < 0:
            return False
        self.say(Sentence(CONJ, one, other, self.elsewhere(self.known(one), self.known(other))))
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
            who = self._somebody(HANDLES)
            if who >= 0 and who != but and self.may_join(stay, stays[who]):
                return who
        return -1

    def _held(self) -> int:
        """An object held by somebody noise may deal with, or -1."""
        holder = self.reader.holder
        for _ in range(2):
            thing = self._something()
            if thing >= 0 and holder[thing] >= 0 and self.status[holder[thing]] & HANDLES:
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

    def _again(self, who: int, event: str) -> Sentence | None:
        """A second sentence about the same person, spoken with a pronoun."""
        if event == "move":
            if not self.status[who] & MOVES:
                return None
            return Sentence(MOVE, who, self.elsewhere(self.known(who)), -1, True)
        thing = self._something()
        if thing < 0 or not self.status[who] & HANDLES:
            return None
        reader = self.reader
        if event == "grab":
            fits = reader.holder[thing] < 0 and self.may_join(reader.path[thing][-1][0], reader.stay[who])
            return Sentence(GRAB, who, thing, -1, True) if fits else None
        return Sentence(DROP, who, thing, -1, True) if reader.holder[thing] == who else None


def sentence_of(kind: int, roles: list[int], pronoun: bool = False) -> Sentence:
    """A sentence from its roles in order."""
    first, second, third, fourth = (*roles, -1, -1, -1)[:4]
    return Sentence(kind, first, second, third, pronoun, fourth)


def _own_event(name: str, world: WorldProgram) -> Action:
    kind = world.kind(name)
    event = world.events[kind]

    def tell(teller: Teller, room: int) -> bool:
        roles = teller.draw_roles(event)
        if roles is None or not teller.allows(event, roles):
            return False
        teller.say(sentence_of(kind, roles))
        return True

    return tell


_TELLERS: dict[str, Action] = {
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
