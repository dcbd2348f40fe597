"""PCFG SET: string edits nested in each other, such as "append swap_first_last F G H , repeat I J".

Hupkes, Dankers, Mul and Bruni 2020. Compositionality Decomposed: How Do Neural Networks Generalise? JAIR 67. Functions,
alphabet (520 letters), length of arguments (at most 5) and the rules of the splits are the paper's. How many functions
an expression has is drawn from a list below, not fitted to English sentences as in the paper, so expressions and exact
sizes are not those of the released files. Localism and overgeneralisation, which compare answers of a model with each
other or train on wrong ones, are left out.

    taskloom run examples/pcfg.py --model mock/majority -T tasks=[productivity] -o runs/pcfg
    taskloom probe examples/pcfg.py --model mock/majority -T tasks=[systematicity] -P budget=500 -o probes/pcfg

Of about 100,000 items by the authors, systematicity has 82 and 10 thousand, productivity 81 and 11 (-T train=81000 …).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from random import Random

import taskloom
from taskloom import Item

UNARY: dict[str, Callable[[list[str]], list[str]]] = {
    "copy": lambda x: x,
    "reverse": lambda x: x[::-1],
    "shift": lambda x: [*x[1:], x[0]],
    "echo": lambda x: [*x, x[-1]],
    "swap_first_last": lambda x: [x[-1], *x[1:-1], x[0]] if len(x) > 1 else x,
    "repeat": lambda x: x + x,
}
BINARY: dict[str, Callable[[list[str], list[str]], list[str]]] = {
    "append": lambda x, y: x + y,
    "prepend": lambda x, y: y + x,
    "remove_first": lambda x, y: y,
    "remove_second": lambda x, y: x,
}
LETTERS = [f"{letter}{number}" for letter in "ABCDEFGHIJKLMNOPQRSTUVWXYZ" for number in range(1, 21)]
HELD_OUT = {"swap_first_last repeat", "append remove_second", "repeat remove_second", "append swap_first_last"}
TWINS = ("swap_first_last", "repeat", "append", "remove_second")  # repeat_twin does what repeat does
NUMBERS = (1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 5, 6, 7, 8, 9, 10, 11)
DEFINITION = """Apply the functions to the strings after them and write the resulting string. copy gives its string, \
reverse turns it round, shift moves its first letter to the end, echo repeats its last letter, swap_first_last \
exchanges the first and the last letter, repeat gives it twice. Two strings are separated by a comma: append puts the \
second after the first, prepend before it, remove_first gives the second, remove_second the first. A function that \
ends in _twin does the same as the one without."""


def read(words: list[str]) -> tuple[list[str], list[str], set[str]]:
    """What the expression at the head of some words gives, the words after it, and the held-out pairs in it."""
    name = words[0].removesuffix("_twin")
    if name not in UNARY and name not in BINARY:
        end = words.index(",") if "," in words else len(words)
        return words[:end], words[end:], set()
    one, rest, found = read(words[1:])
    found |= {f"{name} {words[1]}"} & HELD_OUT
    if name in UNARY:
        return UNARY[name](one), rest, found
    two, after, more = read(rest[1:])
    return BINARY[name](one, two), after, found | more


def functions(item: Item) -> list[str]:
    """The functions of an expression, in their order."""
    return [word for word in item.input.split() if word.removesuffix("_twin") in (*UNARY, *BINARY)]


def needs(item: Item) -> set[str]:
    """The skills of an expression: its functions and the pairs that are held out; where it is long, its length."""
    used = functions(item)
    if len(used) > 3:
        return {"4 functions or more"} if len(used) < 9 else {"4 functions or more", "9 functions or more"}
    return {*used, *read(item.input.split())[2]}


def written(rng: Random, names: list[str]) -> list[str]:
    """An expression of these functions, the first outermost."""
    if not names:
        return rng.sample(LETTERS, rng.randint(2, 5))
    if names[0].removesuffix("_twin") in UNARY:
        return [names[0], *written(rng, names[1:])]
    cut = rng.randint(1, len(names))
    return [names[0], *written(rng, names[1:cut]), ",", *written(rng, names[cut:])]


def expression(rng: Random, twins: bool = False, skills: set[str] | None = None) -> tuple[str, str]:
    """A drawn expression and what it gives, at most 60 letters; where skills are wanted, of their functions alone."""
    named = [name for name in (*UNARY, *BINARY) if skills is not None and {name, f"{name}_twin"} & skills]
    numbers = [n for n in NUMBERS if skills is None or (n > 3) != bool(named)]
    names = rng.choices(named or [*UNARY, *BINARY], k=rng.choice(numbers))
    at = rng.randrange(len(names))
    if twins and names[at] in TWINS:
        names[at] += "_twin"
    words = written(rng, names)
    result = read(words)[0]
    return (" ".join(words), " ".join(result)) if len(result) <= 60 else expression(rng, twins, skills)


def by_pair(item: Item) -> str:
    """Systematicity: the pairs that are held out are only tested."""
    return "test" if read(item.input.split())[2] else "train"


def by_number(item: Item) -> str:
    """Productivity: trained on at most 8 functions, tested on 9 or more."""
    return "train" if len(functions(item)) <= 8 else "test"


def by_twin(item: Item) -> str:
    """Substitutivity: synonyms are trained on alone and tested in company."""
    return "test" if "_twin" in item.input and len(functions(item)) > 1 else "train"


RULES = {"random": None, "systematicity": by_pair, "productivity": by_number, "substitutivity": by_twin}
SHOWN = [("repeat A1 B2 C3", "A1 B2 C3 A1 B2 C3", "The string is given twice.")]
TASKS = []
for name, rule in RULES.items():
    declare = taskloom.task(name=name, definition=DEFINITION, right=SHOWN, skills=needs, split=rule)
    TASKS.append(declare(partial(expression, twins=rule is by_twin)))
PCFG = taskloom.Suite.of(TASKS, train=8_500, test=1_000, name="pcfg")
