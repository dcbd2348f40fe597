"""Full fine-tuning: every weight is trained. Also how classifiers and memory networks are trained."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from taskloom.adapt.settings import TrainingSettings
from taskloom.core import Suite, UserError
from taskloom.core.model import Model

if TYPE_CHECKING:
    from taskloom.adapt.change.base import WeightChange
    from taskloom.models.local import LocalModel


class Finetune(TrainingSettings, frozen=True, kw_only=True):
    """Train all weights."""

    name: ClassVar[str] = "finetune"
    summary: ClassVar[str] = "all weights"

    def check(self, model: Model, suite: Suite) -> None:
        super().check(model, suite)
        if self.per_task:
            raise UserError(
                "fine-tuning changes all weights, so the tasks cannot share one model",
                where="-A per_task",
                hint="taskloom sweep … --each-task fine-tunes one model per task",
            )

    def make_change(self, model: LocalModel, lanes: int, seed: int) -> WeightChange:
        from taskloom.adapt.change.full import FullChange

        return FullChange(model.module)


FINETUNE = Finetune()
