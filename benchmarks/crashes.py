"""Power cuts, simulated: what a run writes is recorded, and states that a disk may legally hold are recovered from.

python -m benchmarks.crashes                  50,000 states, and every planted bug (`make crashes`)
python -m benchmarks.crashes --states 500     a quick look

A file's bytes are on disk once it was synced, a name (new, renamed or removed) once its folder was. Until then a crash
may keep the old, the new, or of a file's bytes any prefix, with pages of zeros where some never arrived. After the
crash the same work is done again: nothing acknowledged may be lost, nothing may have to be edited, and the result is
that of undisturbed work. The simulator is worth what it finds: it is also run with bugs planted in the writing code.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from itertools import islice
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest import mock

from taskloom.ask import ScoredReading
from taskloom.core import AnyOf, Instance, UserError, question_hash, row_hash
from taskloom.run import log as log_module
from taskloom.run import sealed as sealed_module
from taskloom.run.log import RunLog, read_records
from taskloom.run.record import Record
from taskloom.store import atomic

_PAGE = 512


class Disk:
    """A folder whose every sync, rename, link and removal is seen, with what a crash would leave.

    Attributes:
        acknowledged: What the work was told is safe.
    """

    def __init__(self, root: Path, rng: random.Random) -> None:
        self.root, self.rng = root, rng
        self.names: dict[str, dict[str, int]] = {}
        self.data: dict[int, bytes] = {}
        self.acknowledged: set[Any] = set()
        self.states: list[tuple[dict[str, bytes], frozenset[Any]]] = []

    def synced(self, handle: int) -> None:
        """Note a sync of a file or a folder."""
        path = Path(f"/proc/self/fd/{handle}").readlink()
        stat = os.fstat(handle)
        if path.is_dir():
            self.names[str(path)] = {entry.name: entry.inode() for entry in os.scandir(path)}
        else:
            self.data[stat.st_ino] = Path(f"/proc/self/fd/{handle}").read_bytes()

    def crash(self) -> None:
        """Keep one state that a crash at this moment may leave."""
        files: dict[str, bytes] = {}
        self._folder(str(self.root), "", files)
        self.states.append((files, frozenset(self.acknowledged)))

    def _folder(self, path: str, prefix: str, files: dict[str, bytes]) -> None:
        now = {entry.name: entry for entry in os.scandir(path)} if Path(path).is_dir() else {}
        lasting = self.names.get(path, {})
        for name in sorted(now.keys() | lasting.keys()):
            inode = now[name].inode() if name in now else -1
            kept = lasting.get(name, -1)
            chosen = inode if inode == kept else self.rng.choice((inode, kept))
            if chosen == -1:
                continue
            below = f"{path}/{name}"
            if name in now and now[name].is_dir():
                self._folder(below, f"{prefix}{name}/", files)
                continue
            current = Path(below).read_bytes() if chosen == inode else self.data.get(chosen, b"")
            files[prefix + name] = self._bytes(current, self.data.get(chosen))

    def _bytes(self, now: bytes, lasting: bytes | None) -> bytes:
        """The bytes of a file after a crash: what was synced, and any part of what came since."""
        if lasting == now:
            return now
        safe = lasting if lasting is not None and now.startswith(lasting) else b""
        if lasting is not None and not now.startswith(lasting) and self.rng.random() < 0.5:
            return lasting
        torn = now[: self.rng.randint(len(safe), len(now))]
        pages = bytearray(torn)
        for start in range(len(safe), len(pages), _PAGE):
            if self.rng.random() < 0.3:
                pages[start : start + _PAGE] = bytes(len(pages[start : start + _PAGE]))
        return bytes(pages)


@contextmanager
def recording(disk: Disk) -> Iterator[None]:
    """See every call that matters for what a crash leaves, and crash before and after each."""
    real = {name: getattr(os, name) for name in ("fsync", "write", "replace", "rename", "link", "unlink", "ftruncate")}

    def around(name: str) -> Callable[..., Any]:
        def call(*given: Any, **more: Any) -> Any:
            disk.crash()
            result = real[name](*given, **more)
            if name == "fsync":
                disk.synced(given[0])
            disk.crash()
            return result

        return call

    with ExitStack() as stack:
        for name in real:
            stack.enter_context(mock.patch.object(os, name, around(name)))
        yield


def record(index: int, failed: bool = False) -> Record:
    """The answer to a question of that number."""
    instance = Instance(str(index), f"question {index}", AnyOf(("yes",)))
    return Record(
        task="t", id=str(index), index=index, row=row_hash("t", instance), question=question_hash("t", instance),
        state="errored" if failed else "scored", strict=ScoredReading("yes", None if failed else 1.0), scorer="exact",
        raw="yes " * (index % 90), raw_length=4 * (index % 90), targets=instance.targets, prompt=f"question {index}",
        prompt_hash="h", facets={"n": index},
    )  # fmt: skip


def work(folder: Path, questions: int, tell: Callable[[int], None] = lambda index: None) -> None:
    """A run: ask what is missing, a few at a time, some of it failing at first; seal; ask the failures again; seal."""
    for failing in (True, False):
        with RunLog(folder) as log:
            waiting = [n for n in range(questions) if log.places.state(n) in (None, "errored")]
            for start in range(0, len(waiting), 7):
                batch = [record(n, failing and n % 5 == 0) for n in waiting[start : start + 7]]
                log.append(batch)
                for one in batch:
                    if one.state == "scored":
                        tell(one.index)
            log.finish()


def recovers(files: dict[str, bytes], acknowledged: frozenset[int], questions: int) -> str:
    """What is wrong after a crash; empty where nothing is."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "run"
        folder.mkdir()
        for name, data in files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        try:
            with RunLog(folder) as log:
                kept = {index for index in log.places if log.places.state(index) == "scored"}
            if not acknowledged <= kept:
                return f"{len(acknowledged - kept)} acknowledged records are lost"
            work(folder, questions)
            found = list(read_records(folder))
        except UserError as error:
            return f"somebody has to mend it: {error.message}"
        except Exception as error:  # noqa: BLE001 -- whatever breaks is a finding
            return f"{type(error).__name__}: {error}"
        return "" if found == [record(n) for n in range(questions)] else "the result is not that of undisturbed work"


