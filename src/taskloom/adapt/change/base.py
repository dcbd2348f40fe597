"""The tensors that training may touch, for one adaptation or for many side by side.

A *lane* is one independent adaptation. Soft prompts and low-rank additions are small, so the tensors of
many lanes are stacked along a first dimension and trained through one frozen model in one batch: row i
of a batch belongs to lane `rows[i]` and its gradient reaches no other tensors. Optimisers that work
element by element then do for each lane exactly what they would do for it alone.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import torch

from taskloom.adapt.checkpoint import first_difference
from taskloom.adapt.shard import local, whole
from taskloom.core.model import Request
from taskloom.models.lanes import LaneChoice


def _wide(tensor: Any) -> Any:
    return torch.promote_types(tensor.dtype, torch.float32)


class WeightChange(ABC):
    """Tensors on top of (or inside) a module.

    Attributes:
        lanes: How many independent adaptations.
        whole: Names of tensors that are not stacked by lane; only a change with one lane has any.
    """

    lanes: int = 1
    whole: frozenset[str] = frozenset()

    @abstractmethod
    def parameters(self) -> dict[str, Any]:
        """The trained parameters by name, in a fixed order."""

    def prefix(self, lane: int) -> tuple[int, ...]:
        """Token ids to put in front of every input of a lane."""
        return ()

    def select(self, rows: Sequence[int]) -> None:  # noqa: B027 - only lanes inside layers need it
        """Say which lane each row of the next forward pass belongs to."""

    def select_all(self, lane: int) -> None:  # noqa: B027 - only lanes inside layers need it
        """Say that all rows from now on belong to one lane."""

    def remove(self) -> None:  # noqa: B027 - a change of the weights themselves stays
        """Take the change out of the module again."""

    def settle(self, model: Any, lane: int) -> None:
        """From now on the model answers as the lane has adapted it."""
        model.prefix = self.prefix(lane)
        self.select_all(lane)

    @contextmanager
    def answering(self, model: Any, lane: int) -> Iterator[None]:
        """Inside the block the model answers as the lane has adapted it."""
        before = model.prefix
        self.settle(model, lane)
        try:
            yield
        finally:
            model.prefix = before

    @contextmanager
    def answering_each(self, model: Any, lane: Callable[[Request], int]) -> Iterator[None]:
        """Inside the block the model answers each request as the lane of its own has adapted it, in shared batches."""
        model.choice = LaneChoice(lane, self.prefix, self.select)
        try:
            yield
        finally:
            model.choice = None

    def tensors(self, lane: int) -> dict[str, Any]:
        """A lane's tensors, as they are written to its checkpoints."""
        return {
            name: self._part(name, whole(parameter.detach()), lane) for name, parameter in self.parameters().items()
        }

    def load(self, lane: int, tensors: Mapping[str, Any]) -> None:
        """Put a lane's tensors back.

        Raises:
            ValueError: They do not fit this model.
        """
        with torch.no_grad():
            own = {name: self._part(name, parameter, lane) for name, parameter in self.parameters().items()}
            if problem := first_difference(tensors, own):
                raise ValueError(problem)
            for name, place in own.items():
                place.copy_(tensors[name])

    def _part(self, name: str, tensor: Any, lane: int) -> Any:
        return tensor if name in self.whole else tensor[lane]

    def absorb(self, model: Any) -> None:  # noqa: B027 - a change of the weights themselves is part of them already
        """Make the first lane part of the model's weights and leave nothing else behind.

        Raises:
            UserError: It is nothing that weights can hold.
        """

    def norms(self) -> Any:
        """The norm of the gradient of each lane."""
        # Half precision overflows when squares are added up; doubles hold every kind of gradient.
        total = torch.zeros(self.lanes, dtype=torch.float64)
        for name, parameter in self.parameters().items():
            if parameter.grad is not None:
                grad = local(parameter.grad).flatten(0 if name in self.whole else 1)
                total += torch.linalg.vector_norm(grad, dim=-1, dtype=_wide(grad)).to("cpu", torch.float64).pow(2)
        return total.sqrt()

    def scale_gradients(self, factors: Any) -> None:
        """Multiply the gradient of each lane by a factor."""
        for name, parameter in self.parameters().items():
            if parameter.grad is not None:
                shape = (1 if name in self.whole else -1, *[1] * (parameter.dim() - 1))
                grad = local(parameter.grad)
                grad.mul_(factors.to(grad).reshape(shape))

    def keep(self, lanes: Sequence[int], optimiser: Any) -> None:
        """Go on with these lanes only; the others' tensors and optimiser state are let go."""
        if self.whole:
            raise ValueError("a change of whole weights has one lane")
        for parameter in self.parameters().values():
            index = torch.tensor(list(lanes), dtype=torch.long, device=parameter.device)
            state = optimiser.state.get(parameter, {})
            for key, value in state.items():
                if value.dim() and value.shape[0] == self.lanes:
                    state[key] = value[index].clone()
            grad = None if parameter.grad is None else parameter.grad[index].clone()
            parameter.grad = None
            parameter.data = parameter.data[index].clone()
            parameter.grad = grad
        self.lanes = len(lanes)
