"""Extractive readers: the answer is a stretch of the passage, found by where it begins and where it ends.

What such a model reads are the named parts of an instance: the part called `question` (or the last
one), and the rest as the passage. Labels of the task that the passage lacks (yes, no) are written
behind it, so that they can be pointed at too.

The probability of an answer is the sum over all its occurrences of p(begin) · p(end). Training
maximises it, so nobody has to say which of several mentions is meant.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from math import isnan
from typing import Any

import msgspec

from taskloom.core import Instance, Task, UserError
from taskloom.core.model import Belief, Generation, Model, Output, Request
from taskloom.models.local import LocalModel
from taskloom.models.runtime import NOT_NUMBERS, import_torch, run_in_batches


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

    def _rows(self, requests: Sequence[Request], work: Any, lost: Any) -> list[Any]:
        torch = import_torch()
        if self.module is not None:
            self.module.eval()

        def batch_work(batch: list[int]) -> list[Any]:
            chosen = [requests[index] for index in batch]
            with torch.inference_mode():
                encoded, passages = self.encode(chosen)
                begins, ends = self.log_pointers(encoded, passages)
            return [work(index, *row) for index, *row in zip(batch, passages, begins, ends, strict=True)]

        lengths = [len(request.instance.input) // 4 + 2 for request in requests]
        return run_in_batches(lengths, batch_work, self.sizer, lost, self.release)

    def generate(self, requests: Sequence[Request], generation: Generation) -> list[Output]:
        """The likeliest stretch of each passage; `generation` has no say in it."""

        def best(index: int, passage: Passage, begins: Any, ends: Any) -> Output:
            return self._best(passage, begins, ends)

        return self._rows(requests, best, lambda index: Output("", "failed", "out of memory at a batch of one"))

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

        return self._rows(requests, believe, lambda index: Belief(error="out of memory at a batch of one"))

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
