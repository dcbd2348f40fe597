"""Plans: a shape made concrete, as units of sentences that a story must contain in this order."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from taskloom.families.babi.draft import FREE, FROZEN, LEAVE_FIRST, TRAVEL_ONLY, Draft
from taskloom.families.babi.shapes import Shape
from taskloom.families.babi.story import (
    AFFIRM,
    CONJ,
    DROP,
    GIVE,
    GRAB,
    INDEF,
    MOVE,
    NEGATE,
    WHERE_O,
    WHERE_P,
    WHERE_WAS,
    YES_NO,
    Question,
    Sentence,
)

__all__ = ["Plan", "Unit"]

_PAIR_CHANCE = 0.5
_DECOY_CHANCE = 0.2
_ONWARD_CHANCE = 0.3
_STAY_CHANCE = 0.7


class Unit:
    """Sentences told without a break, and what they do to the freedom of the people involved.

    Attributes:
        sentences: What is told.
        partner: The person who needs a companion for a joint move, -1 where nobody does.
        silent: (person, place) put there silently before the sentences (for 'is either in', 'is not in'); place -1
            is wherever the receiver of the gift is.
        fresh: Objects told of for the first time: until now they may have lain anywhere.
        after: (person, status) from then on.
        core: Whether the sentences belong to the support.
    """

    __slots__ = ("after", "core", "fresh", "partner", "sentences", "silent")

    def __init__(self, *sentences: Sentence, core: bool = True) -> None:
        self.sentences = list(sentences)
        self.partner = -1
        self.silent: tuple[tuple[int, int], ...] = ()
        self.fresh = False
        self.after: list[tuple[int, int]] = []
        self.core = core

    def perform(self, draft: Draft) -> bool:
        """Tell it; False where the hidden world is not ready for it."""
        at = draft.at
        for who, place in self.silent:
            at[who] = place if place >= 0 else at[self.sentences[-1].third]
        sentences = self.sentences
        if self.partner >= 0:
            sentences = self._with_companion(draft)
        if self.fresh:
            draft.lies[sentences[0].second] = at[sentences[0].first]
        for sentence in sentences:
            if sentence.kind == MOVE and at[sentence.first] == sentence.second:
                return False
            if sentence.kind == GIVE and at[sentence.first] != at[sentence.third]:
                return False
            draft.say(sentence)
        for who, status in self.after:
            draft.status[who] = status
        return bool(sentences)

    def _with_companion(self, draft: Draft) -> list[Sentence]:
        """Fill in who goes along: anybody free who is not there yet."""
        places = [sentence.third for sentence in self.sentences]
        who = self.partner
        mates = [
            mate
            for mate in range(draft.persons)
            if mate != who and draft.status[mate] == FREE and draft.at[mate] != places[0]
        ]
        if not mates or draft.at[who] == places[0]:
            return []
        mate = mates[int(draft.rng.random() * len(mates))]
        one, other = (who, mate) if draft.rng.random() < 0.5 else (mate, who)
        return [Sentence(CONJ, one, other, place, index > 0) for index, place in enumerate(places)]


class Plan:
    """The units of one story, the question they are meant to answer, and who takes part."""

    def __init__(self, draft: Draft, may_refer: Callable[..., bool]) -> None:
        self.draft = draft
        self.rng: Random = draft.rng
        self.units: list[Unit] = []
        self.question = Question(WHERE_P, 0)
        self._may_refer = may_refer
        self._people = list(range(draft.persons))
        self._things = list(range(len(draft.holder)))
        self._carries: dict[int, int] = {}
        self.echoes = 0
        """How often the last gift goes to and fro again: each time is one more way to know the same."""

    # -- casting ----------------------------------------------------------------------------------

    def _person(self) -> int:
        return self._people.pop(int(self.rng.random() * len(self._people)))

    def _stationary(self, place: int) -> int:
        """A person who is at a place from the start without the reader knowing."""
        who = self._person()
        self.draft.at[who] = place
        self.draft.status[who] = FROZEN
        return who

    def _thing(self) -> int:
        thing = self._things.pop(int(self.rng.random() * len(self._things)))
        self.draft.reserved[thing] = True
        return thing

    def _place(self, *others: int) -> int:
        while True:
            place = int(self.rng.random() * self.draft.places)
            if place not in others:
                return place

    # -- parts of a plan ----------------------------------------------------------------------------

    def _add(self, *sentences: Sentence, core: bool = True) -> Unit:
        unit = Unit(*sentences, core=core)
        self.units.append(unit)
        return unit

    def _arrive(self, who: int, place: int, source: str, status: int) -> None:
        """A person comes to a place, told in the way the source says."""
        if source == "conj":
            unit = self._add(Sentence(CONJ, who, -1, place))
            unit.partner = who
        elif source == "compound":
            unit = self._add(Sentence(CONJ, who, -1, self._place(place)), Sentence(CONJ, who, -1, place))
            unit.partner = who
        elif source == "coref":
            stop = self._place(place)
            unit = self._add(Sentence(MOVE, who, stop), Sentence(MOVE, who, place, -1, True))
        else:
            unit = self._add(Sentence(AFFIRM if source == "affirm" else MOVE, who, place))
        unit.after.append((who, status))

    def _either(self, who: int, place: int, other: int) -> None:
        pair = (place, other) if self.rng.random() < 0.5 else (other, place)
        unit = self._add(Sentence(INDEF, who, *pair))
        unit.silent = ((who, place),)
        unit.after.append((who, FROZEN))

    def _not(self, who: int, place: int, denied: int) -> None:
        unit = self._add(Sentence(NEGATE, who, denied))
        unit.silent = ((who, place),)
        unit.after.append((who, FROZEN))

    def _obtain(self, who: int, core: bool) -> int:
        """A person grabs an object that was not told of before."""
        thing = self._thing()
        self._add(Sentence(GRAB, who, thing), core=core).fresh = True
        self._carries[who] = thing
        return thing

    def _link(self, link: str, near: int, far: int) -> None:
        """Tie the place of `far` to the place of `near`; both are there and stay there."""
        backwards = self.rng.random() < 0.25 and far not in self._carries and len(self._things) > 1
        giver, taker = (far, near) if backwards and link != "coref-drop-grab" else (near, far)
        if link == "coref-drop-grab":
            thing = self._thing() if self._things else -1
            if thing >= 0:
                unit = self._add(Sentence(GRAB, giver, thing), Sentence(DROP, giver, thing, -1, True))
                unit.fresh = True
                self._add(Sentence(GRAB, taker, thing))
                self._carries[taker] = thing
                return
        thing = self._carries.pop(giver, -1)
        if thing < 0:
            thing = self._obtain(giver, core=False)
            del self._carries[giver]
        if link == "give":
            self._add(Sentence(GIVE, giver, thing, taker))
        else:
            self._add(Sentence(DROP, giver, thing))
            self._add(Sentence(GRAB, taker, thing))
        self._carries[taker] = thing

    def _chain(self, shape: Shape, place: int, first: int) -> int:
        """From the source to the last person of the chain, whose number is returned."""
        members = [first, *(self._stationary(place) for _ in shape.links)]
        other = self._place(place)
        if shape.source == "either":
            self._either(first, place, other)
        elif shape.source == "not":
            self._not(first, place, other)
        elif shape.source.startswith("either-"):
            second = members[1 + int(self.rng.random() * len(shape.links))]
            one, two = (first, second) if self.rng.random() < 0.5 else (second, first)
            self._either(one, place, other)
            if shape.source == "either-not":
                self._not(two, place, other)
            else:
                self._either(two, place, self._place(place, other))
        else:
            self._arrive(first, place, shape.source, FROZEN)
        self._decoys(members[1:], place)
        for index, link in enumerate(shape.links):
            self._link(link, members[index], members[index + 1])
            if index + 1 == len(shape.links) and link == "give":
                self._echo(members[index], members[index + 1])
            self.units[-1].after.append((members[index], LEAVE_FIRST))
        return members[-1]

    def _echo(self, one: int, other: int) -> None:
        """Hand the last gift to and fro."""
        giver, taker = (other, one) if other in self._carries else (one, other)
        for _ in range(self.echoes):
            thing = self._carries.pop(giver)
            self._add(Sentence(GIVE, giver, thing, taker), core=False)
            self._carries[taker] = thing
            giver, taker = taker, giver

    def _decoys(self, members: list[int], place: int) -> None:
        """Now and then say something of a stationary person's place that does not give it away."""
        names = self.draft.actions.names
        for who in members:
            if self.rng.random() >= _DECOY_CHANCE:
                continue
            if "negate" in names and self.rng.random() < 0.5:
                unit = Unit(Sentence(NEGATE, who, self._place(place)), core=False)
            elif "indef" in names:
                other = self._place(place)
                one, two = (place, other) if self.rng.random() < 0.5 else (other, place)
                unit = Unit(Sentence(INDEF, who, one, two), core=False)
            else:
                continue
            unit.silent = ((who, place),)
            self.units.insert(int(self.rng.random() * (len(self.units) + 1)), unit)

    # -- whole plans --------------------------------------------------------------------------------

    def locate_person(self, shape: Shape, kind: int, wish: str) -> None:
        """Where is P? and Is P in the L?, answered as wished (yes, no or maybe)."""
        place = self._place()
        who = self._chain(shape, place, self._person())
        self.question = Question(WHERE_P, who)
        if kind == YES_NO:
            asked = place
            said = self.units[0].sentences[0]
            if shape.source == "not":
                asked = said.second
            elif shape.source == "either" and wish == "no":
                asked = self._place(said.second, said.third)
            elif wish == "no":
                asked = self._place(place)
            self.question = Question(YES_NO, who, asked)
        self._pair_up()

    def locate_object(self, shape: Shape) -> int:
        """Where is the O? Returns the object's place."""
        place = self._place()
        who, thing = self._hold(shape, place)
        if shape.hold == "dropped":
            self._add(Sentence(DROP, who, thing)).after.append((who, LEAVE_FIRST))
        self.question = Question(WHERE_O, thing)
        self._pair_up()
        return place

    def _hold(self, shape: Shape, place: int) -> tuple[int, int]:
        """Bring a person with an object to a place (a dropped object is still held)."""
        first = self._person()
        hold = shape.hold
        if hold in ("carried", "carried-coref") or (hold == "dropped" and not shape.links and self.rng.random() < 0.5):
            thing = self._obtain(first, core=hold != "dropped")
            if hold == "carried-coref":
                self.units[-1].sentences.append(Sentence(MOVE, first, place, -1, True))
                self.units[-1].after.append((first, FROZEN))
            else:
                self._arrive(first, place, shape.source, FROZEN)
            return first, thing
        if hold == "given":
            giver = self._stationary(place)
            thing = self._obtain(giver, core=False)
            unit = self._add(Sentence(GIVE, giver, thing, first))
            # Nothing was said of where the giver is, so the giver may be wherever the receiver is.
            unit.silent = ((giver, -1),)
            unit.after.append((giver, LEAVE_FIRST))
            self._arrive(first, place, shape.source, FROZEN)
            return first, thing
        who = self._chain(shape, place, first)
        if hold == "grabbed" or who not in self._carries:
            return who, self._obtain(who, core=hold != "dropped")
        return who, self._carries[who]

    def locate_before(self, shape: Shape) -> None:
        """Where was the O before the L?"""
        if shape.leave == "pair":
            who = self._person()
            thing = self._obtain(who, core=True)
            if self.rng.random() < _STAY_CHANCE:
                self.units[-1].after.append((who, FROZEN))
            goal = self._place()
            self._arrive(who, goal, shape.source, FROZEN)
        else:
            place = self._place()
            who, thing = self._hold(shape, place)
            if shape.hold in ("carried", "given") and self.rng.random() < _STAY_CHANCE:
                # Wandering about with the object often spoils the question by an earlier visit to the goal.
                self.units[-2].after.append((who, FROZEN))
            goal = self._place(place)
            if shape.hold == "linked" and self._carries.get(who) != thing:
                raise LookupError("the last link did not bring the object")
            self._arrive(who, goal, shape.leave, FROZEN)
        self.question = Question(WHERE_WAS, thing, goal)
        self._pair_up()
        if "move" in self.draft.actions.names and self.rng.random() < _ONWARD_CHANCE:
            past = {sentence.second for unit in self.units for sentence in unit.sentences if sentence.kind == MOVE}
            past |= {sentence.third for unit in self.units for sentence in unit.sentences if sentence.kind == CONJ}
            self._add(Sentence(MOVE, who, self._place(goal, *sorted(past)[: self.draft.places - 2])), core=False)

    def keep_account(self, size: int, may_give: bool, may_drop: bool, question: int) -> None:
        """What is P carrying? and how many: `size` changes of one person's hands."""
        rng, draft = self.rng, self.draft
        who = self._person()
        mate = self._person() if may_give else -1
        fresh = [self._thing() for _ in range(1 + int(rng.random() * len(self._things)))]
        hands: list[int] = []
        floor: list[int] = []
        lent: list[int] = []
        for _ in range(size):
            ways = []
            if fresh:
                ways.append("fresh")
            if floor:
                ways.append("floor")
            if hands:
                ways += ["drop"] * may_drop + ["give"] * may_give
            if lent or (may_give and fresh):
                ways.append("receive")
            if not ways:
                raise LookupError("nothing is left to do with these objects")
            self._change(ways[int(rng.random() * len(ways))], who, mate, (fresh, hands, floor, lent))
        first = self.units[0]
        first.after += [(who, FROZEN)]
        self.units[-1].after += [(who, TRAVEL_ONLY)] + ([(mate, LEAVE_FIRST)] if mate >= 0 else [])
        if mate >= 0:
            draft.at[mate] = draft.at[who]
            draft.status[mate] = FROZEN
        draft.status[who] = FROZEN
        self.question = Question(question, who)
        self._pair_up()

    def _change(self, way: str, who: int, mate: int, stock: tuple[list[int], ...]) -> None:
        fresh, hands, floor, lent = stock

        def take(things: list[int]) -> int:
            return things.pop(int(self.rng.random() * len(things)))

        if way == "fresh":
            thing = take(fresh)
            self._add(Sentence(GRAB, who, thing)).fresh = True
            hands.append(thing)
        elif way == "floor":
            thing = take(floor)
            self._add(Sentence(GRAB, who, thing))
            hands.append(thing)
        elif way == "drop":
            thing = take(hands)
            self._add(Sentence(DROP, who, thing))
            floor.append(thing)
        elif way == "give":
            thing = take(hands)
            self._add(Sentence(GIVE, who, thing, mate))
            lent.append(thing)
        else:
            if lent:
                thing = take(lent)
            else:
                thing = take(fresh)
                self._add(Sentence(GRAB, mate, thing), core=False).fresh = True
            self._add(Sentence(GIVE, mate, thing, who))
            hands.append(thing)

    def hand_over(self) -> None:
        """One give; the question about it is chosen once the story is told."""
        giver = self._person()
        thing = self._obtain(giver, core=False)
        receiver = self._stationary(self.draft.at[giver])
        self.draft.status[giver] = FROZEN
        unit = self._add(Sentence(GIVE, giver, thing, receiver))
        unit.after += [(giver, FREE), (receiver, FREE)]
        self.draft.reserved[thing] = False

    def _pair_up(self) -> None:
        """Speak a supporting sentence with a pronoun where its antecedent is a supporting sentence anyway."""
        names = {MOVE: "move", GRAB: "grab", DROP: "drop"}
        paired: list[Unit] = []
        for unit in self.units:
            last = paired[-1] if paired else None
            if last is not None and last.core and unit.core and len(last.sentences) == len(unit.sentences) == 1:
                one, two = last.sentences[0], unit.sentences[0]
                if (
                    one.first == two.first
                    and not unit.fresh | (unit.partner >= 0)
                    and last.partner < 0
                    and one.kind in names
                    and two.kind in names
                    and self._may_refer(names[one.kind], names[two.kind])
                    and self.rng.random() < _PAIR_CHANCE
                ):
                    last.sentences.append(two._replace(pronoun=True))
                    last.after += unit.after
                    continue
            paired.append(unit)
        self.units = paired
