"""Checkpoints of adaptations: proved when they are read, with a sentence that says what to do."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from taskloom.core import UserError
from taskloom.core.adaptation import AdaptationError
from taskloom.models import tensors
from taskloom.models.runtime import import_torch


def load_tensors(path: Path) -> tuple[dict[str, Any], dict[str, Any], str]:
    """The tensors, the facts and the hash of a checkpoint.

    Raises:
        AdaptationError: The file is missing, cut, damaged, or not one of ours.
    """
    try:
        return tensors.load_tensors(path)
    except UserError as error:
        hint = f"remove {path.parent} to start this adaptation again"
        raise AdaptationError(error.message, where=str(path), hint=hint) from None


def first_difference(found: Mapping[str, Any], wanted: Mapping[str, Any]) -> str:
    """In what tensors differ from those of a model by name or shape; empty where they fit."""
    odd = sorted(found.keys() ^ wanted.keys())
    if odd:
        return f"the first tensor that only one of them has is {odd[0]}"
    for name, tensor in wanted.items():
        if found[name].shape != tensor.shape:
            return f"{name} has shape {tuple(found[name].shape)}, this model expects {tuple(tensor.shape)}"
    return ""


def optimiser_tensors(optimiser: Any) -> dict[str, Any]:
    """The state of a torch optimiser as named tensors."""
    from taskloom.adapt.shard import whole

    return {
        f"optimiser/{index}/{key}": whole(value)
        for index, state in optimiser.state_dict()["state"].items()
        for key, value in state.items()
        if value is not None
    }


def restore_optimiser(optimiser: Any, kept: Mapping[str, Any]) -> None:
    """Put back what `optimiser_tensors` took.

    Raises:
        ValueError: They are the state of another optimiser, or of other parameters.
    """
    from taskloom.adapt.shard import spread_as

    torch = import_torch()
    current = optimiser.state_dict()
    owners = [parameter for group in optimiser.param_groups for parameter in group["params"]]
    state: dict[int, dict[str, Any]] = {}
    for name, tensor in kept.items():
        _, index, key = (*name.split("/", 2), "", "")[:3]
        if not index.isdecimal() or int(index) >= len(owners) or not key:
            raise ValueError(f"{name} is not part of this optimiser's state")
        # Counters have no shape, and Adafactor keeps sums over rows and columns; all else lies over its parameter.
        shape = owners[int(index)].shape
        if tensor.dim() == len(shape) and not key.startswith("exp_avg_sq_") and tensor.shape != shape:
            raise ValueError(f"{name} has shape {tuple(tensor.shape)}, its parameter {tuple(shape)}")
        state.setdefault(int(index), {})[key] = spread_as(torch.clone(tensor), owners[int(index)])
    optimiser.load_state_dict({"state": state, "param_groups": current["param_groups"]})
