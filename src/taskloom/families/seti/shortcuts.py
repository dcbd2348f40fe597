"""Shortcut probes for inference: what part of an input is enough to answer it.

Where one of them does well, the data can be solved without the inference it means to test. The probes are those of
`taskloom.score.probes`, with the premise as context and the hypothesis as question; two more know the embedding verb
and the words that the hypothesis adds. Each learns from the training split and nothing else.
"""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Sequence
from itertools import islice

from taskloom.core import Row, Suite
from taskloom.families.seti.published import find_verb
from taskloom.families.seti.rows import NOT_ENTAILMENT
from taskloom.score.probes import (
    BagOfWordsProbe,
    LinearProbe,
    MajorityProbe,
    Probe,
    ProbeItem,
    audit,
    probe_items,
    words_of,
)

NAMES = {
    "bag of words (question only)": "hypothesis only, words",
    "bag of words (context only)": "premise only, words",
    "linear (question only)": "hypothesis only, linear",
    "linear (context only)": "premise only, linear",
}
"""What the probes of words are called here."""


class FeatureProbe(Probe):
    """The majority label of each value of one feature; an unseen value gets that of the whole, a tie "no"."""

    def __init__(self) -> None:
        self._counts: dict[Hashable, Counter[str]] = {}
        self._whole: Counter[str] = Counter()

    @abstractmethod
    def feature(self, item: ProbeItem) -> Hashable:
        """The one thing it looks at."""

    def fit(self, items: Sequence[ProbeItem]) -> None:
        counts: dict[Hashable, Counter[str]] = defaultdict(Counter)
        for item in items:
            counts[self.feature(item)][item.answer] += 1
        self._counts = dict(counts)
        self._whole = Counter(item.answer for item in items)

    def answer(self, item: ProbeItem) -> str | None:
        counts = self._counts.get(self.feature(item), self._whole)
        return min(counts, key=lambda label: (-counts[label], label != NOT_ENTAILMENT))


class VerbProbe(FeatureProbe):
    """Knows which embedding verb was seen with which label, and nothing of the sentences."""

    name = "verb only"

    def feature(self, item: ProbeItem) -> Hashable:
        return find_verb(item.context)


class OverlapProbe(FeatureProbe):
    """Counts the words of the hypothesis that the premise lacks."""

    name = "word overlap"

    def feature(self, item: ProbeItem) -> Hashable:
        premise = set(words_of(item.context))
        return min(3, sum(word not in premise for word in words_of(item.question)))


def inference_probes() -> list[Probe]:
    """Majority, each side alone (by words and by linear regression), the verb, and the overlap of words."""
    return [
        MajorityProbe(),
        BagOfWordsProbe("question"),
        BagOfWordsProbe("context"),
        LinearProbe("question"),
        LinearProbe("context"),
        VerbProbe(),
        OverlapProbe(),
    ]


def inference_items(rows: Iterable[Row]) -> list[ProbeItem]:
    """Rows as the probes see them, all in one group."""
    return probe_items(rows, group=lambda row: "", context="premise", asked="hypothesis")


def accuracies(
    suite: Suite, probes: Sequence[Probe] | None = None, split: str = "test", *, most: int | None = None
) -> dict[str, float]:
    """The share of a split that each probe gets right after learning from the training split.

    Args:
        suite: A suite of the family.
        probes: The probes; all of `inference_probes` where None.
        split: What is asked.
        most: At most this many rows of either split.
    """
    train = inference_items(islice(suite.rows("train"), most))
    asked = inference_items(islice(suite.rows(split), most))
    results = audit(asked, probes if probes is not None else inference_probes(), fit=train)
    return {NAMES.get(result.probe, result.probe): result.estimate.value for result in results}
