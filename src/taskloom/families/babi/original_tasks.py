"""The twelve story tasks of the original bAbI set (1 to 3, 5 to 13), generated natively.

Each story carries five questions, asked as it goes on. Story lengths follow the released data; answers and
supports come from the reader, so the known defects of the original generator (impossible actions, receipts
that are not counted, wrong deductions from 'either') cannot occur.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import count
from math import ceil
from random import Random
from typing import NamedTuple

import msgspec

from taskloom.core import BLOCK_ROWS, Blocks, KeyedRandom, Row, Task, UniformBlocks, UserError
from taskloom.core.apportion import apportion
from taskloom.families.babi.concepts import ORIGINAL_RECORDS, Concepts, interleave, question_type
from taskloom.families.babi.enumeration import Openings, form_space
from taskloom.families.babi.facts import (
    FACT_WORLDS,
    FactQuestion,
    FactWorld,
    pick,
    sample,
)
from taskloom.families.babi.instances import (
    VERSION,
    Renderer,
    SeenCells,
    ShownExample,
    fact_instance,
    instruction,
    story_instance,
    story_task,
    wrong_answer,
)
from taskloom.families.babi.reader import Reader
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
from taskloom.families.babi.support import canonical_support, gift_question, lines, stands_alone
from taskloom.families.babi.vocabulary import BABI, DYNA, Vocabulary, language, words_in

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


INJECTED: dict[int, tuple[str, ...]] = {
    2: ("where-person",),
    3: ("where-object", "where-person"),
    5: ("where-object", "where-person"),
    6: ("where-person",),
    7: ("where-object", "where-person"),
    8: ("where-object", "where-person"),
    9: ("where-person",),
    10: ("where-person",),
}
"""The question types that inject adds to each original task."""


def seen_in(numbers: Sequence[int], injected: bool) -> SeenCells:
    """What concat(T), or inject(T), may show of questions and compositions."""
    return SeenCells(
        (question, frozenset(ORIGINALS[number].concepts.names()))
        for number in numbers
        for question in (ORIGINALS[number].question, *(INJECTED.get(number, ()) if injected else ()))
    )


def task_words(task: StoryTask, vocabulary: Vocabulary, code: str) -> Vocabulary:
    """The task's own words, unless the recipe brings others, in the language of that code."""
    base = task.vocabulary if vocabulary == BABI else DYNA
    return words_in(task.vocabulary if vocabulary == BABI else vocabulary, code, base)


_SLACK = 1.25
"""A few stories end before their fifth question, so a block may need a few more than one in five."""

_SURE = 20_000
"""Stories of a small task that are counted before anything is drawn."""


class _Stories:
    """The stories of one story task, by number."""

    def __init__(self, number: int, words: Vocabulary, seed: int, split: str, where: str) -> None:
        self.task = ORIGINALS[number]
        self.renderer = Renderer(words)
        self._openings = openings_of(self.task, self.renderer)
        self._random = KeyedRandom("babi", "task", number, seed, split)
        self._seed, self._split, self._where = seed, split, where

    def moments(self, story: int) -> Iterator[Moment]:
        """The questions of a story."""
        numbers = self._openings.numbers(self._split, story, self._seed, self._where)
        return moments(self.task, self.renderer, self._random.at(story), self._openings, numbers)

    def rows(self, first: int) -> Iterator[Row]:
        """The rows of the stories from that number on."""
        name = f"task-{self.task.number}"
        for story in count(first):
            for part, moment in enumerate(self.moments(story)):
                yield _instance_row(name, f"{story:06d}-{part}", self.renderer, moment, self.task.concepts)


def _instance_row(name: str, label: str, renderer: Renderer, moment: Moment, concepts: Concepts) -> Row:
    sentences, text, reader, question, answer, mask = moment
    return Row(
        name,
        story_instance(label, renderer, text, sentences, reader, question, answer, lines(mask), mask, concepts, None),
    )


