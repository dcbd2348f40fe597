"""Proving a run: rows, prompts and targets are made again from the plan, every answer is read and scored again.

So an edit is found even where every hash was made to fit it. What a model or a server supplied (its words, failures,
usage, times, log-probabilities and name) cannot be made again and is taken on trust, as is how many rows the plan asked
for; a signature (`sign_run`) covers those.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec
from itertools import islice
from math import isfinite
from pathlib import Path
from typing import Any

import msgspec

from taskloom.ask.judge import LONGEST_RAW, Judge
from taskloom.core import (
    Finding,
    Progress,
    Row,
    Suite,
    Task,
    UserError,
    missing_extra,
    open_recorded,
    open_suite,
    question_hash,
    row_hash,
    tasks_hash,
)
from taskloom.core.catalog import READERS
from taskloom.core.decode import decode_json, read_bytes, read_json
from taskloom.core.display import printable
from taskloom.core.encoding import Encoding, Prompt
from taskloom.run.columns import Columns
from taskloom.run.log import RunFiles, open_files
from taskloom.run.plan import RESULTS, TASKS, Plan, load_plan, load_tasks
from taskloom.run.record import Record, supporting_marks
from taskloom.run.rescore import judge_again
from taskloom.run.results import load_run, run_results
from taskloom.run.runner import chosen_rows
from taskloom.run.sealed import Tally, seal_names
from taskloom.run.shards import shard_of
from taskloom.store.atomic import write_atomically
from taskloom.store.bundle import is_bundle
from taskloom.store.seal import read_sealed

_MOST_SHOWN = 20
_TEMPLATED = ("hf/", "run/", "tiny/")
"""Models that may read a prompt through a template of their own; what they read cannot be made again without them."""


def check_run(folder: str | Path, suite: str | None = None) -> Iterator[Finding]:
    """Every difference between a run's folder and what a run would have written there.

    Args:
        folder: The run.
        suite: Where its suite is a file of the user's own code, that file: it never runs unasked.
    """
    return RunProof(folder, suite).findings()


class RunProof:
    """The proof of one run: its findings, and what was proved.

    Attributes:
        drawn: How many rows were drawn again.
        prompts: How many prompts were made again.
        read: How many answers were read and scored again.
        unproved: Why rows or prompts could not be made again, in words.
    """

    _plan: Plan
    _tasks: dict[str, Task]
    _files: RunFiles
    _judge: Judge

    def __init__(self, folder: str | Path, suite: str | None = None, key: Any = None) -> None:
        self._folder, self._suite_file, self._key = Path(folder), suite, key
        self._signer = ""
        self.drawn = self.prompts = self.read = 0
        self.unproved: list[str] = []

    def sentence(self) -> str:
        """What was proved and what was not, for people."""
        done = (
            f"{self.drawn:,} rows and {self.prompts:,} prompts made again, {self.read:,} answers read and scored again"
        )
        lacking = "".join(f"; {reason}" for reason in self.unproved)
        trusted = "the model's words, failures and names, usage, the limit"
        vouched = f"signed by {self._signer}" if self._signer else "taken on trust"
        return f"{self._folder}: {done}{lacking}; {vouched}: {trusted}"

    def findings(self) -> Iterator[Finding]:
        """What is wrong, the files first, then record by record."""
        folder = self._folder
        try:
            plan, tasks = self._plan, self._tasks = load_plan(folder), load_tasks(folder)
            if plan.tasks_hash and tasks_hash(tasks) != plan.tasks_hash:
                yield _error(folder / TASKS, "", "the tasks are not those of the plan", "tasks")
            self._files = open_files(folder)
            if self._files.seal is not None:
                self._signer = check_signature(folder, self._key)
            lenient = READERS.get("lenient") if plan.protocol else None
            self._judge = Judge(
                tasks.values(), plan.scorer, plan.strict_reader, scorer_options=plan.scorer_options, lenient=lenient
            )
            columns = self._files.columns
            count = len(columns)
        except UserError as error:
            yield _error(error.where or folder, "", error.message, "damaged")
            return
        if not count:
            yield _error(folder, "", "there are no records", "missing")
            return
        yield from [*self._check_logs(), *islice(self._check_records(columns), _MOST_SHOWN)]
        if self._files.seal is not None and not self._files.logs:
            yield from _check_results(folder)

    def _check_logs(self) -> Iterator[Finding]:
        for part in self._files.logs:
            if part.closed and part.damaged:
                yield _error(part.path, "", f"{len(part.damaged):,} records are damaged", "altered")
            elif part.damaged:
                message = f"{len(part.damaged):,} lines have no valid checksum; the run can be resumed"
                yield Finding(str(part.path), "", "warning", message, "", "torn")
        if not self._finished:
            yield Finding(str(self._folder), "", "warning", "the run has not finished", "", "open")
        if self._files.seal is not None and self._files.seal.plan != self._plan.hash():
            yield self._wrong("", "the manifest belongs to another plan", "altered")

    @property
    def _finished(self) -> bool:
        return all(part.closed for part in self._files.logs)

    def _check_records(self, columns: Columns) -> Iterator[Finding]:
        plan, again, tally, expected = self._plan, self._opened(), Tally(), 0
        first, step = shard_of(plan.shard) or (0, 1)
        try:
            with Progress(f"checking {self._folder}", len(columns), unit="records") as progress:
                for record in columns.records(range(len(columns))):
                    tally.add([record])
                    name = f"{record.index} ({record.task}/{record.id})"
                    place = (record.index - first) // step * plan.samples + record.sample
                    if place < expected or not 0 <= record.sample < plan.samples or (record.index - first) % step:
                        yield self._wrong(name, "the record's row number is impossible", "impossible")
                    elif self._finished and not plan.streams and place > expected:
                        yield self._wrong(name, f"{place - expected:,} rows before this one have no record", "missing")
                    expected = place + 1
                    for message, code in self._check_record(record, again):
                        yield self._wrong(name, message, code)
                    progress.advance()
        except UserError as error:
            yield _error(error.where or self._folder, "", error.message, "altered")
            return
        if self._finished and again is not None and (left := again.left(step)):
            yield self._wrong("", f"{left:,} rows of the plan have no record", "missing")
        seal, logs = self._files.seal, self._files.logs
        if seal is not None and not logs:
            for name, value in tally.facts().items():
                if getattr(seal, name) != value:
                    yield self._wrong("", f"the records are not those that were sealed ({name})", "altered")
        for part in logs:
            if part.closed and part.counted != len(part):
                message = f"the log ends in a count of {part.counted:,} records, but holds {len(part):,}"
                yield _error(part.path, "", message, "missing")

    def _wrong(self, name: str, message: str, code: str) -> Finding:
        return _error(self._folder, name, message, code)

    def _opened(self) -> _Again | None:
        """What the rows and prompts of the run are made again with; None where they cannot be."""
        plan = self._plan
        if plan.streams:
            self.unproved.append("the items of a probe are not drawn again")
            return None
        try:
            suite = self._suite()
        except UserError as error:
            self.unproved.append(f"rows were not drawn again: {error.message}")
            return None
        if plan.identity and suite.identity != plan.identity:
            self.unproved.append("rows were not drawn again: the suite has other rows now than when it was run")
            return None
        try:
            encoding: Encoding | None = _encoding(plan, suite)
        except UserError as error:
            encoding = None
            self.unproved.append(f"prompts were not made again: {error.message}")
        return _Again(suite, plan, encoding)

    def _suite(self) -> Suite:
        plan, file = self._plan, self._suite_file
        if file is None:
            return open_recorded(plan.suite, seed=plan.data_seed, options=plan.recipe)
        if is_bundle(Path(file)):  # has its own seed and recipe; its identity is compared
            return open_suite(file)
        return open_suite(file, seed=plan.data_seed, options=plan.recipe)

    def _check_record(self, record: Record, again: _Again | None) -> Iterator[tuple[str, str]]:
        task = self._tasks.get(record.task)
        if task is None:
            yield "the record names a task that the run does not have", "foreign"
            return
        for reading in filter(None, (record.strict, record.lenient)):
            if reading.score is not None and not (isfinite(reading.score) and 0 <= reading.score <= 1):
                yield f"a score of {reading.score} is impossible", "impossible"
                return
        prompt = None
        if again is not None:
            row = again.row(record.index)
            if row is None:
                yield "the plan has no such row", "foreign"
                return
            self.drawn += record.sample == 0
            prompt = again.prompt(record.index, task)
            self.prompts += prompt is not None and record.sample == 0
            yield from _other_row(record, row)
            if prompt is not None:
                yield from _other_prompt(record, prompt, self._plan)
        yield from _impossible(record, self._plan)
        if record.state == "errored" or record.raw_length > len(record.raw):
            return  # there is nothing to read, or not all of it was kept
        self.read += 1
        yield from self._other_reading(record, task, prompt or Prompt(record.prompt))

    def _other_reading(self, record: Record, task: Task, prompt: Prompt) -> Iterator[tuple[str, str]]:
        """How a record's readings differ from what its output says."""
        again = judge_again(record, self._judge, task, prompt=prompt)
        # A lenient reader looks at the prompt, so it has to be the very one.
        exact = again.lenient is not None and prompt.hash() == record.prompt_hash
        for name in ("strict", "lenient") if exact else ("strict",):
            was, now = (_plain(getattr(one, name)) for one in (record, again))
            if was != now:
                yield f"its {name} reading says {_short(was)}, but its output says {_short(now)}", "altered"
        if again.scorer != record.scorer:
            yield f"it was scored by {record.scorer}, not by {again.scorer}", "altered"
        if again.state == "truncated" and record.state == "scored":
            yield "its output breaks off, but it does not say so", "altered"


