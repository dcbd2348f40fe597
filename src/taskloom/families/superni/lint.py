"""The linter of task files: what `taskloom check tasks/` says.

It finds everything that the collection's own tests refuse, and more; the sentences are those of `lint.toml`. Each
finding names the file, the key and what to do; of many alike only the first few are listed, with the number of the
others.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import Any

from taskloom.core import Finding, UserError, nearest, track
from taskloom.core.decode import decode_loose_json, read_bytes
from taskloom.families.superni.collection import KEYS, decode_leniently
from taskloom.families.superni.lint_content import (
    Fingerprint,
    TaskView,
    definition_text,
    finding,
    fingerprint,
    lint_across,
    lint_examples,
    lint_labels,
)
from taskloom.families.superni.tracks import DOMAINS, EVALUATION_METRICS, LANGUAGES, TYPES, language_name

_MOST_ALIKE = 3
_NAME = re.compile(r"task\d{3,}_[\w.\-]+", re.ASCII)
_FEWEST_INSTANCES = 25
_MOST_INSTANCES = 6500
_FEWEST_WORDS = 8

_REQUIRED = ("Definition", "Positive Examples", "Negative Examples", "Instances")
_OFFICIAL = ("Contributors", "Source", "Categories", "Input_language", "Output_language", "Instruction_language")
_EXPECTED = ("Domains",)
_LISTS = ("Positive Examples", "Negative Examples", "Instances")

_ESCAPED_KEY = re.compile(rb'\\u00[0-9a-fA-F]{2}\w{0,20}"\s*:')
_ODD = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ufffd\ud800-\udfff]")
# UTF-8 that was read as Latin-1 or Windows-1252: "CafÃ©", "itâ€™s".
_MISREAD = re.compile("Ã[\x80-\xbf]|â€")
_ODD_BYTES = (b"\\u", b"\\b", b"\\f", b"\x7f", b"\xef\xbf\xbd", b"\xc3\x83\xc2", b"\xc3\xa2\xe2\x82\xac")
"""What a file holds that has such a text: JSON knows control characters only as escapes."""


def lint_path(path: str | Path) -> Iterator[Finding]:
    """Findings for a task file, a folder of them, or a collection with a `tasks` folder.

    Raises:
        UserError: There is no such path, or no task file in it.
    """
    path = Path(path)
    if path.is_file():
        yield from lint_file(path)
        return
    folder = path / "tasks" if (path / "tasks").is_dir() else path
    files = sorted(folder.glob("*.json"))
    if not files:
        raise UserError("no task files (*.json) here", where=str(path), hint="taskloom new task-file NAME writes one")
    prints: list[Fingerprint] = []
    for file in track(files, "checking", len(files), unit="file"):
        yield from _few_alike(file, _findings(file, prints))
    yield from lint_across(path, prints)


def lint_file(path: str | Path) -> Iterator[Finding]:
    """Findings for one task file."""
    yield from _few_alike(Path(path), _findings(Path(path), []))


def _few_alike(path: Path, findings: Iterator[Finding]) -> Iterator[Finding]:
    seen: Counter[tuple[str, str]] = Counter()
    for one in findings:
        alike = one.level, one.code
        seen[alike] += 1
        if seen[alike] <= _MOST_ALIKE:
            yield one
    for (_, code), count in seen.items():
        if count > _MOST_ALIKE:
            yield finding(str(path), "more", count=count - _MOST_ALIKE, code=code)


def _findings(path: Path, prints: list[Fingerprint]) -> Iterator[Finding]:
    file = str(path)
    try:
        data = read_bytes(path)
    except UserError as error:
        yield finding(file, "unreadable", message=error.message)
        return
    yield from _lint_name(path, data)
    try:
        task = decode_leniently(data, path)
    except UserError as error:
        yield from _encoding(file, data)
        yield finding(file, "json", message=error.message)
        return
    if not isinstance(task, dict):
        yield finding(file, "schema")
        return
    schema = list(_lint_schema(file, task))
    yield from schema
    if any(one.code in ("type", "missing-key", "no-output") and one.level == "error" for one in schema):
        yield from _lint_header(file, task)
        yield from _duplicate_keys(file, data)
        return
    view = TaskView(task)
    if not _keys_once(data, view):
        yield from _duplicate_keys(file, data)
    yield from _lint_header(file, task)
    yield from _lint_texts(file, data, view)
    yield from _lint_instances(path, view)
    yield from lint_examples(file, view)
    yield from lint_labels(file, view)
    prints.append(fingerprint(path, view))


def _lint_name(path: Path, data: bytes) -> Iterator[Finding]:
    file, stem = str(path), path.name.removesuffix(".json")
    if data.startswith(b"\xef\xbb\xbf"):
        yield finding(file, "bom")
    wanted = re.sub(r"[^a-z0-9.\-]+", "_", stem.lower()).strip("_")
    if stem != stem.lower():
        yield finding(file, "upper-case", wanted=wanted)
    elif not _NAME.fullmatch(stem):
        yield finding(file, "file-name", wanted=wanted)


def _encoding(file: str, data: bytes) -> Iterator[Finding]:
    try:
        data.decode()
    except UnicodeDecodeError as error:
        yield finding(file, "encoding", start=error.start)


def _keys_once(data: bytes, view: TaskView) -> bool:
    """Whether every key can stand only once.

    Inside a text a quotation mark follows a backslash, so that a bare `"input"` is a key or, seldom, a whole text:
    then the slow look decides.
    """
    records = len(view.inputs) + len(view.positive) + len(view.negative)
    count = len(view.inputs)
    most = {"Instances": 1, "input": records, "output": records, "id": count, "explanation": records - count}
    if _ESCAPED_KEY.search(data) or any(data.count(f'"{key}"'.encode()) > most[key] for key in most):
        return False
    outside = data[: data.find(b'"Instances"')] + data[data.rfind(b"}", 0, data.rfind(b"]")) :]
    return all(outside.count(f'"{key}"'.encode()) == 1 for key in view.header)


def _duplicate_keys(file: str, data: bytes) -> Iterator[Finding]:
    """Keys that stand twice in one object; readers keep one value and lose the other without a word."""
    repeated: Counter[str] = Counter()

    def look(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        keys = Counter(key for key, _ in pairs)
        repeated.update({key: times - 1 for key, times in keys.items() if times > 1})
        return dict(pairs)

    try:
        decode_loose_json(data, where=file, pairs=look)
    except UserError:
        return
    for key, times in repeated.items():
        yield finding(file, "duplicate-key", key, times=times, verb="s are" if times > 1 else " is")


# ------------------------------------------------------------------------- keys and header


def _is_texts(value: Any) -> bool:
    return isinstance(value, str) or (isinstance(value, list) and all(isinstance(text, str) for text in value))


def _lint_schema(file: str, task: dict[str, Any]) -> Iterator[Finding]:
    """Missing, unknown and misspelt keys, and values of the wrong type."""
    for key in sorted(task.keys() - set(KEYS.values()) - {"Instruction Source"}):
        close = nearest(key, KEYS.values(), 1)
        fix = f"did you mean {close[0]!r}?" if close else f"known keys: {', '.join(KEYS.values())}"
        yield finding(file, "unknown-key", key, fix=fix)
    for key in _REQUIRED:
        if key not in task:
            yield finding(file, "missing-key", key, name=key)
    for key in (*_OFFICIAL, *_EXPECTED):
        if not task.get(key):
            yield finding(file, "missing-header" if key in _OFFICIAL else "missing-key.expected", key, name=key)
    for key in KEYS.values():
        value = task.get(key)
        if key in _LISTS or value is None:
            continue
        if not _is_texts(value):
            used = key in (*_REQUIRED, *_OFFICIAL)
            yield finding(file, "type.texts" if used else "type.texts-unused", key, name=key)
        elif isinstance(value, str) and key != "Definition":
            yield finding(file, "not-a-list", key, text=value[:30])
    for key in _LISTS:
        yield from _lint_records(file, key, task.get(key, []))


def _lint_records(file: str, key: str, records: Any) -> Iterator[Finding]:
    if not isinstance(records, list):
        yield finding(file, "type.objects", key)
        return
    instances = key == "Instances"
    for index, record in enumerate(records):
        place = f"{key}[{index}]"
        if not isinstance(record, dict):
            yield finding(file, "type.object", place)
            continue
        output = record.get("output")
        if not isinstance(record.get("input"), str) or not isinstance(output, list) or not _is_texts(output):
            yield from _lint_fields(file, place, record)
        for field in ("explanation", "id"):
            if record.get(field) is not None and not isinstance(record[field], str):
                yield finding(file, "type.text", f"{place}.{field}")
        if instances and output == []:
            yield finding(file, "no-output", f"{place}.output")
        elif instances and isinstance(output, str):
            yield finding(file, "string-output", f"{place}.output", text=output[:30])
        elif not instances and isinstance(output, list):
            yield finding(file, "list-output", f"{place}.output")


def _lint_fields(file: str, place: str, record: dict[str, Any]) -> Iterator[Finding]:
    for field in ("input", "output"):
        if field not in record:
            yield finding(file, "missing-key", f"{place}.{field}", name=field)
        elif not (isinstance(record[field], str) or (field == "output" and _is_texts(record[field]))):
            yield finding(file, "type.text", f"{place}.{field}")


def _values(task: dict[str, Any], key: str) -> list[str]:
    value = task.get(key)
    if isinstance(value, str):
        return [value]
    return [text for text in value if isinstance(text, str)] if isinstance(value, list) else []


def _lint_header(file: str, task: dict[str, Any]) -> Iterator[Finding]:
    """The definition, and names that are not those of the collection."""
    definition = definition_text(task)
    if len(definition.split()) < _FEWEST_WORDS:
        yield finding(file, "definition", "Definition")
    for category in _values(task, "Categories"):
        if category not in TYPES:
            yield _unknown(file, "Categories", category, TYPES, "unknown-category")
    for domain in _values(task, "Domains"):
        if domain not in DOMAINS and domain not in DOMAINS.values():
            yield _unknown(file, "Domains", domain, DOMAINS, "unknown-domain")
    for key in ("Input_language", "Output_language", "Instruction_language"):
        for language in _values(task, key):
            if language_name(language) not in LANGUAGES:
                yield _unknown(file, key, language, LANGUAGES, "unknown-language")
    yield from _lint_languages(file, task, definition)


def _unknown(file: str, key: str, name: str, known: Collection[str], rule: str) -> Finding:
    close = nearest(name, sorted(known), 2)
    meant = " or ".join(map(repr, close))
    fix = f"did you mean {meant}?" if close else f"one of {len(known)} names, such as {min(known)!r}"
    return finding(file, rule, key, name=name, fix=fix)


def _lint_languages(file: str, task: dict[str, Any], definition: str) -> Iterator[Finding]:
    """A reader must know which language comes; the collection's tests refuse a definition that does not say it."""
    spoken = {language for key in ("Input_language", "Output_language") for language in _values(task, key)}
    for language in sorted(spoken - {"English"}):
        name = language_name(language)
        if name.lower() not in definition.lower():
            itself = language in _values(task, "Instruction_language") or language not in _values(
                task, "Input_language"
            )
            rule = "unnamed-language.itself" if itself else "unnamed-language"
            yield finding(file, rule, "Definition", language=name)
    if "Source" not in task and set(_values(task, "Categories")) & EVALUATION_METRICS.keys():
        yield finding(file, "missing-header.source", "Source")


