"""What `taskloom --help` costs, as a multiple of a bare `python -c pass`, and what it costs to look at a suite.

    python -m benchmarks front_door          # the suite of each family that takes longest, and how many were tried

Every named suite that needs no files of the user's is shown, its recipe is shown, and its tasks are listed: with an
empty cache, and again with what the first look left there.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from benchmarks.digests import suites

ROUNDS = 15
AGAIN = 5
LOOKS = (("show", "--n", "1"), ("show", "--recipe"), ("list", "tasks"))
"""The ways to look at a suite: the command, and what follows the suite's name or stands before it."""


class Cost(NamedTuple):
    """CPU seconds of the first look at a suite, and of a second one."""

    suite: str
    first: float
    again: float


def _cpu(*command: str, rounds: int = ROUNDS, cache: str = "") -> float:
    """The least CPU seconds of a command over some rounds."""
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parent.parent / "src")}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # an installed package is compiled
    if cache:
        environment["TASKLOOM_CACHE"] = cache
    best = float("inf")
    for _ in range(rounds):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        best = min(best, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return best


def _command(look: Sequence[str], suite: str) -> list[str]:
    words = [look[0], suite, *look[1:]] if look[0] == "show" else [*look, suite]
    return [sys.executable, "-m", "taskloom", *words]


def looked_at(look: Sequence[str], suite: str, *, rounds: int = 1) -> Cost:
    """What a look costs with an empty cache and with what it left there, the least of some rounds each."""
    first = again = float("inf")
    for _ in range(rounds):
        with tempfile.TemporaryDirectory() as cache:
            first = min(first, _cpu(*_command(look, suite), rounds=1, cache=cache))
            again = min(again, _cpu(*_command(look, suite), rounds=1, cache=cache))
    return Cost(suite, first, again)


def worst(look: Sequence[str], suites: Sequence[str]) -> tuple[Cost, Cost]:
    """The suite whose first look takes longest, and the one whose second look does.

    Every suite is looked at once, and those that seem worst again: a busy machine makes any of them seem so once.
    """
    costs = [looked_at(look, name) for name in suites]
    found = []
    for place in ("first", "again"):
        seeming = sorted(costs, key=lambda cost: -float(getattr(cost, place)))[:3]
        sure = [looked_at(look, cost.suite, rounds=AGAIN) for cost in seeming]
        found.append(max(sure, key=lambda cost: float(getattr(cost, place))))
    return found[0], found[1]


def print_looks(suites: Sequence[str]) -> None:
    """The worst of each family and each way to look."""
    print("| family | suites | look | longest first look, CPU s | longest second look, CPU s |")
    print("| --- | ---: | --- | --- | --- |")
    for family in dict.fromkeys(name.partition("/")[0] for name in suites):
        own = [name for name in suites if name.partition("/")[0] == family]
        for look in LOOKS:
            first, again = worst(look, own)
            shown = " ".join(look)
            print(
                f"| {family} | {len(own)} | `{shown}` | {first.first:.2f} ({first.suite}) "
                f"| {again.again:.2f} ({again.suite}) |",
                flush=True,
            )


def main() -> None:
    _cpu(sys.executable, "-m", "taskloom", "list", "suites", rounds=1)  # compiles what is not
    bare = _cpu(sys.executable, "-c", "pass")
    print(f"python -c pass: {bare * 1000:.0f} ms CPU")
    for words in (["--help"], ["run", "--help"], ["list", "models"], ["list", "suites"]):
        cost = _cpu(sys.executable, "-m", "taskloom", *words)
        print(f"taskloom {' '.join(words):12} {cost * 1000:4.0f} ms CPU = {cost / bare:.1f} x python -c pass")
    print()
    print_looks(suites())
