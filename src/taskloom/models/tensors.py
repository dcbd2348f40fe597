"""Tensors and facts in one safetensors file, replaced as a whole, with a hash over their bytes.

A killed process leaves the old file or the new one. A file that was damaged afterwards is told from a good one when it
is read.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from taskloom.core import UserError, content_hash
from taskloom.core.decode import decode_json, decoding
from taskloom.models.runtime import state_hash
from taskloom.store.atomic import write_atomically

__all__ = ["load_tensors", "save_plain", "save_tensors"]

_META = "taskloom"


class _Meta(msgspec.Struct):
    """What stands in the header: the hash of the tensors, and facts as JSON with a hash of their own."""

    hash: str
    facts: str
    facts_hash: str


def save_tensors(path: Path, tensors: Mapping[str, Any], facts: Mapping[str, Any]) -> str:
    """Write tensors and a few JSON facts as one file.

    Returns:
        The hash of the tensors.
    """
    from safetensors.torch import save

    # Clones of slices: safetensors writes whole storages and refuses shared ones.
    plain = {name: tensor.detach().to("cpu").contiguous().clone() for name, tensor in tensors.items()}
    total = state_hash(plain)
    payload = msgspec.json.encode(dict(facts)).decode()
    meta = msgspec.json.encode(_Meta(total, payload, content_hash(payload))).decode()
    write_atomically(path, save(plain, metadata={_META: meta}))
    return total


def save_plain(path: Path, tensors: Mapping[str, Any]) -> None:
    """Write tensors as any reader of safetensors expects them, with the rights that other new files have."""
    from safetensors.torch import save

    write_atomically(path, save({name: tensor.detach().contiguous() for name, tensor in tensors.items()}))


def load_tensors(path: Path) -> tuple[dict[str, Any], dict[str, Any], str]:
    """The tensors, the facts and the hash of a checkpoint.

    Raises:
        UserError: The file is missing, cut, damaged, or not one of ours.
    """
    from safetensors import safe_open

    if not path.is_file():
        raise UserError("the checkpoint is missing", where=str(path))
    with decoding(path, "the checkpoint"), safe_open(path, framework="pt", device="cpu") as file:
        meta = (file.metadata() or {}).get(_META)
        tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 - not a dict
    if meta is None:
        raise UserError("not a checkpoint that Taskloom wrote", where=str(path))
    known = decode_json(meta, where=path, type=_Meta, what="the description of the checkpoint")
    if (state_hash(tensors), content_hash(known.facts)) != (known.hash, known.facts_hash):
        raise UserError("the checkpoint is damaged: its hash does not match", where=str(path))
    return tensors, decode_json(known.facts, where=path), known.hash
