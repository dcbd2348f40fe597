"""An independent judge: every state of the world that a text leaves possible, kept up sentence by sentence.

It shares no code with the reader. A state says where everybody and everything is; a sentence changes states, splits
them where it leaves something open, and strikes out those it contradicts. What all remaining states agree on follows.
Stories are lists of plain tuples, read from text by the hand-written parsers below, one for each language.
"""

import re
from itertools import product

ELSEWHERE = "elsewhere"


class Possible:
    """All possible states; `trail` is where one object has been, for questions about before."""

    def __init__(self, people, things, places, trail=None):
        self.people, self.things = list(people), list(things)
        self.names = [*self.people, *self.things]
        self.places = [*places, ELSEWHERE]
        self.trail = self.names.index(trail) if trail else None
        self.holder = {}
        self.values = {}
        self.given = []
        spots = product(self.places, repeat=len(self.names))
        self.states = {(spot, self._track((), spot)) for spot in spots}

    def _track(self, trail, spot):
        if self.trail is None or (trail and trail[-1] == spot[self.trail]):
            return trail
        return (*trail, spot[self.trail])

    def _change(self, options):
        """Replace every state by those that `options(state)` gives: dictionaries of who is where from now on."""
        states = set()
        for spot, trail in self.states:
            for moved in options(dict(zip(self.names, spot, strict=True))):
                along = {thing: moved[who] for thing, who in self.holder.items() if who in moved}
                new = tuple({**dict(zip(self.names, spot, strict=True)), **moved, **along}.values())
                states.add((new, self._track(trail, new)))
        self.states = states
        assert states, "the text contradicts itself"

    def tell(self, event):
        """Read one event."""
        name, *roles = event
        getattr(self, f"_{name}")(*roles)

    def _is(self, who, place):
        self._change(lambda at: [{who: place}])

    def _move(self, who, place):
        """Who moves to a place was not there."""
        self._change(lambda at: [{who: place}] if at[who] != place else [])

    def _both(self, who, other, place):
        self._change(lambda at: [{who: place, other: place}] if place not in (at[who], at[other]) else [])

    def _left(self, who, place):
        """Who is no longer in a place was there."""
        gone = [{who: spot} for spot in self.places if spot != place]
        self._change(lambda at: gone if at[who] == place else [])

    def _not(self, who, place):
        self._change(lambda at: [{who: spot} for spot in self.places if spot != place])

    def _either(self, who, one, other):
        self._change(lambda at: [{who: one}, {who: other}])

    def _follow(self, who, other):
        self._change(lambda at: [{who: at[other]}])

    def _swap(self, who, other):
        self._change(lambda at: [{who: at[other], other: at[who]}])

    def _meet(self, one, other):
        self._change(lambda at: [{}] if at[one] == at[other] else [])

    def _at(self, who, place):
        self._change(lambda at: [{}] if at[who] == place else [])

    def _grab(self, who, thing):
        assert thing not in self.holder, "somebody has it already"
        self._meet(who, thing)
        self.holder[thing] = who

    def _drop(self, who, thing):
        assert self.holder.pop(thing) == who

    def _give(self, who, thing, other):
        assert self.holder[thing] == who
        self._meet(who, other)
        self.holder[thing] = other
        self.given.append((who, thing, other))

    def _set(self, name, owner, value):
        self.values[name, owner] = value

    def _copy(self, name, owner, source):
        self.values[name, owner] = self.values[name, source]

    # -- answers ----------------------------------------------------------------------------------------

    def where(self, name):
        """Where everything agrees somebody or something is, or None."""
        number = self.names.index(name)
        found = {spot[number] for spot, _ in self.states}
        return found.pop() if len(found) == 1 and ELSEWHERE not in found else None

    def whether(self, who, place):
        number = self.names.index(who)
        found = {spot[number] for spot, _ in self.states}
        return "yes" if found == {place} else "maybe" if place in found else "no"

    def before(self, goal):
        origins = set()
        for _, trail in self.states:
            arrivals = [place for place in range(1, len(trail)) if trail[place] == goal]
            origins.add(trail[arrivals[0] - 1] if len(arrivals) == 1 else ELSEWHERE)
        return origins.pop() if len(origins) == 1 and ELSEWHERE not in origins else None

    def carried(self, who):
        return sorted(thing for thing, holder in self.holder.items() if holder == who)


