"""What somebody carries: series of changes of one person's hands, of any size, composition and result."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from random import Random

from taskloom.families.babi.grammar import Grammar, Part
from taskloom.families.babi.plans import StoryPlan
from taskloom.families.babi.story import GIVE
from taskloom.families.babi.storyteller import FREE, IDLE, STAYS, TRAVELS

__all__ = ["Carrying"]

_BUSY = 5
_GAIN = ("change take", "change receive")


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
            after = held + (1 if part.role in _GAIN else -1)
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
        """Add the units of a series to a plan; the person's other deeds are left to nobody."""
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
        if busy:
            plan.settle(0, who, IDLE)
            plan.settle(-1, who, TRAVELS)


def _add(plan: StoryPlan, part: Part, who: int, kept: Sequence[int]) -> None:
    """One change of somebody's hands; objects that are kept are free for nobody else."""
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
                plan.reserve(thing)
            return plan.handle(kind, "drop", who, thing, pronoun=before >= 0)
        mate = _mate(plan, who)
        return mate >= 0 and plan.pass_on(kind, who, thing, mate)

    def gain() -> bool:
        if manner == "take":
            if before >= 0 and not plan.lead_in(before, who, taking=True):
                return False
            things = plan.free_objects(who) or _own(plan, who, kept)
            if not things and before < 0 and not kept:
                things = _fetched(plan, who)
            return bool(things) and plan.handle(kind, "take", who, plan.choose(things), pronoun=before >= 0)
        mate = _mate(plan, who, giving=True)
        if mate < 0:
            return False
        thing = plan.hand(mate, to=who)
        fits = thing >= 0 and teller.may_join(teller.reader.stay[mate], teller.reader.stay[who])
        return fits and plan.pass_on(kind, mate, thing, who)

    simple = manner in ("take", "drop") and before < 0
    need = part.cost + (manner == "receive" and kind == GIVE) + 2 * (manner == "take" and before < 0 and not kept)
    act = lose if manner in ("drop", "give") else gain
    plan.add(need, act, who, pairs=simple, refers=simple, least=part.cost)


def _own(plan: StoryPlan, who: int, kept: Sequence[int]) -> list[int]:
    """Kept objects that lie where the person is."""
    reader = plan.teller.reader
    return [
        thing
        for thing in kept
        if reader.holder[thing] < 0 and plan.teller.fits(reader.path[thing][-1][0], reader.stay[who])
    ]


def _fetched(plan: StoryPlan, who: int) -> list[int]:
    """An object that a person goes to fetch, if there is one."""
    for thing in range(plan.teller.objects):
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
    if plan.far:
        # One helper is enough, and noise must not touch them either.
        helpers = [mate for mate in mates if mate in teller.focus_persons] or mates
        mates = helpers
    if not mates:
        return -1
    mate = mates[int(plan.rng.random() * len(mates))]
    if plan.far and mate not in teller.focus_persons:
        plan.hold(mate, IDLE)
        teller.status[mate] = STAYS
    return mate
