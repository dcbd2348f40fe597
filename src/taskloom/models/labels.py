"""The answers a classifier may give on a suite."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice
from math import isnan

from taskloom.core import Suite, UserError
from taskloom.core.model import Belief, Output
from taskloom.models.runtime import NOT_NUMBERS

_MOST_LABELS = 1_000
_MOST_ROWS = 50_000
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
        for row in islice(suite.draw("train"), _MOST_ROWS):
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
        for row in islice(suite.draw(split), _MOST_ROWS):
            if row.task in opened:
                found[row.instance.targets.canonical()] = None
    return tuple(found)


def likeliest(scores: Mapping[str, float], among: Sequence[str]) -> Output:
    """The likeliest of a task's own labels, where it has some the model knows, or of all.

    Args:
        scores: The log-probability of every label of the model; empty where memory ran out.
        among: The task's own labels.
    """
    if not scores:
        return Output("", "failed", _NO_MEMORY)
    if any(map(isnan, scores.values())):
        return Output("", "failed", NOT_NUMBERS)
    known = [label for label in among if label in scores] or list(scores)
    return Output(max(known, key=scores.__getitem__), output_tokens=1)


def label_beliefs(scores: Sequence[Mapping[str, float]], answers: Sequence[Sequence[str]]) -> list[Belief]:
    """The log-probabilities of answers from those of all labels (empty where memory ran out)."""
    impossible = float("-inf")
    beliefs = []
    for known, texts in zip(scores, answers, strict=True):
        if not known or any(map(isnan, known.values())):
            beliefs.append(Belief(error=NOT_NUMBERS if known else _NO_MEMORY))
        else:
            beliefs.append(Belief({text: known.get(text, impossible) for text in texts}))
    return beliefs


def _few(labels: dict[str, None] | tuple[str, ...]) -> str:
    shown = ", ".join(list(labels)[:4])
    return f"{shown} …" if len(labels) > 4 else shown
