"""A named function from inputs to acceptable outputs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from typing import Protocol, TypeAlias, TypeVar, runtime_checkable

import msgspec

from taskloom.core.calls import Explained
from taskloom.core.definition import Definition
from taskloom.core.display import html_table
from taskloom.core.errors import unknown_name
from taskloom.core.instance import Facet, content_hash
from taskloom.core.kind import KINDS

T = TypeVar("T")


class Example(Explained, msgspec.Struct, frozen=True):
    """A solved example. `explanation` is None if there is none, which is not the same as ""."""

    input: str
    output: str
    explanation: str | None = None


class Instruction(Explained, msgspec.Struct, frozen=True, dict=True):
    """A definition with examples of right and wrong answers."""

    definition: str
    positive: tuple[Example, ...] = ()
    negative: tuple[Example, ...] = ()

    @classmethod
    def of(
        cls, definition: Definition, positive: tuple[Example, ...] = (), negative: tuple[Example, ...] = ()
    ) -> Instruction:
        """The instruction of a definition in fields. They are not written with it: a model sees the text alone."""
        return cls(str(definition), positive, negative).with_fields(definition)

    def with_fields(self, definition: Definition) -> Instruction:
        """The same instruction, which knows the fields of its definition."""
        assert str(definition) == self.definition, (str(definition), self.definition)
        self.__dict__["fields"] = definition
        return self

    @cached_property
    def fields(self) -> Definition:
        """The definition in fields; where none are known, as a text tells them apart."""
        return Definition.of(self.definition)


AnswerKind: TypeAlias = str
"""The name of a registered `Kind`."""


class Task(Explained, msgspec.Struct, frozen=True):
    """A task: its instruction, its kind of answer, its scorer and reader, and its facets.

    Attributes:
        name: Unique within the suite; letters, digits and, if a family needs them, `-_./[](){}=,`.
        instruction: Definition and examples.
        kind: The registered kind of its answers.
        scorer: The registered scorer that is used by default.
        labels: The closed set of answers, for `label` and `boolean` tasks; empty otherwise.
        reader: The registered strict reader that finds the answer in raw output.
        facets: Columns shared by all its instances: family, category, language, depth, derives_from ...
        version: Raised whenever the meaning of the data or the scoring changes.
    """

    name: str
    instruction: Instruction
    kind: AnswerKind = "text"
    scorer: str = "exact"
    labels: tuple[str, ...] = ()
    reader: str = "whole"
    facets: dict[str, Facet] = {}
    version: str = "1"

    def __post_init__(self) -> None:
        # Refused here, by the task's name: a run or a bundle with such a task could not be read back.
        if self.kind not in KINDS:
            raise unknown_name(
                "kind of answer",
                self.kind,
                KINDS,
                where=f"task {self.name!r}",
                hint=f"one of your own: --with FILE.py, where the file registers 'kind.{self.kind}'",
            )

    def __repr__(self) -> str:
        return f"<Task {self.name}: {self.kind}, scored by {self.scorer}>"

    def _repr_html_(self) -> str:
        rows: list[tuple[str, object]] = [("definition", self.instruction.definition), ("kind", self.kind)]
        rows += [("labels", ", ".join(self.labels))] if self.labels else []
        rows += [("example", f"{e.input} → {e.output}") for e in self.instruction.positive[:2]]
        return html_table(self.name, ("", ""), rows)

    def hash(self) -> str:
        """A content hash of everything that a model or scorer sees."""
        return content_hash(self)


@runtime_checkable
class DefinedTasks(Protocol):
    """Tasks by name whose definitions come cheaper than their whole instructions, which need examples."""

    def definitions(self) -> Iterator[tuple[str, str]]:
        """Every task's name with its definition, in order."""
        ...


class LazyMapping(Mapping[str, T]):
    """Values by name, each made when it is first looked at.

    Args:
        names: The names, in order.
        make: A name to its value.
    """

    def __init__(self, names: Iterable[str], make: Callable[[str], T]) -> None:
        self._names, self._make = dict.fromkeys(names), make
        self._made: dict[str, T] = {}

    def __getitem__(self, name: str) -> T:
        if name not in self._made:
            if name not in self._names:
                raise KeyError(name)
            self._made[name] = self._make(name)
        return self._made[name]

    def __contains__(self, name: object) -> bool:
        return name in self._names

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __repr__(self) -> str:
        return repr({**self._names, **self._made})


class LazyTasks(LazyMapping[Task]):
    """Tasks by name, made one by one because their examples have to be drawn; `define` gives a definition alone."""

    def __init__(self, names: Iterable[str], make: Callable[[str], Task], define: Callable[[str], str]) -> None:
        super().__init__(names, make)
        self._define = define

    def __getitem__(self, name: str) -> Task:
        if name not in self._made:  # a part of a task has no name among them, and can be made
            self._made[name] = self._make(name)
        return self._made[name]

    def definitions(self) -> Iterator[tuple[str, str]]:
        """Every task's name with its definition, for which nothing is drawn."""
        return ((name, self._define(name)) for name in self._names)


def tasks_hash(tasks: Mapping[str, Task]) -> str:
    """One hash over all tasks, in order."""
    return content_hash([task.hash() for task in tasks.values()])
