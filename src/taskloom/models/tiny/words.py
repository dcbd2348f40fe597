"""Networks over whole words as Taskloom models: memory networks that choose a label, and BiDAF, which points."""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Iterable, Sequence
from itertools import islice
from pathlib import Path
from typing import Annotated, Any, ClassVar

import msgspec

from taskloom.core import Count, Instance, Positive, Recipe, Suite, UserError
from taskloom.core.decode import decoding, read_json
from taskloom.core.model import Identity, Request
from taskloom.models.local import (
    MOST_ROWS,
    LabelModel,
    LocalModel,
    Passage,
    SpanModel,
    answers_in,
    grown_state,
    reading_parts,
    suite_labels,
)
from taskloom.models.runtime import LOGGER, BatchSizer, count_parameters, import_torch, resolve_device, seeded
from taskloom.models.tensors import save_plain
from taskloom.store.seal import check_folder

_WORD = re.compile(r"\w+|[^\w\s]")
_SENTENCE = re.compile(r"\n+|(?<=[.!?])\s+")


class WordOptions(Recipe, frozen=True, kw_only=True):
    """Options of every network over whole words.

    Attributes:
        width: The size of embeddings and of what is made of them; 0 takes the network's own.
        words: The most words of a sentence or passage that are read.
        device: "auto", "cpu", "cuda" …
        batch_size: Rows per batch; 0 sizes batches automatically.
        seed: The seed of the weights.
        checkpoint: A folder written by `save`, to start from trained weights.
    """

    width: Count = 0
    words: Count = 0
    device: str = "auto"
    batch_size: Count = 0
    seed: int = 0
    checkpoint: str = ""


class _NetworkFile(msgspec.Struct, frozen=True):
    network: str
    options: dict[str, Any]
    words: tuple[str, ...]
    labels: tuple[str, ...] = ()


def _words(text: str) -> list[str]:
    return [word.lower() for word in _WORD.findall(text)]


