"""The one boundary for untrusted input: text, JSON, JSONL, TOML, Parquet, gzip and N-Triples.

Files come from anywhere: cut, damaged, enormous, nested a thousand deep, or made to hurt. Whatever is wrong with one
becomes a sentence with the file and, where it has lines, the line. Nothing here runs code, follows references or
grows beyond its limits. `core.yaml12`,
`core.csv_table` and `core.markup` do the same for YAML, CSV and XML.
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

__all__ = [
    "MOST_BYTES",
    "MOST_DEPTH",
    "MOST_DIGITS",
    "BoundedFile",
    "decode_json",
    "decode_loose_json",
    "decoding",
    "open_packed",
    "open_parquet",
    "read_bytes",
    "read_json",
    "read_jsonl",
    "read_lines",
    "read_text",
    "read_toml",
    "refuse_deep",
]  # fmt: skip

T = TypeVar("T")

MOST_BYTES = 2 * 1024**3
"""The largest file that is read into memory as a whole, unpacked."""
MOST_DEPTH = 100
"""How deep JSON and YAML may be nested. Data of the field has four or five levels."""
MOST_DIGITS = 400
"""The longest number. A double has 309 digits before its point at most."""
_DECODERS = ("pyarrow", "yaml", "msgspec", "zipfile", "tarfile", "binascii", "_csv", "safetensors")
_PIECE = 1024 * 1024
_LONGEST_LINE = 256 * 1024 * 1024
_STRINGS = re.compile(rb'"(?:[^"\\]|\\.)*"?', re.DOTALL)
_LONG_NUMBER = re.compile(rb"[0-9]{%d}" % (MOST_DIGITS + 1))


@contextmanager
def decoding(where: str | Path, what: str = "the file", *, hint: str | None = None) -> Iterator[None]:
    """Turn every way in which decoding fails into a `UserError`.

    Args:
        where: The file, with its line where one is known.
        what: What is decoded, for the sentence.
        hint: What to do about it.
    """
    import struct
    import zlib
    from lzma import LZMAError

    try:
        yield
    except UserError:
        raise
    except FileNotFoundError:
        raise UserError("no such file", where=str(where), hint=hint) from None
    except IsADirectoryError:
        raise UserError("this is a folder, not a file", where=str(where), hint=hint) from None
    except UnicodeDecodeError as error:
        raise UserError(f"{what} is not UTF-8 text: {error.reason}", where=str(where), hint=hint) from None
    except RecursionError:
        raise UserError(f"{what} is nested too deeply", where=str(where), hint=hint) from None
    except MemoryError:
        raise UserError(f"{what} is too large for this machine", where=str(where), hint=hint) from None
    except (EOFError, zlib.error, LZMAError, struct.error) as error:
        raise UserError(f"{what} is truncated or damaged: {error}", where=str(where), hint=hint) from None
    except OSError as error:
        reason = error.strerror or _first_line(error)
        raise UserError(f"{what} cannot be read: {reason}", where=str(where), hint=hint) from None
    except (ArithmeticError, LookupError, TypeError, ValueError, AttributeError, RuntimeError) as error:
        # msgspec, json, csv, tomllib, zipfile and pyarrow raise kinds of ValueError or their own on top of it, and
        # zipfile RuntimeError for what is encrypted or packed in a way it does not know.
        raise UserError(f"{what} cannot be read: {_first_line(error)}", where=str(where), hint=hint) from None
    except Exception as error:
        if type(error).__module__.partition(".")[0] in _DECODERS:
            raise UserError(f"{what} cannot be read: {_first_line(error)}", where=str(where), hint=hint) from None
        raise


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


def read_lines(path: str | Path, *, most: int = MOST_BYTES) -> list[str]:
    """The lines of a text file, without what ends them. Only newlines end lines."""
    lines = read_text(path, most=most).split("\n")
    return lines[:-1] if lines and not lines[-1] else lines


class BoundedFile:
    """A binary file that refuses to give more than it may, however small its packed form is."""

    def __init__(self, file: IO[bytes], where: str, most: int) -> None:
        self._file, self._where, self._left = file, where, most

    def read(self, size: int | None = None) -> bytes:
        if size is None or size < 0:
            pieces = []
            while piece := self.read(_PIECE):
                pieces.append(piece)
            return b"".join(pieces)
        with decoding(self._where):
            data = self._file.read(size)
        self._left -= len(data)
        if self._left < 0:
            raise UserError("the file is too large to be read", where=self._where)
        return data

    def readable(self) -> bool:
        return True

    def __iter__(self) -> Iterator[bytes]:
        while True:
            with decoding(self._where):
                line = self._file.readline(_LONGEST_LINE)
            if not line:
                return
            if len(line) == _LONGEST_LINE:
                raise UserError("a line is too long to be read", where=self._where)
            self._left -= len(line)
            if self._left < 0:
                raise UserError("the file is too large to be read", where=self._where)
            yield line

    def close(self) -> None:
        self._file.close()

    def __enter__(self) -> IO[bytes]:
        return cast(IO[bytes], self)

    def __exit__(self, *_: object) -> None:
        self.close()


def open_packed(path: str | Path, *, most: int = 64 * MOST_BYTES) -> BoundedFile:
    """Open a file for reading bytes, unpacking `.gz`, `.bz2` and `.xz` on the way.

    Raises:
        UserError: Now, or on reading: it is missing, damaged, or unpacks to more than `most` bytes.
    """
    path = Path(path)
    with decoding(path):
        if path.suffix == ".gz":
            import gzip

            return BoundedFile(cast(IO[bytes], gzip.open(path, "rb")), str(path), most)
        if path.suffix == ".bz2":
            import bz2

            return BoundedFile(cast(IO[bytes], bz2.open(path, "rb")), str(path), most)
        if path.suffix == ".xz":
            import lzma

            return BoundedFile(cast(IO[bytes], lzma.open(path, "rb")), str(path), most)
        return BoundedFile(path.open("rb"), str(path), most)


def refuse_deep(data: bytes) -> None:
    """Refuse JSON that is nested too deeply or holds a number that is too long, before anything is built of it."""
    if data.count(b"[") + data.count(b"{") <= MOST_DEPTH and not _LONG_NUMBER.search(data):
        return
    bare = _STRINGS.sub(b"", data)
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
    for number, line in enumerate(read_bytes(path).split(b"\n"), start=1):
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
        return msgspec.toml.decode(text, type=type)


def open_parquet(path: str | Path) -> pq.ParquetFile:
    """Open a Parquet file; what is wrong inside it is noticed on reading, within `decoding`."""
    import pyarrow.parquet as pq

    with decoding(path, "the Parquet file"):
        return pq.ParquetFile(path)
