"""Stop a command between any two changes it makes to the disk; given again, it must end as if nothing had happened.

    python -m benchmarks.stops                 every verb that writes (part of `make torture`)
    python -m benchmarks.stops --only export   some of them
    python -m benchmarks.stops --every 5       every fifth place

`benchmarks.torture` kills at random moments and so needs luck to meet a moment of some microseconds; this visits each
of them once. After the last change that is let through every further one raises, so that no clean-up runs either.
A stop is a loss of power: of what was written and not synced, half is gone, and a file that was opened to be written
anew is empty. Power that fails just after a command has said that it is done must lose nothing at all.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
import tempfile
from collections.abc import Callable
from contextlib import chdir
from pathlib import Path
from typing import Any

from taskloom.cli.main import run_command
from taskloom.core import UserError

CHANGES = ("mkdir", "rename", "replace", "unlink", "remove", "rmdir", "fsync", "link", "truncate", "ftruncate")
STOPPED = 99
WORKS: dict[str, list[str]] = {
    "generate": ["generate", "babi/task-1", "-T", "train=20", "-T", "test=20", "-o", "OUT"],
    "run": ["run", "bundle", "--model", "mock/flaky", "-M", "fail=0", "-o", "OUT"],
    "probe": ["probe", "babi/custom", "--model", "mock/oracle", "-P", "budget=60", "-o", "OUT"],
    "score": ["score", "OUT/run", "--scorer", "normalised"],
    "read again": ["score", "OUT/run", "--reader", "lenient"],
    "report": ["report", "done", "-o", "OUT/page.html"],
    "judge": ["judge", "make", "done", "-o", "OUT/form.html"],
    "export hf": ["export", "hf", "bundle", "-o", "OUT"],
    "export superni": ["export", "superni", "bundle", "-o", "OUT"],
    "sweep": ["sweep", "bundle", "--model", "mock/oracle", "--jobs", "1", "--limit", "20", "-o", "OUT"],
}
"""Command lines; OUT is the folder that is written, `bundle` and `done` are a bundle and a run of it."""
_TIMED = ("run.json", "sweep.jsonl")
"""Files that hold the command, or how long something took."""
_HISTORY = ("logs", "set_aside", "sum")
"""What a seal says of the logs that it stands for: how many there were, and what of a torn one was set aside."""


class StoppedError(BaseException):
    """The process is to be taken for dead."""


class _Disk:
    """Lets a number of changes happen in this process, and none after them; knows what has reached the disk."""

    def __init__(self, folder: Path, most: int) -> None:
        self._folder, self._most = folder, most
        self.made: list[str] = []
        self._synced = {path.stat().st_ino: path.stat().st_size for path in folder.rglob("*") if path.is_file()}
        self._truncate = os.truncate
        self._written: set[int] = set()

    def watch(self) -> None:
        for name in CHANGES:
            setattr(os, name, self._limited(name, getattr(os, name)))
        sys.addaudithook(self._opened)

    def _count(self, name: str) -> None:
        if len(self.made) >= self._most:
            raise StoppedError
        self.made.append(name)

    def _limited(self, name: str, real: Callable[..., Any]) -> Callable[..., Any]:
        def change(*given: Any, **settings: Any) -> Any:
            self._count(name)
            if name in ("rename", "replace", "link"):
                moved = Path(os.fspath(given[0]))
                self._written |= {path.stat().st_ino for path in (moved, *moved.rglob("*"))}
            if name == "fsync":
                number = given[0] if isinstance(given[0], int) else given[0].fileno()
                found = os.fstat(number)
                self._synced[found.st_ino] = found.st_size
            return real(*given, **settings)

        return change

    def _opened(self, event: str, given: tuple[Any, ...]) -> None:
        """A file that is written anew is empty before anything stands in it."""
        if event != "open" or not isinstance(given[0], str) or not isinstance(given[2], int):
            return
        path = Path(given[0])
        if given[2] & os.O_TRUNC and self._folder in path.parents and path.is_file() and path.stat().st_size:
            try:
                self._count("open")
            except StoppedError:
                self._truncate(path, 0)
                raise

    def lose(self, *, done: bool = False) -> None:
        """The power fails: half of what was not synced is gone; of work that is done, what this process wrote."""
        for path in self._folder.rglob("*"):
            if path.is_file() and not path.is_symlink():
                found = path.stat()
                kept = self._synced.get(found.st_ino, 0)
                workers = done or "jobs" in path.relative_to(self._folder).parts
                if workers and found.st_ino not in self._written:
                    continue  # a worker of its own wrote it, whose syncs are not seen from here
                if found.st_size > kept:
                    self._truncate(path, kept + (found.st_size - kept) // 2)


def carry_out(argv: list[str], cache: Path, most: int = sys.maxsize, folder: Path | None = None) -> tuple[int, int]:
    """A command in a child of its own that writes to a folder; its exit code and how many changes it made."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        os.environ.update(TASKLOOM_CACHE=str(cache), TASKLOOM_PROGRESS="off")
        quiet = os.open(os.devnull, os.O_WRONLY)
        os.dup2(quiet, 1)
        os.dup2(quiet, 2)
        disk = _Disk(folder or cache / "nowhere", most)
        disk.watch()
        code = 70
        try:
            code = run_command(argv)
            if most == len(disk.made):
                disk.lose(done=True)
        except UserError:
            code = 2
        except StoppedError:
            code = STOPPED
            disk.lose()
        finally:
            os.write(writing, str(len(disk.made)).encode())
            os._exit(code)
    os.close(writing)
    with os.fdopen(reading) as answer:
        changes = int(answer.read() or 0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), changes


