"""How the people of a plan come by objects, and where they leave them."""

from __future__ import annotations

from taskloom.families.babi.grammar import Part
from taskloom.families.babi.scene import Scene
from taskloom.families.babi.story import GRAB
from taskloom.families.babi.storyteller import FREE, STAYS

__all__ = ["Possessions"]

_FETCH_CHANCE = 0.6


class Possessions(Scene):
    """Units in which objects are taken, received, brought and put down."""

    def stock(self, who: int) -> None:
        """Let a person take an object along before their place is stated, if one is at hand; outside the support."""
        if self.far or self.rng.random() >= _FETCH_CHANCE:
            return
        self.stocked.add(who)

        def act() -> bool:
            if "grab" not in self.teller.table.names:
                return True
            if self.fetch(who, self.favourite) and self.favourite in self.free_objects(who):
                self.say(GRAB, who, self.favourite)
            elif not self.held(who):
                self._obtain(who)
            return True

        self.add(3, act)

    def take(self, part: Part, who: int, *, status: int = STAYS, fetch: bool = False) -> None:
        """A person comes to hold the asked object; `fetch` lets them go and get the favourite one."""
        kind, before = part.kinds[0], part.before[0]
        fetch = fetch and not self.far and self.rng.random() < _FETCH_CHANCE

        def act() -> bool:
            paired, self._pronoun = self._pronoun, False
            fetched = fetch and not paired and self.fetch(who, self.favourite)
            if before >= 0 and not self.lead_in(before, who, taking=True):
                return False
            things = self.free_objects(who)
            if not things:
                return False
            thing = self.favourite if fetched and self.favourite in things else self.choose(things)
            self._pronoun = paired
            if not self.handle(kind, "take", who, thing, pronoun=before >= 0):
                return False
            self.asked = thing
            self.reserve(thing)
            self.hold(who, status)
            return True

        need = 1 + 2 * (before >= 0) + 2 * fetch
        self.add(need, act, who, pairs=before < 0, refers=before < 0)

    def receive(self, part: Part, who: int, *, status: int = STAYS) -> None:
        """Somebody gives the asked object to a person whose place is stated later."""

        def act() -> bool:
            teller = self.teller
            givers = [
                giver
                for giver in range(teller.persons)
                if giver != who
                and teller.status[giver] & STAYS
                and teller.may_join(teller.reader.stay[giver], teller.reader.stay[who])
                and (self.held(giver) or self.free_objects(giver))
            ]
            if not givers:
                return False
            holding = [giver for giver in givers if self.held(giver)]
            pool = holding or givers
            giver = pool[int(self.rng.random() * len(pool))]
            thing = self.hand(giver, to=who)
            if thing < 0 or not teller.may_join(teller.reader.stay[giver], teller.reader.stay[who]):
                return False
            if not self.pass_on(part.kinds[0], giver, thing, who):
                return False
            self.asked = thing
            self.reserve(thing)
            self.hold(who, status)
            return True

        self.add(2, act)

    def bring(self, part: Part, place: int) -> int:
        """A person takes the asked object and then goes to a place, in one breath."""
        who = self.person()
        fetch = not self.far and self.rng.random() < _FETCH_CHANCE

        def tell() -> bool:
            teller = self.teller
            fetched = fetch and self.fetch(who, self.favourite)
            things = self.free_objects(who)
            if not things or teller.known(who) == place:
                return False
            thing = self.favourite if fetched and self.favourite in things else self.choose(things)
            if not self.handle(part.kinds[0], "take", who, thing):
                return False
            self.asked = thing
            self.reserve(thing)
            self.say(part.kinds[1], who, place, pronoun=True)
            self.arrived_at = place
            self.hold(who, STAYS)
            self.guard(who)
            return True

        self.add(2 + 2 * fetch, tell, who)
        return who

    def put_down(self, part: Part, who: int) -> None:
        """A person puts the asked object down where they are."""
        kind, before = part.kinds[0], part.before[0]

        def act() -> bool:
            paired, self._pronoun = self._pronoun, False
            thing = self.carried(who)
            if before == GRAB and thing < 0 and not self.held(who):
                thing = self._obtain(who)
            else:
                thing = thing if thing >= 0 else self.hand(who)
                ready = thing >= 0 and (
                    before < 0 or (self.prepare(before, who, thing) and self._antecedent(before, who, but=thing))
                )
                if not ready:
                    return False
            self._pronoun = paired
            if thing < 0 or not self.handle(kind, "drop", who, thing, pronoun=before >= 0):
                return False
            self.asked = thing
            self.reserve(thing)
            self.hold(who, FREE)
            return True

        self.add(2 + 2 * (before >= 0), act, who, pairs=before < 0)
