"""A sound and complete reader of the story world.

Reading conventions (all of them; everything else follows by logic):

* A sentence about a person's place (move, is in, is not in, is either in) describes a new stay. It replaces
  what was known of the person's place. The stay lasts until the next such sentence about the person.
* Who moves to a place was not there before; who is no longer in a place was there before. The other sentences about
  a person's place say nothing about the stay before.
* Whoever grabs, drops, gives or receives an object is where the object is at that moment. A held object is
  where its holder is; a dropped one stays where it was dropped until somebody grabs it.
* Every change of possession is stated. Whoever drops or gives an object that was never mentioned had it all
  along; nobody else holds anything before a sentence says so.
* Places are an open set: ruling out all but one of the named places proves nothing.
* Among several gives that fit a question, and several arrivals at a place, the latest counts. Where the text leaves
  open which arrival was the latest, there is no answer.

So the text is a set of *stays* (one unknown place each), *domains* (a stay is in one of these places) and
*equalities* (two stays share a place). Merging equal stays and intersecting their domains decides exactly
what holds in every world the text allows.
"""

from __future__ import annotations

from collections.abc import Iterable

from taskloom.families.babi.knowledge import Knowledge
from taskloom.families.babi.programs import WorldProgram
from taskloom.families.babi.story import (
    COUNTING,
    GAVE,
    GAVE_TO,
    GIVE,
    LIST,
    MAYBE,
    NO,
    QUESTION_KINDS,
    RECEIVED,
    WHAT_GIVE,
    WHERE_O,
    WHERE_P,
    WHERE_WAS,
    WHO_GIVE,
    YES,
    YES_NO,
    Answer,
    Question,
    Sentence,
)
from taskloom.families.babi.worlds import QuestionRecord

__all__ = ["Reader"]


class Reader(Knowledge):
    """What follows from a text in every world that it allows."""

    __slots__ = ()

    @classmethod
    def of(cls, sentences: Iterable[Sentence], persons: int, objects: int, world: WorldProgram | None = None) -> Reader:
        """A reader that has read these sentences."""
        reader = cls(persons, objects, world)
        reader.read(sentences)
        return reader

    # -- what holds in every world ----------------------------------------------------------------

    def possible(self, stay: int) -> int:
        """The places a stay may be at, as a bit set (negative where it is open)."""
        return self.domain[self._root(stay)]

    def place(self, stay: int) -> int | None:
        """The one place a stay must be at, if there is one."""
        domain = self.domain[stay if self.parent[stay] == stay else self._root(stay)]
        return domain.bit_length() - 1 if domain > 0 and not domain & (domain - 1) else None

    def person_places(self, person: int) -> int:
        """The places a person may be at now."""
        return self.possible(self.stay[person])

    def carried(self, person: int) -> tuple[int, ...]:
        """The objects a person holds now, in ascending order."""
        return tuple(thing for thing, who in enumerate(self.holder) if who == person)

    def arrivals(self, thing: int, place: int) -> list[int]:
        """The slots of an object's path at which it came to a place, or may have come there."""
        bit, found, before, root = 1 << place, [], 0, -1
        for slot, (stay, _) in enumerate(self.path[thing]):
            here = self._root(stay)
            if here == root:
                continue  # it changed hands and stayed where it was
            places = self.domain[here]
            if before & ~bit and places & bit:
                found.append(slot)
            before, root = places, here
        return found

    def origin(self, thing: int, slot: int, place: int) -> int | None:
        """Where an object came from when it came to a place at that slot; None where the text leaves it open."""
        stay, earlier = self.path[thing][slot][0], self.path[thing][slot - 1][0]
        return self.place(earlier) if self.possible(stay) == 1 << place else None

    def where_was(self, thing: int, place: int) -> int | None:
        """Where the object was directly before it last came to a place, if the text settles when and from where."""
        found = self.arrivals(thing, place)
        return self.origin(thing, found[-1], place) if found else None

    def came_once(self, thing: int, place: int) -> bool:
        """Whether the object came to the place once and no more, in every world the text allows."""
        found = self.arrivals(thing, place)
        return len(found) == 1 and self.origin(thing, found[0], place) is not None

    def last_give(self, question: Question) -> tuple[int, int, int, int] | None:
        """The latest give that a question about giving fits."""
        kind, first, second = question
        for give in reversed(self.gives):
            giver, thing, receiver, _ = give
            if (
                (kind in (GAVE, RECEIVED) and thing == first)
                or (kind == GAVE_TO and thing == first and receiver == second)
                or (kind == WHO_GIVE and giver == first and thing == second)
                or (kind == WHAT_GIVE and giver == first and receiver == second)
            ):
                return give
        return None

    def answer(self, question: Question) -> Answer | None:
        """What holds in every world the text allows; None where nothing does.

        A yes-no question always has an answer: MAYBE where the text leaves it open.
        """
        kind, first, second = question
        if kind == WHERE_P:
            return self.place(self.stay[first])
        if kind == WHERE_O:
            return self.place(self.path[first][-1][0])
        if kind == WHERE_WAS:
            return self.where_was(first, second)
        if kind == YES_NO:
            domain = self.person_places(first)
            bit = 1 << second
            return YES if domain == bit else (MAYBE if domain & bit else NO)
        if kind == LIST:
            return self.carried(first)
        if kind == COUNTING:
            return len(self.carried(first))
        if kind > WHAT_GIVE:
            found = self.find(question)
            return None if found is None else found[0]
        give = self.last_give(question)
        if give is None:
            return None
        giver, thing, receiver, _ = give
        return giver if kind in (GAVE_TO, GAVE) else (receiver if kind in (RECEIVED, WHO_GIVE) else thing)

    # -- questions of a recipe's own ----------------------------------------------------------------

    def find(self, question: Question) -> tuple[int, int | None] | None:
        """The answer to a question of the recipe's own, and its one support (None where `support` has to look)."""
        if self.world is None:
            raise ValueError(f"question {question.kind} is not one of the paper's, and no world is given")
        _, asked = self.world.questions[question.kind - len(QUESTION_KINDS)]
        sorts = tuple(asked.roles.values())
        if asked.find == "place":
            stay = self.stay[question.first] if sorts[0] == "person" else self.path[question.first][-1][0]
            place = self.place(stay)
            return None if place is None else (place, None)
        if asked.find == "holder":
            holder = self.holder[question.first]
            return (holder, self.obtained[question.first]) if holder >= 0 else None
        if asked.find == "value":
            return self.values.get((self.world.attributes.index(asked.attribute), question.first))
        return self._last_event(asked, question)

    def _last_event(self, asked: QuestionRecord, question: Question) -> tuple[int, int | None] | None:
        world = self.world
        assert world is not None
        kind = world.kind(asked.event)
        record = world.records[kind]
        places = {role: position for position, role in enumerate(record)}
        given = list(zip(asked.roles, question[1:], strict=False))
        events = [((giver, thing, receiver, -1), label) for giver, thing, receiver, label in self.gives]
        if kind != GIVE:
            events = [((s.first, s.second, s.third, s.fourth), label) for s, label in self.events if s.kind == kind]
        for roles, label in reversed(events):
            if all(roles[places[role]] == value for role, value in given):
                return roles[places[asked.role]], label
        return None
