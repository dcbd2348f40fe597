"""A page of samples for people to read: every type of instance, as a model sees it."""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice
from typing import Any, NamedTuple

from taskloom.core import Instance, open_suite


class Section(NamedTuple):
    """A type of instance with some of its kind."""

    title: str
    rows: list[Instance]


class _Source(NamedTuple):
    title: str
    suite: str
    split: str
    wanted: Callable[[dict[str, Any]], bool]


def _natural(kind: str, entailed: bool) -> Callable[[dict[str, Any]], bool]:
    return lambda f: f["kind"] == "natural" and f["natural"] == kind and f["natural_entailed"] is entailed


def _veridical(side: bool) -> Callable[[dict[str, Any]], bool]:
    return lambda f: f["kind"] == "veridical" and f["veridical"] is side


def _composition(rule: int) -> Callable[[dict[str, Any]], bool]:
    return lambda f: f["composition"] == rule


_SOURCES = (
    _Source("Veridical inference, veridical verbs", "task1-trivial", "train", _veridical(True)),
    _Source("Veridical inference, non-veridical verbs", "task1-trivial", "train", _veridical(False)),
    _Source("Lexical inference, entailed", "task1-trivial", "train", _natural("lexical", True)),
    _Source("Lexical inference, not entailed", "task1-trivial", "train", _natural("lexical", False)),
    _Source("Structural inference, entailed", "task3-trivial", "train", _natural("structural", True)),
    _Source("Structural inference, not entailed", "task3-trivial", "train", _natural("structural", False)),
    _Source("Composition by rule 1", "task2-nontrivial", "train", _composition(1)),
    _Source("Composition by rule 2", "task2-nontrivial", "test", _composition(2)),
    _Source("Composition by rule 3", "task2-nontrivial", "test", _composition(3)),
    _Source("Composition by rule 4", "task2-nontrivial", "train", _composition(4)),
    _Source("Under negation, entailed", "negation", "train", _natural("negation", True)),
    _Source("Under negation, not entailed", "negation", "train", _natural("negation", False)),
    _Source("Under quantifiers, entailed", "quantifiers", "train", _natural("quantifier", True)),
    _Source("Under quantifiers, not entailed", "quantifiers", "train", _natural("quantifier", False)),
    _Source("Negated verbs", "factivity", "test", lambda f: bool(f["negated"])),
    _Source("Deep embedding", "productivity", "test", lambda f: f["depth"] >= 3),
)


def sample_sections(count: int, seed: int) -> list[Section]:
    """`count` instances of every type, taken from the suites themselves."""
    sections = []
    for title, suite, split, wanted in _SOURCES:
        drawn = (
            row.instance for row in open_suite(f"seti/{suite}", seed=seed, options=_options(suite, count)).rows(split)
        )
        sections.append(Section(title, list(islice((i for i in drawn if wanted(i.facets)), count))))
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