def crash_states(seed: int, questions: int = 20) -> list[tuple[dict[str, bytes], frozenset[int]]]:
    """What crashes anywhere in one run may leave."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "run"
        folder.mkdir()
        disk = Disk(folder, random.Random(seed))
        with recording(disk):
            work(folder, questions, disk.acknowledged.add)
        return disk.states


def _nothing(*given: Any, **more: Any) -> None:
    return None


def _in_place(path: Path, data: bytes) -> bool:
    if path.exists():
        return False
    with path.open("wb") as file:
        file.write(data[:40])
        file.flush()
        os.fsync(file.fileno())
        file.write(data[40:])
    return True


def _unsynced(half: Path, data: bytes, *, lasting: bool) -> None:
    half.write_bytes(data)


PLANTED: dict[str, tuple[tuple[Any, str, Any], ...]] = {
    "records are not synced": ((log_module, "os", SimpleNamespace(**{**vars(os), "fsync": _nothing})),),
    "the folder of a log is not synced": ((log_module, "sync", _nothing),),
    "the folder of sealed files is not synced": ((sealed_module, "sync", _nothing),),
    "a manifest is written in place": ((sealed_module, "create_exclusively", _in_place),),
    "a manifest is not synced before it is linked": ((atomic, "_fill", _unsynced),),
    "the folder of a manifest is not synced": ((atomic, "sync", _nothing),),
}


def find(states: int, seed: int = 0, questions: int = 20) -> tuple[int, list[str]]:
    """How many states were tried, and what was wrong with some."""
    tried, problems = 0, []
    for number in range(seed, seed + states):
        for files, acknowledged in crash_states(number, questions):
            if tried == states:
                return tried, problems
            tried += 1
            if problem := recovers(files, acknowledged, questions):
                problems.append(problem)
    return tried, problems


def planted(name: str, states: int) -> list[str]:
    """The first thing that the simulator finds with a bug planted."""
    with ExitStack() as stack:
        for target, attribute, bug in PLANTED[name]:
            stack.enter_context(mock.patch.object(target, attribute, bug))
        found = crash_states(1) + crash_states(2)
    random.Random(name).shuffle(found)
    return list(islice(filter(None, (recovers(*state, 20) for state in found[:states])), 1))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--states", type=int, default=50_000)
    args = parser.parse_args()
    tried, problems = find(args.states)
    print(f"{tried:,} states: {len(problems):,} need a hand or lost something {sorted(set(problems))[:5]}")
    missed = [name for name in PLANTED if not planted(name, args.states)]
    print(f"{len(PLANTED) - len(missed)} of {len(PLANTED)} planted bugs found; missed: {', '.join(missed) or 'none'}")
    return 1 if problems or missed else 0


if __name__ == "__main__":
    sys.exit(main())
