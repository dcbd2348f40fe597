"""The operators on tasks that Taskloom brings along, one record each; a file registers its own in the same way."""

from __future__ import annotations

import json
from typing import Any, Final

from taskloom.core import keyed_random
from taskloom.weave.records import AnswerOperator, Outline
from taskloom.weave.values import Value, number_of

SPOKEN = ("word", "text", "label")


def _number(act: str) -> dict[str, str]:
    return {
        "type": "number",
        "noun": "number",
        "kind": "number",
        "scorer": "",
        "form": f"Answer with {act}, in digits.",
    }


def _text(noun: str, form: str) -> dict[str, str]:
    return {"type": "word", "noun": noun, "kind": "text", "scorer": "normalised", "form": form}


def _form(inner: Outline, step: str, kind: str, form: str) -> Outline:
    """An output form: the same answer, written in a certain way, whose kind grades content and form."""
    return inner.after(step, kind=kind, scorer="", form=form, type="formed", labels=())


UPPER: Final = AnswerOperator(
    name="weave.upper", about="the answer in capital letters", takes=SPOKEN, nature="form",
    act=lambda text: text.upper() if text.upper() != text else None, example=("kitchen", "KITCHEN"),
    outline=lambda inner: _form(
        inner, "write {it} in capital letters", "capitals",
        f"Answer with the {inner.noun} in capital letters and nothing else.",
    ),
)  # fmt: skip
QUOTE: Final = AnswerOperator(
    name="weave.quote", about="the answer in double quotes", takes=(*SPOKEN, "number"), nature="form",
    act=lambda text: None if '"' in text else f'"{text}"', example=("kitchen", '"kitchen"'),
    outline=lambda inner: _form(
        inner, "put {it} in double quotes", "quoted", f"Answer with the {inner.noun} in double quotes and nothing else."
    ),
)  # fmt: skip


def _key(inner: Outline) -> str:
    """The key under which an answer stands in a JSON object; readers take "answer" and "result" for their own."""
    key = "cases" if inner.type == "cases" else inner.noun.split()[0]
    return key if key not in ("answer", "result") else "solution"


def _as_object(inner: Outline) -> Outline:
    listed = "the list of their numbers" if inner.type == "cases" else "{it}"
    return _form(
        inner, f'write a JSON object whose one key "{_key(inner)}" has {listed} as its value', "json-object",
        f'Answer with the JSON object and nothing else: {{"{_key(inner)}": …}}.',
    )  # fmt: skip


def _objects(value: Value, inner: Outline) -> Value:
    """Every answer as a JSON object; the numbers of cases as a list of numbers."""
    written: list[list[Any]] = [list(spellings) for spellings in value.answers]
    if inner.type == "cases":
        written = [[[int(number) for number in one]] for one in value.lists]
    key = _key(inner)
    return Value(tuple(tuple(json.dumps({key: one}, ensure_ascii=False) for one in each) for each in written))


JSON_OBJECT: Final = AnswerOperator(
    name="weave.json", about="the answer in a JSON object", takes=(*SPOKEN, "number", "cases"), nature="form",
    example=("kitchen", '{"solution": "kitchen"}'), whole=_objects,
    outline=_as_object,
)  # fmt: skip


def label_codes(labels: tuple[str, ...]) -> dict[str, str]:
    """An arbitrary code of two letters for each label, the same wherever these labels are renamed."""
    rng = keyed_random("weave", "codes", *labels)
    found: dict[str, str] = {}
    for label in labels:
        code = rng.choice("bdfgklmnprstvz") + rng.choice("aeiou") + rng.choice("bdfgklmnprstvz")
        while code in found.values():
            code = rng.choice("bdfgklmnprstvz") + rng.choice("aeiou") + rng.choice("bdfgklmnprstvz")
        found[label] = code
    return found


def _said_codes(labels: tuple[str, ...]) -> str:
    return ", ".join(f"{code} for {label}" for label, code in label_codes(labels).items())


