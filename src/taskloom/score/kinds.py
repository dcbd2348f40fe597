"""The kinds of answers that Taskloom brings along, with the sentences of `kinds.toml` that ask for them."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from taskloom.core import AnyOf, Boolean, Items, Kind, Product, Structure, Targets, Task
from taskloom.core.targets import CheckedAnswers
from taskloom.score.read.numbers import number_text, whole_number
from taskloom.score.read.peel import peel, plain, strip_article
from taskloom.score.read.profile import profile_of

__all__ = ["BOOLEAN", "ITEMS", "JSON", "LABEL", "NUMBER", "SEQUENCE", "TEXT"]

_BETWEEN = re.compile(
    r"\s*(?:(?<!\d),|,(?!\d)|[;|\n]|\b(?:and|y|und|then)\b)\s*(?:(?:and|then|y|und)\s+)?", re.IGNORECASE
)
_BULLET = re.compile(r"\s*(?:[-*•–+]\s+|\(?\d{1,3}[.):]\s+)")
_KEY = re.compile(r'"([^"]+)"')
_FEW = 64
_MOST_ITEMS = 20


@cache
def _texts() -> dict[str, dict[str, str]]:
    return tomllib.loads((Path(__file__).parent / "kinds.toml").read_text("utf-8"))


def _asks(name: str, language: str, **slots: str) -> str:
    said = _texts()[name]
    return said.get(language, said["en"]).format(**slots)


# -- text, labels, truth values ---------------------------------------------------------------------------


def _ask_text(task: Task, language: str) -> str:
    if task.labels:
        return _asks("label", language, labels=", ".join(task.labels))
    return _asks("sentence" if profile_of(task).sentence else "text", language)


def _text(text: str, task: Task) -> str | None:
    if task.labels:
        return _label(text, task)
    return text.strip() or None


def _same_text(text: str, task: Task) -> str:
    profile = profile_of(task)
    form = plain(text, case=profile.case)
    return form if profile.articles or profile.case else strip_article(form)


def _text_spellings(answer: str, targets: Targets, task: Task) -> Iterator[str]:
    """The acceptable texts that this is another spelling of; lists with commas in any notation."""
    right = targets.answers if isinstance(targets, AnyOf) else (targets.canonical(),)
    said = _same_text(answer, task)
    if len(right) > _FEW:
        # Thousands of acceptable words are looked up, not spelled out one by one.
        folded = dict(zip("\n".join(right).casefold().split("\n"), right, strict=False))
        yield from (folded[form] for form in (said, f"{said}.") if form in folded)
        return
    yield from (one for one in right if _same_text(one, task) == said)
    if profile_of(task).commas:
        listed = _parts(said)
        yield from (one for one in right if "," in one and _parts(_same_text(one, task)) == listed)


def _label(text: str, task: Task) -> str | None:
    """The label that a text is, whole; hyphens and underscores are blanks where this confuses no two labels."""
    return _label_forms(task.labels).get(_label_form(text)) if task.labels else text.strip() or None


@cache
def _label_forms(labels: tuple[str, ...]) -> dict[str, str]:
    forms: dict[str, str] = {}
    for label in labels:
        forms.setdefault(_label_form(label), label)
    return forms


def _label_form(text: str) -> str:
    form = plain(text)
    return " ".join(strip_article(form).replace("-", " ").replace("_", " ").split()) or form


def _label_schema(task: Task) -> dict[str, Any]:
    return {"type": "string", "enum": list(task.labels)} if task.labels else {"type": "string"}


def _label_spellings(answer: str, targets: Targets, task: Task) -> Iterator[str]:
    right = targets.answers if isinstance(targets, AnyOf) else (targets.canonical(),)
    said = _label_form(answer)
    return (one for one in right if _label_form(one) == said)


# -- numbers ----------------------------------------------------------------------------------------------


def _number(text: str, task: Task) -> str | None:
    value = whole_number(text)
    return None if value is None else number_text(value)


def _number_schema(task: Task) -> dict[str, Any]:
    shown = [example.output.strip() for example in task.instruction.positive]
    return {"type": "integer" if shown and all(one.lstrip("-").isdecimal() for one in shown) else "number"}


# -- lists ------------------------------------------------------------------------------------------------


def _parts(text: str) -> list[str]:
    return [part for part in (plain(piece, case=True) for piece in _BETWEEN.split(text)) if part]


def _lines(text: str, joint: str) -> str | None:
    """A list on several lines, with bullets or without, on one."""
    if "\n" not in text:
        return text.strip() or None
    items = [peel(_BULLET.sub("", line, count=1)) for line in text.split("\n")]
    return joint.join(item for item in items if item) or None


def _ask_items(task: Task, language: str) -> str:
    shown = (task.instruction.definition, *(example.output for example in task.instruction.positive))
    separator = _asks("bar" if any("|" in text for text in shown) else "comma", language)
    return _asks("items", language, separator=separator)


def _item_spellings(answer: str, targets: Targets, task: Task) -> Iterator[str]:
    joint = targets.separator if isinstance(targets, Items) else ", "
    parts = [part.strip() for part in answer.split("|")] if "|" in answer else _parts(answer)
    yield joint.join(part for part in parts if part)


def _sequence_spellings(answer: str, targets: Targets, task: Task) -> Iterator[str]:
    joint = getattr(targets, "separator", " ")
    parts = _parts(answer)
    if len(parts) > 1 or "," in answer:
        yield (joint if joint.strip() else " ").join(parts)
        yield (joint if joint.strip() else " ").join(map(strip_article, parts))


def _list_schema(task: Task) -> dict[str, Any]:
    return {"type": "array", "items": {"type": "string"}, "maxItems": _MOST_ITEMS}


# -- JSON -------------------------------------------------------------------------------------------------


def _keys(task: Task) -> list[str]:
    found = _KEY.findall(task.instruction.definition)
    return list(dict.fromkeys(key for key in found if key.lower() != "n/a"))


def _ask_json(task: Task, language: str) -> str:
    keys = _keys(task)
    return _asks("keys", language, keys=", ".join(f'"{key}"' for key in keys)) if keys else _asks("json", language)


def _json(text: str, task: Task) -> str | None:
    if profile_of(task).missing and plain(text) == "n/a":
        return "n/a"
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        value = _python_literal(text)
    return json.dumps(value, ensure_ascii=False) if isinstance(value, dict | list) else None


def _python_literal(text: str) -> Any:
    """A structure with single quotes or a trailing comma, as models that think in Python write it."""
    import ast

    if text[:1] not in "[{" or len(text) > 20_000:
        return None
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return None


def _json_schema(task: Task) -> dict[str, Any]:
    keys = _keys(task)
    if not keys:
        return {"type": ["array", "object"]}
    row = {"type": "object", "properties": {key: {"type": "string"} for key in keys}, "required": keys}
    rows = {"type": "array", "items": row, "maxItems": _MOST_ITEMS}
    return {"anyOf": [rows, {"type": "string", "enum": ["n/a"]}]} if profile_of(task).missing else rows


def _json_spellings(answer: str, targets: Targets, task: Task) -> Iterator[str]:
    if answer.startswith("{"):
        yield f"[{answer}]"


def _write_json(text: str, task: Task) -> str:
    stated = _KEY.findall(task.instruction.definition.partition("keys ")[2])[:1] or ["answer"]
    return json.dumps([{stated[0]: text}], ensure_ascii=False)


TEXT = Kind(
    name="text", instruct=_ask_text, parse=_text, schema=_label_schema, targets=(AnyOf, CheckedAnswers),
    samples={"office": "office", " the office ": "the office", "": None},
    normalise=_same_text, respell=_text_spellings, scorer="exact", span=True, graded=True,
)  # fmt: skip
LABEL = Kind(
    name="label", instruct=_ask_text, parse=_label, schema=_label_schema, targets=(AnyOf,),
    samples={"yes": "yes", "YES.": "yes", "": None},
    normalise=lambda text, task: _label_form(text), respell=_label_spellings, scorer="label",
)  # fmt: skip
BOOLEAN = Kind(
    name="boolean", instruct=_ask_text, parse=_label, schema=_label_schema, targets=(Boolean, AnyOf),
    samples={"yes": "yes", "": None},
    normalise=lambda text, task: _label_form(text), respell=_label_spellings, scorer="label", labels=("yes", "no"),
)  # fmt: skip
NUMBER = Kind(
    name="number", instruct=lambda task, language: _asks("number", language), parse=_number, schema=_number_schema,
    targets=(AnyOf,), samples={"7": "7", "seven": "7", "1,200": "1200", "2.50": "2.5", "7 or 8": None, "many": None},
    normalise=lambda text, task: _number(text, task) or text, scorer="number", span=True,
)  # fmt: skip
ITEMS = Kind(
    name="items", instruct=_ask_items, parse=lambda text, task: _lines(text, " | "), schema=_list_schema,
    targets=(Items, AnyOf), samples={"apple, milk": "apple, milk", "- apple\n- milk": "apple | milk", "": None},
    normalise=lambda text, task: ", ".join(_parts(text)).casefold(), respell=_item_spellings,
    scorer="items", lines=True, graded=True, joined=True,
)  # fmt: skip
SEQUENCE = Kind(
    name="sequence", instruct=lambda task, language: _asks("sequence", language),
    parse=lambda text, task: _lines(text, " "), schema=_list_schema,
    targets=(Product, AnyOf), samples={"fig pear": "fig pear", "1. fig\n2. pear": "fig pear", "": None},
    normalise=lambda text, task: plain(text), respell=_sequence_spellings,
    scorer="words", lines=True, graded=True, joined=True,
)  # fmt: skip
JSON = Kind(
    name="json", instruct=_ask_json, parse=_json, schema=_json_schema, targets=(Structure,),
    samples={'[{"a": 1}]': '[{"a": 1}]', "[{'a': 1},]": '[{"a": 1}]', "a is 1": None},
    respell=_json_spellings, write=_write_json, scorer="structure", lines=True, graded=True, joined=True,
)  # fmt: skip
