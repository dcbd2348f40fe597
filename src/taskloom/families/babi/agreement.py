"""How far the reader agrees with data of others, and why it does not where it does not.

Answers and supports are compared question by question. Each disagreement falls into a named class:

| class | meaning |
| --- | --- |
| `open-arrival` | where-was: the object may have come there once more later on, from elsewhere; the file ignores it |
| `same-place-twice` | a person is said to be "either in the X or the X"; logic says X, the file says maybe |
| `older-give` | several gives fit the question; the file uses an older one |
| `other` | none of these |

Supports are `equal` to the canonical one, `another` minimal one, `more` than needed, or not enough, because of a
`missing-antecedent` (a pronoun that cannot be resolved), because they belong to an `older-visit` of the place,
because they cite a `later-release` (that somebody put the object down in the end does not tell that they had it
on the way; the sentence in which they got it does), or because of a `missing-link` (a sentence without which the
places of two people are not tied together).
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import msgspec

from taskloom.families.babi.concepts import question_type
from taskloom.families.babi.files import FileQuestion, ReadStory, read_babi, read_story
from taskloom.families.babi.parse import Parser
from taskloom.families.babi.reader import Reader
from taskloom.families.babi.story import (
    COUNTING,
    GIVE_QUESTIONS,
    INDEF,
    MAYBE,
    WHAT_GIVE,
    WHERE_O,
    WHERE_P,
    WHERE_WAS,
    YES,
    YES_NO,
    Answer,
    Question,
)
from taskloom.families.babi.support import all_supports, lines
from taskloom.families.babi.vocabulary import DYNA

__all__ = ["Agreement", "agreement", "answer_class", "support_class"]


class Agreement(msgspec.Struct):
    """Counts for one question type of one file."""

    asked: int = 0
    answered: int = 0
    agreed: int = 0
    answers: Counter[str] = msgspec.field(default_factory=Counter)
    supports: Counter[str] = msgspec.field(default_factory=Counter)


def agreement(path: str | Path, parser: Parser | None = None) -> dict[str, Agreement]:
    """Read every story of a bAbI text file and compare, per question type."""
    parser = parser or Parser()
    found: dict[str, Agreement] = {}
    for story in read_babi(path):
        read = read_story(story, parser)
        reader = Reader(len(read.names.persons), len(read.names.objects))
        begun = 0
        for question, asked in zip(read.questions, story.questions, strict=True):
            for sentence in read.sentences[begun : asked.after]:
                reader.tell(sentence)
            begun = asked.after
            counts = found.setdefault(question_type(question.kind), Agreement())
            _compare(counts, reader, read, question, asked)
    return found


def _compare(counts: Agreement, reader: Reader, read: ReadStory, question: Question, asked: FileQuestion) -> None:
    answer = reader.answer(question)
    counts.asked += 1
    counts.answered += answer is not None
    if answer is not None and _spoken(read, question, answer) == _canonical(asked.answer):
        counts.agreed += 1
        counts.supports[support_class(reader, question, asked.support)] += 1
    else:
        counts.answers[answer_class(reader, read, question, answer)] += 1


def _canonical(answer: str) -> str:
    """An answer with the members of lists in order and one word for zero."""
    text = ",".join(sorted(part.strip() for part in answer.split(",")))
    return "none" if text == "zero" else text


def _spoken(read: ReadStory, question: Question, answer: Answer) -> str:
    objects = list(read.names.objects)
    if isinstance(answer, tuple):
        return ",".join(sorted(objects[thing] for thing in answer)) or DYNA.nothing
    if question.kind == YES_NO:
        return DYNA.yes if answer == YES else (DYNA.maybe if answer == MAYBE else DYNA.no)
    if question.kind == COUNTING:
        return DYNA.count_word(answer)
    if question.kind == WHAT_GIVE:
        return objects[answer]
    names = read.names.places if question.kind in (WHERE_P, WHERE_O, WHERE_WAS) else read.names.persons
    return list(names)[answer]


def answer_class(reader: Reader, read: ReadStory, question: Question, answer: Answer | None) -> str:
    """Why an answer differs from the file's."""
    kind, first, second = question
    if kind == WHERE_WAS and answer is None:
        return "open-arrival" if reader.arrivals(first, second) else "other"
    if kind == YES_NO and answer == YES:
        label = reader.own_label[reader.stay[first]]
        sentences = [read.sentences[line] for line in lines(label)]
        if any(s.kind == INDEF and s.second == s.third == second for s in sentences):
            return "same-place-twice"
    if kind in GIVE_QUESTIONS and answer is not None:
        fits = sum(_fits(give, question) for give in reader.gives)
        return "older-give" if fits > 1 else "other"
    return "other"


def _fits(give: tuple[int, int, int, int], question: Question) -> bool:
    lone = Reader(0, 0)
    lone.gives.append(give)
    return lone.last_give(question) is not None


def support_class(reader: Reader, question: Question, support: tuple[int, ...]) -> str:
    """How a support of somebody else compares with the minimal ones."""
    given = sum(1 << line for line in support)
    minimal = all_supports(reader, question)
    if given in minimal:
        return "equal" if given == minimal[0] else "another"
    if _enough(minimal, given):
        return "more"
    closed = given
    for line in support:
        closed |= reader.labels[line]
    if _enough(minimal, closed):
        return "missing-antecedent"
    if question.kind == WHERE_WAS:
        if _enough(minimal, closed | _obtained(reader, question)):
            return "later-release"
        if _older_visit(reader, question, closed):
            return "older-visit"
    return "missing-link"


def _enough(minimal: list[int], given: int) -> bool:
    return any(mask & given == mask for mask in minimal)


def _obtained(reader: Reader, question: Question) -> int:
    """The sentences that brought the object into the hands it was in at the move."""
    slot = reader.arrivals(question.first, question.second)[-1]
    (_, before), (_, after) = reader.path[question.first][slot - 1 : slot + 1]
    return before | after


def _older_visit(reader: Reader, question: Question, given: int) -> bool:
    """Whether the support proves an earlier visit of the object to the place, not the last one."""
    read_so_far = [line for line in range(len(reader.labels)) if given >> line & 1]
    last = reader.arrivals(question.first, question.second)[-1]
    stay, _ = reader.path[question.first][last]
    opened = reader.own_label[stay]
    return bool(opened) and opened.bit_length() - 1 not in read_so_far
