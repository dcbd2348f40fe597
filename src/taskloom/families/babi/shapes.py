"""The proofs that each kind of question can have, as skeletons of parts, and how they become plans."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache, partial
from random import Random
from typing import NamedTuple

from taskloom.families.babi.concepts import Concepts
from taskloom.families.babi.grammar import Grammar, Part, Skeleton, Stage, Ways
from taskloom.families.babi.kinds import GIVE, GIVE_QUESTIONS, MOVE
from taskloom.families.babi.mentions import TELLING
from taskloom.families.babi.plans import StoryPlan
from taskloom.families.babi.scene import Unit
from taskloom.families.babi.storyteller import FREE, IDLE, STAYS, TRAVELS
from taskloom.families.babi.worlds import QuestionProgram, WorldProgram

_COPIES = 100
_COMMON = 5
_DELIVERING = ("link give", "link drop-take")


class Shape(NamedTuple):
    """One way to build a support: the name of its skeleton and its parts, in order."""

    skeleton: str
    parts: tuple[Part, ...]

    def labels(self) -> frozenset[str]:
        """The events and constructs of the support."""
        return frozenset(label for part in self.parts for label in part.labels)


class Shapes:
    """Every proof that a concept set allows.

    Args:
        concepts: Events and constructs.
        world: The world's programs.
        persons: How many people there are: each link needs one more.
    """

    def __init__(self, concepts: Concepts, world: WorldProgram, persons: int) -> None:
        self._most = max(0, persons - 1)
        self.grammar = Grammar(concepts, world)
        self.world = world
        self.ways = lru_cache(maxsize=None)(self._ways)
        self.skeletons = lru_cache(maxsize=None)(self._skeletons)
        self._fitting = lru_cache(maxsize=None)(self._fits)
        self.carrying = lru_cache(maxsize=None)(partial(Carrying, self.grammar))

    # -- which there are -------------------------------------------------------------------------------------

    def _ways(self, kind: int, wish: str, wanted: frozenset[str], exact: bool) -> tuple[tuple[str, Ways], ...]:
        """The skeletons of a kind of question with their ways to a composition.

        Args:
            kind: The kind of question.
            wish: "yes", "no", "maybe" for the answer to a yes-no question; "double" for two eithers that settle a
                place together; "" for any.
            wanted: Events and constructs that must all occur.
            exact: Whether no others may.
        """
        return tuple(
            (name, Ways(skeleton, wanted, exact))
            for name, skeleton in self.skeletons(kind).items()
            if all(stage.parts or stage.repeat for stage in skeleton) and _suits(name, wish)
        )

    def _skeletons(self, kind: int) -> dict[str, Skeleton]:
        if kind in GIVE_QUESTIONS:
            gives = [part for part in self.grammar.carried() if part.role == "hold receive"]
            return {"gift": (Stage(tuple(gives)),)}
        asked = self.world.questions[kind]
        if asked.find in ("place", "truth"):
            return self._object() if asked.sorts[0] == "object" else self._person(open_too=asked.find == "truth")
        if asked.find == "origin":
            leaves = Stage(self.grammar.leaves())
            found: dict[str, Skeleton] = {f"{name} left": (*stages, leaves) for name, stages in self._ends().items()}
            return found | {"pair": (Stage(self.grammar.carried()), Stage(self.grammar.pairs()))}
        return self._own(asked)

    def _chains(self) -> dict[str, Skeleton]:
        grammar = self.grammar
        links = grammar.links()
        return {
            "told": (Stage(grammar.sources()), Stage(links, repeat=True, most=self._most)),
            "double": (Stage(grammar.double_sources()), Stage(links, repeat=True, least=1, most=self._most)),
        }

    def _person(self, *, open_too: bool) -> dict[str, Skeleton]:
        found = {f"{name} chain": skeleton for name, skeleton in self._chains().items()}
        if open_too:
            links = Stage(self.grammar.links(), repeat=True, most=self._most)
            for part in self.grammar.open_sources():
                found[f"open {part.role.removeprefix('source ')} chain"] = (Stage((part,)), links)
        return found

    def _ends(self) -> dict[str, Skeleton]:
        """An object that somebody of a chain holds at its end."""
        grammar = self.grammar
        delivering = tuple(part for part in grammar.links() if part.role in _DELIVERING)
        found: dict[str, Skeleton] = {}
        for name, (source, links) in self._chains().items():
            found[f"{name} held"] = (source, links, Stage(grammar.holds()))
            found[f"{name} linked"] = (source, links._replace(least=0, most=self._most - 1), Stage(delivering))
        found["carried"] = (Stage(grammar.carried()), Stage(grammar.sources()))
        found["brought"] = (Stage(grammar.brought()),)
        return found

    def _object(self) -> dict[str, Skeleton]:
        found = self._ends()
        for name, (source, links) in self._chains().items():
            found[f"{name} dropped"] = (source, links, Stage(self.grammar.dropped()))
        return found

    def _own(self, asked: QuestionProgram) -> dict[str, Skeleton]:
        """Questions of the recipe's own."""
        grammar = self.grammar
        if asked.find == "holder":
            return {"holder": (Stage(grammar.carried()),)}
        if asked.find == "role":
            known = asked.event in grammar.kinds
            return {"event": (Stage((grammar.part("event", asked.event),) if known else ()),)}
        attribute = self.world.attribute(asked.attribute)
        sets, copies = (
            tuple(
                grammar.part(name, number)
                for number in grammar.kinds
                if any(op[:2] == (name, attribute) for op in self.world.events[number].ops)
            )
            for name in ("set", "copy")
        )
        return {"value": (Stage(sets), Stage(copies, repeat=True, most=_COPIES))}

    # -- how they are written -----------------------------------------------------------------------------------

    def build(self, plan: StoryPlan, shape: Shape) -> None:
        """Add the units of a shape to a plan.

        Raises:
            LookupError: There are too few people for it.
        """
        name, parts = shape
        place = plan.teller.hold_back(plan.teller.elsewhere(None) if plan.place < 0 else plan.place)
        left = parts[-1] if name.endswith(" left") else None
        inner = list(parts[:-1] if left else parts)
        if name == "gift":
            plan.receive(inner[0], plan.person(), status=FREE)
        elif name == "holder":
            self._carry(plan, inner[0], plan.person(), roam=True)
        elif name in ("event", "value"):
            self._own_events(plan, name, inner)
        elif name == "pair":
            self._pair(plan, inner)
        else:
            who = self._place(plan, name.removesuffix(" left"), inner, place, left is not None)
            if left is not None:
                plan.arrive(left, who, -1, guarded=False, status=FREE)
                self._onward(plan)

    def _place(self, plan: StoryPlan, name: str, parts: list[Part], place: int, left: bool) -> int:
        """Everything up to the object's (or person's) place; returns whose place it is."""
        if name == "brought":
            plan.head = _head(plan, left)
            return plan.bring(parts[0], place)
        if name == "carried":
            who = plan.person()
            plan.head = _head(plan, left)
            self._carry(plan, parts[0], who, roam=plan.rng.random() >= TELLING.stay)
            source = parts[1]
            plan.arrive(source, who, place, guarded=source.cost > 1)
            return who
        manner = name.rpartition(" ")[2]
        links = parts[1:] if manner in ("chain", "linked") else parts[1:-1]
        first = plan.person()
        if manner != "chain":
            plan.head = _head(plan, left)
            if manner == "dropped" and not links:
                plan.stock(first)
        who = plan.chain(
            parts[0],
            links,
            first=first,
            place=place,
            deliver=manner == "linked",
            taking=manner == "held",
            asked=manner == "chain",
        )
        if manner == "chain":
            plan.asked = plan.teller.asked_person = who
            if plan.rng.random() < TELLING.late:
                plan.tail = int(plan.rng.random() * TELLING.tail)
            else:
                plan.head = int(plan.rng.random() * TELLING.tail)
        elif manner == "held":
            plan.take(parts[-1], who, fetch=not links and parts[0].cost == 1)
            if links:
                plan.early()
        elif manner == "dropped":
            plan.put_down(parts[-1], who)
        else:
            plan.linked(who)
        return who

    @staticmethod
    def _carry(plan: StoryPlan, part: Part, who: int, *, roam: bool) -> None:
        status = FREE if roam else STAYS
        if part.role == "hold receive":
            plan.receive(part, who, status=status)
        else:
            plan.take(part, who, status=status, fetch=True)

    def _pair(self, plan: StoryPlan, parts: list[Part]) -> None:
        who = plan.person()
        self._carry(plan, parts[0], who, roam=plan.rng.random() >= TELLING.stay)
        # The first sentence of the pair is the antecedent of the second, so both ends are written at once.
        source = parts[1]._replace(role=parts[1].role.replace("pair", "source"))
        if source.kinds[0] == source.before[-1]:
            source = source._replace(kinds=source.kinds[1:], before=source.before[1:])
        plan.arrive(source, who, -1, guarded=False, status=FREE)
        self._onward(plan)

    @staticmethod
    def _onward(plan: StoryPlan) -> None:
        """After the move that is asked about, the object may go on: that is a distraction like others."""
        onward = not plan.teller.far and plan.rng.random() < TELLING.onward
        last = plan.units.pop()

        def act() -> bool:
            if not last.act():
                return False
            plan.teller.topic, plan.teller.goal = plan.asked, 1 << plan.goal
            plan.teller.reserved[plan.asked] = not onward
            return True

        plan.units.append(last._replace(act=act))
        if onward and not plan.head:
            plan.tail = int(plan.rng.random() * TELLING.tail)

    def _own_events(self, plan: StoryPlan, name: str, parts: list[Part]) -> None:
        """An event of the recipe's own that is asked about, or a value handed on from one to another."""
        owner = [-1]

        def teller(part: Part) -> None:
            kind = part.kinds[0]
            event = self.world.events[kind]
            if name == "event":
                plan.units.append(Unit(1, lambda: plan.cast(kind, {})))
                return
            position = next(op[2] for op in event.ops if op[0] == part.role)
            source = next((op[3] for op in event.ops if op[0] == "copy"), -1)

            def act() -> bool:
                fixed = {source: owner[0]} if part.role == "copy" else {}
                if not plan.cast(kind, fixed):
                    return False
                owner[0] = plan.asked = plan.teller.sentences[-1].roles[position]
                return True

            plan.units.append(Unit(1, act))

        for part in parts:
            teller(part)

    @staticmethod
    def _fits(ways: tuple[tuple[str, Ways], ...], size: int) -> list[tuple[str, Ways]]:
        return [(name, way) for name, way in ways if way.possible(size) for _ in range(_weight(name))]

    def draw(self, ways: tuple[tuple[str, Ways], ...], size: int, rng: Random) -> Shape:
        """A shape of this size."""
        fitting = self._fitting(ways, size)
        name, way = fitting[int(rng.random() * len(fitting))]
        return Shape(name, tuple(way.draw(size, rng)))


