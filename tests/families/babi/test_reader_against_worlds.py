"""The judge: a slow, obviously right enumeration of possible worlds. It shares no code with the reader.

A world gives every unknown (where a person is during a stay, where an object is during a stretch) one of
three places or 'elsewhere'. Every sentence is a test a world passes or fails. The answer is what all worlds
that pass every test agree on; a set of sentences supports it if all worlds that pass the tests of *that set*
agree on it.
"""

from functools import cache
from itertools import combinations
from random import Random

import numpy as np
import pytest

from taskloom.families.babi.kinds import (
    AFFIRM,
    CONJ,
    COUNTING,
    DROP,
    GAVE,
    GAVE_TO,
    GIVE,
    GRAB,
    INDEF,
    LEFT,
    LIST,
    MAYBE,
    MOVE,
    NEGATE,
    NO,
    RECEIVED,
    WHAT_GIVE,
    WHERE_O,
    WHERE_P,
    WHERE_WAS,
    WHO_GIVE,
    YES,
    YES_NO,
    Question,
    Sentence,
)
from taskloom.families.babi.reader import Reader
from taskloom.families.babi.support import all_supports, canonical_support, lines

PERSONS, OBJECTS, PLACES = 3, 2, 3
MOST_WORLDS = 4**8  # that are looked at one by one; more would take too long


class TooManyWorldsError(Exception):
    """The question hangs together with too many unknowns to look at every world."""


@cache
def every_world(unknowns: int, places: int):
    return np.indices((places,) * unknowns, dtype=np.int8).reshape(unknowns, -1)


def random_story(rng: Random, length: int) -> list[Sentence]:
    """A random true story: the world is simulated, so the text never contradicts itself."""
    at = [rng.randrange(PLACES + 1) for _ in range(PERSONS)]
    lies = [rng.randrange(PLACES + 1) for _ in range(OBJECTS)]
    holder = [None] * OBJECTS
    sentences: list[Sentence] = []
    while len(sentences) < length:
        kind = rng.choice(
            [MOVE, AFFIRM, NEGATE, LEFT, INDEF, CONJ, GRAB, GRAB, GRAB, DROP, DROP, DROP, GIVE, GIVE, GIVE]
        )
        who, other = rng.sample(range(PERSONS), 2)
        thing = rng.randrange(OBJECTS)
        place, place2 = rng.sample(range(PLACES), 2)
        last = sentences[-1] if sentences else None
        follows = last is not None and last.kind != CONJ and last.first == who and rng.random() < 0.5
        if kind == AFFIRM or (kind == MOVE and at[who] != place):
            at[who] = place
            sentences.append(Sentence(kind, who, place, -1, follows))
        elif kind == NEGATE or (kind == LEFT and at[who] == place):
            at[who] = rng.choice([p for p in range(PLACES + 1) if p != place])
            sentences.append(Sentence(kind, who, place, -1, follows))
        elif kind == INDEF:
            at[who] = rng.choice([place, place2])
            sentences.append(Sentence(INDEF, who, place, place2, follows))
        elif kind == CONJ and place not in (at[who], at[other]):
            at[who] = at[other] = place
            again = last is not None and last.kind == CONJ and {who, other} == {last.first, last.second}
            sentences.append(Sentence(CONJ, who, other, place, again))
        elif kind == GRAB and holder[thing] is None:
            if lies[thing] != at[who] and not any(thing == s.second for s in sentences if s.kind in (GRAB, DROP, GIVE)):
                lies[thing] = at[who]  # never mentioned before: it may lie anywhere
            if lies[thing] == at[who]:
                holder[thing] = who
                sentences.append(Sentence(GRAB, who, thing, -1, follows))
        elif kind == DROP and holder[thing] is not None:
            owner = holder[thing]
            holder[thing], lies[thing] = None, at[owner]
            follows = last is not None and last.kind != CONJ and last.first == owner and rng.random() < 0.5
            sentences.append(Sentence(DROP, owner, thing, -1, follows))
        elif kind == GIVE and holder[thing] not in (None, other) and at[holder[thing]] == at[other]:
            sentences.append(Sentence(GIVE, holder[thing], thing, other, False))
            holder[thing] = other
    return sentences


