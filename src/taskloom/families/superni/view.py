"""One shape of a decoded task file for all checks, whichever way it was decoded."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from operator import attrgetter
from typing import Any

Example = tuple[str, list[str], str]
"""Input, outputs, explanation ("" where there is none)."""


def definition_text(task: dict[str, Any]) -> str:
    """The definition of a file whose shape has not been checked yet."""
    definition = task.get("Definition")
    if isinstance(definition, list):
        return " ".join(text for text in definition if isinstance(text, str))
    return definition if isinstance(definition, str) else ""


@dataclass(frozen=True)
class TaskView:
    """A task whose shape is known to be right.

    Attributes:
        header: Every key but the instances.
        definition: The definition as one text.
        positive: The positive examples.
        negative: The negative examples.
        inputs: The inputs of the instances.
        outputs: Their outputs, always lists.
        ids: Their ids, None where they have none.
    """

    header: dict[str, Any]
    definition: str
    positive: list[Example]
    negative: list[Example]
    inputs: list[str]
    outputs: list[list[str]]
    ids: list[str | None]

    @classmethod
    def of(cls, task: dict[str, Any], instances: Iterable[Any]) -> TaskView:
        """The view of a file; instances are objects with attributes, or dictionaries."""
        held = list(instances)
        if held and isinstance(held[0], dict):
            inputs = [record["input"] for record in held]
            outputs = [_list(record["output"]) for record in held]
            ids = [record.get("id") for record in held]
        else:
            inputs, outputs, ids = (list(map(attrgetter(name), held)) for name in ("input", "output", "id"))
        return cls(
            {key: value for key, value in task.items() if key != "Instances"},
            definition_text(task),
            [_example(record) for record in task.get("Positive Examples") or ()],
            [_example(record) for record in task.get("Negative Examples") or ()],
            inputs,
            outputs,
            ids,
        )

    @cached_property
    def answers(self) -> Counter[str]:
        """How often each first output occurs."""
        return Counter(self.first_outputs)

    @cached_property
    def first_outputs(self) -> list[str]:
        """The first output of each instance."""
        return [outputs[0] for outputs in self.outputs]

    @cached_property
    def stripped(self) -> list[str]:
        """The inputs without white space at their ends."""
        return list(map(str.strip, self.inputs))

    @cached_property
    def stripped_outputs(self) -> list[str]:
        """The first outputs without white space at their ends."""
        return list(map(str.strip, self.first_outputs))

    @cached_property
    def several(self) -> list[int]:
        """The instances with more than one output."""
        return [index for index, outputs in enumerate(self.outputs) if len(outputs) > 1]

    def texts(self) -> Iterator[tuple[str, str, Sequence[str]]]:
        """Every text of the file, in groups: the key before the index, the key behind it, the texts."""
        definition = self.header.get("Definition")
        yield (
            "Definition",
            "",
            [definition] if isinstance(definition, str) else [text or "" for text in definition or ()],
        )
        for key, examples in (("Positive Examples", self.positive), ("Negative Examples", self.negative)):
            yield key, ".input", [text for text, _, _ in examples]
            yield key, ".output", [outputs[0] if outputs else "" for _, outputs, _ in examples]
            yield key, ".explanation", [why for _, _, why in examples]
        yield "Instances", ".input", self.inputs
        yield "Instances", ".output", self.first_outputs

    def further_outputs(self) -> Iterator[tuple[int, str]]:
        """The outputs of instances that have several, but for the first, with the number of the instance."""
        return ((index, output) for index in self.several for output in self.outputs[index][1:])


def _list(value: str | list[str]) -> list[str]:
    return [value] if isinstance(value, str) else value


def _example(record: dict[str, Any]) -> Example:
    return record["input"], _list(record["output"]), str(record.get("explanation") or "")
