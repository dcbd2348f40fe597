"""The shelf: one folder of ordinary runs that all studies share, each found by what decides it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import msgspec

from taskloom import __version__
from taskloom.adapt.make import make_adaptation
from taskloom.core import EmptySuiteError, Progress, Suite, UserError, content_hash, open_suite
from taskloom.run.engines.base import FinishedJob, JobEngine
from taskloom.run.engines.job import Job, carry_out
from taskloom.run.engines.local import finished
from taskloom.run.known import is_finished, runs_folder
from taskloom.run.results import Run, load_run
from taskloom.studies.grid import Arm, unique

_UNDECIDED = ("command", "batch_size", "cache")
"""Settings of a run that change nothing in its records."""


class InProcess(JobEngine):
    """Carries out jobs one by one in this process: no start-up cost, and no second core."""

    def run(self, jobs: Sequence[Job], retries: int) -> Iterator[FinishedJob]:
        for job in jobs:
            yield finished(job, 1, carry_out(job))


class Shelf:
    """Runs in one folder.

    Args:
        root: The folder (`TASKLOOM_RUNS`, else `runs` in the cache folder); made when the first run begins.
    """

    def __init__(self, root: Path | None = None) -> None:
        self.root = (root or runs_folder()).resolve()
        self._suites: dict[str, Suite] = {}
        self._keys: dict[bytes, str] = {}

    def suite(self, arm: Arm) -> Suite:
        """The suite of an arm, all its tasks included."""
        name = content_hash((arm.suite, arm.seed, arm.options))
        if name not in self._suites:
            self._suites[name] = open_suite(arm.suite, seed=arm.seed, options=arm.options)
        return self._suites[name]

    def possible(self, arms: Iterable[Arm]) -> tuple[list[Arm], list[str]]:
        """The arms whose suites have tasks, and the names of suites without any.

        A paper's list may hold tasks for which the words and facts at hand give no example: the study is about the
        others, and says so. Of suites that differ in their seed alone the first is opened.
        """
        known: dict[bytes, bool] = {}

        def fits(arm: Arm) -> bool:
            named = msgspec.json.encode((arm.suite, arm.options))
            if named not in known:
                try:
                    # Tasks are built on access; one is enough.
                    known[named] = next(iter(self.suite(arm).tasks), None) is not None
                except EmptySuiteError:
                    known[named] = False
            return known[named]

        listed = list(arms)
        kept = [arm for arm in listed if all(map(fits, arm.line()))]
        return kept, list(dict.fromkeys(arm.suite for arm in listed if not fits(arm)))

    def key(self, arm: Arm) -> str:
        """What decides the records of an arm: rows, model, adaptation with its defaults, protocol and seeds."""
        encoded = msgspec.json.encode(arm)
        if encoded not in self._keys:
            said = self._job(arm, "").settings()["run"]
            settings = {name: value for name, value in said.items() if name not in _UNDECIDED}
            settings["adapt_options"] = make_adaptation(arm.run.adapt, arm.run.adapt_options).describe()
            before = self.key(arm.after) if arm.after is not None else ""
            self._keys[encoded] = content_hash((__version__, self.suite(arm).identity, arm.task, settings, before))
        return self._keys[encoded]

    def place(self, arm: Arm) -> Path:
        """The folder of an arm's run."""
        model = next(arm.line()).run.model
        words = (arm.suite.rpartition("/")[2], arm.task or "", model, *(one.run.adapt for one in arm.line()))
        readable = "-".join(re.sub(r"[^\w.]+", "-", word).strip("-.")[-20:] for word in words if word)
        return self.root / f"{readable}-{self.key(arm)[:12]}"

    def _job(self, arm: Arm, model: str) -> Job:
        run = msgspec.structs.replace(arm.run, model=model or arm.run.model)
        return Job(suite=arm.suite, seed=arm.seed, options=arm.options, task=arm.task, run=run, reuse=True)

    def job(self, arm: Arm) -> Job:
        """The arm as something that a worker can do."""
        model = f"run/{self.place(arm.after)}" if arm.after is not None else ""
        job = self._job(arm, model)
        return msgspec.structs.replace(job, folder=str(self.place(arm)), home=str(Path.cwd()))

    def has(self, arm: Arm) -> bool:
        """Whether the run of an arm is finished."""
        return is_finished(self.place(arm))

    def load(self, arm: Arm) -> Run:
        """The finished run of an arm."""
        return load_run(self.place(arm))

    def fill(self, arms: Sequence[Arm], engine: JobEngine, *, retries: int = 1) -> Counter[str]:
        """Carry out the arms that are not on the shelf yet, with everything they come after.

        Returns:
            How many runs were there before ("found") and how many were carried out ("done").

        Raises:
            UserError: Some failed, after everything else was done.
        """
        wanted = unique(arms)
        waves: dict[int, dict[Path, Arm]] = {}
        for arm in wanted:
            waves.setdefault(len(list(arm.line())), {})[self.place(arm)] = arm
        counts: Counter[str] = Counter(found=0, done=0)
        failed: dict[Path, str] = {}
        with Progress("runs", sum(map(len, waves.values())), unit="runs") as progress:
            for depth in sorted(waves):
                waiting = [arm for place, arm in waves[depth].items() if not is_finished(place)]
                counts["found"] += len(waves[depth]) - len(waiting)
                progress.skip(len(waves[depth]) - len(waiting))
                ready = [arm for arm in waiting if not any(self.place(one) in failed for one in arm.line())]
                failed.update({self.place(arm): "the run it comes after failed" for arm in waiting if arm not in ready})
                jobs = {job.id: (job, arm) for job, arm in ((self.job(arm), arm) for arm in ready)}
                for item in engine.run([job for job, _ in jobs.values()], retries) if jobs else ():
                    if item.state == "done" and is_finished(self.place(jobs[item.id][1])):
                        counts["done"] += 1
                    else:
                        failed[self.place(jobs[item.id][1])] = item.error or "some of its answers failed"
                    progress.advance(note=item.id)
        if failed:
            place, reason = next(iter(failed.items()))
            raise UserError(
                f"{len(failed):,} of {sum(map(len, waves.values())):,} runs failed; the first: {reason}",
                where=str(place),
                hint="the same command tries only these again",
            )
        return counts
