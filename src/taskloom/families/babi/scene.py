"""The scene of a plan: who takes part, which objects are at hand, and the small deeds that units are made of."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from taskloom.families.babi.grammar import Part
from taskloom.families.babi.kinds import DROP, GIVE, GRAB, MOVE, Sentence
from taskloom.families.babi.mentions import TELLING
from taskloom.families.babi.storyteller import FREE, HANDLES, IDLE, MOVES, STAYS, Action, Storyteller
from taskloom.families.babi.worlds import Op, Program, WorldProgram


def draw_roles(story: Storyteller, event: Program) -> list[int] | None:
    """People, objects and places for an event, all different."""
    roles: list[int] = []
    for position, sort in enumerate(event.sorts):
        if sort == "person":
            found = story.somebody(MOVES if event.moves(position) else HANDLES)
        else:
            found = story.something() if sort == "object" else int(story.rng.random() * story.places)
        if found < 0 or any(roles[i] == found for i in range(position) if event.sorts[i] == sort):
            return None
        roles.append(found)
    return roles


def allows(story: Storyteller, event: Program, roles: list[int], *, core: bool = False) -> bool:
    """Whether an event may happen to these people, objects and places now.

    Args:
        story: The story so far.
        event: The event.
        roles: Who and what takes part.
        core: Whether it belongs to the support, which may tie guarded places together.
    """
    reader = story.reader
    join = story.fits if core else story.may_join
    if len({*zip(event.sorts, roles, strict=True)}) < len(roles):
        return False  # nobody and nothing takes part twice
    for attribute, position, value in event.requires:
        known = reader.values.get((attribute, roles[position]))
        if known is None or known[0] != value:
            return False
    for who, spot, there in event.before:
        root = reader.root(reader.stay[roles[who]])
        places = 1 << roles[spot] if there else ~(1 << roles[spot])
        told = reader.domain[root] & places
        # Noise must not tell anything new about a guarded place, nor the text contradict itself.
        if not told or (not core and told != reader.domain[root] and root in story.guarded()):
            return False
    return all(_allows_effect(story, op, roles, core, join) for op in event.ops)


def _allows_effect(story: Storyteller, op: Op, roles: list[int], core: bool, join: Callable[[int, int], bool]) -> bool:
    reader = story.reader
    name, one, two, three = op
    if name == "copy":
        return (one, roles[three]) in reader.values
    if name == "set":
        known = reader.values.get((one, roles[two]))
        return known is None or known[0] != three
    if name in ("not", "either"):
        return True  # a new stay, of which nothing else is known yet
    who, other = roles[one], roles[two]
    stay = reader.stay[who]
    if name == "in":
        return story.known(who) != other
    if name == "meet":
        return join(stay, reader.stay[other])
    if name == "with":  # not somebody they are together with already
        place = story.known(who)
        return reader.root(stay) != reader.root(reader.stay[other]) and (place is None or place != story.known(other))
    if name == "at":
        return bool(reader.possible(stay) >> other & 1) and (core or reader.root(stay) not in story.guarded())
    if name == "drop":
        return reader.holder[other] == who
    if name == "give":
        return reader.holder[other] == who and join(stay, reader.stay[roles[three]])
    return (name == "touch" or reader.holder[other] < 0) and join(reader.path[other][-1][0], stay)


def sentence_of(kind: int, roles: Sequence[int], pronoun: bool = False) -> Sentence:
    """A sentence from its roles in order."""
    first, second, third, fourth = (*roles, -1, -1, -1)[:4]
    return Sentence(kind, first, second, third, pronoun, fourth)


def own_event(name: str, world: WorldProgram) -> Action:
    """The action that tells an event of a recipe's own."""
    kind = world.kind(name)
    event = world.events[kind]

    def tell(story: Storyteller, room: int, who: int = -1, thing: int = -1) -> bool:
        roles = draw_roles(story, event)
        if roles is None:
            return False
        if who >= 0:
            roles[0] = who
            if not story.status[who] & (MOVES if event.moves(0) else HANDLES):
                return False
        if not allows(story, event, roles):
            return False
        story.say(sentence_of(kind, roles))
        return True

    return tell


