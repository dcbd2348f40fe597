"""The plainest encoding: the input as it stands, with as much of the instruction as is asked for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from taskloom.core import Example, Instance, Task
from taskloom.core.encoding import Encoding, Prompt, Tokenizer


class Plain(Encoding, frozen=True, kw_only=True):
    """Blocks of text with an empty line between them; by default the one block is the input.

    Models that are trained on a task need no more; for others switch on `definition` and `positive`, or hand over
    in-context examples.

    Attributes:
        task_name: Begin with the name of the task.
        definition: Show the definition.
        positive: At most this many right examples (in-context examples, if any, are all shown instead).
        negative: At most this many wrong examples, marked with `wrong`.
        explanations: Add a line to each example that says why, where the example has one.
        answer: Stands before the answer, "Answer:" for instance; the prompt then ends with it.
        wrong: Stands before a wrong answer.
    """

    name: ClassVar[str] = "plain"

    task_name: bool = False
    definition: bool = False
    positive: int = 0
    negative: int = 0
    explanations: bool = False
    answer: str = ""
    wrong: str = "Wrong answer:"

    def __post_init__(self) -> None:
        if self.positive < 0 or self.negative < 0:
            raise ValueError("positive and negative count examples and cannot be below 0")

    def encode(
        self, task: Task, instance: Instance, demos: Sequence[Example] = (), tokenizer: Tokenizer | None = None
    ) -> Prompt:
        instruction = task.instruction
        blocks = [task.name] if self.task_name else []
        if self.definition:
            blocks.append(instruction.definition)
        blocks += [self._example(example, self.answer) for example in demos or instruction.positive[: self.positive]]
        blocks += [self._example(example, self.wrong) for example in instruction.negative[: self.negative]]
        blocks.append(f"{instance.input}\n{self.answer}" if self.answer else instance.input)
        return Prompt("\n\n".join(blocks))

    def _example(self, example: Example, marker: str) -> str:
        lines = [example.input, f"{marker} {example.output}" if marker else example.output]
        if self.explanations and example.explanation is not None:
            lines.append(f"Explanation: {example.explanation}")
        return "\n".join(lines)


PLAIN = Plain()
