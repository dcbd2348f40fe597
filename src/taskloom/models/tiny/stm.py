"""STM, the two-memory model of "Self-Attentive Associative Memory" (Le et al., 2020).

An item memory keeps what the text states; a relational memory keeps how items hang together. After each
sentence the relational memory is fed by self-attention over the item memory in which the usual dot
product is replaced by an outer product, so that an attended pair is stored as a matrix.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import nn

from taskloom.models.tiny.entnet import MemoryOutput, SentenceEncoder


class _OuterAttention(nn.Module):  # type: ignore[misc]
    """Self-attention over the rows of a matrix that gives one matrix per query slot."""

    def __init__(self, rows: int, width: int, slots: int) -> None:
        super().__init__()
        # Queries, keys and values are mixtures of rows, not of features.
        self.query = nn.Linear(rows, slots, bias=False)
        self.key = nn.Linear(rows, rows, bias=False)
        self.value = nn.Linear(rows, rows, bias=False)
        self.norms = nn.ModuleList(nn.LayerNorm(width) for _ in range(3))

    def forward(self, memory: Any) -> Any:
        """[batch, rows, width] to [batch, slots, width, width]."""
        columns = memory.transpose(1, 2)
        query, key, value = (
            norm(mix(columns).transpose(1, 2))
            for norm, mix in zip(self.norms, (self.query, self.key, self.value), strict=True)
        )
        matched = torch.tanh(query.unsqueeze(2) * key.unsqueeze(1))
        return torch.einsum("bsjd,bje->bsde", matched, value)


class STM(nn.Module):  # type: ignore[misc]
    """The network; takes and gives the same as `EntNet`.

    Args:
        vocabulary: How many word ids there are; 0 is padding.
        labels: How many answers there are.
        words: The most words of a sentence.
        width: The size of embeddings and of both memories' matrices.
        slots: How many matrices the relational memory holds.
    """

    def __init__(self, vocabulary: int, labels: int, *, words: int, width: int = 32, slots: int = 8) -> None:
        super().__init__()
        self.encode = SentenceEncoder(vocabulary, words, width)
        self.write = nn.ModuleList(nn.Linear(width, width) for _ in range(2))
        self.choose = nn.Linear(width, slots)
        self.gate_input = nn.Linear(width, 2 * width)
        self.gate_memory = nn.Linear(width, 2 * width)
        self.attend = _OuterAttention(width, width, slots)
        self.feed_back = nn.Linear(slots * width, width, bias=False)
        self.scales = nn.Parameter(torch.full((3,), 0.1))
        self.settle = nn.LayerNorm([width, width])
        self.squeeze = nn.Linear(width * width, width)
        self.answer = nn.Sequential(nn.Linear(slots * width, 2 * width), nn.ELU(), nn.Linear(2 * width, labels))
        self.width, self.slots = width, slots

    def forward(self, story: Any, question: Any, labels: Any = None) -> MemoryOutput:
        """Answer questions about stories; the question is read as the last sentence."""
        sentences = torch.cat([self.encode(story), self.encode(question).unsqueeze(1)], dim=1)
        real = torch.cat([(story != 0).any(dim=-1), torch.ones_like(story[:, :1, 0], dtype=torch.bool)], dim=1)
        batch = story.shape[0]
        items = sentences.new_zeros(batch, self.width, self.width)
        relations = sentences.new_zeros(batch, self.slots, self.width, self.width)
        for step in range(sentences.shape[1]):
            new_items, new_relations = self._read(sentences[:, step], items, relations)
            stay = real[:, step]
            items = torch.where(stay[:, None, None], new_items, items)
            relations = torch.where(stay[:, None, None, None], new_relations, relations)
        squeezed = self.squeeze(self.settle(relations).flatten(2)).flatten(1)
        logits = self.answer(torch.nn.functional.elu(squeezed))
        return MemoryOutput(logits, None if labels is None else nn.functional.cross_entropy(logits, labels))

    def _read(self, sentence: Any, items: Any, relations: Any) -> tuple[Any, Any]:
        left, right = (layer(sentence) for layer in self.write)
        forget, accept = torch.sigmoid(
            self.gate_input(sentence).unsqueeze(1) + self.gate_memory(torch.tanh(items))
        ).chunk(2, dim=-1)
        items = forget * items + accept * (left.unsqueeze(2) * right.unsqueeze(1))
        share = torch.softmax(self.choose(sentence), dim=-1)
        recalled = torch.einsum("bs,bsde,be->bd", share, relations, right)
        hinted = items + self.scales[0] * recalled.unsqueeze(2) * right.unsqueeze(1)
        relations = relations + self.scales[1] * self.attend(hinted)
        fed = self.feed_back(relations.permute(0, 3, 1, 2).flatten(2)).transpose(1, 2)
        return items + self.scales[2] * fed, relations
