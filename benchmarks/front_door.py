"""What `taskloom --help` costs, as a multiple of a bare `python -c pass`."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from pathlib import Path

ROUNDS = 15


def _cpu(*command: str) -> float:
    """The least CPU seconds of a command over some rounds."""
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parent.parent / "src")}
    best = float("inf")
    for _ in range(ROUNDS):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=environment)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        best = min(best, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return best


def main() -> None:
    bare = _cpu(sys.executable, "-c", "pass")
    print(f"python -c pass: {bare * 1000:.0f} ms CPU")
    for words in (["--help"], ["run", "--help"], ["list", "models"], ["list", "suites"]):
        cost = _cpu(sys.executable, "-m", "taskloom", *words)
        print(f"taskloom {' '.join(words):12} {cost * 1000:4.0f} ms CPU = {cost / bare:.1f} x python -c pass")