class Judge:
    """Unknowns, the tests of each sentence, and the worlds."""

    def __init__(self, story, persons=PERSONS, objects=OBJECTS, places=PLACES):
        self.story = story
        self.places = places
        self.count = 0
        self.tests = [[] for _ in story]  # per sentence: functions of a table of worlds
        self.person = [self.unknown() for _ in range(persons)]
        self.thing = [[self.unknown()] for _ in range(objects)]
        self.links = []
        holder, since = [None] * objects, [None] * objects
        for n, (kind, a, b, c, _, _) in enumerate(story):
            if kind in (MOVE, AFFIRM, NEGATE, LEFT, INDEF, CONJ):
                places = {c} if kind == CONJ else {b, c} if kind == INDEF else {b}
                others = {*range(self.places + 1)} - places
                for who in (a, b) if kind == CONJ else (a,):
                    if kind in (MOVE, CONJ):  # who moves there was not there
                        self.require_in(n, self.person[who], others)
                    if kind == LEFT:  # who is no longer there was there
                        self.require_in(n, self.person[who], places)
                if kind in (NEGATE, LEFT):
                    places = others
                for who in (a, b) if kind == CONJ else (a,):
                    self.person[who] = self.unknown()
                    self.require_in(n, self.person[who], places)
                    for thing in range(objects):
                        if holder[thing] == who:
                            self.thing[thing].append(self.unknown())
                            self.require_same(since[thing], self.thing[thing][-1], self.person[who])
                continue
            before = self.thing[b][-1]
            after = self.unknown()
            self.thing[b].append(after)
            self.require_same(n, before, self.person[a])
            self.require_same(n, after, self.person[c] if kind == GIVE else self.person[a])
            if kind == GIVE:
                self.require_same(n, self.person[a], self.person[c])
            holder[b] = {GRAB: a, DROP: None, GIVE: c}[kind]
            since[b] = n

    def unknown(self):
        self.count += 1
        return self.count - 1

    def require_in(self, n, unknown, places):
        allowed = np.array([place in places for place in range(self.places + 1)])
        self.tests[n].append(((unknown,), lambda column, u=unknown: allowed[column[u]]))

    def require_same(self, n, one, other):
        self.links.append((one, other))
        self.tests[n].append(((one, other), lambda column, a=one, b=other: column[a] == column[b]))

    def worlds(self, asked):
        """All worlds over the unknowns that hang together with the asked ones, and which sentences each fails.

        Unknowns that nothing ties to the question cannot bear on it, so they are left out.
        """
        wanted, grown = set(asked), True
        while grown:
            more = {u for link in self.links for u in link if wanted & set(link)}
            grown = not more <= wanted
            wanted |= more
        names = sorted(wanted)
        if (self.places + 1) ** len(names) > MOST_WORLDS:
            raise TooManyWorldsError
        table = every_world(len(names), self.places + 1)
        column = dict(zip(names, table, strict=True))
        fails = np.zeros(table.shape[1], dtype=np.uint32)
        for n, tests in enumerate(self.tests):
            for unknowns, passes in tests:
                if wanted.issuperset(unknowns):
                    fails |= (~passes(column)).astype(np.uint32) << np.uint32(n)
        return column, fails

    def readable(self, chosen):
        """The sentences of a set that can be understood: a pronoun needs the sentence before it."""
        ok = set()
        for n in sorted(chosen):
            if not self.story[n].pronoun or n == 0 or n - 1 in ok:
                ok.add(n)
        return sum(1 << n for n in ok)

    def minimal_sets(self, fails, holds):
        """Every minimal set of sentences whose worlds all satisfy `holds`."""
        against = np.unique(fails[~holds]).tolist()
        relevant = [n for n in range(len(self.story)) if any(mask >> n & 1 for mask in against)]
        needed = {n - k for n in relevant for k in range(n + 1) if all(self.story[n - j].pronoun for j in range(k))}
        found = []
        for size in range(len(needed) + 1):
            for chosen in combinations(sorted(needed), size):
                if any(set(smaller) <= set(chosen) for smaller in found):
                    continue
                read = self.readable(chosen)
                if all(mask & read for mask in against):
                    found.append(chosen)
        return found

    def judge(self, question):
        """(answer or None, minimal supports)."""
        kind, a, b = question
        if kind in (WHERE_P, WHERE_O, YES_NO):
            unknown = self.thing[a][-1] if kind == WHERE_O else self.person[a]
            column, fails = self.worlds([unknown])
            places = set(np.unique(column[unknown][fails == 0]).tolist())
            if kind == YES_NO:
                answer = YES if places == {b} else MAYBE if b in places else NO
                allowed = {b} if answer == YES else places if answer == MAYBE else {*range(self.places + 1)} - {b}
            else:
                if len(places) > 1 or places == {self.places}:
                    return None, []
                answer, allowed = min(places), places
            return answer, self.minimal_sets(fails, np.isin(column[unknown], sorted(allowed)))
        if kind == WHERE_WAS:
            return self.judge_before(a, b)
        if kind in (LIST, COUNTING):
            return self.judge_hands(kind, a)
        fits = {
            GAVE_TO: lambda p, o, q: (o, q) == (a, b),
            GAVE: lambda p, o, q: o == a,
            RECEIVED: lambda p, o, q: o == a,
            WHO_GIVE: lambda p, o, q: (p, o) == (a, b),
            WHAT_GIVE: lambda p, o, q: (p, q) == (a, b),
        }[kind]
        gives = [n for n, s in enumerate(self.story) if s.kind == GIVE and fits(s.first, s.second, s.third)]
        if not gives:
            return None, []
        last = self.story[gives[-1]]
        said = {GAVE_TO: last.first, GAVE: last.first, RECEIVED: last.third, WHO_GIVE: last.third}
        return said.get(kind, last.second), [(gives[-1],)]

    def judge_before(self, thing, place):
        path = self.thing[thing]
        column, fails = self.worlds(path)
        possible = fails == 0
        size = len(fails)
        slot, origin = np.full(size, -1), np.full(size, self.places)
        for i in range(1, len(path)):
            arrives = (column[path[i]] == place) & (column[path[i - 1]] != place)
            slot[arrives], origin[arrives] = i, column[path[i - 1]][arrives]
        answers, moments = (set(np.unique(each[possible]).tolist()) for each in (origin, slot))
        if len(answers) > 1 or self.places in answers or len(moments) > 1:
            return None, []
        answer, when = answers.pop(), moments.pop()
        came = (column[path[when]] == place) & (column[path[when - 1]] == answer)
        return answer, self.minimal_sets(fails, came)

    def judge_hands(self, kind, who):
        hands, changes = set(), set()
        for n, (event, a, b, c, _, _) in enumerate(self.story):
            if event in (GRAB, DROP, GIVE) and who in (a, c if event == GIVE else a):
                changes |= {n - k for k in range(n + 1) if all(self.story[n - j].pronoun for j in range(k))}
                if event == GRAB or (event == GIVE and c == who):
                    hands.add(b)
                else:
                    hands.discard(b)
        return (len(hands) if kind == COUNTING else tuple(sorted(hands))), [tuple(sorted(changes))]


