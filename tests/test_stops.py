"""Work that stops between two changes to the disk goes on as if nothing had happened (all of it: `make torture`)."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


@pytest.mark.proof
def test_what_was_stopped_ends_the_same():
    """In a process of its own: it forks, which a process with threads should not."""
    command = [sys.executable, "-m", "benchmarks.stops", "--only", "export", "--every", "15"]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT)])}
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, env=environment, timeout=500, check=False)
    assert done.returncode == 0, done.stdout + done.stderr[-2000:]
    assert ", 0 problems" in done.stdout.splitlines()[-1]
