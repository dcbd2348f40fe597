"""Events as records: who takes part, what changes, what a reader learns, and how it is said.

Every effect is definite: after an event a reader knows exactly what it changed. Records that leave a change open, or
that contradict themselves, are refused with the reason. Effects take place in this order: people move, all at once;
then they are where and with whom the event says; objects change hands; attributes change.
"""

from __future__ import annotations

from typing import Literal

from taskloom.core import Recipe
from taskloom.families.babi.vocabulary import refuse_blanks, refuse_odd_text, refuse_twins, template_parts

__all__ = ["EventRecord", "Sort", "destination"]

Sort = Literal["person", "object", "place"]

_CONSTRUCTS = ("conj", "negate", "indef")
"""What an event of one's own may count as; the other constructs come from pronouns."""


class EventRecord(Recipe, frozen=True):
    """One kind of event.

    Attributes:
        roles: Who and what takes part, in order; at most four, the first is the subject. Role -> person, object or
            place.
        text: How it is said; `{role}` for each role, `{verb}` for one of the verbs.
        verbs: What `{verb}` may be.
        before: Person who moves -> where they must have been until then: `place` or `not place`. "moved to the park"
            presupposes `not place`, "is no longer in the park" presupposes `place`.
        moves: Person -> where they are from then on: `place`, `place or place2`, `not place`, or `with other`.
        at: Pairs (person, place): a reader learns that the person is there; nobody moves.
        together: Pairs of people, or of a person and an object, in one place.
        takes: Pairs (person, object): the object lay there and is held now.
        drops: Pairs (person, object): the object was held and lies there now.
        gives: Triples (giver, object, receiver).
        sets: Attribute -> (role, value).
        copies: Attribute -> (role that changes, role it is copied from).
        requires: Attribute -> (role, value): used only where the reader knows that this holds.
        event: The event it counts as in compositions, the paper's or one of the recipe; its own name if empty.
        construct: A linguistic construct it counts as besides: conj, negate or indef.
        pronoun: Whether its subject may be a pronoun, or the antecedent of one.
    """

    roles: dict[str, Sort]
    text: str = ""
    verbs: tuple[str, ...] = ()
    before: dict[str, str] = {}
    moves: dict[str, str] = {}
    at: tuple[tuple[str, str], ...] = ()
    together: tuple[tuple[str, str], ...] = ()
    takes: tuple[tuple[str, str], ...] = ()
    drops: tuple[tuple[str, str], ...] = ()
    gives: tuple[tuple[str, str, str], ...] = ()
    sets: dict[str, tuple[str, str]] = {}
    copies: dict[str, tuple[str, str]] = {}
    requires: dict[str, tuple[str, str]] = {}
    event: str = ""
    construct: str = ""
    pronoun: bool = False

    def check(self) -> None:
        """Whether the record can be read.

        Raises:
            ValueError: It leaves something open, contradicts itself or cannot be said.
        """
        if not 1 <= len(self.roles) <= 4:
            raise ValueError(f"an event has one to four roles, not {len(self.roles)}")
        if next(iter(self.roles.values())) != "person":
            raise ValueError("the first role of an event is its subject, a person")
        if self.construct and self.construct not in _CONSTRUCTS:
            raise ValueError(
                f"construct is {', '.join(_CONSTRUCTS[:-1])} or {_CONSTRUCTS[-1]}, not {self.construct!r}; a pronoun "
                "makes coref by itself (pronoun: true)"
            )
        self._check_before()
        self._check_roles()
        self._check_changes()
        self._check_places()
        if self.text:
            self._check_text()

    def _role(self, name: str, *sorts: str) -> None:
        if name not in self.roles:
            raise ValueError(f"{name!r} is not one of the roles {', '.join(self.roles)}")
        if self.roles[name] not in sorts:
            raise ValueError(f"the role {name!r} is a {self.roles[name]}; here a {' or '.join(sorts)} is meant")

    def _check_before(self) -> None:
        for who, where in self.before.items():
            if who not in self.moves:
                raise ValueError(f"before is about people who move, and {who!r} does not; `at` says where they are")
            mode, place, _ = destination(where)
            if mode not in ("in", "not"):
                raise ValueError(f"before is 'place' or 'not place', not {where!r}")
            self._role(place, "place")

    def _check_roles(self) -> None:
        for who, where in self.moves.items():
            self._role(who, "person")
            mode, one, two = destination(where)
            self._role(one, "person" if mode == "with" else "place")
            if two:
                self._role(two, "place")
            if one == who:
                raise ValueError(f"{who!r} cannot move with {who!r}")
        for who, place in self.at:
            self._role(who, "person")
            self._role(place, "place")
        for one, other in self.together:
            self._role(one, "person")
            self._role(other, "person", "object")
        for who, thing in (*self.takes, *self.drops):
            self._role(who, "person")
            self._role(thing, "object")
        for giver, thing, receiver in self.gives:
            self._role(giver, "person")
            self._role(thing, "object")
            self._role(receiver, "person")
            if giver == receiver:
                raise ValueError(f"{giver!r} cannot give something to {giver!r}")
        for one, _ in (*self.sets.values(), *self.requires.values()):
            self._role(one, "person", "object", "place")
        for one, other in self.copies.values():
            self._role(one, "person", "object", "place")
            self._role(other, "person", "object", "place")

    def _check_changes(self) -> None:
        hands = [thing for _, thing in (*self.takes, *self.drops)] + [thing for _, thing, _ in self.gives]
        for thing in hands:
            if hands.count(thing) > 1:
                raise ValueError(f"contradictory: {thing!r} changes hands twice in one event")
        for attribute, (role, source) in self.copies.items():
            if role == source:
                raise ValueError(f"nothing follows from copying {attribute!r} from {role!r} to {role!r}")
            known = self.sets.get(attribute, ("", ""))[0]
            if known == role:
                raise ValueError(f"contradictory: {attribute!r} is set and copied in one event")
            if known == source:
                raise ValueError(
                    f"non-deterministic: {attribute!r} is copied from {source!r} and set there in one event, so a "
                    "reader cannot know which value is copied"
                )
        if not (self.moves or self.at or self.together or hands or self.sets or self.copies):
            raise ValueError("the event has no effect: it changes nothing and tells nothing")

    def _check_places(self) -> None:
        """Whether everybody can be where the event says they are afterwards."""
        same = {role: role for role in self.roles}

        def root(role: str) -> str:
            while same[role] != role:
                role = same[role]
            return role

        for who, where in self.moves.items():
            mode, one, two = destination(where)
            if (mode == "with" and not self._in_turn(who)) or mode == "in":
                same[root(who)] = root(one)
            elif mode == "either" and one == two:
                raise ValueError(f"{where!r} names one place twice; write {one!r}")
        for who, place in self.at:
            if who in self.moves:
                raise ValueError(
                    f"contradictory: {who!r} moves ({self.moves[who]}) and is said to be at {place!r} at the same time"
                )
            same[root(who)] = root(place)
        handed = [(giver, receiver) for giver, _, receiver in self.gives]
        for one, other in (*self.together, *handed):
            if one == other:
                raise ValueError(f"nothing follows from {one!r} being together with {one!r}")
            same[root(one)] = root(other)
        self._check_apart({role: root(role) for role in self.roles})

    def _in_turn(self, who: str) -> bool:
        """Whether a person who moves with another takes part in an exchange of places (false: the other stays)."""
        mode, other, _ = destination(self.moves[who])
        while mode == "with" and other != who:
            if other not in self.moves:
                break
            mode, other, _ = destination(self.moves[other])
        _, first, _ = destination(self.moves[who])
        if mode == "with" and other == who:
            return True
        if first in self.moves:
            raise ValueError(
                f"non-deterministic: {who!r} moves with {first!r}, who moves too, so a reader cannot know whether to "
                "where they were or to where they go; name the place for both"
            )
        return False

    def _check_apart(self, spots: dict[str, str]) -> None:
        """Refuse two places for one person, and a place that the event rules out."""
        places = [role for role, sort in self.roles.items() if sort == "place"]
        for index, one in enumerate(places):
            for other in places[index + 1 :]:
                if spots[one] == spots[other]:
                    raise ValueError(f"contradictory: somebody would be at {one!r} and at {other!r} at once")
        for who, where in self.moves.items():
            mode, one, two = destination(where)
            said = next((place for place in places if spots[place] == spots[who]), None)
            if said is None or mode in ("in", "with"):
                continue
            if (mode == "not") == (said in (one, two)):
                raise ValueError(f"contradictory: {who!r} moves ({where}) and is at {said!r}")
            raise ValueError(f"{who!r} moves ({where}) and is at {said!r}; say where they are in one way")

    def _check_text(self) -> None:
        refuse_odd_text("the text", self.text)
        if self.text.rstrip().endswith("?"):
            raise ValueError(f"the text is a question: {self.text!r}")
        parts = template_parts(self.text, "text")
        found = [field for _, field, _ in parts if field]
        for name in found:
            if name != "verb" and name not in self.roles:
                raise ValueError(f"the text has {{{name}}}, which is not one of the roles {', '.join(self.roles)}")
            if found.count(name) > 1:
                raise ValueError(f"the text has {{{name}}} twice: {self.text!r}")
        for before, field, _ in parts[1:]:
            if field and not before:
                raise ValueError(f"the text has nothing between {{{field}}} and what stands before it: {self.text!r}")
        for name in self.roles:
            if name not in found:
                raise ValueError(f"non-deterministic: the text does not say {name!r}, so a reader cannot know it")
        if ("verb" in found) != bool(self.verbs):
            raise ValueError("{verb} and verbs belong together: the text lacks one of them")
        refuse_blanks("verbs", self.verbs)
        refuse_twins("verbs", self.verbs)


def destination(text: str) -> tuple[str, str, str]:
    """How a person's new place is given: (mode, role, second role).

    Raises:
        ValueError: It names no place, or leaves it to chance.
    """
    match text.split():
        case [place]:
            return "in", place, ""
        case ["not", place]:
            return "not", place, ""
        case ["with", other]:
            return "with", other, ""
        case [one, "or", other]:
            return "either", one, other
    raise ValueError(
        f"non-deterministic: {text!r} does not say where somebody is; write 'place', 'place or place2', 'not place' "
        "or 'with other'"
    )
