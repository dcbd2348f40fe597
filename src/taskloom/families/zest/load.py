"""Reading and writing the published ZEST files: train and dev with answers, test without.

The files differ in small ways, all of which are taken in stride: answers are a string or a list of alternatives;
structured answers are JSON text, a list with one such text, or plain objects; test files have neither `type` nor
answers; some files carry `all_answers` beside `answer`; `derives_from` sits inside `type` or beside it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import msgspec

from taskloom.core import (
    AnyOf,
    Example,
    Instruction,
    Items,
    Row,
    Structure,
    Suite,
    Targets,
    Task,
    UserError,
    acceptable_texts,
)
from taskloom.core.decode import read_loose_jsonl, read_toml
from taskloom.core.instance import Facet, FacetType
from taskloom.core.task import AnswerKind
from taskloom.families.zest.describe import passage_row, shown_input
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
    for number, where, raw in read_loose_jsonl(path):
        yield _read_task(raw, number, where)


def _read_task(raw: Any, number: int, where: str) -> FileTask:
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


def build_suite(name: str, recipe: ZestFileRecipe, seed: int) -> Suite:
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
    tasks = {name: _task(task, recipe) for split in loaded.values() for name, task in split.items()}

    def draw(split: str) -> Iterator[Row]:
        for task in loaded[split].values():
            yield from _rows(task, recipe)

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


def _task(task: FileTask, recipe: ZestFileRecipe) -> Task:
    structured = task.generalisation == "structure"
    form = "structure" if structured else first_word_format(task.question) or "extraction"
    return task_of(task, recipe.scorer, form)


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


class _AnswerForm(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    text: str
    kind: AnswerKind
    right: tuple[tuple[str, str, str], ...]
    wrong: tuple[tuple[str, str, str], ...]
    labels: tuple[str, ...] = ()


class _Forms(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`forms.toml`; its comments say what the entries mean."""

    passage: str
    forms: dict[str, _AnswerForm]


@cache
def _forms() -> _Forms:
    return read_toml(Path(__file__).with_name("forms.toml"), type=_Forms)


def form_task(name: str, form: str, scorer: str, facets: Mapping[str, Facet], question: str = "") -> Task:
    """The task of a form of `forms.toml`: of one question, or of the questions of its rows."""
    words = _forms().forms[form]
    definition = f"Read a passage and answer a question about it: {question} {words.text} Go by the passage alone."
    right, wrong = (
        tuple(Example(shown_input(_forms().passage, asked, "both"), output, why) for asked, output, why in examples)
        for examples in (words.right, words.wrong)
    )
    instruction = Instruction(definition if question else words.text, right, wrong)
    every: dict[str, Facet] = {"family": "zest", "category": "other data", "language": "en", **facets}
    return Task(name, instruction, words.kind, scorer, words.labels, facets=every)


def task_of(task: FileTask, scorer: str, form: str) -> Task:
    """The task of a question: `form` is classification, extraction or structure."""
    paired = task.generalisation in ("paraphrase", "flip") and bool(task.derives_from)
    facets: dict[str, Facet] = {
        "category": task.generalisation,
        "domain": task.domain,
        "generalisation": task.generalisation,
        "format": form,
        "derives_from": task.derives_from,
        "consistent_with": task.derives_from[-1] if paired else None,
    }
    return form_task(task.id, form, scorer, facets, task.question)


def answer_class(targets: Targets | None, missing: str) -> str:
    """The facet `answer`: na, yes, no, value, or what stands for a missing one."""
    said = missing if targets is None else targets.canonical().lower()
    return {"n/a": "na", "na": "na", "yes": "yes", "no": "no", missing: missing}.get(said, "value")


def _rows(task: FileTask, recipe: ZestFileRecipe) -> Iterator[Row]:
    for index, (context, answer) in enumerate(task.examples):
        targets = answer_targets(answer)
        facets: dict[str, Facet] = {"answer": answer_class(targets, "unknown"), "words": len(context.split())}
        # A test set without answers can be asked and exported, but every answer to it scores 0.
        right = AnyOf(("",)) if targets is None else targets
        yield passage_row(task.id, f"{index:03d}", context, task.question, right, facets, show=recipe.show)


# ------------------------------------------------------------------------- export

_PUBLISHED = {ours: published for published, ours in GENERALISATIONS.items()}


def write_tasks(rows: Iterable[Row], tasks: Mapping[str, Task], path: str | Path) -> int:
    """Write rows as the published JSONL; returns how many tasks were written. `zest/file` reads it again."""
    examples: dict[str, list[dict[str, Any]]] = {}
    questions: dict[str, str] = {}
    for row in rows:
        parts = row.instance.parts
        questions[row.task] = parts["question"]
        examples.setdefault(row.task, []).append({"context": parts["passage"], "answer": _answer(row.instance.targets)})
    with Path(path).open("wb") as out:
        for name, held in examples.items():
            facets = tasks[name].facets
            kind = str(facets.get("generalisation") or "base")
            derives = facets.get("derives_from") or ()
            line = {
                "id": name,
                "question": questions[name],
                "type": {
                    "generalization_type": _PUBLISHED.get(kind, kind),
                    "domain": facets.get("domain") or "unknown",
                    "derives_from": list(derives) if isinstance(derives, tuple) else [derives],
                },
                "examples": held,
            }
            out.write(msgspec.json.encode(line) + b"\n")
    return len(examples)


def _answer(targets: Targets) -> Any:
    """An answer as the files hold it: a text, several, or a list of objects."""
    if isinstance(targets, Structure) and len(targets.alternatives) == 1:
        return targets.values()[0]
    if isinstance(targets, Items):
        texts = ["|".join(items) or targets.empty for items in targets.alternatives]
    else:
        texts = list(acceptable_texts(targets))
    return texts[0] if len(texts) == 1 else texts
