"""The kinds of answers that Taskloom brings along: how each is asked for (`kinds.toml`), parsed and compared."""

from __future__ import annotations

import json
import re
import tomllib
from dataclasses import replace
from pathlib import Path
from typing import Any

from taskloom.core import AnyOf, Boolean, Items, Kind, Product, Structure, Task
from taskloom.core.targets import CheckedAnswers
from taskloom.score.read.text import plain
from taskloom.score.read.values import (
    item_spellings,
    label_form,
    parse_json,
    parse_label,
    parse_lines,
    parse_number,
    parts_of,
    profile_of,
    same_text,
    sequence_spellings,
    text_spellings,
)

_KEY = re.compile(r'"([^"]+)"')
_MOST_ITEMS = 20
_LIST = {"type": "array", "items": {"type": "string"}, "maxItems": _MOST_ITEMS}
_SENTENCES: dict[str, dict[str, str]] = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))


def _asks(name: str, language: str, **slots: str) -> str:
    said = _SENTENCES[name]
    return said.get(language, said["en"]).format(**slots)


def _ask_text(task: Task, language: str) -> str:
    if task.labels:
        return _asks("label", language, labels=", ".join(task.labels))
    return _asks("sentence" if profile_of(task).sentence else "text", language)


def _label_schema(task: Task) -> dict[str, Any]:
    return {"type": "string", "enum": list(task.labels)} if task.labels else {"type": "string"}


def _number_schema(task: Task) -> dict[str, Any]:
    shown = [example.output.strip() for example in task.instruction.positive]
    return {"type": "integer" if shown and all(one.lstrip("-").isdecimal() for one in shown) else "number"}


def _ask_items(task: Task, language: str) -> str:
    shown = (task.instruction.definition, *(example.output for example in task.instruction.positive))
    separator = _asks("bar" if any("|" in text for text in shown) else "comma", language)
    return _asks("items", language, separator=separator)


def _keys(task: Task) -> list[str]:
    found = _KEY.findall(task.instruction.definition)
    return list(dict.fromkeys(key for key in found if key.lower() != "n/a"))


def _ask_json(task: Task, language: str) -> str:
    keys = _keys(task)
    return _asks("keys", language, keys=", ".join(f'"{key}"' for key in keys)) if keys else _asks("json", language)


def _json_schema(task: Task) -> dict[str, Any]:
    keys = _keys(task)
    if not keys:
        return {"type": ["array", "object"]}
    row = {"type": "object", "properties": {key: {"type": "string"} for key in keys}, "required": keys}
    rows = {"type": "array", "items": row, "maxItems": _MOST_ITEMS}
    return {"anyOf": [rows, {"type": "string", "enum": ["n/a"]}]} if profile_of(task).missing else rows


def _write_json(text: str, task: Task) -> str:
    stated = _KEY.findall(task.instruction.definition.partition("keys ")[2])[:1] or ["answer"]
    return json.dumps([{stated[0]: text}], ensure_ascii=False)


TEXT = Kind(
    name="text", instruct=_ask_text, parse=parse_label, schema=_label_schema, targets=(AnyOf, CheckedAnswers),
    samples={"office": "office", " the office ": "the office", "": None},
    normalise=same_text, respell=text_spellings, scorer="exact", span=True, graded=True,
)  # fmt: skip
LABEL = Kind(
    name="label", instruct=_ask_text, parse=parse_label, schema=_label_schema, targets=(AnyOf,),
    samples={"yes": "yes", "YES.": "yes", "": None},
    normalise=lambda text, task: label_form(text), scorer="label",
)  # fmt: skip
BOOLEAN = replace(
    LABEL, name="boolean", targets=(Boolean, AnyOf), samples={"yes": "yes", "": None}, labels=("yes", "no")
)
NUMBER = Kind(
    name="number", instruct=lambda task, language: _asks("number", language), parse=parse_number, schema=_number_schema,
    targets=(AnyOf,), samples={"7": "7", "seven": "7", "1,200": "1200", "2.50": "2.5", "7 or 8": None, "many": None},
    normalise=lambda text, task: parse_number(text, task) or text, scorer="number", span=True,
)  # fmt: skip
ITEMS = Kind(
    name="items", instruct=_ask_items, parse=lambda text, task: parse_lines(text, " | "), schema=_LIST,
    targets=(Items, AnyOf), samples={"apple, milk": "apple, milk", "- apple\n- milk": "apple | milk", "": None},
    normalise=lambda text, task: ", ".join(parts_of(text)).casefold(), respell=item_spellings,
    scorer="items", lines=True, graded=True, joined=True,
)  # fmt: skip
SEQUENCE = Kind(
    name="sequence", instruct=lambda task, language: _asks("sequence", language),
    parse=lambda text, task: parse_lines(text, " "), schema=_LIST,
    targets=(Product, AnyOf), samples={"fig pear": "fig pear", "1. fig\n2. pear": "fig pear", "": None},
    normalise=lambda text, task: plain(text), respell=sequence_spellings,
    scorer="words", lines=True, graded=True, joined=True,
)  # fmt: skip
JSON = Kind(
    name="json", instruct=_ask_json, parse=parse_json, schema=_json_schema, targets=(Structure,),
    samples={'[{"a": 1}]': '[{"a": 1}]', "[{'a': 1},]": '[{"a": 1}]', "a is 1": None},
    respell=lambda answer, targets, task: iter([f"[{answer}]"] if answer.startswith("{") else []),
    write=_write_json, scorer="structure",
    lines=True, graded=True, joined=True, structured=True,
)  # fmt: skip
