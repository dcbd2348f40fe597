"""Models that choose among labels, and the answers that they may give on a suite."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from itertools import islice
from math import isnan
from typing import Any

from taskloom.core import Instance, Suite, UserError, unknown_name
from taskloom.core.model import Belief, Generation, Model, Output, Request
from taskloom.models.local import LocalModel
from taskloom.models.runtime import NOT_NUMBERS, import_torch, run_in_batches

_MOST_LABELS = 1_000
MOST_ROWS = 50_000
"""Rows of a split that are looked at for words and labels; more add next to nothing and cost time."""
_NO_MEMORY = "out of memory at a batch of one"


def suite_labels(suite: Suite, model: str, known: tuple[str, ...] = ()) -> tuple[str, ...]:
    """The labels of a suite's tasks; for tasks without a closed set, the answers of their training rows.

    A list is one label, as in the literature on memory networks.

    Args:
        suite: The suite.
        model: The model's name, for errors.
        known: Labels the model has already learned. They stay, and must have one in common with the suite.

    Raises:
        UserError: There are no labels, too many to be classes, or none that the model knows.
    """
    found = dict.fromkeys(label for task in suite.tasks.values() for label in task.labels)
    opened = {name for name, task in suite.tasks.items() if not task.labels}
    if opened and "train" in suite.splits:
        for row in islice(suite.draw("train"), MOST_ROWS):
            if row.task in opened:
                found[row.instance.targets.canonical()] = None
            if len(found) > _MOST_LABELS:
                break
    if known:
        if found and not found.keys() & set(known):
            raise UserError(
                f"{model} knows {_few(known)}, but the answers here are {_few(found)}",
                where=suite.name,
                hint="-M 'labels=[…]' draws a new head for other labels",
            )
        return known
    if not 0 < len(found) <= _MOST_LABELS:
        count = f"more than {_MOST_LABELS:,}" if found else "no"
        raise UserError(
            f"{model} chooses among labels, and this suite has {count} answers to learn in {len(opened)} open tasks",
            where=suite.name,
            hint="-M 'labels=[…]' lists the possible answers, or use a model that writes text",
        )
    return tuple(found)


def answers_in(suite: Suite, splits: Sequence[str]) -> tuple[str, ...]:
    """The labels of a suite's tasks, and for tasks without a closed set the answers in some of its splits."""
    found = dict.fromkeys(label for task in suite.tasks.values() for label in task.labels)
    opened = {name for name, task in suite.tasks.items() if not task.labels}
    for split in splits if opened else ():
        for row in islice(suite.draw(split), MOST_ROWS):
            if row.task in opened:
                found[row.instance.targets.canonical()] = None
    return tuple(found)


def _few(labels: dict[str, None] | tuple[str, ...]) -> str:
    shown = ", ".join(list(labels)[:4])
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
        torch = import_torch()
        if self.module is not None:
            self.module.eval()

        def work(batch: list[int]) -> list[list[float]]:
            with torch.inference_mode():
                logits = self.module(**self.encode_instances([requests[index].instance for index in batch])).logits
            rows: list[list[float]] = torch.log_softmax(logits.float(), dim=-1).tolist()
            return rows

        lengths = [len(request.instance.input) // 4 + 2 for request in requests]
        rows = run_in_batches(lengths, work, self.sizer, lambda index: [], self.release)
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
            if answer not in self.labels:
                raise unknown_name("label", answer, self.labels, where=self.identity.name)
        places = [self.labels.index(answer) for answer in answers]
        return {**batch, "labels": import_torch().tensor(places, device=self.device)}


def _problem(scores: Mapping[str, float]) -> str:
    """Why log-probabilities of labels cannot be used; "" where they can."""
    if not scores:
        return _NO_MEMORY
    return NOT_NUMBERS if any(map(isnan, scores.values())) else ""
