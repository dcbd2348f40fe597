"""Jobs of a sweep, and what carries them out: processes of this machine, or a Ray cluster.

A job is a suite, a run and a folder: plain data, so that it can travel to any worker. Each local worker is one process
with one thread: two threads per model gain little on an idle machine and lose a lot on a busy one. A worker that dies
(memory, a signal) costs its own job one attempt; a new one takes its place.
"""

from __future__ import annotations

import os
import re
import socket
import tempfile
import time
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import msgspec

from taskloom.adapt.make import make_adaptation
from taskloom.adapt.settings import TrainingSettings
from taskloom.ask.replicas import LocalWorker
from taskloom.core import Progress, Suite, UserError, content_hash, ensure_known, open_suite, resolve, unknown_name
from taskloom.core.catalog import ADAPTATIONS, MODELS
from taskloom.core.decode import decode_json, read_bytes, read_json
from taskloom.core.encoding import make_encoding
from taskloom.core.model import Generation, ensure_trainable, full_model_name
from taskloom.core.parallel import connect
from taskloom.core.secrets import is_secret_name, public, public_options, scrub
from taskloom.run.results import load_run, write_results
from taskloom.run.runner import launch
from taskloom.run.session import RunSettings
from taskloom.store.atomic import FolderInUseError, append_lines, make_folder, sole_writer, write_atomically

_UNKNOWN_ROWS = 1000
_HELD_SECONDS, _LOOK_AGAIN = 60.0, 0.5
_HERE = ("folder", "home", "reuse")
"""Fields of a job that are about this machine, not about what is run."""
_SIZE = re.compile(r"(\d+(?:\.\d+)?)\s*([mb])\b", re.IGNORECASE)


class Job(msgspec.Struct, frozen=True, kw_only=True):
    """What to run.

    Attributes:
        suite: A suite's name or a bundle's folder.
        seed: The seed of the data.
        options: Recipe keys of the suite.
        task: Only this task of the suite.
        run: Model, adaptation, encoding and the rest.
        folder: The folder of its run.
        home: Where the sweep was started; relative paths of suites and models are meant from there.
        variant: Tells jobs apart that differ in something secret alone, without saying what: "model.api_key 2".
        reuse: Whether the log of a finished run of the same plan may be taken over.
    """

    suite: str
    seed: int = 0
    options: dict[str, Any] = {}
    task: str | None = None
    run: RunSettings
    folder: str = ""
    home: str = ""
    variant: str = ""
    reuse: bool = False

    @property
    def id(self) -> str:
        """A readable name that no other job has."""
        settings = self.settings()
        settings["run"].pop("command")
        parts = (Path(self.suite).name, self.task or "", self.run.model, self.run.adapt)
        words = "-".join(re.sub(r"[^\w.]+", "-", part).strip("-.")[-24:] for part in parts if part)
        return f"{words}-{content_hash(settings)[:8]}"

    def settings(self) -> dict[str, Any]:
        """The job as it may be written down: without where it is on this machine, and without keys."""
        data = {key: value for key, value in msgspec.to_builtins(self).items() if key not in _HERE}
        if not self.variant:
            del data["variant"]
        data["run"]["model_options"] = public_options(data["run"]["model_options"])
        settings: dict[str, Any] = public(data)
        return settings

    def open(self) -> Suite:
        """The suite of the job."""
        suite = open_suite(self.suite, seed=self.seed or None, options=self.options)
        return suite if self.task is None else suite.only_task(self.task)


class FinishedJob(msgspec.Struct, frozen=True, kw_only=True):
    """What came of a job; one line of a sweep's log.

    Attributes:
        id: The job.
        state: "done", or "failed" after the last attempt.
        attempts: How often it was started.
        results: The numbers of its run, as `taskloom run --json` gives them.
        error: Why it failed, in a sentence.
        mistake: Whether that is a user's mistake, which would be the same the next time.
        worker: Host and process that ended it.
        wall: Seconds of the last attempt.
    """

    id: str
    state: str
    attempts: int = 1
    results: dict[str, Any] = {}
    error: str = ""
    mistake: bool = False
    worker: str = ""
    wall: float = 0.0


