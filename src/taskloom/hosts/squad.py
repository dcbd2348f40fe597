"""SQuAD-style JSON for extractive readers: every row whose answer is a span of what is read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from taskloom.core import AnyOf, Instance, Row, Task, acceptable_texts
from taskloom.core.kind import KINDS

_READ = ("story", "passage", "context")
_MISSING = frozenset({"n/a"})


class SquadCounts(NamedTuple):
    """How many questions were written, and how many left out because their answer is no span of what is read."""

    written: int
    left_out: int


def write_squad(
    rows: Iterable[Row], path: str | Path, tasks: Mapping[str, Task] | None = None, *, title: str = "taskloom"
) -> SquadCounts:
    """Write rows as SQuAD-style JSON, one paragraph a line of the list.

    What is read is the story or passage; of rows without one it is the input, and the task's definition is the
    question. Where a row says which sentences support its answer, the span is in the last of them that holds it, so
    that readers learn from the right place. "n/a" is an unanswerable question, as SQuAD 2.0 writes it. Answers that
    are no span (yes, counts, lists) are left out.

    Args:
        rows: The rows.
        path: The file.
        tasks: Their tasks; needed where rows have no question of their own.
        title: The title of the only article.
    """
    written = left_out = 0
    encode = msgspec.json.encode
    with Path(path).open("wb") as out:
        out.write(b'{"version":"v2.0","data":[{"title":' + encode(title) + b',"paragraphs":[')
        for row in rows:
            paragraph = _paragraph(row, tasks[row.task] if tasks is not None else None)
            if paragraph is None:
                left_out += 1
                continue
            out.write((b",\n" if written else b"\n") + encode(paragraph))
            written += 1
        out.write(b"\n]}]}\n")
    return SquadCounts(written, left_out)


def _paragraph(row: Row, task: Task | None) -> dict[str, Any] | None:
    instance = row.instance
    read = next((instance.parts[name] for name in _READ if name in instance.parts), None)
    question = instance.parts.get("question") if read is not None else None
    if read is None or question is None:
        if task is None or task.labels or not KINDS.get(task.kind).span:
            return None
        read, question = instance.input, task.instruction.definition
    texts = acceptable_texts(instance.targets) if isinstance(instance.targets, AnyOf) else ()
    impossible = "passage" in instance.parts and bool(texts) and texts[0] in _MISSING
    found = None if impossible else _span(instance, read, texts)
    if found is None and not impossible:
        return None
    answers = [] if found is None else [{"text": found[0], "answer_start": found[1]}]
    asked = {"id": f"{row.task}-{instance.id}", "question": question, "answers": answers, "is_impossible": impossible}
    return {"context": " ".join(read.split("\n")), "qas": [asked]}


def _span(instance: Instance, read: str, texts: Iterable[str]) -> tuple[str, int] | None:
    """The first acceptable answer that stands in the text, and where."""
    lines = read.split("\n")
    support = [line for line in instance.details.get("support") or () if isinstance(line, int) and line <= len(lines)]
    for text in texts:
        if support:
            places = [(line, _find_word(lines[line - 1], text)) for line in support]
            starts = [sum(len(one) + 1 for one in lines[: line - 1]) + at for line, at in places if at is not None]
            if starts:
                return text, starts[-1]
        elif text and (at := _find_word(" ".join(lines), text)) is not None:
            return text, at
    return None


def _find_word(sentence: str, word: str) -> int | None:
    """Where a word stands in a sentence as a word of its own."""
    start = sentence.find(word)
    while start >= 0:
        end = start + len(word)
        if (start == 0 or not sentence[start - 1].isalnum()) and (end == len(sentence) or not sentence[end].isalnum()):
            return start
        start = sentence.find(word, start + 1)
    return None
