"""Rows as ZEST publishes them: one task a line, with its question and the passages it is asked of."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import msgspec

from taskloom.core import Items, Row, Structure, Targets, Task, acceptable_texts
from taskloom.families.zest.load import GENERALISATIONS

_PUBLISHED = {ours: published for published, ours in GENERALISATIONS.items()}


def write_tasks(rows: Iterable[Row], tasks: Mapping[str, Task], path: str | Path) -> int:
    """Write rows as the published JSONL; returns how many tasks were written. `zest/file` reads it again."""
    examples: dict[str, list[dict[str, Any]]] = {}
    questions: dict[str, str] = {}
    for row in rows:
        parts = row.instance.parts
        questions[row.task] = parts["question"]
        examples.setdefault(row.task, []).append({"context": parts["passage"], "answer": _answer(row.instance.targets)})
    with Path(path).open("wb") as out:
        for name, held in examples.items():
            facets = tasks[name].facets
            kind = str(facets.get("generalisation") or "base")
            derives = facets.get("derives_from") or ()
            line = {
                "id": name,
                "question": questions[name],
                "type": {
                    "generalization_type": _PUBLISHED.get(kind, kind),
                    "domain": facets.get("domain") or "unknown",
                    "derives_from": list(derives) if isinstance(derives, tuple) else [derives],
                },
                "examples": held,
            }
            out.write(msgspec.json.encode(line) + b"\n")
    return len(examples)


def _answer(targets: Targets) -> Any:
    """An answer as the files hold it: a text, several, or a list of objects."""
    if isinstance(targets, Structure) and len(targets.alternatives) == 1:
        return targets.values()[0]
    if isinstance(targets, Items):
        texts = ["|".join(items) or targets.empty for items in targets.alternatives]
    else:
        texts = list(acceptable_texts(targets))
    return texts[0] if len(texts) == 1 else texts
