"""A second independent judge, for stories of any size: what a text and its supports prove, from place segments.

It shares no code with the reader. Every stretch of time in which a person or an object is in one place is an unknown;
a sentence says that two unknowns are one place, or that an unknown is, or is not, among some places. The judge reads
the events that the hand-written parsers of `possible` find in the text. It answers whether a story contradicts itself,
whether the answer follows from it, whether it follows from the support, and from less than the support.
"""

import re

from families.babi.possible import parse_english, parse_german, parse_spanish
from families.babi.prose_judge import plainly

PARSERS = {"en": parse_english, "de": parse_german, "es": parse_spanish}
AGAIN = {
    "en": r"(After that|Following that|Afterwards|Then) (he|she|they) ",
    "de": r"(Danach|Anschließend|Daraufhin|Dann) ",
    "es": r"(Después|A continuación|Luego|Más tarde) ",
}
COUNT_WORDS = {
    "en": ("none", "one", "two", "three"),
    "de": ("null", "eins", "zwei", "drei"),
    "es": ("ninguno", "uno", "dos", "tres"),
}


class Segments:
    """The unknowns of a story and what each sentence says of them."""

    def __init__(self, lines, code="en"):
        told = plainly(lines) if code == "prose" else [(line, {number}) for number, line in enumerate(lines)]
        code = "en" if code == "prose" else code
        self.events = PARSERS[code]([line for line, _ in told])
        self.needs = []  # sentences without which one cannot be understood, itself included
        for number, (line, where) in enumerate(told):
            spoken = number and re.match(AGAIN[code], line)
            self.needs.append(where | (self.needs[-1] if spoken else set()))
        self.count = 0
        self.says = []  # (sentences, unknown, places, whether in them) and (sentences, unknown, unknown)
        self.at, self.path, self.holder, self.since = {}, {}, {}, {}
        self.possible = True
        for number, event in enumerate(self.events):
            self._read(self.needs[number], *event)

    def _new(self):
        self.count += 1
        return self.count - 1

    def _place(self, who):
        return self.at.setdefault(who, self._new())

    def _thing(self, thing):
        return self.path.setdefault(thing, [self._new()])

    def _arrive(self, needs, who, places, inside):
        self.at[who] = self._new()
        self.says.append((needs, self.at[who], frozenset(places), inside))
        for thing, holder in self.holder.items():
            if holder == who:
                self.path[thing].append(self._new())
                self.says.append((self.since[thing], self.path[thing][-1], self.at[who]))

    def _read(self, needs, name, *roles):
        if name in ("move", "both", "is", "not", "left", "either"):
            people, places = (roles[:2], roles[2:]) if name == "both" else (roles[:1], roles[1:])
            for who in people:
                before = self._place(who)
                if name in ("move", "both"):
                    self.says.append((needs, before, frozenset(places), False))
                if name == "left":
                    self.says.append((needs, before, frozenset(places), True))
            for who in people:
                self._arrive(needs, who, places, name not in ("not", "left"))
            return
        who, thing, *other = roles
        path = self._thing(thing)
        if name == "grab":
            self.possible &= self.holder.get(thing) is None
        else:
            self.possible &= self.holder.get(thing) == who
        self.says.append((needs, path[-1], self._place(who)))
        path.append(self._new())
        after = self._place(other[0]) if other else self._place(who)
        self.says.append((needs, path[-1], after))
        if other:
            self.says.append((needs, self._place(who), after))
        self.holder[thing] = {"grab": who, "drop": None, "give": other[0] if other else None}[name]
        self.since[thing] = needs

    def solve(self, read=None):
        """What a set of sentences says of each unknown: a function to (places or None for any, places ruled out)."""
        parent = list(range(self.count))

        def root(one):
            while parent[one] != one:
                one = parent[one]
            return one

        said = [each for each in self.says if read is None or each[0] <= read]
        for each in said:
            if len(each) == 3:
                parent[root(each[1])] = root(each[2])
        inside, outside = {}, {}
        for each in said:
            if len(each) == 4:
                _, unknown, places, among = each
                top = root(unknown)
                if among:
                    inside[top] = inside[top] & places if top in inside else places
                else:
                    outside[top] = outside.get(top, frozenset()) | places

        def known(unknown):
            top = root(unknown)
            out = outside.get(top, frozenset())
            return (inside[top] - out if top in inside else None), out

        return known

    def contradicts_itself(self):
        known = self.solve()
        return not self.possible or any(known(unknown)[0] == frozenset() for unknown in range(self.count))

    def changes(self, who):
        """What somebody carries, and the sentences that changed it with what they need."""
        carried, sentences = set(), set()
        for needs, (name, *roles) in zip(self.needs, self.events, strict=True):
            if name in ("grab", "drop", "give") and who in (roles[0], roles[-1]):
                sentences |= needs
                gains = name == "grab" or (name == "give" and roles[2] == who)
                (carried.add if gains else carried.discard)(roles[1])
        return sorted(carried), sentences

    def last_arrival(self, thing, place):
        """The one slot at which an object came to a place, if it came there once and no more."""
        known, path = self.solve(), self.path[thing]
        found = []
        for slot in range(1, len(path)):
            here, before = known(path[slot]), known(path[slot - 1])
            same = any(len(e) == 3 and {e[1], e[2]} == {path[slot], path[slot - 1]} for e in self.says)
            may = (here[0] is None and place not in here[1]) or (here[0] is not None and place in here[0])
            if may and before[0] != {place} and not same and not self._one(path[slot], path[slot - 1]):
                found.append(slot)
        return found[0] if len(found) == 1 else None

    def _one(self, one, other):
        """Whether two unknowns must be one place."""
        parent = {}

        def root(each):
            while parent.get(each, each) != each:
                each = parent[each]
            return each

        for each in self.says:
            if len(each) == 3 and root(each[1]) != root(each[2]):
                parent[root(each[1])] = root(each[2])
        return root(one) == root(other)