class _Again:
    """The rows of a run drawn again, one at a time, with their prompts."""

    def __init__(self, suite: Suite, plan: Plan, encoding: Encoding | None) -> None:
        self._rows = (row for row, _ in chosen_rows(suite, plan.split, plan.limit))
        self._encoding, self._tasks = encoding, suite.tasks
        self._at = -1
        self._row: Row | None = None
        self._prompt: Prompt | None = None

    def row(self, index: int) -> Row | None:
        """The row at a place; places only rise."""
        while self._at < index:
            self._row, self._prompt = next(self._rows, None), None
            self._at += 1
            if self._row is None:
                self._at = index
        return self._row

    def prompt(self, index: int, task: Task) -> Prompt | None:
        """The prompt of a row, where prompts can be made again."""
        row = self.row(index)
        if self._prompt is None and row is not None and self._encoding is not None:
            self._prompt = self._encoding.encode(self._tasks.get(row.task, task), row.instance)
        return self._prompt

    def left(self, step: int = 1) -> int:
        """How many rows were not asked about, of every so many."""
        return sum(1 for _ in self._rows) // step


def _encoding(plan: Plan, suite: Suite) -> Encoding:
    """How the rows of a plan became prompts.

    Raises:
        UserError: This version makes them otherwise, or needs the model's own tokens for it.
    """
    from taskloom.adapt.make import make_adaptation
    from taskloom.protocol.base import Protocol

    kept = {key: value for key, value in plan.protocol.items() if key in Protocol.__struct_fields__}
    try:
        protocol = msgspec.convert({"summary": "", **kept}, Protocol)
    except msgspec.ValidationError:
        raise UserError("the run does not say how its prompts were made") from None
    encoding = protocol.make(int(plan.protocol.get("wordings", 1)))
    if plan.adaptation.get("name") == "in-context":
        options = {key: value for key, value in plan.adaptation.items() if key != "name"}
        encoding = make_adaptation("in-context", options).wrap(encoding, suite, plan.run_seed)
    described = decode_json(msgspec.json.encode(encoding.describe()), where="encoding")
    if described != plan.encoding:
        raise UserError("this version makes them otherwise")
    return encoding


