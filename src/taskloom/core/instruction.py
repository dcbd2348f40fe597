"""What a person reads before doing a task: the Super-NaturalInstructions schema."""

from __future__ import annotations

import msgspec


class Example(msgspec.Struct, frozen=True):
    """A solved example. `explanation` is None if there is none, which is not the same as ""."""

    input: str
    output: str
    explanation: str | None = None


class Instruction(msgspec.Struct, frozen=True):
    """A definition with examples of right and wrong answers."""

    definition: str
    positive: tuple[Example, ...] = ()
    negative: tuple[Example, ...] = ()
