"""A sound and complete reader of the story world.

Reading conventions (all of them; everything else follows by logic):

* A sentence about a person's place (move, is in, is not in, is either in) describes a new stay. It replaces
  what was known of the person's place. The stay lasts until the next such sentence about the person.
* Who moves to a place was not there before; who is no longer in a place was there before. The other sentences about
  a person's place say nothing about the stay before.
* A person who grabs, drops, gives or receives an object is where the object is at that moment. A held object is
  where its holder is; a dropped one stays where it was dropped until a person grabs it.
* Every change of possession is stated. A person who drops or gives an object that was never mentioned had it all
  along; no other person holds anything before a sentence says so.
* Places are an open set: ruling out all but one of the named places proves nothing.
* Among several gives that fit a question, and several arrivals at a place, the latest counts. Where the text leaves
  open which arrival was the latest, there is no answer.

So the text is a set of *stays* (one unknown place each), *domains* (a stay is in one of these places) and
*equalities* (two stays share a place). Merging equal stays and intersecting their domains decides exactly
what holds in every world the text allows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from taskloom.families.babi import kinds
from taskloom.families.babi.kinds import Answer, Question, Sentence
from taskloom.families.babi.worlds import PAPER_WORLD, WorldProgram

ANYWHERE = -1
"""The domain of all places: a bit set with every bit set, so that places stay an open set."""

Slot = tuple[int, int]
"""A stretch of an object's path: the stay it shares, and the label that ties the object to it (0: its own stay)."""


