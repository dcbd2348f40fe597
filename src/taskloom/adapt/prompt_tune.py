"""Prompt-tuning (Lester et al., 2021): a few vectors in front of the input are all that is trained."""

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

__all__ = ["PROMPT_TUNE", "PromptTune"]


class PromptTune(Trained, frozen=True, kw_only=True):
    """Train a soft prompt through the frozen model.

    Attributes:
        tokens: Virtual tokens.
        first_rows: They begin as random tokens among so many first vocabulary rows.
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
            raise ValueError("tokens and first_rows are 1 or more")
        if self.per_task and self.optimiser == "adafactor":
            raise ValueError("adafactor looks at whole tensors, so tasks cannot be trained together with it")

    def check(self, model: Model, suite: Suite) -> None:
        super().check(model, suite)
        if getattr(model, "architecture", None) not in ("encoder-decoder", "decoder"):
            raise UserError(
                f"prompt-tuning needs a model that reads tokens and writes text; {model.identity.name} does not",
                hint="--adapt finetune trains it",
            )

    def own_tokens(self) -> int:
        return self.tokens

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

        def change(local: LocalModel, lanes: int) -> Change:
            from taskloom.adapt.change.soft_prompt import SoftPrompts

            return SoftPrompts(local.module, lanes=lanes, tokens=self.tokens, first_rows=self.first_rows, seed=seed)

        return Fitting(self, change, model, suite, encoding, directory, seed=seed).run(progress)


PROMPT_TUNE = PromptTune()