def questions():
    for p in range(PERSONS):
        yield from (Question(WHERE_P, p), Question(LIST, p), Question(COUNTING, p))
        yield from (Question(YES_NO, p, place) for place in range(PLACES))
        yield from (Question(WHO_GIVE, p, o) for o in range(OBJECTS))
        yield from (Question(WHAT_GIVE, p, q) for q in range(PERSONS) if q != p)
    for o in range(OBJECTS):
        yield from (Question(WHERE_O, o), Question(GAVE, o), Question(RECEIVED, o))
        yield from (Question(WHERE_WAS, o, place) for place in range(PLACES))
        yield from (Question(GAVE_TO, o, q) for q in range(PERSONS))


ALL_QUESTIONS = list(questions())


def agree(story, asked):
    reader = Reader.of(story, PERSONS, OBJECTS)
    assert not reader.conflicts, story
    judge = Judge(story)
    checked = 0
    for question in asked:
        try:
            answer, sets = judge.judge(question)
        except TooManyWorldsError:
            continue
        checked += 1
        assert reader.answer(question) == answer, (story, question)
        supports = [lines(mask) for mask in all_supports(reader, question)]
        assert sorted(supports) == sorted(sets), (story, question, answer)
        best = canonical_support(reader, question)
        if answer is None:
            assert best is None
        else:
            assert lines(best) == min(sets, key=lambda s: (len(s), s[::-1])), (story, question)
    return checked


