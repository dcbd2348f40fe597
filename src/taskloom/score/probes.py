"""Shortcut probes: how far a suite can be answered without doing what it asks.

Each probe knows one cheap trick and nothing else: the most frequent answer, the candidate mentioned last, the words
without their order, the position in the text. A suite whose probes stay near the majority measures what it claims to
measure; one that a probe solves does not. Probes are generic: they see a group (a question type, a task), a context, a
question and an answer, so every family uses the same ones.

Typical use:

    items = probe_items(suite.rows("test"), group="question", context="story", asked="question")
    for result in audit(items, standard_probes()):
        print(result.group, result.probe, result.estimate)

Without training items of its own, `audit` fits on one half of the items and asks about the other, both ways round.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from itertools import pairwise
from math import fsum, log
from typing import Literal, NamedTuple

from taskloom.core import Row, acceptable_texts, input_hash
from taskloom.core.metric import Estimate
from taskloom.score.stats import mean_estimate

Side = Literal["both", "context", "question"]
"""What a probe of words may read."""


class ProbeItem(NamedTuple):
    """What a probe sees of a row.

    Attributes:
        group: What the item is counted under; probes are fitted per group.
        context: The text asked about.
        question: The question, "" where the input has none.
        answer: The canonical answer.
        accepted: Every acceptable answer, folded to lower case.
    """

    group: str
    context: str
    question: str
    answer: str
    accepted: frozenset[str]


class ProbeResult(NamedTuple):
    """The share of a group's items that one probe answers."""

    group: str
    probe: str
    estimate: Estimate


def probe_items(
    rows: Iterable[Row],
    *,
    group: str | Callable[[Row], str] | None = None,
    context: str | None = None,
    asked: str | None = None,
) -> list[ProbeItem]:
    """Rows as probes see them.

    Args:
        rows: The rows of a split.
        group: A facet, or a function of the row; the task's name where None.
        context: The part of the instance that holds the text, None for the whole input.
        asked: The part that holds the question, None where there is none.
    """

    def named(row: Row) -> str:
        if callable(group):
            return group(row)
        return row.task if group is None else str(row.instance.facets.get(group))

    return [
        ProbeItem(
            named(row),
            row.instance.input if context is None else row.instance.parts[context],
            "" if asked is None else row.instance.parts[asked],
            row.instance.targets.canonical(),
            frozenset(text.casefold() for text in acceptable_texts(row.instance.targets)),
        )
        for row in rows
    ]


# -- reading text ---------------------------------------------------------------------------------------

_WORD = re.compile(r"\w+(?:['’-]\w+)*")
_BREAK = re.compile(r"\n+|(?<=[.!?])\s+")


@lru_cache(maxsize=65_536)
def words_of(text: str) -> tuple[str, ...]:
    """The words of a text in lower case, in order."""
    return tuple(_WORD.findall(text.casefold()))


@lru_cache(maxsize=16_384)
def sentences_of(text: str) -> tuple[tuple[str, ...], ...]:
    """The sentences of a text, each as its words."""
    return tuple(found for part in _BREAK.split(text) if (found := words_of(part)))


def mentions(sentence: Sequence[str], phrase: Sequence[str]) -> bool:
    """Whether a sentence holds the words of a phrase one after the other."""
    if len(phrase) == 1:
        return phrase[0] in sentence
    size = len(phrase)
    return any(tuple(sentence[start : start + size]) == tuple(phrase) for start in range(len(sentence) - size + 1))


# -- the contract ---------------------------------------------------------------------------------------


class Probe(ABC):
    """One trick. `fit` sees the items of one group, `answer` gives an answer or None where the trick has none."""

    name: str
    """What tables call it."""

    @abstractmethod
    def fit(self, items: Sequence[ProbeItem]) -> None:
        """Learn from items of one group; forgets what was fitted before."""

    @abstractmethod
    def answer(self, item: ProbeItem) -> str | None:
        """The trick's answer."""


