"""Tasks that need a few steps of reasoning: logic, space, little programs, entailment."""

from __future__ import annotations

import re
from itertools import pairwise
from random import Random

from taskloom.author import Blueprint, task
from taskloom.families.superni.embedded.words import NAMES, NAMES_ES, NOUNS, WORDS

__all__ = ["TASKS"]

_LOGIC = "Logical Reasoning"
_SPACE = "Spatial Reasoning"
_PROGRAM = "Program Execution"
_ENTAIL = "Textual Entailment"

_PEOPLE = NAMES["f"] + NAMES["m"]
_PEOPLE_ES = NAMES_ES["f"] + NAMES_ES["m"]


def _formula(rng: Random, depth: int = 0) -> str:
    if depth == 3 or (depth > 0 and rng.random() < 0.15):
        return rng.choice(["true", "false"])
    if rng.random() < 0.25:
        return f"not {_formula(rng, depth + 1)}"
    return f"({_formula(rng, depth + 1)} {rng.choice(['and', 'or'])} {_formula(rng, depth + 1)})"


def _truth(text: str) -> str:
    """Reduce the innermost pieces until one word is left."""
    table = {"not true": "false", "not false": "true"}
    for a in ("true", "false"):
        for b in ("true", "false"):
            table[f"({a} and {b})"] = "true" if a == b == "true" else "false"
            table[f"({a} or {b})"] = "false" if a == b == "false" else "true"
    while text not in ("true", "false"):
        for piece, value in table.items():
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
    words = rng.sample(_STATES, 5)
    lines = [f"If it is {a}, then it is {b}." for a, b in pairwise(words[:4])]
    lines.append(f"If it is {words[4]}, then it is {words[3]}.")
    rng.shuffle(lines)
    start, end = rng.choice([(words[0], words[3]), (words[0], words[4]), (words[1], words[0]), (words[1], words[3])])
    return " ".join(lines) + f"\nIt is {start}. Does it follow that it is {end}?"


_STATES = (
    "red",
    "big",
    "old",
    "cold",
    "wet",
    "soft",
    "loud",
    "thin",
    "dark",
    "dry",
    "flat",
    "sweet",
    "sharp",
    "empty",
    "slow",
)


def _follows(text: str) -> str:
    pairs = re.findall(r"If it is (\w+), then it is (\w+)", text)
    start, end = re.findall(r"It is (\w+)\. Does it follow that it is (\w+)", text)[0]
    reached = {start}
    for _ in pairs:
        reached |= {b for a, b in pairs if a in reached}
    return "yes" if end in reached else "no"


