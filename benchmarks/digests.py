"""A digest of the first rows of every split of every suite: the same on every Python, or something is wrong.

python -m benchmarks.digests                 print them, one line each
python -m benchmarks.digests babi zest       only of these families
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from hashlib import blake2b
from itertools import islice

from taskloom.core import open_suite, row_hash
from taskloom.core.catalog import FAMILIES

ROWS = 20
NEEDS_FILES = {
    "zest/file", "zest/multitask", "zest/documents", "zest/squad", "superni/test-en", "superni/test-xlingual",
    "superni/train-en", "superni/train-xlingual", "superni/en", "superni/xlingual", "superni/hold-out",
    "superni/files", "superni/open",
}  # fmt: skip
SMALL = {"taskbench": {"tasks": 4}, "zest": {"train": 60, "dev": 20, "test": 60, "surplus": 0}}


FAMILY_NAMES = ("babi", "seti", "superni", "taskbench", "zest")


def suites(families: Sequence[str] = FAMILY_NAMES) -> list[str]:
    """Every named suite that needs no files of the user's."""
    named = [f"{family}/{name}" for family in families for name in FAMILIES.get(family).suites()]
    return [name for name in named if name not in NEEDS_FILES]


def digests(families: Sequence[str]) -> Iterator[str]:
    """`suite/split digest` for every suite that needs no files of the user's."""
    for name in suites(families):
        suite = open_suite(name, seed=0, options=SMALL.get(name.partition("/")[0]))
        for split in suite.splits:
            total = blake2b(digest_size=16)
            for row in islice(suite.rows(split), ROWS):
                total.update(row_hash(row.task, row.instance).encode())
            yield f"{name}/{split} {total.hexdigest()}"


if __name__ == "__main__":
    for line in digests(sys.argv[1:] or FAMILY_NAMES):
        print(line, flush=True)
