"""Full fine-tuning: every weight of the model."""

from __future__ import annotations

from typing import Any

from taskloom.adapt.change.base import WeightChange


class FullChange(WeightChange):
    """All parameters of a module. One lane: two trainings cannot share the weights they change."""

    def __init__(self, module: Any) -> None:
        for parameter in module.parameters():
            parameter.requires_grad_(True)
        self._parameters = dict(module.named_parameters())
        self.whole = frozenset(self._parameters)

    def parameters(self) -> dict[str, Any]:
        return self._parameters
