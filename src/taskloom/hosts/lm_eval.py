"""What exported lm-evaluation-harness tasks point to: functions that load rows and score outputs through Taskloom."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import islice
from typing import Any

import msgspec

from taskloom.core.decode import decode_json
from taskloom.hosts.rows import judge_record, opened, options_text
from taskloom.hosts.table import HostTable


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
