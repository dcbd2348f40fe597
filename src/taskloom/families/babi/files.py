"""The bAbI text format: numbered lines, questions with answer and supporting lines after tabs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec

from taskloom.core import UserError
from taskloom.core.decode import read_lines
from taskloom.families.babi.parse import Names, Parser
from taskloom.families.babi.story import Question, Sentence

__all__ = ["FileQuestion", "FileStory", "ReadStory", "read_babi", "read_story", "write_babi"]


class FileQuestion(msgspec.Struct, frozen=True):
    """A question as it stands in a file.

    Attributes:
        after: How many statements of the story come before it.
        text: The question.
        answer: The answer as written.
        support: The supporting statements, numbered from 0 without counting questions.
        line: The line of the file.
    """

    after: int
    text: str
    answer: str
    support: tuple[int, ...]
    line: int = 0


class FileStory(msgspec.Struct, frozen=True):
    """The statements of one story and the questions between them."""

    statements: tuple[str, ...]
    questions: tuple[FileQuestion, ...]


class ReadStory(msgspec.Struct, frozen=True):
    """A story of the story world, read: sentences and questions as numbers, with their names."""

    sentences: list[Sentence]
    questions: list[Question]
    names: Names


_LONGEST_NUMBER = 9


def read_babi(path: str | Path) -> Iterator[FileStory]:
    """The stories of a bAbI text file, one at a time. Both spacings before the tab are read.

    Raises:
        UserError: A line does not begin with a number, or a question lacks its answer; with file and line.
    """
    statements: list[str] = []
    questions: list[FileQuestion] = []
    numbers: dict[int, int] = {}
    for count, line in enumerate(read_lines(path), 1):
        if not line.strip():
            continue
        number, _, rest = line.rstrip("\r\n").partition(" ")
        if not number.isdecimal() or len(number) > _LONGEST_NUMBER:
            raise UserError("a line must begin with its number and one space", where=f"{path}:{count}")
        if int(number) == 1 and (statements or questions):
            yield FileStory(tuple(statements), tuple(questions))
            statements, questions, numbers = [], [], {}
        if "\t" in rest:
            questions.append(_question(rest, len(statements), numbers, f"{path}:{count}", count))
        else:
            numbers[int(number)] = len(statements)
            statements.append(rest.strip())
    if statements or questions:
        yield FileStory(tuple(statements), tuple(questions))


def _question(rest: str, after: int, numbers: dict[int, int], where: str, line: int) -> FileQuestion:
    text, _, tail = rest.partition("\t")
    answer, _, support = tail.partition("\t")
    if not answer.strip():
        raise UserError("a question needs an answer after a tab", where=where)
    try:
        found = tuple(sorted({numbers[int(part)] for part in support.split()}))
    except (KeyError, ValueError):
        raise UserError(f"the supporting lines {support!r} are not statements of this story", where=where) from None
    return FileQuestion(after, text.strip(), answer.strip(), found, line)


def read_story(story: FileStory, parser: Parser) -> ReadStory:
    """Read the text of a story of the story world.

    Raises:
        UserError: A sentence or question is none of the story world's.
    """
    names = Names()
    sentences: list[Sentence] = []
    for text in story.statements:
        sentences.append(parser.sentence(text, names, sentences[-1] if sentences else None))
    questions = [parser.question(asked.text, names) for asked in story.questions]
    return ReadStory(sentences, questions, names)


def write_babi(stories: Iterable[FileStory], path: str | Path, *, blank_before_tab: bool = False) -> int:
    """Write stories as bAbI text.

    Args:
        stories: What to write; questions stand where their `after` says.
        path: The file.
        blank_before_tab: Write `question? <tab>` as the released data does.

    Returns:
        How many questions were written.
    """
    gap = " \t" if blank_before_tab else "\t"
    written = 0
    with Path(path).open("w", encoding="utf-8", newline="\n") as out:
        for story in stories:
            number = 0
            numbers: list[int] = []
            waiting = sorted(story.questions, key=lambda asked: asked.after)
            for count in range(len(story.statements) + 1):
                while waiting and waiting[0].after == count:
                    asked = waiting.pop(0)
                    number += 1
                    support = " ".join(str(numbers[index]) for index in asked.support)
                    out.write(f"{number} {asked.text}{gap}{asked.answer}\t{support}\n")
                    written += 1
                if count < len(story.statements):
                    number += 1
                    numbers.append(number)
                    out.write(f"{number} {story.statements[count]}\n")
    return written
