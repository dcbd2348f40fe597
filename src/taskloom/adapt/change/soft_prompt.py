"""Soft prompts: a few new vocabulary entries in front of every input, everything else frozen.

The entries are real token ids beyond the vocabulary. A layer over the model's input embedding looks
those ids up in a table of its own, so padding, masks, caches and decoding need to know nothing of it.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import nn

from taskloom.adapt.change.base import Change
from taskloom.core import keyed_random

__all__ = ["PromptedEmbedding", "SoftPrompts"]


class PromptedEmbedding(nn.Module):  # type: ignore[misc]
    """An input embedding with a second table for ids beyond its own."""

    def __init__(self, inner: Any, table: Any) -> None:
        super().__init__()
        self.inner = inner
        self.table = nn.Parameter(table)
        self.size = int(inner.num_embeddings)

    @property
    def weight(self) -> Any:
        """The vocabulary's own rows (a model may tie its output layer to them)."""
        return self.inner.weight

    @property
    def num_embeddings(self) -> int:
        """How many rows the vocabulary has."""
        return self.size

    def forward(self, ids: Any) -> Any:
        """Vectors of ids of either kind."""
        virtual = ids >= self.size
        vectors = self.inner(ids.masked_fill(virtual, 0))
        if not virtual.any():
            return vectors
        own = self.table.flatten(0, 1)[ids[virtual] - self.size]
        return vectors.masked_scatter(virtual.unsqueeze(-1), own.to(vectors.dtype))


class SoftPrompts(Change):
    """One soft prompt per lane.

    Args:
        module: The model; all its parameters are frozen.
        lanes: How many prompts.
        tokens: Virtual tokens per prompt.
        first_rows: The initial vectors are those of random tokens among so many first vocabulary rows,
            which in most vocabularies are the frequent ones (Lester et al., 2021).
        seed: The seed of the choice.
    """

    def __init__(self, module: Any, *, lanes: int, tokens: int, first_rows: int, seed: int) -> None:
        for parameter in module.parameters():
            parameter.requires_grad_(False)
        # Encoder-decoder models read the prompt with their encoder.
        two_parts = bool(getattr(module.config, "is_encoder_decoder", False))
        self._owner = module.get_encoder() if two_parts else module
        inner = self._owner.get_input_embeddings()
        rows = min(first_rows, inner.num_embeddings)
        random = keyed_random("soft-prompt", seed)
        chosen = random.sample(range(rows), tokens) if tokens <= rows else random.choices(range(rows), k=tokens)
        with torch.no_grad():
            start = inner(torch.tensor(chosen, device=inner.weight.device)).float()
        self._inner = inner
        self._embedding = PromptedEmbedding(inner, start.unsqueeze(0).repeat(lanes, 1, 1))
        self._owner.set_input_embeddings(self._embedding)
        self.lanes = lanes
        self.tokens = tokens

    def remove(self) -> None:
        self._owner.set_input_embeddings(self._inner)

    def parameters(self) -> dict[str, Any]:
        return {"prompt": self._embedding.table}

    def prefix(self, lane: int) -> tuple[int, ...]:
        first = self._embedding.size + lane * self.tokens
        return tuple(range(first, first + self.tokens))
