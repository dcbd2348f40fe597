"""Tasks 14, 15, 16 and 20: time, deduction, induction, motivations."""

from __future__ import annotations

from itertools import pairwise
from random import Random

from taskloom.core import any_of
from taskloom.families.babi.facts import FactQuestion, FactStory, FactWorld, pick, sample

__all__ = ["DEDUCTION", "INDUCTION", "MOTIVATIONS", "TIME"]

_MOVES = ("journeyed", "moved", "travelled", "went", "went back")
_DATES = ("yesterday", "this morning", "this afternoon", "this evening")
_HALLS = ("bedroom", "cinema", "kitchen", "office", "park", "school")


def _time(rng: Random, apart: bool) -> FactStory:
    """Dated moves, stated out of order; nobody moves twice at one time or goes twice to one place."""
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
    """Somebody is hungry, goes to the kitchen, gets the apple. Otherwise nobody touches an object.

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


TIME = FactWorld(
    14,
    "time",
    "time reasoning: where somebody was before",
    "You are told where people went yesterday, this morning, this afternoon and this evening, out of order, and "
    "asked where a person was directly before a place, as far as the story tells. Answer with the place only.",
    (),
    {"p": ("Bill", "Fred", "Julie", "Mary"), "l": _HALLS},
    _time,
    {"p": ("Anna", "Bernard", "Clara", "Dorian"), "l": _HALLS},
)
DEDUCTION = FactWorld(
    15,
    "deduction",
    "basic deduction: what somebody is afraid of",
    "You are told what kind of animal each one is and what each kind is afraid of, and asked what one of them is "
    "afraid of. Answer with the animal in the singular.",
    (),
    {"p": ("Gertrude", "Winona", "Jessica", "Emily"), "a": ("mouse/mice", "sheep/sheep", "wolf/wolves", "cat/cats")},
    _deduction,
)
INDUCTION = FactWorld(
    16,
    "induction",
    "basic induction: the colour of one from the colour of its kind",
    "You are told the kind and the colour of several animals, all of one kind having one colour, and asked for a "
    "colour that was not told. Answer with the colour only.",
    (),
    {
        "p": ("Lily", "Bernhard", "Greg", "Julius", "Brian"),
        "a": ("swan", "lion", "frog", "rhino"),
        "c": ("gray", "white", "yellow", "green"),
    },
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
    {"p": ("Jason", "Antoine", "Sumit", "Yann")},
    _motivations,
)
