"""`zest/documents`: a folder of texts and a file of questions become a suite.

Every question is a task, every text a passage. Answers come from people (one file of annotations, three annotators
each, as in section 4.4 of the paper), or stay open until they have been judged: such items are asked and exported,
and their gold says that it is open.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

from taskloom.core import AnyOf, Row, Suite, Targets, UserError
from taskloom.core.decode import decode_loose_json, read_loose_jsonl, read_text
from taskloom.core.instance import Facet, FacetType
from taskloom.families.zest.describe import passage_row
from taskloom.families.zest.load import GENERALISATIONS, FileTask, answer_class, answer_targets, task_of
from taskloom.families.zest.recipe import DocumentsRecipe
from taskloom.families.zest.score.file import first_word_format
from taskloom.families.zest.score.official import DISPUTED, OPEN
from taskloom.score.adjudicate import adjudicate

_FACETS: dict[str, FacetType] = {"answer": str, "agreement": str, "words": int}
_MOST_WORDS = 5_000


def build_suite(name: str, recipe: DocumentsRecipe, seed: int) -> Suite:
    """The suite of a recipe: one split, `test`.

    Raises:
        UserError: A file is missing or not of its form, with the place.
    """
    for key in ("passages", "questions"):
        if not getattr(recipe, key):
            raise UserError(
                f"zest/documents needs {key}", where=f"zest/documents: {key}", hint="-T passages=DIR -T questions=FILE"
            )
    passages = _read_passages(Path(recipe.passages).expanduser())
    questions = _read_questions(Path(recipe.questions).expanduser())
    given = _read_answers(Path(recipe.answers).expanduser(), passages, questions) if recipe.answers else {}

    def row(question: str, passage: str) -> Row:
        asked, form = questions[question]
        answers = given.get((question, passage), {})
        return _row(asked, form == "classification", passage, passages[passage], answers)

    disputed = sum(row(*at).instance.facets["agreement"] == "disputed" for at in given)
    count, without = len(questions) * len(passages), len(questions) * len(passages) - len(given)
    if without or disputed:
        warnings.warn(f"{without} of {count} items are unanswered, {disputed} disputed: they score 0", stacklevel=2)
    return Suite(
        name="zest/documents",
        recipe=msgspec.to_builtins(recipe),
        seed=seed,
        tasks={name: task_of(question, recipe.scorer, form) for name, (question, form) in questions.items()},
        splits={"test": count},
        draw=lambda split: (row(question, passage) for question in questions for passage in passages),
        facets=_FACETS,
        apart="pairs",
        pool=None,
        notes={"open": without, "disputed": disputed},
    )


def _row(question: FileTask, closed: bool, passage: str, text: str, given: Mapping[str, str]) -> Row:
    verdict = adjudicate(list(given.values()), closed=closed)
    targets: Targets | None = None if verdict.answer is None else answer_targets(verdict.answer)
    facets: dict[str, Facet] = {
        "answer": answer_class(targets, "open"),
        "agreement": verdict.agreement,
        "words": len(text.split()),
    }
    right = AnyOf((DISPUTED if given else OPEN,)) if targets is None else targets
    details = {"annotators": dict(given)}
    return passage_row(question.id, passage, text, question.question, right, facets, details=details)


# ------------------------------------------------------------------------ files


def _objects(path: Path) -> Iterator[tuple[dict[str, Any], str]]:
    for _, where, value in read_loose_jsonl(path):
        if not isinstance(value, dict):
            raise UserError("not an object", where=where)
        yield value, where


def _word(value: Mapping[str, Any], key: str, where: str) -> str:
    found = value.get(key)
    if not isinstance(found, str | int) or isinstance(found, bool) or not str(found).strip():
        raise UserError(f"`{key}` is missing or empty", where=where)
    return str(found).strip()


def _read_passages(path: Path) -> dict[str, str]:
    found: dict[str, str] = {}
    if path.is_dir():
        for file in sorted(path.iterdir()):
            if file.suffix in (".txt", ".md") and file.is_file():
                _add(found, file.stem, read_text(file).strip(), str(file))
    else:
        for value, where in _objects(path):
            _add(found, _word(value, "id", where), _word(value, "text", where), where)
    if not found:
        raise UserError("there are no texts here", where=str(path), hint="a folder with .txt or .md files")
    return found


def _add(found: dict[str, str], name: str, text: str, where: str) -> None:
    if not text:
        raise UserError("the text is empty", where=where)
    if len(text.split()) > _MOST_WORDS:
        raise UserError(f"the text has more than {_MOST_WORDS:,} words", where=where, hint="split it into passages")
    if name in found:
        raise UserError(f"another text is also called {name!r}", where=where)
    found[name] = text


_FORMATS = {"yes-no": "classification", "span": "extraction", "structure": "structure"}


def _read_questions(path: Path) -> dict[str, tuple[FileTask, str]]:
    """The questions by id, each with the form of its answers."""
    found: dict[str, tuple[FileTask, str]] = {}
    text = read_text(path)
    if text.lstrip().startswith("{"):
        rows = list(_objects(path))
    else:
        lines = enumerate(text.split("\n"), start=1)
        asked = [(at, line) for at, line in lines if line.strip() and not line.startswith("#")]
        rows = [({"id": f"question-{at}", "question": line}, f"{path}: line {at}") for at, line in asked]
    for number, (value, where) in enumerate(rows, start=1):
        question, form = _question(value, number, where)
        if question.id in found:
            raise UserError(f"another question also has the id {question.id!r}", where=where)
        found[question.id] = question, form
    if not found:
        raise UserError("there are no questions here", where=str(path))
    for question, _ in found.values():
        for base in question.derives_from:
            if base not in found:
                raise UserError(f"{question.id!r} derives from {base!r}, which is not asked", where=str(path))
    return found


def _question(value: Mapping[str, Any], number: int, where: str) -> tuple[FileTask, str]:
    text = _word(value, "question", where)
    form = first_word_format(text) or "extraction"
    if "format" in value:
        if value["format"] not in _FORMATS:
            raise UserError(f"`format` is one of {', '.join(_FORMATS)}, not {value['format']!r}", where=where)
        form = _FORMATS[value["format"]]
    kind = str(value.get("type", "base"))
    if kind not in GENERALISATIONS.values():
        raise UserError(f"`type` is one of {', '.join(GENERALISATIONS.values())}, not {kind!r}", where=where)
    derives = value.get("derives_from", [])
    if not isinstance(derives, list):
        raise UserError("`derives_from` is a list of ids", where=where)
    name = str(value.get("id", f"question-{number}"))
    return FileTask(name, text, kind, "documents", tuple(map(str, derives)), (), number, {}), form


def _annotations(path: Path) -> Iterator[tuple[dict[str, Any], str]]:
    """The annotations of a file, or those that people saved from the pages of `judge make --form answer`."""
    if not path.is_dir():
        yield from _objects(path)
        return
    keys, files = sorted(path.glob("*.key.json")), sorted(path.glob("answers-*.jsonl"))
    if len(keys) != 1 or not files:
        raise UserError(
            "the folder must hold one form's key (*.key.json) and the answers saved from it (answers-*.jsonl); "
            f"keys: {len(keys)}, files of answers: {len(files)}",
            where=str(path),
            hint="taskloom judge make RUN --form answer --raters 3 --overlap 1 -o form.html",
        )
    key = decode_loose_json(read_text(keys[0]), where=str(keys[0]), what="this file")
    items = key.get("items") if isinstance(key, dict) and key.get("kind") == "answer" else None
    if not isinstance(items, dict):
        raise UserError("not the key of a form to answer", where=str(keys[0]))
    for file in files:
        for value, where in _objects(file):
            item = items.get(_word(value, "item", where))
            if value.get("form") != key.get("id") or not isinstance(item, dict):
                raise UserError("this answers another form", where=where)
            about = {"question": item.get("task"), "passage": item.get("instance")}
            yield {**about, "annotator": value.get("rater"), "answer": value.get("answer")}, where


def _read_answers(
    path: Path, passages: Mapping[str, str], questions: Mapping[str, object]
) -> dict[tuple[str, str], dict[str, str]]:
    found: dict[tuple[str, str], dict[str, str]] = {}
    for value, where in _annotations(path):
        question, passage = _word(value, "question", where), _word(value, "passage", where)
        who, answer = _word(value, "annotator", where), value.get("answer")
        if question not in questions or passage not in passages:
            unknown = "question" if question not in questions else "passage"
            raise UserError(f"there is no {unknown} {value[unknown]!r}", where=where)
        text = answer if isinstance(answer, str) else json.dumps(answer, ensure_ascii=False) if answer else ""
        if not text.strip():
            raise UserError("`answer` is missing or empty", where=where, hint='"n/a" if the passage does not say')
        if who in found.setdefault((question, passage), {}):
            raise UserError(f"{who!r} answered this twice", where=where)
        found[question, passage][who] = text.strip()
    return found
