"""Runs in pieces: each of n machines asks every n-th question, and `merge_runs` makes one run of them.

A shard asks the rows at places i, i + n, i + 2n ... of the same plan, so shards share nothing while they run. The
merged run has the chain of a run that was never divided.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from heapq import merge
from itertools import islice
from pathlib import Path

import msgspec

from taskloom.core import UserError
from taskloom.run.finished_runs import is_finished
from taskloom.run.log import RunLog, read_records
from taskloom.run.plan import Plan, check_folder, load_plan, load_tasks, save_plan
from taskloom.run.sealed import RunSeal

_BATCH = 1_000


def shard_of(text: str) -> tuple[int, int] | None:
    """Which of how many shards a setting like "2/8" names, counted from 0; None for an empty one.

    Raises:
        UserError: It names no shard.
    """
    if not text:
        return None
    found = re.fullmatch(r"(\d+)/(\d+)", text)
    if not found or not 1 <= int(found[1]) <= int(found[2]):
        raise UserError(f"a shard is i/n with i from 1 to n, not {text!r}", where="--shard", hint="--shard 1/8")
    return int(found[1]) - 1, int(found[2])


def merge_runs(folders: Sequence[str | Path], target: str | Path) -> RunSeal:
    """Make one run of all shards of a plan.

    Args:
        folders: The shards, in any order.
        target: The merged run's folder; the same command continues a merge that was broken off.

    Raises:
        UserError: A shard is missing, doubled, unfinished, or of another plan.
    """
    places, target = [Path(folder) for folder in folders], Path(target)
    plan = _common_plan(places)
    check_folder(plan, target)
    with RunLog(target, plan.samples) as log:
        save_plan(plan, list(load_tasks(places[0]).values()), target)
        records = merge(*map(read_records, places), key=lambda record: (record.index, record.sample))
        waiting = (record for record in records if log.places.state(log.place(record.index, record.sample)) is None)
        while batch := list(islice(waiting, _BATCH)):
            log.append(batch)
        return log.finish()


def _common_plan(folders: Sequence[Path]) -> Plan:
    """The plan that these shards divide among them, all of it."""
    plans = [load_plan(folder) for folder in folders]
    whole = [msgspec.structs.replace(plan, shard="") for plan in plans]
    seen: dict[int, Path] = {}
    for folder, plan, undivided in zip(folders, plans, whole, strict=True):
        shard = shard_of(plan.shard)
        if shard is None:
            raise UserError("this run is not a shard", where=str(folder), hint="taskloom run … --shard i/n")
        if undivided.hash() != whole[0].hash() or shard[1] != len(folders):
            expected = f"{shard[1]} shards of one plan are merged, not {len(folders)}"
            raise UserError(f"this is a shard of another plan, or not all are here: {expected}", where=str(folder))
        if shard[0] in seen:
            raise UserError(f"this is shard {plan.shard}, and so is {seen[shard[0]]}", where=str(folder))
        if not is_finished(folder):
            raise UserError("this shard is not finished, or some of it failed", where=str(folder), hint=plan.command)
        seen[shard[0]] = folder
    return whole[0]
