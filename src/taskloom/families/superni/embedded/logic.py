"""Tasks that need a few steps of reasoning: logic, space, little programs, entailment, and what is true in the end."""

from __future__ import annotations

import re
from itertools import pairwise, product
from random import Random

from taskloom.families.superni.embedded.suite import TaskCode
from taskloom.families.superni.embedded.words import NOUNS, PEOPLE, PEOPLE_ES, STATES, WORDS

_MENU = ("tea", "coffee", "soup", "salad", "cake", "juice")


def _order(rng: Random) -> str:
    counts: dict[str, int] = {}
    lines = []
    for _ in range(rng.randint(4, 6)):
        held = [item for item, count in counts.items() if count]
        if held and rng.random() < 0.4:
            item = rng.choice(held)
            number = rng.randint(1, counts[item])
            lines.append(f"Guest: Take away {number} {item}.")
            counts[item] -= number
        else:
            item, number = rng.choice(_MENU), rng.randint(1, 5)
            lines.append(f"Guest: Add {number} {item}.")
            counts[item] = counts.get(item, 0) + number
    return "\n".join(lines)


def _ordered(text: str) -> dict[str, int]:
    counts: dict[str, int] = {}
    for verb, number, item in re.findall(r"(Add|Take away) (\d+) (\w+)", text):
        counts[item] = counts.get(item, 0) + (int(number) if verb == "Add" else -int(number))
    return counts


def _order_text(text: str) -> str:
    return ", ".join(f"{count} {item}" for item, count in _ordered(text).items() if count) or "nothing"


_LAMPS = ("kitchen", "hall", "cellar", "attic", "garage", "bathroom")


def _switches(rng: Random) -> str:
    rooms = rng.sample(_LAMPS, 3)
    lines = [
        f"{rng.choice(PEOPLE)}: Turn {rng.choice(['on', 'off'])} the light in the {rng.choice(rooms)}."
        for _ in range(5)
    ]
    return "\n".join([*lines, f"light in the {rng.choice(rooms)}"])


def _light(text: str) -> str:
    *lines, question = text.split("\n")
    states = [line for line in lines if question in line]
    return re.findall(r"Turn (on|off)", states[-1])[0] if states else "unknown"


def _formula(rng: Random, depth: int = 0) -> str:
    if depth == 3 or (depth > 0 and rng.random() < 0.15):
        return rng.choice(["true", "false"])
    if rng.random() < 0.25:
        return f"not {_formula(rng, depth + 1)}"
    return f"({_formula(rng, depth + 1)} {rng.choice(['and', 'or'])} {_formula(rng, depth + 1)})"


_PIECES = {"not true": "false", "not false": "true"}
for _one, _two in product(("true", "false"), repeat=2):
    _PIECES[f"({_one} and {_two})"] = "true" if _one == _two == "true" else "false"
    _PIECES[f"({_one} or {_two})"] = "false" if _one == _two == "false" else "true"


def _truth(text: str) -> str:
    """Reduce the innermost pieces until one word is left."""
    while text not in ("true", "false"):
        for piece, value in _PIECES.items():
            text = text.replace(piece, value)
    return text


def _chain(rng: Random, people: tuple[str, ...], form: str, question: str) -> str:
    """Neighbours of a line from tall to short, in any order, so that the whole order follows."""
    names = rng.sample(people, rng.randint(4, 5))
    lines = [form.format(a, b) for a, b in pairwise(names)]
    rng.shuffle(lines)
    return " ".join(lines) + f"\n{question}"


def _top(text: str, pattern: str) -> str:
    pairs: list[tuple[str, str]] = re.findall(pattern, text)
    below = {b for _, b in pairs}
    return next(a for a, _ in pairs if a not in below)


def _bottom(text: str, pattern: str) -> str:
    pairs: list[tuple[str, str]] = re.findall(pattern, text)
    above = {a for a, _ in pairs}
    return next(b for _, b in pairs if b not in above)


def _rules(rng: Random) -> str:
    words = rng.sample(STATES, 5)
    lines = [f"If it is {a}, then it is {b}." for a, b in pairwise(words[:4])]
    lines.append(f"If it is {words[4]}, then it is {words[3]}.")
    rng.shuffle(lines)
    start, end = rng.choice([(words[0], words[3]), (words[0], words[4]), (words[1], words[0]), (words[1], words[3])])
    return " ".join(lines) + f"\nIt is {start}. Does it follow that it is {end}?"


def _follows(text: str) -> str:
    pairs = re.findall(r"If it is (\w+), then it is (\w+)", text)
    start, end = re.findall(r"It is (\w+)\. Does it follow that it is (\w+)", text)[0]
    reached = {start}
    for _ in pairs:
        reached |= {b for a, b in pairs if a in reached}
    return "yes" if end in reached else "no"