def audit(
    items: Sequence[ProbeItem],
    probes: Sequence[Probe],
    *,
    fit: Sequence[ProbeItem] | None = None,
    rounds: int = 1,
) -> list[ProbeResult]:
    """How much of each group every probe answers.

    Args:
        items: What is asked.
        probes: The tricks.
        fit: Training items; None fits on one half of `items` (by a hash of the input) and asks the other, both ways.
        rounds: In how many ways the items are halved, up to 16; every item then counts with its mean score.

    Returns:
        One result per group and probe, groups in order of first appearance.
    """
    asked: dict[str, list[ProbeItem]] = defaultdict(list)
    for item in items:
        asked[item.group].append(item)
    shown: dict[str, list[ProbeItem]] = defaultdict(list)
    for item in fit or ():
        shown[item.group].append(item)
    results = []
    for group, members in asked.items():
        halves = [half for number in range(rounds) for half in split_halves(members, number)]
        folds = halves if fit is None else [(shown[group], members)]
        for probe in probes:
            scores: dict[ProbeItem, list[float]] = defaultdict(list)
            for train, test in folds:
                for item, score in zip(test, _scores(probe, train, test), strict=True):
                    scores[item].append(score)
            means = [fsum(scores[item]) / len(scores[item]) for item in members]
            results.append(ProbeResult(group, probe.name, mean_estimate(means)))
    return results


def split_halves(items: Sequence[ProbeItem], number: int = 0) -> list[tuple[list[ProbeItem], list[ProbeItem]]]:
    """Items in two halves, each once to fit on and once to test."""
    # Items about one context stay together: a probe must not meet a story it was fitted on.
    halves: tuple[list[ProbeItem], list[ProbeItem]] = ([], [])
    for item in items:
        halves[input_hash(item.context)[number] & 1].append(item)
    return [(halves[0], halves[1]), (halves[1], halves[0])]


def _scores(probe: Probe, train: Sequence[ProbeItem], test: Sequence[ProbeItem]) -> list[float]:
    if not train:
        return [0.0] * len(test)
    probe.fit(train)
    said = [probe.answer(item) for item in test]
    return [
        float(answer is not None and answer.casefold() in item.accepted)
        for answer, item in zip(said, test, strict=True)
    ]


# -- rules ------------------------------------------------------------------------------------------------


class MajorityProbe(Probe):
    """The most frequent answer of the group."""

    name = "majority"

    def fit(self, items: Sequence[ProbeItem]) -> None:
        self._answer = _most_common(Counter(item.answer for item in items))

    def answer(self, item: ProbeItem) -> str | None:
        return self._answer


def _most_common(counts: Counter[str]) -> str:
    """The most frequent key, the first by spelling among equals."""
    return min(counts, key=lambda key: (-counts[key], key))


class CandidateProbe(Probe):
    """A rule over candidates: the answers of the group that are mentioned in the context."""

    def fit(self, items: Sequence[ProbeItem]) -> None:
        answers = sorted({item.answer for item in items})
        self.phrases = {answer: words_of(answer) for answer in answers if words_of(answer)}
        # Words that most questions share (where, is, the) do not say what is asked about.
        counts = Counter(word for item in items for word in set(words_of(item.question)))
        self._common = {word for word, count in counts.items() if 2 * count > len(items)}

    def asked_about(self, item: ProbeItem) -> tuple[str, ...]:
        """The words of the question that tell it from the group's other questions."""
        return tuple(word for word in words_of(item.question) if word not in self._common)

    def candidates(self, item: ProbeItem) -> dict[str, list[int]]:
        """Each candidate mentioned in the context, with the numbers of its sentences."""
        sentences = sentences_of(item.context)
        found: dict[str, list[int]] = {}
        for answer, phrase in self.phrases.items():
            lines = [number for number, sentence in enumerate(sentences) if mentions(sentence, phrase)]
            if lines:
                found[answer] = lines
        return found

    def last_in(self, item: ProbeItem, line: int) -> str | None:
        """The candidate that stands last in a sentence, not counting those named in the question."""
        sentence = sentences_of(item.context)[line]
        asked = words_of(item.question)
        found = [
            (start, answer)
            for answer, phrase in self.phrases.items()
            if not mentions(asked, phrase)
            for start in range(len(sentence))
            if sentence[start : start + len(phrase)] == phrase
        ]
        return max(found, key=lambda place: place[0])[1] if found else None


