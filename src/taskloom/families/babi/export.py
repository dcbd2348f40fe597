"""Our rows in the formats of others: bAbI text and SQuAD-style JSON (the kit's JSONL is in `kit`)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from taskloom.core import Row
from taskloom.families.babi.files import FileQuestion, FileStory, write_babi

__all__ = ["SquadCounts", "stories_of", "write_rows", "write_squad"]


class SquadCounts(NamedTuple):
    """How many questions were written, and how many left out because their answer is no span of the story."""

    written: int
    left_out: int


def stories_of(rows: Iterable[Row]) -> Iterator[FileStory]:
    """Rows as stories for a bAbI file; questions about the same growing story share one."""
    statements: tuple[str, ...] = ()
    questions: list[FileQuestion] = []
    for row in rows:
        instance = row.instance
        story = tuple(instance.parts["story"].split("\n"))
        if story[: len(statements)] != statements:
            yield FileStory(statements, tuple(questions))
            questions = []
        statements = story
        questions.append(
            FileQuestion(
                len(story),
                instance.parts["question"],
                # bAbI files hold answers without blanks after commas.
                ",".join(part.strip() for part in instance.targets.canonical().split(",")),
                tuple(line - 1 for line in instance.details["support"]),
            )
        )
    if questions:
        yield FileStory(statements, tuple(questions))


def write_rows(rows: Iterable[Row], path: str | Path, *, blank_before_tab: bool = False) -> int:
    """Write rows as bAbI text; returns how many questions were written."""
    return write_babi(stories_of(rows), path, blank_before_tab=blank_before_tab)


def write_squad(rows: Iterable[Row], path: str | Path, *, title: str = "babi") -> SquadCounts:
    """Write rows as SQuAD-style JSON for extractive readers, one paragraph a line of the list.

    The answer's position is in the last supporting sentence that holds it, so that readers learn from the
    right place. Questions whose answer does not occur in the story (yes, counts, lists) are left out.
    """
    written = left_out = 0
    encode = msgspec.json.encode
    with Path(path).open("wb") as out:
        out.write(b'{"version":"1.1","data":[{"title":' + encode(title) + b',"paragraphs":[')
        for row in rows:
            paragraph = _paragraph(row)
            if paragraph is None:
                left_out += 1
                continue
            out.write((b",\n" if written else b"\n") + encode(paragraph))
            written += 1
        out.write(b"\n]}]}\n")
    return SquadCounts(written, left_out)


def _paragraph(row: Row) -> dict[str, Any] | None:
    instance = row.instance
    answer = instance.targets.canonical()
    sentences = instance.parts["story"].split("\n")
    found = None
    for line in instance.details["support"]:
        column = _find_word(sentences[line - 1], answer)
        if column is not None:
            found = sum(len(sentence) + 1 for sentence in sentences[: line - 1]) + column
    if found is None:
        return None
    return {
        "context": " ".join(sentences),
        "qas": [
            {
                "id": f"{row.task}-{instance.id}",
                "question": instance.parts["question"],
                "answers": [{"text": answer, "answer_start": found}],
            }
        ],
    }


def _find_word(sentence: str, word: str) -> int | None:
    """Where a word stands in a sentence as a word of its own."""
    start = sentence.find(word)
    while start >= 0:
        end = start + len(word)
        if (start == 0 or not sentence[start - 1].isalnum()) and (end == len(sentence) or not sentence[end].isalnum()):
            return start
        start = sentence.find(word, start + 1)
    return None
