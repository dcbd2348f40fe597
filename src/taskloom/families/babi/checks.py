"""What an item must pass besides its cell's filters, and what is measured on it."""

from __future__ import annotations

from collections.abc import Sequence

from taskloom.families.babi.knowledge import ANYWHERE
from taskloom.families.babi.programs import PAPER_WORLD, WorldProgram
from taskloom.families.babi.reader import Reader
from taskloom.families.babi.story import (
    ASKED_ROLES,
    CONJ,
    COUNTING,
    GAVE,
    GAVE_TO,
    GIVE,
    GIVE_QUESTIONS,
    LIST,
    MAYBE,
    QUESTION_KINDS,
    RECEIVED,
    WHERE_WAS,
    WHO_GIVE,
    YES_NO,
    Answer,
    Question,
    Sentence,
)
from taskloom.families.babi.support import canonical_support

__all__ = [
    "askable",
    "asked_sorts",
    "every_question",
    "gift_question",
    "measured_distractors",
    "sentence_sorts",
    "signature",
    "stands_alone",
]


def sentence_sorts(kind: int, world: WorldProgram | None) -> tuple[str, ...]:
    """The sorts of a sentence's arguments, in order."""
    return (world or PAPER_WORLD).events[kind].sorts


def asked_sorts(kind: int, world: WorldProgram | None) -> tuple[str, ...]:
    """The sorts of a question's arguments, in order."""
    if kind in ASKED_ROLES:
        return tuple("person" if role == "other" else role for role in ASKED_ROLES[kind])
    if world is None:
        raise ValueError(f"question {kind} is not one of the paper's, and no world is given")
    return tuple(world.questions[kind - len(QUESTION_KINDS)][1].roles.values())


def askable(reader: Reader, question: Question, answer: Answer) -> bool:
    """Whether a question that has an answer may be asked: 'before' must be unambiguous, 'maybe' must name places."""
    kind, first, second = question
    if kind == WHERE_WAS:
        return reader.came_once(first, second)
    return kind != YES_NO or answer != MAYBE or reader.person_places(first) > 0


def every_question(
    kind: int, persons: int, objects: int, places: int, world: WorldProgram | None = None
) -> list[Question]:
    """Every question of a kind over these numbers of names."""
    sizes = {"person": range(persons), "object": range(objects), "place": range(places)}
    sorts = asked_sorts(kind, world)
    if len(sorts) == 1:
        return [Question(kind, one) for one in sizes[sorts[0]]]
    first, second = sorts
    return [Question(kind, one, two) for one in sizes[first] for two in sizes[second] if one != two or first != second]


def gift_question(kind: int, give: tuple[int, int, int, int]) -> Question:
    """A question of this kind about a gift."""
    giver, thing, receiver, _ = give
    if kind in (GAVE, RECEIVED):
        return Question(kind, thing)
    if kind == GAVE_TO:
        return Question(kind, thing, receiver)
    return Question(kind, giver, thing if kind == WHO_GIVE else receiver)


def stands_alone(
    sentences: Sequence[Sentence],
    support: Sequence[int],
    question: Question,
    answer: Answer,
    persons: int,
    objects: int,
    world: WorldProgram | None = None,
) -> bool:
    """Whether the supporting sentences, read as a story of their own, give the answer and are its support again.

    A support takes for granted that nothing in between changed (see `support`). Items whose support reads
    differently on its own are lawful but confusing, so the sampler leaves them out.
    """
    kind = question.kind
    if kind in (LIST, COUNTING) or kind in GIVE_QUESTIONS or len(support) == 1:
        return True  # the changes of the hands, the gift, the statement: nothing else bears on the answer
    reader = Reader.of([sentences[index] for index in support], persons, objects, world)
    if reader.answer(question) != answer:
        return False
    if kind == YES_NO and answer == MAYBE and reader.person_places(question.first) == ANYWHERE:
        return False
    return canonical_support(reader, question) == (1 << len(support)) - 1


def measured_distractors(
    sentences: Sequence[Sentence], support: Sequence[int], question: Question, world: WorldProgram | None = None
) -> str:
    """How close the sentences outside the support come to the question.

    `near`: at least a quarter of them name the person or object asked about; `far`: at most a tenth do; else `mixed`.
    """
    person = thing = place = -1
    for sort, value in zip(asked_sorts(question.kind, world), question[1:], strict=False):
        if sort == "person":
            person = value
        elif sort == "object":
            thing = value
        else:
            place = value
    if person >= 0 or thing >= 0:
        place = -1  # places are in most sentences; who and what is asked about counts
    touching = 0
    outside = list(sentences)
    for index in reversed(support):
        del outside[index]
    for kind, first, second, third, _, fourth in outside:
        if kind < CONJ:
            touching += first == person
        elif kind == CONJ:
            touching += person in (first, second)
        elif kind < GIVE:
            touching += first == person or second == thing
        else:
            values = {"person": person, "object": thing, "place": place}
            roles = zip(sentence_sorts(kind, world), (first, second, third, fourth), strict=False)
            touching += any(values[sort] == value >= 0 for sort, value in roles)
    others = len(sentences) - len(support)
    if 4 * touching >= others and touching:
        return "near"
    return "far" if 10 * touching <= others else "mixed"


def signature(
    sentences: Sequence[Sentence], support: Sequence[int], question: Question, world: WorldProgram | None = None
) -> str:
    """The support and the question with persons, objects and places numbered by appearance."""
    numbers: dict[tuple[str, int], str] = {}

    def name(sort: str, value: int) -> str:
        known = sum(key[0] == sort for key in numbers)
        return numbers.setdefault((sort, value), f"{sort[0].upper()}{known + 1}")

    parts = []
    for index in support:
        kind, first, second, third, pronoun, fourth = sentences[index]
        sorts = sentence_sorts(kind, world)
        arguments = [name(sort, value) for sort, value in zip(sorts, (first, second, third, fourth), strict=False)]
        parts.append(f"{kind}{'~' if pronoun else ''}({','.join(arguments)})")
    asked = [name(sort, value) for sort, value in zip(asked_sorts(question.kind, world), question[1:], strict=False)]
    return f"{'#'.join(parts)}?{question.kind}({','.join(asked)})"
