"""One scored instance, as it stands in the log."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

import msgspec

from taskloom.core import Targets

__all__ = ["LONGEST_RAW", "Record", "State", "printable"]

State: TypeAlias = Literal["scored", "errored", "truncated"]

LONGEST_RAW = 100_000


class Record(msgspec.Struct, frozen=True, kw_only=True):
    """A record of the run log. It carries no clock, so a resumed run leaves the bytes of an unbroken one.

    Attributes:
        task: The task's name.
        id: The instance's id.
        state: `scored`; `errored` (the model failed: no score); `truncated` (it ran out of room; scored if an
            answer was found all the same).
        score: In [0, 1]; None where nothing could be scored.
        scorer: Who scored it.
        raw: What the model said, cut to a sane length with the full length in `raw_length`.
        extracted: The answer found in it; None is 'unparsed'.
        targets: Every acceptable answer, so that logs can be scored again on their own.
        prompt: What the model saw.
        prompt_hash: The hash of every byte of it.
        facets: The instance's facets.
        details: What the scorer kept.
        error: What went wrong.
        tokens: Prompt and output tokens, and cost, where the model tells them.
    """

    task: str
    id: str
    state: State
    score: float | None
    scorer: str
    raw: str
    raw_length: int
    extracted: str | None
    targets: Targets
    prompt: str
    prompt_hash: str
    facets: dict[str, Any] = {}
    details: dict[str, Any] = {}
    error: str = ""
    tokens: dict[str, float] = {}

    @property
    def key(self) -> tuple[str, str]:
        """What tells records of one run apart."""
        return self.task, self.id


def printable(text: str) -> str:
    """Text that any JSON file can hold: lone surrogates become visible escapes."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")
