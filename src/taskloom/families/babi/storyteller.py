"""A story in the making: the sentences so far, what a reader makes of them, and random sentences that fit in.

There is no list of hidden places beside the text. The reader is exact (`reader`), so all that leaves its knowledge
free of contradiction is true in some world, and may be written. Random sentences (*noise*) may be about anybody and
anything, the people and objects of the question included, as long as they do not change what the support proves:

* a person who must stay where they are (`STAYS`) is not sent anywhere, but may still handle objects;
* places that the support ties together (*guarded* ones) are never tied to places that something is said about,
  nor to one another a second time, and who leaves one does not say where it was. What noise adds to them then hangs on
  them like a leaf and shortens no proof.
"""

from __future__ import annotations

from bisect import bisect
from collections.abc import Callable
from itertools import accumulate
from random import Random

from taskloom.families.babi.concepts import Concepts
from taskloom.families.babi.kinds import AFFIRM, CONJ, DROP, GIVE, GRAB, INDEF, LEFT, MOVE, NEGATE, Sentence
from taskloom.families.babi.mentions import TELLING
from taskloom.families.babi.reader import Reader
from taskloom.families.babi.worlds import PAPER_WORLD, WorldProgram

IDLE, TRAVELS, STAYS, FREE = range(4)
"""What noise may do with a person: nothing; send them to new places; let them handle objects; both."""

MOVES, HANDLES = TRAVELS, STAYS


_HANDLING = ("grab", "drop", "give")

Action = Callable[..., bool]
"""Tells something of at most so many sentences, about a person or object if one is given; False where that fails."""


class Noise:
    """The weighted random sentences of a concept set.

    Args:
        concepts: Events and constructs with their weights.
        world: The events of the recipe's own.
    """

    def __init__(self, concepts: Concepts, world: WorldProgram = PAPER_WORLD) -> None:
        from taskloom.families.babi.scene import own_event  # which is about storytellers

        self.names = concepts.names()
        own = {name: own_event(name, world) for name in self.names if name not in _ACTIONS}
        self.known: dict[str, Action] = {**_ACTIONS, **own}
        self.actions = tuple(self.known[name] for name in self.names)
        self.cumulated = list(accumulate(concepts.weights[name] for name in self.names))
        self.total = self.cumulated[-1]
        self.about = self._about(concepts, world)
        """What may be told of the person asked about, by the kind of mention."""
        self.coref = [event for event in ("move", "grab", "drop") if concepts.may_refer(event)]
        self.coref_cumulated = list(accumulate(concepts.coref[event] for event in self.coref))
        self.affirm = concepts.affirm
        self.world = world

    def _about(self, concepts: Concepts, world: WorldProgram) -> dict[str, list[Action]]:
        places = [name for name in ("move", "conj", "compound") if concepts.has(name)]
        own = [name for name in self.names if name not in _ACTIONS]
        places += [name for name in own if world.events[world.kind(name)].moves(0)]
        objects = [name for name in (*_HANDLING, *own) if name in self.names and name not in places]
        return {
            "place": [self.known[name] for name in places]
            + [Storyteller._affirm] * (concepts.has("negate") and concepts.affirm > 0),
            "open": [Storyteller._deny] * (concepts.has("negate") and concepts.affirm < 1)
            + [self.known["indef"]] * concepts.has("indef"),
            "object": [self.known[name] for name in objects] + [Storyteller._pair] * concepts.may_refer("grab", "drop"),
        }

    def draw_coref(self, rng: Random) -> str:
        """One event for a pronoun pair by weight."""
        return self.coref[bisect(self.coref_cumulated, rng.random() * self.coref_cumulated[-1])]


