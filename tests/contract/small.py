"""The first rows of every registered suite, drawn once per process."""

from __future__ import annotations

import dataclasses
from functools import cache
from itertools import islice

from taskloom.core import Row, Suite, content_hash, open_suite
from taskloom.core.catalog import FAMILIES

ROWS = 20

# Suites that read files a user brings have a contract test of their own, beside their loader.
NEEDS_FILES = {
    "zest/file", "zest/multitask", "zest/squad", "zest/documents",
    "superni/test-en", "superni/test-xlingual", "superni/train-en", "superni/train-xlingual",
    "superni/en", "superni/xlingual", "superni/hold-out", "superni/files", "superni/open",
}  # fmt: skip


def suite_names(family: str | None = None) -> list[str]:
    families = [family] if family else FAMILIES.names()
    names = [f"{name}/{suite}" for name in families for suite in FAMILIES.get(name).suites()]
    return [name for name in names if name not in NEEDS_FILES]


# Suites of many tasks are cut to some of them, because knowing which tasks there are means evaluating them.
# In a world of fewer people they are evaluated sooner; the bytes of the default world are in tests/digests.json.
OPTIONS = {
    "taskbench": {"tasks": 2, "knowledge": "world:1500", "least": 20},
    "zest": {"train": 60, "dev": 20, "test": 60, "surplus": 0},
}


@cache
def small(name: str, seed: int = 0) -> Suite:
    """The suite cut to its first rows, which are drawn only once."""
    suite = open_suite(name, seed=seed, options=OPTIONS.get(name.partition("/")[0]))
    rows: dict[str, list[Row]] = {}
    for split in suite.splits:
        rows[split] = list(islice(suite.rows(split), ROWS))
    sizes = {split: len(found) for split, found in rows.items()}
    return dataclasses.replace(suite, splits=sizes, draw=lambda split: iter(rows[split]))


def digests(family: str) -> list[str]:
    """A hash of everything in each suite of a family: recipe, tasks and rows."""
    found = []
    for name in suite_names(family):
        suite = small(name)
        rows = {split: list(suite.rows(split)) for split in suite.splits}
        found.append(f"{name} {content_hash((dict(suite.recipe), list(suite.tasks.values()), rows))}")
    return found
