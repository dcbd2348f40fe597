"""JSON files that prove themselves: the last key is a hash over everything else."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from taskloom.core import UserError, content_hash
from taskloom.core.decode import read_json
from taskloom.store.atomic import write_atomically

__all__ = ["read_sealed", "write_sealed"]

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