class Unit(NamedTuple):
    """Sentences that stand together.

    Attributes:
        need: How many sentences it may take at the most.
        act: Tells them; False where the story so far does not allow it.
        subject: Who acts in it, -1 where it does not matter.
        pairs: Whether it can be spoken with a pronoun right behind a unit of the same subject.
        refers: Whether a pronoun right behind it can refer to its subject.
        least: How many sentences it takes where everything is at hand; -1 where that is `need`.
        after: How many sentences at least come before it, if there is room.
    """

    need: int
    act: Callable[[], bool]
    subject: int = -1
    pairs: bool = False
    refers: bool = False
    least: int = -1
    after: int = 0


class Scene:
    """People and objects of one story in the making.

    Args:
        teller: The story in the making.
        referring: The events that may stand in a pronoun pair.
    """

    def __init__(self, teller: Storyteller, referring: Sequence[int]) -> None:
        self.teller = teller
        self.referring = referring
        self.rng = teller.rng
        self.units: list[Unit] = []
        self.asked = -1
        """The person or object the question is about, once the units have been written."""
        self.goal = self.arrived_at = -1
        """Where the asked object went to, and where it (or the asked person) was put first."""
        self.place = -1
        """The place that the answer should be, where it is one; -1 for any."""
        self.wish = ""
        """The wished answer to a yes-no question."""
        self.tempting = -1
        """A place that the text seems to put the person asked about in, if the answer is to be no."""
        self.long = False
        """Whether so much happens before a unit's turn that others have taken what it needs."""
        self.pinned = False
        """Whether other sentences of the plan depend on the place of its source."""
        self.favourite = -1
        """The object that the plan takes where it can, so that noise can be about it beforehand."""
        if not teller.far and teller.objects:
            self.favourite = int(self.rng.random() * teller.objects)
        self.spares: list[int] = []
        """Objects kept for the plan: noise leaves them alone until the plan needs one."""
        self.head = self.tail = 0
        """How many sentences at least come before the first unit and after the last, if there is room."""
        self._people = list(range(teller.persons))
        self._carries: dict[int, int] = {}
        self.stocked: set[int] = set()
        """People who will hold something when their turn comes."""
        self._pronoun = False

    # -- casting ------------------------------------------------------------------------------------------

    def person(self, status: int = FREE) -> int:
        """A person who does not take part yet.

        Raises:
            LookupError: Everybody does.
        """
        if not self._people:
            raise LookupError("too few people")
        who = self._people.pop(int(self.rng.random() * len(self._people)))
        self.hold(who, status)
        return who

    def hold(self, who: int, status: int) -> None:
        """What noise may do with a person of the plan."""
        self.teller.status[who] = IDLE if self.teller.far else status
        if who not in self.teller.focus_persons:
            self.teller.focus_persons.append(who)

    def guard(self, who: int) -> None:
        """Keep a person's present place from being tied to anything known."""
        self.teller.guards.append(self.teller.reader.stay[who])

    # -- telling ------------------------------------------------------------------------------------------

    def say(self, kind: int, *roles: int, pronoun: bool = False) -> bool:
        """Tell a sentence; its subject is a pronoun where the unit is spoken as the second of a pair."""
        paired, self._pronoun = self._pronoun, False
        if paired:
            last = self.teller.sentences[-1]
            if last.first != roles[0] or last.kind not in self.referring or kind not in self.referring:
                return False
        self.teller.say(sentence_of(kind, roles, pronoun or paired))
        return True

    def perform(self, unit: Unit, paired: bool) -> bool:
        """Tell a unit, with a pronoun for its subject where `paired`."""
        self._pronoun = paired
        done = unit.act()
        return done and not self._pronoun

    def free_objects(self, who: int) -> list[int]:
        """Objects that a person could take now without giving anything away; known ones first."""
        teller = self.teller
        reader = teller.reader
        return [
            thing
            for thing in range(teller.objects)
            if reader.holder[thing] < 0
            and (
                (not teller.reserved[thing] and teller.may_join(reader.path[thing][-1][0], reader.stay[who]))
                # Spare objects were handled by no one, or by people whose place is unknown.
                or (thing in self.spares and teller.fits(reader.path[thing][-1][0], reader.stay[who]))
            )
        ]

    def choose(self, things: Sequence[int]) -> int:
        """One of several objects; those already mentioned are likelier, unless noise must keep away."""
        worn = self.teller.worn()
        things = [thing for thing in things if thing != worn] or things
        if self.favourite in things and self.rng.random() < TELLING.favourite:
            return self._chosen(self.favourite)
        path = self.teller.reader.path
        mentioned = [thing for thing in things if len(path[thing]) > 1]
        if self.teller.far:
            mentioned = [thing for thing in things if thing not in mentioned] or mentioned
        pool = mentioned if mentioned and self.rng.random() < 0.8 else list(things)
        return self._chosen(pool[int(self.rng.random() * len(pool))])

    def _chosen(self, thing: int) -> int:
        if thing in self.spares:
            self.spares.remove(thing)
            self.teller.reserved[thing] = False
        return thing

    def keep_spares(self, count: int) -> None:
        """Keep some objects from noise for when the plan needs them."""
        things = [thing for thing in range(self.teller.objects) if thing != self.favourite]
        self.rng.shuffle(things)
        self.spares = things[:count]
        for thing in self.spares:
            self.teller.reserved[thing] = True

    def prelude(self) -> None:
        """Let a person whose place is unknown handle the spare object before the plan needs it."""
        names = self.teller.table.names
        if not self.spares or len(self._people) < 3 or self.teller.far or "drop" not in names or "grab" not in names:
            return
        thing, who = self.spares[0], self.person(STAYS)
        self.guard(who)

        def handle(kind: int) -> Callable[[], bool]:
            return lambda: thing not in self.spares or self.say(kind, who, thing)

        def leave() -> bool:
            self.hold(who, FREE)
            return True

        for _ in range(1 + int(self.rng.random() * 3)):
            self.units.append(Unit(1, handle(GRAB)))
            self.units.append(Unit(1, handle(DROP)))
        self.units.append(Unit(0, leave))

    def fetch(self, who: int, thing: int) -> bool:
        """Bring a person and an object together, wherever it is known to be; outside the support."""
        teller = self.teller
        reader = teller.reader
        if thing < 0 or teller.reserved[thing] or reader.holder[thing] == who or len(reader.path[thing]) < 2:
            return False
        holder, stay = reader.holder[thing], reader.path[thing][-1][0]
        place = reader.place(stay)
        joins = teller.may_join(stay, reader.stay[who])
        if not joins and (place is None or "move" not in teller.table.names or teller.known(who) == place):
            return False
        if holder >= 0:
            if not teller.status[holder] & STAYS or "drop" not in teller.table.names:
                return False
            self.say(DROP, holder, thing)
        if not joins and place is not None:
            self.say(MOVE, who, place)
        return True

    def _obtain(self, who: int, to: int = -1) -> int:
        """Let a person take some object, outside the support; -1 where none is at hand."""
        paired, self._pronoun = self._pronoun, False
        things = self.free_objects(who)
        if to >= 0:
            reader = self.teller.reader
            place = reader.stay[to]
            things = [thing for thing in things if self.teller.may_join(reader.path[thing][-1][0], place)]
        if not things and self.long and not paired:
            things = self.freed(who)
        if not things or paired or "grab" not in self.teller.table.names:
            return -1
        thing = self.choose(things)
        return thing if self.say(GRAB, who, thing) else -1

    def held(self, who: int, *but: int) -> list[int]:
        teller = self.teller
        return [
            thing
            for thing, holder in enumerate(teller.reader.holder)
            if holder == who and not teller.reserved[thing] and thing not in but
        ]

    def carry(self, who: int, thing: int) -> None:
        """Keep an object in somebody's hands for the next link."""
        self._carries[who] = thing
        self.teller.reserved[thing] = True

    def carried(self, who: int) -> int:
        """The object kept in somebody's hands, free again; -1 where there is none."""
        thing = self._carries.pop(who, -1)
        if thing >= 0:
            self.teller.reserved[thing] = False
        return thing

    def ask_about(self, thing: int, who: int, status: int) -> bool:
        """The question will be about this object, which a person has had to do with."""
        self.asked = thing
        self.teller.reserved[thing] = True
        self.hold(who, status)
        return True

    def hand(self, who: int, to: int = -1) -> int:
        """An object in a person's hands, taken up first where there is none; -1 where that fails.

        Args:
            who: The person.
            to: Who gets it next: taking it up must not put the two into different places.
        """
        thing = self.carried(who)
        if thing >= 0:
            return thing
        held = self.held(who)
        if held:
            return self.choose(held)
        return self._obtain(who, to)

    def ready_to_drop(self, who: int, before: int) -> int:
        """An object that a person can put down now, after an event that the pronoun refers back to; -1 for none."""
        thing = self.carried(who)
        if before == GRAB and thing < 0 and not self.held(who):
            return self._obtain(who)  # "Ann got the milk. Then she dropped the milk."
        thing = thing if thing >= 0 else self.hand(who)
        if thing >= 0 and before >= 0 and not self.lead_in(before, who, but=thing):
            return -1
        return thing

    def cast(self, kind: int, fixed: dict[int, int], *, core: bool = True) -> bool:
        """Tell an event of the recipe's own with some roles given, the rest drawn."""
        teller = self.teller
        event = teller.table.world.events[kind]
        for _ in range(TELLING.companions):
            roles = draw_roles(teller, event)
            if roles is None:
                roles = [0] * len(event.sorts)
            for position, value in fixed.items():
                roles[position] = value
            if allows(teller, event, roles, core=core):
                return self.say(kind, *roles)
        return False

    def lead_in(self, kind: int, who: int, *, but: int = -1, avoid: int | None = None, taking: bool = False) -> bool:
        """Tell something of a person that the next sentence's pronoun refers back to, with what that needs.

        Args:
            kind: The event.
            who: The person.
            but: An object that it must not be about.
            avoid: A place that it must not lead to.
            taking: Whether it must lead to where something can be taken.
        """
        teller = self.teller
        if kind == MOVE:
            place = self._object_place(who) if taking else teller.elsewhere(avoid, avoid=teller.here(who))
            if taking and place < 0 and self.freed(who, anywhere=True):
                place = self._object_place(who)
            return place >= 0 and self.say(MOVE, who, place)
        if kind not in (GRAB, DROP):
            return self.cast(kind, {0: who})
        if kind == GRAB or not self.held(who, but):
            things = [thing for thing in self.free_objects(who) if thing != but]
            able = bool(things) and (kind == GRAB or "grab" in teller.table.names)
            if not able or not self.say(GRAB, who, self.choose(things)):
                return False
        return kind == GRAB or self.say(DROP, who, self.choose(self.held(who, but)))

    def freed(self, who: int, *, anywhere: bool = False) -> list[int]:
        """An object that somebody else puts down, where a person may be or `anywhere`, if there is one."""
        teller, holder = self.teller, self.teller.reader.holder
        for thing, owner in enumerate(holder) if "drop" in teller.table.names else ():
            if (
                owner >= 0
                and owner != who
                and not teller.reserved[thing]
                and teller.status[owner] & STAYS
                and (anywhere or teller.may_join(teller.reader.stay[owner], teller.reader.stay[who]))
                and self.say(DROP, owner, thing)
            ):
                return [thing]
        return []

    def _object_place(self, who: int) -> int:
        """Where some object lies, or may lie, that a person could take after going there; -1 where there is none."""
        teller, reader = self.teller, self.teller.reader
        here = teller.here(who)
        places = []
        for thing, holder in enumerate(reader.holder):
            if holder < 0 and (not teller.reserved[thing] or thing in self.spares):
                domain = reader.possible(reader.path[thing][-1][0])
                place = domain.bit_length() - 1 if domain > 0 else teller.elsewhere(avoid=here | ~domain)
                if place >= 0 and not here >> place & 1:
                    places.append(place)
        return places[int(self.rng.random() * len(places))] if places else -1

    def pass_on(self, kind: int, giver: int, thing: int, taker: int) -> bool:
        """Give an object to a person by any event that does it."""
        if kind == GIVE:
            return self.say(GIVE, giver, thing, taker)
        _, one, two, three = self.teller.table.world.events[kind].op("give")
        return self.cast(kind, {one: giver, two: thing, three: taker})

    def handle(self, kind: int, name: str, who: int, thing: int, *, pronoun: bool = False) -> bool:
        """Take or drop an object by any event that does it."""
        if kind in (GRAB, DROP):
            return self.say(kind, who, thing, pronoun=pronoun)
        _, one, two, _ = self.teller.table.world.events[kind].op(name)
        self._pronoun = self._pronoun or pronoun
        return self.cast(kind, {one: who, two: thing})


