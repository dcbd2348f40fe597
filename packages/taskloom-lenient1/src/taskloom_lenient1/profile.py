"""What a task's own examples say about the form of its answers, worked out once per task."""

from __future__ import annotations

import re
from typing import NamedTuple

from taskloom.core import Task

__all__ = ["Profile", "profile_of"]

_ARTICLE = re.compile(r"(?:a|an|the|el|la|los|las|un|una|der|die|das|le|les)\s", re.IGNORECASE)
_SPLIT_SENTENCE = re.compile(r"[.!?]\s+(?=\S)")
_WORD = re.compile(r"[^\W_]+")
_NOT_AVAILABLE = re.compile(r"(?<!\w)n/a(?!\w)", re.IGNORECASE)
_NOTHING = re.compile(r"\bnothing\b|\bnone\b", re.IGNORECASE)
_MOST_TASKS = 20_000


class Profile(NamedTuple):
    """The form of a task's answers.

    Attributes:
        task: The task; held, so that its identity cannot pass to another one.
        words: The most words that an example answer has; 0 where there are no examples.
        sentence: Answers are whole sentences, so a sentence is an answer rather than the frame of one.
        sentences: The most sentences that an example answer has.
        articles: Answers may begin with an article, so that an article belongs to them.
        commas: Answers are lists written with commas and no word between the last two.
        missing: The definition has answers say "n/a" where nothing is to be found.
        alternatives: Example answers contain "or".
        asks: Example answers are questions.
        because: Example answers contain a reason, a bracket or a colon, so that none of these can be cut off.
        form: A number that tasks share whose answers are read alike, whatever they ask.
    """

    task: Task
    words: int
    sentence: bool
    sentences: int
    articles: bool
    commas: bool
    missing: bool
    alternatives: bool
    asks: bool
    because: bool
    form: int = -1

    @property
    def case(self) -> bool:
        """Whether upper and lower case are what the task is about; worked out where answers are compared."""
        known = _cases.get(id(self.task))
        if known is None or known[0] is not self.task:
            if len(_cases) >= _MOST_TASKS:
                _cases.clear()
            examples = self.task.instruction.positive
            known = self.task, any(_case_is_asked(example.input, example.output) for example in examples)
            _cases[id(self.task)] = known
        return known[1]


_forms: dict[tuple[object, ...], int] = {}
_profiles: dict[int, Profile] = {}
_cases: dict[int, tuple[Task, bool]] = {}


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
    profile = Profile(
        task=task,
        words=max((len(output.split()) for output in outputs), default=0),
        sentence=bool(outputs) and all(_is_sentence(output) for output in outputs),
        sentences=max((1 + len(_SPLIT_SENTENCE.findall(output)) for output in outputs), default=1),
        articles=any(_ARTICLE.match(output) for output in outputs),
        commas=any("," in output for output in outputs)
        and not any(re.search(r"\s(?:and|y|or|o)\s", output) for output in outputs),
        missing=_NOT_AVAILABLE.search(task.instruction.definition) is not None or "n/a" in task.labels,
        alternatives=any(re.search(r"\sor\s|\so\s", output) for output in outputs),
        asks=any(output.endswith("?") for output in outputs),
        because=any(re.search(r"\bbecause\b|\(|:(?!\d)| [-–—] ", output) for output in outputs),
    )
    # Articles only matter where answers are compared.
    alike = (task.kind, task.scorer, task.labels, *profile._replace(articles=False)[1:])
    return profile._replace(form=_forms.setdefault(alike, len(_forms)))


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