def carry_out(job: Job) -> FinishedJob:
    """Do a job in this process. Mistakes and accidents are reported, not raised: the sweep goes on."""
    start = time.monotonic()
    folder = Path(job.folder)
    results: dict[str, Any] = {}
    error, mistake = "", False
    try:
        launch_when_free(job.open(), folder, job.run, reuse=job.reuse)
        results = write_results(load_run(folder))
    except UserError as raised:
        error, mistake = str(raised), True
    except Exception as raised:  # noqa: BLE001 - any failure of a job is one line of the sweep's log
        error = scrub(f"{type(raised).__name__}: {raised}")
    return FinishedJob(
        id=job.id,
        state="failed" if error else "done",
        results=results,
        error=error,
        mistake=mistake,
        worker=f"{socket.gethostname()}:{os.getpid()}",
        wall=round(time.monotonic() - start, 3),
    )


def launch_when_free(suite: Suite, folder: Path, settings: RunSettings, *, reuse: bool) -> None:
    """Run a job; where a worker of a killed sweep still holds its folder, wait until that has noticed.

    A cluster ends the workers of a lost driver by itself, but takes a while for it.
    """
    deadline = time.monotonic() + _HELD_SECONDS
    while True:
        try:
            launch(suite, folder, settings, reuse=reuse)
        except FolderInUseError:
            if time.monotonic() > deadline:
                raise
            time.sleep(_LOOK_AGAIN)
        else:
            return


def estimate_cost(job: Job) -> float:
    """A rough figure of what a job costs, to start long ones first: examples seen times the model's size."""
    sizes = [float(number) * (1000 if unit.lower() == "b" else 1) for number, unit in _SIZE.findall(job.run.model)]
    size = max(sizes, default=1.0)
    adaptation = make_adaptation(job.run.adapt, job.run.adapt_options)
    if not isinstance(adaptation, TrainingSettings):
        return size
    sizes_of = job.open().splits
    rows = sum(sizes_of.get(split) or _UNKNOWN_ROWS for split in adaptation.splits)
    examples = adaptation.epochs * min(rows, adaptation.shots or rows)
    if adaptation.updates is not None:
        examples = min(examples, float(adaptation.updates * adaptation.batch))
    return size * examples


ENGINES = ("local", "ray")


class JobEngine(ABC):
    """Carries out jobs, each in a process of its own thread, and survives the death of any of them."""

    @abstractmethod
    def run(self, jobs: Sequence[Job], retries: int) -> Iterator[FinishedJob]:
        """Carry out jobs, the costly ones first; yields each as it ends.

        Args:
            jobs: What to do.
            retries: How often a job is started again after its process died or something unforeseen
                happened. A user's mistake is not tried again: it would be the same.
        """


class _Workers(JobEngine):
    """Workers that take a job each; whatever they are, jobs are queued and tried again in the same way."""

    def run(self, jobs: Sequence[Job], retries: int) -> Iterator[FinishedJob]:
        waiting = deque((job, 1) for job in sorted(jobs, key=lambda job: (-estimate_cost(job), job.id)))
        at_work: dict[Future[bytes], tuple[Job, int, Any]] = {}
        most = self._open(len(waiting))
        try:
            while waiting or at_work:
                while waiting and len(at_work) < most:
                    job, attempt = waiting.popleft()
                    future, worker = self._start(job)
                    at_work[future] = job, attempt, worker
                wait(at_work, return_when=FIRST_COMPLETED)
                for future in [each for each in at_work if each.done()]:
                    job, attempt, worker = at_work.pop(future)
                    self._free(worker, died=future.exception() is not None)
                    item = _ended(future, job)
                    if item.error and not item.mistake and attempt <= retries:
                        waiting.appendleft((job, attempt + 1))
                    else:
                        yield msgspec.structs.replace(item, attempts=attempt)
        finally:
            self._close([worker for *_, worker in at_work.values()])

    @abstractmethod
    def _open(self, jobs: int) -> int:
        """Get ready for so many jobs; how many may be under way at once."""

    @abstractmethod
    def _start(self, job: Job) -> tuple[Future[bytes], Any]:
        """Hand a job out, and to whom."""

    def _free(self, worker: Any, *, died: bool) -> None:
        """Let a worker take another job, or another worker where it died."""

    @abstractmethod
    def _close(self, busy: Sequence[Any]) -> None:
        """End the workers; the jobs of those that are busy are broken off."""


def _ended(future: Future[bytes], job: Job) -> FinishedJob:
    """What became of a job; its files come home, where they were made elsewhere."""
    if (error := future.exception()) is not None:
        lines = str(error).strip().splitlines()
        said = f"its worker died ({type(error).__name__}: {lines[0] if lines else ''})"
        return FinishedJob(id=job.id, state="failed", error=said)
    item, files = msgspec.msgpack.decode(future.result(), type=tuple[FinishedJob, dict[str, bytes]])
    for name, data in files.items():
        path = Path(job.folder) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return item


