"""The original bAbI tasks, generated natively: the story tasks (1 to 3, 5 to 13), and the others from `facts`.

Each story carries questions, asked as it goes on. Story lengths follow the released data; answers and supports come
from the reader, so the known defects of the original generator (impossible actions, receipts that are not counted,
wrong deductions from 'either') cannot occur.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Sequence
from itertools import count, islice
from math import ceil
from random import Random

from taskloom.core import BLOCK_ROWS, Blocks, Instance, KeyedRandom, Row, Task, UniformBlocks, UserError
from taskloom.core.blocks import apportion
from taskloom.core.definition import Definition
from taskloom.families.babi import kinds
from taskloom.families.babi.concepts import FACTS, ORIGINALS, FactRecord, interleave, question_type
from taskloom.families.babi.enumeration import Openings, form_space
from taskloom.families.babi.facts import FactQuestion, pick, sample
from taskloom.families.babi.instances import (
    VERSION,
    Renderer,
    SeenCells,
    ShownExample,
    instruction,
    shown_example,
    story_instance,
    story_task,
    written,
)
from taskloom.families.babi.kinds import Question
from taskloom.families.babi.reader import Reader
from taskloom.families.babi.storyteller import Noise, Storyteller
from taskloom.families.babi.support import StoryItem, answered, gift_question, stands_alone
from taskloom.families.babi.vocabulary import BABI, Vocabulary, language, words_in

_QUESTIONS = 5
_LONGEST = 250

_SLACK = 1.25
"""A few stories end before their fifth question, so a block may need a few more than one in five."""

_SURE = 20_000
"""Stories of a small task that are counted before anything is drawn."""


# -- what to ask ------------------------------------------------------------------------------------

Asker = Callable[[Reader, Vocabulary, Random], Question | None]


def where_questions(reader: Reader, types: Container[str]) -> list[Question]:
    """Every question of these types (where-person, where-object) that the reader can answer now."""
    stays = {
        "where-person": [(kinds.WHERE_P, who, stay) for who, stay in enumerate(reader.stay)],
        "where-object": [(kinds.WHERE_O, thing, path[-1][0]) for thing, path in enumerate(reader.path)],
    }
    return [
        Question(kind, number)
        for name, options in stays.items()
        if name in types
        for kind, number, stay in options
        if reader.place(stay) is not None
    ]


def _where(name: str) -> Asker:
    def ask(reader: Reader, words: Vocabulary, rng: Random) -> Question | None:
        known = where_questions(reader, (name,))
        return pick(rng, known) if known else None

    return ask


def _where_was(reader: Reader, words: Vocabulary, rng: Random) -> Question | None:
    thing = int(rng.random() * len(words.objects))
    # Recent places, so that the answer is not always long ago.
    recent = {reader.place(stay) for stay, _ in reader.path[thing][-8:]} - {None}
    for place in sample(rng, sorted(place for place in recent if place is not None), len(recent)):
        if reader.came_once(thing, place):
            return Question(kinds.WHERE_WAS, thing, place)
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
            return Question(kinds.YES_NO, who, inside[0])
        if 0.4 <= wish < 0.8 and outside:
            return Question(kinds.YES_NO, who, pick(rng, outside))
        if wish >= 0.8 and places > 0 and len(inside) > 1:
            return Question(kinds.YES_NO, who, pick(rng, inside))
    return None


def _plain_yes_no(reader: Reader, words: Vocabulary, rng: Random) -> Question | None:
    """A question answered yes or no, each as often."""
    for _ in range(10):
        question = _yes_no(reader, words, rng)
        if question is not None and reader.answer(question) != kinds.MAYBE:
            return question
    return None


def _changes(kind: int) -> Asker:
    def ask(reader: Reader, words: Vocabulary, rng: Random) -> Question | None:
        active = [who for who, changes in enumerate(reader.ledger) if changes]
        return Question(kind, pick(rng, active)) if active else None

    return ask


def _giving(reader: Reader, words: Vocabulary, rng: Random) -> Question | None:
    if not reader.gives:
        return None
    give = pick(rng, reader.gives[-2:])
    return gift_question(
        pick(rng, (kinds.WHAT_GIVE, kinds.WHAT_GIVE, kinds.GAVE_TO, kinds.GAVE, kinds.RECEIVED, kinds.WHO_GIVE)), give
    )


_ASKERS: dict[str, Asker] = {
    "where-person": _where("where-person"),
    "where-object": _where("where-object"),
    "where-was-object": _where_was,
    "give": _giving,
    "yes-no": _plain_yes_no,
    "yes-no-maybe": _yes_no,
    "counting": _changes(kinds.COUNTING),
    "list": _changes(kinds.LIST),
}


# -- stories -----------------------------------------------------------------------------------------


def task_words(number: int, vocabulary: Vocabulary, code: str) -> Vocabulary:
    """The task's own words, unless the recipe brings others, in the language of that code."""
    own = ORIGINALS[number].vocabulary
    return words_in(own, code, own) if vocabulary == BABI else words_in(vocabulary, code)


