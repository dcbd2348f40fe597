"""Suites as a verifiers (v1) taskset: one turn per row, rewarded as a run scores it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Literal

import verifiers.v1 as vf

from taskloom.core import Row
from taskloom.hosts.table import HostTable, judge_record, opened, options_text
from taskloom.rl.columns import unpack_targets
from taskloom.rl.reward import Reward
from taskloom.rl.stream import endless


class TaskloomData(vf.TaskData):
    """One row: how its suite is opened, and the record that is judged."""

    suite: str
    seed: int | None
    options: str
    reading: str
    record: dict[str, Any]


class TaskloomTask(vf.Task[TaskloomData]):
    """One turn, then the reward."""

    @vf.stop
    async def single_turn(self, trace: vf.Trace) -> bool:
        """One answer is all there is."""
        return bool(trace.num_turns >= 1)

    @vf.reward(weight=1.0)
    async def taskloom(self, trace: vf.Trace) -> float:
        """The score of the answer, as a run gives it."""
        data = self.data
        tasks = opened(data.suite, data.seed, data.options).tasks
        task, said = tasks[data.record["task"]], trace.last_reply or ""
        if data.reading == "shaped":
            shown = data.record["prompt"]
            reward = Reward(tasks, "shaped")
            return reward(prompts=[shown], completions=[said], task=[task.name],
                          targets=[unpack_targets(data.record["targets"])])[0] or 0.0  # fmt: skip
        return judge_record(task, data.record, said, data.reading).score or 0.0


class TaskloomConfig(vf.TasksetConfig):
    """What is asked: `--env.taskset.suite babi/mix-t7 --env.taskset.seed 3`."""

    suite: str = "babi/task-1"
    seed: int | None = None
    split: str = ""
    options: dict[str, Any] = {}
    reading: Literal["strict", "lenient", "shaped"] = "lenient"
    endless: bool = False


class TaskloomTaskset(vf.Taskset[TaskloomTask, TaskloomConfig]):
    """The rows of a split; with `endless` they go on under other seeds, apart from every other split."""

    def load(self) -> Iterable[TaskloomTask]:
        """The tasks, one after the other."""
        config = self.config
        keys = options_text(config.options)
        suite = opened(config.suite, config.seed, keys)
        table = HostTable(suite, "chat")
        split = config.split or suite.default_split()
        rows: Iterator[Row] = endless(suite, split) if config.endless else suite.rows(split)
        for row in rows:
            record = table.record(row)
            system, *turns = record["prompt"]
            yield TaskloomTask(
                TaskloomData(
                    id=f"{row.task}/{row.instance.id}",
                    name=row.task,
                    prompt=turns,
                    system_prompt=system["content"],
                    suite=config.suite,
                    seed=config.seed,
                    options=keys,
                    reading=config.reading,
                    record={key: record[key] for key in ("id", "task", "input", "prompt", "targets")},
                ),
                config.task,
            )
