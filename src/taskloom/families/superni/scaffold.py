"""A task file to begin with: small, complete, and without findings of the linter that matter."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import msgspec

from taskloom.core import UserError, keyed_random
from taskloom.families.superni.schema import KEYS

_WORDS = [
    "apple",
    "river",
    "stone",
    "cloud",
    "music",
    "bread",
    "window",
    "garden",
    "paper",
    "silver",
    "winter",
    "letter",
    "market",
    "bridge",
    "candle",
    "forest",
]
_INSTANCES = 120


def _sample_instances(number: str) -> list[dict[str, Any]]:
    """A made-up task that works, so that every key can be seen in use."""
    instances: list[dict[str, Any]] = []
    seen: set[str] = set()
    rng = keyed_random("superni/scaffold", number)
    while len(instances) < _INSTANCES:
        words = rng.sample(_WORDS, 4)
        text = ", ".join(words)
        if text not in seen:
            seen.add(text)
            name = f"task{number}-{rng.getrandbits(128):032x}"
            instances.append({"id": name, "input": text, "output": [", ".join(reversed(words))]})
    return instances


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
    values: dict[str, Any] = {
        "contributors": ["Your name"],
        "source": ["the name of the dataset or book the texts come from"],
        "url": ["https://example.org"],
        "categories": ["Program Execution"],
        "reasoning": [],
        "definition": [
            "You are given four words with commas between them. Write the same words in the opposite order, so that "
            "the last one comes first. Keep the commas and leave the words as they are."
        ],
        "input_language": ["English"],
        "output_language": ["English"],
        "instruction_language": ["English"],
        "domains": ["Linguistics"],
        "positive": [
            {
                "input": "sea, hill, tree, sun",
                "output": "sun, tree, hill, sea",
                "explanation": "The last word comes first.",
            },
            {
                "input": "tea, milk, salt, oil",
                "output": "oil, salt, milk, tea",
                "explanation": "All four words are kept.",
            },
        ],
        "negative": [
            {
                "input": "sea, hill, tree, sun",
                "output": "nus, eert, llih, aes",
                "explanation": "The letters were turned around as well.",
            }
        ],
        "instances": _sample_instances(number),
        "license": ["CC BY 4.0"],
    }
    folder.mkdir(parents=True, exist_ok=True)
    published = {KEYS[key]: values[key] for key in KEYS}
    path.write_bytes(msgspec.json.format(msgspec.json.encode(published), indent=4))
    return path
