"""Proving that a run's folder holds what a run wrote: nothing missing, doubled, foreign, altered or impossible."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from math import isfinite
from pathlib import Path

import msgspec

from taskloom.ask.judge import Judge
from taskloom.core import Finding, Task, UserError, tasks_hash
from taskloom.core.decode import decoding
from taskloom.run.closing import Closing, is_closing, read_closing, summarise
from taskloom.run.log import RECORDS
from taskloom.run.plan import Plan, load_plan, load_tasks
from taskloom.run.record import Record, decode_record, is_intact
from taskloom.run.rescore import judge_again
from taskloom.run.results import results_of
from taskloom.store.seal import read_sealed

__all__ = ["check_run"]

_MOST_SHOWN = 20


def check_run(folder: str | Path) -> Iterator[Finding]:
    """Every difference between a run's folder and what a run would have written there.

    Records are scored again from what the model said, so that an altered score is found even where its
    checksum was altered with it.
    """
    folder = Path(folder)
    try:
        plan, tasks = load_plan(folder), load_tasks(folder)
        if plan.tasks_hash and tasks_hash(tasks) != plan.tasks_hash:
            yield _error(folder / "tasks.jsonl", "", "the tasks are not those of the plan", "tasks")
        judge = Judge(tasks.values(), plan.scorer, plan.strict_reader, scorer_options=plan.scorer_options)
    except UserError as error:
        yield _error(error.where or folder, "", error.message, "damaged")
        return
    path = folder / RECORDS
    if not path.is_file():
        yield _error(path, "", "there is no log", "missing")
        return
    log = _Log(path, plan, tasks, judge)
    yield from islice(log.findings(), _MOST_SHOWN)
    yield from _check_results(folder, log)


class _Log:
    """One pass over the lines of a log."""

    def __init__(self, path: Path, plan: Plan, tasks: dict[str, Task], judge: Judge) -> None:
        self._path, self._plan, self._tasks, self._judge = path, plan, tasks, judge
        self._seen: dict[tuple[int, int], str] = {}
        self._keys: dict[tuple[str, str, int], int] = {}
        self._last = (-1, -1)
        self.closing: Closing | None = None

    def findings(self) -> Iterator[Finding]:
        """What is wrong with the log, in the order of its lines."""
        with decoding(self._path, "the log"):
            data = self._path.read_bytes()
        lines = [line + b"\n" for line in data.split(b"\n")]
        torn = lines.pop() != b"\n"
        if not lines:
            yield _error(self._path, "", "the log is empty", "missing")
            return
        if torn:
            yield Finding(str(self._path), "", "warning", "the last line is torn; the run can be continued", "", "torn")
        kept: list[bytes] = []
        for number, line in enumerate(lines, start=1):
            if self.closing is not None:
                yield _error(self._path, str(number), "a line follows the end of the log", "foreign")
                return
            if is_closing(line):
                if not is_intact(line):
                    yield _error(self._path, str(number), "the closing line is damaged", "altered")
                    return
                with decoding(f"{self._path}:{number}", "the closing line"):
                    self.closing = read_closing(line)
                continue
            kept.append(line)
            yield from self._check_line(line, number)
        yield from self._check_end(kept)

    def _check_line(self, line: bytes, number: int) -> Iterator[Finding]:
        try:
            record = decode_record(line, number - 1)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError, ValueError) as error:
            yield _error(self._path, str(number), f"the record is damaged: {error}", "altered")
            return
        place = (record.index, record.sample)
        name = f"{number} ({record.task}/{record.id})"
        task = self._tasks.get(record.task)
        if task is None:
            yield _error(self._path, name, "the record names a task that the run does not have", "foreign")
            return
        # An unfinished log may hold a failure and, later, what came of asking again.
        if self._seen.get(place, "errored") != "errored":
            yield _error(self._path, name, "the place of this record is taken already", "doubled")
        if self._keys.setdefault((record.task, record.id, record.sample), record.index) != record.index:
            yield _error(self._path, name, "the instance is answered at another place, too", "doubled")
        self._seen[place] = record.state
        self._last = max(self._last, place)
        yield from self._check_record(record, task, name)

    def _check_record(self, record: Record, task: Task, name: str) -> Iterator[Finding]:
        for reading in filter(None, (record.strict, record.lenient)):
            if reading.score is not None and not (isfinite(reading.score) and 0 <= reading.score <= 1):
                yield _error(self._path, name, f"a score of {reading.score} cannot be", "impossible")
                return
        if record.index < 0 or not 0 <= record.sample < max(1, self._plan.samples):
            yield _error(self._path, name, "the record's place cannot be", "impossible")
        if record.state == "errored":
            if record.score is not None:
                yield _error(self._path, name, "a failed instance has a score", "impossible")
            return
        if record.raw_length > len(record.raw):
            return  # the whole output is not in the log
        again = judge_again(record, self._judge, task)
        if again.strict.score != record.strict.score or again.strict.answer != record.strict.answer:
            message = f"scored {record.strict.score}, but its output scores {again.strict.score}"
            yield _error(self._path, name, message, "altered")

    def _check_end(self, lines: list[bytes]) -> Iterator[Finding]:
        if self.closing is None:
            yield Finding(str(self._path), "", "warning", "the log is not closed: the run has not finished", "", "open")
            return
        try:
            counted = summarise(iter(lines))
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError, ValueError):
            return  # said already, line by line
        if counted != self.closing:
            message = f"the log ends in a count of {self.closing.records:,} records"
            if counted.records != self.closing.records:
                message += f", but holds {counted.records:,}"
            else:
                message += ", but they are not those that were counted, or not in that order"
            yield _error(self._path, "", message, "missing")
        indices = {index for index, _ in self._seen}
        # A closed log has every place from the first to the last.
        if self._seen and not self._plan.streams and len(indices) != max(indices) + 1:
            yield _error(self._path, "", f"{max(indices) + 1 - len(indices):,} places have no record", "missing")


def _check_results(folder: Path, log: _Log) -> Iterator[Finding]:
    """Where there are results beside the log, they are those of the log."""
    path = folder / "results.json"
    if not path.exists() or log.closing is None:
        return
    try:
        written = read_sealed(path, "the table of results")
        fresh = msgspec.json.decode(msgspec.json.encode(results_of(folder)))
    except UserError as error:
        yield _error(error.where or path, "", error.message, "altered")
        return
    if written.get("estimand") == fresh["estimand"] and written.get("errors") == fresh["errors"]:
        # Further keys, such as pooled estimates, are under the file's seal.
        odd = next((key for key in fresh if written.get(key) != fresh[key]), None)
        if odd is not None:
            yield _error(path, odd, "the results are not those of the log", "altered")


def _error(file: str | Path, key: str, message: str, code: str) -> Finding:
    fixes = {
        "missing": "give the run command again: it asks what is missing",
        "altered": "delete the line and give the run command again",
        "damaged": "give the run command again with another -o",
    }
    return Finding(str(file), key, "error", message, fixes.get(code, "remove it, or run again with another -o"), code)
