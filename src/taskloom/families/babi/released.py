"""Rows from the original bAbI files, for users who have them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

from taskloom.core import Instance, Items, Row, Targets, UserError, any_of
from taskloom.core.apportion import apportion
from taskloom.families.babi.checks import measured_distractors
from taskloom.families.babi.concepts import composition, concepts_of, question_type
from taskloom.families.babi.files import FileQuestion, FileStory, ReadStory, read_babi, read_story
from taskloom.families.babi.parse import Parser
from taskloom.families.babi.splits import interleave
from taskloom.families.babi.story import LIST

__all__ = ["find_file", "released_rows"]


def find_file(folder: str | Path, number: int, part: str) -> Path:
    """The file of a task in a folder of the original data.

    Raises:
        UserError: No such file.
    """
    found = sorted(Path(folder).glob(f"qa{number}_*_{part}.txt"))
    if not found:
        raise UserError(f"no file qa{number}_…_{part}.txt", where=str(folder), hint="point files= at the bAbI folder")
    return found[0]


def released_rows(folder: str, numbers: Sequence[int], split: str, total: int) -> Iterator[Row]:
    """Original questions, tasks spread evenly.

    The first nine tenths of each training file are `train`, the rest `dev`; the test file is `test`. Where the
    files hold fewer questions than asked for, all of them are given.
    """
    streams = [list(_task_rows(folder, number, split)) for number in numbers]
    counts = apportion(min(total, sum(map(len, streams))), [float(len(rows)) for rows in streams])
    for index, number in interleave(counts):
        yield streams[index][number]


def _task_rows(folder: str, number: int, split: str) -> Iterator[Row]:
    path = find_file(folder, number, "test" if split == "test" else "train")
    stories = list(read_babi(path))
    border = len(stories) * 9 // 10
    start, stop = {"train": (0, border), "dev": (border, None)}.get(split, (0, None))
    parser = Parser()
    for index, story in enumerate(islice(stories, start, stop)):
        read = read_story(story, parser)
        for part, asked in enumerate(story.questions):
            yield Row(f"task-{number}", _instance(f"{index:05d}-{part}", story, asked, read, part))


def _instance(name: str, story: FileStory, asked: FileQuestion, read: ReadStory, part: int) -> Instance:
    question = read.questions[part]
    sentences = read.sentences[: asked.after]
    events, constructs = concepts_of(sentences)
    text = "\n".join(story.statements[: asked.after])
    targets: Targets = any_of(asked.answer)
    if question.kind == LIST:
        things = tuple(sorted(asked.answer.split(","))) if asked.answer != "nothing" else ()
        targets = Items((things,))
    return Instance(
        id=name,
        input=f"{text}\n{asked.text}",
        targets=targets,
        facets={
            "question": question_type(question.kind),
            "answer": targets.canonical(),
            "events": events,
            "constructs": constructs,
            "support_size": len(asked.support),
            "composition": "+".join(composition(sentences, asked.support)),
            "novel": None,
            "length": asked.after,
            "distractors": measured_distractors(sentences, asked.support, question),
            "support_age": asked.after - min(asked.support) if asked.support else 0,
            "double_disjunction": None,
            "implicit_steps": None,
        },
        parts={"story": text, "question": asked.text},
        details={"support": [line + 1 for line in asked.support]},
    )
