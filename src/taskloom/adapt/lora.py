"""LoRA (Hu et al., 2021): low-rank additions to some linear layers, everything else frozen."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from taskloom.adapt.settings import TrainingSettings
from taskloom.core import Suite, UserError
from taskloom.core.model import Model

if TYPE_CHECKING:
    from taskloom.adapt.change.base import WeightChange
    from taskloom.models.local import LocalModel


class Lora(TrainingSettings, frozen=True, kw_only=True):
    """Train low-rank additions through the frozen model.

    Attributes:
        rank: The rank of the additions.
        alpha: They are multiplied by alpha / rank.
        layers: Last parts of the names of the layers (`q_proj`); empty for peft's choice for the model.
    """

    name: ClassVar[str] = "lora"
    summary: ClassVar[str] = "low-rank additions to linear layers, everything else frozen"

    rank: int = 8
    alpha: float = 16.0
    layers: tuple[str, ...] = ()
    dropout: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.rank < 1 or self.alpha <= 0:
            raise ValueError("rank must be 1 or more and alpha more than 0")
        if self.per_task and self.optimiser == "adafactor":
            raise ValueError("adafactor uses statistics of whole tensors, so tasks cannot be trained together with it")

    def check(self, model: Model, suite: Suite) -> None:
        super().check(model, suite)
        if getattr(model, "tokenizer_hf", None) is None:
            raise UserError(
                f"LoRA needs a transformers model, which {model.identity.name} is not",
                hint="--adapt finetune trains it",
            )
        if self.per_task and getattr(model, "architecture", None) in ("classifier", "reader"):
            raise UserError(
                "the tasks of a classifier or reader cannot share one head, so they are not trained together",
                where="-A per_task",
                hint="taskloom sweep … --each-task adapts one model per task",
            )

    def make_change(self, model: LocalModel, lanes: int, seed: int) -> WeightChange:
        from taskloom.adapt.change.low_rank import LowRank

        return LowRank(
            model.module,
            lanes=lanes,
            rank=self.rank,
            alpha=self.alpha,
            layers=self.layers,
            seed=seed,
            head=model.architecture in ("classifier", "reader"),
        )


LORA = Lora()
