"""Judges of the worlds minds, containers and space: they see the text alone and share no code with the generator.

Each reads English and German with patterns written by hand, tells the story again in its own terms, and answers. A
support is judged by its definition: every selection of sentences that contains it must give the answer, and without any
one of its sentences some selection must not.
"""

from __future__ import annotations

import random
import re
from itertools import combinations

BOXES = {"Korb": "basket", "Schublade": "drawer", "Tasche": "bag", "Truhe": "chest", "Eimer": "bucket"}
ROOMS = {"Küche": "kitchen", "Garten": "garden", "Büro": "office"}
THINGS = {"Apfel": "apple", "Schlüssel": "key", "Brief": "letter", "Ring": "ring"}


def first(patterns, line):
    for pattern, kind in patterns:
        found = re.fullmatch(pattern, line)
        if found:
            return kind, *found.groups()
    raise AssertionError(f"cannot read {line!r}")


def english(word, *tables):
    for table in tables:
        for german, plain in table.items():
            if word is not None and re.search(rf"\b{german}\w*", word):
                return plain
    return word


# -- minds ------------------------------------------------------------------------------------------------------------

MINDS = [
    (r"(\w+) (?:entered|came into|walked into) the (\w+)\.", "in"),
    (r"(\w+) (?:left|went out of|walked out of) the (\w+)\.", "out"),
    (r"In the (\w+), (\w+) (?:put|placed|laid) the (\w+) in the (\w+)\.", "put"),
    (r"Outside, (\w+) (?:whispered to|quietly told) (\w+) that the (\w+) was in the (\w+)\.", "tell"),
    (r"(\w+) (?:kam|ging|lief) (aus \w+ \w+) heraus\.", "out"),
    (r"(\w+) (?:kam|ging|trat) (in \w+ \w+|ins \w+)\.", "in"),
    (r"(In der \w+|Im \w+) (?:tat|steckte|legte) (\w+) (den \w+) (in \w+ \w+|ins \w+)\.", "put"),
    (r"Draußen (?:flüsterte|raunte) (\w+) (\w+) zu, dass (der \w+) (in der \w+|im \w+) sei\.", "tell"),
]
MINDS_ASKED = [
    (r"Where is the (\w+) really\?", "really"),
    (r"Where does (\w+) think that (\w+) thinks the (\w+) is\?", "second"),
    (r"Where does (\w+) think the (\w+) is\?", "first"),
    (r"Wo ist (der \w+) wirklich\?", "really"),
    (r"Wo vermutet (\w+) nach Meinung von (\w+) (den \w+)\?", "second-de"),
    (r"Wo ist nach Meinung von (\w+) (der \w+)\?", "first"),
]


def minds(lines, asked):
    """Everyone keeps a diary of what they saw and of who saw it with them."""
    where: dict[str, str] = {}
    diary: dict[str, list[tuple[str, str, frozenset[str]]]] = {}
    truth = {}
    for line in lines:
        kind, *words = first(MINDS, line)
        words = [english(word, BOXES, ROOMS, THINGS) for word in words]
        if kind == "in":
            where[words[0]] = words[1]
        elif kind == "out":
            where.pop(words[0], None)
        elif kind == "put":
            room, _, thing, box = words
            truth[thing] = box
            crowd = frozenset(who for who, place in where.items() if place == room)
            for who in crowd:
                diary.setdefault(who, []).append((thing, box, crowd))
        else:
            speaker, hearer, thing, box = words
            diary.setdefault(hearer, []).append((thing, box, frozenset((speaker, hearer))))
            # The speaker learns nothing about the thing, only that the hearer believes it now.
            diary.setdefault(speaker, []).append((thing, "", frozenset((hearer,))))
            diary[speaker][-1] = (thing, box, frozenset((hearer, "only them")))
    kind, *words = first(MINDS_ASKED, asked)
    words = [english(word, THINGS) for word in words]
    if kind == "really":
        return truth.get(words[0])
    if kind == "first":
        who, thing = words
        seen = [box for what, box, crowd in diary.get(who, ()) if what == thing and "only them" not in crowd]
        return seen[-1] if seen else None
    if kind == "second-de":
        words = [words[1], words[0], words[2]]
    who, other, thing = words
    seen = [box for what, box, crowd in diary.get(who, ()) if what == thing and other in crowd]
    return seen[-1] if seen else None


# -- containers -------------------------------------------------------------------------------------------------------

