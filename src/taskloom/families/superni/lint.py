"""The linter of task files: what `taskloom check tasks/` says.

It finds everything that the collection's own tests refuse, and more. Errors are refused there or do not work here,
warnings probably mislead a model or a reader, notes are worth a look. Each finding names the file, the key and what
to do; of many alike only the first few are listed, with the number of the others.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import repeat
from pathlib import Path
from typing import Any

from taskloom.core import Finding, UserError, track
from taskloom.core.decode import decode_loose_json, read_bytes
from taskloom.families.superni.examples import lint_examples
from taskloom.families.superni.labels import lint_labels
from taskloom.families.superni.lint_across import Fingerprint, fingerprint, lint_across
from taskloom.families.superni.lint_header import lint_header, lint_schema
from taskloom.families.superni.schema import decode_instances_strictly, decode_leniently
from taskloom.families.superni.view import TaskView

_MOST_ALIKE = 3
_NAME = re.compile(r"task\d{3,}_[\w.\-]+", re.ASCII)
_FEWEST_INSTANCES = 25
_MOST_INSTANCES = 6500

_ESCAPED_KEY = re.compile(rb'\\u00[0-9a-fA-F]{2}\w{0,20}"\s*:')
_ESCAPE = re.compile(rb"\\[ubf]")
_ODD = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ufffd\ud800-\udfff]")
# UTF-8 that was read as Latin-1 or Windows-1252: "CafÃ©", "itâ€™s".
_MISREAD = re.compile("Ã[\x80-\xbf]|â€")
_MISREAD_BYTES = (b"\xc3\x83\xc2", b"\xc3\xa2\xe2\x82\xac")


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
    for finding in findings:
        alike = finding.level, finding.code
        seen[alike] += 1
        if seen[alike] <= _MOST_ALIKE:
            yield finding
    for (_, code), count in seen.items():
        if count > _MOST_ALIKE:
            yield Finding(str(path), "", "note", f"{count - _MOST_ALIKE} more findings of {code!r}", code="more")


def _findings(path: Path, prints: list[Fingerprint]) -> Iterator[Finding]:
    file = str(path)
    try:
        data = read_bytes(path)
    except UserError as error:
        yield Finding(file, "", "error", error.message, code="unreadable")
        return
    yield from _lint_name(path, data)
    try:
        task, instances = decode_instances_strictly(data, path)
        sound = True
    except UserError:
        try:
            task, sound = decode_leniently(data, path), False
        except UserError as error:
            yield from _encoding(file, data)
            fix = "json.dump(task, file, indent=4, ensure_ascii=False) writes sound JSON"
            yield Finding(file, "", "error", error.message, fix, "json")
            return
    if not isinstance(task, dict):
        yield Finding(file, "", "error", "a task file holds one JSON object", code="schema")
        return
    schema = list(lint_schema(file, task, instances_sound=sound))
    yield from schema
    if any(finding.code in ("type", "missing-key", "no-output") and finding.level == "error" for finding in schema):
        yield from lint_header(file, task)
        if not sound:
            yield from _duplicate_keys(file, data)
        return
    view = TaskView.of(task, instances if sound else task["Instances"])
    escaped = bool(_ESCAPE.search(data))
    if not _keys_once(data, view, escaped):
        yield from _duplicate_keys(file, data)
    yield from lint_header(file, task)
    yield from _lint_texts(file, data, view, escaped)
    yield from _lint_instances(path, view)
    yield from lint_examples(file, view)
    yield from lint_labels(file, view)
    prints.append(fingerprint(path, view))


def _lint_name(path: Path, data: bytes) -> Iterator[Finding]:
    file, stem = str(path), path.name.removesuffix(".json")
    if data.startswith(b"\xef\xbb\xbf"):
        yield Finding(file, "", "warning", "the file begins with a byte order mark", "save it as plain UTF-8", "bom")
    wanted = re.sub(r"[^a-z0-9.\-]+", "_", stem.lower()).strip("_")
    if stem != stem.lower():
        yield Finding(file, "", "error", "file names are in lower case", f"rename it to {wanted}.json", "upper-case")
    elif not _NAME.fullmatch(stem):
        fix = f"rename it to task001_{wanted}.json"
        yield Finding(file, "", "note", "file names look like task123_words.json", fix, "file-name")


def _encoding(file: str, data: bytes) -> Iterator[Finding]:
    try:
        data.decode()
    except UnicodeDecodeError as error:
        message = f"byte {error.start} is not UTF-8"
        yield Finding(file, "", "error", message, "save the file as UTF-8", "encoding")


def _keys_once(data: bytes, view: TaskView, escaped: bool) -> bool:
    """Whether every key can stand only once.

    Inside a text a quotation mark follows a backslash, so that a bare `"input"` is a key or, seldom, a whole text:
    then the slow look decides.
    """
    if escaped and _ESCAPED_KEY.search(data):
        return False
    start = data.find(b'"Instances"')
    count = len(view.inputs)
    if (
        data.count(b'"input"', start) != count
        or data.count(b'"output"', start) != count
        or data.count(b'"id"', start) > count
    ):
        # The examples may stand behind the instances; the slow look can tell.
        return False
    head, examples = data[:start], len(view.positive) + len(view.negative)
    if head.count(b'"input"') != examples or head.count(b'"output"') != examples:
        return False
    if head.count(b'"explanation"') > examples:
        return False
    tail = data[data.rfind(b"}", 0, data.rfind(b"]", 0, len(data))) :]
    return all(head.count(f'"{key}"'.encode()) + tail.count(f'"{key}"'.encode()) == 1 for key in view.header)


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
        message = f"the key stands twice in an object ({times} value{'s are' if times > 1 else ' is'} lost)"
        yield Finding(file, key, "error", message, "keep one of the two", "duplicate-key")


def _lint_texts(file: str, data: bytes, view: TaskView, escaped: bool) -> Iterator[Finding]:
    # JSON knows control characters only as escapes, so that most files need no look at each text.
    odd = escaped or b"\x7f" in data or (b"\xef" in data and b"\xef\xbf\xbd" in data)
    odd = odd or any(mark in data for mark in _MISREAD_BYTES)
    known = {id(view.inputs): view.stripped, id(view.first_outputs): view.stripped_outputs}
    for before, behind, texts in view.texts():
        stripped = known.get(id(texts)) or list(map(str.strip, texts))
        pairs = enumerate(zip(texts, stripped, strict=True)) if odd or stripped != texts else ()
        for index, text in [(index, text) for index, (text, bare) in pairs if odd or text != bare]:
            yield from _lint_text(file, f"{before}[{index}]{behind}", text)
    for index, text in view.further_outputs():
        if odd or text != text.strip():
            yield from _lint_text(file, f"Instances[{index}].output", text)


def _lint_text(file: str, place: str, text: str) -> Iterator[Finding]:
    odd = _ODD.search(text)
    if odd and "\ud800" <= odd[0] <= "\udfff":
        yield Finding(file, place, "error", "half a surrogate pair", "decode the source again", "characters")
    elif odd:
        message = "control or replacement characters, usually the trace of a wrong decoding"
        yield Finding(file, place, "warning", message, "look at the source's encoding", "characters")
    elif misread := _MISREAD.search(text):
        message = f"{text[max(0, misread.start() - 8) : misread.end() + 2]!r} looks like UTF-8 read as another encoding"
        yield Finding(file, place, "warning", message, "decode the source again", "characters")
    elif text != text.strip():
        yield Finding(file, place, "note", "white space at an end", "strip it", "untrimmed")


def _lint_instances(path: Path, view: TaskView) -> Iterator[Finding]:
    file, count = str(path), len(view.inputs)
    if count <= _FEWEST_INSTANCES:
        message = f"{count} instances of more than {_FEWEST_INSTANCES}" if count else "a task without instances"
        yield Finding(file, "Instances", "error", message, "add at least 100", "few-instances")
    elif count < 100:
        message = f"{count} instances; tests take 100 of each task"
        yield Finding(file, "Instances", "note", message, code="few-instances")
    elif count > _MOST_INSTANCES:
        message = f"{count:,} instances; the collection keeps at most {_MOST_INSTANCES:,} per task"
        yield Finding(file, "Instances", "error", message, "draw a sample", "many-instances")
    for index in _blank(view.stripped):
        place = f"Instances[{index}].input"
        yield Finding(file, place, "warning", "blank input", "remove the instance", "blank")
    for index in sorted({*_blank(view.stripped_outputs), *view.several}):
        outputs = view.outputs[index]
        if any(not text.strip() for text in outputs):
            place = f"Instances[{index}].output"
            yield Finding(file, place, "warning", "blank output", "write the answer out", "blank")
        if len(set(outputs)) < len(outputs):
            place = f"Instances[{index}].output"
            yield Finding(file, place, "note", "the same output twice", "keep one", "repeated-output")
    yield from _lint_repeats(file, view)
    yield from _lint_ids(path, view)


def _blank(texts: Sequence[str]) -> list[int]:
    return [index for index, text in enumerate(texts) if not text] if "" in texts else []


def _repeats(values: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Places of values that stood before, with the first place."""
    if len(set(values)) == len(values):
        return
    first: dict[str, int] = {}
    for index, value in enumerate(values):
        before = first.setdefault(value, index)
        if before != index:
            yield index, before