def _fact_names(world: FactWorld, vocabulary: Vocabulary, code: str) -> dict[str, tuple[str, ...]]:
    """The names of a task outside the story world: its own, or the vocabulary's people and places.

    Raises:
        UserError: The vocabulary has no words for it, or too few, or the task does not exist in the language.
    """
    where = f"babi/task-{world.number}"
    if code != "en":
        raise UserError(f"task {world.number} exists in English only", where=where, hint="leave out language")
    if vocabulary == BABI:
        return world.names
    names = dict(world.names)
    given = {"p": tuple(vocabulary.persons), "l": vocabulary.places}
    used = [letter for letter in names if letter in given]
    if not used:
        raise UserError(
            f"task {world.number} has no people or places, so a vocabulary does not apply",
            where=where,
            hint="leave out vocabulary",
        )
    for letter in used:
        if len(given[letter]) < len(names[letter]):
            sort = "people" if letter == "p" else "places"
            raise UserError(
                f"task {world.number} needs {len(names[letter])} {sort}; the vocabulary has {len(given[letter])}",
                where=f"{where}: vocabulary",
            )
        names[letter] = given[letter]
    return names


def _fact_rows(
    world: FactWorld, names: dict[str, tuple[str, ...]], seed: int, split: str, first: int, where: str
) -> Iterator[Row]:
    space = form_space(world, names)
    for story in count(first):
        statements, questions = space.story(split, story, seed, where)
        for part, asked in enumerate(questions):
            text = statements[: asked.after]
            instance = fact_instance(
                f"{story:06d}-{part}", world.concept, text, asked.text, asked.targets, asked.support
            )
            yield Row(f"task-{world.number}", instance)


_LEAST_QUESTIONS = {4: 1, 14: 5, 15: 4, 16: 1, 17: 8, 18: 4, 19: 1, 20: 9}
"""How many questions a story has at least."""


def _per_block(number: int, rows: int) -> int:
    """How many story numbers a block owns for this many rows of a task."""
    if number in ORIGINALS:
        return ceil(rows / QUESTIONS_PER_STORY * _SLACK) + 1
    return ceil(rows / _LEAST_QUESTIONS[number])


def task_blocks(
    number: int, vocabulary: Vocabulary, code: str, seed: int, split: str, total: int, where: str
) -> Blocks:
    """`total` questions of one original task."""
    owned = _per_block(number, BLOCK_ROWS)
    if number in ORIGINALS:
        stories = _Stories(number, task_words(ORIGINALS[number], vocabulary, code), seed, split, where)
        return UniformBlocks(lambda block: stories.rows(block * owned), total, BLOCK_ROWS, where)
    world = FACT_WORLDS[number]
    names = _fact_names(world, vocabulary, code)
    last = (total - 1) // BLOCK_ROWS * owned + _per_block(number, (total - 1) % BLOCK_ROWS + 1) - 1
    # A small task says at once that it cannot give that many.
    form_space(world, names).story(split, min(last, _SURE), seed, where)
    return UniformBlocks(
        lambda block: _fact_rows(world, names, seed, split, block * owned, where), total, BLOCK_ROWS, where
    )


def concat_blocks(
    numbers: Sequence[int], vocabulary: Vocabulary, code: str, seed: int, split: str, total: int, where: str
) -> Blocks:
    """Original tasks side by side, spread evenly."""
    counts = apportion(BLOCK_ROWS, [1.0] * len(numbers))
    order = [index for index, _ in interleave(counts)]
    stories = [
        _Stories(number, task_words(ORIGINALS[number], vocabulary, code), seed, split, where) for number in numbers
    ]

    def make(block: int) -> Iterator[Row]:
        streams = [
            each.rows(block * _per_block(number, size))
            for each, number, size in zip(stories, numbers, counts, strict=True)
        ]
        for index in order:
            yield next(streams[index])

    return UniformBlocks(make, total, BLOCK_ROWS, where)


def inject_blocks(
    numbers: Sequence[int],
    vocabulary: Vocabulary,
    code: str,
    seed: int,
    split: str,
    total: int,
    share: float,
    where: str,
) -> Blocks:
    """Original questions, each followed by further where-person and where-object questions.

    As many further questions are asked as the share of originals needs; where a story offers more, chance decides.
    """
    active = [number for number in numbers if number in INJECTED]
    per_question = (1 - share) * len(numbers) / max(share * len(active), 1e-9)
    owned = ceil(BLOCK_ROWS * share / len(numbers) / QUESTIONS_PER_STORY * 2 * _SLACK) + 2
    stories = [
        _Stories(number, task_words(ORIGINALS[number], vocabulary, code), seed, split, where) for number in numbers
    ]
    randoms = [KeyedRandom("babi", "inject", number, seed, split) for number in numbers]

    def make(block: int) -> Iterator[Row]:
        streams = [
            _inject_stream(each, random, block * owned, per_question)
            for each, random in zip(stories, randoms, strict=True)
        ]
        while True:
            for stream in streams:
                yield from next(stream)

    return UniformBlocks(make, total, BLOCK_ROWS, where)


