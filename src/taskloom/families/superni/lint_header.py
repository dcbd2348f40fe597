"""Checks of everything but the instances: keys, types, names of categories, languages and domains."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

from taskloom.core import Finding, nearest
from taskloom.families.superni.schema import KEYS
from taskloom.families.superni.tracks import EVALUATION_METRICS
from taskloom.families.superni.view import definition_text
from taskloom.families.superni.vocabulary import DOMAINS, LANGUAGES, TYPES, language_name

Level = Literal["error", "warning", "note"]

_REQUIRED = ("Definition", "Positive Examples", "Negative Examples", "Instances")
_OFFICIAL = ("Contributors", "Source", "Categories", "Input_language", "Output_language", "Instruction_language")
_EXPECTED = ("Domains",)
_LISTS = ("Positive Examples", "Negative Examples", "Instances")
_FEWEST_WORDS = 8


def _is_texts(value: Any) -> bool:
    return isinstance(value, str) or (isinstance(value, list) and all(isinstance(text, str) for text in value))


def lint_schema(file: str, task: dict[str, Any], *, instances_sound: bool) -> Iterator[Finding]:
    """Missing, unknown and misspelt keys, and values of the wrong type.

    Args:
        file: The file's name.
        task: What it holds.
        instances_sound: Whether the instances were decoded strictly and need no second look.
    """
    for key in sorted(task.keys() - set(KEYS.values()) - {"Instruction Source"}):
        close = nearest(key, KEYS.values(), 1)
        fix = f"did you mean {close[0]!r}?" if close else f"known keys: {', '.join(KEYS.values())}"
        yield Finding(file, key, "warning", "no such key in the schema", fix, "unknown-key")
    for key in _REQUIRED:
        if key not in task:
            yield Finding(file, key, "error", "the key is missing", f"add {key!r}", "missing-key")
    for key in (*_OFFICIAL, *_EXPECTED):
        if not task.get(key):
            level: Level = "warning" if key in _EXPECTED else "error"
            code = "missing-header" if key in _OFFICIAL else "missing-key"
            yield Finding(file, key, level, "the key is missing or empty", f'add "{key}": ["…"]', code)
    for key in KEYS.values():
        value = task.get(key)
        if key in _LISTS or value is None:
            continue
        if not _is_texts(value):
            # Python writes NaN for an unknown URL; it is read as blank text.
            level = "error" if key in (*_REQUIRED, *_OFFICIAL) else "warning"
            yield Finding(file, key, level, "expected a list of texts", f'write "{key}": ["…"]', "type")
        elif isinstance(value, str) and key != "Definition":
            yield Finding(
                file, key, "warning", "expected a list, not one text", f'write ["{value[:30]}"]', "not-a-list"
            )
    for key in _LISTS[:2] if instances_sound else _LISTS:
        yield from _records(file, key, task.get(key, []))


def _records(file: str, key: str, records: Any) -> Iterator[Finding]:
    if not isinstance(records, list):
        yield Finding(file, key, "error", "expected a list of objects", code="type")
        return
    for index, record in enumerate(records):
        place = f"{key}[{index}]"
        if not isinstance(record, dict):
            yield Finding(file, place, "error", "expected an object", code="type")
            continue
        for field in ("input", "output"):
            if field not in record:
                message = "the key is missing"
                yield Finding(file, f"{place}.{field}", "error", message, f"add {field!r}", "missing-key")
            elif not (isinstance(record[field], str) or (field == "output" and _is_texts(record[field]))):
                yield Finding(file, f"{place}.{field}", "error", "expected text", code="type")
        for field in ("explanation", "id"):
            if record.get(field) is not None and not isinstance(record[field], str):
                yield Finding(file, f"{place}.{field}", "error", "expected text", code="type")
        output = record.get("output")
        if key == "Instances" and output == []:
            fix = "list every acceptable output"
            yield Finding(file, f"{place}.output", "error", "an instance without any output", fix, "no-output")
        elif key == "Instances" and isinstance(output, str):
            fix = f"write [{output[:30]!r}]"
            yield Finding(file, f"{place}.output", "error", "the output is not a list", fix, "string-output")
        elif key != "Instances" and isinstance(output, list):
            message = "the output of an example is one text"
            yield Finding(file, f"{place}.output", "error", message, "keep the best one", "list-output")


def _values(task: dict[str, Any], key: str) -> list[str]:
    value = task.get(key)
    if isinstance(value, str):
        return [value]
    return [text for text in value if isinstance(text, str)] if isinstance(value, list) else []


def lint_header(file: str, task: dict[str, Any]) -> Iterator[Finding]:
    """The definition, and names that are not those of the collection."""
    definition = definition_text(task)
    if len(definition.split()) < _FEWEST_WORDS:
        fix = "say what goes in, what comes out, and which outputs are allowed"
        yield Finding(file, "Definition", "warning", "too short for a person to do the task from", fix, "definition")
    for category in _values(task, "Categories"):
        if category not in TYPES:
            yield _unknown(file, "Categories", category, sorted(TYPES), "warning", "unknown-category")
    for domain in _values(task, "Domains"):
        if domain not in DOMAINS and domain not in DOMAINS.values():
            yield _unknown(file, "Domains", domain, sorted(DOMAINS), "error", "unknown-domain")
    for key in ("Input_language", "Output_language", "Instruction_language"):
        for language in _values(task, key):
            if language_name(language) not in LANGUAGES:
                yield _unknown(file, key, language, sorted(LANGUAGES), "error", "unknown-language")
    yield from _lint_languages(file, task, definition)


def _unknown(file: str, key: str, name: str, known: list[str], level: Level, code: str) -> Finding:
    close = nearest(name, known, 2)
    fix = (
        f"did you mean {' or '.join(map(repr, close))}?"
        if close
        else f"one of {len(known)} names, such as {known[0]!r}"
    )
    return Finding(file, key, level, f"unknown name {name!r}", fix, code)


def _lint_languages(file: str, task: dict[str, Any], definition: str) -> Iterator[Finding]:
    """A reader must know which language comes; the collection's tests refuse a definition that does not say it."""
    spoken = {language for key in ("Input_language", "Output_language") for language in _values(task, key)}
    for language in sorted(spoken - {"English"}):
        if language_name(language).lower() not in definition.lower():
            # A definition in the language itself need not name it, although the collection's tests want it to.
            named = language in _values(task, "Instruction_language") or language not in _values(task, "Input_language")
            level: Level = "warning" if named else "error"
            message = f"the definition does not name the language {language_name(language)}"
            yield Finding(file, "Definition", level, message, "say which language goes in or out", "unnamed-language")
    if "Source" in task and not _values(task, "Source"):
        return
    if set(_values(task, "Categories")) & EVALUATION_METRICS.keys() and not _values(task, "Source"):
        message = "a task of an evaluation category without a source: nothing keeps its texts out of training"
        yield Finding(file, "Source", "error", message, "name the source", "missing-header")
