"""Prompt-tuning (Lester et al., 2021): a few vectors in front of the input are all that is trained."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from taskloom.adapt.settings import TrainingSettings
from taskloom.core import Suite, UserError
from taskloom.core.model import Model

if TYPE_CHECKING:
    from taskloom.adapt.change.base import WeightChange
    from taskloom.models.local import LocalModel

MOST_TOKENS = 2_000
"""Far beyond what anyone has found useful; a misplaced zero should not cost an afternoon."""


class PromptTune(TrainingSettings, frozen=True, kw_only=True):
    """Train a soft prompt through the frozen model.

    Attributes:
        tokens: Virtual tokens.
        first_rows: They begin as random tokens among this many first rows of the vocabulary.
    """

    name: ClassVar[str] = "prompt-tune"
    summary: ClassVar[str] = "n virtual tokens in front of the input, everything else frozen"

    tokens: int = 20
    first_rows: int = 5000
    learning_rate: float = 0.3
    dropout: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.tokens < 1 or self.first_rows < 1:
            raise ValueError("tokens and first_rows must be 1 or more")
        if self.tokens > MOST_TOKENS:
            raise ValueError(f"{self.tokens:,} tokens are too many; the maximum is {MOST_TOKENS:,}")
        if self.per_task and self.optimiser == "adafactor":
            raise ValueError("adafactor uses statistics of whole tensors, so tasks cannot be trained together with it")

    def check(self, model: Model, suite: Suite) -> None:
        super().check(model, suite)
        if getattr(model, "architecture", None) not in ("encoder-decoder", "decoder"):
            raise UserError(
                f"prompt-tuning needs a model that reads tokens and writes text; {model.identity.name} does not",
                hint="--adapt finetune trains it",
            )
        window = model.limits.window
        if window is not None and self.tokens >= window:
            raise UserError(
                f"{self.tokens:,} virtual tokens do not fit into the window of {model.identity.name} ({window:,})",
                where="-A tokens",
            )

    def own_tokens(self) -> int:
        return self.tokens

    def make_change(self, model: LocalModel, lanes: int, seed: int) -> WeightChange:
        from taskloom.adapt.change.soft_prompt import SoftPrompts

        return SoftPrompts(model.module, lanes=lanes, tokens=self.tokens, first_rows=self.first_rows, seed=seed)


PROMPT_TUNE = PromptTune()
