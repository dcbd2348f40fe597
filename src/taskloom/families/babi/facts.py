"""The eight original tasks outside the story world (4 and 14 to 20): statements, questions, answers, supports."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise
from random import Random
from typing import NamedTuple, TypeVar

from taskloom.core import AnyOf, any_of

T = TypeVar("T")

_TOKEN = re.compile(r"@([a-z])(\d)(s?)")


class FactQuestion(NamedTuple):
    """A question asked after this many statements, with its answers, a wrong answer, and its supporting statements."""

    after: int
    text: str
    targets: AnyOf
    wrong: str
    support: tuple[int, ...]


class FactStory(NamedTuple):
    """Statements and the questions about them."""

    statements: list[str]
    questions: list[FactQuestion]

    def beginning(self) -> str:
        """What the first question's input consists of."""
        first = self.questions[0]
        return "\n".join([*self.statements[: first.after], first.text])


def pick(rng: Random, options: Sequence[T]) -> T:
    """One of the options, each as likely."""
    return options[int(rng.random() * len(options))]


def sample(rng: Random, options: Sequence[T], count: int) -> list[T]:
    """Some of the options in random order, without repeats."""
    pool = list(options)
    found = []
    for _ in range(count):
        found.append(pool.pop(int(rng.random() * len(pool))))
    return found


def yes_no(right: bool) -> tuple[AnyOf, str]:
    """Targets and the wrong answer of a yes-no question."""
    return (any_of("yes"), "no") if right else (any_of("no"), "yes")


# -- names ------------------------------------------------------------------------------------------------------


def tokens(text: str) -> Iterator[tuple[str, int]]:
    """The tokens of a text in order, with repeats."""
    for letter, digit, _ in _TOKEN.findall(text):
        yield letter, int(digit)


def _replaced(story: FactStory, change: Callable[[str], str], finish: Callable[[str], str]) -> FactStory:
    statements = [finish(change(text)) for text in story.statements]
    questions = [
        asked._replace(
            text=finish(change(asked.text)),
            targets=any_of(tuple(change(answer) for answer in asked.targets.answers)),
            wrong=change(asked.wrong),
        )
        for asked in story.questions
    ]
    return FactStory(statements, questions)


def canonical(story: FactStory) -> FactStory:
    """A form with its tokens numbered by first mention."""
    numbers: dict[tuple[str, int], int] = {}
    used: dict[str, int] = {}
    text = "\n".join((story.beginning(), *story.statements, *(asked.text for asked in story.questions)))
    for letter, digit in tokens(text):
        if (letter, digit) not in numbers:
            numbers[letter, digit] = used.get(letter, 0)
            used[letter] = numbers[letter, digit] + 1

    def renumber(match: re.Match[str]) -> str:
        # A token that only an answer mentions keeps out of the way of the others.
        key = (match[1], int(match[2]))
        if key not in numbers:
            numbers[key] = used.get(match[1], 0)
            used[match[1]] = numbers[key] + 1
        return f"@{match[1]}{numbers[key]}{match[3]}"

    return _replaced(story, lambda text: _TOKEN.sub(renumber, text), lambda text: text)


def named(story: FactStory, names: Mapping[str, Sequence[str]]) -> FactStory:
    """A form with names for its tokens."""

    def name(match: re.Match[str]) -> str:
        singular, _, plural = names[match[1]][int(match[2])].partition("/")
        return plural if match[3] else singular

    return _replaced(story, lambda text: _TOKEN.sub(name, text), lambda text: text[:1].upper() + text[1:])


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


_MOVES = ("journeyed", "moved", "travelled", "went", "went back")
_DATES = ("yesterday", "this morning", "this afternoon", "this evening")


def _time(rng: Random, apart: bool) -> FactStory:
    """Dated moves, stated out of order; a person moves once at a time and never twice to one place."""
    free = [(who, date) for who in range(4) for date in range(len(_DATES))]
    places = {who: sample(rng, range(6), len(_DATES)) for who in range(4)}
    moves: list[tuple[int, int, int]] = []
    statements: list[str] = []
    questions: list[FactQuestion] = []
    for turn in range(5):
        for count in range(4 if turn == 0 else 2):
            # Somebody must be mentioned twice before the first question.
            known = {who for who, _, _ in moves}
            options = [spot for spot in free if spot[0] in known] if turn == 0 and count == 3 == len(known) else free
            who, date = pick(rng, options)
            free.remove((who, date))
            place = places[who][date]
            moves.append((who, date, place))
            move = f"@p{who} {pick(rng, _MOVES)} to the @l{place}"
            when = _DATES[date]
            statements.append(f"{when} {move}." if rng.random() < 0.5 else f"{move} {when}.")
        earlier, later = pick(rng, _successions(moves))
        who, _, place = moves[later]
        answer = moves[earlier][2]
        wrong = next(hall for hall in range(6) if hall not in (answer, place))
        text = f"Where was @p{who} before the @l{place}?"
        support = tuple(sorted((earlier, later)))
        questions.append(FactQuestion(len(statements), text, any_of(f"@l{answer}"), f"@l{wrong}", support))
    return FactStory(statements, questions)


