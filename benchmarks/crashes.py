"""Power cuts, simulated: what verbs write is recorded, and images that a disk may legally hold are recovered from.

python -m benchmarks.crashes                  50,000 different images, and every planted bug (`make crashes`)
python -m benchmarks.crashes --states 500     a quick look
python -m benchmarks.crashes --known FILE --seconds 100   a part of it, which the same command goes on with

After the cut the same work is done again: nothing acknowledged may be lost, nothing may have to be edited, and the
result is that of undisturbed work. Every way of writing has its work: records, bundles, pages with a ledger, sealed
files, whole folders, sweeps, runs scored again, runs taken over, caches. The simulator (`benchmarks.disk`) is worth
what it finds: it is also run with bugs planted in the writing code.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import partialmethod
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple
from unittest import mock

import msgspec
import pyarrow.parquet as pq

from benchmarks.disk import Disk, Image, recording
from taskloom.ask import ScoredReading
from taskloom.core import AnyOf, Instance, Instruction, Row, Suite, Task, UserError, question_hash, row_hash
from taskloom.run import finished_runs, rescore
from taskloom.run import log as log_module
from taskloom.run import sealed as sealed_module
from taskloom.run.check import check_run
from taskloom.run.log import RunLog, read_records
from taskloom.run.plan import load_plan
from taskloom.run.record import Record
from taskloom.run.runner import launch
from taskloom.run.session import RunSettings
from taskloom.store import atomic, ownership, seal, write
from taskloom.store.bundle import check_bundle
from taskloom.store.manifest import read_manifest
from taskloom.studies import sweep
from taskloom.studies.sweep import FinishedJob, Job, JobEngine

Tell = Callable[[Any], None]


class Work(NamedTuple):
    """Something that writes.

    Attributes:
        do: Does it in a folder, or goes on where a cut broke it off; tells what is on disk from now on.
        kept: Which of the things that may be told are there.
        wrong: What is wrong with the folder once the work was done; empty where nothing is.
        prepare: Puts into the folder what the work needs.
        share: How many of all images are this work's.
    """

    do: Callable[[Path, Tell], None]
    kept: Callable[[Path], set[Any]]
    wrong: Callable[[Path], str]
    prepare: Callable[[Path], None] = lambda folder: None
    share: float = 0.1


QUESTIONS = 20
SCRATCH = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
"""Where images are tried. What a cut leaves is up to the simulator, so files in memory do, and no sync waits."""


def record(index: int, failed: bool = False) -> Record:
    """The answer to a question of that number."""
    instance = Instance(str(index), f"question {index}", AnyOf(("yes",)))
    return Record(
        task="t", id=str(index), index=index, row=row_hash("t", instance), question=question_hash("t", instance),
        state="errored" if failed else "scored", strict=ScoredReading("yes", None if failed else 1.0), scorer="exact",
        raw="yes " * (index % 90), raw_length=4 * (index % 90), targets=instance.targets, prompt=f"question {index}",
        prompt_hash="h", facets={"n": index},
    )  # fmt: skip


def _ask(folder: Path, tell: Tell) -> None:
    """A run: ask what is missing, a few at a time, some of it failing at first; seal; ask the failures again; seal."""
    for failing in (True, False):
        with RunLog(folder / "run") as log:
            waiting = [n for n in range(QUESTIONS) if log.places.state(n) in (None, "errored")]
            for start in range(0, len(waiting), 7):
                batch = [record(n, failing and n % 5 == 0) for n in waiting[start : start + 7]]
                log.append(batch)
                for one in batch:
                    if one.state == "scored":
                        tell(one.index)
            log.finish()


def _answered(folder: Path) -> set[Any]:
    with RunLog(folder / "run") as log:
        return {index for index in log.places if log.places.state(index) == "scored"}


def _not_asked(folder: Path) -> str:
    same = list(read_records(folder / "run")) == [record(n) for n in range(QUESTIONS)]
    return "" if same else "the records are not those of an undisturbed run"


def sums(seed: int, count: int = 6) -> Suite:
    """A suite of so many sums."""
    rows = [Row("t", Instance(str(n), f"What is {n} plus {seed}?", AnyOf((str(n + seed),)))) for n in range(count)]
    return Suite("own/sums", {}, seed, {"t": Task("t", Instruction("Add."))}, {"test": count}, lambda split: iter(rows))


def _bundles(folder: Path, tell: Tell) -> None:
    """A bundle, and another one instead of it."""
    for number in (1, 2):
        write.write_bundle(sums(number), folder / "bundle", replace=True)
        tell(number)


def _bundle_of(folder: Path) -> set[Any]:
    if not (folder / "bundle" / "manifest.json").is_file() or list(check_bundle(folder / "bundle")):
        return set()
    return set(range(1, read_manifest(folder / "bundle").seed + 1))


def _no_bundle(folder: Path) -> str:
    entries = sorted(path.name[:5] for path in (folder / "bundle").iterdir())
    return (
        "" if _bundle_of(folder) == {1, 2} and entries == ["data-", "manif"] else f"the bundle is not whole {entries}"
    )


_PAGES = [f"page {number} ".encode() * 200 for number in (1, 2)]


def _pages(folder: Path, tell: Tell) -> None:
    """A page that only its own writer may replace, twice."""
    for number, page in enumerate(_PAGES):
        ownership.write_ours(folder / "site" / "index.html", page)
        tell(number)


def _page_of(folder: Path) -> set[Any]:
    path = folder / "site" / "index.html"
    return set(range(_PAGES.index(path.read_bytes()) + 1)) if path.is_file() and path.read_bytes() in _PAGES else set()


def _results(folder: Path, tell: Tell) -> None:
    """A file with its own hash, written again and again."""
    for number in range(4):
        seal.write_sealed(folder / "results.json", {"number": number, "text": "x" * 700})
        tell(number)


def _result_of(folder: Path) -> set[Any]:
    path = folder / "results.json"
    return set(range(seal.read_sealed(path, "it")["number"] + 1)) if path.is_file() else set()


def _exports(folder: Path, tell: Tell) -> None:
    """A folder of several files that appears at once."""
    if not any((folder / "out").iterdir()) if (folder / "out").is_dir() else True:
        with atomic.whole_folder(folder / "out") as scratch:
            (scratch / "deep").mkdir()
            for name in ("a.txt", "deep/b.txt"):
                (scratch / name).write_text(name * 400)
    tell("all")


def _export_of(folder: Path) -> set[Any]:
    names = ("a.txt", "deep/b.txt")
    whole = all(
        (folder / "out" / name).is_file() and (folder / "out" / name).read_text() == name * 400 for name in names
    )
    return {"all"} if whole else set()


class _Ready(JobEngine):
    """Jobs that are done as soon as they are handed out."""

    def run(self, jobs: Sequence[Job], retries: int) -> Iterator[FinishedJob]:
        for job in jobs:
            yield FinishedJob(id=job.id, state="done", results={"score": 1.0, "text": "y" * 300})


_JOBS = [Job(suite="own/sums", seed=seed, run=RunSettings(model="mock/oracle")) for seed in range(1, 6)]


class _Told(_Ready):
    """Tells of a job when the sweep has written it down, which is when it asks for the next."""

    def __init__(self, tell: Tell) -> None:
        self._tell = tell

    def run(self, jobs: Sequence[Job], retries: int) -> Iterator[FinishedJob]:
        for item in super().run(jobs, retries):
            yield item
            self._tell(item.id)


def _sweeps(folder: Path, tell: Tell) -> None:
    """A grid of jobs, each written down as it ends."""
    sweep.sweep(_JOBS, folder / "sweep", _Told(tell))


def _swept(folder: Path) -> set[Any]:
    return set(sweep.read_finished(folder / "sweep"))


def _run_made(folder: Path) -> None:
    launch(sums(3), folder / "run", RunSettings(model="mock/oracle", cache=False))


def _scores(folder: Path, tell: Tell) -> None:
    """A run scored again, twice."""
    for _ in range(2):
        rescore.rescore(folder / "run", reader="lenient")
        tell("scored")


def _scored(folder: Path) -> set[Any]:
    place = folder / "run" / "scores" / "lenient"
    return {"scored"} if (place / "run.json").is_file() and not list(check_run(place)) else set()


def _known_run(folder: Path) -> None:
    with mock.patch.dict(os.environ, TASKLOOM_RUNS=str(folder / "known")):
        _run_made(folder)


def _takes_over(folder: Path, tell: Tell) -> None:
    """A finished run of the same plan, brought into another folder."""
    with mock.patch.dict(os.environ, TASKLOOM_RUNS=str(folder / "known")):
        plan = load_plan(folder / "run")
        finished_runs.remember(plan, folder / "run")
        finished_runs.adopt(plan, folder / "copy")
    tell("copied")


def _copied(folder: Path) -> set[Any]:
    place = folder / "copy"
    return (
        {"copied"}
        if (place / "run.json").is_file() and not [one for one in check_run(place) if one.level == "error"]
        else set()
    )


def _lacking(kept: Callable[[Path], set[Any]], *wanted: Any) -> Callable[[Path], str]:
    return lambda folder: "" if kept(folder) >= set(wanted) else f"only {kept(folder)} of {wanted} is there"


WORKS: dict[str, Work] = {
    "run": Work(_ask, _answered, _not_asked, share=0.5),
    "bundle": Work(_bundles, _bundle_of, _no_bundle),
    "page": Work(_pages, _page_of, _lacking(_page_of, 1)),
    "results": Work(_results, _result_of, _lacking(_result_of, 3), share=0.05),
    "export": Work(_exports, _export_of, _lacking(_export_of, "all"), share=0.05),
    "sweep": Work(_sweeps, _swept, _lacking(_swept, *(job.id for job in _JOBS))),
    "score": Work(_scores, _scored, _lacking(_scored, "scored"), _run_made, share=0.06),
    "reuse": Work(_takes_over, _copied, _lacking(_copied, "copied"), _known_run, share=0.04),
}


def images(name: str, seed: int) -> list[Image]:
    """What cuts anywhere in one work may leave."""
    work = WORKS[name]
    with tempfile.TemporaryDirectory(dir=SCRATCH) as place:
        folder = Path(place) / "disk"
        folder.mkdir()
        work.prepare(folder)
        disk = Disk(folder, random.Random(f"{name} {seed}"))
        try:
            with recording(disk):
                work.do(folder, disk.safe.add)
                disk.cut()
                disk.cut()
        finally:
            disk.close()
        return disk.images


def recovers(name: str, image: Image) -> str:
    """What is wrong after a cut; empty where nothing is."""
    work = WORKS[name]
    with tempfile.TemporaryDirectory(dir=SCRATCH) as place:
        folder = Path(place) / "disk"
        folder.mkdir()
        image.restore(folder)
        try:
            if lost := image.safe - work.kept(folder):
                return f"{name}: {len(lost)} acknowledged things are lost"
            work.do(folder, lambda told: None)
            problem = work.wrong(folder)
        except UserError as error:
            return f"{name}: it has to be mended by hand: {error.message}"
        except Exception as error:  # noqa: BLE001 -- whatever breaks is a finding
            return f"{name}: {type(error).__name__}: {error}"
        return f"{name}: {problem}" if problem else ""


def _nothing(*given: Any, **more: Any) -> None:
    return None


def _without(*names: str) -> Any:
    """The module `os` with calls that do nothing."""
    return SimpleNamespace(**{**vars(os), **dict.fromkeys(names, _nothing)})


def _makedirs(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)


def _in_place(path: Path, data: bytes, **more: Any) -> bool:
    if path.exists() and not more:
        return False
    with path.open("wb") as file:
        file.write(data[:40])
        file.flush()
        os.fsync(file.fileno())
        file.write(data[40:])
    return True


def _over(path: Path, data: bytes, *, lasting: bool = True) -> None:
    _in_place(path, data, lasting=lasting)


def _unsynced(half: Path, data: bytes, *, lasting: bool) -> None:
    half.write_bytes(data)


def _unchecked(line: bytes) -> bytes | None:
    return line[9:].rstrip(b"\n\0") or None


def _first_log(self: RunLog) -> int:
    """Append to a log that is there instead of beginning one of our own."""
    logs = self.folder / "log"
    logs.mkdir(exist_ok=True)
    self._mine = logs / "000001.jsonl"
    self._logs = []
    file = os.open(self._mine, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o666)
    self._held.callback(os.close, file)
    atomic.sync(logs)
    atomic.sync(self.folder)
    return file


def _logs_first(folder: Path, found: Any) -> bool:
    for path in (folder / "log").glob("*"):
        path.unlink()
    return bool(_real_publish(folder, found))


_real_publish = log_module.publish


def _late_ledger(path: Path, *hashes: str) -> None:
    if len(hashes) < 2 and path.exists():
        _real_enter(path, *hashes)


_real_enter = ownership.enter_work


def _manifest_first(scratch: Path, target: Path) -> None:
    for path in sorted(scratch.iterdir(), key=lambda path: not path.name.startswith("manifest")):
        if path.is_file():
            path.replace(target / path.name)
    atomic.sync(target)


def _old_data_first(folder: Path, manifest: Any) -> None:
    for path in folder.glob("data-*"):
        if not atomic.is_held(path):
            ownership.remove_data(path)


class Planted(NamedTuple):
    """A bug: whose work finds it, and what it puts in the place of what."""

    work: str
    target: Any
    attribute: str
    bug: Any


PLANTED: dict[str, Planted] = {
    "records are not synced": Planted("run", log_module, "os", _without("fsync")),
    "the folder of a log is not synced": Planted("run", log_module, "sync", _nothing),
    "lines are read without their checksum": Planted("run", log_module, "line_body", _unchecked),
    "a torn line is appended to": Planted("run", RunLog, "_create", _first_log),
    "logs go before the manifest is there": Planted("run", log_module, "publish", _logs_first),
    "sealed files are not synced": Planted("run", sealed_module, "os", _without("fsync")),
    "the folder of sealed files is not synced": Planted("run", sealed_module, "sync", _nothing),
    "a manifest is written in place": Planted("run", sealed_module, "create_exclusively", _in_place),
    "a manifest is not synced before it is linked": Planted("run", atomic, "_fill", _unsynced),
    "the folder of a manifest is not synced": Planted("run", atomic, "sync", _nothing),
    "a new folder is not synced into its parent": Planted("run", atomic, "make_folder", _makedirs),
    "rows of a bundle are not synced": Planted("bundle", write, "sync_all", _nothing),
    "the folders of a bundle are not synced": Planted("bundle", write, "sync", _nothing),
    "the manifest of a bundle is written in place": Planted("bundle", write, "create_exclusively", _in_place),
    "a bundle is replaced in place": Planted("bundle", write, "write_atomically", _over),
    "old data goes before the new manifest is there": Planted("bundle", write, "_clear_leftovers", _old_data_first),
    "a page is not synced": Planted("page", ownership, "sync", _nothing),
    "a page is replaced before the ledger knows it": Planted("page", ownership, "enter_work", _late_ledger),
    "a sealed file is written in place": Planted("results", seal, "write_atomically", _over),
    "files of a whole folder are not synced": Planted("export", atomic, "sync", _nothing),
    "a sweep does not sync its log": Planted("sweep", atomic, "os", _without("fsync")),
    "a sweep does not sync its folder": Planted("sweep", atomic, "sync", _nothing),
    "a run scored again shows its manifest first": Planted("score", rescore, "_move_run", _manifest_first),
    "a run that is taken over is not synced": Planted("reuse", finished_runs, "sync", _nothing),
}  # fmt: skip


@contextmanager
def _one_thread() -> Iterator[None]:
    """Arrow without threads of its own: they wait for each other on a busy machine, and every file here is tiny."""
    with ExitStack() as stack:
        for name in ("read", "read_row_group", "iter_batches"):
            alone = partialmethod(getattr(pq.ParquetFile, name), use_threads=False)
            stack.enter_context(mock.patch.object(pq.ParquetFile, name, alone))
        yield


class Tried(msgspec.Struct):
    """Images that were tried: the seed that comes next, hashes by work, and what was wrong."""

    seed: int = 0
    seen: dict[str, set[str]] = {}
    problems: list[str] = []

    def __len__(self) -> int:
        return sum(map(len, self.seen.values()))


def find(states: int, tried: Tried, works: Sequence[str] = tuple(WORKS)) -> Iterator[Tried]:
    """Try different images until there were so many, and tell again and again how it stands."""
    total = sum(WORKS[name].share for name in works)
    with _one_thread():
        while len(tried) < states:
            for name in works:
                known, wanted = tried.seen.setdefault(name, set()), round(states * WORKS[name].share / total)
                for image in images(name, tried.seed) if len(known) < wanted else ():
                    if (told := image.digest()) not in known and len(known) < wanted:
                        known.add(told)
                        tried.problems += filter(None, [recovers(name, image)])
            tried.seed += 1
            yield tried


def planted(name: str, states: int) -> str:
    """The first thing that the simulator finds with a bug planted; empty where it finds nothing."""
    bug = PLANTED[name]
    with _one_thread():
        with ExitStack() as stack:
            stack.enter_context(mock.patch.object(bug.target, bug.attribute, bug.bug))
            found = list(dict.fromkeys(image for seed in range(12) for image in images(bug.work, seed)))
            random.Random(name).shuffle(found)
            # A bug of reading has to be there while reading.
            reading = bug.attribute in ("line_body", "_create")
            if reading:
                return next(filter(None, (recovers(bug.work, image) for image in found[:states])), "")
        return next(filter(None, (recovers(bug.work, image) for image in found[:states])), "")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--states", type=int, default=50_000)
    parser.add_argument("--works", nargs="*", choices=WORKS, default=tuple(WORKS))
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--known", type=Path, help="keep here what was tried, and go on with it")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="stop after so many of CPU")
    args = parser.parse_args()
    tried = Tried(args.seed)
    if args.known and args.known.exists():
        tried = msgspec.json.decode(args.known.read_bytes(), type=Tried)
    for _ in find(args.states, tried, args.works):
        if time.process_time() > args.seconds:
            break
    if args.known:
        args.known.write_bytes(msgspec.json.encode(tried))
    problems = tried.problems
    print(f"{len(tried):,} different images: {len(problems):,} need a hand or lost something", flush=True)
    for problem, times in Counter(problems).most_common(10):
        print(f"  {times:,} × {problem}")
    if len(tried) < args.states:
        return 1 if problems else 0
    missed = [name for name in PLANTED if not planted(name, 2_000)]
    print(f"{len(PLANTED) - len(missed)} of {len(PLANTED)} planted bugs found; missed: {', '.join(missed) or 'none'}")
    return 1 if problems or missed else 0


if __name__ == "__main__":
    sys.exit(main())
