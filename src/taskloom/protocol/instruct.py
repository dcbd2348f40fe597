"""An encoding whose prompts say and show what an answer looks like, in one wording or another."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import msgspec

from taskloom.core import Example, Instance, Task
from taskloom.core.encoding import Encoding, Prompt, Tokenizer
from taskloom.protocol.formats import FORMS, answer_format, answer_schema, form_sentence, in_form
from taskloom.protocol.wordings import draw_wording, reword

EXAMPLE_TOKENS = 1_500
"""Tokens that solved examples may take together, counted as four characters each; the last are left out first."""


class InstructedEncoding(Encoding, frozen=True, kw_only=True):
    """Another encoding with the answer format appended to each definition. Made by protocols.

    Attributes:
        inner: The encoding that makes the prompt.
        wordings: How many wordings there are; an instance is asked under one of them.
        seed: The seed of the draw.
        format: Say what an answer looks like.
        form: The form in which answers are asked for and examples are shown: "line" (a last line "Answer: …"),
            "schema" (JSON by the schema of the kind of answer), or "" (as they are).
    """

    name: ClassVar[str] = "instructed"

    inner: Encoding
    wordings: int = 1
    seed: int = 0
    format: bool = True
    form: str = ""

    def __post_init__(self) -> None:
        if self.form not in FORMS:
            raise ValueError(f"form must be one of {', '.join(filter(None, FORMS))}, not {self.form!r}")

    def encode(
        self, task: Task, instance: Instance, demos: Sequence[Example] = (), tokenizer: Tokenizer | None = None
    ) -> Prompt:
        wording = draw_wording(task, instance, self.wordings, self.seed)
        shown = [_shown(demo, task, self.form) for demo in demos] if self.form else demos
        prompt = self.inner.encode(_worded(task, self.format, self.form, wording), instance, shown, tokenizer)
        if self.form == "schema":
            schema = answer_schema(task)
            # What people are shown of messages names the schema; a plain text is sent as it stands.
            text = f"{prompt.text}\n\n[schema]\n{schema}" if prompt.messages else prompt.text
            prompt = msgspec.structs.replace(prompt, schema=schema, text=text)
        return msgspec.structs.replace(prompt, wording=str(wording)) if self.wordings > 1 else prompt

    def describe(self) -> dict[str, Any]:
        own: dict[str, Any] = {"format": self.format, "wordings": self.wordings, "seed": self.seed}
        if self.form:
            own["form"] = self.form
        return {**self.inner.describe(), "instructed": own}


_worded_tasks: dict[tuple[int, bool, str, int], tuple[Task, Task]] = {}


def _worded(task: Task, form: bool, shape: str, wording: int) -> Task:
    """The task with its definition in that wording and its examples in the form, made once."""
    known = _worded_tasks.get((id(task), form, shape, wording))
    if known is not None and known[0] is task:
        return known[1]
    if len(_worded_tasks) > 50_000:
        _worded_tasks.clear()
    once = msgspec.structs.replace(task.instruction, definition=_asked_once(task.instruction.definition, task))
    asked = msgspec.structs.replace(task, instruction=once)
    definition = reword(asked, answer_format(task) if form else "", wording, form_sentence(task, shape))
    instruction = msgspec.structs.replace(task.instruction, definition=definition)
    if shape:
        instruction = msgspec.structs.replace(instruction, positive=_fitting(task, shape))
    made = msgspec.structs.replace(task, instruction=instruction)
    _worded_tasks[id(task), form, shape, wording] = (task, made)
    return made


def _asked_once(definition: str, task: Task) -> str:
    """The definition without the question that every input ends with."""
    asked = {example.input.rpartition("\n")[2].partition(": ")[2] for example in task.instruction.positive}
    question = asked.pop() if len(asked) == 1 else ""
    return definition.replace(f": {question}", ".", 1) if question.endswith("?") else definition


def _shown(example: Example, task: Task, shape: str) -> Example:
    return msgspec.structs.replace(example, output=in_form(example.output, task, shape))


def _fitting(task: Task, shape: str) -> tuple[Example, ...]:
    """The first examples that fit into the budget, in the form."""
    kept: list[Example] = []
    room = 4 * EXAMPLE_TOKENS
    for example in task.instruction.positive:
        room -= len(example.input) + len(example.output)
        if room < 0:
            break
        kept.append(_shown(example, task, shape))
    return tuple(kept)
