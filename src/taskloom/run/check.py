"""Proving that a run's folder holds what a run wrote: nothing missing, doubled, foreign, altered or impossible."""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from hashlib import blake2b
from itertools import islice
from math import isfinite
from pathlib import Path
from typing import BinaryIO

import msgspec

from taskloom.ask.judge import Judge
from taskloom.core import Finding, Task, UserError, tasks_hash
from taskloom.core.decode import decode_json, decoding
from taskloom.run.closing import Closing, Tally, is_closing, read_closing
from taskloom.run.columns import COLUMNS, SEAL, decode_entry, each_line, sealed_columns
from taskloom.run.log import RECORDS, column_groups
from taskloom.run.places import Places
from taskloom.run.plan import RESULTS, Plan, load_plan, load_tasks
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
    found = list(islice(log.findings(), _MOST_SHOWN))
    yield from found
    if not any(finding.level == "error" for finding in found):
        yield from _check_columns(folder, path)
        yield from _check_cut(folder, log)
    yield from _check_results(folder, log)


class _Log:
    """One pass over the lines of a log, which are read one at a time."""

    def __init__(self, path: Path, plan: Plan, tasks: dict[str, Task], judge: Judge) -> None:
        self._path, self._plan, self._tasks, self._judge = path, plan, tasks, judge
        self._places = Places()
        self._keys, self._numbers, self._at = array("Q"), array("q"), array("q")
        self._highest = -1
        self._tally: Tally | None = Tally()
        self.closing: Closing | None = None

    @property
    def records(self) -> int:
        """How many records have a place of their own."""
        return len(self._places)

    def findings(self) -> Iterator[Finding]:
        """What is wrong with the log, in the order of its lines."""
        size = self._path.stat().st_size
        number, end = 0, 0
        for number, (start, line) in enumerate(each_line(self._path), start=1):
            end = start + len(line)
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
            yield from self._check_line(line, number, start)
        if end < size:
            yield Finding(
                str(self._path), "", "warning", "the last line is incomplete; the run can be resumed", "", "torn"
            )
        if not number:
            yield _error(self._path, "", "the log is empty", "missing")
            return
        yield from self._check_keys()
        yield from self._check_end()

    def _check_line(self, line: bytes, number: int, start: int) -> Iterator[Finding]:
        try:
            record = decode_record(line, number - 1)
            if self._tally is not None:
                self._tally.add(line, decode_entry(line, number - 1))
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError, ValueError) as error:
            self._tally = None  # what follows cannot be counted
            yield _error(self._path, str(number), f"the record is damaged: {error}", "altered")
            return
        name = f"{number} ({record.task}/{record.id})"
        task = self._tasks.get(record.task)
        if task is None:
            yield _error(self._path, name, "the record names a task that the run does not have", "foreign")
            return
        samples = max(1, self._plan.samples)
        if record.index < 0 or not 0 <= record.sample < samples:
            yield _error(self._path, name, "the record's row number is impossible", "impossible")
        else:
            place = record.index * samples + record.sample
            # An unfinished log may hold a failure and, later, what came of asking again.
            if self._places.state(place) not in (None, "errored"):
                yield _error(self._path, name, "another record already has this row number", "doubled")
            self._places.put(place, record.state, "")
            self._highest = max(self._highest, record.index)
            self._keys.append(_key_hash(record))
            self._numbers.append(place)
            self._at.append(start)
        yield from self._check_record(record, task, name)

    def _check_keys(self) -> Iterator[Finding]:
        """No instance is answered at two places. Hashes show where to look, the lines themselves decide."""
        import numpy as np

        keys, places = np.frombuffer(self._keys, np.uint64), np.frombuffer(self._numbers, np.int64)
        order = np.lexsort((places, keys))
        again = (keys[order][1:] == keys[order][:-1]) & (places[order][1:] != places[order][:-1])
        with self._path.open("rb") as file:
            for spot in np.flatnonzero(again).tolist():
                one, two = (self._record_at(file, self._at[order[spot + step]]) for step in (0, 1))
                if _key(one) == _key(two):
                    name = f"{two.task}/{two.id}"
                    yield _error(self._path, name, "the instance is also answered by another record", "doubled")
        del self._keys, self._numbers, self._at  # of a long log they take what the columns need next

    @staticmethod
    def _record_at(file: BinaryIO, start: int) -> Record:
        file.seek(start)
        return decode_record(file.readline(), 0)

    def _check_record(self, record: Record, task: Task, name: str) -> Iterator[Finding]:
        for reading in filter(None, (record.strict, record.lenient)):
            if reading.score is not None and not (isfinite(reading.score) and 0 <= reading.score <= 1):
                yield _error(self._path, name, f"a score of {reading.score} is impossible", "impossible")
                return
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

    def _check_end(self) -> Iterator[Finding]:
        if self.closing is None:
            yield Finding(str(self._path), "", "warning", "the log is not closed: the run has not finished", "", "open")
            return
        counted = self._tally.closing() if self._tally is not None else self.closing
        if counted != self.closing:
            message = f"the log ends in a count of {self.closing.records:,} records"
            if counted.records != self.closing.records:
                message += f", but holds {counted.records:,}"
            else:
                message += ", but they are not those that were counted, or not in that order"
            yield _error(self._path, "", message, "missing")
        # A closed log has every place from the first to the last.
        lacking = (self._highest + 1) * max(1, self._plan.samples) - len(self._places)
        if not self._plan.streams and lacking:
            yield _error(self._path, "", f"{lacking:,} rows have no record", "missing")


def _key(record: Record) -> tuple[str, str, str, int]:
    """What no two places share. The items of each combination of a probe are numbered from 0."""
    return record.task, record.cell, record.id, record.sample


def _key_hash(record: Record) -> int:
    return int.from_bytes(blake2b(msgspec.json.encode(_key(record)), digest_size=8).digest(), "little")


def _check_columns(folder: Path, path: Path) -> Iterator[Finding]:
    """Where there are columns beside the log, they are those of the log."""
    try:
        kept = sealed_columns(folder, path)
        if kept is not None and not kept.equals(column_groups(path)):
            yield _error(folder / COLUMNS, "", "the columns are not those of the log", "altered")
    except UserError as error:
        yield _error(error.where or folder / COLUMNS, "", error.message, "altered")


def _check_cut(folder: Path, log: _Log) -> Iterator[Finding]:
    """An open log has no fewer records than the columns of the same run when it was last finished."""
    seal = folder / SEAL
    if log.closing is not None or not seal.is_file():
        return
    try:
        whole = read_sealed(seal, "the seal of the columns").get("records", 0)
    except UserError as error:
        yield _error(error.where or seal, "", error.message, "altered")
        return
    if log.records < whole:
        message = f"the log has {log.records:,} records, but the finished run had {whole:,}"
        yield _error(folder / RECORDS, "", message, "missing")


def _check_results(folder: Path, log: _Log) -> Iterator[Finding]:
    """Where there are results beside the log, they are those of the log."""
    path = folder / RESULTS
    if not path.exists() or log.closing is None:
        return
    try:
        written = read_sealed(path, "the table of results")
        fresh = decode_json(msgspec.json.encode(results_of(folder)), where=folder)
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
        "missing": "run the same command again: it asks what is missing",
        "altered": "delete the line and run the same command again",
        "damaged": "run the same command with another -o",
    }
    return Finding(str(file), key, "error", message, fixes.get(code, "remove it, or run again with another -o"), code)
