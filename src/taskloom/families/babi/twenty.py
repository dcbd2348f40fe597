"""Rows of the twenty original tasks, their concatenation, and the injected questions.

Splits never overlap, whatever the seed: the beginning of a story decides which split it may appear in.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from hashlib import blake2b

from taskloom.core import AnyOf, Key, KeyedRandom, Row, Task
from taskloom.families.babi.concepts import Concepts, question_type
from taskloom.families.babi.describe import Shown, instruction, story_task, wrong_answer
from taskloom.families.babi.facts import FactQuestion, FactWorld
from taskloom.families.babi.instances import Seen, fact_instance, story_instance
from taskloom.families.babi.originals import ORIGINALS, Moment, StoryTask, moments, where_questions
from taskloom.families.babi.relations import PATHS, POSITIONS, RELATIONS, SIZES
from taskloom.families.babi.render import Renderer
from taskloom.families.babi.rules import DEDUCTION, INDUCTION, MOTIVATIONS, TIME
from taskloom.families.babi.sampler import StarvedError
from taskloom.families.babi.splits import allocate, interleave
from taskloom.families.babi.story import Question
from taskloom.families.babi.support import canonical_support, lines
from taskloom.families.babi.vocabulary import BABI, Vocabulary

__all__ = ["FACT_WORLDS", "INJECTED", "concat_rows", "inject_rows", "seen_in", "task_rows", "twenty_task"]

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


def seen_in(numbers: Sequence[int], injected: bool) -> Seen:
    """What concat(T), or inject(T), may show of questions and compositions."""
    return Seen(
        (question, frozenset(ORIGINALS[number].concepts.names()))
        for number in numbers
        for question in (ORIGINALS[number].question, *(INJECTED.get(number, ()) if injected else ()))
    )


# Shares of all story beginnings; the last one is kept for the examples of instructions.
_SIDES = (("train", 0.78), ("dev", 0.10), ("test", 0.10), ("examples", 0.02))
_PATIENCE = 20_000


def _side(beginning: str) -> str:
    """The split that stories with this beginning belong to."""
    number = int.from_bytes(blake2b(beginning.encode(), digest_size=6).digest(), "big") / (1 << 48)
    for name, share in _SIDES:
        number -= share
        if number < 0:
            return name
    return _SIDES[-1][0]


def _beginnings(split: str, patience: int | None, where: str) -> Callable[[str], bool]:
    """A test for beginnings: of this split, and not used before.

    A beginning that was used before is taken again after `patience` refusals in a row, if that is given.
    """
    used: set[int] = set()
    refused = repeated = 0

    def accept(text: str) -> bool:
        nonlocal refused, repeated
        refused += 1
        if refused > _PATIENCE:
            raise StarvedError(
                f"{split} seems to have no more than {len(used):,} different stories",
                where=where,
                hint="ask for fewer questions, or enlarge the vocabulary",
            )
        if _side(text) != split:
            return False
        mark = _mark(text)
        if mark in used:
            repeated += 1
            if patience is None or repeated < patience:
                return False
        refused = repeated = 0
        used.add(mark)
        return True

    return accept


def _mark(text: str) -> int:
    """Eight bytes of a text, the same in every process."""
    return int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), "big")


def _words(task: StoryTask, vocabulary: Vocabulary) -> Vocabulary:
    """The task's own words, unless the recipe brings others."""
    return task.vocabulary if vocabulary == BABI else vocabulary


def _stories(
    task: StoryTask, renderer: Renderer, key: tuple[Key, ...], split: str, where: str
) -> Iterator[Iterator[Moment]]:
    random = KeyedRandom("babi", "task", task.number, *key, split)
    # A story may begin like another after fifty tries: it will go on differently.
    accept = _beginnings(split, 50, where)
    number = 0
    while True:
        yield moments(task, renderer, random.at(number), accept)
        number += 1


def _instance_row(name: str, label: str, renderer: Renderer, moment: Moment, concepts: Concepts) -> Row:
    sentences, text, reader, question, answer, mask = moment
    return Row(
        name,
        story_instance(label, renderer, text, sentences, reader, question, answer, lines(mask), mask, concepts, None),
    )


def _story_rows(
    number: int, vocabulary: Vocabulary, key: tuple[Key, ...], split: str, total: int, where: str
) -> Iterator[Row]:
    task = ORIGINALS[number]
    renderer = Renderer(_words(task, vocabulary))
    count = 0
    for index, story in enumerate(_stories(task, renderer, key, split, where)):
        for part, moment in enumerate(story):
            if count == total:
                return
            yield _instance_row(f"task-{number}", f"{index:05d}-{part}", renderer, moment, task.concepts)
            count += 1
        if count == total:
            return


