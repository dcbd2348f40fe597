"""Memory networks of the bAbI literature as Taskloom models: stories and questions in, one label out."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import msgspec

from taskloom.core import Instance, Recipe, Suite, UserError, unknown_name
from taskloom.core.decode import decoding, read_json
from taskloom.core.encoding import Prompt
from taskloom.core.model import Belief, Generation, Identity, Limits, Output, Request
from taskloom.models.labels import answers_in, label_beliefs, likeliest, suite_labels
from taskloom.models.local import LocalModel, grown_state
from taskloom.models.runtime import (
    LOGGER,
    BatchSizer,
    count_parameters,
    import_torch,
    resolve_device,
    run_in_batches,
    seeded,
)
from taskloom.models.tensors import save_plain
from taskloom.store.seal import check_folder

_WORD = re.compile(r"\w+|[^\w\s]")
_SENTENCE = re.compile(r"\n+|(?<=[.!?])\s+")
_MOST_ROWS = 50_000


class MemoryOptions(Recipe, frozen=True, kw_only=True):
    """Options of `tiny/entnet` and `tiny/stm`.

    Attributes:
        width: The size of embeddings and memories; 0 takes the network's own (100 for EntNet, 32 for STM).
        slots: How many memories; 0 takes the network's own (20 for EntNet, 8 for STM).
        sentences: The most sentences of a story that are read, counted from its end.
        words: The most words of a sentence that are read.
        device: "auto", "cpu", "cuda" …
        batch_size: Rows per batch; 0 sizes batches automatically.
        seed: The seed of the weights.
        checkpoint: A folder written by `save`, to start from trained weights.
    """

    width: int = 0
    slots: int = 0
    sentences: int = 130
    words: int = 32
    device: str = "auto"
    batch_size: int = 0
    seed: int = 0
    checkpoint: str = ""

    def __post_init__(self) -> None:
        if min(self.width, self.slots, self.batch_size) < 0:
            raise ValueError("width, slots and batch_size are 0 (the network's own) or more")
        if min(self.sentences, self.words) < 1:
            raise ValueError("at least one sentence and one word of it are read")


class _NetworkFile(msgspec.Struct, frozen=True):
    network: str
    options: MemoryOptions
    words: tuple[str, ...]
    labels: tuple[str, ...]


def split_story(instance: Instance) -> tuple[list[str], str]:
    """The sentences of a story and the question about it, from the parts or from the whole input."""
    parts = list(instance.parts.values())
    if len(parts) == 2:
        story, question = parts
    else:
        pieces = [piece for piece in _SENTENCE.split(instance.input) if piece.strip()]
        story, question = "\n".join(pieces[:-1]), pieces[-1] if pieces else ""
    return [sentence for sentence in _SENTENCE.split(story) if sentence.strip()], question


class MemoryModel(LocalModel):
    """EntNet or STM. Its vocabulary and labels come from the suite (`prepare`) or from a checkpoint."""

    nature = "memory"
    cacheable = False

    def __init__(self, name: str, options: MemoryOptions) -> None:
        import_torch(f"tiny/{name}")
        self._network = name
        self.options = options
        self.architecture = "classifier"
        self.limits = Limits(batch=256)
        self.module = None
        self.labels: tuple[str, ...] = ()
        self._device = resolve_device(options.device)
        self.sizer = BatchSizer.for_device(options.batch_size, self._device.type)
        settings = {"architecture": "classifier", **msgspec.to_builtins(options)}
        self.identity = Identity(f"tiny/{name}", settings=settings)
        if options.checkpoint:
            self._open(Path(options.checkpoint))

    @property
    def device(self) -> Any:
        return self._device

    def prepare(self, suite: Suite) -> None:
        """Collect words and labels of the suite and draw the weights, unless that has been done."""
        if self.module is not None:
            suite_labels(suite, self.identity.name, self.labels)
            return
        self.build(self._words_of(suite), suite_labels(suite, self.identity.name))

    def _words_of(self, suite: Suite) -> dict[str, None]:
        words: dict[str, None] = {}
        for split in suite.splits:
            for row in islice(suite.draw(split), _MOST_ROWS):
                words.update(dict.fromkeys(self._words(row.instance.input)))
        return words

    def new_in(self, suite: Suite, splits: Sequence[str]) -> dict[str, Any]:
        known = set(self.labels)
        labels = [label for label in answers_in(suite, splits) if label not in known]
        return {"words": [word for word in self._words_of(suite) if word not in self._ids], "labels": labels}

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
        return {"words": list(self._ids), "labels": list(self.labels)}

    def restore(self, prepared: dict[str, Any]) -> None:
        self.build(prepared["words"], prepared["labels"])

    def redraw(self, restart: int) -> None:
        self.build(list(self._ids), self.labels, restart)

    def build(self, words: Iterable[str], labels: Iterable[str], restart: int = 0) -> None:
        """Make the network for these words and labels, with weights drawn from the seed."""
        self._ids = {word: index for index, word in enumerate(dict.fromkeys(words), start=2)}
        self.labels = tuple(dict.fromkeys(labels))
        self._places = {label: index for index, label in enumerate(self.labels)}
        from taskloom.models.tiny.entnet import EntNet
        from taskloom.models.tiny.stm import STM

        network: Any = {"entnet": EntNet, "stm": STM}[self._network]
        sizes = {"width": self.options.width, "slots": self.options.slots}
        given = {key: value for key, value in sizes.items() if value}
        key = (self.options.seed, len(self._ids), len(self.labels), *([restart] if restart else []))
        with seeded("tiny", self._network, *key):
            module = network(len(self._ids) + 2, len(self.labels), words=self.options.words, **given)
        self.module = module.to(self._device).eval()
        self.refresh(parameters=count_parameters(module), labels=len(self.labels), words=len(self._ids))

    def _words(self, text: str) -> list[str]:
        return _WORD.findall(text.lower())

    def _encode(self, instances: Sequence[Instance]) -> dict[str, Any]:
        """Stories and questions as ids; 0 is padding and 1 a word never seen before."""
        if self.module is None:
            raise UserError(f"{self.identity.name} has no vocabulary yet", hint="prepare(suite) collects it")
        torch = import_torch()
        most = self.options.words
        stories, questions = [], []
        for instance in instances:
            sentences, question = split_story(instance)
            kept = sentences[-self.options.sentences :] or [""]
            stories.append([[self._ids.get(word, 1) for word in self._words(text)][:most] for text in kept])
            questions.append([self._ids.get(word, 1) for word in self._words(question)][:most])
        depth = max(map(len, stories))
        width = max(1, *(len(row) for story in stories for row in story), *map(len, questions))
        story_ids = torch.zeros((len(stories), depth, width), dtype=torch.long)
        question_ids = torch.zeros((len(stories), width), dtype=torch.long)
        for index, (story, asked) in enumerate(zip(stories, questions, strict=True)):
            for place, row in enumerate(story):
                story_ids[index, place, : len(row)] = torch.tensor(row, dtype=torch.long)
            question_ids[index, : len(asked)] = torch.tensor(asked, dtype=torch.long)
        return {"story": story_ids.to(self._device), "question": question_ids.to(self._device)}

    def collate(self, requests: Sequence[Request], answers: Sequence[str]) -> dict[str, Any]:
        batch = self._encode([request.instance for request in requests])
        unknown = [answer for answer in answers if answer not in self._places]
        if unknown:
            raise unknown_name("label", unknown[0], self.labels, where=self.identity.name)
        places = [self._places[answer] for answer in answers]
        return {**batch, "labels": import_torch().tensor(places, device=self._device)}

    def label_logprobs(self, requests: Sequence[Request]) -> list[dict[str, float]]:
        """The log-probability of every label, per request; empty where memory ran out."""
        torch = import_torch()

        def work(batch: list[int]) -> list[list[float]]:
            with torch.inference_mode():
                logits = self.module(**self._encode([requests[index].instance for index in batch])).logits
            rows: list[list[float]] = torch.log_softmax(logits.float(), dim=-1).tolist()
            return rows

        if self.module is not None:
            self.module.eval()
        lengths = [len(request.instance.input) // 4 + 1 for request in requests]
        rows = run_in_batches(lengths, work, self.sizer, lambda index: [], self.release)
        return [dict(zip(self.labels, row, strict=True)) if row else {} for row in rows]

    def generate(self, requests: Sequence[Request], generation: Generation) -> list[Output]:
        """The likeliest label: of the task's own where it has a closed set, of all otherwise."""
        found = self.label_logprobs(requests)
        return [likeliest(scores, request.task.labels) for request, scores in zip(requests, found, strict=True)]

    def weigh(
        self, requests: Sequence[Request], answers: Sequence[Sequence[str]], *, end: bool | None = None
    ) -> list[Belief]:
        """Labels that the model does not know are impossible."""
        return label_beliefs(self.label_logprobs(requests), answers)

    def logprobs(self, prompts: Sequence[Prompt], candidates: Sequence[Sequence[str]]) -> list[list[float]]:
        """Log-probabilities of labels; the last sentence of a prompt is taken as the question."""
        from taskloom.core import Instruction, Task, any_of

        task = Task("", Instruction(""))
        asked = [Request(prompt, task, Instance("", prompt.text, any_of(""))) for prompt in prompts]
        impossible = float("-inf")
        return [
            [scores.get(text, impossible) for text in texts]
            for scores, texts in zip(self.label_logprobs(asked), candidates, strict=True)
        ]

    def save(self, directory: Path) -> None:
        directory.mkdir(parents=True, exist_ok=True)
        save_plain(directory / "model.safetensors", self.module.state_dict())
        saved = _NetworkFile(self._network, self.options, tuple(self._ids), self.labels)
        (directory / "memory.json").write_bytes(msgspec.json.encode(saved))

    def _open(self, directory: Path) -> None:
        from safetensors.torch import load_file

        check_folder(directory)
        saved = read_json(directory / "memory.json", type=_NetworkFile)
        path = directory / "model.safetensors"
        with decoding(path, "the checkpoint of a memory network"):
            state = load_file(path)
        if saved.network != self._network:
            raise UserError(f"holds {saved.network}, not {self._network}", where=str(directory))
        self.options = saved.options
        self.build(saved.words, saved.labels)
        try:
            self.module.load_state_dict(state)
        except RuntimeError as error:
            raise UserError(f"weights and description differ: {error}", where=str(directory)) from None
        self.refresh(checkpoint=str(directory))
        LOGGER.info("opened %s from %s", self.identity.name, directory)
