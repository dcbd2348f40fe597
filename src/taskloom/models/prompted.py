"""An input embedding with a soft prompt: ids beyond the vocabulary are looked up in a table of their own.

Soft prompts are thus ordinary tokens in front of the input, and padding, masks, caches and decoding need
to know nothing of them.
"""

from __future__ import annotations

from typing import Any

from torch import nn

__all__ = ["PromptedEmbedding", "embedding_owner"]


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


def embedding_owner(module: Any) -> Any:
    """The part of a model that reads prompts: the encoder where there is one."""
    return module.get_encoder() if getattr(module.config, "is_encoder_decoder", False) else module