def verdict(lines, asked, answer, support, code="en"):
    """What is wrong with an item: '' or contradictory, wrong, unsupported or non-minimal.

    Args:
        asked: (question type, names): where-person P, where-object O, where-was-object O L, yes-no P L, list P,
            counting P, and give with its five forms as (form, names).
    """
    story = Segments(lines, code)
    if story.contradicts_itself():
        return "contradictory"
    kind, *names = asked
    support = {line - 1 for line in support}
    if kind in ("list", "counting"):
        carried, sentences = story.changes(names[0])
        said = (
            COUNT_WORDS["en" if code == "prose" else code][len(carried)] if kind == "counting" else ", ".join(carried)
        )
        if (answer if kind == "counting" or carried else "") != said:
            return "wrong"
        return "" if support == sentences else "unsupported" if sentences - support else "non-minimal"
    if kind in GIFTS:
        return _gift(story, kind, names, answer, support)
    proves = _fact(story, kind, names, answer)
    if proves is None:
        return "wrong"
    if not proves(story.solve(support)):
        return "unsupported"
    if any(proves(story.solve(support - {line})) for line in support):
        return "non-minimal"
    return ""


def _fact(story, kind, names, answer):
    """The fact that answers a question, as a test of what is known; None where the text does not say so."""
    if kind == "where-was-object":
        thing, place = names
        slot = story.last_arrival(thing, place)
        if slot is None:
            return None
        one, two = story.path[thing][slot], story.path[thing][slot - 1]
        proves = lambda known: known(one)[0] == {place} and known(two)[0] == {answer}  # noqa: E731
    else:
        unknown = story.path[names[0]][-1] if kind == "where-object" else story.at[names[0]]
        if kind != "yes-no":
            proves = lambda known: known(unknown)[0] == {answer}  # noqa: E731
        else:
            proves = _whether(story, unknown, names[1], answer)
    return proves if proves is not None and proves(story.solve()) else None


def _whether(story, unknown, place, answer):
    places = story.solve()(unknown)[0]
    if answer == "yes":
        return lambda known: known(unknown)[0] == {place}
    if answer == "no":
        return lambda known: (
            place in known(unknown)[1] or (known(unknown)[0] is not None and place not in known(unknown)[0])
        )
    if places is None or place not in places or len(places) < 2:
        return None
    return lambda known: known(unknown)[0] is not None and known(unknown)[0] <= places


