"""Texts that are nothing but an answer: what each kind makes of them, and which spellings of it are equal."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cache

from taskloom.core import AnyOf, Items, Targets, Task
from taskloom.score.read.numbers import number_text, whole_number
from taskloom.score.read.profile import profile_of
from taskloom.score.read.spelling import peel, plain, strip_article
from taskloom.score.read.values import literal

__all__ = [
    "item_spellings", "json_spellings", "label_form", "label_spellings", "parse_json", "parse_label", "parse_lines",
    "parse_number", "parse_text", "parts_of", "same_text", "sequence_spellings", "text_spellings",
]  # fmt: skip

_BETWEEN = re.compile(r"(?:(?<!\d),|,(?!\d)|[;|\n]|\b(?:and|y|und|then)\b)\s*(?:(?:and|then|y|und)\s+)?", re.I)
_BULLET = re.compile(r"^\s*(?:[-*•–+]\s+|\(?\d{1,3}[.):]\s+)")
_FEW = 64


def parse_text(text: str, task: Task) -> str | None:
    """Any text; of a task with labels, a label."""
    return parse_label(text, task) if task.labels else text.strip() or None


def same_text(text: str, task: Task) -> str:
    """A text without what the task is not about: case, articles, marks at the ends."""
    profile = profile_of(task)
    form = plain(text, case=profile.case)
    return form if profile.articles or profile.case else strip_article(form)


def text_spellings(answer: str, targets: Targets, task: Task) -> Iterator[str]:
    """The acceptable texts that this is another spelling of; lists with commas in any notation."""
    right = targets.answers if isinstance(targets, AnyOf) else (targets.canonical(),)
    said = same_text(answer, task)
    if len(right) > _FEW:
        # Thousands of acceptable words are looked up, not spelled out one by one.
        folded = dict(zip("\n".join(right).casefold().split("\n"), right, strict=False))
        yield from (folded[form] for form in (said, f"{said}.") if form in folded)
        return
    yield from (one for one in right if same_text(one, task) == said)
    if profile_of(task).commas:
        listed = parts_of(said)
        yield from (one for one in right if "," in one and parts_of(same_text(one, task)) == listed)


def parse_label(text: str, task: Task) -> str | None:
    """The label that a text is, whole; hyphens and underscores are blanks."""
    return _label_forms(task.labels).get(label_form(text)) if task.labels else text.strip() or None


@cache
def _label_forms(labels: tuple[str, ...]) -> dict[str, str]:
    return {label_form(label): label for label in reversed(labels)}


def label_form(text: str) -> str:
    """The form in which labels are compared."""
    form = plain(text)
    return " ".join(strip_article(form).replace("-", " ").replace("_", " ").split()) or form


def label_spellings(answer: str, targets: Targets, task: Task) -> Iterator[str]:
    """The acceptable labels that this is."""
    right = targets.answers if isinstance(targets, AnyOf) else (targets.canonical(),)
    said = label_form(answer)
    return (one for one in right if label_form(one) == said)


def parse_number(text: str, task: Task) -> str | None:
    """One number with nothing beside it."""
    value = whole_number(text)
    return None if value is None else number_text(value)


def parts_of(text: str) -> list[str]:
    """The members of a list on one line."""
    return [part for part in (plain(piece, case=True) for piece in _BETWEEN.split(text)) if part]


def parse_lines(text: str, joint: str) -> str | None:
    """A list on several lines, with bullets or without, on one."""
    if "\n" not in text:
        return text.strip() or None
    items = [peel(_BULLET.sub("", line, count=1)) for line in text.split("\n")]
    return joint.join(item for item in items if item) or None


def item_spellings(answer: str, targets: Targets, task: Task) -> Iterator[str]:
    """A list in the notation of its target."""
    parts = [part.strip() for part in answer.split("|")] if "|" in answer else parts_of(answer)
    yield (targets.separator if isinstance(targets, Items) else ", ").join(part for part in parts if part)


def sequence_spellings(answer: str, targets: Targets, task: Task) -> Iterator[str]:
    """A sequence with the separator of its target, with articles and without."""
    parts = parts_of(answer)
    if len(parts) > 1 or "," in answer:
        joint = getattr(targets, "separator", " ")
        joint = joint if joint.strip() else " "
        yield from (joint.join(parts), joint.join(map(strip_article, parts)))


def parse_json(text: str, task: Task) -> str | None:
    """One JSON object or list, or "n/a" where the definition offers it."""
    if profile_of(task).missing and plain(text) == "n/a":
        return "n/a"
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        value = literal(text)
    return json.dumps(value, ensure_ascii=False) if isinstance(value, dict | list) else None


def json_spellings(answer: str, targets: Targets, task: Task) -> Iterator[str]:
    """One object as a list of one."""
    return iter([f"[{answer}]"] if answer.startswith("{") else [])
