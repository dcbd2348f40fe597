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


def first_difference(found: Mapping[str, Any], wanted: Mapping[str, Any]) -> str:
    """In what tensors differ from those of a model by name or shape; empty where they fit."""
    odd = sorted(found.keys() ^ wanted.keys())
    if odd:
        return f"the first tensor that only one of them has is {odd[0]}"
    for name, tensor in wanted.items():
        if found[name].shape != tensor.shape:
            return f"{name} has shape {tuple(found[name].shape)}, this model expects {tuple(tensor.shape)}"
    return ""


def _is_shard(tensor: Any) -> bool:
    return hasattr(tensor, "to_local")


def whole(tensor: Any) -> Any:
    """A tensor with the parts of all processes, in every process; each of them has to ask for it."""
    return tensor.full_tensor().cpu() if _is_shard(tensor) else tensor


def local(tensor: Any) -> Any:
    """This process's part of a tensor."""
    return tensor.to_local() if _is_shard(tensor) else tensor


def spread_as(tensor: Any, pattern: Any) -> Any:
    """A whole tensor spread over the processes as another one is; the others have no parts and stay as they are."""
    if not _is_shard(pattern) or tensor.shape != pattern.shape:
        return tensor
    from torch.distributed.tensor import distribute_tensor

    return distribute_tensor(tensor.to(pattern.device, pattern.dtype), pattern.device_mesh, pattern.placements)


def optimiser_tensors(optimiser: Any) -> dict[str, Any]:
    """The state of a torch optimiser as named tensors."""
    return {
        f"optimiser/{index}/{key}": whole(value)
        for index, state in optimiser.state_dict()["state"].items()
        for key, value in state.items()
        if value is not None
    }


def restore_optimiser(optimiser: Any, kept: Mapping[str, Any]) -> None:
    """Put back what `optimiser_tensors` took; other tensors are passed over.

    Raises:
        ValueError: They are the state of another optimiser, or of other parameters.
    """
    owners = [parameter for group in optimiser.param_groups for parameter in group["params"]]
    state: dict[int, dict[str, Any]] = {}
    for name, tensor in kept.items():
        kind, index, key = (*name.split("/", 2), "", "")[:3]
        if kind != "optimiser":
            continue
        if not index.isdecimal() or int(index) >= len(owners) or not key:
            raise ValueError(f"{name} is not part of this optimiser's state")
        # Counters have no shape, and Adafactor keeps sums over rows and columns; all else lies over its parameter.
        shape = owners[int(index)].shape
        if tensor.dim() == len(shape) and not key.startswith("exp_avg_sq_") and tensor.shape != shape:
            raise ValueError(f"{name} has shape {tuple(tensor.shape)}, its parameter {tuple(shape)}")
        state.setdefault(int(index), {})[key] = spread_as(tensor.clone(), owners[int(index)])
    optimiser.load_state_dict({"state": state, "param_groups": optimiser.state_dict()["param_groups"]})