class WordNetwork(LocalModel):
    """A network whose vocabulary (and labels) come from the suite (`prepare`) or from a checkpoint.

    Attributes:
        file: The file of a checkpoint that says what its weights are of.
        chooses: Whether it answers with a label, so that it has labels as well as words.
        labels: They, in order.
    """

    file: ClassVar[str]
    chooses: ClassVar[bool]
    labels: tuple[str, ...] = ()
    options: WordOptions

    def __init__(self, name: str, options: WordOptions) -> None:
        self._name, self.options = name, options
        self.architecture = "classifier" if self.chooses else "reader"
        self.module = None
        self._ids: dict[str, int] = {}
        self._device = resolve_device(options.device)
        self.sizer = BatchSizer.for_device(options.batch_size, self._device.type)
        settings = {"architecture": self.architecture, **msgspec.to_builtins(options)}
        self.identity = Identity(f"tiny/{name}", settings=settings)
        if options.checkpoint:
            self._open(Path(options.checkpoint))

    @abstractmethod
    def network(self) -> Any:
        """A fresh network for the words and labels."""

    @property
    def device(self) -> Any:
        return self._device

    def prepare(self, suite: Suite) -> None:
        """Collect the words and labels of the suite and draw the weights, unless that has been done."""
        labels = suite_labels(suite, self.identity.name, self.labels) if self.chooses else ()
        if self.module is None:
            self.build(self._words_of(suite), labels)

    def _words_of(self, suite: Suite) -> dict[str, None]:
        words: dict[str, None] = {}
        if not self.chooses:  # labels are pointed at, so they are words too
            words.update(
                dict.fromkeys(w for task in suite.tasks.values() for label in task.labels for w in _words(label))
            )
        for split in suite.splits:
            for row in islice(suite.draw(split), MOST_ROWS):
                words.update(dict.fromkeys(_words(row.instance.input)))
        return words

    def new_in(self, suite: Suite, splits: Sequence[str]) -> dict[str, Any]:
        labels = answers_in(suite, splits) if self.chooses else ()
        new = {"words": [word for word in self._words_of(suite) if word not in self._ids]}
        return new | ({"labels": [label for label in labels if label not in self.labels]} if self.chooses else {})

    def extend(self, prepared: dict[str, Any]) -> None:
        words, labels = (
            {**dict.fromkeys(old), **dict.fromkeys(prepared.get(key, ()))}
            for key, old in (("words", self._ids), ("labels", self.labels))
        )
        if len(words) > len(self._ids) or len(labels) > len(self.labels):
            old = self.module
            self.build(words, labels)
            self.module.load_state_dict(grown_state(old, self.module))
            self.refresh()

    def prepared(self) -> dict[str, Any]:
        return {"words": list(self._ids), **({"labels": list(self.labels)} if self.chooses else {})}

    def restore(self, prepared: dict[str, Any]) -> None:
        self.build(prepared["words"], prepared.get("labels", ()))

    def redraw(self, restart: int) -> None:
        self.build(list(self._ids), self.labels, restart)

    def build(self, words: Iterable[str], labels: Iterable[str] = (), restart: int = 0) -> None:
        """Make the network for these words and labels, with weights drawn from the seed."""
        self._ids = {word: index for index, word in enumerate(dict.fromkeys(words), start=2)}
        self.labels = tuple(dict.fromkeys(labels))
        counts = {"labels": len(self.labels)} if self.chooses else {}
        key = (self.options.seed, len(self._ids), *counts.values(), *([restart] if restart else []))
        with seeded("tiny", self._name, *key):
            module = self.network()
        self.module = module.to(self._device).eval()
        self.refresh(parameters=count_parameters(module), **counts, words=len(self._ids))

    def ids(self, words: Iterable[str]) -> list[int]:
        """Words as numbers; 0 is padding and 1 a word never seen before."""
        return [self._ids.get(word.lower(), 1) for word in words]

    def padded(self, rows: Sequence[Sequence[int]], width: int = 0) -> Any:
        if self.module is None:
            raise UserError(f"{self.identity.name} has no vocabulary yet", hint="prepare(suite) collects it")
        torch = import_torch()
        ids = torch.zeros((len(rows), width or max(map(len, rows))), dtype=torch.long)
        for place, row in enumerate(rows):
            ids[place, : len(row)] = torch.tensor(row, dtype=torch.long)
        return ids.to(self._device)

    def save(self, directory: Path) -> None:
        directory.mkdir(parents=True, exist_ok=True)
        save_plain(directory / "model.safetensors", self.module.state_dict())
        saved = _NetworkFile(self._name, msgspec.to_builtins(self.options), tuple(self._ids), self.labels)
        (directory / self.file).write_bytes(msgspec.json.encode(saved))

    def _open(self, directory: Path) -> None:
        from safetensors.torch import load_file

        check_folder(directory)
        saved = read_json(directory / self.file, type=_NetworkFile)
        path = directory / "model.safetensors"
        with decoding(path, f"the checkpoint of tiny/{self._name}"):
            state = load_file(path)
        if saved.network != self._name:
            raise UserError(f"holds {saved.network}, not {self._name}", where=str(directory))
        with decoding(directory / self.file):
            self.options = msgspec.convert(saved.options, type(self.options))
        self.build(saved.words, saved.labels)
        try:
            self.module.load_state_dict(state)
        except RuntimeError as error:
            raise UserError(f"weights and description differ: {error}", where=str(directory)) from None
        self.refresh(checkpoint=str(directory))
        LOGGER.info("opened %s from %s", self.identity.name, directory)


class MemoryOptions(WordOptions, frozen=True, kw_only=True):
    """Options of `tiny/entnet` and `tiny/stm`.

    Attributes:
        width: The size of embeddings and memories; 0 takes the network's own (100 for EntNet, 32 for STM).
        slots: How many memories; 0 takes the network's own (20 for EntNet, 8 for STM).
        sentences: The most sentences of a story that are read, counted from its end.
        words: The most words of a sentence that are read.
    """

    slots: Count = 0
    sentences: Positive = 130
    words: Positive = 32