def _other_row(record: Record, row: Row) -> Iterator[tuple[str, str]]:
    """How a record's question differs from the row that the plan has at its place."""
    task, instance = row
    facets = {key: value for key, value in instance.facets.items() if value is not None}
    same = {
        "task": record.task == task,
        "id": record.id == instance.id,
        "targets": record.targets == instance.targets,
        "facets": _plain(record.facets) == _plain(facets),
        "row": record.row in ("", row_hash(task, instance)),
        "question": record.question in ("", question_hash(task, instance)),
        "marks": record.marks == supporting_marks(instance, record.prompt),
    }
    for name, equal in same.items():
        if not equal:
            yield f"its {name} is not that of the row drawn again", "altered"


def _plain(value: Any) -> Any:
    return msgspec.json.decode(msgspec.json.encode(value))


def _other_prompt(record: Record, prompt: Prompt, plan: Plan) -> Iterator[tuple[str, str]]:
    if record.prompt_hash != prompt.hash() or record.wording != prompt.wording:
        yield "its prompt is not the one that the row gives", "altered"
        return
    shown = printable(prompt.text)
    templated = str(plan.model.get("name", "")).startswith(_TEMPLATED)
    if record.prompt not in (shown, shown.rstrip(" ")) and not templated:
        yield "the prompt that it shows is not the one that was asked", "altered"


