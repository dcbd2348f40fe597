"""What every host needs of a suite: its rows, opened once per process, and one way to judge what was said."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import msgspec

from taskloom.ask.judge import ScoredReading, judge_answer
from taskloom.core import Instance, Suite, Task, open_suite
from taskloom.core.decode import decode_json
from taskloom.rl.reward import chat_text, completion_text
from taskloom.store.columns import unpack_targets


def options_text(options: Mapping[str, Any]) -> str:
    """Recipe keys as text that is the same for the same keys."""
    return msgspec.json.encode(dict(sorted(options.items()))).decode()


@lru_cache(maxsize=16)
def opened(name: str, seed: int | None = None, options: str = "{}") -> Suite:
    """A suite by name, seed and recipe keys (as JSON); opened once, because hosts ask for it task by task."""
    return open_suite(name, seed=seed, options=decode_json(options, where="options"))


def judge_record(task: Task, record: Mapping[str, Any], said: Any, reading: str = "lenient") -> ScoredReading:
    """What was said to a record of a `HostTable`, read and scored as a run would."""
    instance = Instance(str(record.get("id", "")), str(record.get("input", "")), unpack_targets(record["targets"]))
    return judge_answer(
        task, instance, completion_text(said), reader=reading, prompt=chat_text(record.get("prompt") or "")
    )
