"""The operators on answers that Taskloom brings along; their words are in `operators.toml`.

A file registers operators of its own in the same way.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, Final

from taskloom.weave.records import AnswerOperator, Outline, words_of
from taskloom.weave.values import Value, label_codes, number_of


def _operator(word: str, act: Callable[..., str | None] | None = None, **fields: Any) -> AnswerOperator:
    said = words_of(word)

    def outline(inner: Outline, *values: str) -> Outline:
        labels = tuple(label_codes(inner.labels).values()) if word == "rename" else ()
        gives: dict[str, Any] = {"labels": labels, "scorer": "", **said.gives}
        return inner.after(said.step, said.named(values), said.form, **gives)

    known = {"nature": said.nature, "example": said.example, "outline": outline, **({"act": act} if act else {})}
    return AnswerOperator(**said.record(word), **{**known, **fields})


def _objects(value: Value, inner: Outline) -> Value:
    """Every answer as a JSON object; the numbers of cases as a list of numbers."""
    written: list[list[Any]] = [list(spellings) for spellings in value.answers]
    if inner.type == "cases":
        written = [[[int(number) for number in one]] for one in value.lists]
    return Value(tuple(tuple(json.dumps({inner.key: one}, ensure_ascii=False) for one in each) for each in written))


def _counted(text: str, change: int, factor: int) -> str | None:
    number = number_of(text)
    return None if number is None else str(number * factor + change)


def _letters(act: Callable[[str], str]) -> Callable[[str], str | None]:
    """A function of words of letters alone; it is not asked about anything else."""
    return lambda text: act(text.lower()) if text.isalpha() and text.isascii() and len(text) > 1 else None


UPPER: Final = _operator("upper", lambda text: text.upper() if text.upper() != text else None)
QUOTE: Final = _operator("quote", lambda text: None if '"' in text else f'"{text}"')
JSON_OBJECT: Final = _operator("json", whole=_objects)
RENAME: Final = _operator(
    "rename", whole=lambda value, inner: value.image(label_codes(inner.labels).get, "thing"),
    example=("entailment", label_codes(("entailment", "other"))["entailment"]),
)  # fmt: skip
DOUBLE: Final = _operator("double", lambda text: _counted(text, 0, 2))
PLUS: Final = _operator("plus", lambda text, more: _counted(text, int(more), 1))
PARITY: Final = _operator(
    "parity", lambda text: None if (number := number_of(text)) is None else ("even", "odd")[number % 2]
)
HOWMANY: Final = _operator(
    "howmany",
    whole=lambda value, inner: Value(((str(len(value.lists[0])),),)) if len(set(map(len, value.lists))) == 1 else None,
)
INITIAL: Final = _operator("initial", _letters(lambda word: word[0]))
FINAL_LETTER: Final = _operator("final", _letters(lambda word: word[-1]))
LENGTH: Final = _operator("length", _letters(lambda word: str(len(word))))
REVERSE: Final = _operator("reverse", _letters(lambda word: word[::-1]))
REST: Final = _operator("rest", _letters(lambda word: word[1:]))
