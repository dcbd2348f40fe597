"""Our rows as bAbI text (the kit's JSONL is in `kit`)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from taskloom.core import Row
from taskloom.families.babi.files import FileQuestion, FileStory, write_babi

__all__ = ["stories_of", "write_rows"]


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