def _successions(moves: list[tuple[int, int, int]]) -> list[tuple[int, int]]:
    """(line, line) of moves of one person that follow one another among those stated."""
    found = []
    for who in dict.fromkeys(who for who, _, _ in moves):
        lines = sorted((index for index, move in enumerate(moves) if move[0] == who), key=lambda index: moves[index][1])
        found += list(pairwise(lines))
    return found


def _deduction(rng: Random, apart: bool) -> FactStory:
    """Who is what, and what is afraid of what."""
    kinds = range(4)
    fears = {kind: pick(rng, [other for other in kinds if other != kind]) for kind in kinds}
    is_a = {name: pick(rng, kinds) for name in range(4)}
    lines = [("is", name) for name in range(4)] + [("fears", kind) for kind in kinds]
    order = sample(rng, lines, len(lines))
    statements = [
        f"@p{key} is a @a{is_a[key]}." if sort == "is" else f"@a{key}s are afraid of @a{fears[key]}s."
        for sort, key in order
    ]
    questions = []
    for name in sample(rng, range(4), 4):
        kind = is_a[name]
        support = tuple(sorted((order.index(("is", name)), order.index(("fears", kind)))))
        text = f"What is @p{name} afraid of?"
        answers = any_of((f"@a{fears[kind]}", f"@a{fears[kind]}s"))
        questions.append(FactQuestion(8, text, answers, f"@a{kind}", support))
    return FactStory(statements, questions)


def _induction(rng: Random, apart: bool) -> FactStory:
    """Animals of one kind share a colour; one animal's colour is left out and follows from its kind."""
    while True:
        kinds = {name: pick(rng, range(4)) for name in range(5)}
        asked = pick(rng, range(5))
        if sum(kind == kinds[asked] for kind in kinds.values()) > 1:
            break
    lines = [("kind", name) for name in range(5)] + [("colour", name) for name in range(5) if name != asked]
    order = sample(rng, lines, len(lines))
    statements = [f"@p{name} is {'a @a' if sort == 'kind' else '@c'}{kinds[name]}." for sort, name in order]
    own = order.index(("kind", asked))
    # One witness is enough; the first that a reader knows completely.
    support = min(
        (
            sorted((own, order.index(("kind", name)), order.index(("colour", name))))
            for name in range(5)
            if name != asked and kinds[name] == kinds[asked]
        ),
        key=lambda lines: lines[::-1],
    )
    colour = kinds[asked]
    wrong = next(other for other in range(4) if other != colour)
    asking = FactQuestion(9, f"What color is @p{asked}?", any_of(f"@c{colour}"), f"@c{wrong}", tuple(support))
    return FactStory(statements, [asking])


_MOTIVES = {
    "hungry": ("kitchen", "apple"),
    "thirsty": ("kitchen", "milk"),
    "bored": ("garden", "football"),
    "tired": ("bedroom", "pajamas"),
}
_GRABS = ("grabbed", "picked up", "took", "got")


def _motivations(rng: Random, apart: bool) -> FactStory:
    """Somebody is hungry, goes to the kitchen, gets the apple. Otherwise no object is touched.

    The first questions come after four statements: the shortest stories are so few that splits could not be
    kept apart.
    """
    states = dict(enumerate(sample(rng, tuple(_MOTIVES), 4)))
    stages = dict.fromkeys(states, 0)
    last = 2 if apart else 3
    said: dict[int, int] = {}
    statements: list[str] = []
    questions: list[FactQuestion] = []
    while any(stage < last for stage in stages.values()):
        who = pick(rng, [name for name, stage in stages.items() if stage < last])
        state = states[who]
        place, thing = _MOTIVES[state]
        stage = stages[who]
        if stage == 0:
            said[who] = len(statements)
            statements.append(f"@p{who} is {state}.")
            wrong = next(other for other, _ in _MOTIVES.values() if other != place)
            text, answer = f"Where will @p{who} go?", place
        else:
            wrong = next(other for other in _MOTIVES if other != state)
            answer = state
            if stage == 1:
                statements.append(f"@p{who} {pick(rng, _MOVES)} to the {place}.")
                text = f"Why did @p{who} go to the {place}?"
            else:
                statements.append(f"@p{who} {pick(rng, _GRABS)} the {thing}.")
                text = f"Why did @p{who} get the {thing}?"
        stages[who] += 1
        if len(statements) >= 4:
            questions.append(FactQuestion(len(statements), text, any_of(answer), wrong, (said[who],)))
    return FactStory(statements, questions)


_FORMS: dict[str, Callable[[Random, bool], FactStory]] = {
    "relations": _relations,
    "time": _time,
    "deduction": _deduction,
    "induction": _induction,
    "positions": _positions,
    "sizes": _sizes,
    "paths": _paths,
    "motivations": _motivations,
}


def draw_form(concept: str, rng: Random, *, apart: bool = False) -> FactStory:
    """A random form of a concept's stories; `apart` asks for one that touches no object of the story world."""
    return _FORMS[concept](rng, apart)
