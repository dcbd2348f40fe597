"""What the answers of a task file give away: constant answers, imbalance, labels that the definition does not name."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import chain

from taskloom.author.prove import label_entropy
from taskloom.core import Finding
from taskloom.families.superni.view import TaskView

_MOST_LABELS = 14
_ENTROPY = 0.8
_ENOUGH = 10
_FEW = 4
_NUMBERS = """
    zero one two three four five six seven eight nine ten eleven twelve twenty thirty hundred no none
"""
_NUMBER_WORDS = frozenset(_NUMBERS.split())


def is_closed(view: TaskView) -> bool:
    """Whether the outputs are drawn from a small set again and again, so that an unlisted output is wrong."""
    counts = view.answers
    return len(counts) <= _MOST_LABELS and len(view.outputs) >= max(_ENOUGH, 4 * len(counts))


def _plain(label: str) -> str:
    return label.strip().lower().strip(".")


def _open_ended(view: TaskView, labels: Iterable[str], named: int) -> bool:
    """Whether few different outputs are no labels after all.

    Numbers are counted, questions and sentences are written, words of the input are found there; and where no output
    at all is named and there are more than a few, the definition asks for words of a kind, not for labels.
    """
    unnamed = list(labels)
    plain = [_plain(label) for label in unnamed]
    if all(re.search(r"\d", label) or label in _NUMBER_WORDS for label in plain):
        return True
    if all("?" in label or len(label.split()) > 4 for label in plain):
        return True
    if not named and len(unnamed) > _FEW:
        return True
    wanted = set(unnamed)
    concerned = [
        (text, outputs[0]) for text, outputs in zip(view.inputs, view.outputs, strict=True) if outputs[0] in wanted
    ]
    return all(_plain(output) in text.lower() for text, output in concerned)


def lint_labels(file: str, view: TaskView) -> Iterator[Finding]:
    """Answers that never change, labels out of balance, and definitions that do not say which labels there are."""
    total = len(view.outputs)
    every: Counter[str] = Counter(chain.from_iterable(view.outputs))
    if len(every) == 1 and total > 1:
        level_text = f"every instance has the output {next(iter(every))!r}"
        yield Finding(file, "Instances", "error", level_text, "add instances with other answers", "constant-label")
        return
    # The rule of the collection's tests: up to fourteen different outputs, entropy above 0.8 of an even spread.
    if 1 < len(every) <= _MOST_LABELS and total >= _ENOUGH and label_entropy(every.values()) <= _ENTROPY:
        label, count = every.most_common(1)[0]
        message = (
            f"{count / every.total():.0%} of the outputs are {label!r}; "
            f"entropy {label_entropy(every.values()):.2f} of more than {_ENTROPY}"
        )
        fix = "balance the labels: a constant answer looks good"
        yield Finding(file, "Instances", "error", message, fix, "label-balance")
    if not is_closed(view):
        return
    counts = view.answers
    defined = view.definition.lower()
    unnamed = sorted(label for label in counts if _plain(label) not in defined)
    if unnamed and not _open_ended(view, unnamed, len(counts) - len(unnamed)):
        message = f"the outputs {', '.join(map(repr, unnamed))} are not named"
        fix = "list every output a reader may choose from"
        yield Finding(file, "Definition", "warning", message, fix, "unnamed-labels")
    if _open_ended(view, list(counts), 0):
        return
    known = {_plain(label) for label in every}
    for index, (_, outputs, _) in enumerate(view.positive):
        if _plain(outputs[0] if outputs else "") not in known:
            message = f"{outputs[0] if outputs else ''!r} is not an output of any instance"
            place = f"Positive Examples[{index}].output"
            yield Finding(file, place, "warning", message, "use an output that occurs", "unknown-label")
