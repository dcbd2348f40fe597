"""What examples and labels of a task file give away: leaks, contradictions, imbalance, undefined answers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from taskloom.core import Finding
from taskloom.core.catalog import SCORERS

__all__ = ["definition_text", "lint_examples", "lint_labels"]

_MOST_LABELS = 12
_UNBALANCED = 0.8
_ENOUGH = 10


def _outputs(record: dict[str, Any]) -> list[str]:
    return [record["output"]] if isinstance(record["output"], str) else list(record["output"])


def definition_text(task: dict[str, Any]) -> str:
    """The definition of a file whose shape nobody has checked yet."""
    definition = task.get("Definition")
    if isinstance(definition, list):
        return " ".join(text for text in definition if isinstance(text, str))
    return definition if isinstance(definition, str) else ""


def _same(text: str) -> str:
    return " ".join(text.split())


def _right(output: str, accepted: list[str]) -> bool:
    """Whether the official exact match accepts it."""
    return float(SCORERS.get("superni-exact").best(output, accepted)) == 1.0


def _to_the_letter(outputs: list[str], accepted: list[str]) -> bool:
    return not {output.strip() for output in outputs}.isdisjoint(text.strip() for text in accepted)


def _wrong_yet_accepted(file: str, place: str, outputs: list[str], accepted: list[str], by: str) -> Iterator[Finding]:
    """A negative example that its positive counterpart accepts, to the letter or by the official rule."""
    if _to_the_letter(outputs, accepted):
        yield Finding(
            file, place, "error", f"{by} has the same output", "show an output that is wrong", "contradiction"
        )
    elif any(_right(output, accepted) for output in outputs):
        message = f"{by} differs only in case or punctuation, which the official exact match does not see"
        yield Finding(file, place, "warning", message, "score this task by a stricter rule, or change it", "blind-spot")


def lint_examples(file: str, task: dict[str, Any]) -> Iterator[Finding]:
    """Examples that are instances, that contradict each other, or that are too few."""
    asked = {_same(record["input"]): record for record in task["Instances"]}
    positive = {_same(example["input"]): example for example in task["Positive Examples"]}
    for key, fewest in (("Positive Examples", 2), ("Negative Examples", 1)):
        if len(task[key]) < fewest:
            message = f"{len(task[key])} of at least {fewest}"
            yield Finding(file, key, "warning", message, "show a reader more of the task", "few-examples")
        for index, example in enumerate(task[key]):
            place = f"{key}[{index}]"
            if not str(example.get("explanation") or "").strip():
                yield Finding(file, f"{place}.explanation", "note", "no explanation", "say why", "no-explanation")
            record = asked.get(_same(example["input"]))
            if record is None:
                continue
            yield Finding(file, place, "warning", "the example is also an instance", "remove the instance", "leak")
            accepted = _outputs(record)
            if key == "Negative Examples":
                yield from _wrong_yet_accepted(file, f"{place}.output", _outputs(example), accepted, "the instance")
            elif not any(_right(output, accepted) for output in _outputs(example)):
                message = "the instance of the same input does not accept it"
                yield Finding(file, f"{place}.output", "error", message, "correct one of the two", "contradiction")
    for index, example in enumerate(task["Negative Examples"]):
        twin = positive.get(_same(example["input"]))
        if twin is not None:
            place = f"Negative Examples[{index}].output"
            by = "the positive example of the same input"
            yield from _wrong_yet_accepted(file, place, _outputs(example), _outputs(twin), by)


def _found_in_inputs(task: dict[str, Any], labels: list[str]) -> bool:
    """Whether these are no labels after all: numbers are counted, and words of the input are found there."""
    if all(label.strip().lstrip("-").replace(".", "", 1).isdigit() for label in labels):
        return True
    concerned = [record for record in task["Instances"] if _outputs(record)[0] in labels]
    return all(_outputs(record)[0].strip().lower() in record["input"].lower() for record in concerned)


def lint_labels(file: str, task: dict[str, Any]) -> Iterator[Finding]:
    """Answers that never change, labels out of balance, and definitions that do not say which labels there are."""
    first = [_outputs(record)[0] for record in task["Instances"]]
    counts = Counter(first)
    if len(counts) == 1 and len(first) >= _ENOUGH:
        message = f"every instance has the output {first[0]!r}"
        yield Finding(file, "Instances", "error", message, "add instances with other answers", "constant-label")
        return
    if not 1 < len(counts) <= _MOST_LABELS or len(first) < max(_ENOUGH, 4 * len(counts)):
        return
    label, count = counts.most_common(1)[0]
    if count > _UNBALANCED * len(first):
        message = f"{count / len(first):.0%} of the instances have the output {label!r}"
        fix = "balance the labels: whoever always says that looks good"
        yield Finding(file, "Instances", "warning", message, fix, "label-balance")
    told = definition_text(task).lower()
    unnamed = [label for label in counts if label.strip().lower().strip(".") not in told]
    if unnamed and not _found_in_inputs(task, unnamed):
        message = f"the outputs {', '.join(map(repr, sorted(unnamed)))} are not named"
        fix = "list every output a reader may choose from"
        yield Finding(file, "Definition", "warning", message, fix, "unnamed-labels")
    for index, example in enumerate(task["Positive Examples"]):
        if not any(_right(output, list(counts)) for output in _outputs(example)):
            message = f"{_outputs(example)[0]!r} is not an output of any instance"
            fix = f"the instances use {', '.join(map(repr, sorted(counts)))}"
            yield Finding(file, f"Positive Examples[{index}].output", "warning", message, fix, "unknown-label")
