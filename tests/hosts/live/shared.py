"""Suites, deterministic models and the examples of the page, for the tests with real hosts."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

from taskloom import Suite, open_suite

ROOT = Path(__file__).resolve().parents[3]

# Every family, small enough to run in seconds.
SUITES: dict[str, dict[str, object]] = {
    "babi/mix-t7": {},
    "taskbench/synonyms[eng]": {},
    "seti/task2-trivial": {},
    "zest/fictional": {"train": 20, "dev": 10, "test": 20, "surplus": 0, "passages": 4},
    "superni/embedded": {},
}
COUNT = 40


def opened(name: str) -> Suite:
    return open_suite(name, seed=3, options=SUITES[name])


def wrong(shown: str) -> bool:
    """Whether the half-wrong model errs: decided by the prompt alone, in every host."""
    return sum(shown.encode()) % 2 == 1


def said(model: str, shown: str, answer: str) -> str:
    """What a deterministic model says: the right answer in a sentence of its own, or something wrong."""
    return "none of these" if model == "half" and wrong(shown) else f"{answer}"


def blocks(host: str) -> list[tuple[str, str]]:
    """The examples of the page that belong to a host: language and text."""
    page = (ROOT / "docs" / "integrations.md").read_text(encoding="utf-8")
    return re.findall(rf"<!-- host: {host} -->\n```(\w+)\n(.*?)```", page, re.DOTALL)


def run_blocks(host: str, folder: Path, **more: str) -> list[str]:
    """Run every example of a host, one after the other, in one folder."""
    shown = []
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1", **more}
    for language, text in blocks(host):
        command = [sys.executable, "-c", text] if language == "python" else ["bash", "-ec", text]
        done = subprocess.run(
            command, cwd=folder, env=environment, capture_output=True, text=True, timeout=500, check=False
        )
        assert done.returncode == 0, f"{text}\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}"
        shown.append(done.stdout + done.stderr)
    assert shown
    return shown