def split_story(instance: Instance) -> tuple[list[str], str]:
    """The sentences of a story and the question about it, from the parts or from the whole input."""
    parts = list(instance.parts.values())
    if len(parts) == 2:
        story, question = parts
    else:
        pieces = [piece for piece in _SENTENCE.split(instance.input) if piece.strip()]
        story, question = "\n".join(pieces[:-1]), pieces[-1] if pieces else ""
    return [sentence for sentence in _SENTENCE.split(story) if sentence.strip()], question


class MemoryModel(LabelModel, WordNetwork):
    """EntNet or STM: stories and questions in, one label out."""

    nature = "memory"
    file, chooses = "memory.json", True
    options: MemoryOptions

    def network(self) -> Any:
        from taskloom.models.tiny.networks import STM, EntNet

        kind: Any = {"entnet": EntNet, "stm": STM}[self._name]
        sizes = {"width": self.options.width, "slots": self.options.slots}
        given = {key: value for key, value in sizes.items() if value}
        return kind(len(self._ids) + 2, len(self.labels), words=self.options.words, **given)

    def encode_instances(self, instances: Sequence[Instance]) -> dict[str, Any]:
        most = self.options.words
        stories, questions = [], []
        for instance in instances:
            sentences, question = split_story(instance)
            kept = sentences[-self.options.sentences :] or [""]
            stories.append([self.ids(_words(text))[:most] for text in kept])
            questions.append(self.ids(_words(question))[:most])
        depth = max(map(len, stories))
        width = max(1, *(len(row) for story in stories for row in story), *map(len, questions))
        flat = [row for story in stories for row in (*story, *[[]] * (depth - len(story)))]
        story_ids = self.padded(flat, width).reshape(len(stories), depth, width)
        return {"story": story_ids, "question": self.padded(questions, width)}


class BiDAFOptions(WordOptions, frozen=True, kw_only=True):
    """Options of `tiny/bidaf`.

    Attributes:
        width: The size of word vectors and of each direction of the LSTMs (100 in the paper).
        dropout: Dropout in front of every layer while training.
        words: The most words of a passage that are read, counted from its start; 0 for all.
        span: The longest answer, in words.
    """

    width: Positive = 64
    dropout: Annotated[float, msgspec.Meta(ge=0, lt=1)] = 0.0
    span: Positive = 10


class BiDAFModel(SpanModel, WordNetwork):
    """BiDAF: it points at its answer in a passage."""

    file, chooses = "reader.json", False
    options: BiDAFOptions

    def __init__(self, name: str, options: BiDAFOptions) -> None:
        super().__init__(name, options)
        self.longest_span = self.options.span

    def network(self) -> Any:
        from taskloom.models.tiny.networks import BiDAF

        return BiDAF(len(self._ids) + 2, self.options.width, self.options.dropout)

    def encode(self, requests: Sequence[Request]) -> tuple[dict[str, Any], list[Passage]]:
        pairs = [reading_parts(request.instance, request.task) for request in requests]
        most = self.options.words or None
        found = [[match.span() for match in _WORD.finditer(passage)] for _, passage in pairs]
        kept = [spans[:most] for spans in found]
        width = max(1, *map(len, kept))
        passages = [
            Passage(text, (*spans, *[None] * (width - len(spans))), overlong=len(spans) < len(whole))
            for (_, text), spans, whole in zip(pairs, kept, found, strict=True)
        ]
        words = [self.ids(text[slice(*span)] for span in spans) for (_, text), spans in zip(pairs, kept, strict=True)]
        asked = [self.ids(_WORD.findall(question) or ["?"]) for question, _ in pairs]
        return {"passage": self.padded(words, width), "question": self.padded(asked)}, passages

    def pointers(self, batch: dict[str, Any]) -> tuple[Any, Any]:
        begins, ends = self.module(batch["passage"], batch["question"])
        return begins, ends