class LastMentionProbe(CandidateProbe):
    """The candidate mentioned last in the context."""

    name = "last mention"
    _back = True

    def answer(self, item: ProbeItem) -> str | None:
        lines = range(len(sentences_of(item.context)))
        for line in reversed(lines) if self._back else lines:
            found = self.last_in(item, line)
            if found is not None:
                return found
        return None


class FirstMentionProbe(LastMentionProbe):
    """The candidate mentioned first in the context."""

    name = "first mention"
    _back = False


class LastWithAskedProbe(CandidateProbe):
    """The candidate in the last sentence that also names what the question is about; else the last mention.

    On stories about places this is the rule of the last location.
    """

    name = "last with asked"

    def answer(self, item: ProbeItem) -> str | None:
        sentences = sentences_of(item.context)
        asked = self.asked_about(item)
        last = None
        for line in range(len(sentences) - 1, -1, -1):
            found = self.last_in(item, line)
            if found is None:
                continue
            if any(word in sentences[line] for word in asked):
                return found
            last = last or found
        return last


class PositionProbe(CandidateProbe):
    """The candidate at the position, counted from the start or the end, that most often holds the answer."""

    name = "position"

    def fit(self, items: Sequence[ProbeItem]) -> None:
        super().fit(items)
        hits: Counter[int] = Counter()
        for item in items:
            length = len(sentences_of(item.context))
            for line in range(length):
                found = self.last_in(item, line)
                if found is not None and found.casefold() in item.accepted:
                    hits[line] += 1
                    hits[line - length] += 1
        self._order = sorted(hits, key=lambda line: (-hits[line], line))

    def answer(self, item: ProbeItem) -> str | None:
        length = len(sentences_of(item.context))
        for line in self._order:
            if -length <= line < length:
                found = self.last_in(item, line % length)
                if found is not None:
                    return found
        return None


# -- words ------------------------------------------------------------------------------------------------


def _read(item: ProbeItem, side: Side) -> tuple[str, ...]:
    if side == "context":
        return words_of(item.context)
    if side == "question":
        return words_of(item.question)
    # A word of the question is another feature than the same word of the context.
    return (*words_of(item.context), *(f"?{word}" for word in words_of(item.question)))


class WordProbe(Probe):
    """A probe that scores labels by the words of one side, or of both."""

    def __init__(self, name: str, side: Side) -> None:
        self.side = side
        self.name = name if side == "both" else f"{name} ({side} only)"

    @abstractmethod
    def scores(self, item: ProbeItem) -> dict[str, float]:
        """How each label scores; the highest wins."""

    def answer(self, item: ProbeItem) -> str | None:
        scores = self.scores(item)
        return min(scores, key=lambda label: (-scores[label], label))


class BagOfWordsProbe(WordProbe):
    """Multinomial naive Bayes over the words, blind to their order; scores are logarithms of posteriors."""

    def __init__(self, side: Side = "both") -> None:
        super().__init__("bag of words", side)

    def fit(self, items: Sequence[ProbeItem]) -> None:
        counts: dict[str, Counter[str]] = {}
        labels: Counter[str] = Counter()
        for item in items:
            labels[item.answer] += 1
            counts.setdefault(item.answer, Counter()).update(_read(item, self.side))
        self._prior = {label: log(count / len(items)) for label, count in sorted(labels.items())}
        self._known = {word for bag in counts.values() for word in bag}
        self._weights: dict[str, dict[str, float]] = {}
        self._unseen: dict[str, float] = {}
        for label, bag in counts.items():
            total = bag.total() + len(self._known)
            self._weights[label] = {word: log((count + 1) / total) for word, count in bag.items()}
            self._unseen[label] = -log(total)

    def scores(self, item: ProbeItem) -> dict[str, float]:
        bag = Counter(word for word in _read(item, self.side) if word in self._known)
        found = {}
        for label, prior in self._prior.items():
            weights, unseen = self._weights[label], self._unseen[label]
            found[label] = prior + fsum(count * weights.get(word, unseen) for word, count in bag.items())
        return found


