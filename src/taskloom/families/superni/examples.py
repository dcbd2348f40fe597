"""What the examples of a task file give away: leaks, contradictions, missing explanations."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from taskloom.core import Finding
from taskloom.families.superni.exact import SUPERNI_EXACT
from taskloom.families.superni.labels import is_closed
from taskloom.families.superni.view import TaskView


def _same(text: str) -> str:
    return " ".join(text.split())


def _accepted(output: str, references: Sequence[str]) -> bool:
    """Whether the official exact match accepts it."""
    return SUPERNI_EXACT.best(output, references) == 1.0


def _to_the_letter(outputs: Sequence[str], references: Sequence[str]) -> bool:
    return not {output.strip() for output in outputs}.isdisjoint(text.strip() for text in references)


def _wrong_yet_accepted(
    file: str, place: str, outputs: Sequence[str], references: Sequence[str], by: str, *, sure: bool
) -> Iterator[Finding]:
    """A negative example that something else accepts, to the letter or by the official rule."""
    if _to_the_letter(outputs, references):
        code = "contradiction" if sure else "doubtful-negative"
        level = "error" if sure else "warning"
        message = f"{by} has the same output"
        yield Finding(file, place, level, message, "show an output that is wrong", code)  # type: ignore[arg-type]
    elif any(_accepted(output, references) for output in outputs):
        message = f"{by} differs only in case or punctuation, which the official exact match does not see"
        yield Finding(file, place, "warning", message, "score this task by a stricter rule, or change it", "blind-spot")


def _asked(view: TaskView) -> dict[str, int]:
    """Where the inputs of examples stand among the instances, white space at the ends aside."""
    shown = {text.strip() for text, _, _ in (*view.positive, *view.negative)}
    found = shown.intersection(view.stripped)
    return {text: view.stripped.index(text) for text in found}


def lint_examples(file: str, view: TaskView) -> Iterator[Finding]:
    """Examples that are instances, that contradict each other, or that are too few."""
    asked = _asked(view)
    closed = is_closed(view)
    for key, fewest, examples in (
        ("Positive Examples", 2, view.positive),
        ("Negative Examples", 1, view.negative),
    ):
        if len(examples) < fewest:
            message = f"{len(examples)} of at least {fewest}"
            yield Finding(file, key, "error", message, "show a reader more of the task", "few-examples")
        for index, (text, outputs, why) in enumerate(examples):
            place = f"{key}[{index}]"
            if not why.strip():
                yield Finding(file, f"{place}.explanation", "error", "no explanation", "say why", "no-explanation")
            found = asked.get(text.strip())
            if found is None:
                continue
            level = "error" if key == "Positive Examples" else "warning"
            message = f"the example is also Instances[{found}]"
            yield Finding(file, place, level, message, "remove the instance", "leak")  # type: ignore[arg-type]
            references = view.outputs[found]
            if key == "Negative Examples":
                by = "the instance of the same input"
                yield from _wrong_yet_accepted(file, f"{place}.output", outputs, references, by, sure=closed)
            elif closed and not any(_accepted(output, references) for output in outputs):
                message = "the instance of the same input does not accept it"
                yield Finding(file, f"{place}.output", "error", message, "correct one of the two", "contradiction")
    yield from _lint_twins(file, view, closed=closed)


def _lint_twins(file: str, view: TaskView, *, closed: bool) -> Iterator[Finding]:
    positive: dict[str, list[str]] = {}
    for index, (text, outputs, _) in enumerate(view.positive):
        before = positive.setdefault(_same(text), [])
        if before and closed and not any(_accepted(output, before) for output in outputs):
            place, message = (
                f"Positive Examples[{index}].output",
                "a positive example of the same input has another one",
            )
            yield Finding(file, place, "error", message, "correct one of the two", "contradiction")
        before += outputs
    for index, (text, outputs, _) in enumerate(view.negative):
        twin = positive.get(_same(text))
        if twin is not None:
            place, by = f"Negative Examples[{index}].output", "the positive example of the same input"
            yield from _wrong_yet_accepted(file, place, outputs, twin, by, sure=True)
