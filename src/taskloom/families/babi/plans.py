"""Plans: the parts of a proof made concrete, as units that a story must tell in this order.

A unit says one or a few sentences when its turn comes, choosing objects and companions by what the story has said
so far. It fails where nothing suitable is at hand; the story is then begun anew.
"""

from __future__ import annotations

from collections.abc import Sequence

from taskloom.families.babi.grammar import Part
from taskloom.families.babi.kinds import CONJ, DROP, GIVE, INDEF, MOVE, NEGATE, Sentence
from taskloom.families.babi.mentions import TELLING
from taskloom.families.babi.scene import Possessions, Unit
from taskloom.families.babi.storyteller import FREE, STAYS


class StoryPlan(Possessions):
    """The units of one story: how people come to be somewhere, are tied together, and come by objects."""

    # -- sources and chains ---------------------------------------------------------------------------------

    def arrive(
        self, part: Part, who: int, place: int, *, guarded: bool, status: int = STAYS, seek: bool = False
    ) -> None:
        """A person comes to be in a place, in the way the part says.

        Args:
            part: The source.
            who: The person.
            place: The place; -1 for one that is not `arrived_at`.
            guarded: Whether the place must not be tied to anything known.
            status: What noise may do with the person from then on.
            seek: Go where the favourite object lies instead, if that is known.
        """
        teller = self.teller
        kinds, before = part.kinds, part.before
        planned = place

        def act() -> bool:
            place = planned if planned >= 0 else self._onward_place(who)
            if seek:
                place = self._lies_at(place)
            if planned < 0:
                self.goal = place
            else:
                self.arrived_at = place
            if teller.known(who) == place:
                if planned < 0 or self.pinned:
                    return False
                self.arrived_at = place = teller.elsewhere(place)
            if part.role.endswith("conj") or part.role.endswith("compound"):
                done = self._together(who, place, pair=len(kinds) > 1, onward=part.role == "leave compound")
            else:
                done = self._one_arrives(kinds[-1], before[-1], who, place)
            if done:
                self.hold(who, status)
                if guarded:
                    self.guard(who)
            return done

        need = part.cost + (before[-1] == DROP) + (part.role == "leave compound")
        alone = kinds == (MOVE,) and before == (-1,)
        self.units.append(Unit(need, act, who, pairs=alone, refers=alone, least=part.cost))

    def _onward_place(self, who: int) -> int:
        """Where the asked object goes: best a place where it has not been, or the question would be open."""
        teller, reader = self.teller, self.teller.reader
        been = 0
        for stay, _ in reader.path[self.asked] if self.asked >= 0 else ():
            been |= max(0, reader.possible(stay))
        known, place = teller.known(who), teller.distractor_place
        if place in (-1, known, self.arrived_at) or been >> place & 1:
            for _ in range(TELLING.goals):
                place = teller.elsewhere(self.arrived_at, known)
                if not been >> place & 1:
                    break
        return place

    def _lies_at(self, place: int) -> int:
        """Where the favourite object lies, if that is known, else the place given."""
        reader = self.teller.reader
        if self.favourite < 0 or self.teller.reserved[self.favourite]:
            return place
        found = reader.place(reader.path[self.favourite][-1][0])
        return place if found is None else found

    def _one_arrives(self, kind: int, before: int, who: int, place: int) -> bool:
        if before >= 0 and not self.lead_in(before, who, avoid=place):
            return False
        if kind < CONJ:
            return self.say(kind, who, place, pronoun=before >= 0)
        _, subject, spot, _ = self.teller.table.world.events[kind].op("in", "at")
        if before >= 0:
            self._pronoun = True
        return self.cast(kind, {subject: who, spot: place})

    def _together(self, who: int, place: int, *, pair: bool, onward: bool) -> bool:
        """Two people go somewhere; and 'they' go on, where there is a second sentence."""
        teller = self.teller
        stop = teller.elsewhere(place, teller.known(who)) if pair else place
        mates = [
            mate
            for mate in range(teller.persons)
            if mate != who and teller.status[mate] == FREE and teller.known(mate) != stop
        ]
        if not mates:
            return False
        mate = mates[int(self.rng.random() * len(mates))]
        one, other = (who, mate) if self.rng.random() < 0.5 else (mate, who)
        teller.say(Sentence(CONJ, one, other, stop))
        if pair:
            teller.say(Sentence(CONJ, one, other, place, True))
        if onward:
            teller.say(Sentence(CONJ, one, other, teller.elsewhere(place), True))
        self._pronoun = False
        return True

    def state(self, who: int, kind: int, *places: int) -> None:
        """Say that a person is either here or there, or not there."""

        def act() -> bool:
            shown = places if len(places) < 2 or self.rng.random() < 0.5 else places[::-1]
            if kind == NEGATE and not self._pronoun:
                self.teller.deny(who, shown[0])
            elif not self.say(kind, who, *shown):
                return False
            self.hold(who, STAYS)
            self.guard(who)
            return True

        self.units.append(Unit(1, act, who))

    def chain(
        self,
        source: Part,
        links: Sequence[Part],
        *,
        first: int,
        place: int,
        deliver: bool = False,
        taking: bool = False,
        asked: bool = False,
    ) -> int:
        """From the source to the last person of the chain, whose number is returned.

        Args:
            source: What is said of a place.
            links: What ties people together, from the source on.
            first: The person the source is about.
            place: The place.
            deliver: Whether the last link must bring an object.
            taking: Whether the last person takes an object afterwards.
            asked: Whether the question is about the last person.
        """
        begun = len(self.units)
        if links:
            if links[0].role in ("link drop-take", "link give"):
                self.stock(first)
            self.keep_spares(2 if taking or any(kind >= 0 for part in links for kind in part.before) else 1)
            if len(self._people) > len(links) + 2 and self.rng.random() < TELLING.prelude:
                self.prelude()
        guarded = bool(links) or source.cost > 1 or source.role not in ("source", "source conj")
        members = [first, *(self.person(STAYS) for _ in links)]
        for who in members[1:]:
            self.guard(who)
        other = self.teller.elsewhere(place)
        manner = source.role.removeprefix("source").strip()
        if manner in ("either", "not"):
            self.state(
                first, INDEF if manner == "either" else NEGATE, *((place, other) if manner == "either" else (other,))
            )
            self._decoys(members[1:], (place, other), asked)
        elif manner.startswith("either-"):
            second = members[1 + int(self.rng.random() * len(links))]
            one, two = (first, second) if self.rng.random() < 0.5 else (second, first)
            self.state(one, INDEF, place, other)
            if manner == "either-not":
                self.state(two, NEGATE, other)
            else:
                self.state(two, INDEF, place, self.teller.elsewhere(place, other))
        else:
            self.arrive(source, first, place, guarded=guarded, seek=taking and not guarded)
            # Sources must not always come early: some come before the spare object has been handled, some after.
            unit = self.units.pop()
            self.units.insert(begun + int(self.rng.random() * (len(self.units) - begun + 1)), unit)
            self._decoys(members[1:], (place,), asked)
        self.stocked.update(members[1:-1])
        for number, link in enumerate(links):
            last = number + 1 == len(links)
            self.link(link, members[number], members[number + 1], deliver=deliver and last, last=last and asked)
        return members[-1]

    def _decoys(self, members: Sequence[int], places: tuple[int, ...], asked: bool) -> None:
        """Now and then say something of a person of the chain that does not give their place away.

        The person asked about may go their ways before that. What is said of them last must not tell the answer: an
        either that holds the place asked about is as likely where the answer is no.

        Args:
            members: The people of the chain after the first.
            places: The place of the chain, or the two that its source leaves open.
            asked: Whether the question is about the last of them.
        """
        teller, names = self.teller, self.teller.table.names
        place, told = places[0], len(places) == 1
        for who in members:
            last = asked and who == members[-1]
            wished = teller.mentions.get("open", 0) > 0 if last else self.rng.random() < TELLING.decoy
            if self.teller.far or not wished:
                continue
            if last and self.wish == "no" and told and "indef" in names and self.rng.random() < TELLING.tempting:
                self.tempting = teller.elsewhere(place)
                self.state(who, INDEF, place, self.tempting)
            elif (
                "negate" in names
                and teller.table.affirm < 1
                and ((last and self.wish) or self.rng.random() < TELLING.denied)
            ):
                self.state(who, NEGATE, teller.elsewhere(*places))
            elif "indef" in names and told and who == members[0] and not (last and self.wish):
                self.state(who, INDEF, place, teller.elsewhere(place))
            else:
                continue
            self.pinned = True
            if last:
                teller.mentioned("open")
                teller.guards.remove(teller.reader.stay[who])
                self.hold(who, FREE)
            decoy = self.units.pop()
            spot = max(self.rng.random(), self.rng.random()) if last else self.rng.random()
            self.units.insert(int(spot * (len(self.units) + 1)), decoy)

    # -- links --------------------------------------------------------------------------------------------

    def link(self, part: Part, near: int, far: int, *, deliver: bool, last: bool = False) -> None:
        """Tie the place of `far` to the place of `near`; `deliver` brings an object to `far`.

        After the `last` link the object is free for noise.
        """
        manner = part.role.removeprefix("link ")
        if manner == "give":
            self._link_give(part.kinds[0], near, far, deliver, last)
        elif manner == "drop-take":
            self._link_drop(part, near, far, deliver, last)
        else:
            self._link_event(part.kinds[0], manner, near, far)

    def _let_go(self, who: int) -> None:
        """A person whose part is done may go their ways, but for the one the question is about."""
        if who != self.asked:
            self.hold(who, FREE)

    def _link_give(self, kind: int, near: int, far: int, deliver: bool, last: bool) -> None:
        backwards = not deliver and self.rng.random() < TELLING.backwards and not self.long

        def act() -> bool:
            giver, taker = (far, near) if backwards else (near, far)
            thing = self.hand(giver)
            if thing < 0 or not self.teller.fits(self.teller.reader.stay[near], self.teller.reader.stay[far]):
                return False
            if not self.pass_on(kind, giver, thing, taker):
                return False
            if not last:
                self.carry(taker, thing)
            self._let_go(near)
            return True

        self.units.append(Unit(2, act, least=1))

    def _link_drop(self, part: Part, near: int, far: int, deliver: bool, last: bool) -> None:
        drop, take = part.kinds
        first, second = part.before
        backwards = not deliver and self.rng.random() < TELLING.backwards and not self.long
        giver, taker = (far, near) if backwards else (near, far)
        between: list[int] = []

        def put() -> bool:
            thing = self.ready_to_drop(giver, first)
            if thing < 0 or not self.handle(drop, "drop", giver, thing, pronoun=first >= 0):
                return False
            self.teller.reserved[thing] = True
            between.append(thing)
            return True

        def pick_up() -> bool:
            thing = between[0]
            if second >= 0 and not self.lead_in(second, taker, but=thing):
                return False
            if not self.handle(take, "take", taker, thing, pronoun=second >= 0):
                return False
            self.carry(taker, thing)
            if last:
                self.carried(taker)
            self._let_go(near)
            return True

        need = 1 + (first >= 0) + (first == DROP) + (giver not in self.stocked)
        least = 1 + (first >= 0)
        self.units.append(Unit(need, put, giver, pairs=first < 0 and giver in self.stocked, least=least))
        need = 1 + (second >= 0) + (second == DROP)
        self.units.append(Unit(need, pick_up, taker, refers=second < 0, least=1 + (second >= 0)))

    def _link_event(self, kind: int, manner: str, near: int, far: int) -> None:
        """An event of the recipe's own by which one person comes to be where another is."""
        name = "with" if manner == "join" else "meet"
        _, one, two, _ = self.teller.table.world.events[kind].op(name)

        def act() -> bool:
            people = (far, near) if name == "with" or self.rng.random() < 0.5 else (near, far)
            if not self.cast(kind, {one: people[0], two: people[1]}):
                return False
            self.hold(far, STAYS)
            self.guard(far)
            self._let_go(near)
            return True

        self.units.append(Unit(1, act))

    # -- afterwards -----------------------------------------------------------------------------------------

    def linked(self, who: int) -> None:
        """The last link brought the asked object."""

        def act() -> bool:
            thing = self._carries.get(who, -1)
            if thing < 0 or self.teller.reader.holder[thing] != who:
                return False
            self.asked = thing
            self.teller.reserved[thing] = True
            return True

        last = self.units.pop()
        self.units.append(last._replace(act=lambda: last.act() and act()))

    def early(self) -> None:
        """Tell the last unit at some earlier point instead."""
        if self.rng.random() < TELLING.early:
            unit = self.units.pop()
            self.units.insert(int(self.rng.random() * (len(self.units) + 1)), unit)

    def echo(self, times: int) -> None:
        """Hand the last gift to and fro: each time is one more way to know the same."""

        def act() -> bool:
            _, giver, thing, taker, _, _ = self.teller.sentences[-1]
            for _ in range(times):
                giver, taker = taker, giver
                if not self.say(GIVE, giver, thing, taker):
                    return False
            return True

        last = self.units.pop()
        self.units.append(Unit(last.need + times, lambda: last.act() and act(), last.subject))

    # -- the story -----------------------------------------------------------------------------------------

    def tell(self, length: int, glued: set[int], *, lean: bool = False) -> bool:
        """Tell the units in order with random sentences between them; False where that fails.

        Args:
            length: How many sentences the story has.
            glued: The units that are spoken with a pronoun right behind the unit before.
            lean: Keep room for the supporting sentences of a unit only, not for all that it may take, and tell the
                units almost in one go.
        """
        teller, random = self.teller, self.rng.random
        units, sentences = self.units, teller.sentences
        leasts = [unit.need if unit.least < 0 else unit.least for unit in units]
        needs = leasts if lean else [unit.need for unit in units]
        done, count = 0, len(units)
        left, least = sum(needs), sum(leasts)
        if left > length:
            return False
        # Nothing comes between the units of a lean plan but for a few sentences: all else follows them.
        tail = max(0, length - left - TELLING.few) if lean else min(self.tail, length - left)
        latest = length - left - tail
        starts = [min(max(self.head, unit.after), latest) for unit in units]
        while done < count or len(sentences) < length:
            told = len(sentences)
            room = length - told - left
            waiting = count - done
            # Units come as evenly as if each took the least it can, or all that is not needed would follow the last.
            if waiting and (
                room <= 0
                or (told >= starts[done] and random() * (waiting + max(0, length - told - least - tail)) < waiting)
            ):
                if self.perform(units[done], False):
                    left, least, done = left - needs[done], least - leasts[done], done + 1
                    while done in glued:
                        if not self.perform(units[done], True):
                            return False
                        left, least, done = left - needs[done], least - leasts[done], done + 1
                    continue
                if len(sentences) > told:
                    return False
                # Nothing has been said yet: what the unit lacks may come up.
            if room <= 0:
                return False
            # A thousand sentences are not thrown away because nothing fitted once.
            if not (teller.tell_something(room) or (self.long and teller.tell_something(room))):
                if not waiting or not self.perform(units[done], False):
                    return False
                left, least, done = left - needs[done], least - leasts[done], done + 1
        return len(sentences) == length
