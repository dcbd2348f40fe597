"""An input embedding with a soft prompt: ids beyond the vocabulary are looked up in a table of their own.

Soft prompts are thus ordinary tokens in front of the input, and padding, masks, caches and decoding need
to know nothing of them.
"""

from __future__ import annotations

from typing import Any

from torch import nn
from torch.nn import functional

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
        if not virtual.any():
            return self.inner(ids)
        vectors = self.inner(ids.masked_fill(virtual, 0))
        # By their places rather than by the mask: its gradient costs a third.
        places = virtual.flatten().nonzero().squeeze(1)
        own = functional.embedding(ids.flatten()[places] - self.size, self.table.flatten(0, 1))
        return vectors.flatten(0, -2).index_copy(0, places, own.to(vectors.dtype)).view(vectors.shape)


def embedding_owner(module: Any) -> Any:
    """The part of a model that reads prompts: the encoder where there is one."""
    return module.get_encoder() if getattr(module.config, "is_encoder_decoder", False) else module