_WINDS = ("north", "east", "south", "west")
_WINDS_ES = ("norte", "este", "sur", "oeste")
_STEPS = {"north": (0, 1), "east": (1, 0), "south": (0, -1), "west": (-1, 0)}


def _walk(rng: Random) -> str:
    return ", ".join(f"{rng.randint(1, 9)} {rng.choice(_WINDS)}" for _ in range(rng.randint(4, 6)))


def _position(text: str) -> str:
    x = y = 0
    for count, wind in re.findall(r"(\d+) (\w+)", text):
        dx, dy = _STEPS[wind]
        x, y = x + int(count) * dx, y + int(count) * dy
    return f"({x}, {y})"


def _turns(rng: Random, winds: tuple[str, ...], words: tuple[str, str, str]) -> str:
    return f"{rng.choice(winds)}: " + ", ".join(rng.choice(words) for _ in range(rng.randint(7, 12)))


def _facing(text: str, winds: tuple[str, ...], words: tuple[str, str, str]) -> str:
    start, turns = text.split(": ")
    return winds[
        (winds.index(start) + sum({words[0]: 3, words[1]: 1, words[2]: 2}[turn] for turn in turns.split(", "))) % 4
    ]


_SHELVED = [noun.english for noun in NOUNS]


def _shelf(rng: Random) -> str:
    things = rng.sample(_SHELVED, 4)
    lines = [f"The {a} stands directly left of the {b}." for a, b in pairwise(things)]
    rng.shuffle(lines)
    side = rng.choice(["leftmost", "rightmost"])
    return " ".join(lines) + f"\nWhich thing is {side}?"


def _end_of_shelf(text: str) -> str:
    pattern = r"The (\w+) stands directly left of the (\w+)"
    return _top(text, pattern) if "leftmost" in text else _bottom(text, pattern)


_TURN_WORDS = ("left", "right", "around")
_TURN_WORDS_ES = ("izquierda", "derecha", "media vuelta")


def _register(rng: Random) -> str:
    steps = [
        f"add {rng.randint(1, 50)}",
        f"double, then subtract {rng.randint(1, 9)}",
        f"subtract {rng.randint(1, 9)}",
        "double",
    ]
    return f"start with {rng.randint(10, 60)}\n" + "\n".join(rng.choices(steps, k=rng.randint(3, 5)))


def _register_end(text: str) -> str:
    first, *lines = text.split("\n")
    value = int(first.split()[-1])
    for step in ", then ".join(lines).split(", then "):
        word, *number = step.split()
        value = value * 2 if word == "double" else value + int(number[0]) * (1 if word == "add" else -1)
    return str(value)


def _edits(rng: Random) -> str:
    word = rng.choice([word for word in WORDS if len(word) > 4])
    steps = [
        f"append {rng.choice('bdkmt')}",
        "delete last",
        f"insert {rng.choice('aeiou')} at front",
        "reverse",
        "delete first",
    ]
    return f"{word}\n" + "\n".join(rng.choice(steps) for _ in range(4))


def _edited(text: str) -> str:
    word, *lines = text.split("\n")
    for step in lines:
        if step.startswith("append"):
            word += step[-1]
        elif step.startswith("insert"):
            word = step.split()[1] + word
        else:
            word = {"reverse": word[::-1], "delete last": word[:-1], "delete first": word[1:]}[step]
    return word


def _command(rng: Random) -> str:
    def phrase() -> str:
        verb = rng.choice(["walk", "jump", "look", "sing", "clap"])
        side = rng.choice(["", " left", " right"])
        times = rng.choice(["", " twice", " thrice"])
        return verb + side + times

    return f" {rng.choice(['and then', 'after'])} ".join([phrase(), phrase()]) + f" and then {phrase()}"


def _acted(text: str) -> str:
    def actions(phrase: str) -> list[str]:
        words = phrase.split()
        times = {"twice": 2, "thrice": 3}.get(words[-1], 1)
        side = [f"TURN-{word.upper()}" for word in words if word in ("left", "right")]
        return [*side, words[0].upper()] * times

    done: list[str] = []
    for block in text.split(" and then "):
        *firsts, last = block.split(" after ")
        done += actions(last)
        for first in reversed(firsts):
            done += actions(first)
    return " ".join(done)


_THINGS = [noun for noun in NOUNS if noun.kind in ("fruit", "clothing", "tool", "food")]