_SENT_BACK = (".json", ".jsonl", ".parquet", ".txt")


def work_on_job(data: bytes, shared: bool) -> bytes:
    """What a worker does with a job."""
    job = msgspec.json.decode(data, type=Job)
    if job.home and Path(job.home).is_dir():
        # A worker of a cluster stands where that was started.
        os.chdir(job.home)
    if shared:
        return msgspec.msgpack.encode((carry_out(job), {}))
    with tempfile.TemporaryDirectory(prefix="taskloom-") as folder:
        item = carry_out(msgspec.structs.replace(job, folder=folder))
        # Logs and curves go home; weights are large and stay away.
        files = {
            str(path.relative_to(folder)): path.read_bytes()
            for path in sorted(Path(folder).rglob("*"))
            if path.suffix in _SENT_BACK
        }
        return msgspec.msgpack.encode((item, files))


class LocalEngine(_Workers):
    """Processes of this machine.

    Args:
        workers: How many at once; 0 for one per core (or per GPU, where GPUs are given).
        gpus: How many GPUs to spread the workers over.
    """

    def __init__(self, workers: int = 0, gpus: int = 0) -> None:
        self._workers = workers or gpus or len(os.sched_getaffinity(0))
        self._gpus = gpus
        self._idle: list[LocalWorker] = []

    def _open(self, jobs: int) -> int:
        slots = range(min(self._workers, jobs))
        self._idle = [LocalWorker(str(slot % self._gpus) if self._gpus else None) for slot in slots]
        return len(slots)

    def _start(self, job: Job) -> tuple[Future[bytes], LocalWorker]:
        worker = self._idle.pop(0)
        return worker.call(work_on_job, msgspec.json.encode(job), True), worker

    def _free(self, worker: LocalWorker, *, died: bool) -> None:
        if died:
            worker.stop()
        self._idle.append(LocalWorker(worker.gpu) if died else worker)

    def _close(self, busy: Sequence[LocalWorker]) -> None:
        for worker in (*self._idle, *busy):
            worker.stop()


class RayEngine(_Workers):
    """A Ray cluster.

    Args:
        address: Where it is ("auto", "ray://head:10001", "10.0.0.1:6379"); None is
            that of RAY_ADDRESS, or one that is started here.
        workers: CPUs of a cluster started here; 0 for all.
        gpus: GPUs each job asks for.
        shared: Whether the workers see this machine's disk. If not, logs are sent back.
    """

    def __init__(self, address: str | None = None, *, workers: int = 0, gpus: float = 0.0, shared: bool = True) -> None:
        self._gpus, self._shared = gpus, shared
        self._connect = partial(connect, address, workers)
        self._ray, self._ours = self._connect()
        self._remote: Any = None

    def _open(self, jobs: int) -> int:
        if not self._ray.is_initialized():  # jobs that need others come in a second wave
            self._ray, self._ours = self._connect()
        # Ray's own retries would start a job again without our knowing; attempts are counted here.
        self._remote = self._ray.remote(num_cpus=1, num_gpus=self._gpus, max_retries=0)(work_on_job)
        # A short queue on the cluster keeps the costly jobs first and new nodes busy at once.
        return max(2 * int(self._ray.cluster_resources().get("CPU", 1)), 2)

    def _start(self, job: Job) -> tuple[Future[bytes], Any]:
        reference = self._remote.remote(msgspec.json.encode(job), self._shared)
        return reference.future(), reference

    def _close(self, busy: Sequence[Any]) -> None:
        for reference in busy:
            self._ray.cancel(reference, force=True)
        if self._ours:
            self._ray.shutdown()


def open_engine(name: str, *, workers: int | None, address: str | None, gpus: float, shared: bool) -> JobEngine:
    """An engine by name.

    Args:
        name: "local" or "ray".
        workers: Processes at once (local); None for one per core.
        address: The Ray cluster; None starts one on this machine.
        gpus: GPUs of the machine (local) or per job (ray).
        shared: Whether all workers see this machine's disk (ray).

    Raises:
        UserError: No such engine, no workers, or fewer than no GPUs.
    """
    if workers is not None and workers < 1:
        raise UserError(f"1 or more processes, not {workers}", where="--jobs", hint="leave it out for one per core")
    if not 0 <= gpus < float("inf"):
        raise UserError(f"0 or more, not {gpus:g}", where="--gpus")
    if name == "local":
        return LocalEngine(workers or 0, int(gpus))
    if name == "ray":
        return RayEngine(address, workers=workers or 0, gpus=gpus, shared=shared)
    raise unknown_name("engine", name, ENGINES, where="--engine")


