"""What proves itself: JSON whose last key is a hash over the rest, bytes with one in front, lines with a checksum."""

from __future__ import annotations

from hashlib import blake2b
from pathlib import Path
from typing import Any
from zlib import crc32

import msgspec

from taskloom.core import UserError, content_hash, digest
from taskloom.core.decode import read_bytes, read_json
from taskloom.store.atomic import write_atomically

FILES = "taskloom-files.json"
_KEY = "sum"
SUM = b',"sum":"'
"""What stands before the checksum that ends a line of older versions."""
_SUM_DIGITS = 16


def write_sealed(path: Path, value: Any) -> None:
    """Write an object as JSON with its hash, as a whole."""
    data: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(value))
    data[_KEY] = content_hash(data)
    write_atomically(path, msgspec.json.format(msgspec.json.encode(data), indent=2) + b"\n")


def read_sealed(path: Path, what: str, *, hint: str | None = None) -> dict[str, Any]:
    """An object as it was written.

    Raises:
        UserError: The file cannot be read, or is not as it was written. Without a hash only an object of format 1 is
            taken, which was written before there were any.
    """
    data = read_json(path)
    if not isinstance(data, dict):
        raise UserError(f"{what} is truncated or damaged: not an object", where=str(path), hint=hint)
    old = data.get("format") == 1 and _KEY not in data
    if not old and data.pop(_KEY, None) != content_hash(data):
        raise UserError(f"{what} was changed after it was written", where=str(path), hint=hint)
    return data


def seal_folder(folder: Path) -> None:
    """Put a sealed list of all files of a folder into it, with their hashes."""
    from taskloom.store.ownership import sha256

    files = {str(path.relative_to(folder)): sha256(path) for path in sorted(folder.rglob("*")) if path.is_file()}
    write_sealed(folder / FILES, {"files": files})


def check_folder(folder: Path) -> None:
    """Prove every listed file of a folder, where it has a list.

    Raises:
        UserError: A file is missing or not as it was written.
    """
    from taskloom.store.ownership import sha256

    listing = folder / FILES
    if not listing.is_file():
        return
    hint = f"write the folder again, or delete {FILES} if the change was intended"
    files = read_sealed(listing, "the list of files", hint=hint).get("files")
    if not isinstance(files, dict):
        raise UserError("the list of files is truncated or damaged", where=str(listing), hint=hint)
    for name, expected in files.items():
        path = folder / name
        if ".." in Path(name).parts or not path.is_file():
            raise UserError("a file of the folder is missing", where=str(path), hint=hint)
        if sha256(path) != expected:
            raise UserError("the file was changed after it was written", where=str(path), hint=hint)


def write_hashed(path: Path, body: bytes, *, lasting: bool = True) -> None:
    """Write bytes as a whole, their digest in a line before them."""
    write_atomically(path, digest(body).hex().encode() + b"\n" + body, lasting=lasting)


def read_hashed(path: Path) -> bytes | None:
    """The bytes as they were written; None where there are none, or they were cut or changed."""
    if not path.is_file():
        return None
    claimed, _, body = read_bytes(path).partition(b"\n")
    return body if claimed == digest(body).hex().encode() else None


def seal_line(body: bytes) -> bytes:
    """A JSON object as a line of a log: a checksum, then the object."""
    return b"%08x %b\n" % (crc32(body), body)


def line_body(line: bytes) -> bytes | None:
    """The object of a line; None where it is not as it was written. Lines of older versions end in their checksum."""
    if line[8:9] == b" ":
        body = line[9:-1]
        return body if line[:8] == b"%08x" % crc32(body) and line.endswith(b"\n") else None
    tail = len(SUM) + _SUM_DIGITS + 3
    body, end = line[:-tail], line[-tail:]
    digits = blake2b(body, digest_size=_SUM_DIGITS // 2).hexdigest().encode()
    return body + b"}" if end == SUM + digits + b'"}\n' else None
