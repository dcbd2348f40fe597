"""A short version of `make torture`."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def test_killed_work_loses_and_doubles_nothing():
    """In a process of its own: it forks, which a process with threads should not."""
    command = [sys.executable, "-m", "benchmarks.torture", "--kills", "2", "--no-train", "--only", "run"]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT)])}
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, env=environment, timeout=500, check=False)
    assert done.returncode == 0, done.stdout + done.stderr[-2000:]
    assert ", 0 problems" in done.stdout.splitlines()[-1]
