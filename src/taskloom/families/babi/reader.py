"""A sound and complete reader of the story world.

Reading conventions (all of them; everything else follows by logic):

* A sentence about a person's place (move, is in, is not in, is either in) describes a new stay. It replaces
  what was known of the person's place and says nothing about the stay before. The stay lasts until the
  next such sentence about the person.
* Whoever grabs, drops, gives or receives an object is where the object is at that moment. A held object is
  where its holder is; a dropped one stays where it was dropped until somebody grabs it.
* Every change of possession is stated. Whoever drops or gives an object that was never mentioned had it all
  along; nobody else holds anything before a sentence says so.
* Places are an open set: ruling out all but one of the named places proves nothing.
* Among several gives that fit a question, and several arrivals at a place, the latest counts.

So the text is a set of *stays* (one unknown place each), *domains* (a stay is in one of these places) and
*equalities* (two stays share a place). Merging equal stays and intersecting their domains decides exactly
what holds in every world the text allows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from taskloom.families.babi.story import (
    AFFIRM,
    CONJ,
    COUNTING,
    DROP,
    GAVE,
    GAVE_TO,
    GIVE,
    GRAB,
    INDEF,
    LIST,
    MAYBE,
    NEGATE,
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
from taskloom.families.babi.worlds import QuestionRecord, WorldProgram

__all__ = ["ANYWHERE", "Reader", "Slot"]

_DOMAINS: dict[str, Callable[[int, int], int]] = {
    "in": lambda place, _: 1 << place,
    "either": lambda place, other: 1 << place | 1 << other,
    "not": lambda place, _: ~(1 << place),
}

ANYWHERE = -1
"""The domain of all places: a bit set with every bit set, so that places stay an open set."""

Slot = tuple[int, int]
"""A stretch of an object's path: the stay it shares, and the label that ties the object to it (0: its own stay)."""