def _inject_stream(stories: _Stories, random: KeyedRandom, first: int, per_question: float) -> Iterator[list[Row]]:
    """Per original question: its row and the rows injected after it."""
    number, renderer = stories.task.number, stories.renderer
    types = INJECTED.get(number, ())
    owed = 0.0
    for story in count(first):
        rng = random.at(story)
        for part, moment in enumerate(stories.moments(story)):
            label = f"{story:06d}-{part}"
            rows = [_instance_row(f"task-{number}", label, renderer, moment, stories.task.concepts)]
            if types:
                owed += per_question
                persons, objects = "where-person" in types, "where-object" in types
                further = [
                    question
                    for question in where_questions(moment.reader, renderer.vocabulary, persons, objects)
                    if question != moment.question
                ]
                rng.shuffle(further)
                taken = sorted(further[: int(owed)])
                owed -= len(taken)
                rows += [_injected(number, label, renderer, moment, question) for question in taken]
            yield rows


def _injected(number: int, label: str, renderer: Renderer, moment: Moment, question: Question) -> Row:
    mask = canonical_support(moment.reader, question)
    answer = moment.reader.answer(question)
    if mask is None or answer is None:
        raise AssertionError("only questions that can be answered are injected")
    kind = question_type(question.kind)
    again = moment._replace(question=question, answer=answer, support=mask)
    return _instance_row(
        f"task-{number}-{kind}", f"{label}-{question.first}", renderer, again, ORIGINALS[number].concepts
    )


# -- the tasks themselves ------------------------------------------------------------------------------


def original_task(number: int, vocabulary: Vocabulary, question: str | None = None, *, code: str = "en") -> Task:
    """An original task, or one of the question types injected into it, with examples that no split contains."""
    if number not in ORIGINALS:
        return _fact_task(FACT_WORLDS[number], _fact_names(FACT_WORLDS[number], vocabulary, code))
    task = ORIGINALS[number]
    words = task_words(task, vocabulary, code)
    asked = question or task.question
    stories = _Stories(number, words, 0, "examples", f"babi/task-{number}")
    shown: list[ShownExample] = []
    for story in count():
        for moment in stories.moments(story):
            example = _shown(moment, stories.renderer, asked)
            if example is not None:
                shown.append(example)
                break
        if len(shown) == 3:
            break
    name = f"task-{number}" if question is None else f"task-{number}-{question}"
    return story_task(name, asked, words, shown, task.title, code, task.concepts)


def _shown(moment: Moment, renderer: Renderer, asked: str) -> ShownExample | None:
    question, answer, mask = moment.question, moment.answer, moment.support
    if question_type(question.kind) != asked:
        options = list(
            where_questions(moment.reader, renderer.vocabulary, asked == "where-person", asked == "where-object")
        )
        if not options:
            return None
        question = options[0]
        found, support = moment.reader.answer(question), canonical_support(moment.reader, question)
        if found is None or support is None:
            return None
        answer, mask = found, support
    said = renderer.answer(question, answer)
    wrong = wrong_answer(renderer, question, answer)
    return ShownExample(list(moment.text), renderer.question(question), said, wrong, lines(mask))


def _fact_task(world: FactWorld, names: dict[str, tuple[str, ...]]) -> Task:
    space = form_space(world, names)
    shown: list[ShownExample] = []
    for story in range(3):
        statements, questions = space.story("examples", story, 0, f"babi/task-{world.number}")
        asked: FactQuestion = questions[0]
        answer = asked.targets.canonical()
        shown.append(ShownExample(statements[: asked.after], asked.text, answer, asked.wrong, asked.support))
    return Task(
        name=f"task-{world.number}",
        instruction=instruction(world.definition, shown, language("en").instructions),
        kind="label" if world.labels else "text",
        scorer="label" if world.labels else "exact",
        labels=world.labels,
        facets={"family": "babi", "category": world.title, "language": "en", "question": world.concept},
        version=VERSION,
    )