def _quantity(rng: Random) -> str:
    name, noun = rng.choice(PEOPLE), rng.choice(_THINGS)
    other = rng.choice([n for n in _THINGS if n is not noun])
    held, limit = rng.randint(4, 60), rng.randint(2, 62)
    limit += held == limit
    thing = noun if rng.random() < 0.75 else other
    claim = f"{name} has {rng.choice(['more', 'fewer'])} than {limit} {thing.plural}"
    return f"Premise: {name} has {held} {noun.plural}.\nHypothesis: {claim}."


def _judge_quantity(text: str, labels: tuple[str, str, str]) -> str:
    held, limit = map(int, re.findall(r"\d+", text))
    premise, hypothesis = text.split("\n")
    if premise.split()[-1] != hypothesis.split()[-1]:
        return labels[2]
    more = "more" in hypothesis or " más de " in hypothesis
    return labels[0] if (held > limit) == more else labels[1]


_NAMED = [noun for noun in NOUNS if noun.kind in ("animal", "vehicle", "instrument", "building")]


def _kinds(rng: Random) -> str:
    noun = rng.choice(_NAMED)
    other = rng.choice([n for n in _NAMED if n.kind == noun.kind and n is not noun])
    name, verb = rng.choice(PEOPLE), rng.choice(["drew", "saw", "photographed", "described", "dreamt of"])
    who = rng.choice([name, name, rng.choice(PEOPLE)])
    said = rng.choice([noun.kind, noun.kind, other.english])
    day = f"On day {rng.randint(1, 365)}"
    return f"Premise: {day} {name} {verb} {_a(noun.english)}.\nHypothesis: {day} {who} {verb} {_a(said)}."


def _a(word: str) -> str:
    return f"an {word}" if word[0] in "aeiou" else f"a {word}"


_KIND_OF = {noun.english: noun.kind for noun in NOUNS}


def _judge_kind(text: str) -> str:
    premise, hypothesis = (part.split(": ")[1].strip(".").split() for part in text.split("\n"))
    said = {premise[-1], _KIND_OF[premise[-1]]}
    return "yes" if premise[3] == hypothesis[3] and hypothesis[-1] in said else "no"


_COUNTED_ES = [noun for noun in _THINGS if noun.spanish[-1] in "ao"]


def _quantity_es(rng: Random) -> str:
    name, noun = rng.choice(PEOPLE_ES), rng.choice(_COUNTED_ES)
    thing = noun if rng.random() < 0.75 else rng.choice([n for n in _COUNTED_ES if n is not noun])
    held, limit = rng.randint(4, 60), rng.randint(2, 62)
    limit += held == limit
    claim = f"{name} tiene {rng.choice(['más', 'menos'])} de {limit} {thing.spanish}s"
    return f"Premisa: {name} tiene {held} {noun.spanish}s.\nHipótesis: {claim}."


_JUDGED = ("entailed", "contradicted", "unknown")
_JUDGED_ES = ("se sigue", "se contradice", "no se sabe")

TASKS: dict[str, TaskCode] = {
    "track_order": (_order, _order_text),
    "track_lights": (_switches, _light),
    "boolean_value": (lambda rng: f"({_formula(rng)} {rng.choice(['and', 'or'])} {_formula(rng)})", _truth),
    "tallest_person": (
        lambda rng: _chain(rng, PEOPLE, "{} is taller than {}.", "Who is the tallest?"),
        lambda text: _top(text, r"(\w+) is taller than (\w+)"),
    ),
    "follow_rules": (_rules, _follows),
    "el_mas_joven": (
        lambda rng: _chain(rng, PEOPLE_ES, "{} tiene más años que {}.", "¿Quién es más joven que los demás?"),
        lambda text: _bottom(text, r"(\w+) tiene más años que (\w+)"),
    ),
    "walk_position": (_walk, _position),
    "facing_direction": (lambda rng: _turns(rng, _WINDS, _TURN_WORDS), lambda text: _facing(text, _WINDS, _TURN_WORDS)),
    "shelf_order": (_shelf, _end_of_shelf),
    "hacia_donde_mira": (
        lambda rng: _turns(rng, _WINDS_ES, _TURN_WORDS_ES),
        lambda text: _facing(text, _WINDS_ES, _TURN_WORDS_ES),
    ),
    "register_machine": (_register, _register_end),
    "word_editor": (_edits, _edited),
    "action_commands": (_command, _acted),
    "entail_quantity": (_quantity, lambda text: _judge_quantity(text, _JUDGED)),
    "entail_kind": (_kinds, _judge_kind),
    "implica_cantidad": (_quantity_es, lambda text: _judge_quantity(text, _JUDGED_ES)),
}
