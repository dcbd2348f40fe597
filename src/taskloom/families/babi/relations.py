"""Tasks 4, 17, 18 and 19: places and shapes in relation, sizes, paths.

Conventions: 'north of', 'above' and so on mean straight in that direction. A question is asked only where the
statements settle it.
"""

from __future__ import annotations

from random import Random

from taskloom.core import any_of
from taskloom.families.babi.facts import FactQuestion, FactStory, FactWorld, pick, sample, yes_no

__all__ = ["PATHS", "POSITIONS", "RELATIONS", "SIZES"]

_PLACES = ("bathroom", "bedroom", "garden", "hallway", "kitchen", "office")
_OPPOSITE = {"north": "south", "south": "north", "east": "west", "west": "east"}
_STEP = {"north": (0, 1), "south": (0, -1), "east": (1, 0), "west": (-1, 0)}


def _said(rng: Random, one: str, direction: str, other: str) -> str:
    """A relation from either side."""
    if rng.random() < 0.5:
        one, direction, other = other, _OPPOSITE[direction], one
    return f"The {one} is {direction} of the {other}."


def _relations(rng: Random, apart: bool) -> FactStory:
    """Two places in two directions of a third; asked from the third, where no reading but one is possible."""
    first, middle, second = "@l0", "@l1", "@l2"
    one, two = sample(rng, tuple(_STEP), 2)
    facts = [(first, one), (second, two)]
    statements = [_said(rng, place, direction, middle) for place, direction in facts]
    asked = int(rng.random() * 2)
    place, direction = facts[asked]
    if rng.random() < 0.5:
        text = f"What is {direction} of the {middle}?"
    else:
        text = f"What is the {middle} {_OPPOSITE[direction]} of?"
    return FactStory(statements, [FactQuestion(2, text, any_of(place), facts[1 - asked][0], (asked,))])


_SHAPES = ("square", "rectangle", "triangle", "sphere")
_COLOURS = ("", "red ", "blue ", "pink ", "yellow ")
_SIDES = {"above": (0, 1), "below": (0, -1), "to the left of": (-1, 0), "to the right of": (1, 0)}
_TURN = {"above": "below", "below": "above", "to the left of": "to the right of", "to the right of": "to the left of"}


def _positions(rng: Random, apart: bool) -> FactStory:
    """A chain of two relations between three different shapes; eight questions that it settles."""
    names = [f"{pick(rng, _COLOURS)}@s{shape}" for shape in range(3)]
    sides = [pick(rng, tuple(_SIDES)) for _ in range(2)]
    statements = []
    for index, side in enumerate(sides):
        one, other = names[index], names[index + 1]
        if rng.random() < 0.5:
            statements.append(f"The {one} is {side} the {other}.")
        else:
            statements.append(f"The {other} is {_TURN[side]} the {one}.")
    settled = []
    for start, end in ((0, 1), (1, 2), (0, 2)):
        support = tuple(range(start, end))
        for axis in (0, 1):
            steps = {_SIDES[sides[index]][axis] for index in support} - {0}
            if len(steps) == 1:  # nothing said about the axis, or there and back: not settled
                settled.append((start, end, axis, steps.pop(), support))
    ways = [(relation, turned) for relation in settled for turned in (False, True)]
    asked = [(*way, True) for way in sample(rng, ways, 4)] + [(*way, False) for way in sample(rng, ways, 4)]
    questions = []
    for (start, end, axis, sign, support), turned, wanted in sample(rng, asked, 8):
        side = next(name for name, step in _SIDES.items() if step[axis] == (sign if wanted else -sign))
        one, other = names[start], names[end]
        if turned:
            one, other, side = other, one, _TURN[side]
        accepted, wrong = yes_no(wanted)
        questions.append(FactQuestion(2, f"Is the {one} {side} the {other}?", accepted, wrong, support))
    return FactStory(statements, questions)


_BOXES = ("suitcase", "container", "box", "chest")
_SWEETS = ("box of chocolates", "chocolate")