def _impossible(record: Record, plan: Plan) -> Iterator[tuple[str, str]]:
    """What no run writes."""
    protocol = plan.protocol
    if protocol.get("headline") not in (None, record.headline) or protocol.get("name", "") != record.protocol:
        yield "it was not asked or does not count as the plan says", "altered"
    cut = record.raw_length != len(record.raw)
    if record.raw_length < len(record.raw) or (cut and len(record.raw) != LONGEST_RAW):
        yield f"an output of {record.raw_length:,} characters cannot leave {len(record.raw):,}", "impossible"
    if record.state != "errored":
        if record.strict.score is None:
            yield "an answer has no score", "impossible"
        return
    if record.score is not None or (record.lenient is not None and record.lenient.score is not None):
        yield "a failed instance has a score", "impossible"


def _short(read: Any) -> str:
    return "nothing" if read is None else f"{read.get('answer')!r:.40} with a score of {read.get('score')}"


def _check_results(folder: Path) -> Iterator[Finding]:
    """Where there are results beside a sealed run, they are its own."""
    path = folder / RESULTS
    if not path.exists():
        return
    try:
        if load_plan(folder).format == 1:  # whose results had no hash
            return
        written = read_sealed(path, "the table of results")
        fresh = decode_json(msgspec.json.encode(run_results(load_run(folder))), where=folder)
    except UserError as error:
        yield _error(error.where or path, "", error.message, "altered")
        return
    if written.get("estimand") == fresh["estimand"] and written.get("errors") == fresh["errors"]:
        # Further keys, such as pooled estimates, are under the file's seal.
        odd = next((key for key in fresh if key in written and written[key] != fresh[key]), None)
        if odd is not None:
            yield _error(path, odd, "the results are not those of the run", "altered")


def _error(file: str | Path, key: str, message: str, code: str) -> Finding:
    fixes = {"missing": "run the same command again: it asks what is missing"}
    return Finding(str(file), key, "error", message, fixes.get(code, "run the same command with another -o"), code)


_MAKE = "openssl genpkey -algorithm ed25519 -out key.pem && openssl pkey -in key.pem -pubout -out key.pub"


class _Signature(msgspec.Struct, frozen=True):
    key: str
    signature: str


def load_key(path: Path, *, private: bool) -> Any:
    """An ed25519 key from a PEM file.

    Raises:
        UserError: The file holds no such key, or cryptography is not installed.
    """
    if find_spec("cryptography") is None:
        raise missing_extra("cryptography", "sign", "a signature")
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
    from cryptography.hazmat.primitives.serialization import load_pem_private_key, load_pem_public_key

    data = read_bytes(path)
    try:
        key = load_pem_private_key(data, None) if private else load_pem_public_key(data)
    except (ValueError, TypeError, UnsupportedAlgorithm):
        key = None
    if not isinstance(key, Ed25519PrivateKey if private else Ed25519PublicKey):
        kind = "private" if private else "public"
        raise UserError(f"this file holds no {kind} ed25519 key without a password", where=str(path), hint=_MAKE)
    return key


def _raw(public: Any) -> str:
    return str(public.public_bytes_raw().hex())


def _paths(folder: Path) -> tuple[Path, Path]:
    names = seal_names(folder)
    if not names:
        raise UserError("a run is signed when it is finished", where=str(folder))
    manifest = folder / names[-1]
    return manifest, manifest.with_suffix(".sig")


def sign_run(folder: Path, key: Any) -> None:
    """Put a signature beside the newest manifest of a run."""
    manifest, path = _paths(folder)
    made = _Signature(_raw(key.public_key()), key.sign(read_bytes(manifest)).hex())
    write_atomically(path, msgspec.json.encode(made) + b"\n")


def check_signature(folder: Path, key: Any = None) -> str:
    """The key that signed a run, in hexadecimal; empty where none did and none was asked for.

    Args:
        folder: The run.
        key: The public key that must have signed it.

    Raises:
        UserError: The signature does not fit, or is missing or another's where a key was named.
    """
    manifest, path = _paths(folder)
    if not path.is_file():
        if key is not None:
            raise UserError("the run is not signed", where=str(folder))
        return ""
    if find_spec("cryptography") is None:
        raise missing_extra("cryptography", "sign", "a signature")
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    found = read_json(path, type=_Signature)
    if key is not None and _raw(key) != found.key:
        raise UserError("the run is signed by another key", where=str(path))
    try:
        public = Ed25519PublicKey.from_public_bytes(bytes.fromhex(found.key))
        public.verify(bytes.fromhex(found.signature), read_bytes(manifest))
    except (InvalidSignature, ValueError):
        raise UserError("the signature does not fit the manifest", where=str(path)) from None
    return found.key
