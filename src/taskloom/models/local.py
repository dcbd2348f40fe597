"""What every model held in this process has in common, whatever it is made of."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from math import isnan
from pathlib import Path
from typing import Any, ClassVar, TypeVar

import msgspec
from msgspec.structs import replace

from taskloom.core import Instance, Suite, Task, UserError, content_hash, ensure_known
from taskloom.core.display import printable
from taskloom.core.encoding import Prompt
from taskloom.core.model import Belief, Generation, Identity, Limits, Model, Output, Request
from taskloom.models.likelihood import candidate_logprobs
from taskloom.models.load import Architecture
from taskloom.models.runtime import NOT_NUMBERS, BatchSizer, import_torch, run_in_batches, state_hash

R = TypeVar("R")


@dataclass(frozen=True)
class LaneChoice:
    """Which of a model's adaptations each request is for.

    Attributes:
        lane: The number of the adaptation that a request is for.
        prefix: The token ids of an adaptation that stand in front of its prompts.
        select: Says which adaptation each row of the next pass through the module belongs to.
    """

    lane: Callable[[Request], int]
    prefix: Callable[[int], tuple[int, ...]]
    select: Callable[[Sequence[int]], None]


def grown_state(old: Any, new: Any) -> dict[str, Any]:
    """The weights of a network that grew: the old ones where there were some, the fresh ones in new rows."""
    state = {name: tensor.clone() for name, tensor in new.state_dict().items()}
    for name, tensor in old.state_dict().items():
        state[name][tuple(slice(0, size) for size in tensor.shape)] = tensor
    return state


def tokenizer_hash(tokenizer: Any) -> str:
    """A hash of how a tokenizer cuts texts and of its chat template: other tokens are another model."""
    backend = getattr(tokenizer, "backend_tokenizer", None)
    cut = backend.to_str() if backend is not None else tokenizer.get_vocab()
    return content_hash((cut, getattr(tokenizer, "chat_template", None)))[:16]


def learned_places(module: Any) -> int | None:
    """How many places a model has a vector for, None where places are computed and nothing ends."""
    torch = import_torch()
    for name, part in module.named_modules():
        last = name.rpartition(".")[2]
        if isinstance(part, torch.nn.Embedding) and (last == "wpe" or ("position" in last and "relative" not in last)):
            # BART's family counts from an offset, RoBERTa's from behind the place of padding.
            padding = part.padding_idx
            first = getattr(part, "offset", None) or (0 if padding is None else padding + 1)
            return int(part.weight.shape[0]) - int(first)
    return None


def window_of(module: Any, wanted: int = 0) -> int | None:
    """The most tokens a model can place, or the window that is wanted; None where positions are relative.

    Raises:
        UserError: The model has no vectors for as many places.
    """
    places = learned_places(module) if wanted else None
    if places is not None and wanted > places:
        raise UserError(
            f"a window of {wanted:,} tokens, but the model has {places:,} positions",
            where="-M window",
            hint=f"-M window={places} at most; the default is the model's own",
        )
    if wanted:
        return wanted
    config = module.config
    tables = [part for name, part in module.named_modules() if name.endswith("position_embeddings")]
    if getattr(config, "relative_attention_num_buckets", None) and not tables:
        return None
    for key in ("max_position_embeddings", "n_positions", "max_sequence_length"):
        value = getattr(config, key, None)
        if isinstance(value, int) and value > 0:
            # RoBERTa and its kin keep the first places for padding and count text from there.
            first = [part.padding_idx for part in tables if getattr(part, "padding_idx", None) is not None]
            return value - (first[0] + 1 if first else 0)
    return None


class HFTokenizer:
    """A transformers tokenizer as length rules and windows want it."""

    def __init__(self, tokenizer: Any) -> None:
        self._tokenizer = tokenizer

    def encode(self, text: str) -> list[int]:
        """Token ids with the special tokens the model expects around a text."""
        ids: list[int] = self._tokenizer(printable(text)).input_ids
        return ids

    def decode(self, ids: list[int]) -> str:
        """The text of token ids, special tokens left out and blanks as they are."""
        return str(self._tokenizer.decode(ids, skip_special_tokens=True, clean_up_tokenization_spaces=False))


class LocalModel(Model):
    """A torch module that answers, scores and can be trained.

    Training needs three things of it: `module`, `collate` (a batch whose `module(**batch).loss` is the
    loss to minimise) and `refresh` (a new identity once the weights have changed).

    Attributes:
        module: The torch module. Train it freely; it is in evaluation mode whenever the model answers.
        architecture: "encoder-decoder", "decoder", "classifier" or "reader" (of answers in passages).
        prefix: Token ids put in front of every prompt: those of a soft prompt, where the model has one.
        choice: Chooses the adaptation by request, where one batch asks several.
        tokenizer_hf: The transformers tokenizer, or None for models with a vocabulary of their own.
        sizer: Decides batch sizes and remembers when memory ran out.
        change: What an adaptation put into the module and could take out again; None for a model as it was opened.
    """

    abilities: ClassVar[frozenset[str]] = frozenset({"generate", "logprobs", "train"})
    limits = Limits(batch=256)
    module: Any
    architecture: Architecture
    tokenizer_hf: Any = None
    prefix: tuple[int, ...] = ()
    choice: LaneChoice | None = None
    sizer: BatchSizer
    change: Any = None

    @property
    def device(self) -> Any:
        return next(self.module.parameters()).device

    @abstractmethod
    def collate(self, requests: Sequence[Request], answers: Sequence[str]) -> dict[str, Any]:
        """A training batch on the model's device: inputs and `labels`.

        Raises:
            UserError: An answer the model cannot give: a label it does not know, a word outside its
                vocabulary, a prompt beyond its window.
        """

    @abstractmethod
    def save(self, directory: Path) -> None:
        """Write the model so that it can be opened again; safetensors only."""

    def logprobs(
        self, prompts: Sequence[Prompt], candidates: Sequence[Sequence[str]], *, end: bool | None = None
    ) -> list[list[float]]:
        """The natural log-probability of each candidate as the answer to its prompt; `end` as for `beliefs`."""
        return candidate_logprobs(self, prompts, candidates, end=end)

    def prepared(self) -> dict[str, Any]:
        """What the model took from the suite it was prepared for (vocabulary, labels), as plain data."""
        return {}

    def restore(self, prepared: dict[str, Any]) -> None:
        """Prepare the model as it was when `prepared` was written down."""
        if prepared:
            raise UserError(f"{self.identity.name} takes no vocabulary from suites", where=", ".join(prepared))

    def new_in(self, suite: Suite, splits: Sequence[str]) -> dict[str, Any]:
        """What a suite (for labels: some of its splits) has that the model was not prepared for, as in `prepared`."""
        return {}

    def extend(self, prepared: dict[str, Any]) -> None:
        """Grow to take in new words and labels; what was learned of the old ones stays."""

    def redraw(self, restart: int) -> None:
        """Draw the weights that are random at the start anew, for another try from another beginning."""

    def refresh(self, **settings: Any) -> Identity:
        """Take a new identity after the weights have changed, with more settings if given."""
        weights = state_hash(self.module.state_dict())
        self.identity = replace(self.identity, weights=weights, settings={**self.identity.settings, **settings})
        return self.identity

    def release(self) -> None:
        torch = import_torch()
        if self.device.type == "cuda":
            torch.cuda.empty_cache()

    def by_instance(
        self, requests: Sequence[Request], work: Callable[[list[int]], Sequence[R]], lost: Callable[[int], R]
    ) -> list[R]:
        """Work on requests by their places, in batches of instances of similar length, without gradients."""
        if self.module is not None:
            self.module.eval()
        lengths = [len(request.instance.input) // 4 + 2 for request in requests]
        with import_torch().inference_mode():
            return run_in_batches(lengths, work, self.sizer, lost, self.release)


_MOST_LABELS = 1_000
MOST_ROWS = 50_000
"""Rows of a split that are looked at for words and labels; more add next to nothing and cost time."""
_NO_MEMORY = "out of memory at a batch of one"


def suite_labels(suite: Suite, model: str, known: tuple[str, ...] = ()) -> tuple[str, ...]:
    """The labels of a suite's tasks; for tasks without a closed set, the answers of their training rows.

    A list is one label, as in the literature on memory networks. Labels that the model has already learned (`known`)
    stay, and must have one in common with the suite.

    Raises:
        UserError: There are no labels, too many to be classes, or none that the model knows.
    """
    found = answers_in(suite, ["train"] if "train" in suite.splits else [], most=_MOST_LABELS)
    if known:
        if found and not set(found) & set(known):
            raise UserError(
                f"{model} knows {_few(known)}, but the answers here are {_few(found)}",
                where=suite.name,
                hint="-M 'labels=[…]' draws a new head for other labels",
            )
        return known
    if not 0 < len(found) <= _MOST_LABELS:
        count = f"more than {_MOST_LABELS:,}" if found else "no"
        opened = [task for task in suite.tasks.values() if not task.labels]
        raise UserError(
            f"{model} chooses among labels, and this suite has {count} answers to learn in {len(opened)} open tasks",
            where=suite.name,
            hint="-M 'labels=[…]' lists the possible answers, or use a model that writes text",
        )
    return found


def answers_in(suite: Suite, splits: Sequence[str], most: int | None = None) -> tuple[str, ...]:
    """The labels of a suite's tasks, and for tasks without a closed set the answers in some of its splits.

    Nothing is looked for beyond `most` labels and one more.
    """
    found = dict.fromkeys(label for task in suite.tasks.values() for label in task.labels)
    opened = {name for name, task in suite.tasks.items() if not task.labels}
    for split in splits if opened else ():
        for row in islice(suite.draw(split), MOST_ROWS):
            if row.task in opened:
                found[row.instance.targets.canonical()] = None
            if most is not None and len(found) > most:
                break
    return tuple(found)


def _few(labels: Sequence[str]) -> str:
    shown = ", ".join(labels[:4])
    return f"{shown} …" if len(labels) > 4 else shown


class LabelModel(LocalModel):
    """A model that answers with one of its labels. Subclasses turn instances into batches (`encode_instances`)."""

    cacheable = False
    labels: tuple[str, ...] = ()
    answer_batch = Model.answer_batch

    @abstractmethod
    def encode_instances(self, instances: Sequence[Instance]) -> dict[str, Any]:
        """A batch on the model's device."""

    def label_logprobs(self, requests: Sequence[Request]) -> list[dict[str, float]]:
        """The log-probability of every label of the model, per request; empty where memory ran out."""

        def work(batch: list[int]) -> list[list[float]]:
            logits = self.module(**self.encode_instances([requests[index].instance for index in batch])).logits
            rows: list[list[float]] = logits.float().log_softmax(dim=-1).tolist()
            return rows

        rows = self.by_instance(requests, work, lambda index: [])
        return [dict(zip(self.labels, row, strict=True)) if row else {} for row in rows]

    def generate(self, requests: Sequence[Request], generation: Generation) -> list[Output]:
        """The likeliest of each task's own labels that the model knows, or of all; `generation` has no say in it."""
        outputs = []
        for request, scores in zip(requests, self.label_logprobs(requests), strict=True):
            known = [label for label in request.task.labels if label in scores] or list(scores)
            problem = _problem(scores)
            best = "" if problem else max(known, key=scores.__getitem__)
            outputs.append(Output("", "failed", problem) if problem else Output(best, output_tokens=1))
        return outputs

    def weigh(
        self, requests: Sequence[Request], answers: Sequence[Sequence[str]], *, end: bool | None = None
    ) -> list[Belief]:
        """Labels that the model does not know are impossible."""
        return [
            Belief(error=problem)
            if (problem := _problem(known))
            else Belief({text: known.get(text, float("-inf")) for text in texts})
            for known, texts in zip(self.label_logprobs(requests), answers, strict=True)
        ]

    def collate(self, requests: Sequence[Request], answers: Sequence[str]) -> dict[str, Any]:
        batch = dict(self.encode_instances([request.instance for request in requests]))
        for answer in answers:
            ensure_known("label", answer, self.labels, where=self.identity.name)
        places = [self.labels.index(answer) for answer in answers]
        return {**batch, "labels": import_torch().tensor(places, device=self.device)}


