"""Encoders with a span head (BERT, RoBERTa …) that find answers in passages: `hf/`, `packaged/minilm`, `tiny/bert`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from taskloom.core import Suite
from taskloom.core.display import printable
from taskloom.core.model import Generation, Limits, Output, Request
from taskloom.models.hf import HFModel
from taskloom.models.load import HFOptions, LoadedModel
from taskloom.models.runtime import seeded, state_hash
from taskloom.models.spans import Passage, SpanModel, reading_parts


class HFSpanReader(SpanModel, HFModel):
    """A transformers model for question answering. A passage beyond its window is cut at the end."""

    def __init__(self, loaded: LoadedModel, options: HFOptions, provider: str = "hf") -> None:
        HFModel.__init__(self, loaded, options, provider)
        self._window, self.limits = self.limits.window, Limits(batch=256)
        self.longest_span = options.span

    def prepare(self, suite: Suite) -> None:
        """Nothing: any suite with passages can be read."""

    def _settle_padding(self) -> None:
        """Tokenizers pad pairs on the side their encoder was built for."""

    def generate(self, requests: Sequence[Request], generation: Generation) -> list[Output]:
        return SpanModel.generate(self, requests, generation)

    def answer_batch(self, requests: Sequence[Request], generation: Generation) -> Iterator[list[tuple[int, Output]]]:
        yield list(enumerate(self.generate(requests, generation)))

    def encode(self, requests: Sequence[Request]) -> tuple[dict[str, Any], list[Passage]]:
        pairs = [tuple(map(printable, reading_parts(request.instance, request.task))) for request in requests]
        cut = self.tokenizer_hf(
            [question for question, _ in pairs],
            [passage for _, passage in pairs],
            truncation="only_second" if self._window else False,
            max_length=self._window,
            padding=True,
            return_offsets_mapping=True,
            return_tensors="pt",
        )
        offsets = cut.pop("offset_mapping").tolist()
        passages = []
        for row, (_, text) in enumerate(pairs):
            spans = tuple(
                _trimmed(text, begin, end) if part == 1 else None
                for (begin, end), part in zip(offsets[row], cut.sequence_ids(row), strict=True)
            )
            last = max((span[1] for span in spans if span is not None), default=0)
            passages.append(Passage(text, spans, overlong=last < len(text.rstrip())))
        return {key: value.to(self.device) for key, value in cut.items()}, passages

    def pointers(self, batch: dict[str, Any]) -> tuple[Any, Any]:
        output = self.module(**batch)
        return output.start_logits, output.end_logits


def _trimmed(text: str, begin: int, end: int) -> tuple[int, int] | None:
    """The characters of a token without blanks around them: some tokenizers put the blank before a word into it."""
    piece = text[begin:end]
    begin += len(piece) - len(piece.lstrip())
    return (begin, begin + len(piece.strip())) if piece.strip() else None


def with_span_head(module: Any, seed: int) -> tuple[Any, str]:
    """A question-answering model around the body of another encoder, its head drawn from the seed, and its hash."""
    from taskloom.models.runtime import import_transformers

    auto = import_transformers().AutoModelForQuestionAnswering
    with seeded("head", seed):
        fresh = auto.from_config(module.config)
    prefix = f"{fresh.base_model_prefix}."
    body = {key: value for key, value in module.state_dict().items() if key.startswith(prefix)}
    fresh.load_state_dict(body, strict=False)
    fresh = fresh.to(module.device, module.dtype).eval()
    return fresh, state_hash(fresh.state_dict())
