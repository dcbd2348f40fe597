"""Reading BoolQ, MultiRC, ReCoRD and SQuAD 1.1 from their published files, in the form of ZEST rows.

The T5 baseline "ZEST + MTL" of the paper (Table 3, appendix C.1) is trained on these four together with ZEST. The data
are not shipped; name the files if you have them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from taskloom.core import AnyOf, Boolean, Targets, UserError
from taskloom.core.decode import decode_loose_json, read_lines, read_text

_YES_NO = ("yes", "no")


class OtherQuestion(NamedTuple):
    """A question about a passage with its acceptable answers."""

    id: str
    passage: str
    question: str
    targets: Targets


class _AnswerPlace(NamedTuple):
    """Where in a file something stands, for errors."""

    path: Path
    what: str

    def wrong(self, problem: str) -> UserError:
        return UserError(problem, where=f"{self.path}: {self.what}")


def _get(value: Any, key: str, kind: type | tuple[type, ...], place: _AnswerPlace) -> Any:
    """A key of an object, checked."""
    found = value.get(key) if isinstance(value, Mapping) else None
    if not isinstance(found, kind) or (isinstance(found, bool) and kind is int):
        names = " or ".join(one.__name__ for one in (kind if isinstance(kind, tuple) else (kind,)))
        raise place.wrong(f"`{key}` is missing or not of type {names}")
    return found


def _lines(path: Path) -> Iterator[tuple[Any, _AnswerPlace]]:
    """The objects of a JSONL file."""
    for number, line in enumerate(read_lines(path), start=1):
        if line.strip():
            place = _AnswerPlace(path, f"line {number}")
            yield decode_loose_json(line, where=f"{path}: line {number}", what="this line"), place


def _boolq(path: Path) -> Iterator[OtherQuestion]:
    """BoolQ: question, passage and a truth value a line (`answer`, or `label` in the SuperGLUE layout)."""
    for number, (row, place) in enumerate(_lines(path)):
        key = "answer" if isinstance(row, Mapping) and "answer" in row else "label"
        truth = _get(row, key, bool, place)
        question = _get(row, "question", str, place).strip().rstrip("?")
        yield OtherQuestion(
            f"boolq-{row.get('idx', number)}", _get(row, "passage", str, place), f"{question}?", Boolean(truth, _YES_NO)
        )


def _data_or_lines(path: Path) -> list[tuple[Any, _AnswerPlace]]:
    """The rows of a file that is one object with `data`, or JSONL as in SuperGLUE."""
    text = read_text(path).lstrip()
    whole = decode_loose_json(text, where=path) if text.startswith("{") and "\n{" not in text else None
    if not isinstance(whole, Mapping) or "data" not in whole:
        return list(_lines(path))
    rows = _get(whole, "data", list, _AnswerPlace(path, "the file"))
    return [(row, _AnswerPlace(path, f"data[{at}]")) for at, row in enumerate(rows)]


_SENTENCE_MARKS = re.compile(r"<b>Sent \d+: </b>|<br>")


def _multirc(path: Path) -> Iterator[OtherQuestion]:
    """MultiRC: is a candidate a right answer? One row for each candidate of each question of each passage.

    Its own layout numbers the sentences of a `paragraph` and says `isAnswer`; SuperGLUE has a `passage` and `label`.
    """
    for number, (row, place) in enumerate(_data_or_lines(path)):
        own = isinstance(row, Mapping) and "paragraph" in row
        passage = _get(row, "paragraph" if own else "passage", dict, place)
        text = " ".join(_SENTENCE_MARKS.sub(" ", _get(passage, "text", str, place)).split())
        for at, question in enumerate(_get(passage, "questions", list, place)):
            asked = _get(question, "question", str, place)
            for turn, answer in enumerate(_get(question, "answers", list, place)):
                label = _get(answer, "isAnswer" if own else "label", (int, bool), place)
                claim = f"{asked.strip()} Is the answer: {_get(answer, 'text', str, place).strip()}?"
                name = f"{row.get('id' if own else 'idx', number)}-{question.get('idx', at)}-{answer.get('idx', turn)}"
                yield OtherQuestion(f"multirc-{name}", text, claim, Boolean(bool(label), _YES_NO))


def _record(path: Path) -> Iterator[OtherQuestion]:
    """ReCoRD: which entity of the passage fills the gap (@placeholder)? Its own layout or that of SuperGLUE."""
    for number, (row, place) in enumerate(_data_or_lines(path)):
        passage = _get(row, "passage", dict, place)
        shown = _get(passage, "text", str, place).replace("\n@highlight\n", " ")
        for at, query in enumerate(_get(row, "qas", list, place)):
            answers = [str(_get(answer, "text", str, place)) for answer in _get(query, "answers", list, place)]
            if not answers:
                raise place.wrong("a query without answers")
            name = f"record-{query.get('id', query.get('idx', f'{number}-{at}'))}"
            question = f"Which entity stands for @placeholder: {_get(query, 'query', str, place).strip()}"
            yield OtherQuestion(name, shown, question, AnyOf(tuple(dict.fromkeys(answers))))


def _squad(path: Path) -> Iterator[OtherQuestion]:
    """SQuAD 1.1: spans of paragraphs. Version 2 has questions without answers and is refused."""
    whole = decode_loose_json(read_text(path), where=path)
    place = _AnswerPlace(path, "the file")
    for number, article in enumerate(_get(whole, "data", list, place)):
        for at, paragraph in enumerate(_get(article, "paragraphs", list, _AnswerPlace(path, f"data[{number}]"))):
            place = _AnswerPlace(path, f"data[{number}].paragraphs[{at}]")
            context = _get(paragraph, "context", str, place)
            for question in _get(paragraph, "qas", list, place):
                answers = [str(_get(a, "text", str, place)) for a in _get(question, "answers", list, place)]
                if not answers:
                    raise place.wrong("a question without answers: this is SQuAD 2.0, version 1.1 is expected")
                text = _get(question, "question", str, place).strip()
                name = f"squad-{_get(question, 'id', str, place)}"
                yield OtherQuestion(name, context, text, AnyOf(tuple(dict.fromkeys(answers))))


READERS: dict[str, Callable[[Path], Iterator[OtherQuestion]]] = {
    "boolq": _boolq,
    "multirc": _multirc,
    "record": _record,
    "squad": _squad,
}

_LAYOUTS = {
    "boolq": "one object a line with `question`, `passage` and `answer` (`label` in SuperGLUE)",
    "multirc": "`data` with `paragraph`s and `isAnswer`, or in SuperGLUE one object a line with `passage` and `label`",
    "record": "`data` with `passage` and `qas`, or in SuperGLUE one such object a line",
    "squad": "version 1.1: `data` with `paragraphs`, each with `context` and `qas`",
}


def read_questions(name: str, path: str | Path) -> list[OtherQuestion]:
    """All questions of a published file.

    Args:
        name: boolq, multirc, record or squad.
        path: The file.

    Raises:
        UserError: The file cannot be read or is not of that layout, with the place.
    """
    file = Path(path).expanduser()
    try:
        found = list(READERS[name](file))
    except UserError as error:
        error.hint = error.hint or f"-T {name}= reads the training file as published: {_LAYOUTS[name]}"
        raise
    if not found:
        raise UserError(f"there is no question of {name} here", where=str(file))
    twice = {one.id for one in found}
    if len(twice) < len(found):
        raise UserError(f"{len(found) - len(twice)} questions share an id with another", where=str(file))
    return found
