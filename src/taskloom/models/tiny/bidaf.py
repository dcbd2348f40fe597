"""BiDAF (Seo et al., 2017, "Bidirectional Attention Flow"), small: words, no characters, one layer each.

Passage and question are read by one LSTM in both directions; each word of the passage then looks at the
question, and the question at the passage; two more LSTMs decide where the answer begins and ends.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import msgspec
import torch
from torch import nn

from taskloom.core import Recipe, Suite, UserError
from taskloom.core.decode import decoding, read_json
from taskloom.core.model import Identity, Limits, Request
from taskloom.models.local import grown_state
from taskloom.models.runtime import LOGGER, BatchSizer, count_parameters, resolve_device, seeded
from taskloom.models.spans import Passage, SpanModel, reading_parts
from taskloom.models.tensors import save_plain
from taskloom.store.seal import check_folder

_WORD = re.compile(r"\w+|[^\w\s]")
_MOST_ROWS = 50_000


class BiDAFOptions(Recipe, frozen=True, kw_only=True):
    """Options of `tiny/bidaf`.

    Attributes:
        width: The size of word vectors and of each direction of the LSTMs (100 in the paper).
        dropout: Dropout in front of every layer while training.
        words: The most words of a passage that are read, counted from its start; 0 for all.
        span: The longest answer, in words.
        device: "auto", "cpu", "cuda" …
        batch_size: Rows per batch; 0 sizes batches automatically.
        seed: The seed of the weights.
        checkpoint: A folder written by `save`, to start from trained weights.
    """

    width: int = 64
    dropout: float = 0.0
    words: int = 0
    span: int = 10
    device: str = "auto"
    batch_size: int = 0
    seed: int = 0
    checkpoint: str = ""

    def __post_init__(self) -> None:
        if self.width < 1 or self.span < 1:
            raise ValueError("width and span must be 1 or more")
        if min(self.words, self.batch_size) < 0 or not 0 <= self.dropout < 1:
            raise ValueError("words and batch_size must be 0 or more, and dropout at least 0 and below 1")


class BiDAF(nn.Module):  # type: ignore[misc]
    """The network.

    Args:
        vocabulary: How many word ids there are; 0 is padding.
        width: The size of word vectors and of each direction of the LSTMs.
        dropout: Dropout in front of every layer.
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


class _ReaderFile(msgspec.Struct, frozen=True):
    network: str
    options: BiDAFOptions
    words: tuple[str, ...]