# -- parsers, written by hand for each language ------------------------------------------------------------------


def parse_english(lines):
    """The events of an English story."""
    events, last = [], None
    for line in lines:
        text = re.sub(r"^(After that|Following that|Afterwards|Then) ", "", line.rstrip("."))
        names = re.findall(r"\b[A-Z]\w+\b", re.sub(r"^(he|she|they)\b", "", text))
        if re.match(r"(he|she|they)\b", text):
            names = [*last, *names]
        places = re.findall(r"(?:to the|in the|or the) (\w+)", text)
        thing = re.search(r" the (\w+)(?: there| to \w+)?$", text)
        if "either" in text:
            events.append(("either", names[0], *places))
        elif " not in " in text or "no longer in" in text:
            events.append(("not" if " not in " in text else "left", names[0], places[0]))
        elif " is in " in text:
            events.append(("is", names[0], places[0]))
        elif re.search(r" (gave|handed|passed) ", text):
            events.append(("give", names[0], thing[1], names[-1]))
        elif places:
            events.append(
                ("both", *names[:2], places[0]) if " and " in text or "they" in text else ("move", names[0], places[0])
            )
        elif re.search(r" (discarded|dropped|left|put down) ", text):
            events.append(("drop", names[0], thing[1]))
        else:
            assert re.search(r" (grabbed|picked up|took|got) ", text), line
            events.append(("grab", names[0], thing[1]))
        last = names[:2] if events[-1][0] == "both" else names[:1]
    return events


def parse_german(lines):
    """The events of a German story. Names, objects and places are the words with a capital."""
    events, last = [], None
    for line in lines:
        text = line.rstrip(".")
        again = re.match(r"(Danach|Anschließend|Daraufhin|Dann) (\w+) (er|sie) ", text)
        words = re.findall(r"\b[A-ZÄÖÜ][\wäöüß]+", text)
        names = [*last, *words[1:]] if again else words
        if "entweder" in text:
            events.append(("either", *names))
        elif " ist nicht " in text:
            events.append(("left" if " nicht mehr " in text else "not", names[0], names[1]))
        elif re.search(r" ist (im|in der) ", text):
            events.append(("is", names[0], names[1]))
        elif re.search(r" (gab|reichte|überreichte) ", text):
            events.append(("give", names[0], names[2], names[1]))
        elif re.search(r"\b(ging|lief|eilte|spazierte|schlenderte)(e?n)?\b|\bliefen\b", text):
            events.append(("both" if len(names) == 3 else "move", *names))
        elif re.search(r"\b(ließ|legte) ", text):
            events.append(("drop", names[0], names[-1]))
        else:
            assert re.search(r"\b(nahm|holte|ergriff|hob) ", text), line
            events.append(("grab", names[0], names[-1]))
        last = names[:2] if events[-1][0] == "both" else names[:1]
    return events


def parse_spanish(lines):
    """The events of a Spanish story: a sentence without a name is about those of the sentence before."""
    events, last = [], None
    nouns = "manzana|balón|leche|baño|dormitorio|jardín|pasillo|cocina|oficina|cine|parque|escuela"
    for line in lines:
        text = line.rstrip(".")
        again = re.match(r"(Después|A continuación|Luego|Más tarde) ", text)
        body = text[again.end() :] if again else text
        people = re.findall(r"\b[A-ZÁÉÍÓÚ]\w+", body)
        things = re.findall(rf"\b({nouns})\b", body)
        if again:
            people = [*last, *people]
        if " o en " in text:
            events.append(("either", people[0], *things))
        elif " no está " in text:
            events.append(("left" if " ya no " in text else "not", people[0], things[0]))
        elif " está " in text:
            events.append(("is", people[0], things[0]))
        elif " le " in text:
            events.append(("give", people[0], things[0], people[1]))
        elif re.search(r"\b(fue|caminó|corrió|dirigió|volvió|fueron|caminaron|corrieron|dirigieron|volvieron)\b", body):
            events.append(("both" if len(people) == 2 else "move", *people, things[0]))
        elif re.search(r"\b(soltó|dejó|abandonó)\b", body):
            events.append(("drop", people[0], things[0]))
        else:
            assert re.search(r"\b(tomó|agarró|recogió|cogió)\b", body), line
            events.append(("grab", people[0], things[0]))
        last = people[:2] if events[-1][0] == "both" else people[:1]
    return events