def _problem(scores: Mapping[str, float]) -> str:
    """Why log-probabilities of labels cannot be used; "" where they can."""
    if not scores:
        return _NO_MEMORY
    return NOT_NUMBERS if any(map(isnan, scores.values())) else ""


class Passage(msgspec.Struct, frozen=True):
    """A passage as a model reads it.

    Attributes:
        text: The passage.
        offsets: For each place of the model's input the characters of the passage it stands for; None for
            places of the question and for marks.
        overlong: Whether something of it did not fit.
    """

    text: str
    offsets: tuple[tuple[int, int] | None, ...]
    overlong: bool = False


def reading_parts(instance: Instance, task: Task) -> tuple[str, str]:
    """The question and the passage of an instance, with the labels that the passage lacks behind it."""
    parts = {name: text for name, text in instance.parts.items() if text}
    if not parts:
        before, newline, last = instance.input.rstrip().rpartition("\n")
        question, passage = (last, before) if newline else ("", instance.input)
    else:
        asked = "question" if "question" in parts and len(parts) > 1 else list(parts)[-1]
        question = parts[asked] if len(parts) > 1 else ""
        passage = "\n".join(text for name, text in parts.items() if name != asked or len(parts) == 1)
    words = set(passage.lower().replace(".", " ").replace(",", " ").split())
    lacking = [label for label in task.labels if label.lower() not in words]
    return question, "\n".join(filter(None, (passage, " ".join(lacking))))


