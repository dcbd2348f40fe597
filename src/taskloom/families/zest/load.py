"""Reading the published ZEST files: train and dev with answers, test without.

The files differ in small ways, all of which are taken in stride: answers are a string or a list of alternatives;
structured answers are JSON text, a list with one such text, or plain objects; test files have neither `type` nor
answers; some files carry `all_answers` beside `answer`; `derives_from` sits inside `type` or beside it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

from taskloom.core import AnyOf, Example, Instance, Instruction, Items, Row, Structure, Suite, Targets, Task, UserError
from taskloom.core.decode import decode_loose_json, read_lines
from taskloom.core.instance import Facet, FacetType
from taskloom.families.zest.describe import LABELS, shown_input
from taskloom.families.zest.recipe import ZestFileRecipe
from taskloom.families.zest.score.file import first_word_format

GENERALISATIONS = {
    "normal": "base",
    "paraphrase": "paraphrase",
    "target_semantics": "flip",
    "combination": "combination",
    "structure": "structure",
}
_FACETS: dict[str, FacetType] = {"answer": str, "words": int}
_SPLITS = ("train", "dev", "test")


class FileTask(msgspec.Struct, frozen=True):
    """One line of a data file, brought into one form. `line` is where it stands."""

    id: str
    question: str
    generalisation: str
    domain: str
    derives_from: tuple[str, ...]
    examples: tuple[tuple[str, Any], ...]
    line: int
    raw: dict[str, Any]


def read_tasks(path: Path) -> Iterator[FileTask]:
    """The tasks of a JSONL file.

    Raises:
        UserError: A line that is not a task, with its number and what is wrong with it.
    """
    for number, line in enumerate(read_lines(path), start=1):
        if line.strip():
            yield _read_task(line, number, path)


def _read_task(line: str, number: int, path: Path) -> FileTask:
    where = f"{path}: line {number}"
    raw = decode_loose_json(line, where=where, what="this line")
    if not isinstance(raw, dict) or not isinstance(raw.get("question"), str):
        raise UserError("a task is an object with a `question`", where=where)
    examples = raw.get("examples")
    if not isinstance(examples, list) or not all(
        isinstance(e, dict) and isinstance(e.get("context"), str) for e in examples
    ):
        raise UserError("`examples` is a list of objects with a `context`", where=where)
    kind = raw.get("type") if isinstance(raw.get("type"), Mapping) else {}
    assert isinstance(kind, Mapping)
    published = str(kind.get("generalization_type", "normal"))
    derives = kind.get("derives_from", raw.get("derives_from")) or []
    return FileTask(
        id=str(raw.get("id", f"line-{number}")),
        question=raw["question"].strip(),
        generalisation=GENERALISATIONS.get(published, published),
        domain=str(kind.get("domain", "unknown")),
        derives_from=tuple(map(str, derives)) if isinstance(derives, list) else (str(derives),),
        examples=tuple((example["context"], example.get("answer")) for example in examples),
        line=number,
        raw=raw,
    )


def answer_targets(answer: Any) -> Targets | None:
    """The acceptable answers of an example; None where the file gives none (the test set)."""
    if isinstance(answer, list) and answer and all(isinstance(item, dict) for item in answer):
        answer = json.dumps(answer, ensure_ascii=False)
    forms = answer if isinstance(answer, list) else [] if answer in (None, {}) else [answer]
    texts = [form if isinstance(form, str) else json.dumps(form, ensure_ascii=False) for form in forms]
    texts = [text for text in dict.fromkeys(texts) if text.strip()]
    if not texts:
        return None
    if any("}" in text for text in texts):
        return Structure(tuple(texts))
    if any("|" in text for text in texts):
        spans = tuple(() if text.lower() in ("n/a", "na") else tuple(text.split("|")) for text in texts)
        return Items(spans, separator="|", empty="n/a")
    return AnyOf(tuple(texts))


def _files(path: Path) -> dict[str, Path]:
    if path.is_file():
        split = next((name for name in _SPLITS if path.name.startswith(name)), "test")
        return {split: path}
    found = {}
    for split in _SPLITS:
        matches = sorted(path.glob(f"{split}*.jsonl")) if path.is_dir() else []
        if matches:
            found[split] = matches[0]
    return found


def file_suite(recipe: ZestFileRecipe, seed: int) -> Suite:
    """A suite of published files. Without a path it is empty and says how to fill it.

    Raises:
        UserError: The path holds no ZEST file, or two tasks share an id within one file.
    """
    if not recipe.path:
        raise UserError(
            "zest/file needs a file or folder of the published data",
            where="zest/file: path",
            hint="-T path=FOLDER (with train.jsonl, dev.jsonl and test.jsonl)",
        )
    files = _files(Path(recipe.path).expanduser())
    if not files:
        raise UserError(
            "there is no ZEST file here",
            where=recipe.path,
            hint="a folder with train.jsonl, dev.jsonl or test.jsonl, or one such file, is expected",
        )
    loaded = {split: _named(list(read_tasks(path)), path) for split, path in files.items()}
    tasks = {name: _task(name, task, recipe) for split in loaded.values() for name, task in split.items()}

    def draw(split: str) -> Iterator[Row]:
        for name, task in loaded[split].items():
            yield from _rows(name, task, recipe)

    return Suite(
        name="zest/file",
        recipe=msgspec.to_builtins(recipe),
        seed=seed,
        tasks=tasks,
        splits={split: sum(len(task.examples) for task in named.values()) for split, named in loaded.items()},
        draw=draw,
        facets=_FACETS,
        apart="pairs",
        pool=None,
        notes={"files": {split: path.name for split, path in files.items()}},
    )


def _task(name: str, task: FileTask, recipe: ZestFileRecipe) -> Task:
    structured = task.generalisation == "structure"
    form = "structure" if structured else first_word_format(task.question) or "extraction"
    return task_of(name, task, recipe.scorer, form)


def _named(tasks: list[FileTask], path: Path) -> dict[str, FileTask]:
    named: dict[str, FileTask] = {}
    for task in tasks:
        if task.id in named:
            raise UserError(
                f"tasks in lines {named[task.id].line} and {task.line} have the id {task.id!r}",
                where=str(path),
                hint="give each task its own id",
            )
        named[task.id] = task
    return named


def task_of(name: str, task: FileTask, scorer: str, form: str) -> Task:
    """The task of a question.

    Args:
        name: Its name.
        task: The question and what it derives from.
        scorer: Its scorer.
        form: classification, extraction or structure.
    """
    words = {
        "structure": "Answer with a JSON list of objects, one per thing asked for, or n/a if the passage does not say.",
        "classification": "Answer yes or no, or n/a if the passage does not say.",
        "extraction": "Answer with words of the passage, several of them separated by |, or n/a if it does not say.",
    }[form]
    paired = task.generalisation in ("paraphrase", "flip") and bool(task.derives_from)
    facets: dict[str, Facet] = {
        "family": "zest",
        "category": task.generalisation,
        "language": "en",
        "domain": task.domain,
        "generalisation": task.generalisation,
        "format": form,
        "derives_from": task.derives_from,
        "consistent_with": task.derives_from[-1] if paired else None,
    }
    return Task(
        name,
        _instruction(task.question, words, form),
        {"structure": "json", "classification": "label"}.get(form, "text"),
        scorer,
        LABELS if form == "classification" else (),
        facets=facets,
    )


_ROOM = "The reading room opened in 1931 and belongs to the parish."
_EXAMPLES: dict[str, tuple[tuple[str, str, str], ...]] = {
    "classification": (
        ("Is the reading room owned by the parish?", "yes", "It belongs to the parish."),
        ("Does the reading room lend books?", "n/a", "Lending is not mentioned."),
        ("Was the reading room opened before 1900?", "yes", "It opened in 1931, so the answer is no."),
    ),
    "extraction": (
        # Several words, so that a prompt derived from the examples does not ask for one.
        ("Who owns the reading room?", "the parish", "The owner is named."),
        ("Who built the reading room?", "n/a", "No builder is named."),
        ("When did the reading room open?", "n/a", "The year is given: 1931."),
    ),
    "structure": (
        (
            "Who owns the reading room and when did it open?",
            '[{"owner": "the parish", "opening year": "1931"}]',
            "Both are given.",
        ),
        ("Who built the reading room and what did it cost?", "n/a", "Neither is given."),
        ("Who owns the reading room and when did it open?", "the parish, 1931", "The answer is not JSON."),
    ),
}  # fmt: skip


def _instruction(question: str, words: str, form: str) -> Instruction:
    """The published files hold questions only; three invented examples show the form of the answers."""
    definition = f"Read a passage and answer a question about it: {question} {words} Go by the passage alone."
    made = [Example(f"{_ROOM}\n\nQuestion: {ask}", output, why) for ask, output, why in _EXAMPLES[form]]
    return Instruction(definition, tuple(made[:2]), tuple(made[2:]))


def _rows(name: str, task: FileTask, recipe: ZestFileRecipe) -> Iterator[Row]:
    for index, (context, answer) in enumerate(task.examples):
        targets = answer_targets(answer)
        said = "unknown" if targets is None else targets.canonical().lower()
        facets: dict[str, Facet] = {
            "answer": {"n/a": "na", "na": "na", "yes": "yes", "no": "no", "unknown": "unknown"}.get(said, "value"),
            "words": len(context.split()),
        }
        parts = {"passage": context, "question": task.question}
        yield Row(
            name,
            Instance(
                id=f"{index:03d}",
                input=shown_input(context, task.question, recipe.show),
                # A test set without answers can be asked and exported, but every answer to it scores 0.
                targets=targets if targets is not None else AnyOf(("",)),
                facets=facets,
                parts={part: text for part, text in parts.items() if recipe.show in ("both", part)},
            ),
        )
