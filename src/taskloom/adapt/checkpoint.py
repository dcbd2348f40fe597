"""Checkpoints: tensors and facts in one safetensors file, replaced as a whole, with a hash over their bytes.

A killed process leaves the old file or the new one. A file that was damaged afterwards is distinguished from a
good one when it is read, with a sentence that says what to do.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from taskloom.core import UserError, content_hash
from taskloom.core.adaptation import AdaptationError
from taskloom.core.decode import decode_json, decoding
from taskloom.models.runtime import import_torch, state_hash
from taskloom.store.atomic import write_atomically

__all__ = ["load_tensors", "optimiser_tensors", "restore_optimiser", "save_tensors"]

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


def load_tensors(path: Path) -> tuple[dict[str, Any], dict[str, Any], str]:
    """The tensors, the facts and the hash of a checkpoint.

    Raises:
        AdaptationError: The file is missing, cut, damaged, or not one of ours.
    """
    from safetensors import safe_open

    hint = f"remove {path.parent} to start this adaptation again"
    if not path.is_file():
        raise AdaptationError("the checkpoint is missing", where=str(path), hint=hint)
    try:
        with decoding(path, "the checkpoint"), safe_open(path, framework="pt", device="cpu") as file:
            meta = (file.metadata() or {}).get(_META)
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 - not a dict
        if meta is None:
            raise UserError("not a checkpoint of an adaptation")
        known = decode_json(meta, where=path, type=_Meta, what="the description of the checkpoint")
    except UserError as error:
        raise AdaptationError(error.message, where=str(path), hint=hint) from None
    if (state_hash(tensors), content_hash(known.facts)) != (known.hash, known.facts_hash):
        raise AdaptationError("the checkpoint is damaged: its bytes do not have its hash", where=str(path), hint=hint)
    return tensors, decode_json(known.facts, where=path), known.hash


def optimiser_tensors(optimiser: Any) -> dict[str, Any]:
    """The state of a torch optimiser as named tensors."""
    return {
        f"optimiser/{index}/{key}": value
        for index, state in optimiser.state_dict()["state"].items()
        for key, value in state.items()
        if value is not None
    }


def restore_optimiser(optimiser: Any, tensors: Mapping[str, Any]) -> None:
    """Put back what `optimiser_tensors` took."""
    torch = import_torch()
    current = optimiser.state_dict()
    state: dict[int, dict[str, Any]] = {}
    for name, tensor in tensors.items():
        prefix, _, rest = name.partition("/")
        if prefix == "optimiser":
            index, _, key = rest.partition("/")
            state.setdefault(int(index), {})[key] = torch.clone(tensor)
    optimiser.load_state_dict({"state": state, "param_groups": current["param_groups"]})
