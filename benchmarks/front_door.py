"""What `taskloom --help` costs, as a multiple of a bare `python -c pass`, and what it costs to look at a suite.

The first look at a suite has nothing in its cache; the second finds what the first left there.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

ROUNDS = 15
SHOWN = (
    "babi/task-1", "babi/mix-t12", "seti/task1-trivial", "seti/productivity", "zest/fictional", "superni/embedded",
    "taskbench/atomic", "taskbench/factual", "taskbench/500",
)  # fmt: skip


def _cpu(*command: str, rounds: int = ROUNDS, cache: str = "") -> float:
    """The least CPU seconds of a command over some rounds."""
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parent.parent / "src")}
    if cache:
        environment["TASKLOOM_CACHE"] = cache
    best = float("inf")
    for _ in range(rounds):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        best = min(best, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return best


def main() -> None:
    bare = _cpu(sys.executable, "-c", "pass")
    print(f"python -c pass: {bare * 1000:.0f} ms CPU")
    for words in (["--help"], ["run", "--help"], ["list", "models"], ["list", "suites"]):
        cost = _cpu(sys.executable, "-m", "taskloom", *words)
        print(f"taskloom {' '.join(words):12} {cost * 1000:4.0f} ms CPU = {cost / bare:.1f} x python -c pass")
    for suite in SHOWN:
        with tempfile.TemporaryDirectory() as cache:
            show = (sys.executable, "-m", "taskloom", "show", suite, "--n", "1")
            first, again = _cpu(*show, rounds=1, cache=cache), _cpu(*show, rounds=3, cache=cache)
        print(f"taskloom show {suite:20} {first:.2f} s CPU the first time, {again:.2f} after that")