class StoryTask:
    """The stories of one story task, by number.

    Args:
        number: The task.
        words: The words it is written in.
        seed, split: What the stories are keyed by.
        where: The suite, for errors.
    """

    def __init__(self, number: int, words: Vocabulary, seed: int, split: str, where: str) -> None:
        self.record = ORIGINALS[number]
        self.name = f"task-{number}"
        self.renderer = Renderer(words)
        self._openings = Openings(self.record, self.renderer)
        self._noise = Noise(self.record.concepts)
        self._ask = _ASKERS[self.record.ask or self.record.question]
        self._random = KeyedRandom("babi", "task", number, seed, split)
        self._seed, self._split, self._where = seed, split, where

    def owned(self, rows: int) -> int:
        """How many stories a block owns for this many rows."""
        return ceil(rows / _QUESTIONS * _SLACK) + 1

    def items(self, number: int) -> Iterator[tuple[StoryItem, list[str]]]:
        """The questions of a story with its text so far. Both grow on; use them before going on."""
        record, rng = self.record, self._random.at(number)
        teller = Storyteller(rng, self._noise, *self.renderer.vocabulary.sizes)
        text: list[str] = []
        last: dict[int, int] = {}
        for beat, opening in enumerate(self._openings.numbers(self._split, number, self._seed, self._where)):
            text += self._openings.tell(opening, beat, teller, last)
        asked = 0
        while len(text) < _LONGEST:
            item = self._item(teller, rng)
            if item is not None:
                yield item, text
                asked += 1
                if asked == _QUESTIONS:
                    return
            begun = len(teller.sentences)
            for name in record.beat:
                while not (teller.tell(name) if name else teller.tell_something(1)):
                    pass
            text += self.renderer.story(teller.sentences[begun:], rng)

    def _item(self, teller: Storyteller, rng: Random) -> StoryItem | None:
        """Something to ask now, if chance wants it."""
        if self.record.chance < 1 and rng.random() >= self.record.chance:
            return None
        low, high = self.record.support
        persons, objects, _ = self.renderer.vocabulary.sizes
        for _ in range(3):
            question = self._ask(teller.reader, self.renderer.vocabulary, rng)
            item = None if question is None else answered(teller.sentences, teller.reader, question, high)
            if item is not None and low <= len(item.support) and stands_alone(item, persons, objects):
                return item
        return None

    def row(self, label: str, item: StoryItem, text: list[str], suffix: str = "") -> Row:
        """A row of the task, or of a question type injected into it."""
        return Row(f"{self.name}{suffix}", story_instance(label, self.renderer, item, text, self.record.concepts, None))

    def rows(self, first: int) -> Iterator[Row]:
        """The rows of the stories from that number on."""
        for story in count(first):
            for part, (item, text) in enumerate(self.items(story)):
                yield self.row(f"{story:06d}-{part}", item, text)

    def injected(self, first: int, per_question: float, random: KeyedRandom) -> Iterator[list[Row]]:
        """Per original question: its row and the rows of further questions after it."""
        owed = 0.0
        for story in count(first):
            rng = random.at(story)
            for part, (item, text) in enumerate(self.items(story)):
                label = f"{story:06d}-{part}"
                rows = [self.row(label, item, text)]
                if self.record.injected:
                    owed += per_question
                    further = [
                        asked for asked in where_questions(item.reader, self.record.injected) if asked != item.question
                    ]
                    rng.shuffle(further)
                    taken = sorted(further[: int(owed)])
                    owed -= len(taken)
                    for asked in taken:
                        other = answered(item.sentences, item.reader, asked)
                        assert other is not None  # only questions that can be answered are listed
                        rows.append(self.row(f"{label}-{asked.first}", other, text, f"-{question_type(asked.kind)}"))
                yield rows