@pytest.mark.slow
@pytest.mark.parametrize(
    ("part", "stories"), [(0, 2400), *(pytest.param(part, 6000, marks=pytest.mark.proof) for part in range(4))]
)
def test_reader_agrees_with_every_possible_world(part, stories):
    """Random stories over all constructs, 24,000 as a proof; answers and all supports, a few questions of each."""
    rng = Random(f"worlds {part}")
    lengths = [1, 2, 3, 4, 5, 5, 6, 6, 7, 8]
    compared = [agree(random_story(rng, rng.choice(lengths)), rng.sample(ALL_QUESTIONS, 6)) for _ in range(stories)]
    assert sum(map(bool, compared)) >= stories * 5 // 6, "most stories have possible worlds, so most were compared"


def test_reader_agrees_on_every_question_of_a_story():
    rng = Random("all questions")
    checked = [agree(random_story(rng, rng.randrange(1, 7)), ALL_QUESTIONS) for _ in range(300)]
    assert sum(map(bool, checked)) > 250, "most stories have possible worlds, so most must have been compared"


def abridged(sentences, support, question, answer):
    """The supporting sentences alone, persons, objects and places numbered anew so that worlds stay few."""
    numbers = {"person": {}, "object": {}, "place": {}}

    def number(sort, value):
        return numbers[sort].setdefault(value, len(numbers[sort])) if value >= 0 else -1

    sorts = {GRAB: ("person", "object"), DROP: ("person", "object"), GIVE: ("person", "object", "person")}
    asked = {
        WHERE_P: ("person",),
        WHERE_O: ("object",),
        WHERE_WAS: ("object", "place"),
        YES_NO: ("person", "place"),
        LIST: ("person",),
        COUNTING: ("person",),
    }[question.kind]
    story = []
    for line in support:
        kind, *arguments, pronoun, _ = sentences[line]
        fields = ("person", "person", "place") if kind == CONJ else sorts.get(kind, ("person", "place", "place"))
        fields = (*fields, "person")[:3]
        story.append(Sentence(kind, *(number(f, v) for f, v in zip(fields, arguments, strict=True)), pronoun))
    put = Question(question.kind, *(number(sort, v) for sort, v in zip(asked, question[1:], strict=False)))
    if question.kind in (WHERE_P, WHERE_O, WHERE_WAS):
        answer = number("place", answer)
    if question.kind == LIST:
        answer = tuple(sorted(number("object", thing) for thing in answer))
    sizes = [max(1, len(numbers[sort])) for sort in ("person", "object", "place")]
    return story, put, answer, sizes


def test_generated_supports_entail_their_answer_alone_and_nothing_in_them_can_be_spared():
    """Items of mix(T12), judged on their supporting sentences alone; supports of three to seven sentences included."""
    from taskloom.core.blocks import apportion
    from taskloom.families.babi.cells import CellSet, CellSource
    from taskloom.families.babi.concepts import MIX, interleave

    cells = MIX["t12"]
    source = CellSource(CellSet(cells, ("judged",), "test"), "test")
    judged = set()
    for index, number in interleave(apportion(300, [cell.share for cell in cells])):
        item, _ = source.item(index, number)
        story, question, answer, sizes = abridged(item.sentences, item.support, item.question, item.answer)
        try:
            found, sets = Judge(story, *sizes).judge(question)
        except TooManyWorldsError:
            continue
        assert found == answer, (story, question)
        assert sets == [tuple(range(len(story)))], (story, question, sets)
        judged.add((item.question.kind, len(story)))
    assert len(judged) > 15