class LinearProbe(WordProbe):
    """Multinomial logistic regression over words and pairs of neighbouring words.

    Args:
        side: Which words it reads.
        penalty: Weight of the squared norm.
        most: How many features are kept, the most frequent ones.
        steps: Iterations of L-BFGS at the most.
    """

    def __init__(self, side: Side = "both", *, penalty: float = 1.0, most: int = 5_000, steps: int = 60) -> None:
        super().__init__("linear", side)
        self._penalty, self._most, self._steps = penalty, most, steps

    def _features(self, item: ProbeItem) -> set[str]:
        read = _read(item, self.side)
        return {*read, *(f"{one} {two}" for one, two in pairwise(read))}

    def fit(self, items: Sequence[ProbeItem]) -> None:
        import numpy as np
        from scipy.optimize import minimize
        from scipy.sparse import csr_matrix
        from scipy.special import log_softmax

        bags = [self._features(item) for item in items]
        counts = Counter(feature for bag in bags for feature in bag)
        kept = sorted(counts, key=lambda feature: (-counts[feature], feature))[: self._most]
        self._index = {feature: number for number, feature in enumerate(kept)}
        self._labels = sorted({item.answer for item in items})
        number = {label: place for place, label in enumerate(self._labels)}
        columns = [sorted(self._index[feature] for feature in bag if feature in self._index) for bag in bags]
        starts = np.cumsum([0, *map(len, columns)])
        flat = [column for row in columns for column in row]
        shape = (len(items), len(kept))
        table = csr_matrix((np.ones(len(flat)), flat, starts), shape=shape)
        truth = np.zeros((len(items), len(self._labels)))
        truth[np.arange(len(items)), [number[item.answer] for item in items]] = 1.0

        def loss(flat_weights: np.ndarray) -> tuple[float, np.ndarray]:
            weights = flat_weights.reshape(shape[1] + 1, len(self._labels))
            likely = log_softmax(table @ weights[:-1] + weights[-1], axis=1)
            value = -float((likely * truth).sum())
            rest = np.exp(likely) - truth
            slope = np.vstack([table.T @ rest + self._penalty * weights[:-1], rest.sum(axis=0)])
            return value + self._penalty / 2 * float((weights[:-1] ** 2).sum()), slope.ravel()

        start = np.zeros((shape[1] + 1) * len(self._labels))
        found = minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": self._steps})
        self._weights = found.x.reshape(shape[1] + 1, len(self._labels))

    def scores(self, item: ProbeItem) -> dict[str, float]:
        rows = [self._index[feature] for feature in sorted(self._features(item)) if feature in self._index]
        logits = self._weights[rows].sum(axis=0) + self._weights[-1]
        return dict(zip(self._labels, logits.tolist(), strict=True))


def area_under_curve(scores: Sequence[float], truth: Sequence[bool]) -> float:
    """The chance that a positive item scores above a negative one (ties count half).

    Raises:
        ValueError: All items are of one class.
    """
    from scipy.stats import rankdata

    positives = sum(truth)
    negatives = len(truth) - positives
    if not positives or not negatives:
        raise ValueError("the area under the curve needs positive and negative items")
    ranks = rankdata(scores)
    total = fsum(float(rank) for rank, right in zip(ranks, truth, strict=True) if right)
    return (total - positives * (positives + 1) / 2) / (positives * negatives)


def standard_probes(sides: Sequence[Side] = ("both",)) -> list[Probe]:
    """Every generic probe, fresh; the probes of words once for each side."""
    from taskloom.score.ranker import RankerProbe

    rules: list[Probe] = [
        MajorityProbe(),
        LastMentionProbe(),
        FirstMentionProbe(),
        LastWithAskedProbe(),
        PositionProbe(),
        RankerProbe(),
    ]
    return [*rules, *(BagOfWordsProbe(side) for side in sides), *(LinearProbe(side) for side in sides)]
