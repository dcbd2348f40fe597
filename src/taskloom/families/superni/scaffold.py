"""A task file to begin with: small, complete, and without findings of the linter that matter."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import msgspec

from taskloom.core import UserError, keyed_random
from taskloom.core.decode import read_json

_INSTANCES = 120


def _sample_instances(words: list[str], number: str) -> list[dict[str, Any]]:
    """A made-up task that works, so that every key can be seen in use: words in the opposite order."""
    instances: dict[str, dict[str, Any]] = {}
    rng = keyed_random("superni/scaffold", number)
    while len(instances) < _INSTANCES:
        drawn = rng.sample(words, 4)
        text = ", ".join(drawn)
        if text not in instances:
            name = f"task{number}-{rng.getrandbits(128):032x}"
            instances[text] = {"id": name, "input": text, "output": [", ".join(reversed(drawn))]}
    return list(instances.values())


def scaffold_task(name: str, folder: Path) -> Path:
    """Write `folder/NAME.json`, a worked task to be rewritten piece by piece.

    Args:
        name: `task123_words`; a number is put in front where it is missing.
        folder: Where the file goes; made if need be.

    Raises:
        UserError: The file exists, or the name has no letters.
    """
    words = re.sub(r"[^a-z0-9.\-]+", "_", name.lower().removesuffix(".json")).strip("_")
    if not re.search("[a-z]", words.removeprefix("task")):
        raise UserError(f"{name!r} does not describe the task", hint="taskloom new task-file capital_of_country")
    if not re.match(r"task\d+_", words):
        words = f"task001_{words}"
    path = folder / f"{words}.json"
    if path.exists():
        raise UserError("the file already exists", where=str(path), hint="choose another name or folder")
    number = words.removeprefix("task").partition("_")[0]
    task: dict[str, Any] = read_json(Path(__file__).with_suffix(".json"))  # its instances are words to draw from
    task["Instances"] = _sample_instances(task["Instances"], number)
    folder.mkdir(parents=True, exist_ok=True)
    path.write_bytes(msgspec.json.format(msgspec.json.encode(task), indent=4))
    return path