def contents(folder: Path) -> dict[str, object]:
    """What must be equal of every file below a folder; a run that was stopped may say so in its seal and in a note."""
    return {
        str(path.relative_to(folder)): _without_history(path)
        for path in folder.rglob("*")
        if path.is_file() and path.name not in _TIMED and not path.name.startswith("set-aside-")
    }


def _without_history(path: Path) -> object:
    data = path.read_bytes()
    if not path.name.startswith("manifest-") or not data.endswith(b"}\n"):
        return data
    return {key: value for key, value in json.loads(data).items() if key not in _HISTORY}


def stop_everywhere(command: list[str], root: Path, every: int = 1) -> tuple[int, list[str]]:
    """Stop a command at every place, give it again and compare; how many places, and what was wrong at which."""
    folder, cache = root / "out", root / "cache"
    argv = [word.replace("OUT", str(folder)) for word in command]

    def fresh() -> None:
        for place in (folder, cache):
            shutil.rmtree(place, ignore_errors=True)
        if "OUT/run" in command:
            shutil.copytree(root / "done", folder / "run")
        elif "OUT" not in command:
            folder.mkdir()

    fresh()
    code, changes = carry_out(argv, cache, folder=folder)
    wanted = contents(folder)
    if code or not wanted:
        return 0, [f"the undisturbed command ended with {code} and left {len(wanted)} files"]
    problems = []
    fresh()
    carry_out(argv, cache, changes, folder)
    if lost := sorted(name for name, data in contents(folder).items() if wanted.get(name) != data):
        problems.append(f"power that fails after the end: {lost[:4]} not on the disk")
    # The last change is left out: after it the work is done, and an export does not write over a whole one.
    places = range(0, changes - 1, every)
    for place in places:
        fresh()
        stopped, _ = carry_out(argv, cache, place, folder)
        code, _ = carry_out(argv, cache)
        found = contents(folder)
        if stopped != STOPPED or code or found != wanted:
            differ = sorted(name for name in {*found, *wanted} if found.get(name) != wanted.get(name))
            problems.append(f"stopped after {place} changes ({stopped}): ends with {code}, differs in {differ[:4]}")
    return len(places), problems


def prepare(root: Path) -> None:
    """A bundle and a run of it."""
    for command in (
        ["generate", "babi/task-1", "-T", "train=20", "-T", "test=20", "-o", "bundle"],
        ["run", "bundle", "--model", "mock/copy-input", "-o", "done"],
    ):
        assert carry_out(command, root / "cache")[0] == 0, command


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="only work whose name contains this")
    parser.add_argument("--every", type=int, default=1, help="visit every n-th place")
    given = parser.parse_args()
    visited = bad = 0
    with tempfile.TemporaryDirectory(prefix="taskloom-stops-") as folder, chdir(folder):
        prepare(Path(folder))
        for name, command in WORKS.items():
            if given.only in name:
                places, problems = stop_everywhere(command, Path(folder), given.every)
                print(f"{name}: {places} places, {len(problems)} problems", *problems, sep="\n  ", flush=True)
                visited, bad = visited + places, bad + len(problems)
    print(f"{visited:,} places, {bad:,} problems")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
