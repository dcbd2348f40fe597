"""The record of an operator on tasks: what it takes and gives, how it acts on answers, and how it is put into words.

There are four sorts: operators on answers, on several items, on control, and transforms of the input that leave the
answer as it is. They stand in the registry of all operators, under `weave.NAME`, and are written as NAME.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

from taskloom.algebra import Expression, Laws, Operator, Signature
from taskloom.core import Targets, UserError
from taskloom.core.record import MISSING
from taskloom.weave.values import Nature, Value

if TYPE_CHECKING:
    from taskloom.weave.draw import Draw

__all__ = [
    "TASK",
    "AnswerOperator",
    "ControlOfTasks",
    "InputTransform",
    "ItemsOperator",
    "Outline",
    "TaskOperator",
    "Woven",
]

PREFIX = "weave."
"""What stands before the names of operators on tasks in the registry of all operators."""
TASK = "a task"
"""The value of a slot that takes a task; the others hold the default of a plain value, None where it must be given."""
_NO_LAWS = Laws()
_OF_IT = re.compile(r"the ((?:\w+ )?\w+) of \{it\}")
Slots: TypeAlias = Mapping[str, str | None]


@dataclass(frozen=True, kw_only=True)
class Outline:
    """What is known of an expression before any item is drawn: its type, and its instruction in pieces.

    Attributes:
        type: What kind of answer it gives: word, text, number, label, list, cases or slots.
        noun: What the answer is called: "place".
        labels: The closed set of answers, where there is one.
        language: The language of the answer.
        whole: The whole instruction of the item, where it stands alone.
        used: What is given and asked, in whole sentences, where the answer is used and not written.
        lead: How the sentence begins that goes on to the steps: "Find the place, then", "Then"; with "Given",
            the first step begins it.
        steps: What to do with the answer, one clause each.
        notes: What to mind.
        form: How to write the answer.
        kind: The kind of answer of the woven task.
        scorer: Its scorer; "" for that of the kind.
        sections: What its input is divided into: cases, parts, or neither.
        leaves: How many items of tasks it holds at least; 1 where each item asks about one input.
    """

    type: str
    noun: str
    whole: str
    used: str
    form: str
    lead: str = "Then"
    labels: tuple[str, ...] = ()
    language: str = "English"
    steps: tuple[str, ...] = ()
    notes: str = ""
    kind: str = "text"
    scorer: str = ""
    sections: frozenset[str] = frozenset()
    leaves: int = 1

    def after(self, step: str, **changes: Any) -> Outline:
        """The outline with one more step."""
        it = "the result" if self.steps else "it" if self.lead.startswith("Find") else f"the {self.noun}"
        said = _OF_IT.sub(r"its \1", step) if it == "it" else step
        changed = replace(self, steps=(*self.steps, said.format(it=it)), **changes)
        return replace(changed, whole=" ".join(filter(None, (changed.said, changed.form))))

    @property
    def said(self) -> str:
        """What to do, without how to write the answer."""
        steps = ", then ".join(self.steps)
        steps = f"{steps[:1].upper()}{steps[1:]}." if self.lead == "Given" else f"{self.lead} {steps}."
        return " ".join(filter(None, (self.used, self.notes, steps if self.steps else "")))


@dataclass(frozen=True, slots=True)
class Woven:
    """One item of an expression.

    Attributes:
        input: The text that is asked about.
        value: Its right answers.
        trace: How the answer comes about, in a few words each.
        targets: The targets of the task itself, where its answer is unchanged.
        slots: The values of several answers that are given together.
    """

    input: str
    value: Value
    trace: tuple[str, ...]
    targets: Targets | None = None
    slots: tuple[Value, ...] = ()


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class TaskOperator(Operator, ABC):
    """What every operator on tasks has.

    Attributes:
        slots: Its arguments in order: `TASK`, or the default of a plain value (None where it must be given).
        takes: The types of answers that each task among its arguments may have; empty for any.
        outline: The outlines of the arguments that are tasks, and the other arguments, to that of the whole.
        about: One line for lists.
    """

    sort: ClassVar[str] = "tasks"

    slots: Slots = field(default_factory=lambda: {"task": TASK})
    takes: tuple[str, ...] = ()
    outline: Callable[..., Outline] = MISSING
    about: str = MISSING
    arity: tuple[int, int | None] = (1, None)
    types: Any = lambda name, given: Signature("task", "any")
    laws: Laws = _NO_LAWS
    facet: str = "weave"
    example: Any = ()

    @property
    def summary(self) -> str:
        """One line for lists."""
        return f"{self.usage}: {self.about}"

    @property
    def usage(self) -> str:
        """How it is written."""
        shown = [name if default in (TASK, None) else f"{name}={default}" for name, default in self.slots.items()]
        return f"{self.word}({', '.join(shown)})"

    @property
    def word(self) -> str:
        """The name as it is written in expressions."""
        return self.name.removeprefix(PREFIX)

    @abstractmethod
    def weave(self, draw: Draw, arguments: tuple[Expression, ...]) -> Woven | None:
        """One item; None where its answer would be ambiguous."""

    def _prove(self) -> None:
        if not self.name.startswith(PREFIX):
            raise UserError(f"an operator on tasks is called {PREFIX}NAME, not {self.name!r}", where="operator")


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class AnswerOperator(TaskOperator):
    """An operator on the answer of a task.

    Attributes:
        nature: How it acts on spellings (`taskloom.weave.values`).
        act: A spelling, and the values of the other slots, to its image; None where there is none.
        whole: In place of `act`, what becomes of a value, for operators that look at more than a spelling.
    """

    sort: ClassVar[str] = "answers"

    nature: Nature = MISSING
    act: Callable[..., str | None] = lambda text: text
    whole: Callable[[Value, Outline], Value | None] | None = None
    example: tuple[str, ...] = MISSING

    def apply(self, value: Value, inner: Outline, given: tuple[str, ...]) -> Value | None:
        """The image of a value."""
        if self.whole is not None:
            return self.whole(value, inner)
        return value.image(lambda text: self.act(text, *given), self.nature)

    def weave(self, draw: Draw, arguments: tuple[Expression, ...]) -> Woven | None:
        inner = draw.item(arguments[0])
        if inner is None:
            return None
        value = self.apply(inner.value, draw.outline(arguments[0]), draw.values(arguments))
        return None if value is None else Woven(inner.input, value, (*inner.trace, value.canonical))

    def _prove(self) -> None:
        super()._prove()
        given, *values, wanted = self.example
        lists = (tuple(given.split(", ")),) if "list" in self.takes else ()
        outline = Outline(type="label", noun="answer", whole="", used="", form="", labels=(given, "other"))
        found = self.apply(Value(((given,),), lists), outline, tuple(values))
        if found is None or found.canonical != wanted:
            said = found and found.canonical
            raise UserError(f"{self.name} gives {said!r} for its example, not {wanted!r}", where=type(self).__name__)


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class ItemsOperator(TaskOperator):
    """An operator on several items: it draws them, asks about all of them, and knows the answer.

    Attributes:
        make: The draw and the arguments to an item; None where the answer would be ambiguous.
    """

    sort: ClassVar[str] = "items"

    make: Callable[..., Woven | None] = MISSING

    def weave(self, draw: Draw, arguments: tuple[Expression, ...]) -> Woven | None:
        tasks = [one for one, kind in zip(arguments, self.slots.values(), strict=True) if kind == TASK]
        return self.make(draw, *tasks, *draw.values(arguments))


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class ControlOfTasks(ItemsOperator):
    """An operator one of whose tasks decides which of the others is answered."""

    sort: ClassVar[str] = "control"


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class InputTransform(ItemsOperator):
    """An operator that changes what is shown and leaves the answer as it is."""

    sort: ClassVar[str] = "transforms"