LOG = "sweep.jsonl"
JOBS = "jobs.json"

GRID_PARTS = ("adapt", "model", "encoding", "suite")
"""Parts whose options a grid may vary (`adapt.learning_rate`)."""

GRID_KEYS = ("seed", "run_seed", "encoding", "split")
"""What else a grid may vary."""


def expand(
    suites: Sequence[str],
    models: Sequence[str],
    adaptations: Sequence[str],
    *,
    base: Job,
    grid: Mapping[str, Sequence[Any]],
    tasks: Mapping[str, Sequence[str]],
) -> list[Job]:
    """Every combination as a job.

    Args:
        suites: Suite names or bundle folders.
        models: Model names.
        adaptations: Adaptation names.
        base: What all jobs have in common.
        grid: Values by key: `adapt.KEY`, `model.KEY`, `encoding.KEY`, `suite.KEY`, or one of `GRID_KEYS`.
        tasks: For a suite, the tasks that get a job each; none for one job with all of them.
    """
    jobs: dict[str, Job] = {}
    everyone: list[str | None] = [None]
    numbered = [list(enumerate(values, start=1)) for values in grid.values()]
    for suite, model, adapt, values in product(suites, models, adaptations, product(*numbered)):
        job = msgspec.structs.replace(
            base, suite=suite, run=msgspec.structs.replace(base.run, model=model, adapt=adapt)
        )
        for key, (number, value) in zip(grid, values, strict=True):
            job = _with(job, key, value)
            if is_secret_name(key):
                # Jobs that differ in a key alone are different jobs, and nothing of the key may tell them apart.
                job = msgspec.structs.replace(job, variant=" ".join(filter(None, (job.variant, f"{key} {number}"))))
        job = _fitting(job, adaptations)
        for task in tasks.get(suite) or everyone:
            made = msgspec.structs.replace(job, task=task)
            jobs[made.id] = made
    return list(jobs.values())


def _fitting(job: Job, adaptations: Sequence[str]) -> Job:
    """Leave out options that only other adaptations of the sweep have; what none has stays, to be refused."""
    known = {name: {"recipe", *ADAPTATIONS.get(name).__struct_fields__} for name in adaptations}
    others = set().union(*known.values()) - known[job.run.adapt]
    kept = {key: value for key, value in job.run.adapt_options.items() if key.replace("-", "_") not in others}
    return msgspec.structs.replace(job, run=msgspec.structs.replace(job.run, adapt_options=kept))


def _with(job: Job, key: str, value: Any) -> Job:
    replace = msgspec.structs.replace
    if key in ("seed", "run_seed"):
        if isinstance(value, bool) or not isinstance(value, int):
            raise UserError(f"a seed is a whole number, not {value!r}", where=f"-G {key}")
        if key == "seed":
            return replace(job, seed=value)
        generation = {**job.run.generation, "seed": value}
        return replace(job, run=replace(job.run, run_seed=value, generation=generation))
    if key in ("encoding", "split"):
        if not isinstance(value, str):
            raise UserError(f"a name, not {value!r}", where=f"-G {key}")
        return replace(job, run=replace(job.run, **{key: value}))
    part, dot, option = key.partition(".")
    if not dot or part not in GRID_PARTS:
        known = [*GRID_KEYS, *(f"{part}.KEY" for part in GRID_PARTS)]
        whose = "" if dot else f"adapt.{key}, model.{key}, encoding.{key} or suite.{key} says whose key it is: "
        raise unknown_name("grid key", key, known, where="-G", hint=f"{whose}taskloom list options finetune")
    if part == "suite":
        return replace(job, options={**job.options, option: value})
    field = f"{part}_options"
    return replace(job, run=replace(job.run, **{field: {**getattr(job.run, field), option: value}}))