GIFTS = {"gave-to": (1, 2), "gave": (1,), "received": (1,), "who-give": (0, 1), "what-give": (0, 2)}
_SAID = {"gave-to": 0, "gave": 0, "received": 2, "who-give": 2, "what-give": 1}


def _gift(story, kind, names, answer, support):
    fits = [
        number
        for number, (name, *roles) in enumerate(story.events)
        if name == "give" and [roles[place] for place in GIFTS[kind]] == names
    ]
    if not fits or story.events[fits[-1]][1 + _SAID[kind]] != answer:
        return "wrong"
    return "" if support == story.needs[fits[-1]] else "unsupported"


QUESTIONS = {
    "en": {
        "where-was-object": r"Where was the (\w+) before the (\w+)\?",
        "yes-no": r"Is (\w+) in the (\w+)\?",
        "where-object": r"Where is the (\w+)\?",
        "where-person": r"Where is (\w+)\?",
        "list": r"What is (\w+) carrying\?",
        "counting": r"How many objects is (\w+) carrying\?",
        "gave-to": r"Who gave the (\w+) to (\w+)\?",
        "gave": r"Who gave the (\w+)\?",
        "received": r"Who received the (\w+)\?",
        "who-give": r"Who did (\w+) give the (\w+) to\?",
        "what-give": r"What did (\w+) give to (\w+)\?",
    },
    "de": {
        "where-was-object": r"Wo war (?:der|die|das) (\w+), bevor (?:er|sie|es) (?:ins|in den|in die) (\w+) kam\?",
        "yes-no": r"Ist (\w+) (?:im|in der) (\w+)\?",
        "where-object": r"Wo ist (?:der|die|das) (\w+)\?",
        "where-person": r"Wo ist (\w+)\?",
        "list": r"Was trägt (\w+) bei sich\?",
        "counting": r"Wie viele Gegenstände trägt (\w+) bei sich\?",
        "gave-to": r"Wer hat (?P<b>\w+) (?:den|die) (?P<a>\w+) gegeben\?",
        "gave": r"Wer hat (?:den|die) (\w+) weitergegeben\?",
        "received": r"Wer hat (?:den|die) (\w+) bekommen\?",
        "who-give": r"Wem hat (\w+) (?:den|die) (\w+) gegeben\?",
        "what-give": r"Was hat (\w+) an (\w+) weitergegeben\?",
    },
    "es": {
        "where-was-object": r"¿Dónde estaba (?:el|la) (\w+) antes de llegar (?:al|a la) (\w+)\?",
        "yes-no": r"¿Está (\w+) en (?:el|la) (\w+)\?",
        "where-object": r"¿Dónde está (?:el|la) (\w+)\?",
        "where-person": r"¿Dónde está (\w+)\?",
        "list": r"¿Qué lleva (\w+)\?",
        "counting": r"¿Cuántos objetos lleva (\w+)\?",
        "gave-to": r"¿Quién le dio (?:el|la) (\w+) a (\w+)\?",
        "gave": r"¿Quién entregó (?:el|la) (\w+)\?",
        "received": r"¿Quién recibió (?:el|la) (\w+)\?",
        "who-give": r"¿A quién le dio (\w+) (?:el|la) (\w+)\?",
        "what-give": r"¿Qué le dio (\w+) a (\w+)\?",
    },
}
YES_NO = {"ja": "yes", "nein": "no", "vielleicht": "maybe", "sí": "yes", "no": "no", "quizás": "maybe"}


def judged(instance, code="en"):
    """What is wrong with an instance, from its text and support alone."""
    question = instance.parts["question"]
    for kind, form in QUESTIONS["en" if code == "prose" else code].items():
        found = re.fullmatch(form, question)
        if found:
            answer = instance.targets.canonical()
            answer = YES_NO.get(answer, answer) if kind == "yes-no" else answer
            names = [found[name] for name in sorted(found.groupdict())] or found.groups()
            asked = (kind, *names)
            return verdict(instance.parts["story"].split("\n"), asked, answer, instance.details["support"], code)
    raise AssertionError(f"the judge does not know this question: {question}")
