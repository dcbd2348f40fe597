"""Shortcut learners: simple counters that see only part of the input.

Where one of them does well, the data can be solved without the inference it means to test. Each learns
from the training split and nothing else; ties go to "not-entailment".
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from functools import lru_cache
from math import log
from typing import ClassVar

from taskloom.core import Instance, Suite
from taskloom.families.seti.published import find_verb
from taskloom.families.seti.rows import ENTAILMENT

__all__ = [
    "SHORTCUTS",
    "HypothesisOnly",
    "Majority",
    "PremiseOnly",
    "Shortcut",
    "VerbOnly",
    "WordOverlap",
    "accuracies",
]


def _is_entailed(instance: Instance) -> bool:
    return instance.targets.canonical() == ENTAILMENT


@lru_cache(maxsize=100_000)
def _words(text: str) -> tuple[str, ...]:
    return tuple(re.findall(r"[\w']+", text.lower()))


class Shortcut(ABC):
    """A learner that looks at part of the input."""

    name: ClassVar[str]

    @abstractmethod
    def fit(self, instances: Iterable[Instance]) -> None:
        """Learn from training instances."""

    @abstractmethod
    def predict(self, instance: Instance) -> bool:
        """Whether it believes that the hypothesis follows."""


class Majority(Shortcut):
    """The more frequent label of the training data, whatever is asked."""

    name = "majority"

    def __init__(self) -> None:
        self.counts: Counter[bool] = Counter()

    def fit(self, instances: Iterable[Instance]) -> None:
        self.counts.update(map(_is_entailed, instances))

    def predict(self, instance: Instance) -> bool:
        return self.counts[True] > self.counts[False]


class _Bag(Shortcut):
    """Naive Bayes over the words of one side; the odds of rare words lean towards those of the whole."""

    part: ClassVar[str]

    def __init__(self) -> None:
        self.labels: Counter[bool] = Counter()
        self.words: dict[bool, Counter[str]] = {True: Counter(), False: Counter()}
        self.weights: dict[str, float] = {}
        self.bias = 0.0

    def fit(self, instances: Iterable[Instance]) -> None:
        for instance in instances:
            label = _is_entailed(instance)
            self.labels[label] += 1
            self.words[label].update(set(_words(instance.parts[self.part])))
        total = self.labels[True] + self.labels[False] + 2
        yes, no = ((self.labels[label] + 1) / total for label in (True, False))
        self.bias = log(yes / no)
        for word in self.words[True] | self.words[False]:
            odds = (self.words[True][word] + yes) / (self.words[False][word] + no)
            self.weights[word] = log(odds) - self.bias

    def predict(self, instance: Instance) -> bool:
        words = set(_words(instance.parts[self.part]))
        return self.bias + sum(self.weights.get(word, 0.0) for word in sorted(words)) > 1e-9


class HypothesisOnly(_Bag):
    """Reads the hypothesis and nothing else."""

    name = "hypothesis-only"
    part = "hypothesis"


class PremiseOnly(_Bag):
    """Reads the premise and nothing else."""

    name = "premise-only"
    part = "premise"


class _Table(Shortcut):
    """The majority label of each value of one feature; an unseen value gets the label of the whole."""

    def __init__(self) -> None:
        self.counts: dict[object, Counter[bool]] = defaultdict(Counter)
        self.whole: Counter[bool] = Counter()

    @abstractmethod
    def feature(self, instance: Instance) -> object:
        """The one thing it looks at."""

    def fit(self, instances: Iterable[Instance]) -> None:
        for instance in instances:
            label = _is_entailed(instance)
            self.counts[self.feature(instance)][label] += 1
            self.whole[label] += 1

    def predict(self, instance: Instance) -> bool:
        counts = self.counts.get(self.feature(instance), self.whole)
        return counts[True] > counts[False]


class VerbOnly(_Table):
    """Knows which embedding verb was seen with which label, and nothing of the sentences."""

    name = "verb-only"

    def feature(self, instance: Instance) -> object:
        return find_verb(instance.parts["premise"])


class WordOverlap(_Table):
    """Counts the words of the hypothesis that the premise lacks."""

    name = "word-overlap"

    def feature(self, instance: Instance) -> object:
        premise = set(_words(instance.parts["premise"]))
        return min(3, sum(word not in premise for word in _words(instance.parts["hypothesis"])))


SHORTCUTS: tuple[type[Shortcut], ...] = (Majority, HypothesisOnly, PremiseOnly, VerbOnly, WordOverlap)


def accuracies(suite: Suite, shortcuts: Sequence[type[Shortcut]] = SHORTCUTS, split: str = "test") -> dict[str, float]:
    """The share of a split that each shortcut gets right after learning from the training split."""
    train = [row.instance for row in suite.rows("train")]
    learners = [shortcut() for shortcut in shortcuts]
    for learner in learners:
        learner.fit(train)
    right: Counter[str] = Counter()
    total = 0
    for _, instance in suite.rows(split):
        total += 1
        for learner in learners:
            right[learner.name] += learner.predict(instance) == _is_entailed(instance)
    return {learner.name: right[learner.name] / total for learner in learners}