def _lint_repeats(file: str, view: TaskView) -> Iterator[Finding]:
    for index, before in _repeats(view.stripped):
        message = f"the same input as Instances[{before}]"
        fix = "merge their outputs and remove one of them"
        yield Finding(file, f"Instances[{index}].input", "error", message, fix, "duplicate-input")


def _lint_ids(path: Path, view: TaskView) -> Iterator[Finding]:
    file = str(path)
    number = re.match(r"task\d+", path.name)
    prefix = f"{number[0]}-" if number else None
    wanted = prefix or ""
    named = [name for name in view.ids if name]
    sound = len(named) == len(view.ids) and all(map(str.startswith, named, repeat(wanted)))
    for index in [] if sound else [i for i, name in enumerate(view.ids) if not name or not name.startswith(wanted)]:
        name, place = view.ids[index], f"Instances[{index}].id"
        if not name:
            fix = f"add {prefix or 'task001-'}<32 hexadecimal digits>"
            yield Finding(file, place, "warning", "the instance has no id", fix, "no-id")
        else:
            message = f"the id {name[:40]!r} is another task's: those of this one begin with {prefix!r}"
            yield Finding(file, place, "error", message, "give it an id of this task", "foreign-id")
    if len(named) < len(view.ids):
        return
    for index, before in _repeats(named):
        message = f"the same id as Instances[{before}]"
        yield Finding(file, f"Instances[{index}].id", "error", message, "ids are unique", "duplicate-id")
