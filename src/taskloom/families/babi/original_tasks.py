"""The twelve story tasks of the original bAbI set (1 to 3, 5 to 13), generated natively.

Each story carries five questions, asked as it goes on. Story lengths follow the released data; answers and
supports come from the reader, so the known defects of the original generator (impossible actions, receipts
that are not counted, wrong deductions from 'either') cannot occur.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from random import Random
from typing import NamedTuple

import msgspec

from taskloom.families.babi.checks import gift_question, stands_alone
from taskloom.families.babi.concepts import Concepts
from taskloom.families.babi.enumeration import Openings
from taskloom.families.babi.facts import pick, sample
from taskloom.families.babi.reader import Reader
from taskloom.families.babi.render import Renderer
from taskloom.families.babi.splits import ORIGINAL_RECORDS
from taskloom.families.babi.story import (
    AFFIRM,
    COUNTING,
    GAVE,
    GAVE_TO,
    GRAB,
    INDEF,
    LIST,
    MAYBE,
    MOVE,
    NEGATE,
    RECEIVED,
    WHAT_GIVE,
    WHERE_O,
    WHERE_P,
    WHERE_WAS,
    WHO_GIVE,
    YES_NO,
    Answer,
    Question,
    Sentence,
)
from taskloom.families.babi.storyteller import Noise, Storyteller
from taskloom.families.babi.support import canonical_support, lines
from taskloom.families.babi.vocabulary import BABI, Vocabulary

__all__ = ["ORIGINALS", "QUESTIONS_PER_STORY", "Moment", "StoryTask", "moments", "openings_of", "where_questions"]

QUESTIONS_PER_STORY = 5
LONGEST = 250


class Moment(NamedTuple):
    """A point of a story at which something is asked. The lists grow on; use them before going on."""

    sentences: list[Sentence]
    text: list[str]
    reader: Reader
    question: Question
    answer: Answer
    support: int


Asker = Callable[[Reader, Vocabulary, Random], Question | None]


class StoryTask(NamedTuple):
    """How the stories of one original task go.

    Attributes:
        number: Its bAbI number.
        title: One line for lists.
        concepts: What its stories are made of.
        question: Its question type.
        vocabulary: Its words.
        beat: The actions that happen between two chances to ask: names, or "" for any action.
        ask: Finds something to ask.
        chance: How likely a chance to ask is used.
        support: Least and greatest support size.
    """

    number: int
    title: str
    concepts: Concepts
    question: str
    vocabulary: Vocabulary
    beat: tuple[str, ...]
    ask: Asker
    chance: float
    support: tuple[int, int]


# -- what to ask ------------------------------------------------------------------------------------


def _where_person(reader: Reader, words: Vocabulary, rng: Random) -> Question | None:
    known = [who for who in range(len(words.persons)) if reader.place(reader.stay[who]) is not None]
    return Question(WHERE_P, pick(rng, known)) if known else None


def _where_object(reader: Reader, words: Vocabulary, rng: Random) -> Question | None:
    known = [thing for thing, path in enumerate(reader.path) if reader.place(path[-1][0]) is not None]
    return Question(WHERE_O, pick(rng, known)) if known else None


def _where_was(reader: Reader, words: Vocabulary, rng: Random) -> Question | None:
    thing = int(rng.random() * len(words.objects))
    # Recent places, so that the answer is not always long ago.
    recent = {reader.place(stay) for stay, _ in reader.path[thing][-8:]} - {None}
    for place in sample(rng, sorted(place for place in recent if place is not None), len(recent)):
        if reader.came_once(thing, place):
            return Question(WHERE_WAS, thing, place)
    return None


def _yes_no(reader: Reader, words: Vocabulary, rng: Random) -> Question | None:
    located = [who for who in range(len(words.persons)) if reader.own_label[reader.stay[who]]]
    if not located:
        return None
    wish = rng.random()
    for who in sample(rng, located, len(located)):
        places = reader.person_places(who)
        inside = [place for place in range(len(words.places)) if places >> place & 1]
        outside = [place for place in range(len(words.places)) if not places >> place & 1]
        if len(inside) == 1 and wish < 0.4:
            return Question(YES_NO, who, inside[0])
        if 0.4 <= wish < 0.8 and outside:
            return Question(YES_NO, who, pick(rng, outside))
        if wish >= 0.8 and places > 0 and len(inside) > 1:
            return Question(YES_NO, who, pick(rng, inside))
    return None


def _plain_yes_no(reader: Reader, words: Vocabulary, rng: Random) -> Question | None:
    """A question answered yes or no, each as often."""
    for _ in range(10):
        question = _yes_no(reader, words, rng)
        if question is not None and reader.answer(question) != MAYBE:
            return question
    return None


def _changes(kind: int) -> Asker:
    def ask(reader: Reader, words: Vocabulary, rng: Random) -> Question | None:
        active = [who for who in range(len(words.persons)) if reader.ledger[who]]
        return Question(kind, pick(rng, active)) if active else None

    return ask


def _giving(reader: Reader, words: Vocabulary, rng: Random) -> Question | None:
    if not reader.gives:
        return None
    give = pick(rng, reader.gives[-2:])
    return gift_question(pick(rng, (WHAT_GIVE, WHAT_GIVE, GAVE_TO, GAVE, RECEIVED, WHO_GIVE)), give)


def where_questions(reader: Reader, words: Vocabulary, persons: bool, objects: bool) -> Iterator[Question]:
    """Every where-person and where-object question that the reader can answer now."""
    if persons:
        for who in range(len(words.persons)):
            if reader.place(reader.stay[who]) is not None:
                yield Question(WHERE_P, who)
    if objects:
        for thing, path in enumerate(reader.path):
            if reader.place(path[-1][0]) is not None:
                yield Question(WHERE_O, thing)


# -- the tasks --------------------------------------------------------------------------------------

_ASKERS: dict[str, Asker] = {
    "where-person": _where_person,
    "where-object": _where_object,
    "where-was-object": _where_was,
    "give": _giving,
    "yes-no": _plain_yes_no,
    "yes-no-maybe": _yes_no,
    "counting": _changes(COUNTING),
    "list": _changes(LIST),
}

ORIGINALS: dict[int, StoryTask] = {
    number: StoryTask(
        number,
        record.title,
        record.concepts,
        record.question,
        msgspec.convert({"persons": BABI.persons, "places": BABI.places, **record.vocabulary}, Vocabulary),
        record.beat,
        _ASKERS[record.ask or record.question],
        record.chance,
        record.support,
    )
    for number, record in ORIGINAL_RECORDS.items()
}
"""The tasks by number; their records stand in `tasks.toml`."""


def moments(
    task: StoryTask, renderer: Renderer, rng: Random, openings: Openings, numbers: Sequence[int]
) -> Iterator[Moment]:
    """The questions of one story, in order.

    Args:
        task: The task.
        renderer: The words it is written in.
        rng: Where chance comes from.
        openings: The beginnings of the task's stories.
        numbers: The beats that this story begins with.
    """
    words = renderer.vocabulary
    sizes = (len(words.persons), len(words.objects), len(words.places))
    story = Storyteller(rng, noise_of(task.number), *sizes)
    text: list[str] = []
    last: dict[int, int] = {}
    for beat, number in enumerate(numbers):
        text += openings.tell(number, beat, story, last)
    asked = 0
    while len(text) < LONGEST:
        moment = _ask(task, words, story, text, rng)
        if moment is not None:
            yield moment
            asked += 1
            if asked == QUESTIONS_PER_STORY:
                return
        _beat(task, story, renderer, text)


def openings_of(task: StoryTask, renderer: Renderer) -> Openings:
    """The beginnings of a task's stories."""
    kinds = [MOVE]
    if task.concepts.has("negate"):
        kinds += [AFFIRM, NEGATE] if task.concepts.affirm < 1 else [AFFIRM]
    if task.concepts.has("indef"):
        kinds.append(INDEF)
    if task.concepts.has("grab") and len(renderer.vocabulary.objects) > 1:
        kinds.append(GRAB)
    return Openings(task.number, task.beat, kinds, renderer)


def _beat(task: StoryTask, story: Storyteller, renderer: Renderer, text: list[str]) -> None:
    """Tell a little more."""
    begun = len(story.sentences)
    for name in task.beat:
        while not (story.tell(name) if name else story.tell_something(1)):
            pass
    text += renderer.story(story.sentences[begun:], story.rng)


@cache
def noise_of(number: int) -> Noise:
    """The random sentences of a task."""
    return Noise(ORIGINALS[number].concepts)


def _ask(task: StoryTask, words: Vocabulary, story: Storyteller, text: list[str], rng: Random) -> Moment | None:
    if task.chance < 1 and rng.random() >= task.chance:
        return None
    low, high = task.support
    reader = story.reader
    for _ in range(3):
        question = task.ask(reader, words, rng)
        if question is None:
            continue
        answer = reader.answer(question)
        support = canonical_support(reader, question, high)
        if answer is None or support is None or not low <= support.bit_count() <= high:
            continue
        if stands_alone(story.sentences, lines(support), question, answer, len(words.persons), len(words.objects)):
            return Moment(story.sentences, text, reader, question, answer, support)
    return None
