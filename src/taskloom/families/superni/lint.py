"""Checks for people who write tasks: what `taskloom check tasks/` says about a file.

Errors do not work, warnings probably mislead a model or a reader, notes are worth a look. Each finding names the file,
the key and what would mend it; of many alike only the first few are told, with the number of the others.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Literal

from taskloom.core import Finding, UserError, nearest, track
from taskloom.families.superni.examples import definition_text, lint_examples, lint_labels
from taskloom.families.superni.schema import KEYS, decode_leniently

__all__ = ["lint_file", "lint_path"]

_MOST_ALIKE = 3
_REQUIRED = ("Definition", "Positive Examples", "Negative Examples", "Instances")
_EXPECTED = ("Source", "Categories", "Input_language", "Output_language", "Instruction_language", "Domains")
_NAME = re.compile(r"task\d{3,}_[\w.\-]+", re.ASCII)
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_FEWEST_WORDS = 8
_MOST_INSTANCES = 6500


def lint_path(path: Path) -> Iterator[Finding]:
    """Findings for a task file, a folder of them, or a collection with a `tasks` folder.

    Raises:
        UserError: There is no such path, or no task file in it.
    """
    if path.is_file():
        yield from lint_file(path)
        return
    folder = path / "tasks" if (path / "tasks").is_dir() else path
    files = sorted(folder.glob("*.json"))
    if not files:
        raise UserError("no task files (*.json) here", where=str(path), hint="taskloom new task NAME writes one")
    for file in track(files, "checking", len(files), unit="file"):
        yield from lint_file(file)


def lint_file(path: Path) -> Iterator[Finding]:
    """Findings for one task file."""
    told: Counter[tuple[str, str]] = Counter()
    for finding in _findings(path):
        alike = finding.level, finding.code
        told[alike] += 1
        if told[alike] <= _MOST_ALIKE:
            yield finding
    for (_, code), count in told.items():
        if count > _MOST_ALIKE:
            yield Finding(str(path), "", "note", f"{count - _MOST_ALIKE} more findings of {code!r}", code="more")


def _findings(path: Path) -> Iterator[Finding]:
    try:
        data = path.read_bytes()
    except OSError as error:
        yield Finding(str(path), "", "error", f"the file cannot be read: {error.strerror}", code="unreadable")
        return
    yield from _bytes(path, data)
    try:
        task = decode_leniently(data, path)
    except UserError as error:
        fix = "json.dump(task, file, indent=4, ensure_ascii=False) writes sound JSON"
        yield Finding(str(path), "", "error", error.message, fix, "json")
        return
    if not isinstance(task, dict):
        yield Finding(str(path), "", "error", "a task file holds one JSON object", code="schema")
        return
    schema = list(_schema(path, task))
    yield from schema
    yield from _header(path, task)
    if not any(finding.level == "error" for finding in schema):
        yield from _instances(path, task)
        yield from lint_examples(str(path), task)
        yield from lint_labels(str(path), task)


def _bytes(path: Path, data: bytes) -> Iterator[Finding]:
    if data.startswith(b"\xef\xbb\xbf"):
        yield Finding(
            str(path), "", "warning", "the file begins with a byte order mark", "save it as plain UTF-8", "bom"
        )
    try:
        data.decode()
    except UnicodeDecodeError as error:
        message = f"byte {error.start} is not UTF-8"
        yield Finding(str(path), "", "error", message, "save the file as UTF-8", "encoding")
    if not _NAME.fullmatch(path.name.removesuffix(".json")):
        fix = f"rename it to task001_{re.sub(r'[^a-z0-9]+', '_', path.stem.lower()).strip('_')}.json"
        yield Finding(str(path), "", "note", "file names look like task123_words.json", fix, "file-name")


def _is_texts(value: Any) -> bool:
    return isinstance(value, str) or (isinstance(value, list) and all(isinstance(text, str) for text in value))


def _schema(path: Path, task: dict[str, Any]) -> Iterator[Finding]:
    for key in task.keys() - set(KEYS.values()) - {"Instruction Source"}:
        close = nearest(key, KEYS.values(), 1)
        fix = f"did you mean {close[0]!r}?" if close else f"known keys: {', '.join(KEYS.values())}"
        yield Finding(str(path), key, "warning", "no such key in the schema", fix, "unknown-key")
    for key in _REQUIRED:
        if key not in task:
            yield Finding(str(path), key, "error", "the key is missing", f"add {key!r}", "missing-key")
    for key in _EXPECTED:
        if not task.get(key):
            level: Literal["warning", "note"] = "warning" if key in ("Categories", "Source") else "note"
            yield Finding(str(path), key, level, "the key is missing or empty", f'add "{key}": ["…"]', "missing-key")
    for key in set(KEYS.values()) - {"Positive Examples", "Negative Examples", "Instances"}:
        if key in task and task[key] is not None and not _is_texts(task[key]):
            yield Finding(str(path), key, "error", "expected a list of texts", f'write "{key}": ["…"]', "type")
    for key in ("Positive Examples", "Negative Examples", "Instances"):
        yield from _records(path, key, task.get(key, []))


def _records(path: Path, key: str, records: Any) -> Iterator[Finding]:
    if not isinstance(records, list):
        yield Finding(str(path), key, "error", "expected a list of objects", code="type")
        return
    for index, record in enumerate(records):
        place = f"{key}[{index}]"
        if not isinstance(record, dict):
            yield Finding(str(path), place, "error", "expected an object", code="type")
            continue
        for field in ("input", "output"):
            if field not in record:
                yield Finding(
                    str(path), f"{place}.{field}", "error", "the key is missing", f"add {field!r}", "missing-key"
                )
            elif not (isinstance(record[field], str) or (field == "output" and _is_texts(record[field]))):
                yield Finding(str(path), f"{place}.{field}", "error", "expected text", code="type")
        for field in ("explanation", "id"):
            if record.get(field) is not None and not isinstance(record[field], str):
                yield Finding(str(path), f"{place}.{field}", "error", "expected text", code="type")
        if key == "Instances" and record.get("output") == []:
            fix = "list every acceptable output"
            yield Finding(str(path), f"{place}.output", "error", "an instance without any output", fix, "no-output")


def _texts(task: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Every text of the file with its key."""
    for index, text in enumerate([task["Definition"]] if isinstance(task.get("Definition"), str) else []):
        yield f"Definition[{index}]", text
    for key in ("Definition", "Positive Examples", "Negative Examples", "Instances"):
        for index, item in enumerate(task[key] if isinstance(task.get(key), list) else []):
            fields: Iterable[tuple[str, Any]] = item.items() if isinstance(item, dict) else [("", item)]
            for field, value in fields:
                place = f"{key}[{index}].{field}".rstrip(".")
                for text in value if isinstance(value, list) else [value]:
                    if isinstance(text, str):
                        yield place, text


