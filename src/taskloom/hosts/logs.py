"""What a log of another harness says, before it becomes a run."""

from __future__ import annotations

from typing import Any, NamedTuple

from taskloom.models.outputs import SavedOutput

__all__ = ["HostLog"]


class HostLog(NamedTuple):
    """Outputs, and whatever the log says about where they come from.

    Attributes:
        outputs: The outputs.
        name: What the model is called.
        suite: The suite that was asked, "" where the log does not say.
        seed: Its seed.
        options: Its recipe keys.
        split: Its split, "" where the log does not say.
    """

    outputs: list[SavedOutput]
    name: str = ""
    suite: str = ""
    seed: int | None = None
    options: dict[str, Any] = {}
    split: str = ""
