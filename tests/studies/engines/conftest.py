"""A small bundle on disk: jobs travel to other processes, and so must their data."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from taskloom.core import Instance, Instruction, Row, Suite, Task, any_of, keyed_random
from taskloom.store.write import write_bundle


@pytest.fixture(scope="session")
def bundle(tmp_path_factory) -> Path:
    words = ["balo", "koni", "mira", "dutu"]
    tasks = {name: Task(name, Instruction("Say the partner of the word.")) for name in ("first", "second")}

    def draw(split: str) -> Iterator[Row]:
        for name in tasks:
            for number in range(40 if split == "train" else 8):
                random = keyed_random("bundle", split, name, number)
                text = f"{random.choice(words)} {name} {split} {number}"
                yield Row(name, Instance(str(number), text, any_of(random.choice(words))))

    suite = Suite("toy/bundle", {}, 0, tasks, {"train": 80, "dev": 16, "test": 16}, draw)
    folder = tmp_path_factory.mktemp("data") / "bundle"
    write_bundle(suite, folder)
    return folder


def holder(folder: Path) -> int:
    """The process that holds the lock of a folder."""
    lock = os.path.realpath(folder)
    for handle in Path("/proc").glob("[0-9]*/fd/*"):
        try:
            if str(handle.readlink()) == lock:
                return int(handle.parts[2])
        except OSError:
            continue  # of another user, or gone
    raise AssertionError(f"nobody writes to {folder}")


class Killer(threading.Thread):
    """Kills the process of a job as soon as a file of its has two lines. `join` first ends the waiting."""

    def __init__(self, job_folder: Path, lines: str = "adaptation/curve.jsonl") -> None:
        super().__init__(daemon=True)
        self._folder, self._lines = job_folder, job_folder / lines
        self._over = threading.Event()
        self.killed: int | None = None
        self.left = b""
        self.start()

    def run(self) -> None:
        while not self._over.is_set():
            if self._lines.exists() and (left := self._lines.read_bytes()).count(b"\n") >= 2:
                self.left = left[: left.rindex(b"\n") + 1]
                self.killed = holder(self._folder)
                os.kill(self.killed, signal.SIGKILL)
                return
            time.sleep(0.005)

    def join(self, timeout: float | None = None) -> None:
        self._over.set()
        super().join(timeout)


@pytest.fixture
def killer() -> type[Killer]:
    return Killer
