"""Ordinary ways to say an answer, and ways not to: what the lenient reader is measured with.

`STYLES` were written together with the reader, `LATER_STYLES` (in `styles_later.py`) after it was finished.
A style is a function from an answer (as a list of its parts, usually one) and the instance to what a model says.
"""

from __future__ import annotations

import json
from collections.abc import Callable

from taskloom.core import Instance, Items, Task

Style = Callable[[list[str], Task, Instance], str]


def _whole(parts: list[str], task: Task) -> str:
    """The parts as the task wants them: the bare, strict answer."""
    if task.kind == "items":
        return (" | " if task.scorer.startswith("zest") else ", ").join(parts)
    return " ".join(parts)


def _spoken(parts: list[str], task: Task) -> str:
    """A list as people say it."""
    if task.kind in ("items", "sequence") and len(parts) > 1:
        return ", ".join(parts[:-1]) + " and " + parts[-1]
    return _whole(parts, task)


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _article(text: str, task: Task) -> str:
    """ "the office", where an article can stand: before a single lower-case word of an open set."""
    alone = task.kind == "text" and " " not in text and text.isalpha() and text.islower()
    return f"the {text}" if alone else text


def _wrap(before: str, after: str = "") -> Style:
    return lambda parts, task, _: f"{before}{_whole(parts, task)}{after}"


def _listed(parts: list[str], task: Task, bullet: Callable[[int], str]) -> str:
    if task.kind in ("items", "sequence") and len(parts) > 1:
        return "\n".join(f"{bullet(number)}{part}" for number, part in enumerate(parts, 1))
    return f"{bullet(1)}{_whole(parts, task)}"


def _as_json(parts: list[str], task: Task, _: Instance) -> str:
    if task.kind == "json":
        return f"Here is the JSON you asked for:\n\n```json\n{parts[0]}\n```\n\nEach row is one entry."
    value = parts if task.kind in ("items", "sequence") and len(parts) > 1 else parts[0]
    return json.dumps({"answer": value}, ensure_ascii=False)


def _question(parts: list[str], task: Task, instance: Instance) -> str:
    question = instance.parts.get("question") or instance.input.strip().split("\n")[-1]
    return f"Question: {question}\nAnswer: {_whole(parts, task)}"


STYLES: dict[str, Style] = {
    "bare": _wrap(""),
    "capital and dot": lambda parts, task, _: _capital(_whole(parts, task)) + ".",
    "bold": _wrap("**", "**"),
    "quotes": _wrap('"', '"'),
    "the answer is": _wrap("The answer is ", "."),
    "the answer is, bold": _wrap("The answer is **", "**."),
    "answer colon": _wrap("Answer: "),
    "bold marker": _wrap("**Answer:** "),
    "final answer, box": _wrap("After reading it again, the final answer is $\\boxed{", "}$."),
    "so colon": _wrap("So: "),
    "i think": _wrap("I think it's ", "."),
    "thinking closed": _wrap("<think>Let me go through it. It could be many things, or not.</think>\n\n"),
    "thinking begun by the template": _wrap("Let me go through it once more.\n</think>\n"),
    "thinking never closed": _wrap("<think>\nI go through it step by step.\n\nThe answer is: "),
    "polite frame": _wrap("Sure! Here is the answer:\n\n", "\n\nLet me know if you need anything else!"),
    "json": _as_json,
    "code fence": _wrap("```\n", "\n```"),
    "question restated": _question,
    "article, spoken list": lambda parts, task, _: f"It must be {_article(_spoken(parts, task), task)}.",
    "bullets": lambda parts, task, _: _listed(parts, task, lambda _n: "- "),
}  # fmt: skip


HEDGES: dict[str, Callable[[str, str, Task, Instance], str]] = {
    "denied": lambda right, wrong, task, _: f"It is not {right}.",
    "denied after a marker": lambda right, wrong, task, _: f"The answer is not {right}.",
    "bare denial": lambda right, wrong, task, _: f"Not {right}.",
    "either or": lambda right, wrong, task, _: f"It is either {right} or {wrong}.",
    "or": lambda right, wrong, task, _: f"{right} or {wrong}",
    "marker and or": lambda right, wrong, task, _: f"The answer is {wrong} or {right}.",
    "slash": lambda right, wrong, task, _: f"Answer: {right} / {wrong}",
    "perhaps": lambda right, wrong, task, _: f"Perhaps {right}, perhaps {wrong}.",
    "two lines": lambda right, wrong, task, _: f"{right}\n{wrong}",
    "all labels": lambda right, wrong, task, _: ", ".join(task.labels or (wrong, right)),
    "all labels in turn": lambda right, wrong, task, _: "- " + "\n- ".join(task.labels or (wrong, right)),
    "the prompt": lambda right, wrong, task, instance: f"{task.instruction.definition}\n\n{instance.input}",
    "cannot decide": lambda right, wrong, task, _: f"I cannot decide between {right} and {wrong}.",
    "refusal": lambda right, wrong, task, _: "I'm sorry, but I can't help with that.",
}  # fmt: skip


def parts_of(instance: Instance, task: Task, text: str | None = None) -> list[str]:
    """The canonical answer in its parts (or another answer, as text)."""
    targets = instance.targets
    if text is not None:
        return [text]
    if isinstance(targets, Items):
        return list(targets.alternatives[0]) or [targets.empty]
    slots = getattr(targets, "slots", None)
    if slots is not None:
        return [slot[0] for slot in slots]
    return [targets.canonical()]
