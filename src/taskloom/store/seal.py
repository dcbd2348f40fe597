"""Files that prove themselves: JSON whose last key is a hash over everything else, and bytes with one in front."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from taskloom.core import UserError, content_hash, digest
from taskloom.core.decode import read_bytes, read_json
from taskloom.store.atomic import write_atomically

__all__ = ["read_hashed", "read_sealed", "write_hashed", "write_sealed"]

_KEY = "sum"


def write_sealed(path: Path, value: Any) -> None:
    """Write an object as JSON with its hash, as a whole."""
    data: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(value))
    data[_KEY] = content_hash(data)
    write_atomically(path, msgspec.json.format(msgspec.json.encode(data), indent=2) + b"\n")


def read_sealed(path: Path, what: str, *, hint: str | None = None) -> dict[str, Any]:
    """An object as it was written.

    Raises:
        UserError: The file cannot be read, or is not as it was written. One without a hash (of older versions) is
            taken as it is.
    """
    data = read_json(path)
    if not isinstance(data, dict):
        raise UserError(f"{what} is cut or damaged: not an object", where=str(path), hint=hint)
    claimed = data.pop(_KEY, None)
    if claimed is not None and claimed != content_hash(data):
        raise UserError(f"{what} was changed after it was written", where=str(path), hint=hint)
    return data


def write_hashed(path: Path, body: bytes) -> None:
    """Write bytes as a whole, their digest in a line before them."""
    write_atomically(path, digest(body).hex().encode() + b"\n" + body)


def read_hashed(path: Path) -> bytes | None:
    """The bytes as they were written; None where there are none, or they were cut or changed."""
    if not path.is_file():
        return None
    claimed, _, body = read_bytes(path).partition(b"\n")
    return body if claimed == digest(body).hex().encode() else None
