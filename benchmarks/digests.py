"""A digest of the first rows of every split of every suite: the same on every Python, or something is wrong.

python -m benchmarks.digests                 print them, one line each
python -m benchmarks.digests babi zest       only of these families
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from hashlib import blake2b
from itertools import islice

from taskloom.core import open_suite, row_hash
from taskloom.core.catalog import FAMILIES

ROWS = 20
NEEDS_FILES = {
    "zest/file", "zest/multitask", "zest/documents", "superni/test-en", "superni/test-xlingual", "superni/train-en",
    "superni/train-xlingual", "superni/en", "superni/xlingual", "superni/hold-out", "superni/files", "superni/open",
}  # fmt: skip
SMALL = {"taskbench": {"tasks": 4}, "zest": {"train": 60, "dev": 20, "test": 60, "surplus": 0}}


def digests(families: list[str]) -> Iterator[str]:
    """`suite/split digest` for every suite that needs no files of the user's."""
    for family in families:
        for name in FAMILIES.get(family).suites():
            if f"{family}/{name}" in NEEDS_FILES:
                continue
            suite = open_suite(f"{family}/{name}", seed=0, options=SMALL.get(family))
            for split in suite.splits:
                total = blake2b(digest_size=16)
                for row in islice(suite.rows(split), ROWS):
                    total.update(row_hash(row.task, row.instance).encode())
                yield f"{family}/{name}/{split} {total.hexdigest()}"


if __name__ == "__main__":
    for line in digests(sys.argv[1:] or ["babi", "seti", "superni", "taskbench", "zest"]):
        print(line, flush=True)
