"""Several processes training one model: started by `accelerate launch`, one otherwise.

Each process takes every n-th example of a batch; gradients are added up, so the sum is the gradient of
the whole batch and the curve is that of one process (up to the order of additions). Only the main
process writes.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any, TypeVar

from taskloom.core import UserError, missing_extra

__all__ = ["Workers"]

T = TypeVar("T")


_LAUNCH = "start them with `accelerate launch --multi_gpu --num_processes N -m taskloom run …`, or unset WORLD_SIZE"


def _started() -> int:
    """How many processes a launcher says it started; 1 without one."""
    said = os.environ.get("WORLD_SIZE", "") or "1"
    if not said.isdecimal() or int(said) < 1:
        raise UserError(f"{said!r} is no number of processes", where="WORLD_SIZE", hint=_LAUNCH)
    return int(said)


class Workers:
    """This process among those that train together."""

    def __init__(self) -> None:
        self.count = _started()
        self.rank = 0
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
        self.rank = state.process_index
        self._device = state.device

    @property
    def main(self) -> bool:
        """Whether this process writes."""
        return self.rank == 0

    def place(self, module: Any) -> None:
        """Move a module to this process's own device, where there are several processes."""
        if self.count > 1:
            module.to(self._device)

    def share(self, items: list[T]) -> list[T]:
        """This process's part of a list."""
        return items[self.rank :: self.count]

    def add_gradients(self, parameters: Iterable[Any]) -> None:
        """Replace each gradient by its sum over all processes."""
        if self.count == 1:
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
