"""Logs of other harnesses as runs: their outputs, read and scored by Taskloom, on the rows they were asked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from taskloom.core import Row, Suite, UserError, open_recorded, open_suite, row_hash
from taskloom.core.instance import content_hash
from taskloom.hosts.logs import HostLog, open_log
from taskloom.hosts.table import HostTable
from taskloom.models.outputs import OutputIndex, write_outputs
from taskloom.run.results import Run, load_run
from taskloom.run.runner import launch
from taskloom.run.session import RunSettings
from taskloom.store.atomic import disk_errors


class ImportedRun(NamedTuple):
    """A run made of a log: how many outputs found their rows, and how many did not.

    Attributes:
        run: The run.
        matched: Rows with an output.
        unmatched: Outputs that belong to no row.
        missing: Rows without an output.
        repeated: Outputs whose question comes up again in the log: the last one counts.
    """

    run: Run
    matched: int
    unmatched: int
    missing: int
    repeated: int = 0


def import_log(
    kind: str,
    path: str | Path,
    folder: str | Path,
    *,
    suite: str | Suite | None = None,
    seed: int | None = None,
    options: Mapping[str, Any] | None = None,
    split: str | None = None,
    name: str = "",
    reader: str = "lenient",
    by_id: bool = False,
) -> ImportedRun:
    """Make a run of what another tool wrote down.

    Args:
        kind: "inspect", "lm-eval", or "outputs" (CSV or JSONL).
        path: The log.
        folder: The run's folder.
        suite: The suite that was asked; logs of exported tasks say it themselves.
        seed: Its seed, where the log does not say it.
        options: Its recipe keys, where the log does not say them.
        split: Its split, where the log does not say it.
        name: What the model is called; the log's name for it by default.
        reader: The reading that counts: "lenient", or a strict reader.
        by_id: Take ids at their word where a line has neither hash nor prompt; the run's name then says so.

    Raises:
        UserError: A kind that is not known, a log that cannot be read, or outputs of which none belongs to the suite.
    """
    log = open_log(kind, Path(path))
    if not log.outputs:
        raise UserError("there are no outputs here", where=str(path))
    asked = _suite(suite, seed, options, log, path)
    split = split or log.split or asked.default_split()
    table = HostTable(asked, "base")
    rows, missing = _answered(log, OutputIndex(log.outputs, str(path), by_id=by_id), table, asked.rows(split))
    if not rows:
        raise UserError(
            f"none of the {len(log.outputs):,} outputs belongs to a row of {asked.name}, split {split}",
            where=str(path),
            hint=_none_matched(log, by_id),
        )
    folder = Path(folder)
    with disk_errors(folder):
        folder.mkdir(parents=True, exist_ok=True)
        write_outputs(log.outputs, folder / "outputs.jsonl")
    settings = RunSettings(
        model=f"outputs/{folder / 'outputs.jsonl'}",
        model_options={"name": name or log.name, "by_id": by_id},
        protocol=f"imported-{log.form}" if log.form else "imported",
        split=split,
        samples=1,
        reader=reader,
        cache=False,
        command=f"taskloom import {kind} {path}",
    )
    launch(_only(asked, split, rows), folder, settings)
    repeated = _repeated(log)
    return ImportedRun(load_run(folder), len(rows), _unmatched(log, rows, table, by_id) - repeated, missing, repeated)


def _answered(log: HostLog, index: OutputIndex, table: HostTable, asked: Iterable[Row]) -> tuple[list[Row], int]:
    """The rows that a log answers, and how many it does not."""
    rows, missing = [], 0
    prompted = any(one.prompt for one in log.outputs)
    for row in asked:
        prompts = [asked_text(table, row)] if prompted else []
        if index.find(row.task, row.instance, prompts, row_hash(*row)) is None:
            missing += 1
        else:
            rows.append(row)
    return rows, missing


def _only(suite: Suite, split: str, rows: list[Row]) -> Suite:
    """A suite with these rows of a split alone."""
    return suite.derive(
        "imported",
        content_hash([row_hash(*row) for row in rows]),
        splits={split: len(rows)},
        draw=lambda _: iter(rows),
        tasks={row.task: suite.tasks[row.task] for row in rows},
    )


def asked_text(table: HostTable, row: Row) -> str:
    """The prompt of a row as text."""
    return table.prompt(row).text


def _repeated(log: HostLog) -> int:
    """How many outputs ask what a later one asks again, under the same name."""
    names = [(one.hash, one.task, one.id, one.prompt) for one in log.outputs if one.sample == 0]
    return len(names) - len(set(names))


def _none_matched(log: HostLog, by_id: bool) -> str:
    if by_id or not any(one.id and not (one.hash or one.prompt) for one in log.outputs):
        return "give the suite, seed and split that were asked: --suite, --seed, --split"
    return "lines need the hash or the prompt of their question; --by-id takes ids at their word, which seeds repeat"


def _unmatched(log: HostLog, rows: list[Row], table: HostTable, by_id: bool) -> int:
    """How many outputs belong to none of the rows."""
    left = 0
    used = OutputIndex(log.outputs, by_id=by_id)
    found = {id(used.find(row.task, row.instance, [asked_text(table, row)], row_hash(*row))) for row in rows}
    for one in log.outputs:
        left += id(one) not in found and one.sample == 0
    return left


def _suite(
    suite: str | Suite | None, seed: int | None, options: Mapping[str, Any] | None, log: HostLog, path: str | Path
) -> Suite:
    if isinstance(suite, Suite):
        return suite
    if suite is not None:
        return open_suite(suite, seed=seed, options=options)
    if not log.suite:
        raise UserError("the log does not say which suite was asked", where=str(path), hint="--suite SUITE")
    return open_recorded(log.suite, seed=log.seed if seed is None else seed, options=dict(options or {}) or log.options)


def describe(found: ImportedRun) -> dict[str, Any]:
    """For machines."""
    return {
        "folder": str(found.run.folder),
        "matched": found.matched,
        "unmatched": found.unmatched,
        "missing": found.missing,
        "repeated": found.repeated,
        "overall": msgspec.to_builtins(found.run.overall()),
    }
