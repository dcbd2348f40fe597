"""Tasks 14, 15, 16 and 20: time, deduction, induction, motivations."""

from __future__ import annotations

from itertools import pairwise
from random import Random

from taskloom.core import any_of
from taskloom.families.babi.facts import FactQuestion, FactStory, FactWorld, pick, sample

__all__ = ["DEDUCTION", "INDUCTION", "MOTIVATIONS", "TIME"]

_MOVES = ("journeyed", "moved", "travelled", "went", "went back")
_DATES = ("yesterday", "this morning", "this afternoon", "this evening")
_TRAVELLERS = ("Bill", "Fred", "Julie", "Mary")
_OTHER_TRAVELLERS = ("Anna", "Bernard", "Clara", "Dorian")
_HALLS = ("bedroom", "cinema", "kitchen", "office", "park", "school")


def _time(rng: Random, apart: bool) -> FactStory:
    """Dated moves told out of order; nobody moves twice at one time or goes twice to one place."""
    people = _OTHER_TRAVELLERS if apart else _TRAVELLERS
    free = [(who, date) for who in people for date in range(len(_DATES))]
    places = {who: sample(rng, _HALLS, len(_DATES)) for who in people}
    told: list[tuple[str, int, str]] = []
    statements: list[str] = []
    questions: list[FactQuestion] = []
    for turn in range(5):
        # At least one person must be told of twice before the first question.
        for _ in range(4 if turn == 0 else 2):
            who, date = free.pop(int(rng.random() * len(free)))
            place = places[who][date]
            told.append((who, date, place))
            move = f"{who} {pick(rng, _MOVES)} to the {place}"
            when = _DATES[date]
            statements.append(f"{when.capitalize()} {move}." if rng.random() < 0.5 else f"{move} {when}.")
        pairs = _successions(told)
        if not pairs:
            return _time(rng, apart)
        earlier, later = pick(rng, pairs)
        who, _, place = told[later]
        answer = told[earlier][2]
        wrong = next(hall for hall in _HALLS if hall not in (answer, place))
        text = f"Where was {who} before the {place}?"
        questions.append(FactQuestion(len(statements), text, any_of(answer), wrong, tuple(sorted((earlier, later)))))
    return FactStory(statements, questions)


def _successions(told: list[tuple[str, int, str]]) -> list[tuple[int, int]]:
    """(line, line) of moves of one person that follow one another among those told."""
    found = []
    for who in dict.fromkeys(who for who, _, _ in told):
        lines = sorted((index for index, move in enumerate(told) if move[0] == who), key=lambda index: told[index][1])
        found += list(pairwise(lines))
    return found


_ANIMALS = {"mouse": "mice", "sheep": "sheep", "wolf": "wolves", "cat": "cats"}
_NAMED = ("Gertrude", "Winona", "Jessica", "Emily")


def _deduction(rng: Random, apart: bool) -> FactStory:
    """Who is what, and what is afraid of what."""
    kinds = tuple(_ANIMALS)
    fears = {kind: pick(rng, [other for other in kinds if other != kind]) for kind in kinds}
    is_a = {name: pick(rng, kinds) for name in _NAMED}
    lines = [("is", name) for name in _NAMED] + [("fears", kind) for kind in kinds]
    order = sample(rng, lines, len(lines))
    statements = [
        f"{key} is a {is_a[key]}."
        if sort == "is"
        else f"{_ANIMALS[key].capitalize()} are afraid of {_ANIMALS[fears[key]]}."
        for sort, key in order
    ]
    questions = []
    for name in sample(rng, _NAMED, len(_NAMED)):
        kind = is_a[name]
        support = tuple(sorted((order.index(("is", name)), order.index(("fears", kind)))))
        text = f"What is {name} afraid of?"
        questions.append(FactQuestion(8, text, any_of((fears[kind], _ANIMALS[fears[kind]])), kind, support))
    return FactStory(statements, questions)


_WITNESSES = ("Lily", "Bernhard", "Greg", "Julius", "Brian")
_BEASTS = ("swan", "lion", "frog", "rhino")
_COLOURS = ("gray", "white", "yellow", "green")


