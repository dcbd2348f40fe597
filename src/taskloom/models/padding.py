"""The side on which shorter prompts are padded, proved on the model itself before anything is asked."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any

from taskloom.core import UserError
from taskloom.models.engine import Engine, Side
from taskloom.models.load import HFOptions
from taskloom.models.local import LocalModel
from taskloom.models.runtime import LOGGER, import_torch, is_out_of_memory

__all__ = ["PaddedModel"]


class PaddedModel(LocalModel):
    """A model that reads prompts in padded batches."""

    options: HFOptions
    _padding: Side
    _remember: bool

    @abstractmethod
    def engine(self, lanes: Sequence[int] = (), *, side: Side | None = None, cache: bool | None = None) -> Engine:
        """A fresh engine over the module, in evaluation mode."""

    def _settle_padding(self) -> None:
        """Prove on two prompts of different length that padding changes nothing, or find a way in which it does not.

        Encoder-decoder models are built for padding on the right, so only what a user asks for is proved there.
        """
        if self.options.padding != "auto":
            self._padding = self.options.padding
            if not self._padding_is_harmless():
                raise UserError(
                    f"{type(self.module).__name__} sees padding, so padding={self.options.padding} changes its answers",
                    where="-M padding",
                    hint="-M padding=auto chooses the right side for the model",
                )
        elif self.architecture == "decoder" and not self._padding_is_harmless():
            # Without a mask or positions from outside, what comes after a token is all that cannot reach it.
            self._padding, self._remember = "right", False
            LOGGER.info("%s is padded on the right and run without cache", self.identity.name)

    def _padding_is_harmless(self) -> bool:
        words = max(self.tokenizer_hf.get_vocab().values()) + 1
        prompts = [[index % words for index in range(1, length)] for length in (4, 9)]
        try:
            with import_torch().inference_mode():
                together, alone = self._probe(prompts), self._probe(prompts[:1])
        except (AttributeError, RuntimeError) as error:
            if is_out_of_memory(error):
                raise
            return False
        # Half precision rounds by the shape of the batch; misplaced tokens do far more.
        allowed = 1e-3 if self.module.dtype.itemsize > 2 else 0.05
        return bool((together - alone).norm() <= allowed * (alone - alone.mean()).norm().clamp(min=1e-6))

    def _probe(self, prompts: list[list[int]]) -> Any:
        """The scores after the first prompt and after one more token."""
        engine = self.engine()
        return import_torch().cat([engine.start(prompts)[0], engine.advance([1] * len(prompts))[0]])
