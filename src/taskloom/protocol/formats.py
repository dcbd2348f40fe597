"""Answer formats: one sentence that says what an answer looks like, in the language of the task."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import msgspec

from taskloom.core import Task
from taskloom.core.decode import read_toml
from taskloom.core.kind import KINDS

FORMS = ("", "line", "schema")
"""How an answer is asked for: as it is, as a last line, or as JSON by a schema."""
_WORD = re.compile(r"[^\W\d_]+")


class RewordedSentence(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A kind of sentence that definitions hold: whose ("all" for any family), its pattern, and other wordings."""

    family: str
    pattern: str
    wordings: tuple[str, ...]


class ProtocolWords(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What protocols say, by language: `words.toml`, where each part is explained."""

    markers: dict[str, str]
    forms: dict[str, dict[str, str]]
    commonest: dict[str, str]
    others: dict[str, str]
    frames: dict[str, tuple[str, ...]]
    parts: dict[str, str]
    sentences: tuple[RewordedSentence, ...]


WORDS = read_toml(Path(__file__).with_name("words.toml"), type=ProtocolWords)
_OTHER_WORDS = tuple(frozenset(_WORD.findall(words)) for words in WORDS.others.values())
_LANGUAGES = {code: frozenset(_WORD.findall(words)) for code, words in WORDS.commonest.items()}


def language_in(text: str) -> str:
    """The language of a text by its commonest words: "en" (which also stands for all others), "es" or "de"."""
    shares = languages_in(text)
    best = max(shares, key=lambda code: shares[code])
    words = _WORD.findall(text.casefold())
    others = max(sum(map(common.__contains__, words)) for common in _OTHER_WORDS)
    return best if best == "en" or others <= round(shares[best] * len(words)) else "en"


def languages_in(text: str) -> dict[str, float]:
    """The share of a text's words that are among the commonest of each language."""
    words = _WORD.findall(text.casefold())
    return {code: sum(map(common.__contains__, words)) / max(1, len(words)) for code, common in _LANGUAGES.items()}


def language_of(task: Task) -> str:
    """The language of a task's definition."""
    return language_in(task.instruction.definition)


def answer_format(task: Task) -> str:
    """What an answer looks like, in one sentence: the kind of answer says it, in the language of the definition."""
    return KINDS.get(task.kind).sentence(task, language_of(task))


def form_sentence(task: Task, form: str) -> str:
    """The sentence that names the form, in the language of the task; "" for none."""
    return WORDS.forms[form][language_of(task)] if form else ""


def in_form(answer: str, task: Task, form: str) -> str:
    """An answer as a model is to write it."""
    if form == "line":
        return f"{WORDS.markers[language_of(task)]}: {answer}"
    return json.dumps({"answer": _value(answer, task)}, ensure_ascii=False) if form else answer


def _value(answer: str, task: Task) -> Any:
    """An answer as the JSON value that its schema describes."""
    wanted = KINDS.get(task.kind).schema_of(task).get("type", "")
    try:
        value = json.loads(answer)
    except ValueError:
        value = answer
    if wanted == "array" and not isinstance(value, list):
        return [part.strip() for part in re.split(r"[|,]" if re.search(r"[|,]", answer) else " ", answer)]
    return value if wanted != "string" else answer


def answer_schema(task: Task) -> str:
    """The JSON schema of a reply to a task, as servers take it."""
    inner = KINDS.get(task.kind).schema_of(task)
    whole = {"type": "object", "properties": {"answer": inner}, "required": ["answer"], "additionalProperties": False}
    return json.dumps(whole, ensure_ascii=False)
