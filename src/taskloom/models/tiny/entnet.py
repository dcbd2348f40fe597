"""Recurrent Entity Network (Henaff et al., 2017, "Tracking the World State with Recurrent Entity Networks").

A story is read sentence by sentence into a few slots. Each slot has a key and a state; a gate opens
when the sentence matches either, and only then does the slot change.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import torch
from torch import nn


class MemoryOutput(NamedTuple):
    """What a memory network gives back: scores per label, and the loss where labels were given."""

    logits: Any
    loss: Any = None


class SentenceEncoder(nn.Module):  # type: ignore[misc]
    """A sentence as the sum of its words, each weighed by a learned mask of its position."""

    def __init__(self, vocabulary: int, words: int, width: int) -> None:
        super().__init__()
        self.words = words
        self.embedding = nn.Embedding(vocabulary, width, padding_idx=0)
        nn.init.normal_(self.embedding.weight, std=0.1)
        self.embedding.weight.data[0].zero_()
        self.mask = nn.Parameter(torch.ones(words, width))

    def forward(self, ids: Any) -> Any:
        """[..., words] token ids to [..., width]."""
        return (self.embedding(ids) * self.mask[: ids.shape[-1]]).sum(dim=-2)


class EntNet(nn.Module):  # type: ignore[misc]
    """The network; `forward` takes padded stories and questions.

    Args:
        vocabulary: How many word ids there are; 0 is padding.
        labels: How many answers there are.
        words: The most words of a sentence.
        width: The size of embeddings and slots (100 in the paper).
        slots: How many slots (20 in the paper).
    """

    def __init__(self, vocabulary: int, labels: int, *, words: int, width: int = 100, slots: int = 20) -> None:
        super().__init__()
        self.encode = SentenceEncoder(vocabulary, words, width)
        self.keys = nn.Parameter(torch.randn(slots, width) * 0.1)
        self.from_state = nn.Linear(width, width, bias=False)
        self.from_key = nn.Linear(width, width, bias=False)
        self.from_sentence = nn.Linear(width, width, bias=False)
        self.read = nn.Linear(width, width, bias=False)
        self.answer = nn.Linear(width, labels, bias=False)
        self.bend = nn.PReLU(width, init=1.0)
        for layer in (self.from_state, self.from_key, self.from_sentence, self.read, self.answer):
            nn.init.normal_(layer.weight, std=0.1)

    def forward(self, story: Any, question: Any, labels: Any = None) -> MemoryOutput:
        """Answer questions about stories.

        Args:
            story: [batch, sentences, words] ids; an all-zero sentence is padding and changes nothing.
            question: [batch, words] ids.
            labels: [batch] indices of the right answers, for the loss.
        """
        sentences, asked = self.encode(story), self.encode(question)
        real = (story != 0).any(dim=-1)
        keys = self.keys.unsqueeze(0)
        state = keys.expand(story.shape[0], -1, -1)
        from_key = self.from_key(keys)
        for step in range(story.shape[1]):
            sentence = sentences[:, step].unsqueeze(1)
            gate = torch.sigmoid((sentence * (state + keys)).sum(dim=-1, keepdim=True))
            candidate = self._bend(self.from_state(state) + from_key + self.from_sentence(sentence))
            changed = nn.functional.normalize(state + gate * candidate, dim=-1)
            state = torch.where(real[:, step, None, None], changed, state)
        share = torch.softmax((state * asked.unsqueeze(1)).sum(dim=-1), dim=-1)
        found = (share.unsqueeze(-1) * state).sum(dim=1)
        logits = self.answer(self._bend(asked + self.read(found)))
        return MemoryOutput(logits, None if labels is None else nn.functional.cross_entropy(logits, labels))

    def _bend(self, values: Any) -> Any:
        # PReLU wants the features in the second place.
        return self.bend(values.reshape(-1, values.shape[-1])).reshape(values.shape)