class Reader:
    """What a text says, sentence by sentence, and what follows from it in every world that it allows.

    Sentences are numbered from 0; a *label* is a bit set of sentences: the one that says something and, where
    its subject is a pronoun, those needed to resolve it.

    Args:
        persons: How many persons there are.
        objects: How many objects there are.
        world: The events and questions beyond the paper's, if there are any.
    """

    def __init__(self, persons: int, objects: int, world: WorldProgram = PAPER_WORLD) -> None:
        size = persons + objects
        self.labels: list[int] = []
        # Stays. The first ones are where each person, then each object, is before the first sentence.
        self.parent = list(range(size))
        self.domain = [ANYWHERE] * size
        self.own_domain = [ANYWHERE] * size
        self.own_label = [0] * size
        self.ends: dict[int, tuple[int, int]] = {}
        """What the sentence that ends a stay tells about it, and that sentence's label."""
        self.adjacent: dict[int, list[tuple[int, int]]] = {}
        self.stay = list(range(persons))
        # Objects: the current holder (-1: lying), the label of the sentence that gave it to the holder, the path.
        self.holder = [-1] * objects
        self.obtained = [0] * objects
        self.path: list[list[Slot]] = [[(persons + index, 0)] for index in range(objects)]
        self.ledger = [0] * persons
        self.gives: list[tuple[int, int, int, int]] = []
        self.conflicts: list[int] = []
        self.unions = 0
        # Events of the recipe's own, as they were read; values of attributes with the label that proves them.
        self.world = world
        self._before: Sequence[int] = ()
        self.events: list[tuple[Sentence, int]] = []
        self.values: dict[tuple[int, int], tuple[int, int]] = {}

    # -- reading ----------------------------------------------------------------------------------

    def tell(self, sentence: Sentence, label: int = 0) -> None:
        """Read one more sentence by the program of its event; `label`: where a text of freer forms tells it."""
        kind, first, second, third, pronoun, fourth = sentence
        labels = self.labels
        label = label or 1 << len(labels)
        if pronoun and labels:
            label |= labels[-1]
        labels.append(label)
        event = self.world.events[kind]
        roles = (first, second, third, fourth)
        for position, spot, there in event.before:
            self._leave(roles[position], 1 << roles[spot] if there else ~(1 << roles[spot]), label)
        if kind >= len(kinds.KINDS):
            self._before = list(self.stay)  # people who swap places go where the other one was
            self.events.append((sentence, label))
        for name, one, two, three in event.ops:
            if name in _EFFECTS:
                _EFFECTS[name](self, roles[one], roles[two], roles[three], label)
            elif name == "set":
                self.values[one, roles[two]] = (three, label)
            else:
                self._copy(one, roles[two], roles[three], label)

    def _with(self, who: int, other: int, _: int, label: int) -> None:
        self._arrive(who, ANYWHERE, label)
        self._equal(self.stay[who], self._before[other], label)

    def _touch(self, who: int, thing: int, _: int, label: int) -> None:
        stay, tie = self.path[thing][-1]
        self._equal(self.stay[who], stay, label | tie)

    def read(self, sentences: Iterable[Sentence]) -> None:
        """Read more sentences."""
        for sentence in sentences:
            self.tell(sentence)

    def _copy(self, attribute: int, owner: int, source: int, label: int) -> None:
        known = self.values.get((attribute, source))
        if known is None:
            self.values.pop((attribute, owner), None)
        else:
            self.values[attribute, owner] = (known[0], known[1] | label)

    def _new_stay(self, domain: int, label: int) -> int:
        stay = len(self.parent)
        self.parent.append(stay)
        self.domain.append(domain)
        self.own_domain.append(domain)
        self.own_label.append(label)
        return stay

    def _arrive(self, person: int, domain: int, label: int) -> None:
        stay = self.stay[person] = self._new_stay(domain, label)
        if person in self.holder:  # whatever they hold comes along
            for thing, who in enumerate(self.holder):
                if who == person:
                    self.path[thing].append((stay, self.obtained[thing]))

    def _leave(self, person: int, domain: int, label: int) -> None:
        """A sentence that ends a stay tells where that stay was, or was not."""
        stay = self.stay[person]
        self.ends[stay] = domain, label
        root = stay if self.parent[stay] == stay else self.root(stay)
        domain &= self.domain[root]
        self.domain[root] = domain
        if not domain:
            self._object(label)

    def _grab(self, person: int, thing: int, _: int, label: int) -> None:
        path = self.path[thing]
        stay = self.stay[person]
        if self.holder[thing] >= 0:
            self._object(label)
        self._equal(path[-1][0], stay, label)
        path.append((stay, label))
        self.holder[thing] = person
        self.obtained[thing] = label
        self.ledger[person] |= label

    def _drop(self, person: int, thing: int, _: int, label: int) -> None:
        if self.holder[thing] != person:
            self._release(thing, self.stay[person], label)
        floor = self._new_stay(ANYWHERE, 0)
        self._equal(floor, self.stay[person], label)
        self.path[thing].append((floor, 0))
        self.holder[thing] = -1
        self.ledger[person] |= label

    def _give(self, giver: int, thing: int, receiver: int, label: int) -> None:
        if self.holder[thing] != giver:
            self._release(thing, self.stay[giver], label)
        stay = self.stay[receiver]
        self._equal(self.stay[giver], stay, label)
        self.path[thing].append((stay, label))
        self.holder[thing] = receiver
        self.obtained[thing] = label
        self.ledger[giver] |= label
        self.ledger[receiver] |= label
        self.gives.append((giver, thing, receiver, label))

    def _release(self, thing: int, stay: int, label: int) -> None:
        """Somebody lets go of an object that no sentence gave to them: this sentence tells that they had it."""
        path = self.path[thing]
        if len(path) > 1:  # mentioned before, and not as this person's; else they had it all along
            self._object(label)
        path.append((stay, label))

    def _object(self, label: int) -> None:
        """Remember a sentence that contradicts an earlier one; the newer sentence is believed."""
        self.conflicts.append(label.bit_length() - 1)

    def root(self, stay: int) -> int:
        """What stands for all stays that share the place of this one."""
        parent = self.parent
        while parent[stay] != stay:
            parent[stay] = parent[parent[stay]]
            stay = parent[stay]
        return stay

    def _equal(self, left: int, right: int, label: int) -> None:
        adjacent, parent = self.adjacent, self.parent
        if left in adjacent:
            adjacent[left].append((right, label))
        else:
            adjacent[left] = [(right, label)]
        if right in adjacent:
            adjacent[right].append((left, label))
        else:
            adjacent[right] = [(left, label)]
        if parent[left] != left:
            left = self.root(left)
        if parent[right] != right:
            right = self.root(right)
        if left != right:
            self.unions += 1
            parent[right] = left
            domain = self.domain[left] & self.domain[right]
            if not domain:
                self._object(label)
            self.domain[left] = domain

    @classmethod
    def of(cls, sentences: Iterable[Sentence], persons: int, objects: int, world: WorldProgram = PAPER_WORLD) -> Reader:
        """A reader that has read these sentences."""
        reader = cls(persons, objects, world)
        reader.read(sentences)
        return reader

    # -- what holds in every world ----------------------------------------------------------------

    def possible(self, stay: int) -> int:
        """The places a stay may be at, as a bit set (negative where it is open)."""
        return self.domain[self.root(stay)]

    def place(self, stay: int) -> int | None:
        """The one place a stay must be at, if there is one."""
        domain = self.domain[stay if self.parent[stay] == stay else self.root(stay)]
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
            here = self.root(stay)
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

    def answer(self, question: Question) -> Answer | None:
        """What holds in every world the text allows; None where nothing does.

        A yes-no question always has an answer: MAYBE where the text leaves it open.
        """
        kind, first, second = question
        find = self.world.questions[kind].find
        if find == "place":
            return self.place(self.asked_stay(question))
        if find == "truth":
            domain = self.person_places(first)
            bit = 1 << second
            return kinds.YES if domain == bit else (kinds.MAYBE if domain & bit else kinds.NO)
        if find == "origin":
            return self.where_was(first, second)
        if find in ("objects", "count"):
            carried = self.carried(first)
            return carried if find == "objects" else len(carried)
        found = self.stated(question)
        return None if found is None else found[0]

    def asked_stay(self, question: Question) -> int:
        """Where the person or object asked about is now."""
        person = self.world.questions[question.kind].sorts[0] == "person"
        return self.stay[question.first] if person else self.path[question.first][-1][0]

    def stated(self, question: Question) -> tuple[int, int] | None:
        """The answer to a question about a holder, a value or an event, and the one support that it has."""
        asked = self.world.questions[question.kind]
        if asked.find == "holder":
            holder = self.holder[question.first]
            return (holder, self.obtained[question.first]) if holder >= 0 else None
        if asked.find == "value":
            return self.values.get((self.world.attribute(asked.attribute), question.first))
        return next(((roles[asked.role], label) for roles, label in self.fitting(question)), None)

    def fitting(self, question: Question) -> Iterator[tuple[tuple[int, ...], int]]:
        """The events that a question about one fits, with their labels, the latest first."""
        asked = self.world.questions[question.kind]
        events: list[tuple[tuple[int, ...], int]]
        if asked.event == kinds.GIVE:
            events = [(give, give[3]) for give in self.gives]
        else:
            events = [(said.roles, label) for said, label in self.events if said.kind == asked.event]
        for roles, label in reversed(events):
            if all(roles[position] == value for position, value in zip(asked.given, question[1:], strict=False)):
                yield roles, label


_EFFECTS: dict[str, Callable[[Reader, int, int, int, int], None]] = {
    "in": lambda reader, who, place, _, label: reader._arrive(who, 1 << place, label),
    "take": Reader._grab,
    "drop": Reader._drop,
    "give": Reader._give,
    "not": lambda reader, who, place, _, label: reader._arrive(who, ~(1 << place), label),
    "either": lambda reader, who, place, other, label: reader._arrive(who, 1 << place | 1 << other, label),
    "with": Reader._with,
    "at": lambda reader, who, place, _, label: reader._equal(
        reader.stay[who], reader._new_stay(1 << place, label), label
    ),
    "meet": lambda reader, who, other, _, label: reader._equal(reader.stay[who], reader.stay[other], label),
    "touch": Reader._touch,
}
"""What each effect of an event does to what is known."""