def _weight(skeleton: str) -> int:
    """How often a skeleton is drawn."""
    # Two open statements that settle a place together are rare in stories, and so is a pronoun move behind a grab.
    if skeleton.startswith(("double", "brought")):
        return 1
    # A person who was given an object often has no place of their own in the text: no rule of thumb finds it.
    return 2 * _COMMON if skeleton.endswith("linked") else _COMMON


def _suits(name: str, wish: str) -> bool:
    """Whether a skeleton can give the wished answer."""
    if wish == "yes":
        return not name.startswith("open")
    if wish == "maybe":
        return name.startswith("open either")
    if wish == "double":
        return name.startswith("double")
    return True


def _head(plan: StoryPlan, left: bool) -> int:
    """How long a story goes on before an object is taken: sometimes long, so that others have handled it before."""
    return int(plan.rng.random() * TELLING.head) if plan.rng.random() < TELLING.late_start[left] else 0


shapes_of = lru_cache(maxsize=256)(Shapes)
"""The proofs of a concept set; cells and splits with the same concepts share what was worked out about them."""


_BUSY = 5


class Carrying:
    """Series of changes.

    Args:
        grammar: The parts of the concept set.
        objects: How many objects there are.
        wanted: Events and constructs that must all occur.
        exact: Whether no others may.
    """

    def __init__(self, grammar: Grammar, objects: int, wanted: frozenset[str], exact: bool) -> None:
        self._objects = objects
        self._parts = tuple(part for part in grammar.changes() if not exact or part.labels <= wanted)
        bits = {name: 1 << place for place, name in enumerate(sorted(wanted))}
        self._full = (1 << len(bits)) - 1
        self._masks = tuple(sum(bits[label] for label in part.labels if label in bits) for part in self._parts)
        self._reach = lru_cache(maxsize=None)(self._reaches)
        self._choices = lru_cache(maxsize=None)(self._options)
        self.results = lru_cache(maxsize=None)(self._results)

    def _reaches(self, left: int, mask: int, held: int, goal: int) -> bool:
        if left == 0:
            return mask == self._full and held == goal
        return bool(self._choices(left, mask, held, goal))

    def _options(self, left: int, mask: int, held: int, goal: int) -> list[tuple[Part, int, int]]:
        found = []
        for part, more in zip(self._parts, self._masks, strict=True):
            after = held + part.gain
            fits = 0 <= after <= self._objects and part.cost <= left
            if fits and self._reach(left - part.cost, mask | more, after, goal):
                found.append((part, mask | more, after))
        return found

    def _results(self, size: int) -> list[int]:
        """How many objects may be carried after a series of this size."""
        return [count for count in range(self._objects + 1) if size > 0 and self._reach(size, 0, 0, count)]

    def draw(self, size: int, result: int, rng: Random) -> list[Part]:
        """A series of this size that ends with this many objects."""
        left, mask, held = size, 0, 0
        series: list[Part] = []
        while left:
            options = self._choices(left, mask, held, result)
            part, mask, held = options[int(rng.random() * len(options))]
            left -= part.cost
            series.append(part)
        return series

    @staticmethod
    def build(plan: StoryPlan, series: Sequence[Part]) -> None:
        """Add the units of a series to a plan; the person does nothing else."""
        size = sum(part.cost for part in series)
        # Long series leave no room for ways to objects: the person stays, and noise leaves some objects alone.
        busy = size > _BUSY
        who = plan.person(TRAVELS)
        plan.asked = plan.teller.asked_person = who
        if busy:
            plan.keep_spares(2)
        kept = list(plan.spares)
        for part in series:
            _add(plan, part, who, kept)


