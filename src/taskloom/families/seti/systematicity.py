"""The systematicity report: for every rule, whether training showed it and whether it is tested."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

from taskloom.core import Facet, Suite


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
    return [_line(rule, counts[rule]) for rule in _ordered(counts)]


def _ordered(rules: Iterable[str]) -> list[str]:
    return sorted(rules, key=lambda rule: (not rule.startswith("primitive"), rule))


def _line(rule: str, count: Counter[str]) -> RuleLine:
    return RuleLine(rule, count["train"], count["dev"], count["few"], count["test"])