def _fact_names(task: FactRecord, vocabulary: Vocabulary, code: str) -> dict[str, tuple[str, ...]]:
    """The names of a task outside the story world: its own, or the vocabulary's people and places.

    Raises:
        UserError: The vocabulary has no words for it, or too few, or the task does not exist in the language.
    """
    where = f"babi/task-{task.number}"
    if code != "en":
        raise UserError(f"task {task.number} exists in English only", where=where, hint="leave out language")
    if vocabulary == BABI:
        return task.names
    names = dict(task.names)
    given = {"p": tuple(vocabulary.persons), "l": vocabulary.places}
    used = [letter for letter in names if letter in given]
    if not used:
        raise UserError(
            f"task {task.number} has no people or places, so a vocabulary does not apply",
            where=where,
            hint="leave out vocabulary",
        )
    for letter in used:
        if len(given[letter]) < len(names[letter]):
            sort = "people" if letter == "p" else "places"
            raise UserError(
                f"task {task.number} needs {len(names[letter])} {sort}; the vocabulary has {len(given[letter])}",
                where=f"{where}: vocabulary",
            )
        names[letter] = given[letter]
    return names


class FactTask:
    """The stories of one task outside the story world, by number.

    Args:
        number: The task.
        names: The names in its stories.
        seed, split: What the stories are keyed by.
        where: The suite, for errors.
    """

    def __init__(self, number: int, names: dict[str, tuple[str, ...]], seed: int, split: str, where: str) -> None:
        self.record = FACTS[number]
        self._space = form_space(self.record, names)
        self._seed, self._split, self._where = seed, split, where

    def owned(self, rows: int) -> int:
        """How many stories a block owns for this many rows."""
        return ceil(rows / self.record.questions)

    def refuse_more_than_there_are(self, total: int) -> None:
        """A small task says at once that it cannot give that many."""
        blocks, rest = divmod(total - 1, BLOCK_ROWS)
        last = blocks * self.owned(BLOCK_ROWS) + self.owned(rest + 1) - 1
        self._space.story(self._split, min(last, _SURE), self._seed, self._where)

    def rows(self, first: int) -> Iterator[Row]:
        """The rows of the stories from that number on."""
        for story in count(first):
            statements, questions = self._space.story(self._split, story, self._seed, self._where)
            for part, asked in enumerate(questions):
                text = statements[: asked.after]
                yield Row(f"task-{self.record.number}", fact_instance(f"{story:06d}-{part}", self.record, text, asked))

    def examples(self) -> Iterator[ShownExample]:
        """The first question of each story."""
        for story in count():
            statements, (asked, *_) = self._space.story(self._split, story, self._seed, self._where)
            answer = asked.targets.canonical()
            yield ShownExample(statements[: asked.after], asked.text, answer, asked.wrong, asked.support)


def fact_instance(name: str, task: FactRecord, text: Sequence[str], asked: FactQuestion) -> Instance:
    """An instance of a task outside the story world."""
    facets = {"constructs": (task.concept,), "composition": task.concept}
    return written(name, text, asked.text, asked.targets, task.concept, asked.support, **facets)


