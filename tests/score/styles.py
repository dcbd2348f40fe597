"""Ordinary ways to say an answer, and ways not to: what the lenient reader is measured with.

`styles.toml` holds them as templates, round by round. Every round was written before the reader had seen it.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from taskloom.core import Instance, Items, Task


class Round(NamedTuple):
    """The styles and hedges that were written together."""

    name: str
    styles: list[str]
    hedges: list[str]


ROUNDS = [
    Round(**entry) for entry in tomllib.loads((Path(__file__).parent / "styles.toml").read_text("utf-8"))["round"]
]
_SLOT = re.compile(r"⟨([^⟩]+)⟩")
_BULLETS: dict[str, Callable[[int], str]] = {"-": lambda _: "- ", "*": lambda _: "* ", "1": lambda n: f"{n}. "}


def parts_of(instance: Instance) -> list[str]:
    """The canonical answer in its parts, usually one."""
    targets = instance.targets
    if isinstance(targets, Items):
        return list(targets.alternatives[0]) or [targets.empty]
    slots = getattr(targets, "slots", None)
    return [slot[0] for slot in slots] if slots is not None else [targets.canonical()]


def whole(parts: list[str], task: Task) -> str:
    """The parts as the task wants them: the bare, strict answer."""
    if task.kind == "items":
        return (" | " if task.scorer.startswith("zest") else ", ").join(parts)
    return " ".join(parts)


def say(template: str, parts: list[str], task: Task, instance: Instance, wrong: str = "") -> str:
    """What a model says that answers in a style; hedges also name a wrong answer."""
    several = task.kind in ("items", "sequence") and len(parts) > 1
    answer = whole(parts, task)
    spoken = ", ".join(parts[:-1]) + " and " + parts[-1] if several else answer
    labels = task.labels or (wrong, answer)
    others = [label for label in task.labels if label != answer]
    decoy = others[0] if others else next((word for word in instance.input.split() if word not in parts), "zebra")
    alone = task.kind == "text" and spoken.isalpha() and spoken.islower()
    value: Any = parts if several else parts[0]
    if task.kind == "json" and parts[0][:1] in ("[", "{"):
        value = json.loads(parts[0])
    slots = {
        "a": answer,
        "A": answer[:1].upper() + answer[1:],
        "s": spoken,
        "S": spoken[:1].upper() + spoken[1:],
        "the": f"the {spoken}" if alone else spoken,
        "j": json.dumps(value, ensure_ascii=False),
        "d": decoy,
        "D": decoy[:1].upper() + decoy[1:],
        "q": str(instance.parts.get("question") or instance.input.strip().split("\n")[-1]),
        "w": wrong,
        "jw": json.dumps(wrong),
        "labels": ", ".join(labels),
        "labels-": "- " + "\n- ".join(labels),
        "input": instance.input,
        "definition": task.instruction.definition,
    }
    for sign, bullet in _BULLETS.items():
        slots[sign] = "\n".join(bullet(n) + part for n, part in enumerate(parts if several else [answer], 1))
    return _SLOT.sub(lambda slot: slots[slot[1]], template)
