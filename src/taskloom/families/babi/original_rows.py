"""Rows of the twenty original tasks, their concatenation, and the injected questions.

Splits never overlap, whatever the seed, and no two stories of a split are alike: `spaces` gives each story its
beginning.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import count
from math import ceil

from taskloom.core import BLOCK_ROWS, Blocks, KeyedRandom, Row, Task, UniformBlocks, UserError
from taskloom.core.apportion import apportion
from taskloom.families.babi.concepts import Concepts, question_type
from taskloom.families.babi.describe import VERSION, ShownExample, instruction, story_task, wrong_answer
from taskloom.families.babi.enumeration import form_space
from taskloom.families.babi.facts import FactQuestion, FactWorld
from taskloom.families.babi.instances import SeenCells, fact_instance, story_instance
from taskloom.families.babi.languages import language, words_in
from taskloom.families.babi.original_tasks import (
    ORIGINALS,
    QUESTIONS_PER_STORY,
    Moment,
    StoryTask,
    moments,
    openings_of,
    where_questions,
)
from taskloom.families.babi.relations import PATHS, POSITIONS, RELATIONS, SIZES
from taskloom.families.babi.render import Renderer
from taskloom.families.babi.rules import DEDUCTION, INDUCTION, MOTIVATIONS, TIME
from taskloom.families.babi.splits import interleave
from taskloom.families.babi.story import Question
from taskloom.families.babi.support import canonical_support, lines
from taskloom.families.babi.vocabulary import BABI, DYNA, Vocabulary

__all__ = [
    "FACT_WORLDS",
    "INJECTED",
    "concat_blocks",
    "inject_blocks",
    "original_task",
    "seen_in",
    "task_blocks",
    "task_words",
]

FACT_WORLDS: dict[int, FactWorld] = {
    world.number: world for world in (RELATIONS, TIME, DEDUCTION, INDUCTION, POSITIONS, SIZES, PATHS, MOTIVATIONS)
}

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
