"""Networks of the literature over whole words: EntNet and STM for stories with questions, BiDAF for passages."""

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
    """Recurrent Entity Network (Henaff et al., 2017, "Tracking the World State with Recurrent Entity Networks").

    A story is read sentence by sentence into a few slots. Each slot has a key and a state; a gate opens
    when the sentence matches either, and only then does the slot change.

    It knows so many word ids (0 is padding) and answers, and reads sentences of at most so many words; `width` is the
    size of embeddings and slots. The defaults are the paper's.
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
    """STM, the two-memory model of "Self-Attentive Associative Memory" (Le et al., 2020); used like `EntNet`.

    An item memory keeps what the text states; a relational memory keeps how items hang together. After each
    sentence the relational memory is fed by self-attention over the item memory in which the usual dot
    product is replaced by an outer product, so that an attended pair is stored as a matrix.

    `width` is the size of embeddings and of both memories' matrices, `slots` how many the relational memory holds.
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


class BiDAF(nn.Module):  # type: ignore[misc]
    """BiDAF (Seo et al., 2017, "Bidirectional Attention Flow"), small: words, no characters, one layer each.

    Passage and question are read by one LSTM in both directions; each word of the passage then looks at the
    question, and the question at the passage; two more LSTMs decide where the answer begins and ends.

    `width` is the size of word vectors and of each direction of the LSTMs; there is dropout in front of every layer.
    """

    def __init__(self, vocabulary: int, width: int, dropout: float = 0.0) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, width, padding_idx=0)
        self.context = nn.LSTM(width, width, batch_first=True, bidirectional=True)
        self.similarity = nn.Linear(6 * width, 1, bias=False)
        self.modelling = nn.LSTM(8 * width, width, num_layers=2, batch_first=True, bidirectional=True)
        self.ending = nn.LSTM(2 * width, width, batch_first=True, bidirectional=True)
        self.begin = nn.Linear(10 * width, 1)
        self.end = nn.Linear(10 * width, 1)
        self.drop = nn.Dropout(dropout)

    def forward(self, passage: Any, question: Any) -> tuple[Any, Any]:
        """Scores of beginnings and ends for each word of the passage; 0 ids are padding on the right."""
        here, asked = passage != 0, question != 0
        first = _read(self.context, self.drop(self.embedding(passage)), here)
        second = _read(self.context, self.drop(self.embedding(question)), asked)
        aware = self._flow(first, second, asked)
        model = _read(self.modelling, self.drop(aware), here)
        later = _read(self.ending, self.drop(model), here)
        begins = self.begin(self.drop(torch.cat([aware, model], dim=-1))).squeeze(-1)
        ends = self.end(self.drop(torch.cat([aware, later], dim=-1))).squeeze(-1)
        return begins, ends

    def _flow(self, passage: Any, question: Any, asked: Any) -> Any:
        """What each word of the passage knows of the question, and what the question makes of the passage."""
        rows, columns = passage.shape[1], question.shape[1]
        left = passage.unsqueeze(2).expand(-1, -1, columns, -1)
        right = question.unsqueeze(1).expand(-1, rows, -1, -1)
        scores = self.similarity(torch.cat([left, right, left * right], dim=-1)).squeeze(-1)
        scores = scores.masked_fill(~asked.unsqueeze(1), torch.finfo(scores.dtype).min)
        to_question = scores.softmax(dim=-1) @ question
        share = scores.amax(dim=-1).masked_fill(passage.abs().sum(-1) == 0, torch.finfo(scores.dtype).min)
        to_passage = (share.softmax(dim=-1).unsqueeze(1) @ passage).expand_as(passage)
        return torch.cat([passage, to_question, passage * to_question, passage * to_passage], dim=-1)


def _read(layer: Any, vectors: Any, real: Any) -> Any:
    """An LSTM over rows of different lengths; what stands behind a row's end has no say in it."""
    lengths = real.sum(dim=1).clamp(min=1).cpu()
    packed = nn.utils.rnn.pack_padded_sequence(vectors, lengths, batch_first=True, enforce_sorted=False)
    out, _ = nn.utils.rnn.pad_packed_sequence(layer(packed)[0], batch_first=True, total_length=vectors.shape[1])
    return out * real.unsqueeze(-1)
