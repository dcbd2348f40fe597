"""From examples to losses: the loss of every example in a batch, for any kind of model.

Losses are sums over the tokens of one example, so that a batch can be cut into pieces (memory), spread
over processes or shared by several adaptations, and still give the gradient of its mean.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any

import torch
from torch.nn import functional

from taskloom.adapt.data import TrainingExample
from taskloom.adapt.settings import TrainingSettings
from taskloom.core import UserError
from taskloom.models.engine import pad
from taskloom.models.local import LocalModel

_IGNORED = -100


@dataclass(frozen=True, slots=True)
class Features:
    """An example as a model reads it.

    Attributes:
        source: Token ids of the input, where the model has any.
        target: Token ids of the answer.
        example: The example itself, for models with a collator of their own.
        length: For batches of similar length.
        weight: How many predictions its loss is a sum of.
    """

    source: tuple[int, ...]
    target: tuple[int, ...]
    example: TrainingExample
    length: int
    weight: int


class DropReason(Enum):
    """Why an example is not trained on."""

    OVERLONG = "overlong"
    UNANSWERABLE = "without its answer in the passage"


class ExampleReader(ABC):
    """Reads examples for one model."""

    def __init__(self, model: LocalModel, label_smoothing: float, own_tokens: int) -> None:
        self.model = model
        self._smoothing = label_smoothing
        self._own_tokens = own_tokens

    @abstractmethod
    def features(self, example: TrainingExample, settings: TrainingSettings) -> Features | DropReason:
        """Tokenise once what is read many times, or say why an example cannot be trained on."""

    def _overlong(self, example: TrainingExample, settings: TrainingSettings, what: str) -> bool:
        """Whether an example that is too long is to be left out.

        Raises:
            UserError: The settings want none.
        """
        if settings.overlong == "error":
            raise UserError(
                f"{what} of {example.request.task.name}/{example.request.instance.id} is too long",
                where="-A overlong=error",
                hint="a larger -A max_input or max_output, -A overlong=drop, or -A overlong=cut",
            )
        return settings.overlong == "drop"

    @abstractmethod
    def losses(self, batch: Sequence[Features], prefixes: Sequence[tuple[int, ...]]) -> Any:
        """The summed loss of each example. A prefix is put in front of its input."""

    def _sums(self, logits: Any, labels: Any) -> Any:
        exact = logits if logits.dtype == torch.float64 else logits.float()
        flat = functional.cross_entropy(
            exact.reshape(-1, logits.shape[-1]),
            labels.reshape(-1),
            ignore_index=_IGNORED,
            reduction="none",
            label_smoothing=self._smoothing,
        )
        return flat.reshape(labels.shape[0], -1).sum(dim=1)


class TextReader(ExampleReader):
    """Models that read token ids and write token ids: an answer comes from a decoder, or continues the input."""

    def __init__(self, model: LocalModel, label_smoothing: float, own_tokens: int) -> None:
        super().__init__(model, label_smoothing, own_tokens)
        self._filler = model.tokenizer_hf.pad_token_id or 0
        self._continues = model.architecture == "decoder"

    def features(self, example: TrainingExample, settings: TrainingSettings) -> Features | DropReason:
        model: Any = self.model
        prompt = example.request.prompt
        window = model.limits.window
        longest = settings.max_output if window is None else min(settings.max_output, window)
        answer = tuple(model.answer_ids(prompt, example.target, end=True))
        if len(answer) > longest and self._overlong(example, settings, f"the answer ({len(answer)} tokens)"):
            return DropReason.OVERLONG
        target, limit = answer[:longest], settings.max_input
        if window is not None:
            # Where both share the window, the answer's last token is expected, but never read.
            room = window - self._own_tokens - (len(target) - 1 if self._continues else 0)
            if room < 1:
                raise UserError(
                    f"the window of {window} tokens has no room for an input in addition to {self._own_tokens} "
                    f"virtual tokens and an answer of {len(target)}",
                    where=model.identity.name,
                    hint="fewer -A tokens, or a smaller -A max_output",
                )
            limit = min(limit, room)
        ids = tuple(model.prompt_ids(prompt))
        if len(ids) > limit and self._overlong(example, settings, f"the input ({len(ids)} tokens)"):
            return DropReason.OVERLONG
        source = ids[-limit:] if self._continues else ids[:limit]
        return Features(source, target, example, len(source) + len(target), len(target))

    def losses(self, batch: Sequence[Features], prefixes: Sequence[tuple[int, ...]]) -> Any:
        module, device = self.model.module, self.model.device
        sources = [[*prefix, *item.source] for prefix, item in zip(prefixes, batch, strict=True)]
        expected = [list(item.target) for item in batch]
        more = {}
        if self._continues:
            # The answer's first token is predicted at the input's last one; only the answer is learned.
            expected = [[_IGNORED] * (len(ids) - 1) + own for ids, own in zip(sources, expected, strict=True)]
            sources = [[*ids, *item.target[:-1]] for ids, item in zip(sources, batch, strict=True)]
        else:
            start = module.config.decoder_start_token_id
            more["decoder_input_ids"], _ = pad(
                [(start, *item.target[:-1]) for item in batch], self._filler, "right", device
            )
        ids, mask = pad(sources, self._filler, "right", device)
        labels, _ = pad(expected, _IGNORED, "right", device)
        return self._sums(module(input_ids=ids, attention_mask=mask, use_cache=False, **more).logits, labels)


class CollatedReader(ExampleReader):
    """Classifiers and memory networks: one prediction per example, read by the model's own collator."""

    def features(self, example: TrainingExample, settings: TrainingSettings) -> Features | DropReason:
        return Features((), (), example, len(example.request.instance.input), 1)

    def losses(self, batch: Sequence[Features], prefixes: Sequence[tuple[int, ...]]) -> Any:
        given = self.model.collate([item.example.request for item in batch], [item.example.target for item in batch])
        labels = given.pop("labels")
        return self._sums(self.model.module(**given).logits, labels)


class SpanReader(ExampleReader):
    """Models that point at their answer in a passage: the loss is that of all its mentions together."""

    def features(self, example: TrainingExample, settings: TrainingSettings) -> Features | DropReason:
        model: Any = self.model
        spans, overlong = model.locate(example.request, example.target)
        if overlong and self._overlong(example, settings, "the passage"):
            return DropReason.OVERLONG
        if not spans:
            return DropReason.UNANSWERABLE
        return Features((), (), example, len(example.request.instance.input), 1)

    def losses(self, batch: Sequence[Features], prefixes: Sequence[tuple[int, ...]]) -> Any:
        model: Any = self.model
        return model.losses([item.example.request for item in batch], [item.example.target for item in batch])


def reader_for(model: LocalModel, label_smoothing: float = 0.0, own_tokens: int = 0) -> ExampleReader:
    """The reader that fits a model; an adaptation may take tokens of its window for itself."""
    kinds: dict[str, type[ExampleReader]] = {"classifier": CollatedReader, "reader": SpanReader}
    return kinds.get(model.architecture, TextReader)(model, label_smoothing, own_tokens)
