"""One model spread over several processes (FSDP), for models that are larger than one device.

Each process keeps a part of every tensor, of its gradient and of the optimiser's state; a layer is put together only
while it computes. `accelerate launch --use_fsdp` asks for it; the sharding itself is torch's `fully_shard`, which
accelerate uses as well, but not on a CPU.
"""

from __future__ import annotations

import copy
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch


def is_wanted() -> bool:
    """Whether the launcher asked for sharding."""
    return os.environ.get("ACCELERATE_USE_FSDP", "").lower() == "true"


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


@contextmanager
def sharded(model: Any, device: Any, count: int) -> Iterator[None]:
    """Inside the block the weights of a model are spread over the processes; afterwards its module is an empty one."""
    from torch.distributed.device_mesh import init_device_mesh
    from torch.distributed.fsdp import FSDPModule, fully_shard

    module, empty = model.module, _without_weights(model.module)
    mesh = init_device_mesh(device.type, (count,))
    blocks = set(getattr(module, "_no_split_modules", None) or ())
    for part in list(module.modules()):
        if type(part).__name__ in blocks:
            fully_shard(part, mesh=mesh)
    fully_shard(module, mesh=mesh)
    for part in module.modules():
        if isinstance(part, FSDPModule):
            # Losses are divided by the size of the whole batch, so gradients are added up and not averaged.
            part.set_gradient_divide_factor(1.0)
            part.set_force_sum_reduction_for_comms(True)
    try:
        yield
    finally:
        model.module = _with_room(empty)


@contextmanager
def put_together(module: Any) -> Iterator[None]:
    """Inside the block the tensors outside the layers are whole, so that parts of the model can be called alone."""
    module.unshard()
    try:
        yield
    finally:
        module.reshard()


def _without_weights(module: Any) -> Any:
    """A copy of a module that takes no memory for its weights; tied ones stay tied."""
    known = {
        id(parameter): torch.nn.Parameter(torch.empty_like(parameter, device="meta"), parameter.requires_grad)
        for parameter in module.parameters()
    }
    return copy.deepcopy(module, known)


def _with_room(module: Any) -> Any:
    """The same module with room for its weights in host memory; what they are has yet to be loaded."""
    made: dict[int, Any] = {}
    for part in module.modules():
        for name, parameter in part.named_parameters(recurse=False):
            if id(parameter) not in made:
                made[id(parameter)] = torch.nn.Parameter(torch.zeros_like(parameter, device="cpu"))
            setattr(part, name, made[id(parameter)])
    return module.cpu()
