"""Several processes training one model: started by `accelerate launch`, one otherwise.

Each process takes every n-th example of a batch; gradients are added up, so the sum is the gradient of
the whole batch and the curve is that of one process (up to the order of additions). Only the main
process writes. Where the launcher asks for sharding (`--use_fsdp`), each keeps a part of every tensor, of its gradient
and of the optimiser's state, and a layer is put together only while it computes: torch's `fully_shard`, which
accelerate uses as well, but not on a CPU.
"""

from __future__ import annotations

import copy
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any, TypeVar

import torch
from torch import distributed

from taskloom.core import UserError, missing_extra

T = TypeVar("T")
R = TypeVar("R")


_LAUNCH = "start them with `accelerate launch --multi_gpu --num_processes N -m taskloom run …`, or unset WORLD_SIZE"


def _started() -> int:
    """How many processes a launcher says it started; 1 without one."""
    said = os.environ.get("WORLD_SIZE", "") or "1"
    if not said.isdecimal() or int(said) < 1:
        raise UserError(f"{said!r} is not a number of processes", where="WORLD_SIZE", hint=_LAUNCH)
    return int(said)


class Workers:
    """This process among those that train together."""

    def __init__(self) -> None:
        self.count = _started()
        self.rank = 0
        self.sharded = False
        if self.count == 1:
            return
        try:
            from accelerate import PartialState
        except ImportError:
            raise missing_extra("accelerate", "train", "training with several processes") from None
        try:
            state = PartialState(cpu=not torch.cuda.is_available())
        except ValueError as error:
            raise UserError(
                f"the processes cannot find each other: {error}", where="WORLD_SIZE", hint=_LAUNCH
            ) from None
        if state.num_processes != self.count:
            raise UserError(
                f"{self.count} processes were started, but {state.num_processes} found each other",
                hint=_LAUNCH,
            )
        self.rank = state.process_index
        self.sharded = os.environ.get("ACCELERATE_USE_FSDP", "").lower() == "true"
        self._device = state.device

    @property
    def main(self) -> bool:
        """Whether this process writes."""
        return self.rank == 0

    def place(self, module: Any) -> None:
        """Move a module to this process's own device, where there are several processes."""
        if self.count > 1 and not self.sharded:
            module.to(self._device)

    def sharding(self, model: Any) -> AbstractContextManager[None]:
        """Inside the block the model is spread over the processes, where the launcher asked for that."""
        return _sharded(model, self._device, self.count) if self.sharded else nullcontext()

    def share(self, items: list[T]) -> list[T]:
        """This process's part of a list."""
        return items[self.rank :: self.count]

    def ask(self, module: Any, items: list[T], work: Callable[[list[T]], list[R]]) -> list[R]:
        """Do work on a list with the model: each process on its part, or all in step where each has a part of it."""
        if not self.sharded:
            return self.merge(self.collect(work(self.share(items))))
        # The tensors outside the layers are put together, so that parts of the model can be called alone.
        module.unshard()
        try:
            return work(items)
        finally:
            module.reshard()

    def missing(self, items: list[T]) -> int:
        """How many more rows this process needs to be in step with the others."""
        return -(-len(items) // self.count) - len(self.share(items)) if self.sharded else 0

    def agree(self, decision: bool) -> bool:
        """What the main process decides, where all have to do the same."""
        return self.collect(decision)[0] if self.sharded else decision

    def norms(self, norms: Any) -> Any:
        """The norms of whole gradients from those of the parts."""
        if not self.sharded:
            return norms
        squares = norms.square().to(self._device)
        distributed.all_reduce(squares)
        return squares.sqrt().to(norms.device)

    def add_gradients(self, parameters: Iterable[Any]) -> None:
        """Replace each gradient by its sum over all processes; shards are added up as they are made."""
        if self.count == 1 or self.sharded:
            return
        for parameter in parameters:
            if parameter.grad is None:
                parameter.grad = torch.zeros_like(parameter)
            distributed.all_reduce(parameter.grad)

    def add(self, values: list[float]) -> list[float]:
        """The element-wise sum of a list over all processes."""
        if self.count == 1:
            return values
        parts = self.collect(values)
        return [sum(column) for column in zip(*parts, strict=True)]

    def collect(self, value: T) -> list[T]:
        """The value of every process, by rank, in every process."""
        if self.count == 1:
            return [value]
        parts: list[Any] = [None] * self.count
        distributed.all_gather_object(parts, value)
        return parts

    def wait(self) -> None:
        """Go on when every process is here: what the main one wrote can then be read."""
        self.collect(None)

    def merge(self, parts: list[list[T]]) -> list[T]:
        """Undo `share`: the whole list from every process's part."""
        whole: list[Any] = [None] * sum(map(len, parts))
        for rank, part in enumerate(parts):
            whole[rank :: self.count] = part
        return whole


@contextmanager
def _sharded(model: Any, device: Any, count: int) -> Iterator[None]:
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
