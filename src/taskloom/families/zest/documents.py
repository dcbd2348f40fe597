"""`zest/documents`: a folder of texts and a file of questions become a suite.

Every question is a task, every text a passage. Answers come from people (one file of annotations, three annotators
each, as in section 4.4 of the paper), or stay open until they have been judged: such items are asked and exported,
and their gold says that it is open.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, ClassVar, Literal, NamedTuple

import msgspec

from taskloom.core import AnyOf, Instance, Recipe, Row, Suite, Targets, Task, UserError
from taskloom.core.decode import decode_loose_json, read_lines, read_text
from taskloom.core.instance import Facet, FacetType
from taskloom.families.zest.adjudicate import Adjudication, adjudicate
from taskloom.families.zest.describe import shown_input
from taskloom.families.zest.load import GENERALISATIONS, FileTask, answer_targets, task_of
from taskloom.families.zest.score.file import first_word_format

OPEN = "(open: nobody has answered yet)"
"""The gold answer of an item that no people have judged."""

_FACETS: dict[str, FacetType] = {"answer": str, "agreement": str, "words": int}
_MOST_WORDS = 5_000


class DocumentsRecipe(Recipe, frozen=True, kw_only=True):
    """Texts and questions of one's own.

    Attributes:
        passages: A folder of .txt or .md files, or one JSONL file with `id` and `text`.
        questions: A text file with one question a line, or JSONL with `id`, `question` and optionally `format`
            (yes-no, span or structure), `type` (base, paraphrase, flip, combination, structure) and `derives_from`.
        answers: JSONL with `passage`, `question`, `annotator` and `answer`, several annotators each; or a folder with
            what came back from a form to answer, its key and files of answers; none leaves every answer open.
        scorer: `zest/fair` or `zest/official`.
    """

    file_keys: ClassVar[tuple[str, ...]] = ("passages", "questions", "answers")

    passages: str = ""
    questions: str = ""
    answers: str = ""
    scorer: Literal["zest/fair", "zest/official"] = "zest/fair"


class _Question(NamedTuple):
    id: str
    text: str
    closed: bool
    structure: bool
    kind: str
    derives_from: tuple[str, ...]
    line: int


def documents_suite(recipe: DocumentsRecipe, seed: int) -> Suite:
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

    def draw(split: str) -> Iterator[Row]:
        for question in questions.values():
            for name, text in passages.items():
                yield _row(question, name, text, given.get((question.id, name), {}))

    return Suite(
        name="zest/documents",
        recipe=msgspec.to_builtins(recipe),
        seed=seed,
        tasks={question.id: _task(question, recipe) for question in questions.values()},
        splits={"test": len(questions) * len(passages)},
        draw=draw,
        facets=_FACETS,
        apart="pairs",
        pool=None,
        notes={"open": sum((q, p) not in given for q in questions for p in passages)},
    )


def _task(question: _Question, recipe: DocumentsRecipe) -> Task:
    form = "structure" if question.structure else "classification" if question.closed else "extraction"
    file_task = FileTask(
        question.id, question.text, question.kind, "documents", question.derives_from, (), question.line, {}
    )
    return task_of(question.id, file_task, recipe.scorer, form)


def _row(question: _Question, passage: str, text: str, given: Mapping[str, str]) -> Row:
    verdict = adjudicate(list(given.values()), closed=question.closed) if given else Adjudication(None, "open")
    targets: Targets | None = None if verdict.answer is None else answer_targets(verdict.answer)
    said = "open" if targets is None else targets.canonical().lower()
    kinds = {"n/a": "na", "na": "na", "yes": "yes", "no": "no", "open": "open"}
    facets: dict[str, Facet] = {
        "answer": kinds.get(said, "value"),
        "agreement": verdict.agreement,
        "words": len(text.split()),
    }
    return Row(
        question.id,
        Instance(
            id=passage,
            input=shown_input(text, question.text, "both"),
            targets=targets if targets is not None else AnyOf((OPEN,)),
            facets=facets,
            parts={"passage": text, "question": question.text},
            details={"annotators": dict(given)},
        ),
    )


# ------------------------------------------------------------------------ files


def _objects(path: Path) -> Iterator[tuple[dict[str, Any], str]]:
    for number, line in enumerate(read_lines(path), start=1):
        if line.strip():
            where = f"{path}: line {number}"
            value = decode_loose_json(line, where=where, what="this line")
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


_FORMATS = ("yes-no", "span", "structure")


def _read_questions(path: Path) -> dict[str, _Question]:
    found: dict[str, _Question] = {}
    text = read_text(path)
    if text.lstrip().startswith("{"):
        for number, (value, where) in enumerate(_objects(path), start=1):
            _add_question(found, _question(value, number, where), where)
    else:
        for number, line in enumerate(text.split("\n"), start=1):
            if line.strip() and not line.startswith("#"):
                question = _question({"question": line}, number, f"{path}: line {number}")
                _add_question(found, question, f"{path}: line {number}")
    if not found:
        raise UserError("there are no questions here", where=str(path))
    for question in found.values():
        for base in question.derives_from:
            if base not in found:
                raise UserError(f"{question.id!r} derives from {base!r}, which is not asked", where=str(path))
    return found


def _question(value: Mapping[str, Any], number: int, where: str) -> _Question:
    text = _word(value, "question", where)
    guessed = "yes-no" if first_word_format(text) == "classification" else "span"
    form = value.get("format", guessed)
    if form not in _FORMATS:
        raise UserError(f"`format` is one of {', '.join(_FORMATS)}, not {form!r}", where=where)
    kind = str(value.get("type", "base"))
    if kind not in GENERALISATIONS.values():
        raise UserError(f"`type` is one of {', '.join(GENERALISATIONS.values())}, not {kind!r}", where=where)
    derives = value.get("derives_from", [])
    if not isinstance(derives, list):
        raise UserError("`derives_from` is a list of ids", where=where)
    name = str(value.get("id", f"question-{number}"))
    return _Question(name, text, form == "yes-no", form == "structure", kind, tuple(map(str, derives)), number)


def _add_question(found: dict[str, _Question], question: _Question, where: str) -> None:
    if question.id in found:
        raise UserError(f"another question also has the id {question.id!r}", where=where)
    found[question.id] = question


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
    path: Path, passages: Mapping[str, str], questions: Mapping[str, _Question]
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