class BiDAFModel(SpanModel):
    """BiDAF as a model. Its vocabulary comes from the suite (`prepare`) or from a checkpoint."""

    def __init__(self, options: BiDAFOptions) -> None:
        self.options = options
        self.architecture = "reader"
        self.limits = Limits(batch=256)
        self.longest_span = options.span
        self.module = None
        self._ids: dict[str, int] = {}
        self._device = resolve_device(options.device)
        self.sizer = BatchSizer.for_device(options.batch_size, self._device.type)
        self.identity = Identity("tiny/bidaf", settings={"architecture": "reader", **msgspec.to_builtins(options)})
        if options.checkpoint:
            self._open(Path(options.checkpoint))

    @property
    def device(self) -> Any:
        return self._device

    def prepare(self, suite: Suite) -> None:
        """Collect the words of the suite and draw the weights, unless that has been done."""
        if self.module is not None:
            return
        self.build(self._words_of(suite))

    def _words_of(self, suite: Suite) -> dict[str, None]:
        words: dict[str, None] = {}
        for task in suite.tasks.values():
            words.update(dict.fromkeys(word for label in task.labels for word in _cut(label)))
        for split in suite.splits:
            for row in islice(suite.draw(split), _MOST_ROWS):
                words.update(dict.fromkeys(_cut(row.instance.input)))
        return words

    def new_in(self, suite: Suite, splits: Sequence[str]) -> dict[str, Any]:
        return {"words": [word for word in self._words_of(suite) if word not in self._ids]}

    def extend(self, prepared: dict[str, Any]) -> None:
        words = {**dict.fromkeys(self._ids), **dict.fromkeys(prepared.get("words", ()))}
        if len(words) > len(self._ids):
            old = self.module
            self.build(words)
            self.module.load_state_dict(grown_state(old, self.module))
            self.refresh()

    def prepared(self) -> dict[str, Any]:
        return {"words": list(self._ids)}

    def restore(self, prepared: dict[str, Any]) -> None:
        self.build(prepared["words"])

    def redraw(self, restart: int) -> None:
        self.build(list(self._ids), restart)

    def build(self, words: Iterable[str], restart: int = 0) -> None:
        """Make the network for these words, with weights drawn from the seed."""
        self._ids = {word: index for index, word in enumerate(dict.fromkeys(words), start=2)}
        with seeded("tiny", "bidaf", self.options.seed, len(self._ids), *([restart] if restart else [])):
            module = BiDAF(len(self._ids) + 2, self.options.width, self.options.dropout)
        self.module = module.to(self._device).eval()
        self.refresh(parameters=count_parameters(module), words=len(self._ids))

    def encode(self, requests: Sequence[Request]) -> tuple[dict[str, Any], list[Passage]]:
        if self.module is None:
            raise UserError(f"{self.identity.name} has no vocabulary yet", hint="prepare(suite) collects it")
        pairs = [reading_parts(request.instance, request.task) for request in requests]
        most = self.options.words or None
        found = [[match.span() for match in _WORD.finditer(passage)] for _, passage in pairs]
        kept = [spans[:most] for spans in found]
        width = max(1, *map(len, kept))
        passages = [
            Passage(text, (*spans, *[None] * (width - len(spans))), overlong=len(spans) < len(whole))
            for (_, text), spans, whole in zip(pairs, kept, found, strict=True)
        ]
        words = [[text[begin:end] for begin, end in spans] for (_, text), spans in zip(pairs, kept, strict=True)]
        asked = [_WORD.findall(question) or ["?"] for question, _ in pairs]
        return {"passage": self._padded(words, width), "question": self._padded(asked)}, passages

    def _padded(self, rows: Sequence[Sequence[str]], width: int = 0) -> Any:
        """Words as ids; 0 is padding and 1 a word never seen before."""
        ids = torch.zeros((len(rows), width or max(map(len, rows))), dtype=torch.long)
        for place, row in enumerate(rows):
            ids[place, : len(row)] = torch.tensor([self._ids.get(word.lower(), 1) for word in row], dtype=torch.long)
        return ids.to(self._device)

    def pointers(self, batch: dict[str, Any]) -> tuple[Any, Any]:
        begins, ends = self.module(batch["passage"], batch["question"])
        return begins, ends

    def save(self, directory: Path) -> None:
        directory.mkdir(parents=True, exist_ok=True)
        save_plain(directory / "model.safetensors", self.module.state_dict())
        saved = _ReaderFile("bidaf", self.options, tuple(self._ids))
        (directory / "reader.json").write_bytes(msgspec.json.encode(saved))

    def _open(self, directory: Path) -> None:
        from safetensors.torch import load_file

        check_folder(directory)
        saved = read_json(directory / "reader.json", type=_ReaderFile)
        path = directory / "model.safetensors"
        with decoding(path, "the checkpoint of tiny/bidaf"):
            state = load_file(path)
        self.options = saved.options
        self.build(saved.words)
        try:
            self.module.load_state_dict(state)
        except RuntimeError as error:
            raise UserError(f"weights and description differ: {error}", where=str(directory)) from None
        self.refresh(checkpoint=str(directory))
        LOGGER.info("opened %s from %s", self.identity.name, directory)


def _cut(text: str) -> list[str]:
    return [word.lower() for word in _WORD.findall(text)]
