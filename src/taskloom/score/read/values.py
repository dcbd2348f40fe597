"""Parsers of the kinds of answers: what one is, whole, and the spellings that mean the same."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from functools import cache

from taskloom.core import AnyOf, Items, Targets, Task
from taskloom.core.kind import KINDS
from taskloom.score.read.text import literal, peel, plain, strip_article, whole_number

_WORD = re.compile(r"[^\W_]+")
_NOT_AVAILABLE = re.compile(r"(?<!\w)n/a(?!\w)", re.IGNORECASE)
_MOST_TASKS = 20_000


class Profile:
    """The form of a task's answers, by its definition and its example answers."""

    def __init__(self, task: Task) -> None:
        self.task = task  # held, so that its identity cannot pass to another one
        self.kind = kind = KINDS.get(task.kind)
        self.parse: Callable[[str], str | None] = lambda text: kind.parse(text, task)
        examples = task.instruction.positive
        outputs = [example.output.strip() for example in examples]
        self.shown = (*task.labels, *outputs)
        self.words = max((len(output.split()) for output in outputs), default=0)  # the most of an example answer
        # Whole sentences, so that a sentence is an answer rather than the frame of one.
        self.sentence = bool(outputs) and all(_is_sentence(output) for output in outputs)
        self.lines = any("\n" in output for output in outputs)
        self.articles = any(strip_article(output) != output for output in outputs)
        joined = any(re.search(r"\s(?:and|y|or|o)\s", output) for output in outputs)
        self.commas = any("," in output for output in outputs) and not joined  # lists with commas and no word
        self.missing = _NOT_AVAILABLE.search(task.instruction.definition) is not None or "n/a" in task.labels
        self.asks = any(output.endswith("?") for output in outputs)
        self.because = any(re.search(r"\bbecause\b|\bsince\b|\(", output) for output in outputs)
        # Answers repeat words of their input in another case, so that case is what the task is about.
        self.case = any(_case_is_asked(example.input, example.output) for example in examples)


_profiles: dict[int, Profile] = {}


def profile_of(task: Task) -> Profile:
    """The profile of a task. Known tasks cost one look-up by identity."""
    known = _profiles.get(id(task))
    if known is None or known.task is not task:
        if len(_profiles) >= _MOST_TASKS:
            _profiles.clear()
        known = _profiles[id(task)] = Profile(task)
    return known


def _is_sentence(output: str) -> bool:
    return len(output.split()) >= 3 and output[-1:] in ".!?" and output[:1] == output[:1].upper()


def _case_is_asked(given: str, output: str) -> bool:
    """Whether an answer repeats words of its input in another case, the first word of a sentence aside."""
    shown = set(_WORD.findall(given))
    folded = {word.casefold() for word in shown}
    words = _WORD.findall(output)[_is_sentence(output) :]
    return any(word not in shown and word.casefold() in folded for word in words)


_BETWEEN = re.compile(r"(?:(?<!\d),|,(?!\d)|[;|\n]|\b(?:and|y|und|then)\b)\s*(?:(?:and|then|y|und)\s+)?", re.I)
_BULLET = re.compile(r"^\s*(?:[-*•–+]\s+|\(?\d{1,3}[.):]\s+)")
_FEW = 64


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
    """The label that a text is, whole; hyphens and underscores are blanks. Any text of a task without labels."""
    return _label_forms(task.labels).get(label_form(text)) if task.labels else text.strip() or None


@cache
def _label_forms(labels: tuple[str, ...]) -> dict[str, str]:
    return {label_form(label): label for label in reversed(labels)}


def label_form(text: str) -> str:
    """The form in which labels are compared."""
    form = plain(text)
    return " ".join(strip_article(form).replace("-", " ").replace("_", " ").split()) or form


def parse_number(text: str, task: Task) -> str | None:
    """One number with nothing beside it."""
    value = whole_number(text)
    whole = value is not None and abs(value) < 1e15 and value == int(value)
    return None if value is None else str(int(value)) if whole else repr(value)


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
