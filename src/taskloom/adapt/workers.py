"""Several processes training one model: started by `accelerate launch`, one otherwise.

Each process takes every n-th example of a batch; gradients are added up, so the sum is the gradient of
the whole batch and the curve is that of one process (up to the order of additions). Only the main
process writes. Where the launcher asks for sharding, each holds a part of the model as well (`shard`).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, nullcontext
from typing import Any, TypeVar

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
        import torch

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
        from taskloom.adapt.shard import is_wanted

        self.rank = state.process_index
        self.sharded = is_wanted()
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
        if not self.sharded:
            return nullcontext()
        from taskloom.adapt.shard import sharded

        return sharded(model, self._device, self.count)

    def share(self, items: list[T]) -> list[T]:
        """This process's part of a list."""
        return items[self.rank :: self.count]

    def ask(self, module: Any, items: list[T], work: Callable[[list[T]], list[R]]) -> list[R]:
        """Do work on a list with the model: each process on its part, or all in step where each has a part of it."""
        if not self.sharded:
            return self.merge(self.collect(work(self.share(items))))
        from taskloom.adapt.shard import put_together

        with put_together(module):
            return work(items)

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
        import torch

        squares = norms.square().to(self._device)
        torch.distributed.all_reduce(squares)
        return squares.sqrt().to(norms.device)

    def add_gradients(self, parameters: Iterable[Any]) -> None:
        """Replace each gradient by its sum over all processes; shards are added up as they are made."""
        if self.count == 1 or self.sharded:
            return
        import torch

        for parameter in parameters:
            if parameter.grad is None:
                parameter.grad = torch.zeros_like(parameter)
            torch.distributed.all_reduce(parameter.grad)

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
        import torch

        parts: list[Any] = [None] * self.count
        torch.distributed.all_gather_object(parts, value)
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