# -- blocks ------------------------------------------------------------------------------------------


def task_blocks(
    numbers: Sequence[int], vocabulary: Vocabulary, code: str, seed: int, split: str, total: int, where: str
) -> Blocks:
    """`total` questions of original tasks, spread evenly."""
    counts = apportion(BLOCK_ROWS, [1.0] * len(numbers))
    order = [index for index, _ in interleave(counts)]
    tasks: list[StoryTask | FactTask] = []
    for number in numbers:
        if number in ORIGINALS:
            tasks.append(StoryTask(number, task_words(number, vocabulary, code), seed, split, where))
        else:
            facts = FactTask(number, _fact_names(FACTS[number], vocabulary, code), seed, split, where)
            facts.refuse_more_than_there_are(total)
            tasks.append(facts)

    def make(block: int) -> Iterator[Row]:
        streams = [task.rows(block * task.owned(size)) for task, size in zip(tasks, counts, strict=True)]
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
    active = sum(bool(ORIGINALS[number].injected) for number in numbers)
    per_question = (1 - share) * len(numbers) / max(share * active, 1e-9)
    owned = ceil(BLOCK_ROWS * share / len(numbers) / _QUESTIONS * 2 * _SLACK) + 2
    tasks = [StoryTask(number, task_words(number, vocabulary, code), seed, split, where) for number in numbers]
    randoms = [KeyedRandom("babi", "inject", number, seed, split) for number in numbers]

    def make(block: int) -> Iterator[Row]:
        streams = [
            task.injected(block * owned, per_question, random) for task, random in zip(tasks, randoms, strict=True)
        ]
        while True:
            for stream in streams:
                yield from next(stream)

    return UniformBlocks(make, total, BLOCK_ROWS, where)


def seen_in(numbers: Sequence[int], injected: bool) -> SeenCells:
    """What concat(T), or inject(T), may show of questions and compositions."""
    return SeenCells(
        (question, frozenset(ORIGINALS[number].concepts.names()))
        for number in numbers
        for question in (ORIGINALS[number].question, *(ORIGINALS[number].injected if injected else ()))
    )


# -- the tasks themselves ------------------------------------------------------------------------------


def original_task(number: int, vocabulary: Vocabulary, question: str | None = None, *, code: str = "en") -> Task:
    """An original task, or one of the question types injected into it, with examples that no split contains."""
    where = f"babi/task-{number}"
    if number in FACTS:
        return _fact_task(FactTask(number, _fact_names(FACTS[number], vocabulary, code), 0, "examples", where))
    record = ORIGINALS[number]
    words = task_words(number, vocabulary, code)
    asked = question or record.question
    stories = StoryTask(number, words, 0, "examples", where)
    shown: list[ShownExample] = []
    for story in count():
        examples = (_shown(item, text, stories.renderer, asked) for item, text in stories.items(story))
        shown += islice(filter(None, examples), 1)
        if len(shown) == 3:
            break
    name = f"task-{number}" if question is None else f"task-{number}-{question}"
    return story_task(name, asked, words, shown, record.title, code, record.concepts)


def _shown(item: StoryItem, text: list[str], renderer: Renderer, asked: str) -> ShownExample | None:
    if question_type(item.question.kind) != asked:
        options = where_questions(item.reader, (asked,))
        other = answered(item.sentences, item.reader, options[0]) if options else None
        if other is None:
            return None
        item = other
    return shown_example(renderer, item, list(text), item.support)


def _fact_task(facts: FactTask) -> Task:
    record = facts.record
    return Task(
        name=f"task-{record.number}",
        instruction=instruction(
            Definition.of(record.definition), list(islice(facts.examples(), 3)), language("en").instructions
        ),
        kind="label" if record.labels else "text",
        scorer="label" if record.labels else "exact",
        labels=record.labels,
        facets={"family": "babi", "category": record.title, "language": "en", "question": record.concept},
        version=VERSION,
    )
