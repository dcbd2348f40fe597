"""What a text says: stays with unknown places, what is known of them, and who holds what.

A *stay* is one unknown place; *domains* say where it may be and *equalities* that two stays share a place. A domain
comes from the sentence that begins a stay, or from the one that ends it and says where the person had been. The reading
conventions stand in `reader`, which draws the conclusions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from taskloom.families.babi.programs import Program, WorldProgram
from taskloom.families.babi.story import AFFIRM, CONJ, DROP, GIVE, GRAB, INDEF, LEFT, MOVE, Sentence

__all__ = ["ANYWHERE", "Knowledge", "Slot"]

_DOMAINS: dict[str, Callable[[int, int], int]] = {
    "in": lambda place, _: 1 << place,
    "either": lambda place, other: 1 << place | 1 << other,
    "not": lambda place, _: ~(1 << place),
}

ANYWHERE = -1
"""The domain of all places: a bit set with every bit set, so that places stay an open set."""

Slot = tuple[int, int]
"""A stretch of an object's path: the stay it shares, and the label that ties the object to it (0: its own stay)."""


class Knowledge:
    """What a text says, sentence by sentence.

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
        "ends",
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
        self.events: list[tuple[Sentence, int]] = []
        self.values: dict[tuple[int, int], tuple[int, int]] = {}

    # -- reading ----------------------------------------------------------------------------------

    def tell(self, sentence: Sentence) -> None:
        """Read one more sentence.

        Every story is read while it is generated, so the programs of the paper's events are unrolled here; `run` is
        what they mean, and what other events are read by.
        """
        kind, first, second, third, pronoun, _ = sentence
        labels = self.labels
        label = 1 << len(labels)
        if pronoun and labels:
            label |= labels[-1]
        labels.append(label)
        if kind < CONJ:
            places = 1 << second
            if kind == MOVE:
                self._leave(first, ~places, label)
            elif kind > AFFIRM:
                if kind == LEFT:
                    self._leave(first, places, label)
                places = places | 1 << third if kind == INDEF else ~places
            stay = len(self.parent)
            self.parent.append(stay)
            self.domain.append(places)
            self.own_domain.append(places)
            self.own_label.append(label)
            self.stay[first] = stay
            if first in self.holder:
                self._bring(first, stay)
        elif kind == GRAB:
            self._grab(first, second, label)
        elif kind == CONJ:
            places = 1 << third
            self._leave(first, ~places, label)
            self._leave(second, ~places, label)
            self._arrive(first, places, label)
            self._arrive(second, places, label)
        elif kind == DROP:
            self._drop(first, second, label)
        elif kind == GIVE:
            self._give(first, second, third, label)
        else:
            self.run(sentence, label)

    def read(self, sentences: Iterable[Sentence]) -> None:
        """Read more sentences."""
        for sentence in sentences:
            self.tell(sentence)

    def run(self, sentence: Sentence, label: int) -> None:
        """Read a sentence by the program of its event."""
        if self.world is None:
            raise ValueError(f"event {sentence.kind} is not one of the paper's, and no world is given")
        kind, first, second, third, _, fourth = sentence
        roles = (first, second, third, fourth)
        before = list(self.stay)  # people who swap places go where the other one was
        event = self.world.events[kind]
        self._presuppose(event, roles, label)
        for name, one, two, three in event.ops:
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

    def _presuppose(self, event: Program, roles: Sequence[int], label: int) -> None:
        for who, spot, there in event.before:
            self._leave(roles[who], 1 << roles[spot] if there else ~(1 << roles[spot]), label)

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

    def _leave(self, person: int, domain: int, label: int) -> None:
        """A sentence that ends a stay tells where that stay was, or was not."""
        stay = self.stay[person]
        self.ends[stay] = domain, label
        root = stay if self.parent[stay] == stay else self._root(stay)
        domain &= self.domain[root]
        self.domain[root] = domain
        if not domain:
            self._object(label)

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