def _add(plan: StoryPlan, part: Part, who: int, kept: Sequence[int]) -> None:
    """One change of somebody's hands; objects that are kept are not free for others."""
    teller = plan.teller
    kind, before = part.kinds[0], part.before[0]
    manner = part.role.removeprefix("change ")

    def lose() -> bool:
        held = [thing for thing, holder in enumerate(teller.reader.holder) if holder == who]
        if not held:
            return False
        thing = held[int(plan.rng.random() * len(held))]
        if manner == "drop":
            if before >= 0 and not plan.lead_in(before, who):
                return False
            if thing in kept:
                plan.teller.reserved[thing] = True
            return plan.handle(kind, "drop", who, thing, pronoun=before >= 0)
        mate = _mate(plan, who)
        return mate >= 0 and plan.pass_on(kind, who, thing, mate)

    def gain() -> bool:
        if manner == "take":
            if before >= 0 and not plan.lead_in(before, who, taking=True):
                return False
            things = plan.free_objects(who) or _own(plan, who, kept)
            if not things and before < 0:
                things = plan.freed(who) or _fetched(plan, who, kept)
                if not things and plan.long and plan.freed(who, anywhere=True):
                    things = _fetched(plan, who, kept)
            return bool(things) and plan.handle(kind, "take", who, plan.choose(things), pronoun=before >= 0)
        mate = _mate(plan, who, giving=True)
        if mate < 0:
            return False
        thing = plan.hand(mate, to=who)
        fits = thing >= 0 and teller.may_join(teller.reader.stay[mate], teller.reader.stay[who])
        return fits and plan.pass_on(kind, mate, thing, who)

    simple = manner in ("take", "drop") and before < 0
    need = part.cost + (manner == "receive" and kind == GIVE)
    if manner == "take":
        need += 1 if before >= 0 else 0 if kept else 2
    act = lose if manner in ("drop", "give") else gain
    plan.units.append(Unit(need, act, who, pairs=simple, refers=simple, least=part.cost))


