"""What a block costs to start, and what a second core gives.

python -m benchmarks.blocks                  the share of a block's CPU time that is spent before its second row
python -m benchmarks.blocks --jobs           also writes each suite with one job and with two; wants two idle cores

The gain is wall time with one job over wall time with two. The CPU column says what two jobs spend in all over what one
spends: 1 where sharing the work costs nothing, and the most that two cores could gain is two divided by it.
"""

from __future__ import annotations

import argparse
import os
import resource
import tempfile
import time
from itertools import islice
from pathlib import Path
from typing import Any

from taskloom.core import Suite, open_suite
from taskloom.store.write import write_bundle

CASES: dict[str, tuple[str, dict[str, Any]]] = {
    "babi/task-1": ("train", {"train": 20_000}),
    "babi/mix-t12": ("test", {"test": 6_000}),
    "seti/task1-trivial": ("test", {"lexical": 2_000, "few": 0}),
    "taskbench/atomic": ("train", {"train": 2_000, "tasks": 6}),
    "zest/fictional": ("train", {}),
    "superni/embedded": ("train", {"instances": 200}),
}
PROMISE = 0.02
AT_ONCE = {"zest/fictional"}
"""Suites that draw the passages of a block before its first row, so that the first row says nothing about starting."""
_BLOCKS = 4


def start_share(suite: Suite, split: str) -> tuple[int, float, float]:
    """Rows of a block, its CPU seconds, and the share of them that the first row takes beyond its own."""
    blocks = suite.blocks(split)
    if blocks is None:
        raise SystemExit(f"{suite.name} is not drawn in blocks")
    numbers = list(islice(blocks.numbers(), _BLOCKS))
    rows = sum(1 for _ in blocks.rows(numbers[0]))  # what is read once in a process
    first = whole = float("inf")
    for number in numbers[1:] or numbers:
        start = time.process_time()
        next(blocks.rows(number))
        first = min(first, time.process_time() - start)
        start = time.process_time()
        rows = max(1, sum(1 for _ in blocks.rows(number)))
        whole = min(whole, time.process_time() - start)
    return rows, whole, max(0.0, first - whole / rows) / whole


def _spent() -> float:
    return sum(
        usage.ru_utime + usage.ru_stime
        for usage in map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    )


def gain(suite: Suite) -> tuple[float, float]:
    """Wall time of one job over that of two, and CPU time of two over that of one."""
    walls, spent = [], []
    with tempfile.TemporaryDirectory() as folder:
        for jobs in (1, 2):
            start, before = time.perf_counter(), _spent()
            write_bundle(suite, Path(folder, str(jobs)), jobs=jobs)
            walls.append(time.perf_counter() - start)
            spent.append(_spent() - before)
    return walls[0] / walls[1], spent[1] / spent[0]


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("suites", nargs="*", metavar="SUITE")
    parser.add_argument("--jobs", action="store_true", help="also write each suite with one job and with two")
    args = parser.parse_args(argv)
    os.environ.setdefault("TASKLOOM_PROGRESS", "off")
    print("| suite | rows of a block | ms of a block | start | gain of two jobs | CPU of two jobs |")
    print("| --- | --- | --- | --- | --- | --- |")
    failed = 0
    for name in args.suites or CASES:
        split, options = CASES[name]
        suite = open_suite(name, seed=2, options=options)
        rows, whole, share = start_share(suite, split)
        failed |= share > PROMISE and name not in AT_ONCE
        start = "-" if name in AT_ONCE else f"{share:.1%}"
        two = "{:.2f} | {:.2f}".format(*gain(suite)) if args.jobs else "- | -"
        print(f"| {name} | {rows:,} | {1000 * whole:.1f} | {start} | {two} |", flush=True)
    return failed


if __name__ == "__main__":
    raise SystemExit(main())