def _induction(rng: Random, apart: bool) -> FactStory:
    """Animals of one kind share a colour; one animal's colour is left out and follows from its kind."""
    while True:
        kinds = {name: pick(rng, _BEASTS) for name in _WITNESSES}
        asked = pick(rng, _WITNESSES)
        if sum(kind == kinds[asked] for kind in kinds.values()) > 1:
            break
    colours = dict(zip(_BEASTS, sample(rng, _COLOURS, 4), strict=True))
    lines = [("kind", name) for name in _WITNESSES] + [("colour", name) for name in _WITNESSES if name != asked]
    order = sample(rng, lines, len(lines))
    statements = [
        f"{name} is a {kinds[name]}." if sort == "kind" else f"{name} is {colours[kinds[name]]}."
        for sort, name in order
    ]
    own = order.index(("kind", asked))
    # One witness is enough; the first that a reader knows completely.
    support = min(
        (
            sorted((own, order.index(("kind", name)), order.index(("colour", name))))
            for name in _WITNESSES
            if name != asked and kinds[name] == kinds[asked]
        ),
        key=lambda lines: lines[::-1],
    )
    colour = colours[kinds[asked]]
    wrong = next(other for other in _COLOURS if other != colour)
    text = f"What color is {asked}?"
    return FactStory(statements, [FactQuestion(9, text, any_of(colour), wrong, tuple(support))])


_MOTIVES = {
    "hungry": ("kitchen", "apple"),
    "thirsty": ("kitchen", "milk"),
    "bored": ("garden", "football"),
    "tired": ("bedroom", "pajamas"),
}
_DRIVEN = ("Jason", "Antoine", "Sumit", "Yann")
_GRABS = ("grabbed", "picked up", "took", "got")


def _motivations(rng: Random, apart: bool) -> FactStory:
    """Somebody is hungry, goes to the kitchen, gets the apple. Told apart, nobody touches an object.

    The first questions come after four statements: the shortest stories are so few that splits could not be
    kept apart.
    """
    states = dict(zip(sample(rng, _DRIVEN, 4), sample(rng, tuple(_MOTIVES), 4), strict=True))
    stages = dict.fromkeys(states, 0)
    last = 2 if apart else 3
    said: dict[str, int] = {}
    statements: list[str] = []
    questions: list[FactQuestion] = []
    while any(stage < last for stage in stages.values()):
        who = pick(rng, [name for name, stage in stages.items() if stage < last])
        state = states[who]
        place, thing = _MOTIVES[state]
        stage = stages[who]
        if stage == 0:
            said[who] = len(statements)
            statements.append(f"{who} is {state}.")
            wrong = next(other for other, _ in _MOTIVES.values() if other != place)
            text, answer = f"Where will {who} go?", place
        else:
            wrong = next(other for other in _MOTIVES if other != state)
            answer = state
            if stage == 1:
                statements.append(f"{who} {pick(rng, _MOVES)} to the {place}.")
                text = f"Why did {who} go to the {place}?"
            else:
                statements.append(f"{who} {pick(rng, _GRABS)} the {thing}.")
                text = f"Why did {who} get the {thing}?"
        stages[who] += 1
        if len(statements) >= 4:
            questions.append(FactQuestion(len(statements), text, any_of(answer), wrong, (said[who],)))
    return FactStory(statements, questions)


TIME = FactWorld(
    14,
    "time",
    "time reasoning: where somebody was before",
    "You are told where people went yesterday, this morning, this afternoon and this evening, out of order, and "
    "asked where a person was directly before a place, as far as the story tells. Answer with the place only.",
    (),
    _time,
)
DEDUCTION = FactWorld(
    15,
    "deduction",
    "basic deduction: what somebody is afraid of",
    "You are told what kind of animal each one is and what each kind is afraid of, and asked what one of them is "
    "afraid of. Answer with the animal in the singular.",
    (),
    _deduction,
)
INDUCTION = FactWorld(
    16,
    "induction",
    "basic induction: the colour of one from the colour of its kind",
    "You are told the kind and the colour of several animals, all of one kind having one colour, and asked for a "
    "colour that was not told. Answer with the colour only.",
    (),
    _induction,
)
MOTIVATIONS = FactWorld(
    20,
    "motivations",
    "motivations: why people go and where they will go",
    "You are told how people feel and what they do about it: who is hungry or thirsty goes to the kitchen for the "
    "apple or the milk, who is bored to the garden for the football, who is tired to the bedroom for the pajamas. "
    "You are asked where somebody will go, or why somebody did something. Answer with one word.",
    (),
    _motivations,
)