class Storyteller:
    """The sentences so far, what a reader makes of them, and whom and what noise may be about.

    Args:
        rng: Where chance comes from.
        table: What random sentences may be.
        persons: How many persons there are.
        objects: How many objects there are.
        places: How many places there are.
    """

    def __init__(self, rng: Random, table: Noise, persons: int, objects: int, places: int) -> None:
        self.rng, self.table = rng, table
        self.persons, self.objects, self.places = persons, objects, places
        self.sentences: list[Sentence] = []
        self.reader = Reader(persons, objects, table.world)
        self.status = [FREE] * persons
        self.reserved = [False] * objects
        self._every_place = (1 << places) - 1
        self.used = self.support_place = 0
        """The places drawn so far, and the one of the support, as bit sets."""
        self.guards: list[int] = []
        self._guard_state = (-1, -1)
        self._guard_roots: set[int] = set()
        self.focus_persons: list[int] = []
        """People of the support, whom noise seeks (or, where `far`, leaves alone)."""
        self.far = False
        """Whether noise keeps away from the people and objects of the support."""
        self.asked_person = self.topic = -1
        """The person asked about, and the object that is asked about if the plan can take it."""
        self.mentions: dict[str, int] = {}
        self.mention_times: list[tuple[int, int]] = []
        """What noise has yet to tell about them by kind, and from which sentence to which, the next time last; it tells
        no more."""
        self.topic_from = 0
        """The sentence from which on noise speaks of that object, and of all others but one: what was carried about for
        long has been everywhere."""
        self.goal = 0
        """Where that object has come to and must not come again, as a bit set."""
        self.distractor_place = -1
        """A place that noise likes to name beside another one: the place that the question names."""
        self.pronouns = 0
        """How many pronoun moves noise tells besides: a proof that has one must not stand out by it."""

    def say(self, sentence: Sentence) -> None:
        """Tell a sentence that the caller answers for."""
        self.sentences.append(sentence)
        self.reader.tell(sentence)

    # -- what may be said -----------------------------------------------------------------------------

    def known(self, person: int) -> int | None:
        """Where a person is known to be."""
        reader = self.reader
        return reader.place(reader.stay[person])

    def may_join(self, one: int, other: int) -> bool:
        """Whether noise may say that two stays share a place."""
        reader, parent = self.reader, self.reader.parent
        left = one if parent[one] == one else reader.root(one)
        right = other if parent[other] == other else reader.root(other)
        if left == right:
            return not self.guards or left not in self.guarded()
        if not reader.domain[left] & reader.domain[right]:
            return False
        if not self.guards:
            return True
        guarded = self.guarded()
        if left in guarded:
            return right not in guarded and self._adds_nothing(reader.domain[right], reader.domain[left])
        return right not in guarded or self._adds_nothing(reader.domain[left], reader.domain[right])

    @staticmethod
    def _adds_nothing(more: int, domain: int) -> bool:
        """Whether what is known of one stay leaves a guarded one as open as it is; that it is not here or there may."""
        return more < 0 and (domain < 0 or more & domain == domain)

    def fits(self, one: int, other: int) -> bool:
        """Whether two stays can share a place at all."""
        reader = self.reader
        return bool(reader.possible(one) & reader.possible(other))

    def guarded(self) -> set[int]:
        """The roots of the guarded stays; they change only when stays are tied together or guarded."""
        state = (self.reader.unions, len(self.guards))
        if state != self._guard_state:
            root = self.reader.root
            self._guard_state, self._guard_roots = state, {root(stay) for stay in self.guards}
        return self._guard_roots

    def here(self, person: int) -> int:
        """The places that a person must not be said to move to, as a bit set.

        These are where they are known to be, and where they may be if saying that they are not would tell something
        about a guarded place. A person who carries the object asked about does not take it to the same place again.
        """
        reader = self.reader
        stay = reader.stay[person]
        root = stay if reader.parent[stay] == stay else reader.root(stay)
        domain = reader.domain[root]
        if self.goal and reader.holder[self.topic] == person:
            return self.goal | max(domain, 0)
        if domain > 0 and (not domain & (domain - 1) or (self.guards and root in self.guarded())):
            return domain
        return 0

    def elsewhere(self, *places: int | None, avoid: int = 0) -> int:
        """A place that is none of these, likelier one that the story has not used yet; -1 where there is none.

        A story of few places gives its answer away to those who guess among the places it names.
        """
        for place in places:
            if place is not None and place >= 0:
                avoid |= 1 << place
        if not self._every_place & ~avoid:
            return -1
        random, count, again = self.rng.random, self.places, self.used
        while True:
            found = int(random() * count)
            if avoid >> found & 1:
                continue
            if again >> found & 1:
                again = self.support_place if again != self.support_place else 0
                continue
            self.used |= 1 << found
            return found

    def hold_back(self, place: int) -> int:
        """Keep noise from naming the place of the support, which is named there anyway, more often than others."""
        self.used |= 1 << place
        if self.rng.random() < TELLING.again:
            self.support_place = 1 << place
        return place

    # -- random sentences -------------------------------------------------------------------------------

    def tell(self, name: str, room: int = 2) -> bool:
        """Add one random action of this name; False where it could not be done."""
        return self.table.known[name](self, room)

    def tell_something(self, room: int) -> bool:
        """Add one random action of at most `room` sentences; False where nothing fitted."""
        table, random = self.table, self.rng.random
        if self.mention_times and self.mention_times[-1][0] <= len(self.sentences) and self._mention(room):
            return True
        if self.pronouns and room > 1 and random() < TELLING.pronoun and self._walk():
            self.pronouns -= 1
            return True
        actions, cumulated, total = table.actions, table.cumulated, table.total
        tries = TELLING.tries
        while tries:  # any(...) would cost a generator for each sentence
            if actions[bisect(cumulated, random() * total)](self, room):
                return True
            tries -= 1
        return False

    def fill(self, length: int) -> None:
        """Add random actions up to a number of sentences, as far as any fit."""
        while len(self.sentences) < length and self.tell_something(length - len(self.sentences)):
            pass

    def _mention(self, room: int) -> bool:
        """Tell something about the person or object asked about, if it is time and something can be told."""
        now = len(self.sentences)
        times = self.mention_times
        while times and times[-1][1] <= now:
            times.pop()
        if not times or times[-1][0] > now:
            return False
        for kind, left in self.mentions.items():
            if left and self._about(kind, room):
                self.mentioned(kind, len(self.sentences) - now)
                return True
        return False

    def mentioned(self, kind: str, count: int = 1) -> None:
        """Sentences of a kind about the person or object asked about were told."""
        self.mentions[kind] = max(0, self.mentions[kind] - count)
        del self.mention_times[-count:]

    def _about(self, kind: str, room: int) -> bool:
        table, random, who = self.table, self.rng.random, self.asked_person
        if kind in _HANDLING:
            known = kind in table.names and len(self.sentences) >= self.topic_from
            return known and _ACTIONS[kind](self, room, -1, self.topic)
        actions = table.about[kind]
        if who < 0 or not actions or not self.status[who] & (HANDLES if kind == "object" else MOVES):
            return False
        start = int(random() * len(actions))
        for number in range(len(actions)):  # noqa: SIM110 - any(...) would cost a generator for each sentence
            if actions[start - number](self, room, who):
                return True
        return False

    def _walk(self) -> bool:
        """Let somebody go somewhere and on from there, spoken with a pronoun."""
        if not self._move(2):
            return False
        second = self._again(self.sentences[-1].first, "move")
        if second is not None:
            self.say(second)
        return True

    def somebody(self, need: int) -> int:
        """A person whom noise may move, or let handle objects, or -1; never the one asked about."""
        random = self.rng.random
        status, asked = self.status, self.asked_person
        if self.focus_persons and not self.far and random() < TELLING.focus:
            who = self.focus_persons[int(random() * len(self.focus_persons))]
            if status[who] & need and who != asked:
                return who
        for _ in range(TELLING.tries):
            who = int(random() * self.persons)
            if status[who] & need and who != asked:
                return who
        return -1

    def _actor(self, need: int, who: int) -> int:
        """The person given, if noise may do this with them, or somebody; -1 where there is none."""
        if who < 0:
            return self.somebody(need)
        return who if self.status[who] & need else -1

    def something(self) -> int:
        """An object that noise may touch, or -1; never the one asked about."""
        thing = int(self.rng.random() * self.objects)
        if self.topic_from > len(self.sentences):
            thing = self.worn()
        return -1 if self.reserved[thing] or thing == self.topic else thing

    def worn(self) -> int:
        """The object that noise speaks of all the time; -1 in stories so short that it speaks of all."""
        return (self.topic + 1) % self.objects if self.topic_from > 0 else -1

    # Each action tells something of at most `room` sentences about a person or object, if one is given; it returns
    # whether it could be done.

    def _move(self, room: int, who: int = -1, thing: int = -1) -> bool:
        who = self._actor(MOVES, who)
        place = self.elsewhere(avoid=self.here(who)) if who >= 0 else -1
        if place < 0:
            return False
        self.say(Sentence(MOVE, who, place))
        return True

    def _negate(self, room: int, who: int = -1, thing: int = -1) -> bool:
        action = self._affirm if self.rng.random() < self.table.affirm else self._deny
        return action(room, who)

    def _affirm(self, room: int, who: int = -1, thing: int = -1) -> bool:
        who = self._actor(MOVES, who)
        if who < 0:
            return False
        carries = self.goal and self.reader.holder[self.topic] == who
        self.say(Sentence(AFFIRM, who, self.elsewhere(self.known(who), avoid=self.goal if carries else 0)))
        return True

    def _deny(self, room: int, who: int = -1, thing: int = -1) -> bool:
        who = self._actor(MOVES, who)
        if who < 0 or (self.goal and self.reader.holder[self.topic] == who):
            return False  # they might then be anywhere
        # Not always the place just left, or places of people that matter would be named too often.
        before = self.known(who)
        left = before is not None and self.rng.random() < TELLING.left
        self.deny(who, before if left and before is not None else self.elsewhere(before))
        return True

    def deny(self, who: int, place: int) -> None:
        """Say that a person is not in a place, or no longer there if they may have been."""
        reader = self.reader
        root = reader.root(reader.stay[who])
        may = reader.domain[root] >> place & 1 and not (self.guards and root in self.guarded())
        kind = LEFT if may and self.rng.random() < TELLING.no_longer else NEGATE
        self.say(Sentence(kind, who, place))

    def _indef(self, room: int, who: int = -1, thing: int = -1) -> bool:
        who = self._actor(MOVES, who)
        if who < 0:
            return False
        before, wished = self.known(who), self.distractor_place if self.rng.random() < TELLING.other_place else -1
        if self.goal and self.reader.holder[self.topic] == who:
            return False  # they might be back where the object has come to
        one = self.elsewhere(before) if wished in (-1, before) else wished
        other = self.elsewhere(before, one)
        if other < 0:
            return False
        if wished >= 0 and self.rng.random() < 0.5:
            one, other = other, one
        self.say(Sentence(INDEF, who, one, other))
        return True

    def _conj(self, room: int, who: int = -1, thing: int = -1) -> bool:
        one, other = self._actor(MOVES, who), self.somebody(MOVES)
        if one == other or one < 0 or other < 0:
            return False
        place = self.elsewhere(avoid=self.here(one) | self.here(other))
        if place < 0:
            return False
        if who >= 0 and self.rng.random() < 0.5:
            one, other = other, one
        self.say(Sentence(CONJ, one, other, place))
        return True

    def _compound(self, room: int, who: int = -1, thing: int = -1) -> bool:
        """Two people go somewhere, then "they" go on."""
        if room < 2 or not self._conj(room, who):
            return False
        _, one, other, _, _, _ = self.sentences[-1]
        place = self.elsewhere(avoid=self.here(one) | self.here(other))
        if place >= 0:
            self.say(Sentence(CONJ, one, other, place, True))
        return True

    def _grab(self, room: int, who: int = -1, thing: int = -1) -> bool:
        reader = self.reader
        if who >= 0:
            here = reader.stay[who]
            options = [each for each in self._things(-1) if self.may_join(reader.path[each][-1][0], here)]
            thing = options[int(self.rng.random() * len(options))] if options else -1
        elif thing < 0:
            thing = self.something()
        if thing < 0 or reader.holder[thing] >= 0 or self.reserved[thing]:
            return False
        who = self._partner(reader.path[thing][-1][0], -1) if who < 0 else who
        if who < 0:
            return False
        self.say(Sentence(GRAB, who, thing))
        return True

    def _things(self, owner: int) -> list[int]:
        """What a person holds, or what lies about (-1), of the objects that noise may touch."""
        reserved, topic = self.reserved, self.topic
        return [
            thing
            for thing, holder in enumerate(self.reader.holder)
            if holder == owner and thing != topic and not reserved[thing]
        ]

    def _partner(self, stay: int, but: int, who: int = -1) -> int:
        """A person who may be tied to a stay, or -1; the one given, if there is one."""
        stays = self.reader.stay
        for _ in range(4 if who < 0 else 1):
            found = self._actor(HANDLES, who)
            if found >= 0 and found != but and self.may_join(stay, stays[found]):
                return found
        return -1

    def _held(self, thing: int, who: int = -1) -> int:
        """An object held by somebody noise may deal with (by the person given), or -1."""
        holder = self.reader.holder
        if who >= 0:
            options = self._things(who) if who in holder else ()
            return options[int(self.rng.random() * len(options))] if options else -1
        for _ in range(2 if max(holder) >= 0 else 0):
            found = self.something() if thing < 0 else thing
            owner = holder[found] if found >= 0 and not self.reserved[found] else -1
            if owner >= 0 and self.status[owner] & HANDLES and owner != self.asked_person:
                return found
        return -1

    def _drop(self, room: int, who: int = -1, thing: int = -1) -> bool:
        thing = self._held(thing, who)
        if thing < 0:
            return False
        self.say(Sentence(DROP, self.reader.holder[thing], thing))
        return True

    def _give(self, room: int, who: int = -1, thing: int = -1) -> bool:
        receives = who >= 0 and self.rng.random() < 0.5
        thing = self._held(thing, -1 if receives else who)
        if thing < 0:
            return False
        giver = self.reader.holder[thing]
        receiver = self._partner(self.reader.stay[giver], giver, who if receives else -1)
        if receiver < 0:
            return False
        self.say(Sentence(GIVE, giver, thing, receiver))
        return True

    def _pair(self, room: int, who: int = -1, thing: int = -1) -> bool:
        """A person handles an object, and again, spoken with a pronoun."""
        actions = [_ACTIONS[name] for name in ("grab", "drop")]
        if room < 2 or not actions[int(self.rng.random() * 2)](self, room, who):
            return False
        second = self._again(who, "drop") or self._again(who, "grab")
        if second is not None:
            self.say(second)
        return True

    def _coref(self, room: int, who: int = -1, thing: int = -1) -> bool:
        """Somebody does something, and something else, spoken with a pronoun."""
        table = self.table
        if room < 2 or not table.coref:
            return False
        if not table.known[table.draw_coref(self.rng)](self, room, who):
            return False
        who = self.sentences[-1].first
        for _ in range(TELLING.tries):
            second = self._again(who, table.draw_coref(self.rng))
            if second is not None:
                self.say(second)
                return True
        return True  # the first sentence stands alone; it is fine by itself

    def _again(self, who: int, event: str) -> Sentence | None:
        """A second sentence about the same person, spoken with a pronoun."""
        if event == "move":
            place = self.elsewhere(avoid=self.here(who)) if self.status[who] & MOVES else -1
            return None if place < 0 else Sentence(MOVE, who, place, -1, True)
        thing = self.something()
        if thing < 0 or not self.status[who] & HANDLES:
            return None
        reader = self.reader
        if event == "grab":
            fits = reader.holder[thing] < 0 and self.may_join(reader.path[thing][-1][0], reader.stay[who])
            return Sentence(GRAB, who, thing, -1, True) if fits else None
        return Sentence(DROP, who, thing, -1, True) if reader.holder[thing] == who else None


_ACTIONS: dict[str, Action] = {
    "move": Storyteller._move,
    "grab": Storyteller._grab,
    "drop": Storyteller._drop,
    "give": Storyteller._give,
    "coref": Storyteller._coref,
    "conj": Storyteller._conj,
    "compound": Storyteller._compound,
    "negate": Storyteller._negate,
    "indef": Storyteller._indef,
}
