"""Probes that pages start: each a process of its own, followed line by line, stopped and continued.

What is needed to continue is kept beside the log (`job.json`), but for the key, which is in no file: to continue after
the server was started again, it has to be typed again. A process ends when its server does.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Callable, Sequence
from itertools import count
from pathlib import Path
from shlex import join
from typing import Any, Literal

import msgspec

from taskloom.core import UserError
from taskloom.core.decode import decode_json, read_json
from taskloom.core.secrets import learn, scrub
from taskloom.store.atomic import write_atomically
from taskloom.views.offers import BASELINES, ChosenModel, ProbeRequest
from taskloom.views.worker import Work

JOB = "job.json"
_TEST_SECONDS = 180.0
_MOST_JOBS = 4
_MOST_BUDGET = 1_000_000


class ProbeJob(msgspec.Struct):
    """A probe that this server has started.

    Attributes:
        run: Its name in addresses.
        asked: Questions asked, of at most `budget`.
        claims: What is proved so far.
        problem: Why it ended, where it did not end by itself.
    """

    run: str
    model: str
    suite: str
    budget: int
    state: Literal["running", "finished", "stopped", "failed"] = "running"
    asked: int = 0
    seconds: float = 0.0
    phase: str = ""
    claims: list[str] = []
    problem: str = ""


class Jobs:
    """The probes of a server; new ones go to `probes/` below its first folder."""

    def __init__(self, roots: Sequence[Path], changed: Callable[[], object]) -> None:
        self._roots = roots
        self._changed = changed
        self._jobs: dict[str, ProbeJob] = {}
        self._processes: dict[str, Worker] = {}
        self._keys: dict[str, str] = {}
        self._lock = threading.RLock()

    def list(self) -> list[ProbeJob]:
        """Every job since the server started, the newest first."""
        with self._lock:
            return list(reversed(self._jobs.values()))

    def left_behind(self, run: str, folder: Path, asked: int) -> ProbeJob:
        """A probe that an earlier server had started and that has not ended."""
        try:
            request = read_json(folder / JOB, type=ProbeRequest)
        except UserError as error:
            return ProbeJob(run, "", "", asked, "stopped", asked, problem=error.message)
        return ProbeJob(run, request.model.name, request.suite, request.budget, "stopped", asked)

    def test(self, asked: ProbeRequest) -> dict[str, Any]:
        """Ask one question, and say everything about it."""
        learn(asked.key, "api_key")
        asked.model.settings(self._roots)
        return self._told("test", "tested", asked)

    def examples(self, suite: str, seed: int) -> dict[str, Any]:
        """Items of a task file, drawn in a process of its own."""
        return self._told("examples", "examples", ProbeRequest(ChosenModel("named", BASELINES[0]), suite, seed=seed))

    def _told(self, do: Literal["test", "examples"], wanted: str, asked: ProbeRequest) -> dict[str, Any]:
        """What a worker says, once."""
        with Worker(Work(do, asked, tuple(map(str, self._roots)))) as process:
            timer = threading.Timer(_TEST_SECONDS, process.kill)
            timer.start()
            found = [line for line in map(_event, process.stdout or ()) if line is not None]
            timer.cancel()
        for event in found:
            if event.get("event") == "failed":
                raise UserError(event["error"], where=event.get("where") or None, hint=event.get("hint") or None)
            if event.get("event") == wanted:
                return {key: scrub(value) if isinstance(value, str) else value for key, value in event.items()}
        raise UserError(f"there was no answer: {process.last_words()}", where=asked.model.name)

    def start(self, asked: ProbeRequest) -> ProbeJob:
        """Begin a probe in a new folder."""
        learn(asked.key, "api_key")
        asked.model.settings(self._roots)  # what cannot be asked is refused before anything is written
        if not 1 <= asked.budget <= _MOST_BUDGET:
            raise UserError(f"between 1 and {_MOST_BUDGET:,} questions, not {asked.budget:,}", where="budget")
        folder = self._free_folder(asked)
        folder.mkdir(parents=True)
        return self._run(folder, asked)

    def resume(self, run: str, folder: Path, key: str = "", budget: int | None = None) -> ProbeJob:
        """Continue a probe that was stopped; with a larger budget, one that has ended."""
        with self._lock:
            if run in self._processes and self._processes[run].poll() is None:
                raise UserError("this probe is going on", where=run)
            key = key or self._keys.get(run, "")
        if not (folder / JOB).is_file() or (folder / JOB).is_symlink():
            raise UserError("this probe was not started here", where=run, hint="the page shows its command")
        asked = read_json(folder / JOB, type=ProbeRequest)
        return self._run(folder, msgspec.structs.replace(asked, key=key, budget=budget or asked.budget))

    def stop(self, run: str) -> None:
        """Stop a probe; what was answered is kept."""
        with self._lock:
            process = self._processes.get(run)
        if process is None or process.poll() is not None:
            raise UserError("no such probe is going on", where=run)
        process.send_signal(signal.SIGINT)

    def close(self) -> None:
        """Stop all probes."""
        for process in self._processes.values():
            if process.poll() is None:
                process.send_signal(signal.SIGINT)

    def _free_folder(self, asked: ProbeRequest) -> Path:
        said = f"{Path(asked.model.name).stem}-{Path(asked.suite).name}"
        name = re.sub(r"[^A-Za-z0-9.]+", "-", said).strip("-.")[:60] or "probe"
        base = self._roots[0] / "probes"
        every = (base / (f"{name}-{number}" if number > 1 else name) for number in count(1))
        return next(folder for folder in every if not folder.exists())

    def _run(self, folder: Path, asked: ProbeRequest) -> ProbeJob:
        run = folder.relative_to(self._roots[0]).as_posix()
        run = run if len(self._roots) == 1 else f"1:{run}"
        with self._lock:
            going = sum(process.poll() is None for process in self._processes.values())
            if going >= _MOST_JOBS:
                raise UserError(f"{going} probes are going on", hint="wait for one of them, or stop it")
            kept = msgspec.structs.replace(asked, key="")
            write_atomically(folder / JOB, msgspec.json.format(msgspec.json.encode(kept)) + b"\n")
            roots = tuple(map(str, self._roots))
            process = Worker(Work("probe", asked, roots, str(folder), self._command(asked, folder)))
            job = ProbeJob(run, asked.model.name, asked.suite, asked.budget)
            self._jobs.pop(run, None)
            self._jobs[run], self._processes[run], self._keys[run] = job, process, asked.key
        threading.Thread(target=self._follow, args=(job, process), daemon=True, name=f"job {run}").start()
        return job

    def _command(self, asked: ProbeRequest, folder: Path) -> str:
        """The command that does the same in a shell; the key is not part of it."""
        model, given = asked.model.settings(self._roots)
        options = [word for name, value in given.items() for word in ("-M", f"{name}={value}")]
        recipe = [word for name, value in asked.recipe.items() for word in ("-T", f"{name}={value}")]
        seed = ["--seed", str(asked.seed)] if asked.seed else []
        return join(["taskloom", "probe", asked.suite, "--model", model, *options, *recipe, *seed,
                     "--budget", str(asked.budget), "-o", str(folder)])  # fmt: skip

    def _follow(self, job: ProbeJob, process: Worker) -> None:
        ended: Literal["finished", "stopped", "failed"] = "failed"
        for line in process.stdout or ():
            event = _event(line)
            if event is None:
                continue
            kind = event.get("event")
            if kind == "asked":
                job.asked, job.seconds, job.phase = event["asked"], event["seconds"], event["phase"]
                job.claims = event["claims"]
            elif kind == "failed":
                job.problem = scrub(": ".join(filter(None, (event["error"], event.get("hint")))))
            elif kind in ("done", "stopped"):
                ended = "finished" if kind == "done" else "stopped"
            self._changed()
        process.wait()  # the folder is free from here on
        if ended == "failed":
            job.problem = job.problem or process.last_words() or f"ended with {process.returncode}"
        job.state = ended
        self._changed()


class Worker(subprocess.Popen[str]):
    """A process that does some work; its input stays open as long as this server lives."""

    def __init__(self, work: Work) -> None:
        super().__init__(
            [sys.executable, "-m", "taskloom.views.worker"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True, env={**os.environ, "TASKLOOM_PROGRESS": "off"},
        )  # fmt: skip
        self._lines: deque[str] = deque(maxlen=20)
        self._reader = threading.Thread(target=self._lines.extend, args=(self.stderr or (),), daemon=True)
        self._reader.start()
        if self.stdin is not None:
            self.stdin.write(msgspec.json.encode(work).decode() + "\n")
            self.stdin.flush()

    def last_words(self) -> str:
        """The last line on its standard error that says something."""
        self._reader.join(5)
        return next((scrub(line.strip()[:300]) for line in reversed(self._lines) if line.strip()), "")


def _event(line: str) -> dict[str, Any] | None:
    try:
        return decode_json(line, type=dict[str, Any], where="worker")
    except UserError:  # not a line of ours
        return None
