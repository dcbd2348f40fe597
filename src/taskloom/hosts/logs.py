"""What a log of another harness says, before it becomes a run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from taskloom.core import UserError
from taskloom.models.outputs import SavedOutput


class HostLog(NamedTuple):
    """Outputs, and what the log says about their origin.

    Attributes:
        outputs: The outputs.
        name: What the model is called.
        suite: The suite that was asked, "" where the log does not say.
        seed: Its seed.
        options: Its recipe keys.
        split: Its split, "" where the log does not say.
        form: How the model was asked: "chat" (in messages), "text", or "" where the log does not say.
    """

    outputs: list[SavedOutput]
    name: str = ""
    suite: str = ""
    seed: int | None = None
    options: dict[str, Any] = {}
    split: str = ""
    form: str = ""


def asked_of(origin: Mapping[str, Any], where: str) -> dict[str, Any]:
    """The suite, seed and options that a log says were asked; none of them where it says nothing.

    Raises:
        UserError: One of them is of another kind than it must be.
    """
    suite, seed, options = origin.get("suite") or "", origin.get("seed"), origin.get("options") or {}
    if not isinstance(suite, str) or not isinstance(seed, int | None) or not isinstance(options, dict):
        raise UserError("what the log says about its suite cannot be read", where=where, hint="--suite SUITE")
    return {"suite": suite, "seed": seed, "options": options}