B = r"((?:red|blue|green|white) box)"
K = r"(\w+ \w+ Kiste)"
CONTAINERS = [
    (rf"The {B} (?:is|stands) in the (\w+)\.", "to"),
    (rf"\w+ (?:put|placed) the (.+?) in the {B}\.", "to"),
    (rf"\w+ (?:carried|took) the {B} to the (\w+)\.", "to"),
    (rf"\w+ (?:moved|transferred) everything from the {B} to the {B}\.", "pour"),
    (rf"\w+ (?:emptied|tipped out) the {B}\.", "empty"),
    (rf"{K} (?:ist|steht) ((?:im|auf dem) \w+)\.", "to"),
    (r"\w+ (?:räumte|packte) alles aus (der \w+ Kiste) in (die \w+ Kiste)\.", "pour"),
    (r"\w+ (?:steckte|legte) (.+?) in (die \w+ Kiste)\.", "to"),
    (rf"\w+ (?:trug|brachte) {K} ((?:in den|auf den|ins) \w+)\.", "to"),
    (rf"\w+ (?:leerte|räumte) {K} aus\.", "empty"),
]
CONTAINERS_ASKED = [
    (r"What is the (.+) directly in\?", "holder"),
    (r"In which room is the (.+)\?", "room"),
    (rf"Is the (.+) somewhere inside the {B}\?", "within"),
    (rf"How many things are directly in the {B}, boxes not counted\?", "number"),
    (r"Worin ist (.+) unmittelbar\?", "holder"),
    (r"In welchem Zimmer ist (.+)\?", "room"),
    (r"Ist (.+) irgendwo in (der \w+ Kiste)\?", "within"),
    (r"Wie viele Dinge sind unmittelbar in (der \w+ Kiste), Kisten nicht mitgezählt\?", "number"),
]
GERMAN_THINGS = {
    "rote": "red box",
    "blaue": "blue box",
    "grüne": "green box",
    "weiße": "white box",
    "Münze": "coin",
    "Murmel": "marble",
    "Stift": "pen",
    "Briefmarke": "stamp",
    "Uhr": "watch",
    "Dachboden": "attic",
    "Keller": "cellar",
    "Arbeitszimmer": "study",
}
HOUSE = ("attic", "cellar", "study")


def containers(lines, asked):
    """A tree of contents, box by box."""
    contents: dict[str, set[str]] = {}

    def place(item, spot):
        for others in contents.values():
            others.discard(item)
        contents.setdefault(spot, set()).add(item)

    def holder(item):
        return next((spot for spot, others in contents.items() if item in others), None)

    for line in lines:
        kind, *words = first(CONTAINERS, line)
        words = [english(word, GERMAN_THINGS) for word in words]
        if kind == "to":
            place(*words)
        elif kind == "pour":
            for item in list(contents.get(words[0], ())):
                place(item, words[1])
        else:
            outside = holder(words[0])
            for item in list(contents.get(words[0], ())):
                contents[words[0]].discard(item)
                if outside is not None:
                    place(item, outside)
    kind, *words = first(CONTAINERS_ASKED, asked)
    words = [english(word, GERMAN_THINGS) for word in words]
    if kind == "holder":
        return holder(words[0])
    if kind == "number":
        return sum(not item.endswith("box") for item in contents.get(words[0], ()))
    path, here = [], holder(words[0])
    while here is not None and here not in path:
        path.append(here)
        here = holder(here)
    if kind == "room":
        return path[-1] if path and path[-1] in HOUSE else None
    return True if words[1] in path else False if path and path[-1] in HOUSE else None


# -- space ------------------------------------------------------------------------------------------------------------

SHIFT = {
    **dict.fromkeys(("to the left of", "to the left", "links von", "nach links"), (-1, 0)),
    **dict.fromkeys(("to the right of", "to the right", "rechts von", "nach rechts"), (1, 0)),
    **dict.fromkeys(("above", "up", "oberhalb von", "nach oben"), (0, 1)),
    **dict.fromkeys(("below", "down", "unterhalb von", "nach unten"), (0, -1)),
    **dict.fromkeys(("to the upper left of", "links oben von"), (-1, 1)),
    **dict.fromkeys(("to the upper right of", "rechts oben von"), (1, 1)),
    **dict.fromkeys(("to the lower left of", "links unten von"), (-1, -1)),
    **dict.fromkeys(("to the lower right of", "rechts unten von"), (1, -1)),
}
FURNITURE = {
    "Lampe": "lamp",
    "Stuhl": "chair",
    "Tisch": "table",
    "Pflanze": "plant",
    "Uhr": "clock",
    "Spiegel": "mirror",
    "Vase": "vase",
    "Ofen": "stove",
}
NUMBERS = {"one": 1, "two": 2, "three": 3, "einen": 1, "zwei": 2, "drei": 3}
WAYS = "|".join(sorted(SHIFT, key=len, reverse=True))
SPACE = [
    (rf"The (\w+) (?:is|stands) (\w+) steps? ({WAYS}) the (\w+)(?:, at a slant)?\.", "fact"),
    (rf"Then the (\w+) was (?:moved|pushed) one step ({WAYS})\.", "move"),
    (rf"(\w+ \w+) (?:ist|steht) (?:schräg )?(\w+) Schritte? ({WAYS}) (\w+ \w+)\.", "fact"),
    (rf"Dann wurde (\w+ \w+) einen Schritt ({WAYS}) (?:gerückt|geschoben)\.", "move"),
]
SPACE_ASKED = [
    (r"On which side of the (\w+) is the (\w+)\?", "side"),
    (r"How many steps apart are the (\w+) and the (\w+), .*\?", "steps"),
    (r"Auf welcher Seite (\w+ \w+) ist (\w+ \w+)\?", "side"),
    (r"Wie viele Schritte sind es von (\w+ \w+) zu (\w+ \w+), .*\?", "steps"),
]
SIDES = {
    (-1, 0): "left",
    (1, 0): "right",
    (0, 1): "above",
    (0, -1): "below",
    (-1, 1): "upper-left",
    (1, 1): "upper-right",
    (-1, -1): "lower-left",
    (1, -1): "lower-right",
}


