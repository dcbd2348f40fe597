"""Counts over a collection: the counterparts of the paper's Tables 1 and 2 and of Figure 10."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from math import fsum, sqrt
from typing import NamedTuple

import msgspec

from taskloom.core import Instruction, Suite, Task, acceptable_texts
from taskloom.families.superni.collection import Collection
from taskloom.families.superni.tracks import LANGUAGES, broad_domain

ALIKE = 0.5
"""Two instructions are of one kind if they share more than this part of their triples of words."""

LONG = 10
"""From this many words on an output is long."""

_LOOKED_AT = 100
_NAMES = re.compile("|".join(sorted(map(re.escape, LANGUAGES), key=len, reverse=True)))
_WORD = re.compile(r"\w+")


class TaskSample(NamedTuple):
    """What is looked at of one task: its definition, its source, and the references of some instances."""

    definition: str
    source: str
    language: str
    references: list[tuple[str, ...]]


class Diversity(msgspec.Struct, frozen=True):
    """How varied a collection is; shares are of the instances looked at, every task with equal weight."""

    tasks: int
    clusters: int
    definition_words: float
    definition_spread: float
    shortest: int
    longest: int
    long_outputs: float
    several: float
    sources: int
    instruction_languages: int


def triples(definition: str) -> frozenset[tuple[str, ...]]:
    """The triples of words of a definition, without case, with names of languages masked."""
    words = _WORD.findall(_NAMES.sub("LANGUAGE", definition).lower())
    return frozenset(zip(words, words[1:], words[2:], strict=False)) or frozenset([tuple(words)])


def clusters(definitions: Sequence[str]) -> list[int]:
    """The kind of each definition, by number: those that are alike, or joined by others that are, are of one kind."""
    held = [triples(one) for one in definitions]
    kind = list(range(len(held)))

    def root(place: int) -> int:
        while kind[place] != place:
            kind[place] = kind[kind[place]]
            place = kind[place]
        return place

    before: dict[tuple[str, ...], list[int]] = {}
    for place, own in enumerate(held):
        shared = Counter(other for triple in own for other in before.get(triple, ()))
        for other, times in shared.items():
            if times > ALIKE * (len(own) + len(held[other]) - times):
                kind[root(place)] = root(other)
        for triple in own:
            before.setdefault(triple, []).append(place)
    return [root(place) for place in range(len(held))]


def measure(tasks: Iterable[TaskSample]) -> Diversity:
    """The diversity of some tasks."""
    held = list(tasks)
    words = [len(task.definition.split()) for task in held] or [0]
    answered = [task.references for task in held if task.references]
    return Diversity(
        tasks=len(held),
        clusters=len(set(clusters([task.definition for task in held]))),
        definition_words=_mean(words),
        definition_spread=sqrt(_mean([(count - _mean(words)) ** 2 for count in words])),
        shortest=min(words),
        longest=max(words),
        long_outputs=_share(answered, lambda texts: len(texts[0].split()) >= LONG),
        several=_share(answered, lambda texts: len(set(texts)) > 1),
        sources=len({task.source for task in held}),
        instruction_languages=len({task.language for task in held}),
    )


def _share(answered: list[list[tuple[str, ...]]], test: Callable[[tuple[str, ...]], bool]) -> float:
    return _mean([_mean([test(texts) for texts in one]) for one in answered]) if answered else 0.0


def _mean(values: Sequence[float]) -> float:
    """The same on every Python, unlike the module of statistics."""
    return fsum(values) / len(values)


def suite_diversity(suite: Suite) -> Diversity:
    """The diversity of a suite, by the first instances of every task."""
    found: dict[str, list[tuple[str, ...]]] = {name: [] for name in suite.tasks}
    for split in suite.splits:
        for row in suite.rows(split):
            if len(found[row.task]) < _LOOKED_AT:
                found[row.task].append(acceptable_texts(row.instance.targets))
    return measure(
        TaskSample(
            task.instruction.definition,
            # Parts of one package are one source.
            str(task.facets.get("source", "")).rpartition(", part ")[0] or str(task.facets.get("source", "")),
            str(task.facets.get("instruction_language", "English")),
            found[name],
        )
        for name, task in suite.tasks.items()
    )


def collection_diversity(collection: Collection) -> Diversity:
    """The diversity of a collection on disk, by the first instances of every task."""
    return measure(
        TaskSample(
            header.definition,
            ", ".join(header.source),
            ", ".join(header.instruction_language) or "English",
            [one.outputs() for one in collection.instances(name, range(min(header.instances, _LOOKED_AT)))],
        )
        for name, header in collection.headers.items()
    )


# ------------------------------------------------------------------------- counts


class TaskCounts(NamedTuple):
    """What is counted of one task."""

    category: str
    languages: frozenset[str]
    domains: tuple[str, ...]
    instruction: Instruction
    instances: int


class Statistics(msgspec.Struct, frozen=True):
    """The numbers of Table 2 and the distributions of Figure 10."""

    tasks: int
    task_types: int
    languages: int
    domains: int
    non_english: int
    definition_words: float
    positive: float
    negative: float
    instances: float
    by_type: dict[str, int]
    by_language: dict[str, int]
    by_domain: dict[str, int]
    definition_lengths: list[int]
    instance_counts: list[int]


def _spread(counter: Counter[str]) -> dict[str, int]:
    """The most frequent first, ties by name."""
    return dict(sorted(counter.items(), key=lambda item: (-item[1], item[0])))


def summarise(tasks: Iterable[TaskCounts]) -> Statistics:
    """All counts over tasks; a task counts once for each of its languages and domains."""
    held = list(tasks)
    total = len(held) or 1
    words = [len(task.instruction.definition.split()) for task in held]
    types = Counter(task.category for task in held if task.category)
    languages = Counter(language for task in held for language in task.languages)
    domains = Counter(domain for task in held for domain in dict.fromkeys(task.domains))
    return Statistics(
        tasks=len(held),
        task_types=len(types),
        languages=len(languages),
        domains=len(domains),
        non_english=sum(task.languages != {"english"} for task in held),
        definition_words=sum(words) / total,
        positive=sum(len(task.instruction.positive) for task in held) / total,
        negative=sum(len(task.instruction.negative) for task in held) / total,
        instances=sum(task.instances for task in held) / total,
        by_type=_spread(types),
        by_language=_spread(languages),
        by_domain=_spread(domains),
        definition_lengths=sorted(words),
        instance_counts=sorted(task.instances for task in held),
    )


def count_tasks(collection: Collection) -> Statistics:
    """The statistics of a collection on disk; only its index is read."""
    return summarise(
        TaskCounts(header.category, header.languages, collection.domains(name), header.instruction(), header.instances)
        for name, header in collection.headers.items()
    )


def from_suite(suite: Suite) -> Statistics:
    """The statistics of a generated suite, counted over all its splits."""
    instances: Counter[str] = Counter(row.task for split in suite.splits for row in suite.rows(split))
    return summarise(
        TaskCounts(
            str(task.facets.get("category", "")), _languages(task), _domains(task), task.instruction, instances[name]
        )
        for name, task in suite.tasks.items()
    )


def _languages(task: Task) -> frozenset[str]:
    """The languages that go in and come out; a task may have several, joined by commas."""
    named = ", ".join(str(task.facets.get(key) or "") for key in ("language", "output_language"))
    return frozenset(named.lower().split(", ")) - {""}


def _domains(task: Task) -> tuple[str, ...]:
    """The domains of a task by the broader names that the paper counts; none where the file names none."""
    named = task.facets.get("domains") or task.facets.get("domain") or ()
    written = (named,) if isinstance(named, str) else named
    return tuple(dict.fromkeys(broad_domain(name) for name in written)) if isinstance(written, tuple) else ()