# ------------------------------------------------------------------------ texts and instances


def _lint_texts(file: str, data: bytes, view: TaskView) -> Iterator[Finding]:
    odd = any(mark in data for mark in _ODD_BYTES)  # most files need no look at each text
    for before, behind, texts in view.texts():
        for index, text in enumerate(texts):
            if odd or text != text.strip():
                yield from _lint_text(file, f"{before}[{index}]{behind}", text)
    for index in view.several:
        for text in view.outputs[index][1:]:
            if odd or text != text.strip():
                yield from _lint_text(file, f"Instances[{index}].output", text)


def _lint_text(file: str, place: str, text: str) -> Iterator[Finding]:
    odd = _ODD.search(text)
    if odd:
        yield finding(file, "characters.half" if "\ud800" <= odd[0] <= "\udfff" else "characters.odd", place)
    elif misread := _MISREAD.search(text):
        around = text[max(0, misread.start() - 8) : misread.end() + 2]
        yield finding(file, "characters.misread", place, text=around)
    elif text != text.strip():
        yield finding(file, "untrimmed", place)


def _lint_instances(path: Path, view: TaskView) -> Iterator[Finding]:
    file, count = str(path), len(view.inputs)
    if count <= _FEWEST_INSTANCES:
        rule = "few-instances" if count else "few-instances.none"
        yield finding(file, rule, "Instances", count=count, fewest=_FEWEST_INSTANCES)
    elif count < 100:
        yield finding(file, "few-instances.tests", "Instances", count=count)
    elif count > _MOST_INSTANCES:
        yield finding(file, "many-instances", "Instances", count=count, most=_MOST_INSTANCES)
    for index, text in enumerate(view.stripped):
        if not text:
            yield finding(file, "blank.input", f"Instances[{index}].input")
    blank = [index for index, text in enumerate(view.stripped_outputs) if not text]
    for index in sorted({*blank, *view.several}):
        outputs, place = view.outputs[index], f"Instances[{index}].output"
        if any(not text.strip() for text in outputs):
            yield finding(file, "blank.output", place)
        if len(set(outputs)) < len(outputs):
            yield finding(file, "repeated-output", place)
    for index, before in _repeats(view.stripped):
        yield finding(file, "duplicate-input", f"Instances[{index}].input", before=before)
    yield from _lint_ids(path, view)


def _repeats(values: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Places of values that stood before, with the first place."""
    first: dict[str, int] = {}
    for index, value in enumerate(values):
        before = first.setdefault(value, index)
        if before != index:
            yield index, before


def _lint_ids(path: Path, view: TaskView) -> Iterator[Finding]:
    file = str(path)
    number = re.match(r"task\d+", path.name)
    prefix = f"{number[0]}-" if number else ""
    for index, name in enumerate(view.ids):
        place = f"Instances[{index}].id"
        if not name:
            yield finding(file, "no-id", place, prefix=prefix or "task001-")
        elif not name.startswith(prefix):
            yield finding(file, "foreign-id", place, name=name[:40], prefix=prefix)
    named = [name for name in view.ids if name]
    if len(named) == len(view.ids):
        for index, before in _repeats(named):
            yield finding(file, "duplicate-id", f"Instances[{index}].id", before=before)