class Reader:
    """What a reader knows, sentence by sentence.

    Sentences are numbered from 0; a *label* is a bit set of sentences: the one that says something and, where
    its subject is a pronoun, those needed to resolve it.

    Args:
        persons: How many persons there are.
        objects: How many objects there are.
        world: The events and questions beyond the paper's, if there are any.
    """

    __slots__ = (
        "adjacent",
        "conflicts",
        "domain",
        "events",
        "gives",
        "holder",
        "labels",
        "ledger",
        "obtained",
        "own_domain",
        "own_label",
        "parent",
        "path",
        "stay",
        "unions",
        "values",
        "world",
    )

    def __init__(self, persons: int, objects: int, world: WorldProgram | None = None) -> None:
        size = persons + objects
        self.labels: list[int] = []
        # Stays. The first ones are where each person, then each object, is before the first sentence.
        self.parent = list(range(size))
        self.domain = [ANYWHERE] * size
        self.own_domain = [ANYWHERE] * size
        self.own_label = [0] * size
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
        self.events: list[tuple[Sentence, int]] = []
        self.values: dict[tuple[int, int], tuple[int, int]] = {}

    @classmethod
    def of(cls, sentences: Iterable[Sentence], persons: int, objects: int, world: WorldProgram | None = None) -> Reader:
        """A reader that has read these sentences."""
        reader = cls(persons, objects, world)
        reader.read(sentences)
        return reader

    # -- reading ----------------------------------------------------------------------------------

    def tell(self, sentence: Sentence) -> None:
        """Read one more sentence; stories in the making are read as they grow, so this is kept lean too."""
        kind, first, second, third, pronoun, _ = sentence
        labels = self.labels
        label = 1 << len(labels)
        if pronoun and labels:
            label |= labels[-1]
        labels.append(label)
        if kind < CONJ:
            domain = 1 << second
            if kind > AFFIRM:
                domain = ~domain if kind == NEGATE else domain | 1 << third
            stay = len(self.parent)
            self.parent.append(stay)
            self.domain.append(domain)
            self.own_domain.append(domain)
            self.own_label.append(label)
            self.stay[first] = stay
            if first in self.holder:
                self._bring(first, stay)
        elif kind == GRAB:
            self._grab(first, second, label)
        elif kind == CONJ:
            self._arrive(first, 1 << third, label)
            self._arrive(second, 1 << third, label)
        elif kind == DROP:
            self._drop(first, second, label)
        else:
            self._handle(sentence, label)

    def read(self, sentences: Iterable[Sentence]) -> None:
        """Read more sentences.

        Generating a question means reading its story, so the programs of the paper's events are unrolled here;
        `run` is what they mean, and what other events are read by.
        """
        labels, current, holder = self.labels, self.stay, self.holder
        parent, domains, own_domains, own_labels = self.parent, self.domain, self.own_domain, self.own_label
        label = labels[-1] if labels else 0
        for sentence in sentences:
            kind, first, second, third, pronoun, _ = sentence
            label = 1 << len(labels) | (label if pronoun else 0)
            labels.append(label)
            if kind > CONJ:
                self._handle(sentence, label)
                continue
            if kind <= AFFIRM:
                domain = 1 << second
            elif kind == INDEF:
                domain = 1 << second | 1 << third
            else:
                domain = ~(1 << second) if kind == NEGATE else 1 << third
            for person in (first,) if kind != CONJ else (first, second):
                stay = len(parent)
                parent.append(stay)
                domains.append(domain)
                own_domains.append(domain)
                own_labels.append(label)
                current[person] = stay
                if person in holder:
                    self._bring(person, stay)

    def _handle(self, sentence: Sentence, label: int) -> None:
        kind, first, second, third, _, _ = sentence
        if kind == GRAB:
            self._grab(first, second, label)
        elif kind == DROP:
            self._drop(first, second, label)
        elif kind == GIVE:
            self._give(first, second, third, label)
        else:
            self.run(sentence, label)

    def run(self, sentence: Sentence, label: int) -> None:
        """Read a sentence by the program of its event."""
        if self.world is None:
            raise ValueError(f"event {sentence.kind} is none of the paper's and no world is given")
        kind, first, second, third, _, fourth = sentence
        roles = (first, second, third, fourth)
        before = list(self.stay)  # people who swap places go where the other one was
        for name, one, two, three in self.world.events[kind].ops:
            if name in _DOMAINS:
                place, other = roles[two], roles[three] if three >= 0 else 0
                self._arrive(roles[one], _DOMAINS[name](place, other), label)
            elif name == "with":
                self._arrive(roles[one], ANYWHERE, label)
                self._equal(self.stay[roles[one]], before[roles[two]], label)
            elif name == "at":
                anchor = self._new_stay(1 << roles[two], label)
                self._equal(self.stay[roles[one]], anchor, label)
            elif name == "meet":
                self._equal(self.stay[roles[one]], self.stay[roles[two]], label)
            elif name == "touch":
                stay, tie = self.path[roles[two]][-1]
                self._equal(self.stay[roles[one]], stay, label | tie)
            elif name == "take":
                self._grab(roles[one], roles[two], label)
            elif name == "drop":
                self._drop(roles[one], roles[two], label)
            elif name == "give":
                self._give(roles[one], roles[two], roles[three], label)
            elif name == "set":
                self.values[one, roles[two]] = (three, label)
            else:
                self._copy(one, roles[two], roles[three], label)
        self.events.append((sentence, label))

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
        stay = len(self.parent)
        self.parent.append(stay)
        self.domain.append(domain)
        self.own_domain.append(domain)
        self.own_label.append(label)
        self.stay[person] = stay
        if person in self.holder:
            self._bring(person, stay)

    def _bring(self, person: int, stay: int) -> None:
        """Whatever a person holds comes along to a new stay."""
        for thing, who in enumerate(self.holder):
            if who == person:
                self.path[thing].append((stay, self.obtained[thing]))

    def _grab(self, person: int, thing: int, label: int) -> None:
        path = self.path[thing]
        stay = self.stay[person]
        if self.holder[thing] >= 0:
            self._object(label)
        self._equal(path[-1][0], stay, label)
        path.append((stay, label))
        self.holder[thing] = person
        self.obtained[thing] = label
        self.ledger[person] |= label

    def _drop(self, person: int, thing: int, label: int) -> None:
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

    def _root(self, stay: int) -> int:
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
            left = self._root(left)
        if parent[right] != right:
            right = self._root(right)
        if left != right:
            self.unions += 1
            parent[right] = left
            domain = self.domain[left] & self.domain[right]
            if not domain:
                self._object(label)
            self.domain[left] = domain

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

    def object_places(self, thing: int) -> int:
        """The places an object may be at now."""
        return self.possible(self.path[thing][-1][0])

    def carried(self, person: int) -> tuple[int, ...]:
        """The objects a person holds now, in ascending order."""
        return tuple(thing for thing, who in enumerate(self.holder) if who == person)

    def last_arrivals(self, thing: int, place: int) -> list[tuple[int, int]]:
        """Every way the text leaves open in which the object last came to a place.

        Returns:
            Pairs of the slot of the object's path that begins the visit and the places it may have come
            from (0 where there is no arrival at all).
        """
        roots = [self._root(stay) for stay, _ in self.path[thing]]
        found: list[tuple[int, int]] = []
        self._visits(roots, 1 << place, len(roots) - 1, {}, found)
        return found

    def _visits(
        self, roots: list[int], bit: int, index: int, decided: dict[int, bool], found: list[tuple[int, int]]
    ) -> None:
        """Walk back from `index` to the last visit, branching where a stay may or may not be at the place."""

        def open_places(position: int) -> int:
            domain = self.domain[roots[position]]
            here = decided.get(roots[position])
            return domain if here is None else (bit if here else domain & ~bit)

        while index >= 0 and not open_places(index) & bit:
            index -= 1
        if index < 0:
            found.append((-1, 0))
            return
        if open_places(index) != bit:
            self._visits(roots, bit, index - 1, {**decided, roots[index]: False}, found)
            decided = {**decided, roots[index]: True}
        before = index - 1
        while before >= 0:
            places = open_places(before)
            if not places & bit:
                found.append((before + 1, places))
                return
            if places != bit:
                found.append((before + 1, places & ~bit))
                decided = {**decided, roots[before]: True}
            before -= 1
        found.append((0, 0))

    def where_was(self, thing: int, place: int) -> int | None:
        """Where the object was directly before it last came to a place, if every world agrees."""
        origins = 0
        for _, places in self.last_arrivals(thing, place):
            if places <= 0 or places & (places - 1):
                return None
            origins |= places
        return origins.bit_length() - 1 if not origins & (origins - 1) else None

    def came_once(self, thing: int, place: int) -> bool:
        """Whether no arrival of the object at the place, not only the last, may have come from elsewhere."""
        origin = self.where_was(thing, place)
        if origin is None:
            return False
        bit, allowed = 1 << place, 1 << place | 1 << origin
        before, root = 0, -1
        for stay, _ in self.path[thing]:
            here = self._root(stay)
            if here == root:
                continue  # it changed hands and stayed where it was
            places = self.domain[here]
            if before and places & bit and before & ~allowed:
                return False
            before, root = places, here
        return True

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
            raise ValueError(f"question {question.kind} is none of the paper's and no world is given")
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
