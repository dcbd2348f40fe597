"""An encoding whose definitions say what an answer looks like, in one wording or another."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import msgspec

from taskloom.core import Example, Instance, Task
from taskloom.core.encoding import Encoding, Prompt, Tokenizer
from taskloom.protocol.formats import answer_format
from taskloom.protocol.wordings import draw_wording, reword

__all__ = ["InstructedEncoding"]


class InstructedEncoding(Encoding, frozen=True, kw_only=True):
    """Another encoding with the answer format appended to each definition. Made by protocols.

    Attributes:
        inner: The encoding that makes the prompt.
        wordings: How many wordings there are; an instance is asked under one of them.
        seed: The seed of the draw.
        format: Say what an answer looks like.
    """

    name: ClassVar[str] = "instructed"

    inner: Encoding
    wordings: int = 1
    seed: int = 0
    format: bool = True

    def encode(
        self, task: Task, instance: Instance, demos: Sequence[Example] = (), tokenizer: Tokenizer | None = None
    ) -> Prompt:
        wording = draw_wording(task, instance, self.wordings, self.seed)
        prompt = self.inner.encode(_worded(task, self.format, wording), instance, demos, tokenizer)
        return msgspec.structs.replace(prompt, wording=str(wording)) if self.wordings > 1 else prompt

    def describe(self) -> dict[str, Any]:
        own = {"format": self.format, "wordings": self.wordings, "seed": self.seed}
        return {**self.inner.describe(), "instructed": own}


_worded_tasks: dict[tuple[int, bool, int], tuple[Task, Task]] = {}


def _worded(task: Task, form: bool, wording: int) -> Task:
    """The task with its definition in that wording, made once."""
    known = _worded_tasks.get((id(task), form, wording))
    if known is not None and known[0] is task:
        return known[1]
    if len(_worded_tasks) > 50_000:
        _worded_tasks.clear()
    definition = reword(task, answer_format(task) if form else "", wording)
    instruction = msgspec.structs.replace(task.instruction, definition=definition)
    made = msgspec.structs.replace(task, instruction=instruction)
    _worded_tasks[id(task), form, wording] = (task, made)
    return made