_logic = [
    task(
        name="boolean_value",
        category=_LOGIC,
        definition=(
            "Work out whether the expression is true or false. 'not' turns the value of what follows it around, 'and' "
            "is true if both sides are true, 'or' is true if at least one side is. Do the inner brackets first. "
            "Answer true or false."
        ),
        solve=_truth,
        right=[
            ("(true and not false)", "'not false' is true, and true and true is true."),
            ("(false or (true and false))", "The inner bracket is false, and false or false is false."),
        ],
        wrong=[("(true and not false)", "false", "'not false' is true.")],
        labels=("true", "false"),
    )(lambda rng: f"({_formula(rng)} {rng.choice(['and', 'or'])} {_formula(rng)})"),
    task(
        name="tallest_person",
        category=_LOGIC,
        definition=(
            "Several sentences compare two people each. From them all people can be put in one line by height. Write "
            "the name of the tallest of all."
        ),
        solve=lambda text: _top(text, r"(\w+) is taller than (\w+)"),
        right=[
            (
                "Anna is taller than Paul. Ruth is taller than Anna.\nWho is the tallest?",
                "Ruth is above Anna, who is above Paul.",
            ),
            ("Mark is taller than Nina. Nina is taller than Lucy.\nWho is the tallest?", "Nobody is taller than Mark."),
        ],
        wrong=[
            (
                "Anna is taller than Paul. Ruth is taller than Anna.\nWho is the tallest?",
                "Anna",
                "Ruth is taller still.",
            )
        ],
    )(lambda rng: _chain(rng, _PEOPLE, "{} is taller than {}.", "Who is the tallest?")),
    task(
        name="follow_rules",
        category=_LOGIC,
        definition=(
            "Some rules of the form 'if it is A, then it is B' are given, then a fact and a question. Apply the rules "
            "as often as needed, but never backwards. Answer yes if what is asked follows, and no if it does not."
        ),
        solve=_follows,
        right=[
            (
                "If it is wet, then it is cold. If it is cold, then it is dark.\nIt is wet. Does it follow that it "
                "is dark?",
                "From wet follows cold, and from cold follows dark.",
            ),
            (
                "If it is wet, then it is cold. If it is old, then it is cold.\nIt is wet. Does it follow that it is "
                "old?",
                "No rule leads to old.",
            ),
        ],
        wrong=[
            (
                "If it is wet, then it is cold. If it is old, then it is cold.\nIt is wet. Does it follow that it is "
                "old?",
                "yes",
                "The second rule would have to be used backwards.",
            )
        ],
        labels=("yes", "no"),
    )(_rules),
    task(
        name="el_mas_joven",
        category=_LOGIC,
        definition=(
            "Varias frases comparan la edad de dos personas. Con ellas se puede ordenar a todas. Escribe el nombre de "
            "la persona más joven."
        ),
        solve=lambda text: _bottom(text, r"(\w+) tiene más años que (\w+)"),
        right=[
            (
                "Marta tiene más años que Luis. Rosa tiene más años que Marta.\n¿Quién es más joven que los demás?",
                "Nadie es menor que Luis.",
            ),
            (
                "Pedro tiene más años que Elena. Elena tiene más años que Jorge.\n¿Quién es más joven que los demás?",
                "Jorge tiene menos años que Elena.",
            ),
        ],
        wrong=[
            (
                "Marta tiene más años que Luis. Rosa tiene más años que Marta.\n¿Quién es más joven que los demás?",
                "Marta",
                "Luis es menor.",
            )
        ],
        language="Spanish",
        instruction_language="Spanish",
    )(lambda rng: _chain(rng, _PEOPLE_ES, "{} tiene más años que {}.", "¿Quién es más joven que los demás?")),
]

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


def _shelf(rng: Random) -> str:
    things = rng.sample([noun.english for noun in NOUNS], 4)
    lines = [f"The {a} stands directly left of the {b}." for a, b in pairwise(things)]
    rng.shuffle(lines)
    side = rng.choice(["leftmost", "rightmost"])
    return " ".join(lines) + f"\nWhich thing is {side}?"


def _end_of_shelf(text: str) -> str:
    pattern = r"The (\w+) stands directly left of the (\w+)"
    return _top(text, pattern) if "leftmost" in text else _bottom(text, pattern)


_TURN_WORDS = ("left", "right", "around")
_TURN_WORDS_ES = ("izquierda", "derecha", "media vuelta")

