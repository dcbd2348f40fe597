"""How an embedded task is written down: a definition, a maker of inputs, a solver of inputs, worked examples.

The solver reads nothing but the text that a person would read, so an answer always follows from what is shown. The
outputs of positive examples are worked out by the solver too, and a negative example that the solver accepts is refused
when the task is built: an example can mislead nobody.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from random import Random
from typing import Literal, TypeAlias

from taskloom.core import AnswerKind, AnyOf, Example, Instruction, Task

__all__ = ["Blueprint", "Language", "Maker", "Solver"]

Language: TypeAlias = Literal["English", "Spanish"]
Maker: TypeAlias = Callable[[Random], str]
Solver: TypeAlias = Callable[[str], str | tuple[str, ...]]


@dataclass(frozen=True)
class Blueprint:
    """One task of the embedded collection.

    Attributes:
        name: Unique in the collection.
        category: The task type; whole categories are held out for testing.
        definition: What a person needs to know to do the task.
        make: Draws the text of an input.
        solve: The acceptable outputs of an input, the canonical one first.
        right: Inputs of positive examples, each with the reason for its output.
        wrong: Inputs of negative examples, each with a wrong output and the reason.
        labels: The closed set of outputs, where there is one.
        kind: The form of the answers.
        reads: The language of the inputs.
        writes: The language of the outputs, if another one.
        told_in: The language of definition and explanations.
    """

    name: str
    category: str
    definition: str
    make: Maker
    solve: Solver
    right: Sequence[tuple[str, str]]
    wrong: Sequence[tuple[str, str, str]]
    labels: tuple[str, ...] = ()
    kind: AnswerKind = "text"
    reads: Language = "English"
    writes: Language | None = None
    told_in: Language = "English"

    def answers(self, text: str) -> tuple[str, ...]:
        """The acceptable outputs of an input."""
        solved = self.solve(text)
        return (solved,) if isinstance(solved, str) else solved

    @cached_property
    def instruction(self) -> Instruction:
        """Definition and examples, with outputs worked out and checked."""
        for text, output, _ in self.wrong:
            if output in self.answers(text):
                raise ValueError(f"{self.name}: the negative example {text!r} is right")
        return Instruction(
            self.definition,
            tuple(Example(text, self.answers(text)[0], why) for text, why in self.right),
            tuple(Example(text, output, why) for text, output, why in self.wrong),
        )

    @cached_property
    def task(self) -> Task:
        """The task as the rest of the house knows it."""
        kind: AnswerKind = "label" if self.labels else self.kind
        return Task(
            self.name,
            self.instruction,
            kind=kind,
            scorer={"label": "label", "number": "number"}.get(kind, "exact"),
            labels=self.labels,
            facets={
                "family": "superni",
                "category": self.category,
                "language": self.reads,
                "output_language": self.writes or self.reads,
                "instruction_language": self.told_in,
                "derives_from": "superni/embedded",
            },
        )

    def targets(self, text: str) -> AnyOf:
        """The acceptable outputs as a target."""
        return AnyOf(tuple(dict.fromkeys(self.answers(text))))
