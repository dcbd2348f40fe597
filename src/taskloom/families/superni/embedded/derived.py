"""Tasks of the other families as instruction tasks: functions on words, stories, inference, passages."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

import msgspec

from taskloom.core import Facet, Instance, Suite, Task, open_suite


class SourceSuite(NamedTuple):
    """Where derived tasks come from: a suite, the category they join, and how many of its tasks are taken."""

    suite: str
    category: str
    tasks: int = 1
    options: tuple[tuple[str, int], ...] = ()


_STORIES = (1, 2, 5, 7, 8, 15, 16, 18)

DERIVED: tuple[SourceSuite, ...] = (
    *(SourceSuite(f"babi/task-{number}", "Story Question Answering") for number in _STORIES),
    SourceSuite("taskbench/map{antonyms[eng]}", "Word Functions"),
    SourceSuite("taskbench/map{hypernyms[eng]}", "Word Functions"),
    SourceSuite("taskbench/map{translate[eng-spa]}", "Word Functions"),
    SourceSuite("zest/fictional", "Passage Question Answering", 8, (("train", 8), ("dev", 1), ("test", 1))),
    SourceSuite("seti/task1-nontrivial", "Textual Entailment"),
)
"""What the embedded collection takes from the other families."""

_LANGUAGES = {"en": "English", "eng": "English", "es": "Spanish", "spa": "Spanish"}


class DerivedTask(NamedTuple):
    """A task of another suite in the clothes of the collection."""

    task: Task
    suite: Suite
    original: str

    def instances(self, split: str) -> Iterator[Instance]:
        """The instances of a split, where the suite has it."""
        if split in self.suite.splits:
            for row in self.suite.rows(split, task=self.original):
                yield row.instance


def _name(suite: str, task: str) -> str:
    kept = "".join(letter if letter.isalnum() or letter in "-." else "_" for letter in task)
    return f"{suite.partition('/')[0]}_{kept.strip('_')}"


@lru_cache(maxsize=64)
def derive(source: SourceSuite, split: str, seed: int) -> tuple[DerivedTask, ...]:
    """The first tasks of a suite that have instances in a split. Suites are pure, so what was derived once is kept.

    Args:
        source: The suite and how much of it.
        split: The split whose tasks are wanted.
        seed: The seed of the suite.
    """
    suite = open_suite(source.suite, seed=seed, options=dict(source.options))
    names: dict[str, None] = {}
    if len(suite.tasks) == 1:
        names = dict.fromkeys(suite.tasks)
    else:
        for row in suite.rows(split):
            names.setdefault(row.task)
            if len(names) == source.tasks:
                break
    return tuple(DerivedTask(_dressed(suite, name, source), suite, name) for name in names)


def _dressed(suite: Suite, name: str, source: SourceSuite) -> Task:
    task = suite.tasks[name]
    language = str(task.facets.get("language") or "English")
    # A pair of languages ("eng-spa") reads one and writes the other.
    spoken, _, written = language.partition("-")
    spoken = _LANGUAGES.get(spoken, spoken)
    facets: dict[str, Facet] = {
        "family": "superni",
        "category": source.category,
        "language": spoken,
        "output_language": _LANGUAGES.get(written, written) or spoken,
        "instruction_language": "English",
        "derives_from": suite.name,
        "source": suite.name,
        "domains": ("Miscellaneous",),
    }
    return msgspec.structs.replace(task, name=_name(suite.name, name), facets=facets)