_space = [
    task(
        name="walk_position",
        category=_SPACE,
        definition=(
            "Somebody starts at (0, 0) and walks so many steps in each of the given directions. East makes the first "
            "number larger and west smaller; north makes the second number larger and south smaller. Write the final "
            "position in brackets, as (3, -2)."
        ),
        solve=_position,
        right=[
            ("3 east, 2 south", "Three to the east give 3, two to the south give -2."),
            ("4 north, 1 west, 4 south", "North and south cancel out."),
        ],
        wrong=[("3 east, 2 south", "(3, 2)", "South makes the second number smaller.")],
    )(_walk),
    task(
        name="facing_direction",
        category=_SPACE,
        definition=(
            "Before the colon stands the direction in which somebody looks at first, then come the turns: left or "
            "right is a quarter turn, around is a half turn. Answer with the direction at the end: north, east, south "
            "or west."
        ),
        solve=lambda text: _facing(text, _WINDS, _TURN_WORDS),
        right=[
            ("north: right, right, left", "North, east, south, and back to east."),
            ("west: around, left", "Around leads to east, left from there to north."),
        ],
        wrong=[("north: right, right, left", "west", "A right turn from north leads to east.")],
        labels=_WINDS,
    )(lambda rng: _turns(rng, _WINDS, _TURN_WORDS)),
    task(
        name="shelf_order",
        category=_SPACE,
        definition=(
            "Things stand in a row on a shelf. The sentences say which thing stands directly to the left of which. "
            "Work out the whole row and write the thing that is asked for, without an article."
        ),
        solve=_end_of_shelf,
        right=[
            (
                "The lamp stands directly left of the hat. The saw stands directly left of the lamp.\nWhich thing is "
                "rightmost?",
                "The row is saw, lamp, hat.",
            ),
            (
                "The lamp stands directly left of the hat. The saw stands directly left of the lamp.\nWhich thing is "
                "leftmost?",
                "Nothing stands left of the saw.",
            ),
        ],
        wrong=[
            (
                "The lamp stands directly left of the hat. The saw stands directly left of the lamp.\nWhich thing is "
                "rightmost?",
                "lamp",
                "The hat stands to the right of the lamp.",
            )
        ],
    )(_shelf),
    task(
        name="hacia_donde_mira",
        category=_SPACE,
        definition=(
            "Antes de los dos puntos está la dirección en la que alguien mira al principio; después vienen los giros. "
            "Izquierda y derecha son un cuarto de vuelta. Responde con la dirección final: norte, este, sur u oeste."
        ),
        solve=lambda text: _facing(text, _WINDS_ES, _TURN_WORDS_ES),
        right=[
            ("norte: derecha, derecha, izquierda", "Norte, este, sur y otra vez este."),
            ("oeste: media vuelta, izquierda", "La media vuelta lleva al este y la izquierda, al norte."),
        ],
        wrong=[("norte: derecha, derecha, izquierda", "oeste", "La derecha del norte es el este.")],
        labels=_WINDS_ES,
        language="Spanish",
        instruction_language="Spanish",
    )(lambda rng: _turns(rng, _WINDS_ES, _TURN_WORDS_ES)),
]


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


_programs = [
    task(
        name="register_machine",
        category=_PROGRAM,
        definition=(
            "The first line gives a number to start with. Carry out the lines below it one after the other: 'add' and "
            "'subtract' change the number by so much, 'double' multiplies it by two, and 'then' joins two steps. Write "
            "the final number in digits."
        ),
        solve=_register_end,
        right=[
            ("start with 10\nadd 5\ndouble", "10 plus 5 is 15, doubled 30."),
            ("start with 20\ndouble, then subtract 3\nadd 1", "40, then 37, then 38."),
        ],
        wrong=[("start with 10\nadd 5\ndouble", "25", "The steps were done in the wrong order.")],
        kind="number",
    )(_register),
    task(
        name="word_editor",
        category=_PROGRAM,
        definition=(
            "A word is given in the first line and editing commands below it. Carry them out in order: 'append x' "
            "adds a letter at the end, 'insert x at front' adds one at the beginning, 'delete first' and 'delete "
            "last' remove a letter, 'reverse' turns the word around. Write the word that results."
        ),
        solve=_edited,
        right=[
            ("table\ndelete last\nappend k", "'tabl' and then 'tablk'."),
            ("horse\nreverse\ndelete first", "'esroh' without its first letter."),
        ],
        wrong=[("horse\nreverse\ndelete first", "esro", "The last letter was deleted instead of the first.")],
    )(_edits),
    task(
        name="action_commands",
        category=_PROGRAM,
        definition=(
            "Translate the command into actions in capitals. 'walk' becomes WALK, and so on; with 'left' or 'right' "
            "write TURN-LEFT or TURN-RIGHT before the action. 'twice' and 'thrice' repeat the whole pair. 'A and then "
            "B' does A first, 'A after B' does B first; 'after' joins more closely than 'and then'."
        ),
        solve=_acted,
        right=[
            ("walk twice and then jump left", "WALK comes twice, then one turn and a jump."),
            (
                "sing after look right twice",
                "What stands behind 'after' is done first, and the turn is repeated with the look.",
            ),
        ],
        wrong=[("sing after look right twice", "SING TURN-RIGHT LOOK TURN-RIGHT LOOK", "SING must come last.")],
    )(_command),
]

_THINGS = [noun for noun in NOUNS if noun.kind in ("fruit", "clothing", "tool", "food")]


def _quantity(rng: Random) -> str:
    name, noun = rng.choice(_PEOPLE), rng.choice(_THINGS)
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


