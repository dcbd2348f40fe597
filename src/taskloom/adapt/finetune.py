"""Full fine-tuning: every weight is trained. Also how classifiers and memory networks are trained."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from taskloom.adapt.settings import Trained
from taskloom.core import Progress, Suite, UserError
from taskloom.encode.base import Encoding
from taskloom.models.base import Model

if TYPE_CHECKING:
    from taskloom.adapt.change.base import Change
    from taskloom.models.local import LocalModel

__all__ = ["FINETUNE", "Finetune"]


class Finetune(Trained, frozen=True, kw_only=True):
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

    def adapt(
        self,
        model: Model,
        suite: Suite,
        encoding: Encoding,
        directory: Path,
        *,
        seed: int,
        progress: Progress | None = None,
    ) -> Model:
        from taskloom.adapt.train import Fitting

        return Fitting(self, self._change, model, suite, encoding, directory, seed=seed).run(progress)

    def _change(self, model: LocalModel, lanes: int) -> Change:
        from taskloom.adapt.change.full import FullChange

        return FullChange(model.module)


FINETUNE = Finetune()
