"""The plan of a run: everything that decides what its records will be."""

from __future__ import annotations

import platform
import sys
from pathlib import Path
from typing import Any

import msgspec

from taskloom import __version__
from taskloom.core import Task, UserError, content_hash
from taskloom.core.decode import read_jsonl
from taskloom.core.folders import not_here
from taskloom.run.log import LOGS, has_records
from taskloom.store.atomic import write_atomically
from taskloom.store.seal import read_sealed, write_sealed

PLAN = "run.json"
TASKS = "tasks.jsonl"
RESULTS = "results.json"
FORMAT = 2

_SHOWN = {"format": "log format"}
_FOLLOWING = ("identity", "recipe", "tasks_hash")
"""What differs wherever the suite does."""


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """What is run on what, and how. Two runs may differ in `environment`, `command` and `notes` alone and be equal.

    `identity` is the suite's and covers its rows. `streams` names the cells of a plan that is open-ended: it asks fresh
    items of those cells, as many as it takes, instead of the rows of a split. `weights` says how answers were found and
    weighed, where they were not simply written. `shard` is "i/n" where the run asks every n-th row only.
    """

    format: int = FORMAT
    suite: str
    identity: str = ""
    data_seed: int
    recipe: dict[str, Any]
    tasks_hash: str
    split: str
    limit: int | None
    samples: int = 1
    weights: dict[str, Any] = {}
    streams: tuple[str, ...] = ()
    protocol: dict[str, Any] = {}
    model: dict[str, Any]
    encoding: dict[str, Any]
    generation: dict[str, Any]
    adaptation: dict[str, Any]
    run_seed: int
    scorer: str | None
    scorer_options: dict[str, Any] = {}
    reader: str | None = None
    environment: dict[str, str] = {}
    command: str = ""
    notes: dict[str, Any] = {}
    shard: str = ""

    @property
    def title(self) -> str:
        """What to call it in tables and sentences: the model, and how it was adapted, here or in another run."""
        here = self.adaptation.get("name", "none")
        before = self.model.get("settings", {}).get("adaptation", {}).get("name")
        return " + ".join(filter(None, (str(self.model["name"]), before, "" if here == "none" else here)))

    @property
    def strict_reader(self) -> str | None:
        """The strict reader of all tasks; None where each task has its own."""
        reader: str | None = self.protocol.get("reader", self.reader)
        return reader

    def decisive(self) -> dict[str, Any]:
        """The parts that decide the records."""
        # Through JSON, so that a plan read from disk (lists) equals the one in memory (tuples).
        data: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(self))
        for key in ("environment", "command", "notes", *(() if self.shard else ("shard",))):
            del data[key]
        return data

    def hash(self) -> str:
        """A hash of the decisive parts."""
        return content_hash(self.decisive())


def fitted_here(plan: Plan) -> bool:
    """Whether a run fitted its model, and nothing that is recorded did so before."""
    fits = plan.adaptation.get("name", "none") not in ("none", "in-context")
    return fits and not plan.model.get("settings", {}).get("adaptation")


def environment() -> dict[str, str]:
    """Versions worth knowing later."""
    versions = {"taskloom": __version__, "python": platform.python_version(), "platform": platform.platform()}
    for package in ("torch", "transformers", "peft", "numpy", "pyarrow"):
        module = sys.modules.get(package)
        if module is not None:
            versions[package] = str(getattr(module, "__version__", "?"))
    return versions


def plan_hash(folder: Path) -> str:
    """The hash of the plan in a run's folder; empty where there is none."""
    return load_plan(folder).hash() if (folder / PLAN).is_file() else ""


def check_folder(plan: Plan, folder: Path) -> None:
    """Make sure that a folder is free, or holds this very run.

    Raises:
        UserError: It holds the log of another run (with what differs), a bundle, or records without a plan.
    """
    if (folder / PLAN).exists():
        old = load_plan(folder)
        if not _begun(folder):
            return
        if old.hash() != plan.hash():
            raise UserError(
                f"this folder contains the log of another run ({_difference(old, plan)})",
                where=str(folder),
                hint="to continue it, use the command it was started with; or choose another folder with -o",
            )
        return
    if (folder / "manifest.json").exists():
        raise UserError("this folder contains a bundle", where=str(folder), hint="name another folder with -o")
    records = has_records(folder)
    found = next((name for name in (TASKS, RESULTS, LOGS, "adaptation") if (folder / name).exists()), None)
    if (records or found) and (folder / PLAN).exists():
        check_folder(plan, folder)  # another process has just begun to write here
    elif records:
        raise UserError("this folder contains records without their plan (run.json)", where=str(folder))
    elif found:
        raise UserError(
            "this file was not written by a run of Taskloom, so it was left unchanged",
            where=str(folder / found),
            hint="name another folder with -o",
        )


def save_plan(plan: Plan, tasks: list[Task], folder: Path) -> None:
    """Write the plan of a new run; that of a continued one stays as it is."""
    if (folder / PLAN).is_file() and _begun(folder):
        return
    # The plan comes first: it is what says that the other files of the folder are ours.
    write_sealed(folder / PLAN, plan)
    write_atomically(folder / TASKS, b"".join(msgspec.json.encode(task) + b"\n" for task in tasks))


def _begun(folder: Path) -> bool:
    """Whether there is anything to continue: a run that was refused before its first record leaves its folder free."""
    from taskloom.adapt.lane import has_begun  # brings all of training with it, which few commands need

    return has_records(folder) or has_begun(folder / "adaptation")


def _difference(old: Plan, new: Plan) -> str:
    """The first decisive keys in which two plans differ."""
    before, after = old.decisive(), new.decisive()
    keys = [key for key in after if before.get(key) != after[key]]
    shown = []
    for key in [key for key in keys if key not in _FOLLOWING][:2] or keys[:2]:
        name = _SHOWN.get(key, key.replace("_", " "))
        if isinstance(after[key], dict) and before[key].get("name") != after[key].get("name"):
            shown.append(f"{name} {before[key].get('name')!r}, not {after[key].get('name')!r}")
        elif isinstance(after[key], dict) or key.endswith("hash"):
            inner = (
                [k for k in after[key] if before[key].get(k) != after[key][k]] if isinstance(after[key], dict) else []
            )
            shown.append(f"another {name}" + (f": {', '.join(inner[:3])}" if inner else ""))
        else:
            shown.append(f"{name} {before.get(key)!r}, not {after[key]!r}")
    return "; ".join(shown)


def load_plan(folder: str | Path) -> Plan:
    """The plan of a run."""
    path = Path(folder) / PLAN
    if not path.is_file():
        raise not_here(folder, "run", "taskloom run SUITE --model M -o DIR")
    try:
        data = read_sealed(path, "the plan")
        if isinstance(data.get("format"), int) and data["format"] > FORMAT:
            raise UserError("written by a newer Taskloom", where=str(path), hint="pip install --upgrade taskloom")
        if "extractor" in data:
            data["reader"] = data.pop("extractor")  # what the first format called it
        return msgspec.convert(data, Plan)
    except msgspec.DecodeError as error:
        raise UserError(f"the plan is truncated or damaged: {error}", where=str(path)) from None


def load_tasks(folder: str | Path) -> dict[str, Task]:
    """The tasks of a run by name."""
    path = Path(folder) / TASKS
    try:
        tasks = [task for _, task in read_jsonl(path, type=Task)]
    except UserError as error:
        raise UserError(f"the tasks of the run cannot be read: {error.message}", where=error.where) from None
    return {task.name: task for task in tasks}
