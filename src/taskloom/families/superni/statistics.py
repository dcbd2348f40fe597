"""Counts over a collection: the counterparts of the paper's Tables 1 and 2 and of Figure 10."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

import msgspec

from taskloom.core import Instruction, Suite, Task
from taskloom.families.superni.collection import Collection
from taskloom.families.superni.vocabulary import broad_domain


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