def occurrences(passage: Passage, answer: str) -> list[tuple[int, int]]:
    """The places (first and last) that each mention of an answer begins and ends at; whole words, in any case."""
    text, wanted = passage.text.lower(), answer.strip().lower()
    begins = {span[0]: place for place, span in reversed([*enumerate(passage.offsets)]) if span is not None}
    ends = {span[1]: place for place, span in enumerate(passage.offsets) if span is not None}
    found: list[tuple[int, int]] = []
    at = text.find(wanted) if wanted else -1
    while at >= 0:
        until = at + len(wanted)
        outside = text[at - 1 : at] + text[until : until + 1]
        if at in begins and until in ends and not any(sign.isalnum() for sign in outside):
            found.append((begins[at], ends[until]))
        at = text.find(wanted, at + 1)
    return found


class SpanModel(LocalModel):
    """A model that points at its answer.

    Subclasses turn requests into batches (`encode`) and batches into scores (`pointers`).
    """

    cacheable = False
    nature = "span"
    longest_span = 30
    answer_batch = Model.answer_batch

    @abstractmethod
    def encode(self, requests: Sequence[Request]) -> tuple[dict[str, Any], list[Passage]]:
        """A batch on the model's device, and what its places stand for."""

    @abstractmethod
    def pointers(self, batch: dict[str, Any]) -> tuple[Any, Any]:
        """The scores of each place as the beginning and as the end, [rows, places] each."""

    def log_pointers(self, batch: dict[str, Any], passages: Sequence[Passage]) -> tuple[Any, Any]:
        """Log-probabilities of beginnings and ends over the places of the passage alone."""
        torch = import_torch()
        begins, ends = self.pointers(batch)
        inside = torch.tensor(
            [[span is not None for span in passage.offsets] for passage in passages], device=begins.device
        )
        hidden = torch.finfo(torch.float32).min
        masked = [scores.float().masked_fill(~inside, hidden) for scores in (begins, ends)]
        return masked[0].log_softmax(dim=-1), masked[1].log_softmax(dim=-1)

    def answer_logprob(self, begins: Any, ends: Any, spans: Sequence[tuple[int, int]]) -> Any:
        """The log-probability of an answer from those of the places of one row."""
        torch = import_torch()
        first, last = (torch.tensor(column, device=begins.device) for column in zip(*spans, strict=True))
        return torch.logsumexp(begins[first] + ends[last], dim=0)

    def _rows(self, requests: Sequence[Request], work: Callable[..., R], lost: Callable[[int], R]) -> list[R]:
        def batch_work(batch: list[int]) -> list[R]:
            encoded, passages = self.encode([requests[index] for index in batch])
            begins, ends = self.log_pointers(encoded, passages)
            return [work(index, *row) for index, *row in zip(batch, passages, begins, ends, strict=True)]

        return self.by_instance(requests, batch_work, lost)

    def generate(self, requests: Sequence[Request], generation: Generation) -> list[Output]:
        """The likeliest stretch of each passage; `generation` has no say in it."""

        def best(index: int, passage: Passage, begins: Any, ends: Any) -> Output:
            return self._best(passage, begins, ends)

        return self._rows(requests, best, lambda index: Output("", "failed", _NO_MEMORY))

    def _best(self, passage: Passage, begins: Any, ends: Any) -> Output:
        torch = import_torch()
        if not any(passage.offsets):
            return Output("", "failed", "there is no passage to find an answer in")
        scores = begins.unsqueeze(1) + ends.unsqueeze(0)
        reachable = torch.ones_like(scores, dtype=torch.bool).triu().tril(self.longest_span - 1)
        place = int(scores.masked_fill(~reachable, -float("inf")).argmax())
        first, last = divmod(place, scores.shape[1])
        spans = passage.offsets[first], passage.offsets[last]
        if isnan(float(scores[first, last])) or spans[0] is None or spans[1] is None:
            return Output("", "failed", NOT_NUMBERS)
        return Output(passage.text[spans[0][0] : spans[1][1]].strip(), output_tokens=last - first + 1)

    def weigh(
        self, requests: Sequence[Request], answers: Sequence[Sequence[str]], *, end: bool | None = None
    ) -> list[Belief]:
        """Answers that the passage does not hold are impossible."""

        def believe(index: int, passage: Passage, begins: Any, ends: Any) -> Belief:
            logprobs = {}
            for text in answers[index]:
                spans = occurrences(passage, text)
                value = float(self.answer_logprob(begins, ends, spans)) if spans else -float("inf")
                if isnan(value):
                    return Belief(error=NOT_NUMBERS)
                logprobs[text] = value
            return Belief(logprobs)

        return self._rows(requests, believe, lambda index: Belief(error=_NO_MEMORY))

    def locate(self, request: Request, answer: str) -> tuple[list[tuple[int, int]], bool]:
        """Where an answer is to be found, and whether the passage was too long for the model."""
        _, [passage] = self.encode([request])
        return occurrences(passage, answer), passage.overlong

    def collate(self, requests: Sequence[Request], answers: Sequence[str]) -> dict[str, Any]:
        """A batch with `labels`: for each request its mentions of the answer.

        Raises:
            UserError: A passage does not hold its answer.
        """
        batch, passages = self.encode(requests)
        labels = [occurrences(passage, answer) for passage, answer in zip(passages, answers, strict=True)]
        for spans, answer in zip(labels, answers, strict=True):
            if not spans:
                raise UserError(f"the passage does not contain the answer {answer!r}", where=self.identity.name)
        return {**batch, "passages": passages, "labels": labels}

    def losses(self, requests: Sequence[Request], answers: Sequence[str]) -> Any:
        """The negative log-probability of each answer, with gradients."""
        torch = import_torch()
        batch = self.collate(requests, answers)
        labels, passages = batch.pop("labels"), batch.pop("passages")
        begins, ends = self.log_pointers(batch, passages)
        return torch.stack([-self.answer_logprob(begins[row], ends[row], spans) for row, spans in enumerate(labels)])
