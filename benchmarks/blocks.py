"""What a block costs to start, and what a second core gives.

python -m benchmarks.blocks                  the share of a block's CPU time that is spent before its second row
python -m benchmarks.blocks --jobs           also writes each suite with one job and with two; wants two idle cores

Three columns say what a second core gives, medians of alternating rounds in processes of their own: wall time with one
job over that with two; CPU time of two jobs over that of one; and CPU time of a process beside another that does the
same over that of one alone. The last is the machine's: two processes that share nothing but caches and memory. What the
second column is above the third is the price of sharing the work, and "serial" is the part of it that the first process
does itself, starting and opening the suite included.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from itertools import islice
from pathlib import Path
from statistics import fmean, median
from typing import Any

from benchmarks.measure import ROOT
from taskloom.core import Suite, open_suite
from taskloom.store.write import write_bundle

CASES: dict[str, tuple[str, dict[str, Any]]] = {
    "babi/task-1": ("train", {"train": 20_000}),
    "babi/mix-t12": ("test", {"test": 60_000}),
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


def _spent(who: int) -> float:
    usage = resource.getrusage(who)
    return usage.ru_utime + usage.ru_stime


def write(name: str, jobs: int) -> None:
    """Write a suite and print the wall time, the CPU time of all processes and that of this one."""
    with tempfile.TemporaryDirectory() as folder:
        start = time.perf_counter()
        write_bundle(open_suite(name, seed=2, options=CASES[name][1]), Path(folder, "bundle"), jobs=jobs)
        wall = time.perf_counter() - start
    own = _spent(resource.RUSAGE_SELF)
    print(json.dumps([wall, own + _spent(resource.RUSAGE_CHILDREN), own]), flush=True)


def gain(name: str, rounds: int) -> list[float]:
    """Wall time of one job over two, CPU time of two over one, that of one beside another over one, serial share."""

    def started(jobs: int) -> subprocess.Popen[str]:
        command = [sys.executable, "-m", "benchmarks.blocks", "--write", str(jobs), name]
        return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT)

    found = []
    for _ in range(rounds):
        one, two = (json.loads(started(jobs).communicate()[0]) for jobs in (1, 2))
        pair = [started(1), started(1)]
        beside = fmean(json.loads(process.communicate()[0])[1] for process in pair)
        found.append((one[0] / two[0], two[1] / one[1], beside / one[1], two[2] / two[1]))
    return [median(column) for column in zip(*found, strict=True)]


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("suites", nargs="*", metavar="SUITE")
    parser.add_argument("--jobs", action="store_true", help="also write each suite with one job and with two")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--write", type=int, metavar="JOBS", help="only write one suite, with so many jobs")
    args = parser.parse_args(argv)
    if args.write:
        write(args.suites[0], args.write)
        return 0
    os.environ.setdefault("TASKLOOM_PROGRESS", "off")
    print(
        "| suite | rows of a block | ms of a block | start | gain of two jobs | CPU of two | beside another | serial |"
    )
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    failed = 0
    for name in args.suites or CASES:
        split, options = CASES[name]
        suite = open_suite(name, seed=2, options=options)
        rows, whole, share = start_share(suite, split)
        failed |= share > PROMISE and name not in AT_ONCE
        start = "-" if name in AT_ONCE else f"{share:.1%}"
        two = "{:.2f} | {:.2f} | {:.2f} | {:.1%}".format(*gain(name, args.rounds)) if args.jobs else "- | - | - | -"
        print(f"| {name} | {rows:,} | {1000 * whole:.1f} | {start} | {two} |", flush=True)
    return failed


if __name__ == "__main__":
    raise SystemExit(main())
