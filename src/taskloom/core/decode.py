"""The one boundary for untrusted input: text, JSON, JSONL, TOML, Parquet, gzip and N-Triples.

Files come from anywhere: cut, damaged, enormous, nested a thousand deep, or made to hurt. Any fault of one
becomes a sentence with the file and, where it has lines, the line. Nothing here runs code, follows references or
grows beyond its limits. `core.yaml12`, `core.csv_table` and `core.markup` do the same for YAML, CSV and XML.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, TypeVar, cast, overload

from taskloom.core.errors import UserError

if TYPE_CHECKING:
    import pyarrow.parquet as pq

T = TypeVar("T")

MOST_BYTES = 2 * 1024**3
"""The largest file that is read into memory as a whole, unpacked."""
MOST_DEPTH = 100
"""How deep JSON and YAML may be nested. Data of the field has four or five levels."""
MOST_DIGITS = 400
"""The longest number. A double has 309 digits before its point at most."""
_DECODERS = ("pyarrow", "yaml", "msgspec", "zipfile", "tarfile", "binascii", "_csv", "safetensors")
PIECE = 1024 * 1024
_MEMORY = 384
"""Megabytes by which reading one file may let this process grow, unless TASKLOOM_MEMORY says more."""
_MOST_RATIO, _ANY_RATIO = 100, 32 * PIECE
"""Text packs to a tenth, repetitive logs to a fiftieth: what unpacks to more than a hundredfold is made to hurt."""
_PER_VALUE = 72
"""Bytes that an empty list takes, with its place in another."""
LONGEST_LINE = 256 * 1024 * 1024
STRINGS_OF_JSON = re.compile(rb'"(?:[^"\\]|\\.)*"?', re.DOTALL)
_LONG_NUMBER = re.compile(rb"[0-9]{%d}" % (MOST_DIGITS + 1))


@contextmanager
def decoding(where: str | Path, what: str = "the file", *, hint: str | None = None) -> Iterator[None]:
    """Turn every way in which decoding fails into a `UserError`.

    Args:
        where: The file, with its line where one is known.
        what: What is decoded, for the sentence.
        hint: What to do about it.
    """
    try:
        yield
    except UserError:
        raise
    except FileNotFoundError:
        from taskloom.core.folders import not_here

        raise not_here(where, "file", hint) from None
    except Exception as error:
        reason = _reason(error, what)
        if reason is None:
            raise
        raise UserError(reason, where=str(where), hint=hint) from None


def _reason(error: Exception, what: str) -> str | None:
    """Why decoding failed, as a sentence; None for what no decoder raises."""
    import struct
    import zlib
    from lzma import LZMAError

    damaged = (EOFError, zlib.error, LZMAError, struct.error)
    # msgspec, json, csv, tomllib, zipfile and pyarrow raise kinds of ValueError or their own on top of it, and
    # zipfile RuntimeError for what is encrypted or packed in a way it does not know.
    unfit = (ArithmeticError, LookupError, TypeError, ValueError, AttributeError, RuntimeError)
    line = _first_line(error)
    sentences: list[tuple[type[Exception] | tuple[type[Exception], ...], str]] = [
        (IsADirectoryError, "this is a folder, not a file"),
        (UnicodeDecodeError, f"{what} is not UTF-8 text: {getattr(error, 'reason', '')}"),
        (RecursionError, f"{what} is nested too deeply"),
        (MemoryError, f"{what} is too large for this machine"),
        (damaged, f"{what} is truncated or damaged: {error}"),
        (OSError, f"{what} cannot be read: {getattr(error, 'strerror', None) or line}"),
        (unfit, f"{what} cannot be read: {line}"),
    ]
    known = next((text for kind, text in sentences if isinstance(error, kind)), None)
    if known is None and type(error).__module__.partition(".")[0] in _DECODERS:
        return f"{what} cannot be read: {line}"
    return known


def _first_line(error: BaseException) -> str:
    text = ("no " if isinstance(error, KeyError) else "") + (str(error).strip() or type(error).__name__)
    line = text.partition("\n")[0]
    return line if len(line) <= 200 else line[:199] + "…"


def read_bytes(path: str | Path, *, most: int = MOST_BYTES) -> bytes:
    """A file as it is, unpacked where its name ends in `.gz`, `.bz2` or `.xz`.

    Raises:
        UserError: It cannot be read, is damaged, or is larger than `most` bytes.
    """
    with decoding(path), open_packed(path, most=most) as file:
        return file.read()


def read_text(path: str | Path, *, most: int = MOST_BYTES, encoding: str = "utf-8-sig") -> str:
    """A text file; an error names the line of the first byte that is no text."""
    data = read_bytes(path, most=most)
    try:
        return data.decode(encoding).replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise UserError(f"not UTF-8 text: {error.reason}", where=f"{path}:{line}") from None


def read_lines(path: str | Path) -> Iterator[str]:
    """The lines of a text file, without what ends them. Only newlines end lines."""
    with open_packed(path) as file:
        for number, line in enumerate(file, start=1):
            try:
                text = line.decode("utf-8-sig" if number == 1 else "utf-8")
            except UnicodeDecodeError as error:
                raise UserError(f"not UTF-8 text: {error.reason}", where=f"{path}:{number}") from None
            yield text.removesuffix("\n").removesuffix("\r")


def most_memory() -> int:
    """Bytes by which reading one file may let this process grow."""
    import os

    given = os.environ.get("TASKLOOM_MEMORY", "")
    return (int(given) if given.isdecimal() and len(given) < 10 else _MEMORY) * 1024**2


def _resident() -> int:
    """Bytes of memory that this process holds now (on other systems than Linux, that it ever held)."""
    import resource

    try:
        with open("/proc/self/statm", "rb") as file:  # noqa: PTH123 - thousands of times a second
            return int(file.read().split()[1]) * resource.getpagesize()
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


class Budget:
    """What reading one file may cost: bytes unpacked, in all and for each packed one, and memory of this process.

    Args:
        where: The file.
        most: Bytes unpacked.
        packed: The size of the packed file.
    """

    def __init__(self, where: str, most: int, packed: int | None = None) -> None:
        self._where, self._most, self._packed = where, most, packed
        self._spent = self._seen = 0
        self._before = _resident()

    def spend(self, count: int) -> None:
        """Count bytes as unpacked.

        Raises:
            UserError: They are too many, or what was made of them takes too much memory.
        """
        self._spent += count
        if self._spent > self._most:
            raise UserError("the file is too large to be read", where=self._where)
        if self._packed is not None and self._spent > max(_ANY_RATIO, _MOST_RATIO * self._packed):
            raise UserError(f"the file unpacks to more than {_MOST_RATIO} times its size", where=self._where)
        if self._spent - self._seen >= PIECE:
            self._seen = self._spent
            most = most_memory()
            if _resident() - self._before > most:
                raise UserError(
                    f"reading it takes more than {most // 1024**2:,} MB of memory",
                    where=self._where,
                    hint="split the file, or allow more: TASKLOOM_MEMORY=4000 (megabytes)",
                )


class BoundedFile:
    """A binary file that refuses to give more than its budget, however small its packed form is."""

    def __init__(self, file: IO[bytes], where: str, most: int, packed: int | None = None) -> None:
        self._file, self._where, self._budget = file, where, Budget(where, most, packed)

    def read(self, size: int | None = None) -> bytes:
        if size is None or size < 0:
            pieces = []
            while piece := self.read(PIECE):
                pieces.append(piece)
            return b"".join(pieces)
        with decoding(self._where):
            data = self._file.read(size)
        self._budget.spend(len(data))
        return data

    def readable(self) -> bool:
        return True

    def __iter__(self) -> Iterator[bytes]:
        begun: list[bytes] = []  # the pieces of a line whose end has not been seen
        while piece := self.read(PIECE):
            *whole, rest = piece.split(b"\n")
            for line in whole:
                yield b"".join((*begun, line, b"\n"))
                begun.clear()
            begun.append(rest)
            if len(begun) * PIECE > LONGEST_LINE:
                raise UserError("a line is too long to be read", where=self._where)
        if any(begun):
            yield b"".join(begun)

    def close(self) -> None:
        self._file.close()

    def __enter__(self) -> IO[bytes]:
        return cast(IO[bytes], self)

    def __exit__(self, *_: object) -> None:
        self.close()


def open_packed(path: str | Path, *, most: int = 64 * MOST_BYTES) -> BoundedFile:
    """Open a file for reading bytes, unpacking `.gz`, `.bz2` and `.xz` on the way.

    Raises:
        UserError: Now, or on reading: it is missing, damaged, or costs more than its `Budget`.
    """
    from importlib import import_module

    path = Path(path)
    unpacker = {".gz": "gzip", ".bz2": "bz2", ".xz": "lzma"}.get(path.suffix)
    with decoding(path):
        if unpacker is None:
            return BoundedFile(path.open("rb"), str(path), most)
        return BoundedFile(import_module(unpacker).open(path, "rb"), str(path), most, path.stat().st_size)


def refuse_deep(data: bytes) -> None:
    """Refuse JSON that is nested too deeply, holds too much or a number that is too long, before anything is built."""
    opened = data.count(b"[") + data.count(b"{")
    if len(data) > PIECE and (opened + data.count(b",")) * _PER_VALUE > most_memory():
        raise ValueError("it holds more values than fit into the memory that reading may take")
    if opened <= MOST_DEPTH and not _LONG_NUMBER.search(data):
        return
    bare = STRINGS_OF_JSON.sub(b"", data)
    if _LONG_NUMBER.search(bare):
        raise ValueError(f"a number has more than {MOST_DIGITS} digits")
    depth = 0
    for sign in re.findall(rb"[\[\]{}]", bare):
        depth += 1 if sign in b"[{" else -1
        if depth > MOST_DEPTH:
            raise ValueError(f"nested more than {MOST_DEPTH} levels deep")


@overload
def decode_json(data: bytes | str, *, where: str | Path, type: type[T], what: str = ...) -> T: ...
@overload
def decode_json(data: bytes | str, *, where: str | Path, what: str = ...) -> Any: ...
def decode_json(data: bytes | str, *, where: str | Path, type: Any = Any, what: str = "the JSON") -> Any:
    """JSON of a known shape.

    Args:
        data: The text.
        where: The file (and line) it is from.
        type: What it must be, as `msgspec` understands it.
        what: What to call it in an error.
    """
    import msgspec

    with decoding(where, what):
        raw = data.encode() if isinstance(data, str) else data
        refuse_deep(raw)
        return msgspec.json.decode(raw.removeprefix(b"\xef\xbb\xbf"), type=type)


def decode_loose_json(
    data: bytes | str,
    *,
    where: str | Path,
    what: str = "the JSON",
    pairs: Callable[[list[tuple[str, Any]]], Any] | None = None,
) -> Any:
    """JSON as Python's own reader takes it: also NaN, infinities and halves of characters.

    Args:
        data: The text.
        where: The file (and line) it is from.
        what: What to call it in an error.
        pairs: Called with the keys and values of each object, to notice keys that stand twice.
    """
    import json

    with decoding(where, what):
        refuse_deep(data.encode("utf-8", "replace") if isinstance(data, str) else data)
        return json.loads(data, object_pairs_hook=pairs)


def read_loose_jsonl(path: str | Path) -> Iterator[tuple[int, str, Any]]:
    """The lines of a JSONL file as `decode_loose_json` takes them, each with its number and its place for errors."""
    for number, line in enumerate(read_lines(path), start=1):
        if line.strip():
            where = f"{path}: line {number}"
            yield number, where, decode_loose_json(line, where=where, what="this line")


@overload
def read_json(path: str | Path, *, type: type[T]) -> T: ...
@overload
def read_json(path: str | Path) -> Any: ...
def read_json(path: str | Path, *, type: Any = Any) -> Any:
    """A JSON file of a known shape."""
    return decode_json(read_bytes(path), where=path, type=type, what="the JSON")


@overload
def read_jsonl(path: str | Path, *, type: type[T]) -> Iterator[tuple[int, T]]: ...
@overload
def read_jsonl(path: str | Path) -> Iterator[tuple[int, Any]]: ...
def read_jsonl(path: str | Path, *, type: Any = Any) -> Iterator[tuple[int, Any]]:
    """The lines of a JSONL file with their numbers; empty lines are left out."""
    with open_packed(path) as file:
        for number, line in enumerate(file, start=1):
            if line.strip():
                yield number, decode_json(line, where=f"{path}:{number}", type=type, what="this line")


@overload
def read_toml(path: str | Path, *, type: type[T]) -> T: ...
@overload
def read_toml(path: str | Path) -> Any: ...
def read_toml(path: str | Path, *, type: Any = Any) -> Any:
    """A TOML file of a known shape."""
    import msgspec

    text = read_text(path)
    with decoding(path, "the TOML"):
        refuse_deep(text.encode())
        try:
            return msgspec.toml.decode(text, type=type)
        except msgspec.ValidationError as error:
            raise ValueError(_located(str(error), msgspec.toml.decode(text), type)) from None


def _located(said: str, raw: Any, type: Any) -> str:
    """A refusal with the name of the table that msgspec leaves open: `$.class[...]` becomes `$.class.proof`."""
    import msgspec

    before, found, after = said.partition("[...]")
    *outer, table = re.findall(r"\w+", before.rpartition("`$")[2]) or [""]
    if not found or outer or not isinstance(raw.get(table), dict):
        return said
    for name, value in raw[table].items():
        try:
            msgspec.convert({table: {name: value}}, type)
        except msgspec.ValidationError as error:
            if str(error) == said:
                return f"{before}.{name}{after}"
    return said


def open_parquet(path: str | Path) -> pq.ParquetFile:
    """Open a Parquet file; what is wrong inside it is noticed on reading, within `decoding`."""
    import pyarrow.parquet as pq

    with decoding(path, "the Parquet file"):
        file = pq.ParquetFile(path)
        if file.metadata.num_rows > max(10_000, Path(path).stat().st_size):
            raise ValueError("it claims more rows than it has bytes")
        return file
