"""Chat messages: the instruction from the system, examples as earlier turns, the input as the last."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from taskloom.core import Example, Instance, Task
from taskloom.core.encoding import Encoding, Message, Prompt, Tokenizer


class Chat(Encoding, frozen=True, kw_only=True):
    """Messages for a chat model.

    Right examples are turns of the talk, because that is how a chat model sees what an answer looks like. Wrong
    examples, and examples with explanations, stand in the system message: an assistant turn that explains itself
    would teach the model to explain, and one that errs would teach it to err.

    Attributes:
        task_name: Begin the system message with the name of the task.
        definition: Give the definition in the system message.
        positive: At most this many right examples (in-context examples, if any, are all shown instead).
        negative: At most this many wrong examples.
        explanations: Explain why each example is right or wrong, if there is an explanation.
        reply: A final sentence of the system message about the form of the reply.
        system: Use a system message; models without that role get the same text at the head of the first user turn.
    """

    name: ClassVar[str] = "chat"

    task_name: bool = False
    definition: bool = True
    positive: int = 2
    negative: int = 0
    explanations: bool = False
    reply: str = "Reply with the answer alone."
    system: bool = True

    def __post_init__(self) -> None:
        if self.positive < 0 or self.negative < 0:
            raise ValueError("positive and negative count examples and cannot be below 0")

    def encode(
        self, task: Task, instance: Instance, demos: Sequence[Example] = (), tokenizer: Tokenizer | None = None
    ) -> Prompt:
        instruction = task.instruction
        right = list(demos or instruction.positive[: self.positive])
        explained = [e for e in right if self.explanations and e.explanation is not None]
        head = [task.name] if self.task_name else []
        if self.definition:
            head.append(instruction.definition)
        head += [self._inside("Example", number, example) for number, example in enumerate(explained, 1)]
        head += [
            self._inside("Wrong example", number, example)
            for number, example in enumerate(instruction.negative[: self.negative], 1)
        ]
        if self.reply:
            head.append(self.reply)
        turns: list[Message] = []
        for example in right:
            if example not in explained:
                turns += [Message("user", example.input), Message("assistant", example.output)]
        turns.append(Message("user", instance.input))
        messages = _with_head("\n\n".join(head), turns, self.system)
        return Prompt("\n\n".join(f"[{m.role}]\n{m.content}" for m in messages), tuple(messages))

    def _inside(self, title: str, number: int, example: Example) -> str:
        lines = [f"{title} {number}", f"Input: {example.input}", f"Output: {example.output}"]
        if self.explanations and example.explanation is not None:
            lines.append(f"Explanation: {example.explanation}")
        return "\n".join(lines)


def _with_head(head: str, turns: list[Message], system: bool) -> list[Message]:
    if not head:
        return turns
    if system:
        return [Message("system", head), *turns]
    return [Message(turns[0].role, f"{head}\n\n{turns[0].content}"), *turns[1:]]


CHAT = Chat()
