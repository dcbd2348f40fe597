"""A suite as a reasoning-gym dataset: `question`, `answer`, `metadata`, and a `score_answer` with our scores."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from reasoning_gym.dataset import ProceduralDataset
from reasoning_gym.factory import register_dataset

from taskloom.core import open_suite
from taskloom.hosts.table import HostTable, judge_record


@dataclass
class TaskloomConfig:
    """What is asked.

    Attributes:
        suite: A suite by name, or a folder.
        split: Which split; the default one where empty.
        protocol: How models are asked; one whose prompts are text.
        reading: The reading that counts.
        options: Recipe keys.
        seed: The seed of the data.
        size: At most this many rows.
    """

    suite: str = "babi/task-1"
    split: str = ""
    protocol: str = "base"
    reading: str = "lenient"
    options: dict[str, Any] = field(default_factory=dict)
    seed: int | None = 0
    size: int = 500


class TaskloomDataset(ProceduralDataset):
    """`reasoning_gym.create_dataset("taskloom", suite="babi/mix-t7", seed=3)`."""

    def __init__(self, config: TaskloomConfig) -> None:
        self.suite = open_suite(config.suite, seed=config.seed, options=config.options)
        self._table = HostTable(self.suite, config.protocol)
        self._rows = self.suite[config.split or self.suite.default_split()][: config.size]
        super().__init__(config=config, seed=config.seed or 0, size=len(self._rows))

    def __getitem__(self, idx: int) -> dict[str, Any]:
        record = self._table.record(self._rows[idx])
        metadata = {key: value for key, value in record.items() if key not in ("prompt", "answer")}
        metadata |= {"source_dataset": "taskloom", "source_index": idx, "prompt": record["prompt"]}
        return {"question": record["prompt"], "answer": record["answer"], "metadata": metadata}

    def score_answer(self, answer: str | None, entry: dict[str, Any]) -> float:
        """The score that a run gives."""
        metadata = entry["metadata"]
        return (
            judge_record(self.suite.tasks[metadata["task"]], metadata, answer or "", self.config.reading).score or 0.0
        )


register_dataset("taskloom", TaskloomDataset, TaskloomConfig)
