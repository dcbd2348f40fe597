"""What a task's own examples say about the form of its answers, worked out once per task."""

from __future__ import annotations

import re
from typing import NamedTuple

from taskloom.core import Task

__all__ = ["Profile", "profile_of"]

_ARTICLE = re.compile(r"(?:a|an|the|el|la|los|las|un|una|der|die|das|le|les)\s", re.IGNORECASE)
_WORD = re.compile(r"[^\W_]+")
_NOT_AVAILABLE = re.compile(r"(?<!\w)n/a(?!\w)", re.IGNORECASE)
_MOST_TASKS = 20_000


class Profile(NamedTuple):
    """The form of a task's answers.

    Attributes:
        task: The task; held, so that its identity cannot pass to another one.
        words: The most words that an example answer has; 0 without examples.
        sentence: Answers are whole sentences, so that a sentence is an answer rather than the frame of one.
        lines: Answers have several lines.
        articles: Answers may begin with an article, so that an article belongs to them.
        commas: Answers are lists written with commas and no word between the last two.
        missing: The definition has answers say "n/a" where nothing is to be found.
        asks: Example answers are questions.
        because: Example answers give a reason, so that none can be cut off.
        case: Answers repeat words of their input in another case, so that case is what the task is about.
    """

    task: Task
    words: int
    sentence: bool
    lines: bool
    articles: bool
    commas: bool
    missing: bool
    asks: bool
    because: bool
    case: bool


_profiles: dict[int, Profile] = {}


def profile_of(task: Task) -> Profile:
    """The profile of a task. Known tasks cost one look-up by identity."""
    known = _profiles.get(id(task))
    if known is not None and known.task is task:
        return known
    if len(_profiles) >= _MOST_TASKS:
        _profiles.clear()
    profile = _profiles[id(task)] = _make(task)
    return profile


def _make(task: Task) -> Profile:
    examples = task.instruction.positive
    outputs = [example.output.strip() for example in examples]
    return Profile(
        task=task,
        words=max((len(output.split()) for output in outputs), default=0),
        sentence=bool(outputs) and all(_is_sentence(output) for output in outputs),
        lines=any("\n" in output for output in outputs),
        articles=any(_ARTICLE.match(output) for output in outputs),
        commas=any("," in output for output in outputs)
        and not any(re.search(r"\s(?:and|y|or|o)\s", output) for output in outputs),
        missing=_NOT_AVAILABLE.search(task.instruction.definition) is not None or "n/a" in task.labels,
        asks=any(output.endswith("?") for output in outputs),
        because=any(re.search(r"\bbecause\b|\bsince\b|\(", output) for output in outputs),
        case=any(_case_is_asked(example.input, example.output) for example in examples),
    )


def _is_sentence(output: str) -> bool:
    return len(output.split()) >= 3 and output[-1:] in ".!?" and output[:1] == output[:1].upper()


def _case_is_asked(given: str, output: str) -> bool:
    """Whether an answer repeats words of its input in another case, the first word of a sentence aside."""
    shown = set(_WORD.findall(given))
    folded = {word.casefold() for word in shown}
    words = _WORD.findall(output)
    if _is_sentence(output):
        words = words[1:]
    return any(word not in shown and word.casefold() in folded for word in words)
