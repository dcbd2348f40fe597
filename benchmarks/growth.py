"""What an item costs at a thousand, a hundred thousand and a million of them, and how fast the cost grows.

python -m benchmarks.growth                     all suites, CPU time on one core; about twenty minutes
python -m benchmarks.growth --most 100000       up to that many items
python -m benchmarks.growth babi/task-1:test    one of them

A suite of that size is opened anew each time, so what opening costs is shared by its items; what a process reads once
(word lists, grammars, knowledge) is read before. A thousand items are measured as the mean of fifty suites in a row, so
that no size is measured in a quieter moment than another; sizes take turns, and the best turn counts. The exponent is
the slope from the smallest to the largest size on logarithmic axes: 1 is a constant cost per item.

taskbench/atomic differs in two ways. It is finite: each of its 74 tasks has as many rows as it has words, 223,875 in
all, and a larger suite is that one. And it works out 74 relations before the first row, about a second however many
rows are drawn, so a first pass over the suite pays for them and the second is measured.
"""

from __future__ import annotations

import argparse
import gc
import sys
import time
from collections.abc import Callable, Mapping
from itertools import islice
from math import log
from typing import Any

from taskloom.core import open_suite
from taskloom.families.seti.family import setting_plan

SIZES = (1_000, 100_000, 1_000_000)
PROMISE = 1.05
_WARM = 2_000
_SUITES = {1_000: 50, 100_000: 1, 1_000_000: 1}
_TURNS = {1_000: 4, 100_000: 4, 1_000_000: 1}

CASES: dict[str, tuple[str, Callable[[int], Mapping[str, Any]]]] = {
    "babi/task-1:train": ("train", lambda size: {"train": size}),
    "babi/task-1:dev": ("dev", lambda size: {"dev": size}),
    "babi/task-1:test": ("test", lambda size: {"test": size}),
    "babi/mix-t12:test": ("test", lambda size: {"test": size}),
    "seti/task1-trivial:test": ("test", lambda size: {"lexical": -(-size // 30)}),
    "seti/task2-nontrivial:test": (
        "test",
        lambda size: {"lexical": -(-size // 30), "structural": -(-size // 30), "few": 0},
    ),
    "taskbench/atomic:train": ("train", lambda size: {"train": -(-size // 74)}),
    # Some 7,000 tasks can be made, and any number of passages for each.
    "zest/fictional:train": (
        "train",
        lambda size: {"train": 50, "passages": -(-size // 50), "dev": 0, "test": 0, "surplus": 0},
    ),
    "superni/embedded:train": ("train", lambda size: {"instances": -(-size // 100)}),
}

FINITE = ("taskbench/atomic:train",)


def cost(case: str, size: int, seed: int) -> float:
    """CPU seconds for one of that many items of a suite that is opened for them."""
    split, options = CASES[case]
    setting_plan.cache_clear()
    gc.collect()
    start = time.process_time()
    suite = open_suite(case.partition(":")[0], seed=1 if case in FINITE else seed, options=dict(options(size)))
    if case in FINITE:
        sum(1 for _ in suite.rows(split))
        start = time.process_time()
    count = sum(1 for _ in islice(suite.rows(split), size))
    spent = time.process_time() - start
    if count < size and case not in FINITE:
        raise SystemExit(f"{case} gives {count:,} items, not {size:,}")
    return spent / count


def measure(case: str, sizes: list[int]) -> dict[int, float]:
    """Seconds per item by size."""
    cost(case, min(_WARM, sizes[-1]), seed=1)
    best = dict.fromkeys(sizes, float("inf"))
    for turn in range(max(_TURNS[size] for size in sizes)):
        for size in sizes:
            if turn < _TURNS[size]:
                spent = sum(cost(case, size, seed=7 + 100 * turn + number) for number in range(_SUITES[size]))
                best[size] = min(best[size], spent / _SUITES[size])
    return best


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cases", nargs="*", metavar="SUITE:SPLIT")
    parser.add_argument("--most", type=int, default=SIZES[-1])
    args = parser.parse_args(None if __name__ == "__main__" else [])
    sizes = [size for size in SIZES if size <= args.most]
    print("| suite | " + " | ".join(f"µs each of {size:,}" for size in sizes) + " | spread | exponent |")
    print("| --- |" + " --- |" * (len(sizes) + 2))
    failed = 0
    for case in args.cases or CASES:
        each = measure(case, sizes)
        slope = 1 + log(each[sizes[-1]] / each[sizes[0]]) / log(sizes[-1] / sizes[0]) if len(sizes) > 1 else 1.0
        failed |= slope > PROMISE
        spread = max(each.values()) / min(each.values()) - 1
        numbers = " | ".join(f"{1e6 * seconds:.1f}" for seconds in each.values())
        print(f"| {case} | {numbers} | {spread:.0%} | {slope:.3f} |", flush=True)
    return failed


if __name__ == "__main__":
    sys.exit(main())