def _header(path: Path, task: dict[str, Any]) -> Iterator[Finding]:
    if len(definition_text(task).split()) < _FEWEST_WORDS:
        fix = "say what goes in, what comes out, and which outputs are allowed"
        yield Finding(
            str(path), "Definition", "warning", "too short for a person to do the task from", fix, "definition"
        )
    for place, found in _texts(task):
        if _CONTROL.search(found) or "\ufffd" in found:
            message = "control or replacement characters, usually the trace of a wrong decoding"
            yield Finding(str(path), place, "warning", message, "look at the source's encoding", "characters")
        elif any(0xD800 <= ord(letter) <= 0xDFFF for letter in found):
            yield Finding(str(path), place, "error", "half a surrogate pair", "decode the source again", "characters")
        elif found != found.strip():
            yield Finding(str(path), place, "note", "white space at an end", "strip it", "untrimmed")


def _instances(path: Path, task: dict[str, Any]) -> Iterator[Finding]:
    instances = task["Instances"]
    if not instances:
        yield Finding(str(path), "Instances", "error", "a task without instances", "add at least 100", "few-instances")
    elif len(instances) < 100:
        message = f"{len(instances)} instances; tests take 100 of each task"
        yield Finding(str(path), "Instances", "note", message, code="few-instances")
    elif len(instances) > _MOST_INSTANCES:
        message = f"{len(instances):,} instances; the collection keeps at most {_MOST_INSTANCES:,} per task"
        yield Finding(str(path), "Instances", "warning", message, "draw a sample", "many-instances")
    inputs: dict[str, int] = {}
    ids: dict[str, int] = {}
    for index, record in enumerate(instances):
        place = f"Instances[{index}]"
        outputs = [record["output"]] if isinstance(record["output"], str) else record["output"]
        if not record["input"].strip():
            yield Finding(str(path), f"{place}.input", "warning", "blank input", "remove the instance", "blank")
        if any(not output.strip() for output in outputs):
            yield Finding(str(path), f"{place}.output", "warning", "blank output", "write the answer out", "blank")
        if len(set(outputs)) < len(outputs):
            yield Finding(str(path), f"{place}.output", "note", "the same output twice", "keep one", "repeated-output")
        first = inputs.setdefault(" ".join(record["input"].split()), index)
        if first != index:
            message = f"the same input as Instances[{first}]"
            yield Finding(str(path), f"{place}.input", "warning", message, "remove one of them", "duplicate-input")
        name = record.get("id")
        if isinstance(name, str) and ids.setdefault(name, index) != index:
            message = f"the same id as Instances[{ids[name]}]"
            yield Finding(str(path), f"{place}.id", "error", message, "ids are unique", "duplicate-id")