def _sizes(rng: Random, apart: bool) -> FactStory:
    """Five comparisons; asked are pairs that follow from two of them and not from one."""
    while True:
        order = [*(f"@b{box}" for box in range(4)), *_SWEETS]  # from big to small
        pairs = [(big, small) for big in range(6) for small in range(big + 1, 6)]
        facts = sample(rng, pairs, 5)
        direct = set(facts)
        chains = [
            (big, small, tuple(sorted((facts.index((big, middle)), facts.index((middle, small))))))
            for big, small in pairs
            if (big, small) not in direct
            for middle in range(big + 1, small)
            if (big, middle) in direct and (middle, small) in direct
        ]
        if chains:
            break
    statements = [
        f"The {order[big]} is bigger than the {order[small]}."
        if rng.random() < 0.5
        else f"The {order[small]} fits inside the {order[big]}."
        for big, small in facts
    ]
    best: dict[tuple[int, int], tuple[int, ...]] = {}
    for big, small, support in chains:
        known = best.get((big, small))
        if known is None or support[::-1] < known[::-1]:
            best[big, small] = support
    ways = [(pair, right, fits) for pair in best for right in (True, False) for fits in (True, False)]
    questions = []
    for (big, small), right, fits in sample(rng, ways, min(5, len(ways))):
        accepted, wrong = yes_no(right)
        one, other = (order[big], order[small]) if right else (order[small], order[big])
        text = f"Does the {other} fit in the {one}?" if fits else f"Is the {one} bigger than the {other}?"
        questions.append(FactQuestion(5, text, accepted, wrong, best[big, small]))
    return FactStory(statements, questions)


def _paths(rng: Random, apart: bool) -> FactStory:
    """Six places joined by five relations without a circle; the way between two of them takes two steps."""
    places = [f"@l{place}" for place in range(6)]
    spots = {(0, 0): 0}
    edges: list[tuple[int, str, int]] = []  # (from, direction, to)
    while len(edges) < 5:
        x, y = pick(rng, list(spots))
        direction = pick(rng, tuple(_STEP))
        dx, dy = _STEP[direction]
        if (x + dx, y + dy) in spots:
            continue
        new = len(spots)
        edges.append((spots[x, y], direction, new))
        spots[x + dx, y + dy] = new
    facts = sample(rng, edges, 5)
    statements = [_said(rng, places[end], direction, places[start]) for start, direction, end in facts]
    steps: dict[int, list[tuple[str, int, int]]] = {}
    for line, (start, direction, end) in enumerate(facts):
        steps.setdefault(start, []).append((direction, end, line))
        steps.setdefault(end, []).append((_OPPOSITE[direction], start, line))
    ways = [
        (start, end, (first, second), (one, two))
        for start in steps
        for first, middle, one in steps[start]
        for second, end, two in steps[middle]
        if end != start
    ]
    start, end, turns, support = pick(rng, ways)
    short = [turn[0] for turn in turns]
    answers = (",".join(short), ", ".join(short), ",".join(turns), ", ".join(turns))
    text = f"How do you go from the {places[start]} to the {places[end]}?"
    wrong = ",".join(_OPPOSITE[turn][0] for turn in turns)
    return FactStory(statements, [FactQuestion(5, text, any_of(answers), wrong, tuple(sorted(support)))])


RELATIONS = FactWorld(
    4,
    "relations",
    "two-argument relations: what lies north of what",
    "You are told how places lie to one another, each straight in the named direction, and asked which place lies "
    "in a direction of another. Answer with the name of the place only.",
    (),
    {"l": _PLACES},
    _relations,
)
POSITIONS = FactWorld(
    17,
    "positions",
    "positional reasoning: above, below, left, right",
    "You are told how shapes lie to one another, each straight in the named direction, and asked whether one lies "
    "on a certain side of another. Answer 'yes' or 'no'.",
    ("yes", "no"),
    {"s": _SHAPES},
    _positions,
)
SIZES = FactWorld(
    18,
    "sizes",
    "size reasoning: what is bigger, what fits into what",
    "You are told which things are bigger than or fit inside others, and asked about two of them that are not "
    "compared directly. A thing fits in every bigger one. Answer 'yes' or 'no'.",
    ("yes", "no"),
    {"b": _BOXES},
    _sizes,
)
PATHS = FactWorld(
    19,
    "paths",
    "path finding: which way from one place to another",
    "You are told how places lie to one another and asked how to get from one to another. Answer with the "
    "directions of the steps in order (n, s, e, w), separated by a comma.",
    (),
    {"l": _PLACES},
    _paths,
)
