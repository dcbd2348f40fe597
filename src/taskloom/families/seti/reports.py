"""Pages and reports for people: samples of every type, which rules training shows, and what shortcuts can answer."""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Sequence
from itertools import islice
from typing import Any, NamedTuple

from taskloom.core import Facet, Instance, Row, Suite, open_suite
from taskloom.families.seti.published import find_verb
from taskloom.families.seti.rows import NOT_ENTAILMENT
from taskloom.families.seti.settings import SAMPLES
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


class RuleLine(NamedTuple):
    """One rule with how often each split shows it. `seen` means: in training or development data."""

    rule: str
    train: int
    dev: int
    few: int
    test: int

    @property
    def seen(self) -> bool:
        """Whether the rule was there to be learned."""
        return self.train + self.dev > 0

    @property
    def verdict(self) -> str:
        """What testing this rule measures."""
        if not self.test:
            return "trained only" if self.seen else "absent"
        return "seen and tested" if self.seen else "UNSEEN and tested"


def describe_rule(facets: dict[str, Facet]) -> str:
    """The rule an instance follows, in words: the kind, and what decides its label."""
    kind = facets["kind"]
    verb = "" if facets["veridical"] is None else "veridical" if facets["veridical"] else "non-veridical"
    if facets["negated"]:
        verb = f"negated {verb}"
    entailed = "+" if facets["natural_entailed"] else "-"
    natural = f"{facets['natural'] or 'natural'}{entailed}"
    if facets["form"] not in ("plain", None) and kind != "veridical":
        natural = f"{facets['form']} {facets['relation']} {entailed}"
    if kind == "veridical":
        return f"primitive: {verb} verb"
    if kind == "natural":
        return f"primitive: {natural}"
    depth = f" at depth {facets['depth']}" if facets["depth"] != 1 else ""
    return f"rule {facets['composition']}: {verb} verb, {natural}{depth}"


def rule_lines(suite: Suite) -> list[RuleLine]:
    """Every rule of a suite with its counts: primitives, then each rule of Table 3 as a whole and in its cells."""
    counts: dict[str, Counter[str]] = {}
    for split in suite.splits:
        for _, instance in suite.rows(split):
            facets = instance.facets
            names = [describe_rule(facets)]
            if facets["kind"] == "composition":
                names.append(f"rule {facets['composition']}")
            for name in names:
                counts.setdefault(name, Counter())[split] += 1
    ordered = sorted(counts, key=lambda rule: (not rule.startswith("primitive"), rule))
    return [RuleLine(rule, *(counts[rule][split] for split in ("train", "dev", "few", "test"))) for rule in ordered]


class Section(NamedTuple):
    """A type of instance with some of its kind."""

    title: str
    rows: list[Instance]


def sample_sections(count: int, seed: int) -> list[Section]:
    """`count` instances of every type, taken from the suites themselves."""
    sections = []
    for title, (suite, split, wanted) in SAMPLES.items():
        rows = open_suite(f"seti/{suite}", seed=seed, options=_options(suite, count)).rows(split)
        drawn = (row.instance for row in rows if wanted.items() <= row.instance.facets.items())
        sections.append(Section(title, list(islice(drawn, count))))
    return sections


def _options(suite: str, count: int) -> dict[str, Any]:
    """Enough sentence pairs for that many different samples."""
    if suite in ("negation", "quantifiers", "factivity"):
        return {"pairs": max(320, 4 * count)}
    if suite == "productivity":
        return {"test": max(1000, 2 * count)}
    return {"lexical": max(200, 4 * count), "structural": max(200, 4 * count), "few": 0}


def sample_page(sections: list[Section], seed: int) -> str:
    """The samples as Markdown: a table per type."""
    lines = [
        "# SETI samples",
        "",
        f"Made by `taskloom study seti/samples --seed {seed} -o docs`.",
        "Each line holds a premise, a hypothesis, the label, and what changed from one to the other.",
    ]
    for title, rows in sections:
        lines += ["", f"## {title}", "", "| premise | hypothesis | label | how |", "| --- | --- | --- | --- |"]
        for instance in rows:
            parts, facets = instance.parts, instance.facets
            how = ", ".join(str(facets[key]) for key in ("relation", "rule") if facets[key])
            lines.append(f"| {parts['premise']} | {parts['hypothesis']} | {facets['label']} | {how} |")
    return "\n".join(lines) + "\n"


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
    """Shortcuts that a model may take: the majority label, one side of a pair alone, the verb, the overlap of words."""
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


def accuracies(suite: Suite, probes: Sequence[Probe] | None = None, *, most: int | None = None) -> dict[str, float]:
    """The share of the test split that each probe gets right after learning from the training split.

    Args:
        suite: A suite of the family.
        probes: The probes; all of `inference_probes` where None.
        most: At most this many rows of either split.
    """
    train = inference_items(islice(suite.rows("train"), most))
    asked = inference_items(islice(suite.rows("test"), most))
    results = audit(asked, probes if probes is not None else inference_probes(), fit=train)
    return {NAMES.get(result.probe, result.probe): result.estimate.value for result in results}