RENAME: Final = AnswerOperator(
    name="weave.rename", about="a code that stands for the label", takes=("label",), nature="thing",
    example=("entailment", label_codes(("entailment", "other"))["entailment"]),
    whole=lambda value, inner: value.image(label_codes(inner.labels).get, "thing"),
    outline=lambda inner: inner.after(
        f"write the code that stands for {{it}}: {_said_codes(inner.labels)}", type="label", noun="code",
        kind="label", scorer="label", labels=tuple(label_codes(inner.labels).values()),
        form="Answer with the code only.",
    ),
)  # fmt: skip


def _counted(text: str, change: int, factor: int) -> str | None:
    number = number_of(text)
    return None if number is None else str(number * factor + change)


DOUBLE: Final = AnswerOperator(
    name="weave.double", about="twice the number", takes=("number",), nature="thing",
    act=lambda text: _counted(text, 0, 2), example=("two", "4"),
    outline=lambda inner: inner.after("double {it}", **_number("the doubled number")),
)  # fmt: skip
PLUS: Final = AnswerOperator(
    name="weave.plus", about="the number and some more", slots={"task": "a task", "number": "5"}, takes=("number",),
    nature="thing", act=lambda text, more: _counted(text, int(more), 1), example=("two", "5", "7"),
    outline=lambda inner, more: inner.after(f"add {more} to {{it}}", **_number("the sum")),
)  # fmt: skip
PARITY: Final = AnswerOperator(
    name="weave.parity", about="whether the number is even or odd", takes=("number",), nature="thing",
    act=lambda text: None if number_of(text) is None else ("even", "odd")[(number_of(text) or 0) % 2],
    example=("3", "odd"),
    outline=lambda inner: inner.after(
        "decide whether {it} is even or odd", type="label", noun="answer", kind="label", scorer="label",
        labels=("even", "odd"), form="Answer 'even' or 'odd'.",
    ),
)  # fmt: skip
HOWMANY: Final = AnswerOperator(
    name="weave.howmany", about="how many things the list has", takes=("list",), nature="thing",
    example=("apple, milk", "2"),
    whole=lambda value, inner: Value(((str(len(value.lists[0])),),)) if len(set(map(len, value.lists))) == 1 else None,
    outline=lambda inner: inner.after("count them", **_number("how many there are")),
)  # fmt: skip


def _letters(text: str) -> str | None:
    """A word of letters alone; what functions of letters are not asked about is None."""
    return text.lower() if text.isalpha() and text.isascii() and len(text) > 1 else None


INITIAL: Final = AnswerOperator(
    name="weave.initial", about="the first letter of the word", takes=("word", "label"), nature="string",
    act=lambda text: (word := _letters(text)) and word[0], example=("kitchen", "k"),
    outline=lambda inner: inner.after(
        "take the first letter of {it}", **_text("letter", "Answer with that letter only.")
    ),
)  # fmt: skip
FINAL_LETTER: Final = AnswerOperator(
    name="weave.final", about="the last letter of the word", takes=("word", "label"), nature="string",
    act=lambda text: (word := _letters(text)) and word[-1], example=("kitchen", "n"),
    outline=lambda inner: inner.after(
        "take the last letter of {it}", **_text("letter", "Answer with that letter only.")
    ),
)  # fmt: skip
LENGTH: Final = AnswerOperator(
    name="weave.length", about="how many letters the word has", takes=("word", "label"), nature="string",
    act=lambda text: (word := _letters(text)) and str(len(word)), example=("kitchen", "7"),
    outline=lambda inner: inner.after("count the letters of {it}", **_number("the number of letters")),
)  # fmt: skip
REVERSE: Final = AnswerOperator(
    name="weave.reverse", about="the word backwards", takes=("word", "label"), nature="string",
    act=lambda text: (word := _letters(text)) and word[::-1], example=("kitchen", "nehctik"),
    outline=lambda inner: inner.after(
        "write {it} backwards",
        **_text("word", "Answer with the reversed word only, in small letters."),
    ),
)  # fmt: skip
REST: Final = AnswerOperator(
    name="weave.rest", about="the word without its first letter", takes=("word", "label"), nature="string",
    act=lambda text: (word := _letters(text)) and word[1:], example=("kitchen", "itchen"),
    outline=lambda inner: inner.after(
        "leave out the first letter of {it}", **_text("word", "Answer with the rest only, in small letters.")
    ),
)  # fmt: skip
