"""A large fictional world: seconds of CPU, peak memory and disk of writing it, opening it again and asking it.

python -m benchmarks.taskbench_world                    1,000,000 people
python -m benchmarks.taskbench_world --people 100000    a tenth of it
python -m benchmarks.taskbench_world --folder DIR       keep the world there; one in it is used again

Every step is a process of its own, so that its memory is its own.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from pathlib import Path

_OPEN = (
    "from taskloom.sources.knowledge.open import open_graph; from taskloom.sources.knowledge.vocabulary import *; "
    "g = open_graph('world:{people}'); "
)
STEPS = {
    "import alone": "import taskloom.sources.knowledge.open",
    "write": _OPEN,
    "open again": _OPEN,
    "father of 1,000 people": _OPEN
    + "q = relation('father'); xs = list(g.function(q, limit=1000)); assert len(g.outputs(q, xs)) == len(xs)",
    "mother(father), first 10,000 pairs": _OPEN
    + "assert len(g.words(Chain(relation('mother'), relation('father')), limit=10000)) > 5000",
    "is-occupation-actor, first 10,000 of each": _OPEN
    + "assert len(g.word_truth(predicate('is-occupation-actor'), limit=10000).false) > 5000",
}


def measure(command: list[str], folder: Path) -> tuple[float, float, float]:
    """CPU seconds, wall seconds and peak resident megabytes of a Python process.

    Raises:
        SystemExit: It failed.
    """
    start = time.perf_counter()
    environment = {**os.environ, "TASKLOOM_CACHE": str(folder)}
    process = os.posix_spawn(sys.executable, [sys.executable, *command], environment)
    _, status, usage = os.wait4(process, 0)
    if code := os.waitstatus_to_exitcode(status):
        raise SystemExit(f"exit code {code}: {command}")
    return usage.ru_utime + usage.ru_stime, time.perf_counter() - start, usage.ru_maxrss / 1024


def size(folder: Path) -> float:
    """Megabytes on disk."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) / 1e6


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--people", type=int, default=1_000_000)
    parser.add_argument("--folder", type=Path)
    args, _ = parser.parse_known_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = args.folder or Path(scratch)
        print(f"| {args.people:,} people | CPU s | wall s | peak MB |\n| --- | ---: | ---: | ---: |")
        for name, text in STEPS.items():
            cpu, wall, memory = measure(["-c", text.format(people=args.people)], folder)
            print(f"| {name} | {cpu:.1f} | {wall:.1f} | {memory:,.0f} |", flush=True)
        print(f"\n{size(folder):,.0f} MB on disk")


if __name__ == "__main__":
    main()