def space(lines, asked):
    """Equations between the places where things stood at first, and the way each has gone since."""
    gone: dict[str, tuple[int, int]] = {}
    equations: dict[str, list[tuple[str, int, int]]] = {}
    for line in lines:
        kind, *words = first(SPACE, line)
        if kind == "move":
            thing, (dx, dy) = english(words[0], FURNITURE), SHIFT[words[1]]
            x, y = gone.get(thing, (0, 0))
            gone[thing] = x + dx, y + dy
            continue
        one, number, way, other = words
        one, other = english(one, FURNITURE), english(other, FURNITURE)
        (dx, dy), count = SHIFT[way], NUMBERS[number]
        (ax, ay), (bx, by) = gone.get(one, (0, 0)), gone.get(other, (0, 0))
        x, y = count * dx + bx - ax, count * dy + by - ay
        equations.setdefault(other, []).append((one, x, y))
        equations.setdefault(one, []).append((other, -x, -y))
    kind, *words = first(SPACE_ASKED, asked)
    anchor, thing = (english(word, FURNITURE) for word in words)
    found, queue = {anchor: (0, 0)}, [anchor]
    for here in queue:
        for other, x, y in equations.get(here, ()):
            spot = found[here][0] + x, found[here][1] + y
            if other not in found:
                found[other] = spot
                queue.append(other)
            assert found[other] == spot, "the story contradicts itself"
    if thing not in found:
        return None
    (ax, ay), (bx, by) = gone.get(thing, (0, 0)), gone.get(anchor, (0, 0))
    x, y = found[thing][0] + ax - bx, found[thing][1] + ay - by
    if kind == "steps":
        return abs(x) + abs(y) or None
    return SIDES.get(((x > 0) - (x < 0), (y > 0) - (y < 0)))


JUDGES = {"minds": minds, "containers": containers, "space": space}
WORDS = {
    "en": ("none", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"),
    "de": ("null", "eins", "zwei", "drei", "vier", "fünf", "sechs", "sieben", "acht", "neun", "zehn", "elf", "zwölf"),
}
GERMAN_SIDES = {
    **{"links": "left", "rechts": "right", "oben": "above", "unten": "below"},
    **{"links-oben": "upper-left", "rechts-oben": "upper-right"},
    **{"links-unten": "lower-left", "rechts-unten": "lower-right"},
}


def plain(answer, world, code):
    """An answer of a row in the judge's own terms."""
    if answer in ("yes", "ja", "no", "nein"):
        return answer in ("yes", "ja")
    words = WORDS[code]
    if answer in words:
        return words.index(answer)
    if answer.isdigit():
        return int(answer)
    if code == "en":
        return answer
    if world == "space":
        return GERMAN_SIDES[answer]
    return english(answer, GERMAN_THINGS if world == "containers" else BOXES)


def faults(world, code, row, rng=random):
    """What is wrong with a row: a list of words, empty for a good one."""
    judge = JUDGES[world]
    instance = row.instance
    *lines, asked = instance.input.split("\n")
    gold = plain(instance.targets.canonical(), world, code)
    if judge(lines, asked) != gold:
        return [f"wrong: {judge(lines, asked)} instead of {gold}"]
    support = {number - 1 for number in instance.details["support"]}

    def holds(chosen):
        return judge([line for number, line in enumerate(lines) if number in chosen], asked) == gold

    found = []
    others = [number for number in range(len(lines)) if number not in support]
    if not all(holds(support | chosen) for chosen in selections(others, rng)):
        found.append("unsupported")
    for line in sorted(support):
        rest = support - {line}
        if all(holds(rest | chosen) for chosen in selections(others, rng)) and all(
            holds(rest | set(chosen)) for size in range(len(others) + 1) for chosen in combinations(others, size)
        ):
            found.append(f"not minimal without {line + 1}")
    return found


def selections(others, rng):
    """Selections of other sentences: all where they are few, else none, all, each alone, each left out, and some."""
    if len(others) <= 7:
        for mask in range(1 << len(others)):
            yield {other for place, other in enumerate(others) if mask >> place & 1}
        return
    yield set()
    yield set(others)
    for other in others:
        yield {other}
        yield set(others) - {other}
    for _ in range(100):
        yield {other for other in others if rng.random() < 0.5}
