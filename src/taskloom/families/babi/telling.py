"""From a plan to a story and its question: units in their order, random sentences between them."""

from __future__ import annotations

from random import Random

from taskloom.families.babi.plans import StoryPlan
from taskloom.families.babi.reader import Reader
from taskloom.families.babi.story import (
    CONJ,
    GAVE,
    GAVE_TO,
    INDEF,
    RECEIVED,
    WHO_GIVE,
    YES_NO,
    Question,
)

__all__ = ["ask_give", "ask_yes_no", "tell_story"]

_FEW = 3


def tell_story(plan: StoryPlan, length: int, glued: set[int], *, lean: bool = False) -> bool:
    """Tell the units in order with random sentences between them; False where that fails.

    Args:
        plan: The units.
        length: How many sentences the story has.
        glued: The units that are spoken with a pronoun right behind the unit before.
        lean: Keep room for the supporting sentences of a unit only, not for all that it may take, and tell the units
            almost in one go.
    """
    teller, random = plan.teller, plan.rng.random
    units, sentences = plan.units, teller.sentences
    needs = [unit.least if lean and unit.least >= 0 else unit.need for unit in units]
    left = sum(needs)
    done, count = 0, len(units)
    if left > length:
        return False
    # Nothing comes between the units of a lean plan but for a few sentences: all else follows them.
    tail = max(0, length - left - _FEW) if lean else min(plan.tail, length - left)
    head = min(plan.head, length - left - tail)
    while done < count or len(sentences) < length:
        told = len(sentences)
        room = length - told - left
        waiting = count - done
        if waiting and told >= head and random() * (waiting + max(0, room - tail)) < waiting:
            if plan.perform(units[done], False):
                left -= needs[done]
                done += 1
                while done in glued:
                    if not plan.perform(units[done], True):
                        return False
                    left -= needs[done]
                    done += 1
                continue
            if len(sentences) > told:
                return False
            # Nothing has been said yet: what the unit lacks may come up.
        if room <= 0:
            return False
        if not teller.tell_something(room):
            if not waiting or not plan.perform(units[done], False):
                return False
            left -= needs[done]
            done += 1
    return len(sentences) == length


def ask_yes_no(plan: StoryPlan, who: int, wish: str) -> Question | None:
    """A yes-no question with the wished answer; for 'no' about a place that the story speaks of."""
    teller = plan.teller
    places = teller.reader.person_places(who)
    inside = [place for place in range(teller.places) if places >> place & 1]
    if wish == "yes":
        return Question(YES_NO, who, inside[0]) if len(inside) == 1 and places > 0 else None
    if wish == "maybe":
        return Question(YES_NO, who, inside[int(plan.rng.random() * len(inside))]) if places > 0 else None
    outside = [place for place in range(teller.places) if not places >> place & 1]
    if not outside:
        return None
    if plan.tempting in outside:
        return Question(YES_NO, who, plan.tempting)
    said = {
        place
        for kind, _, second, third, _, _ in teller.sentences
        if kind <= CONJ
        for place in ((second, third) if kind == INDEF else (third,) if kind == CONJ else (second,))
    }
    pool = [place for place in outside if place in said] or outside
    return Question(YES_NO, who, pool[int(plan.rng.random() * len(pool))])


def ask_give(reader: Reader, kind: int, rng: Random) -> Question:
    """A question of this kind about one of the gives."""
    giver, thing, receiver, _ = reader.gives[int(rng.random() * len(reader.gives))]
    if kind in (GAVE, RECEIVED):
        return Question(kind, thing)
    if kind == GAVE_TO:
        return Question(kind, thing, receiver)
    return Question(kind, giver, thing if kind == WHO_GIVE else receiver)
