"""Task files of Super-NaturalInstructions, and collections of them, opened lazily: headers from an index.

A file is one JSON object with fourteen keys. Files in the wild hold bare `NaN` literals, definitions that are a string
or a list, lists that are empty or absent, blank and repeated outputs, NUL characters and names with dots. The reader
takes all of that; what it cannot take it refuses with the file and the key. Indexing decodes headers and merely walks
over the instances, which is several times quicker than reading them. The index lives in the cache folder, never beside
the data, and is trusted per file as long as size and both time stamps agree.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from math import isfinite
from pathlib import Path
from typing import Any, Literal, TypeAlias, TypeVar

import msgspec
from msgspec import Raw

from taskloom.core import Example, Instruction, Progress, UserError, ensure_known
from taskloom.core.decode import decode_loose_json, read_bytes, read_json, read_lines
from taskloom.core.display import counted
from taskloom.core.folders import not_here
from taskloom.store.derived import DerivedCache

Texts: TypeAlias = list[str | None] | str | None

KEYS: dict[str, str] = {
    "contributors": "Contributors",
    "source": "Source",
    "url": "URL",
    "categories": "Categories",
    "reasoning": "Reasoning",
    "definition": "Definition",
    "input_language": "Input_language",
    "output_language": "Output_language",
    "instruction_language": "Instruction_language",
    "domains": "Domains",
    "positive": "Positive Examples",
    "negative": "Negative Examples",
    "instances": "Instances",
    "license": "Instance License",
}
"""Field names to the keys of a file, in the order of a published file."""


class ExampleRecord(msgspec.Struct, frozen=True):
    """A solved example of a file. Some releases list several outputs; the first is the one that is shown."""

    input: str
    output: str | list[str]
    explanation: str | None = None

    def example(self) -> Example:
        """The example as the rest of the house knows it."""
        output = self.output if isinstance(self.output, str) else (self.output or [""])[0]
        return Example(self.input, output, self.explanation)


class InstanceRecord(msgspec.Struct, frozen=True):
    """One instance of a file."""

    input: str
    output: list[str] | str
    id: str | None = None

    def outputs(self) -> tuple[str, ...]:
        """The acceptable outputs as they stand, repeats and blanks included."""
        return (self.output,) if isinstance(self.output, str) else tuple(self.output)


_LISTS = tuple(key for key in KEYS if key not in ("definition", "instances", "positive", "negative"))
_EXAMPLES = list[ExampleRecord] | None
TaskRecord = msgspec.defstruct(
    "TaskRecord",
    [
        ("definition", Texts), ("instances", list[Raw]), ("positive", _EXAMPLES, None), ("negative", _EXAMPLES, None),
        *((key, Texts, None) for key in _LISTS),
    ],
    rename=KEYS,
)  # fmt: skip
"""A whole file while it is read: the instances stay undecoded bytes."""


class Header(msgspec.Struct, frozen=True):
    """Everything of a task but its instances, tidied: absent lists are empty, `NaN` and null entries are gone."""

    definition: str
    instances: int
    contributors: tuple[str, ...] = ()
    source: tuple[str, ...] = ()
    url: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    reasoning: tuple[str, ...] = ()
    input_language: tuple[str, ...] = ()
    output_language: tuple[str, ...] = ()
    instruction_language: tuple[str, ...] = ()
    domains: tuple[str, ...] = ()
    positive: tuple[Example, ...] = ()
    negative: tuple[Example, ...] = ()
    license: tuple[str, ...] = ()

    @property
    def category(self) -> str:
        """The task type: the first category, or "" where a file names none."""
        return self.categories[0] if self.categories else ""

    @property
    def languages(self) -> frozenset[str]:
        """Languages of inputs and outputs, in lower case."""
        return frozenset(name.lower() for name in (*self.input_language, *self.output_language))

    @property
    def english(self) -> bool:
        """Whether nothing but English goes in and comes out: the rule that divides the tracks."""
        return self.languages == {"english"}

    def instruction(self) -> Instruction:
        return Instruction(self.definition, self.positive, self.negative)


def _texts(value: Texts) -> tuple[str, ...]:
    if value is None:
        return ()
    if isinstance(value, str):
        return (value,)
    return tuple(text for text in value if text)


def _header(record: Any) -> Header:
    definition = record.definition
    # A second item of `Definition` is never shown by the official encoder.
    first = definition if isinstance(definition, str) else (definition or [""])[0] or ""
    lists = {name: _texts(getattr(record, name)) for name in _LISTS}
    return Header(
        definition=first,
        instances=len(record.instances),
        positive=tuple(example.example() for example in record.positive or ()),
        negative=tuple(example.example() for example in record.negative or ()),
        **lists,
    )


_task_decoder: msgspec.json.Decoder[Any] = msgspec.json.Decoder(TaskRecord)
_instance_decoder = msgspec.json.Decoder(InstanceRecord)

_any_decoder: msgspec.json.Decoder[Any] = msgspec.json.Decoder()

T = TypeVar("T")


def _decode(data: bytes, decoder: msgspec.json.Decoder[T], path: Path, inside: str = "") -> T:
    """What a file, or a part of it, holds.

    Raises:
        UserError: It cannot be decoded, with the file and the key.
    """
    try:
        return _decode_leniently(data, decoder)
    except (msgspec.DecodeError, ValueError, RecursionError) as error:
        raise _refused(error, path, inside) from None


def _decode_leniently(data: bytes, decoder: msgspec.json.Decoder[T]) -> T:
    """Decode, taking bare NaN and infinities for blank text: Python writes such literals, and msgspec refuses them."""
    try:
        return decoder.decode(data)
    except msgspec.ValidationError:
        raise
    except msgspec.DecodeError as error:
        if b"NaN" not in data and b"Infinity" not in data:
            raise
        try:
            loose = decode_loose_json(data, where="the file")
        except UserError:
            raise error from None
        return decoder.decode(msgspec.json.encode(_without_nan(loose)))


def _without_nan(value: Any) -> Any:
    if isinstance(value, float) and not isfinite(value):
        return ""
    if isinstance(value, list):
        return [_without_nan(item) for item in value]
    if isinstance(value, dict):
        return {key: _without_nan(item) for key, item in value.items()}
    return value


def read_header(path: Path) -> tuple[Header, list[Raw]]:
    """The header of a file and its instances as undecoded bytes.

    Raises:
        UserError: The file cannot be read or is not a task, with the file and the key.
    """
    record = _decode(read_bytes(path).removeprefix(b"\xef\xbb\xbf"), _task_decoder, path)
    return _header(record), record.instances


def decode_leniently(data: bytes, path: Path) -> Any:
    """Any JSON that a file holds, for checks that look at wrong shapes too.

    Raises:
        UserError: It is no JSON, with the file.
    """
    return _decode(data.removeprefix(b"\xef\xbb\xbf"), _any_decoder, path)


def decode_instances(path: Path, raws: list[Raw], indices: range | list[int]) -> list[InstanceRecord]:
    """Some instances of a file, decoded and checked.

    Raises:
        UserError: An instance of the wrong shape, with the file and the key.
    """
    records = []
    for index in indices:
        record = _decode(bytes(raws[index]), _instance_decoder, path, f"Instances[{index}]")
        if not record.outputs():
            raise UserError("an instance needs at least one output", where=f"{path}: Instances[{index}].output")
        records.append(record)
    return records


def damaged_instances(path: Path, raws: list[Raw]) -> dict[int, str]:
    """The instances of a file that cannot be used, each with the reason."""
    found: dict[int, str] = {}
    for index, raw in enumerate(raws):
        try:
            if _instance_decoder.decode(raw).output not in ([], None):
                continue
            found[index] = "no output"
        except (msgspec.DecodeError, ValueError, RecursionError):
            try:
                # Slower, but it takes bare NaN literals as reading does.
                decode_instances(path, raws, [index])
            except UserError as error:
                found[index] = error.message
    return found


def _refused(error: Exception, path: Path, inside: str = "") -> UserError:
    """What msgspec says, as a sentence with the key in the notation of the file."""
    if isinstance(error, RecursionError):
        return UserError("nested too deeply to be a task", where=f"{path}: {inside}" if inside else str(path))
    match = re.fullmatch(r"(?s)(.*?)(?: - at `\$(.*)`)?", str(error))
    sentence, key = (match[1], match[2] or "") if match else (str(error), "")
    missing = re.search(r"missing required field `(.+)`", sentence)
    if missing:
        sentence, key = f"the key {missing[1]!r} is missing", f"{key}.{missing[1]}"
    place = f"{inside}{key}".lstrip(".")
    return UserError(
        sentence[:1].lower() + sentence[1:] if not sentence.startswith("JSON") else sentence,
        where=f"{path}: {place}" if place else str(path),
        hint=f"taskloom check {path} lists everything that is wrong with it",
    )


VERSION = 3


class Damage(msgspec.Struct, frozen=True):
    """Why a file is no task."""

    message: str
    where: str

    def error(self) -> UserError:
        return UserError(self.message, where=self.where, hint="taskloom check lists everything that is wrong with it")


class IndexedTask(msgspec.Struct, frozen=True):
    """One file: its stamp, its header or what is wrong with it, and its instances that cannot be used."""

    stamp: tuple[int, int, int]
    header: Header | None = None
    damage: Damage | None = None
    instances: dict[int, str] = {}


def _files(folder: Path) -> Iterator[tuple[str, tuple[int, int, int]]]:
    """Task names with the stamps of their files. A name is the file name without `.json`, dots and all."""
    try:
        with os.scandir(folder) as found:
            for file in found:
                if file.name.endswith(".json") and file.is_file():
                    status = file.stat()
                    yield file.name.removesuffix(".json"), (status.st_size, status.st_mtime_ns, status.st_ctime_ns)
    except OSError as error:
        raise UserError(f"the folder cannot be read: {error.strerror}", where=str(folder)) from None


def _entry(folder: Path, name: str, stamp: tuple[int, int, int]) -> IndexedTask:
    try:
        path = folder / f"{name}.json"
        header, raws = read_header(path)
        return IndexedTask(stamp, header=header, instances=damaged_instances(path, raws))
    except UserError as error:
        return IndexedTask(stamp, damage=Damage(error.message, error.where or name))


def build_index(folder: Path) -> dict[str, IndexedTask]:
    """The entries of all task files of a folder, sorted by name; what did not change comes from the cache."""
    cache, place = DerivedCache("superni", VERSION), os.fsencode(folder.resolve())
    kept: dict[str, IndexedTask] = cache.get(dict[str, IndexedTask], place) or {}
    stamps = dict(sorted(_files(folder)))
    fresh = {name: kept[name] for name, stamp in stamps.items() if name in kept and kept[name].stamp == stamp}
    if len(fresh) == len(stamps) == len(kept):
        return fresh
    with Progress(f"indexing {folder}", len(stamps), unit="file") as progress:
        progress.skip(len(fresh))
        for name, stamp in stamps.items():
            if name not in fresh:
                fresh[name] = _entry(folder, name, stamp)
                progress.advance()
    entries = {name: fresh[name] for name in stamps}
    cache.put(entries, place)
    return entries


HOW_TO_GET = (
    "git clone https://github.com/allenai/natural-instructions, then pass -T path=natural-instructions; "
    "superni/embedded needs no download"
)


class Collection:
    """Tasks of a folder in the published layout.

    Args:
        root: A folder with `tasks/*.json` (and perhaps `splits/` and `doc/`), or a folder of task files.
        skip: Leave damaged files and instances out instead of refusing to draw from them.

    Attributes:
        headers: Everything but the instances, by task name.
        damaged: Files that are no tasks, with the reason. The others are not affected.
        quarantine: Instances that cannot be used, with the reason, by task and index.
    """

    def __init__(self, root: Path, *, skip: bool = False) -> None:
        self.root = root
        self.skip = skip
        self.folder = root / "tasks" if (root / "tasks").is_dir() else root
        entries = build_index(self.folder)
        self.headers: dict[str, Header] = {}
        self.damaged: dict[str, Damage] = {}
        self.quarantine: dict[str, dict[int, str]] = {
            name: entry.instances for name, entry in entries.items() if entry.instances
        }
        for name, entry in entries.items():
            if entry.header is not None:
                self.headers[name] = entry.header
            elif entry.damage is not None:
                self.damaged[name] = entry.damage
        if not entries:
            raise UserError("no task files (*.json) here", where=str(self.folder), hint=HOW_TO_GET)

    def __len__(self) -> int:
        return len(self.headers)

    def header(self, name: str) -> Header:
        """The header of one task.

        Raises:
            UserError: No such task, or its file is damaged.
        """
        if name in self.damaged:
            raise self.damaged[name].error()
        ensure_known("task", name, self.headers, where=str(self.folder))
        return self.headers[name]

    def refuse_damage(self) -> None:
        """Stop at the first damaged file or instance.

        Raises:
            UserError: There is one.
        """
        for damage in self.damaged.values():
            raise damage.error()
        for name, bad in self.quarantine.items():
            index, reason = next(iter(bad.items()))
            raise UserError(
                f"Instances[{index}]: {reason}", where=str(self.path(name)), hint="-T damaged=skip leaves it out"
            )

    def path(self, name: str) -> Path:
        return self.folder / f"{name}.json"

    def instances(self, name: str, indices: range | list[int] | None = None) -> list[InstanceRecord]:
        """The instances of one task, or some of them; no other file is touched.

        Args:
            name: The task.
            indices: Which ones, beyond the end allowed; all of them by default.
        """
        self.header(name)
        _, raws = read_header(self.path(name))
        chosen = range(len(raws)) if indices is None else [index for index in indices if index < len(raws)]
        return decode_instances(self.path(name), raws, self.usable(name, chosen))

    def usable(self, name: str, indices: Sequence[int]) -> list[int]:
        """The indices without those of damaged instances, where these are skipped."""
        bad = self.quarantine.get(name, {}) if self.skip else {}
        return [index for index in indices if index not in bad]

    def losses(self, names: Iterable[str]) -> str:
        """What was left out among some tasks, in one sentence; "" where nothing was."""
        if not self.skip:
            return ""
        names = list(dict.fromkeys(names))
        files = sorted(name for name in names if name in self.damaged)
        bad = {name: len(self.quarantine[name]) for name in names if name in self.quarantine}
        parts = []
        if files:
            parts.append(f"{counted(len(files), 'damaged file')} ({_some(files)})")
        if bad:
            instances, tasks = counted(sum(bad.values()), "damaged instance"), counted(len(bad), "task")
            parts.append(f"{instances} of {tasks} ({_some(sorted(bad))})")
        return f"Left out: {' and '.join(parts)}." if parts else ""

    def split_names(self, track: str, part: str) -> list[str] | None:
        """The task names of `splits/TRACK/PART_tasks.txt`, or None where there is no such list."""
        path = self.root / "splits" / track / f"{part}_tasks.txt"
        if not path.exists():
            return None
        lines = list(read_lines(path))
        return [line.strip().removesuffix(".json") for line in lines if line.strip()]

    @property
    def known(self) -> set[str]:
        """The tasks that may be asked for: those of sound files, and damaged ones unless they are skipped."""
        return set(self.headers) if self.skip else self.headers.keys() | self.damaged.keys()

    @cached_property
    def domain_map(self) -> Mapping[str, tuple[str, ...]]:
        """Domains as written to the broader ones of `doc/domains_map.json`; empty where there is no such file."""
        return self._map("domains_map.json")

    @cached_property
    def category_map(self) -> Mapping[str, tuple[str, ...]]:
        """Older category names to those of `doc/categories_map.json`; empty where there is no such file."""
        return self._map("categories_map.json")

    def domains(self, name: str) -> tuple[str, ...]:
        """The domains of a task, mapped where a map is at hand, each once."""
        written = self.header(name).domains
        return tuple(dict.fromkeys(broad for domain in written for broad in self.domain_map.get(domain, (domain,))))

    def _map(self, file: str) -> dict[str, tuple[str, ...]]:
        path = self.root / "doc" / file
        if not path.exists():
            return {}
        table: dict[str, list[str] | str] = read_json(path, type=dict[str, list[str] | str])
        return {key: (value,) if isinstance(value, str) else tuple(value) for key, value in table.items()}


def _some(names: list[str]) -> str:
    return ", ".join(names[:3]) + (" …" if len(names) > 3 else "")


def open_collection(path: str, damaged: Literal["stop", "skip"] = "stop") -> Collection:
    """Open the collection at a path.

    Args:
        path: Its folder.
        damaged: What to do about damaged files and instances: stop with the reason, or leave them out.

    Raises:
        UserError: No path, or nothing there (with how to get the published collection).
    """
    if not path:
        raise UserError("this suite needs the path of a Super-NaturalInstructions collection", hint=HOW_TO_GET)
    root = Path(path).expanduser()
    if not root.is_dir():
        raise not_here(path, "folder", HOW_TO_GET)
    return Collection(root, skip=damaged == "skip")
