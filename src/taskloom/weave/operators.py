"""The operators on answers that Taskloom brings along; their words are in `operators.toml`.

A file registers operators of its own in the same way.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, Final

from taskloom.weave.records import AnswerOperator, Outline, Value, label_codes, number_of, words_of


def word_operator(word: str, act: Callable[..., str | None] | None = None, **fields: Any) -> AnswerOperator:
    """The operator on answers whose words stand in `operators.toml` under that name."""
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


def _how_many(value: Value, inner: Outline) -> Value | None:
    """How many members a list has; that nothing is said about them is no number."""
    sizes = set(map(len, value.lists))
    return None if len(sizes) != 1 or "n/a" in value.texts else Value(((str(sizes.pop()),),))


def _letters(act: Callable[[str], str]) -> Callable[[str], str | None]:
    """A function of words of letters alone; it is not asked about anything else."""
    return lambda text: act(text.lower()) if text.isalpha() and text.isascii() and len(text) > 1 else None


UPPER: Final = word_operator("upper", lambda text: text.upper() if text.upper() != text else None)
QUOTE: Final = word_operator("quote", lambda text: None if '"' in text else f'"{text}"')
JSON_OBJECT: Final = word_operator("json", whole=_objects)
RENAME: Final = word_operator(
    "rename", whole=lambda value, inner: value.image(label_codes(inner.labels).get, "thing"),
    example=("entailment", label_codes(("entailment", "other"))["entailment"]),
)  # fmt: skip
DOUBLE: Final = word_operator("double", lambda text: _counted(text, 0, 2))
PLUS: Final = word_operator("plus", lambda text, more: _counted(text, int(more), 1))
PARITY: Final = word_operator(
    "parity", lambda text: None if (number := number_of(text)) is None else ("even", "odd")[number % 2]
)
HOWMANY: Final = word_operator("howmany", whole=_how_many)
INITIAL: Final = word_operator("initial", _letters(lambda word: word[0]))
FINAL_LETTER: Final = word_operator("final", _letters(lambda word: word[-1]))
LENGTH: Final = word_operator("length", _letters(lambda word: str(len(word))))
REVERSE: Final = word_operator("reverse", _letters(lambda word: word[::-1]))
REST: Final = word_operator("rest", _letters(lambda word: word[1:]))