def _own(plan: StoryPlan, who: int, kept: Sequence[int]) -> list[int]:
    """Kept objects that lie where the person is."""
    reader = plan.teller.reader
    return [
        thing
        for thing in kept
        if reader.holder[thing] < 0 and plan.teller.fits(reader.path[thing][-1][0], reader.stay[who])
    ]


def _fetched(plan: StoryPlan, who: int, kept: Sequence[int]) -> list[int]:
    """An object that a person goes to fetch, if there is one."""
    teller, reader = plan.teller, plan.teller.reader
    for thing in kept if "move" in teller.table.names else ():
        place = reader.place(reader.path[thing][-1][0])
        if reader.holder[thing] < 0 and place is not None and not teller.here(who) >> place & 1:
            return [thing] if plan.say(MOVE, who, place) else []
    for thing in range(teller.objects):
        if plan.fetch(who, thing):
            return [found for found in plan.free_objects(who) if found == thing]
    return []


def _mate(plan: StoryPlan, who: int, *, giving: bool = False) -> int:
    """Somebody who may be where a person is, or -1; one who has something to give where that is wanted."""
    teller = plan.teller
    stays = teller.reader.stay
    mates = [
        mate
        for mate in range(teller.persons)
        if mate != who and teller.status[mate] in (FREE, STAYS) and teller.may_join(stays[mate], stays[who])
    ]
    if giving:
        mates = [mate for mate in mates if plan.held(mate) or plan.free_objects(mate)]
        mates = [mate for mate in mates if plan.held(mate)] or mates
    if plan.teller.far:
        # One helper is enough, and noise must not touch them either.
        helpers = [mate for mate in mates if mate in teller.focus_persons] or mates
        mates = helpers
    if not mates:
        return -1
    mate = mates[int(plan.rng.random() * len(mates))]
    if plan.teller.far and mate not in teller.focus_persons:
        plan.hold(mate, IDLE)
        teller.status[mate] = STAYS
    return mate