def check_jobs(jobs: Sequence[Job]) -> None:
    """Refuse what could be refused job by job before the first one starts: names, options, types, splits.

    Raises:
        UserError: With the part of the job that is wrong.
    """
    suites: dict[str, Suite] = {}
    for job in jobs:
        adaptation = make_adaptation(job.run.adapt, job.run.adapt_options)
        if job.run.encoding is not None:
            make_encoding(job.run.encoding, job.run.encoding_options)
        resolve(Generation(), job.run.generation, where="generation")
        provider, _, name = full_model_name(job.run.model).partition("/")
        resolve(MODELS.get(provider).options(name), job.run.model_options, where=job.run.model)
        if job.run.limit is not None and job.run.limit < 1:
            raise UserError(f"a limit must be 1 or more, not {job.run.limit}", where="--limit")
        key = content_hash((job.suite, job.seed, msgspec.to_builtins(job.options)))
        if key not in suites:
            suites[key] = msgspec.structs.replace(job, task=None).open()
        suite = suites[key]
        wanted = [job.run.split or suite.default_split(), *getattr(adaptation, "splits", ())]
        for split in wanted:
            ensure_known("split", split, suite.splits, where=suite.name)
    for job in jobs:  # what was typed wrongly comes first
        if job.run.adapt not in ("none", "in-context"):
            ensure_trainable(job.run.model, f"--adapt {job.run.adapt}")


def read_finished(folder: Path) -> dict[str, FinishedJob]:
    """What came of each job so far, the newest line of each; a damaged line is left out, and its job done again."""
    path = folder / LOG
    found: dict[str, FinishedJob] = {}
    for line in read_bytes(path).split(b"\n") if path.exists() else ():
        try:
            item = decode_json(line, where=str(path), type=FinishedJob, what="this line")
        except UserError:
            continue
        found[item.id] = item
    return found


def sweep(jobs: Sequence[Job], folder: Path, engine: JobEngine, *, retries: int = 1) -> dict[str, FinishedJob]:
    """Carry out the jobs that are not done yet; each is on disk as soon as it ends.

    Returns:
        What came of every job, by id.

    Raises:
        UserError: Another sweep is at work in the folder, or what is in it cannot be read.
    """
    with sole_writer(folder, [folder / "jobs" / job.id for job in jobs]):
        return _sweep(jobs, folder, engine, retries)


def _sweep(jobs: Sequence[Job], folder: Path, engine: JobEngine, retries: int) -> dict[str, FinishedJob]:
    make_folder(folder / "jobs")
    finished = read_finished(folder)
    if (folder / LOG).exists() and not finished and not (folder / JOBS).exists():
        # A torn first line can be ours only where the list of jobs is, which is written before it.
        raise UserError(
            "this file was not written by a sweep of Taskloom, so it was left unchanged",
            where=str(folder / LOG),
            hint="name another folder with -o",
        )
    done = {name: item for name, item in finished.items() if item.state == "done"}
    placed = [
        msgspec.structs.replace(job, folder=str((folder / "jobs" / job.id).resolve()), home=str(Path.cwd()))
        for job in jobs
    ]
    _tell_jobs(folder, placed)
    waiting = [job for job in placed if job.id not in done]
    results = {job.id: done[job.id] for job in placed if job.id in done}
    if not waiting:
        return results
    with Progress("sweep", len(placed), unit="jobs") as progress:
        progress.skip(len(results))
        for item in _logged(engine.run(waiting, retries), folder / LOG):
            results[item.id] = item
            progress.advance(note=item.id if item.state == "done" else f"{item.id} failed")
    return results


def _tell_jobs(folder: Path, jobs: Sequence[Job]) -> None:
    """Which job is in which folder, for people and reports."""
    settings = {job.id: job.settings() for job in jobs}
    path = folder / JOBS
    if path.exists():
        try:
            known = read_json(path, type=dict[str, dict[str, Any]])
        except UserError as error:
            raise UserError(
                f"the list of jobs is damaged: {error.message}",
                where=str(path),
                hint="delete the file; it will be written again",
            ) from None
        if odd := next((name for name, job in known.items() if not {"suite", "run"} <= job.keys()), None):
            raise UserError(
                f"{odd!r} is not a job: something else wrote this file", where=str(path), hint="choose another -o"
            )
        settings = {**known, **settings}
    write_atomically(path, msgspec.json.format(msgspec.json.encode(settings)) + b"\n")


def _logged(items: Iterator[FinishedJob], path: Path) -> Iterator[FinishedJob]:
    for item in items:
        append_lines(path, msgspec.json.encode(item) + b"\n", lasting=True)
        yield item