class Possessions(Scene):
    """Units in which objects are taken, received, brought and put down."""

    def stock(self, who: int) -> None:
        """Let a person take an object along before their place is stated, if one is at hand; outside the support."""
        if self.teller.far:
            return
        self.stocked.add(who)
        keeps = self.rng.random() < TELLING.keep or self.long

        def act() -> bool:
            if "grab" not in self.teller.table.names:
                return True
            thing = -1
            if self.fetch(who, self.favourite) and self.favourite in self.free_objects(who):
                thing = self.favourite
                self.say(GRAB, who, thing)
            elif not self.held(who):
                thing = self._obtain(who)
            if thing >= 0 and keeps:
                self.carry(who, thing)
            return True

        self.units.append(Unit(3, act))

    def take(self, part: Part, who: int, *, status: int = STAYS, fetch: bool = False) -> None:
        """A person comes to hold the asked object; `fetch` lets them go and get the favourite one."""
        kind, before = part.kinds[0], part.before[0]
        fetch = fetch and not self.teller.far and self.rng.random() < TELLING.fetch

        def act() -> bool:
            paired, self._pronoun = self._pronoun, False
            fetched = fetch and not paired and self.fetch(who, self.favourite)
            if before >= 0 and not self.lead_in(before, who, taking=True):
                return False
            things = self.free_objects(who) or ([] if paired or before >= 0 else self.freed(who))
            if not things:
                return False
            thing = self.favourite if fetched and self.favourite in things else self.choose(things)
            self._pronoun = paired
            if not self.handle(kind, "take", who, thing, pronoun=before >= 0):
                return False
            return self.ask_about(thing, who, status)

        need = 2 + (before >= 0) + 2 * fetch
        self.units.append(Unit(need, act, who, pairs=before < 0, refers=before < 0, least=1 + (before >= 0)))

    def receive(self, part: Part, who: int, *, status: int = STAYS) -> None:
        """Somebody gives the asked object to a person whose place is stated later."""

        def act() -> bool:
            teller = self.teller
            givers = [
                giver
                for giver in range(teller.persons)
                if giver != who
                and teller.status[giver] & STAYS
                and teller.may_join(teller.reader.stay[giver], teller.reader.stay[who])
                and (self.held(giver) or self.free_objects(giver))
            ]
            if not givers:
                return False
            holding = [giver for giver in givers if self.held(giver)]
            pool = holding or givers
            giver = pool[int(self.rng.random() * len(pool))]
            thing = self.hand(giver, to=who)
            if thing < 0 or not teller.may_join(teller.reader.stay[giver], teller.reader.stay[who]):
                return False
            if not self.pass_on(part.kinds[0], giver, thing, who):
                return False
            return self.ask_about(thing, who, status)

        self.units.append(Unit(2, act))

    def bring(self, part: Part, place: int) -> int:
        """A person takes the asked object and then goes to a place, in one breath."""
        who = self.person()
        fetch = not self.teller.far and self.rng.random() < TELLING.fetch

        def tell() -> bool:
            teller = self.teller
            fetched = fetch and self.fetch(who, self.favourite)
            things = self.free_objects(who)
            if not things or teller.known(who) == place:
                return False
            thing = self.favourite if fetched and self.favourite in things else self.choose(things)
            if not self.handle(part.kinds[0], "take", who, thing):
                return False
            self.say(part.kinds[1], who, place, pronoun=True)
            self.arrived_at = place
            self.guard(who)
            return self.ask_about(thing, who, STAYS)

        self.units.append(Unit(2 + 2 * fetch, tell, who))
        return who

    def put_down(self, part: Part, who: int) -> None:
        """A person puts the asked object down where they are."""
        kind, before = part.kinds[0], part.before[0]

        def act() -> bool:
            paired, self._pronoun = self._pronoun, False
            thing = self.ready_to_drop(who, before)
            self._pronoun = paired
            if thing < 0 or not self.handle(kind, "drop", who, thing, pronoun=before >= 0):
                return False
            return self.ask_about(thing, who, FREE)

        self.units.append(Unit(2 + 2 * (before >= 0), act, who, pairs=before < 0))
