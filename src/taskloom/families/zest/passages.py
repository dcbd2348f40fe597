"""The passages of a task: which class of answer each shall give, and a passage that gives it.

The passage alone must say nothing about the answer. A passage that states much of what a split asks about would
tell more often than not, so every passage states about the same share of it, weighed by how often each attribute
is asked for; the number of facts does not depend on the answer; and sentences about other entities turn to the
asked attribute as often under NA as elsewhere.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from itertools import accumulate
from math import fsum
from random import Random
from typing import NamedTuple

from taskloom.core.rng import below, pick, shuffle, spin, wheel
from taskloom.families.zest.domain import Domain
from taskloom.families.zest.facts import Values, clash, draw_entity
from taskloom.families.zest.frames import PassagePlanner
from taskloom.families.zest.naming import EntityNaming, Namer
from taskloom.families.zest.passage import write_passage
from taskloom.families.zest.questions import AnswerClass, Ask, PassageQuestion, Proposition, dated_claims
from taskloom.families.zest.units import DrawnPassage

_TRIES = 2_000


class PassageShape(NamedTuple):
    """How passages look: the least and most facts, words aimed at, and the share of those with distractors."""

    facts: tuple[int, int]
    words: int
    distractors: float


class AnswerShares(NamedTuple):
    """How often the passages of a task leave the answer open, and how often they say yes rather than no.

    In thousandths, so that draws are exact.
    """

    na: int
    yes: int


# Shares of tasks, evenly spaced by rank: all, none and everything between, as wide as among tasks written by people.
_NA_RANKS = (
    0, 100, 200, 280, 350, 420, 470, 520, 560, 600, 630, 660, 690, 720, 750, 780, 810, 840, 870, 900, 930, 970, 1000,
    1000,
)  # fmt: skip
_YES_RANKS = (350, 400, 440, 460, 480, 500, 500, 520, 540, 560, 600, 650)
_NA_MEAN = 627


def shares_of(count: int, na: float, random: Callable[[int], Random]) -> list[AnswerShares]:
    """The shares of this many tasks, drawn in batches over which they are spread evenly, neighbours against each other.

    Args:
        count: How many tasks.
        na: The mean share of passages that leave the answer open.
        random: A generator for each batch.
    """
    mean = round(1000 * na)
    found: list[AnswerShares] = []
    while len(found) < count:
        rng = random(len(found) // len(_NA_RANKS))
        blank = [_shifted(rank, mean) for rank in _mirrored(_NA_RANKS, rng)]
        found += map(AnswerShares, blank, [*_mirrored(_YES_RANKS, rng), *_mirrored(_YES_RANKS, rng)])
    return found[:count]


def _mirrored(ranks: Sequence[int], rng: Random) -> list[int]:
    """The ranks in random order, each next to its mirror image: any stretch of neighbours has about the mean."""
    pairs = [[ranks[at], ranks[-1 - at]] for at in range(len(ranks) // 2)]
    rng.shuffle(pairs)
    for pair in pairs:
        rng.shuffle(pair)
    return [rank for pair in pairs for rank in pair]


def _shifted(rank: int, mean: int) -> int:
    """A share moved so that the mean of all becomes the one asked for; none and all stay possible on one side."""
    if mean <= _NA_MEAN:
        return rank * mean // _NA_MEAN
    return 1000 - (1000 - rank) * (1000 - mean) // (1000 - _NA_MEAN)


def outcome(asked: AskedQuestion, shares: AnswerShares, rng: Random) -> AnswerClass:
    """The class of one answer, independent of the others of its task."""
    na, yes = shares
    if below(rng, 1000) < na:
        return "na"
    if asked.classes[0] == "yes":
        return "yes" if below(rng, 1000) < yes else "no"
    return asked.classes[0]


class AskedQuestion:
    """What all passages of a question have in common.

    Args:
        domain: The domain.
        question: The question.
        weights: How often each attribute is asked for in the split; those never asked for are absent.
    """

    def __init__(self, domain: Domain, question: PassageQuestion, weights: Mapping[str, float]) -> None:
        self.domain, self.question, self.weights = domain, question, weights
        self.attributes, self.classes = question.attributes, question.classes
        self.plain = [name for name, one in domain.attributes.items() if one.kind != "rows"]
        self.tables = [name for name in domain.attributes if name not in self.plain]
        self.total = fsum(weights.values())
        # A ship scrapped in 1786 was launched before 1800, whether or not the passage says when. So a passage asked
        # about a bound of one year states no year that could settle it, stated or not. Nor does it state what could
        # conflict with a value asked about, since the lack of a conflict would tell something too.
        barred = {*self.attributes, *(other for name in dated_claims(question) for other in domain.linked[name])}
        barred |= {other for name in self.attributes for other in domain.excluded[name]}
        self.weighed = [(name, weight) for name, weight in weights.items() if name not in barred]
        self.rest = [name for name in domain.attributes if name not in weights and name not in barred]
        linked = {*self.attributes, *(other for name in self.attributes for other in domain.linked[name])}
        # What decides the class of an answer and so may have to be drawn again; a name never does.
        self.redrawn = [name for name, one in domain.attributes.items() if name in linked and one.kind != "name"]
        # Such a question is open if and only if its attribute is not stated.
        self.single = isinstance(question, Ask | Proposition)
        self.distracting = [name for name in self.attributes if name in self.plain]


def draw_passage(
    asked: AskedQuestion,
    wanted: AnswerClass,
    shape: PassageShape,
    names: tuple[EntityNaming, EntityNaming],
    rng: Random,
) -> DrawnPassage:
    """A passage whose answer to the question is of the wanted class.

    Args:
        asked: The question.
        wanted: The class of its answer.
        shape: How passages look.
        names: The names of the entity and of another one.
        rng: Where the draws come from.
    """
    domain = asked.domain
    own, others = names
    namer = Namer(rng, own, others)
    about, beside = draw_entity(domain, rng, namer, own), draw_entity(domain, rng, namer, others)
    least, most = shape.facts
    count = least + below(rng, most - least + 1)
    values = about.values
    given = _given(asked, wanted, values, rng)
    ordered = _ordered(asked, _selected(asked, given, count, values, rng), rng)
    distracting = _distractors(asked, shape, rng)
    words = shape.words + spin(rng.getrandbits, _WORDS_OFF)
    region = namer.region()
    planner = PassagePlanner(domain, about, beside, rng)
    return write_passage(planner, ordered, region=region, distracting=distracting, words=words)


def _selected(asked: AskedQuestion, given: list[str], count: int, values: Values, rng: Random) -> list[str]:
    """The attributes a passage states: those given, and others for which there is room, free of conflicts.

    First more of what the split asks about, until the stated attributes have their share of the weight. The share is
    the same whether or not the asked attributes are stated. For equal weights this makes the answer independent of the
    set of stated attributes; for others it comes close. Then attributes that no question asks about, until
    there are facts enough.
    """
    domain, weights, stated = asked.domain, asked.weights, given.copy()
    opponents, tables = domain.opponents, asked.tables
    # Twice the sum and twice the share: one more is stated where that brings the sum nearer to the share.
    reached = 2 * fsum([weights.get(name, 0.0) for name in given]) if given else 0.0
    share = 2 * (count / (len(domain.attributes) + 1) * asked.total)
    others = asked.weighed.copy()
    shuffle(rng, others)
    for name, weight in others:
        if reached + weight < share and not (name in opponents and clash(domain, values, name, stated)):
            stated.append(name)
            reached += 2 * weight
    # A table takes the room of two facts.
    room = count - len(stated)
    for name in tables:
        if name in stated:
            room -= 1
    rest = asked.rest.copy()
    while room > 0 and rest:
        place = below(rng, len(rest))
        name, rest[place] = rest[place], rest[-1]
        rest.pop()
        if not (name in opponents and clash(domain, values, name, stated)):
            stated.append(name)
            room -= 2 if name in tables else 1
    return stated


def _given(asked: AskedQuestion, wanted: AnswerClass, values: Values, rng: Random) -> list[str]:
    """Which of the asked attributes the passage states, with values that give an answer of the wanted class."""
    question, attributes, single = asked.question, asked.attributes, asked.single
    if single and wanted == "na":
        return []
    for _ in range(_TRIES):
        given, known = [], {}
        for name in attributes:
            if single or rng.random() < 0.5:
                given.append(name)
        for name in given:
            known[name] = values[name]
        if question.kind(known) == wanted:
            return given
        for name in asked.redrawn:
            values.pop(name, None)
    raise AssertionError(f"no passage gives {wanted!r} to {asked.question}")


def _ordered(asked: AskedQuestion, stated: list[str], rng: Random) -> list[str]:
    """Topic by topic, and years in their order; within a topic in any order."""
    shuffle(rng, stated)
    stated.sort(key=asked.domain.topic_of.__getitem__)
    for later, earlier in asked.domain.dated:
        if later in stated and earlier in stated and (at := stated.index(later)) < (base := stated.index(earlier)):
            stated[at], stated[base] = earlier, later
    return stated


def _spread(top: int, times: int, count: int) -> tuple[int, ...]:
    """This many numbers, spread as evenly as sums of so many throws from 0 to `top`."""
    # Whole numbers: sums of floats and logarithms are not the same on every machine.
    ways = {0: 1}
    for _ in range(times):
        found: dict[int, int] = {}
        for total, number in ways.items():
            for throw in range(top + 1):
                found[total + throw] = found.get(total + throw, 0) + number
        ways = found
    whole, ordered = (top + 1) ** times, sorted(ways.items())
    sums = [total for total, _ in ordered]
    reached = list(accumulate(number for _, number in ordered))
    return tuple(sums[bisect_right(reached, (2 * at + 1) * whole // (2 * count))] for at in range(count))


_WORDS_OFF = wheel([words - 18 for words in _spread(6, 6, 256)])


def _distractors(asked: AskedQuestion, shape: PassageShape, rng: Random) -> list[str]:
    """Attributes to state about another entity; half of the time one that the question is about."""
    if rng.random() >= shape.distractors:
        return []
    return [pick(rng, asked.distracting if asked.distracting and rng.random() < 0.5 else asked.plain)]
