"""What exported lm-evaluation-harness tasks point to: functions that load rows and score outputs through Taskloom."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import Any, Literal

import msgspec
import yaml

from taskloom import __version__
from taskloom.core import Suite, Task, UserError
from taskloom.core.catalog import FAMILIES
from taskloom.core.decode import decode_json
from taskloom.core.folders import cache_folder
from taskloom.core.rng import digest
from taskloom.hosts.card import filled
from taskloom.hosts.table import DEFAULT_PROTOCOL, HostTable, judge_record, opened, options_text
from taskloom.protocol import protocol_named
from taskloom.store.atomic import disk_errors, write_atomically
from taskloom.store.ownership import write_ours


def load(**settings: Any) -> Any:
    """The rows of a task as the harness wants them: `custom_dataset` of an exported task.

    Args:
        **settings: The metadata of the task (`suite`, `seed`, `options`, `split`, `only_task`, `protocol`, `n`), which
            `--metadata '{"seed": 3}'` overrides; the harness adds settings of its own, which are ignored.
    """
    from datasets import Dataset, DatasetDict

    keys = options_text(settings.get("options") or {})
    suite, seed = str(settings["suite"]), settings.get("seed")
    rows = _by_task(suite, seed, keys, settings.get("split"), str(settings.get("protocol", "base")), settings.get("n"))
    only = settings.get("only_task")
    records = rows.get(only, []) if only else [record for held in rows.values() for record in held]
    where = {"suite": suite, "seed": seed, "options": keys}
    return DatasetDict({"test": Dataset.from_list([{**record, "taskloom": where} for record in records])})


@lru_cache(maxsize=16)
def _by_task(
    name: str, seed: int | None, options: str, split: str | None, protocol: str, n: int | None
) -> dict[str, list[dict[str, Any]]]:
    """The records of a split by task, drawn once however many tasks of the harness ask for them."""
    suite = opened(name, seed, options)
    table = HostTable(suite, protocol)
    found: dict[str, list[dict[str, Any]]] = {}
    for record in islice(table.records(split or suite.default_split()), n):
        task = suite.tasks[record["task"]]
        choices = list(task.labels) or [record["answer"]]
        gold = choices.index(record["answer"]) if record["answer"] in choices else 0
        kept = {key: record[key] for key in ("id", "task", "prompt", "answer", "input", "hash")}
        # As text: targets of unlike kinds share no typed column with each other.
        kept |= {"targets": msgspec.json.encode(record["targets"]).decode(), "choices": choices, "gold": gold}
        found.setdefault(record["task"], []).append(kept)
    return found


def process_results(doc: Mapping[str, Any], results: Sequence[Any]) -> dict[str, float]:
    """The score of one output, by the lenient and by the strict reading."""
    where = doc["taskloom"]
    task = opened(where["suite"], where["seed"], where["options"]).tasks[doc["task"]]
    record = {**doc, "targets": decode_json(doc["targets"], where=str(doc["task"]))}
    said = results[0] if isinstance(results[0], str) else ""
    return {
        "score": judge_record(task, record, said).score or 0.0,
        "strict": judge_record(task, record, said, "strict").score or 0.0,
    }


Form = Literal["generate", "choice"]
MOST_TASKS = 64
"""A suite with more tasks than these is written as one task: the harness builds every task on its own."""
_MOST_ROWS = 20_000


def host_name(*parts: str) -> str:
    """A name that the harness takes: letters, digits, `-`, `_` and `.`."""
    return re.sub(r"[^A-Za-z0-9.-]+", "_", "_".join(("taskloom", *parts))).strip("_")


def _task_file(name: str, metadata: Mapping[str, Any], form: Form, generation: Mapping[str, Any]) -> str:
    return filled(
        "lm_eval_task.yaml", name=name, form=form, until=list(generation.get("stop") or ["\n\n"]),
        longest=generation.get("max_tokens", 64), metadata={"version": 1.0, "taskloom": __version__, **metadata},
    )  # fmt: skip


def write_lm_eval(
    suite: Suite,
    folder: str | Path,
    *,
    splits: list[str] | None = None,
    protocol: str = DEFAULT_PROTOCOL,
    form: Form = "generate",
    limit: int | None = None,
) -> list[str]:
    """Write the tasks of a suite, and a group of them.

    Args:
        suite: A suite that was opened by name or path: tasks load it again from there.
        folder: Where the YAML files go; files of the same names are replaced.
        splits: The split to ask (one; test by default).
        protocol: How models are asked; one whose prompts are text.
        form: "generate" lets the model write and reads it as Taskloom does, "choice" ranks the labels.
        limit: At most this many rows.

    Returns:
        The names of the tasks, a group first.

    Raises:
        UserError: The suite cannot be opened by name, or its tasks have no labels to choose from.
    """
    origin = suite.origin
    if origin is None:
        raise UserError(
            "a suite made in Python cannot be loaded by name", hint="write_bundle(suite, DIR), then export DIR"
        )
    chosen = protocol_named(protocol, suite.family)
    if chosen.encoding == "chat":
        raise UserError(
            "lm-evaluation-harness builds its own chat messages from text",
            where="--protocol chat",
            hint="--protocol base, and --apply_chat_template in the harness",
        )
    if splits and len(splits) > 1:
        raise UserError("lm-evaluation-harness asks one split of a task", where="--split")
    split = splits[0] if splits else suite.default_split()
    name = origin.name if not Path(origin.name).exists() else str(Path(origin.name).resolve())
    metadata: dict[str, Any] = {"suite": name, "seed": origin.seed, "split": split, "protocol": protocol}
    metadata |= {"options": msgspec.to_builtins(dict(origin.options))} if origin.options else {}
    metadata |= {"n": limit} if limit else {}
    return _write_files(suite, Path(folder), split, metadata, form, chosen)


def _write_files(
    suite: Suite, folder: Path, split: str, metadata: dict[str, Any], form: Form, protocol: Any
) -> list[str]:
    tasks = _tasks_asked(suite, split, metadata.get("n"))
    labelled = {name: task for name, task in tasks.items() if task.labels}
    if form == "choice" and not labelled:
        raise UserError(f"no task of {suite.name} has labels to choose from", where="--form choice")
    files: dict[str, str] = {}
    whole = host_name(suite.name)
    if len(tasks) in (1, MOST_TASKS + 1):
        if form == "choice" and len(labelled) < len(tasks):
            raise UserError(f"some tasks of {suite.name} have no labels to choose from", where="--form choice")
        files[whole] = _task_file(whole, metadata, form, protocol.settings(tasks.values()))
    else:
        for name in labelled if form == "choice" else tasks:
            own = host_name(suite.name, name)
            files[own] = _task_file(own, {**metadata, "only_task": name}, form, protocol.settings([tasks[name]]))
        metric = "acc" if form == "choice" else "score"
        group = {
            "group": whole,
            "task": sorted(files),
            # Every task counts once, as in Taskloom's own tables.
            "aggregate_metric_list": [{"metric": metric, "aggregation": "mean", "weight_by_size": False}],
            "metadata": {"version": 1.0},
        }
        files = {whole: yaml.safe_dump(group, sort_keys=False), **files}
    with disk_errors(folder):
        folder.mkdir(parents=True, exist_ok=True)
        for own, text in files.items():
            write_ours(folder / f"{own}.yaml", text)
    return list(files)


def _tasks_asked(suite: Suite, split: str, limit: int | None) -> dict[str, Task]:
    """The tasks that the rows of a split ask, one more than `MOST_TASKS` at most."""
    found: dict[str, Task] = {}
    for row in suite.rows(split, limit=limit or _MOST_ROWS):
        if row.task not in found:
            found[row.task] = suite.tasks[row.task]
            if len(found) > MOST_TASKS:
                break
    return found


def lm_eval_path() -> Path:
    """A folder with a task for every registered suite that needs no files of the user's."""
    files = {}
    for family in FAMILIES:
        for suite, spec in FAMILIES.get(family).suites().items():
            if "(needs" not in spec.title:
                name = host_name(family, suite)
                metadata = {"suite": f"{family}/{suite}", "seed": 0, "protocol": DEFAULT_PROTOCOL}
                files[name] = _task_file(
                    name, metadata, "generate", protocol_named(DEFAULT_PROTOCOL, family).generation
                )
    folder = cache_folder("lm_eval", digest("lm-eval", *files.values()).hex()[:12])
    if not (folder / ".complete").exists():
        with disk_errors(folder):
            folder.mkdir(parents=True, exist_ok=True)
            for name, text in files.items():
                write_atomically(folder / f"{name}.yaml", text.encode())
            write_atomically(folder / ".complete", b"")
    return folder
