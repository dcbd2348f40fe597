"""The encoding of the ZEST paper: two labelled parts, question first, as the two published models read them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Literal

from taskloom.core import Example, Instance, Task
from taskloom.core.encoding import Encoding, Prompt, Tokenizer

_QUESTION = "zeroshot question: "
_CONTEXT = "zeroshot context: "
_ASKED = "\n\nQuestion: "


class ZestEncoding(Encoding, frozen=True, kw_only=True):
    r"""`zeroshot question: …` and `zeroshot context: …`.

    Attributes:
        separator: `t5` appends two newlines to each part, `bart` joins the parts with one blank.
        answer: What stands before the answer of a solved passage shown as a demonstration.
    """

    name: ClassVar[str] = "zest"

    separator: Literal["t5", "bart"] = "t5"
    answer: str = "answer: "

    def encode(
        self, task: Task, instance: Instance, demos: Sequence[Example] = (), tokenizer: Tokenizer | None = None
    ) -> Prompt:
        shown = [self._solved(demo) for demo in demos]
        question, passage = instance.parts.get("question"), instance.parts.get("passage")
        if question is None and passage is None:
            # Tasks of other families have one input only: the definition takes the place of the question.
            question, passage = task.instruction.definition, instance.input
        return Prompt("".join([*shown, self._parts(question, passage)]))

    def _parts(self, question: str | None, passage: str | None) -> str:
        """The labelled parts; an ablation that withholds one leaves its label out as well."""
        parts = [label + text for label, text in ((_QUESTION, question), (_CONTEXT, passage)) if text is not None]
        return "".join(f"{part}\n\n" for part in parts) if self.separator == "t5" else " ".join(parts)

    def _solved(self, demo: Example) -> str:
        """A solved passage. Its input is what a person reads: passage, blank line, question."""
        passage, mark, question = demo.input.rpartition(_ASKED)
        if not mark:
            passage, question = demo.input, ""
        text = self._parts(question or None, passage)
        end = "\n\n" if self.separator == "t5" else " "
        return f"{text}{'' if text.endswith(end) else end}{self.answer}{demo.output}{end}"


ZEST: Encoding = ZestEncoding()
