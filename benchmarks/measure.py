"""Work measured in a process of its own: what it did, CPU seconds, peak memory."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from math import log
from pathlib import Path
from typing import NamedTuple

__all__ = ["ROOT", "Measured", "child", "exponent", "report", "timed"]

ROOT = Path(__file__).resolve().parent.parent
COMPILED = ROOT / ".hosts" / "compiled" / "bin" / "python"
"""The interpreter whose Taskloom is the compiled wheel (`make compiled`), measured beside this checkout."""


class Measured(NamedTuple):
    """What a process did.

    Attributes:
        amount: How much of it.
        seconds: CPU seconds of the work alone where it timed itself, else of the whole process.
        megabytes: Peak of its memory.
        characters: Characters of new text, where it makes texts.
    """

    amount: float
    seconds: float
    megabytes: float
    characters: float = 0.0

    @property
    def rate(self) -> float:
        """Amount per CPU second."""
        return self.amount / self.seconds


def timed(work: Callable[[], float], turns: int = 1) -> tuple[float, float]:
    """What a piece of work did and its CPU seconds, the least of some turns: neighbours on a machine only ever add."""
    least, amount = float("inf"), 0.0
    for _ in range(turns):
        start = time.process_time()
        amount = work()
        least = min(least, time.process_time() - start)
    return amount, least


def report(amount: float, seconds: float, characters: float = 0.0) -> None:
    """Tell the parent process, as the last line of output."""
    print(json.dumps([amount, seconds, characters]), flush=True)


def child(command: Sequence[str], environment: Mapping[str, str] | None = None) -> Measured:
    """Run a command. Its last line may be what `report` prints; otherwise it did one thing in all its seconds.

    Raises:
        RuntimeError: It failed.
    """
    paths = os.pathsep.join([str(ROOT)] if command[0] == str(COMPILED) else [str(ROOT / "src"), str(ROOT)])
    ours = {**os.environ, "PYTHONPATH": paths, "TASKLOOM_PROGRESS": "off", "OMP_NUM_THREADS": "1"}
    ours["HF_DATASETS_DISABLE_PROGRESS_BARS"] = "1"
    reader, writer = os.pipe()
    process = os.fork()
    if process == 0:
        os.dup2(writer, 1)
        os.close(reader)
        os.execvpe(command[0], list(command), {**ours, **(environment or {})})
    os.close(writer)
    with os.fdopen(reader, encoding="utf-8") as stream:
        lines = stream.read().strip().split("\n")
    _, status, usage = os.wait4(process, 0)
    if os.waitstatus_to_exitcode(status):
        raise RuntimeError(f"failed: {' '.join(command)}")
    amount, seconds, characters = 1.0, usage.ru_utime + usage.ru_stime, 0.0
    if lines[-1].startswith("["):
        amount, seconds, characters = json.loads(lines[-1])
    return Measured(amount, max(seconds, 1e-9), usage.ru_maxrss / 1024, characters)


def exponent(small: Measured, large: Measured) -> float:
    """How the cost grows with the amount: the slope on logarithmic axes, 1 where each item costs the same."""
    return log(large.seconds / small.seconds) / log(large.amount / small.amount)


def python(*arguments: str, compiled: bool = False) -> list[str]:
    """A command of this interpreter, or of the one that has the compiled wheel."""
    return [str(COMPILED) if compiled else sys.executable, *arguments]
