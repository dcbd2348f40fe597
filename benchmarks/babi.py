"""Questions per CPU second against the reference generators, growth, memory, and reading accuracy.

The reference generators (the Dyna-bAbI kit in Python, the original bAbI code under LuaJIT) do not run here. The
ratios are against figures measured with them on one core of a shared AMD EPYC machine; the kit's were taken with
its hopeless filters cut short, which favours it.
"""

from __future__ import annotations

import os
import time
import tracemalloc
from pathlib import Path

from taskloom.core import open_suite
from taskloom.families.babi.concepts import ORIGINALS
from taskloom.families.babi.files import agreement, find_file

KIT = {"mix-t12": 3.4, "mix-t7": 2.1, "diverse-t7": 20.0, "diverse-t12": 15.0}
LUA = {
    1: 2976,
    2: 1283,
    3: 178,
    4: 2851,
    5: 451,
    6: 2891,
    7: 1446,
    8: 1632,
    9: 3324,
    10: 2662,
    11: 3543,
    12: 3327,
    13: 2944,
    14: 3016,
    15: 4046,
    16: 1478,
    17: 9685,
    18: 1444,
    19: 38,
    20: 4868,
}


def _seconds(name: str, split: str, options: dict[str, int] | None = None) -> tuple[int, float]:
    """Questions drawn and CPU seconds, building the suite included."""
    started = time.process_time()
    suite = open_suite(f"babi/{name}", seed=1, options=options)
    count = sum(1 for _ in suite.rows(split))
    return count, time.process_time() - started


def splits() -> None:
    print("Dyna-bAbI splits in full (questions with story, answer, canonical support and facets):")
    for name, reference in KIT.items():
        split = "test" if name.startswith("mix") else "train"
        count, seconds = _seconds(name, split)
        rate = count / seconds
        print(
            f"  {name:12} {count:>7,} questions {seconds:6.2f} s {rate:>8,.0f}/s; reference {reference:>4}/s: "
            f"{rate / reference:,.0f} times"
        )


def tasks() -> None:
    print("The twenty original tasks, 5,000 training questions each:")
    for number, reference in LUA.items():
        count, seconds = _seconds(f"task-{number}", "train", {"train": 5_000, "dev": 0, "test": 0})
        rate = count / seconds
        print(f"  task {number:>2} {rate:>8,.0f}/s; Lua original {reference:>5,}/s: {rate / reference:,.1f} times")


def growth() -> None:
    print("Cost of a row by its place in a split of a million (one block of 1,000 each), and memory:")
    for name, split in (("task-1", "train"), ("task-1", "dev"), ("task-1", "test"), ("mix-t12", "test")):
        suite = open_suite(f"babi/{name}", seed=1, options={"dev": 0, split: 1_000_000})
        blocks = suite.blocks(split)
        if blocks is None:
            raise AssertionError(f"{name} is drawn in blocks")
        list(blocks.rows(1))  # what is remembered per process is made once
        costs = []
        for block in (0, 99, 999):
            started = time.process_time()
            count = sum(1 for _ in blocks.rows(block))
            costs.append(f"block {block}: {(time.process_time() - started) / count * 1e6:6.0f} µs")
        print(f"  {name:8} {split:6} {'; '.join(costs)}")
    for size in (1_000, 4_000):
        tracemalloc.start()
        _seconds("mix-t12", "test", {"dev": 0, "test": size})
        print(f"  {size:>7,} questions: {tracemalloc.get_traced_memory()[1] / 1e6:6.1f} MB at the most")
        tracemalloc.stop()


def tail() -> None:
    print("CPU time of a story of 1,000 sentences (2,000 questions of mix-t12):")
    rows = iter(open_suite("babi/mix-t12", seed=1, options={"test": 2_001, "length": [1_000, 1_000]}).rows("test"))
    next(rows)  # what is made once
    costs = []
    for _ in range(2_000):
        started = time.process_time()
        next(rows)
        costs.append(time.process_time() - started)
    median, slow = sorted(costs)[1_000], sorted(costs)[1_980]
    print(f"  median {median * 1e3:.1f} ms, 99th percentile {slow * 1e3:.1f} ms: {slow / median:.1f} times the median")


def reading() -> None:
    folder = Path(os.environ.get("TASKLOOM_REFERENCE", "../shared/reference")) / "babi"
    if not folder.is_dir():
        print(f"Reading: no reference data at {folder} (set TASKLOOM_REFERENCE)")
        return
    print("Reading the original data from the text alone (train and test):")
    for number in ORIGINALS:
        asked = agreed = 0
        reasons: dict[str, int] = {}
        for part in ("train", "test"):
            for counts in agreement(find_file(folder / "v11", number, part)).values():
                asked += counts.asked
                agreed += counts.agreed
                for name, count in counts.answers.items():
                    reasons[name] = reasons.get(name, 0) + count
        why = "".join(f", {name} {count}" for name, count in reasons.items())
        print(f"  task {number:>2} {agreed / asked:8.2%} of {asked:,}{why}")
    print("Agreement with the kit's stories:")
    for path in sorted((folder / "dyna").glob("*/valid.txt")):
        for question, counts in agreement(path).items():
            why = "".join(f", {name} {count}" for name, count in counts.answers.items())
            print(f"  {path.parent.name:8} {question:17} {counts.agreed / counts.asked:8.2%} of {counts.asked}{why}")


def main() -> None:
    splits()
    tasks()
    growth()
    tail()
    reading()


if __name__ == "__main__":
    main()
