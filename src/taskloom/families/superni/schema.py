"""Task files of Super-NaturalInstructions: typed records, and a reader that survives every known quirk.

A file is one JSON object with fourteen keys. Files in the wild hold bare `NaN` literals, definitions that are a string
or a list, lists that are empty or absent, blank and repeated outputs, NUL characters and names with dots. The reader
takes all of that; what it cannot take it refuses with the file and the key.
"""

from __future__ import annotations

import re
from math import isfinite
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

import msgspec
from msgspec import UNSET, Raw

from taskloom.core import Example, Instruction, UserError
from taskloom.core.decode import decode_loose_json, read_bytes

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


class TaskRecord(msgspec.Struct, rename=KEYS):
    """A whole file while it is read: the instances stay undecoded bytes."""

    definition: Texts
    instances: list[Raw]
    contributors: Texts = None
    source: Texts = None
    url: Texts = None
    categories: Texts = None
    reasoning: Texts = None
    input_language: Texts = None
    output_language: Texts = None
    instruction_language: Texts = None
    domains: Texts = None
    positive: list[ExampleRecord] | None = None
    negative: list[ExampleRecord] | None = None
    license: Texts = None


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
        """Definition and examples."""
        return Instruction(self.definition, self.positive, self.negative)


def _texts(value: Texts) -> tuple[str, ...]:
    if value is None:
        return ()
    if isinstance(value, str):
        return (value,)
    return tuple(text for text in value if text)


def _header(record: TaskRecord) -> Header:
    definition = record.definition
    # A second item of `Definition` is never shown by the official encoder.
    first = definition if isinstance(definition, str) else (definition or [""])[0] or ""
    lists = {
        name: _texts(getattr(record, name))
        for name in KEYS
        if name not in ("definition", "instances", "positive", "negative")
    }
    return Header(
        definition=first,
        instances=len(record.instances),
        positive=tuple(example.example() for example in record.positive or ()),
        negative=tuple(example.example() for example in record.negative or ()),
        **lists,
    )


_task_decoder = msgspec.json.Decoder(TaskRecord)
_instance_decoder = msgspec.json.Decoder(InstanceRecord)

_any_decoder: msgspec.json.Decoder[Any] = msgspec.json.Decoder()

_MOST_REPAIRS = 16
T = TypeVar("T")


def _decode(data: bytes, decoder: msgspec.json.Decoder[T]) -> T:
    """Decode, taking bare NaN and infinities for blank text.

    Python writes such literals and msgspec refuses them, saying at which byte; there the same number of bytes is
    overwritten by an empty string and blanks, which keeps every other byte in its place.
    """
    repaired: bytearray | None = None
    for _ in range(_MOST_REPAIRS):
        try:
            return decoder.decode(data if repaired is None else repaired)
        except msgspec.ValidationError:
            raise
        except msgspec.DecodeError as error:
            position = re.search(r"\(byte (\d+)\)", str(error))
            literal = position and re.compile(rb"NaN|-?Infinity").match(data, int(position[1]))
            if not literal:
                raise
            repaired = bytearray(data) if repaired is None else repaired
            repaired[literal.start() : literal.end()] = b'""'.ljust(len(literal[0]))
    # So many of them that Python's own reader, slow but lenient, is the better tool.
    return decoder.decode(msgspec.json.encode(_without_nan(decode_loose_json(data, where="the file"))))


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
    try:
        data = read_bytes(path).removeprefix(b"\xef\xbb\xbf")
        record = _decode(data, _task_decoder)
    except OSError as error:
        raise UserError(f"the file cannot be read: {error.strerror}", where=str(path)) from None
    except (msgspec.DecodeError, ValueError, RecursionError) as error:
        raise _refused(error, path) from None
    return _header(record), record.instances


def decode_leniently(data: bytes, path: Path) -> Any:
    """Any JSON that a file holds, for checks that look at wrong shapes too.

    Raises:
        UserError: It is no JSON, with the file.
    """
    try:
        return _decode(data.removeprefix(b"\xef\xbb\xbf"), _any_decoder)
    except (msgspec.DecodeError, ValueError, RecursionError) as error:
        raise _refused(error, path) from None


class _StrictInstance(msgspec.Struct, gc=False):
    """An instance of exactly the published shape."""

    input: str
    output: list[str]
    id: str | None = None


class _StrictTask(msgspec.Struct, rename=KEYS, forbid_unknown_fields=True):
    """A file with the published keys alone, read in one pass."""

    instances: list[_StrictInstance]
    definition: Any = UNSET
    contributors: Any = UNSET
    source: Any = UNSET
    url: Any = UNSET
    categories: Any = UNSET
    reasoning: Any = UNSET
    input_language: Any = UNSET
    output_language: Any = UNSET
    instruction_language: Any = UNSET
    domains: Any = UNSET
    positive: Any = UNSET
    negative: Any = UNSET
    license: Any = UNSET


_strict_task_decoder = msgspec.json.Decoder(_StrictTask)
_raw_decoder = msgspec.json.Decoder(dict[str, Raw])
_strict_decoder = msgspec.json.Decoder(list[_StrictInstance])


def _strict_pieces(data: bytes) -> dict[str, Any]:
    """The keys of a file, the instances as objects."""
    try:
        task = _decode(data, _strict_task_decoder)
    except msgspec.ValidationError:
        pieces = _decode(data, _raw_decoder)
        instances = _strict_decoder.decode(pieces.pop("Instances", Raw(b"null")))
        return {**{key: _any_decoder.decode(raw) for key, raw in pieces.items()}, "Instances": instances}
    values = {key: getattr(task, name) for name, key in KEYS.items()}
    return {key: value for key, value in values.items() if value is not UNSET}


def decode_instances_strictly(data: bytes, path: Path) -> tuple[dict[str, Any], list[Any]]:
    """A whole file whose instances have the published shape: the rest as plain data, the instances as objects.

    Raises:
        UserError: Some instance has another shape, or the file is no task.
    """
    try:
        task = _strict_pieces(data.removeprefix(b"\xef\xbb\xbf"))
    except (msgspec.DecodeError, ValueError, RecursionError) as error:
        raise _refused(error, path) from None
    instances = task["Instances"]
    if not all(record.output for record in instances):
        raise UserError("an instance needs at least one output", where=str(path))
    return task, instances


def decode_instances(path: Path, raws: list[Raw], indices: range | list[int]) -> list[InstanceRecord]:
    """Some instances of a file, decoded and checked.

    Raises:
        UserError: An instance of the wrong shape, with the file and the key.
    """
    records = []
    for index in indices:
        try:
            record = _decode(bytes(raws[index]), _instance_decoder)
        except (msgspec.DecodeError, ValueError, RecursionError) as error:
            raise _refused(error, path, f"Instances[{index}]") from None
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