def _fact_rows(number: int, key: tuple[Key, ...], split: str, total: int, where: str) -> Iterator[Row]:
    world = FACT_WORLDS[number]
    random = KeyedRandom("babi", "task", number, *key, split)
    accept = _beginnings(split, None, where)
    count = index = tries = 0
    while count < total:
        rng = random.at(index, tries)
        statements, questions = world.draw(rng, False)
        beginning = "\n".join(statements[: questions[0].after])
        # One question a story: the question is part of what must be new.
        if not accept(f"{beginning}\n{questions[0].text}" if len(questions) == 1 else beginning):
            tries += 1
            continue
        for part, asked in enumerate(questions[: total - count]):
            text = statements[: asked.after]
            label = f"{index:05d}-{part}"
            yield Row(
                f"task-{number}",
                fact_instance(label, world.concept, text, asked.text, asked.targets, asked.support),
            )
            count += 1
        index += 1
        tries = 0


def task_rows(
    number: int, vocabulary: Vocabulary, key: tuple[Key, ...], split: str, total: int, where: str
) -> Iterator[Row]:
    """`total` questions of one original task."""
    if total <= 0:
        return iter(())
    if number in ORIGINALS:
        return _story_rows(number, vocabulary, key, split, total, where)
    return _fact_rows(number, key, split, total, where)


def concat_rows(
    numbers: Sequence[int], vocabulary: Vocabulary, key: tuple[Key, ...], split: str, total: int, where: str
) -> Iterator[Row]:
    """Original tasks side by side, spread evenly."""
    counts = allocate(total, [1.0] * len(numbers))
    streams = [
        task_rows(number, vocabulary, key, split, count, where) for number, count in zip(numbers, counts, strict=True)
    ]
    for index, _ in interleave(counts):
        yield next(streams[index])


def inject_rows(
    numbers: Sequence[int],
    vocabulary: Vocabulary,
    key: tuple[Key, ...],
    split: str,
    total: int,
    originals: int,
    where: str,
) -> Iterator[Row]:
    """Original questions, each followed by further where-person and where-object questions.

    As many further questions are asked as the total needs; where a story offers more, chance decides.
    """
    active = [number for number in numbers if number in INJECTED]
    per_question = (total - originals) * len(numbers) / max(1, originals * len(active))
    streams = {number: _inject_stream(number, vocabulary, key, split, per_question, where) for number in numbers}
    count = 0
    while count < total:
        for number in numbers:
            for row in next(streams[number]):
                yield row
                count += 1
                if count == total:
                    return


def _inject_stream(
    number: int, vocabulary: Vocabulary, key: tuple[Key, ...], split: str, per_question: float, where: str
) -> Iterator[list[Row]]:
    """Per original question: its row and the rows injected after it."""
    task = ORIGINALS[number]
    renderer = Renderer(_words(task, vocabulary))
    types = INJECTED.get(number, ())
    random = KeyedRandom("babi", "inject", number, *key, split)
    owed = 0.0
    for index, story in enumerate(_stories(task, renderer, key, split, where)):
        rng = random.at(index)
        for part, moment in enumerate(story):
            label = f"{index:05d}-{part}"
            rows = [_instance_row(f"task-{number}", label, renderer, moment, task.concepts)]
            if types:
                owed += per_question
                further = list(
                    where_questions(
                        moment.reader, renderer.vocabulary, "where-person" in types, "where-object" in types
                    )
                )
                further = [question for question in further if question != moment.question]
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


def twenty_task(number: int, vocabulary: Vocabulary, question: str | None = None) -> Task:
    """An original task, or one of the question types injected into it, with examples that no split contains."""
    if number not in ORIGINALS:
        return _fact_task(FACT_WORLDS[number])
    task = ORIGINALS[number]
    words = _words(task, vocabulary)
    asked = question or task.question
    renderer = Renderer(words)
    shown: list[Shown] = []
    for story in _stories(task, renderer, ("examples", asked), "examples", f"babi/task-{number}"):
        for moment in story:
            example = _shown(moment, renderer, asked)
            if example is not None:
                shown.append(example)
                break
        if len(shown) == 3:
            break
    name = f"task-{number}" if question is None else f"task-{number}-{question}"
    return story_task(name, asked, words, shown, task.title)


def _shown(moment: Moment, renderer: Renderer, asked: str) -> Shown | None:
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
    return Shown(list(moment.text), renderer.question(question), said, wrong, lines(mask))


def _fact_task(world: FactWorld) -> Task:
    random = KeyedRandom("babi", "task", world.number, "examples")
    shown: list[Shown] = []
    tries = 0
    while len(shown) < 3:
        statements, questions = world.draw(random.at(tries), False)
        tries += 1
        asked: FactQuestion = questions[0]
        beginning = "\n".join(statements[: asked.after])
        if _side(f"{beginning}\n{asked.text}" if len(questions) == 1 else beginning) != "examples":
            continue
        targets: AnyOf = asked.targets
        shown.append(Shown(statements[: asked.after], asked.text, targets.canonical(), asked.wrong, asked.support))
    return Task(
        name=f"task-{world.number}",
        instruction=instruction(world.definition, shown),
        kind="label" if world.labels else "text",
        scorer="label" if world.labels else "exact",
        labels=world.labels,
        facets={"family": "babi", "category": world.title, "language": "en", "question": world.concept},
    )