def _kinds(rng: Random) -> str:
    noun = rng.choice([n for n in NOUNS if n.kind in ("animal", "vehicle", "instrument", "building")])
    other = rng.choice([n for n in NOUNS if n.kind == noun.kind and n is not noun])
    name, verb = rng.choice(_PEOPLE), rng.choice(["drew", "saw", "photographed", "described", "dreamt of"])
    who = rng.choice([name, name, rng.choice(_PEOPLE)])
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


def _quantity_es(rng: Random) -> str:
    nouns = [n for n in _THINGS if n.spanish[-1] in "ao"]
    name, noun = rng.choice(_PEOPLE_ES), rng.choice(nouns)
    thing = noun if rng.random() < 0.75 else rng.choice([n for n in nouns if n is not noun])
    held, limit = rng.randint(4, 60), rng.randint(2, 62)
    limit += held == limit
    claim = f"{name} tiene {rng.choice(['más', 'menos'])} de {limit} {thing.spanish}s"
    return f"Premisa: {name} tiene {held} {noun.spanish}s.\nHipótesis: {claim}."


_JUDGED = ("entailed", "contradicted", "unknown")
_JUDGED_ES = ("se sigue", "se contradice", "no se sabe")

_entailments = [
    task(
        name="entail_quantity",
        category=_ENTAIL,
        definition=(
            "A premise says how many things somebody has, and a hypothesis compares a number of things with a limit. "
            "Answer entailed if the hypothesis must be true given the premise, contradicted if it must be false, and "
            "unknown if the premise says nothing about the things in the hypothesis."
        ),
        solve=lambda text: _judge_quantity(text, _JUDGED),
        right=[
            ("Premise: Anna has 9 hats.\nHypothesis: Anna has more than 5 hats.", "9 is more than 5."),
            ("Premise: Anna has 9 hats.\nHypothesis: Anna has fewer than 12 pears.", "Nothing is said about pears."),
        ],
        wrong=[
            (
                "Premise: Anna has 9 hats.\nHypothesis: Anna has more than 5 hats.",
                "contradicted",
                "9 hats are more than 5.",
            )
        ],
        labels=_JUDGED,
    )(_quantity),
    task(
        name="entail_kind",
        category=_ENTAIL,
        definition=(
            "Does the hypothesis follow from the premise? A thing is also a thing of its kind: a dog is an animal, a "
            "piano an instrument. Answer yes if whoever believes the premise must believe the hypothesis, and no "
            "otherwise."
        ),
        solve=_judge_kind,
        right=[
            (
                "Premise: On day 7 Anna drew a horse.\nHypothesis: On day 7 Anna drew an animal.",
                "Every horse is an animal.",
            ),
            ("Premise: On day 7 Anna drew a horse.\nHypothesis: On day 7 Anna drew a cow.", "A horse is not a cow."),
        ],
        wrong=[
            (
                "Premise: On day 7 Anna drew a horse.\nHypothesis: On day 7 Anna drew a cow.",
                "yes",
                "Both are animals, but one does not follow from the other.",
            )
        ],
        labels=("yes", "no"),
    )(_kinds),
    task(
        name="implica_cantidad",
        category=_ENTAIL,
        definition=(
            "La premisa dice cuántas cosas tiene alguien y la hipótesis compara una cantidad con un límite. Responde "
            "se sigue si la hipótesis tiene que ser verdadera, se contradice si tiene que ser falsa y no se sabe si "
            "la premisa no habla de esas cosas."
        ),
        solve=lambda text: _judge_quantity(text, _JUDGED_ES),
        right=[
            ("Premisa: Marta tiene 9 peras.\nHipótesis: Marta tiene más de 5 peras.", "9 es más que 5."),
            ("Premisa: Marta tiene 9 peras.\nHipótesis: Marta tiene menos de 12 botas.", "No se dice nada de botas."),
        ],
        wrong=[
            (
                "Premisa: Marta tiene 9 peras.\nHipótesis: Marta tiene más de 5 peras.",
                "se contradice",
                "9 es más que 5.",
            )
        ],
        labels=_JUDGED_ES,
        language="Spanish",
        instruction_language="Spanish",
    )(_quantity_es),
]

TASKS: list[Blueprint] = [*_logic, *_space, *_programs, *_entailments]
