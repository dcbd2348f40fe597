"""How a person writes a task: a maker of items, a definition, worked examples, and a solver where there is one.

A maker gets random numbers keyed by the item's place and returns the item. A solver reads nothing but the text that a
model reads, so that an answer always follows from what is shown. `taskloom check` proves that the two agree.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from random import Random
from typing import Any, TypeAlias

import msgspec

from taskloom.core.authored import (
    blamed,
    check_columns,
    check_examples,
    check_facets,
    check_labels,
    check_text,
    facet_types,
)
from taskloom.core.display import clipped
from taskloom.core.errors import UserError
from taskloom.core.instance import Facet, FacetType
from taskloom.core.instruction import Example, Instruction
from taskloom.core.rng import keyed_random
from taskloom.core.targets import AnyOf, Boolean, Items, Product, Structure, Targets, any_of
from taskloom.core.task import AnswerKind, Task

__all__ = ["Answer", "Blueprint", "Draft", "Item", "Maker", "Solver", "task"]

Answer: TypeAlias = str | int | float | bool | Sequence[str] | Targets
"""An answer as an author writes it; a sequence lists every acceptable text, the canonical one first."""


class Item(msgspec.Struct, frozen=True):
    """What a maker returns: a question with its answer.

    Attributes:
        input: The text that a model reads.
        answer: Every acceptable answer; None lets the solver find it.
        facets: Values of the columns that the blueprint declares.
        parts: Named pieces of the input (for example, story and question).
        details: Anything else worth keeping: the identity of the material, derivations. JSON values only.
    """

    input: str
    answer: Any = None
    facets: dict[str, Facet] = {}
    parts: dict[str, str] = {}
    details: dict[str, Any] = {}


Draft: TypeAlias = Item | str | tuple[str, Answer] | tuple[str, Answer, Mapping[str, Facet]]
"""A maker may also return the input alone (the solver answers), or (input, answer), or (input, answer, facets)."""

Maker: TypeAlias = Callable[[Random], Draft] | Callable[[Random, int], Draft]
Solver: TypeAlias = Callable[[str], Answer]

_LOOKED_AT = 16
"""Items that are drawn to find the types of facets nobody declared."""
_SCORERS: dict[AnswerKind, str] = {
    "label": "label",
    "boolean": "label",
    "number": "number",
    "items": "items",
    "json": "structure",
}


@dataclass(frozen=True, repr=False)
class Blueprint:
    """One task as its author wrote it. Usually made by the decorator `taskloom.task`.

    Attributes:
        name: Unique in its suite.
        category: The kind of task; suites may hold out whole categories.
        definition: Everything a person needs to know to do the task.
        make: Random numbers -> an item; with `keys`, (random numbers, key) -> an item.
        solve: The acceptable answers to an input, from its text alone; None if only the maker knows them.
        right: Positive examples: (input, output, explanation), or (input, explanation) if there is a solver.
        wrong: Negative examples: (input, wrong output, explanation).
        labels: The closed set of answers, if there is one.
        kind: The kind of answer (default: inferred from labels and examples).
        language: The language of the inputs.
        output_language: The language of the answers, if different.
        instruction_language: The language of definition and explanations.
        scorer: The registered scorer (default: chosen by the kind of answer).
        keys: The number of different keys. Two keys never give the same input; splits then share no key,
            and the cost of an item does not depend on how many there are. None: items are distinguished by their text.
        columns: The types of the items' facets; None finds them by drawing a few items.
        facets: More facets of the task itself (domains, source, skills).
        version: Raised whenever the meaning of the data or the scoring changes.
        balanced: Make all labels equally frequent in every block, as long as the maker finds items of each.
    """

    name: str
    category: str
    definition: str
    make: Maker
    solve: Solver | None = None
    right: Sequence[tuple[Any, ...]] = ()
    wrong: Sequence[tuple[str, Answer, str]] = ()
    labels: tuple[str, ...] = ()
    kind: AnswerKind | None = None
    language: str = "English"
    output_language: str | None = None
    instruction_language: str = "English"
    scorer: str | None = None
    keys: int | None = None
    columns: Mapping[str, FacetType] | None = field(default_factory=dict)
    facets: Mapping[str, Facet] = field(default_factory=dict)
    version: str = "1"
    balanced: bool = False

    def __post_init__(self) -> None:
        check_labels(self.labels, self._where)
        check_examples(self.right, self.wrong, self._where)
        check_columns(self.columns or {}, self._where)

    @property
    def _where(self) -> str:
        return f"task {self.name}"

    def __repr__(self) -> str:
        return f"<Blueprint {self.name}: {clipped(self.definition, 60)!r}>"

    def _repr_html_(self) -> str:
        return self.task._repr_html_()

    def solver(self, solve: Solver) -> Solver:
        """A decorator that adds a solver to the task."""
        object.__setattr__(self, "solve", solve)
        return solve

    def draw(self, rng: Random, key: int = 0) -> Item:
        """One item with its answer.

        Raises:
            UserError: The maker raised, or returned something that is no item, or no answer can be found.
        """
        item = self._drafted(rng, key)
        check_facets(item.facets, self.column_types, self._where)
        check_text(item.input, "the input", self._where)
        answer = item.answer if item.answer is not None else self.solved(item.input)
        return msgspec.structs.replace(item, answer=self.targets(answer))

    @cached_property
    def column_types(self) -> Mapping[str, FacetType]:
        """The types of the facets of items: those declared, or those of a few items drawn for the purpose."""
        if self.columns is not None:
            return self.columns
        drawn = (
            self._drafted(keyed_random("columns", self.name, number), number % (self.keys or 1))
            for number in range(_LOOKED_AT)
        )
        found = facet_types(item.facets for item in drawn)
        check_columns(found, self._where)
        return found

    def _drafted(self, rng: Random, key: int) -> Item:
        """What the maker made, as an item."""
        try:
            drafted: Any = self.make(rng) if self.keys is None else self.make(rng, key)  # type: ignore[call-arg]
        except UserError:
            raise
        except Exception as error:
            raise blamed(error, self.make, "the maker", self._where) from error
        match drafted:
            case Item():
                return drafted
            case str():
                return Item(drafted)
            case (str() as text, answer):
                return Item(text, answer)
            case (str() as text, answer, Mapping() as facets):
                return Item(text, answer, dict(facets))
        kind = type(drafted).__name__
        raise UserError(
            f"the maker returned a {kind}, not an item",
            where=self._where,
            hint="return (input, answer), (input, answer, facets) or taskloom.Item(...)",
        )

    def solved(self, text: str) -> Targets:
        """What the solver answers.

        Raises:
            UserError: There is no solver, or it raises.
        """
        if self.solve is None:
            raise UserError(
                "an item has no answer and the task has no solver",
                where=self._where,
                hint="return (input, answer) from the maker, or add solve=…",
            )
        try:
            answer = self.solve(text)
        except UserError:
            raise
        except Exception as error:
            raise blamed(error, self.solve, f"the solver, given {text!r},", self._where) from error
        return self.targets(answer)

    def targets(self, answer: Answer) -> Targets:
        """The author's answer as a target.

        Raises:
            UserError: It is nothing that a model could answer, or a text that cannot be written.
        """
        if isinstance(answer, AnyOf | Boolean | Items | Product | Structure):
            return answer
        if isinstance(answer, bool):
            words = self.labels if len(self.labels) == 2 else ("yes", "no")
            return Boolean(answer, (words[0], words[1]))
        if isinstance(answer, str | int | float):
            answer = [str(answer)]
        # The texts of a set have no order: another process would take another one for the canonical answer.
        if not isinstance(answer, list | tuple) or not answer:
            raise UserError(
                f"{answer!r} is not an answer",
                where=self._where,
                hint="use a string, a number, a Boolean, a list of acceptable strings, or a target (taskloom.Items)",
            )
        texts = [str(text) for text in answer]
        for text in texts:
            check_text(text, "an answer", self._where)
        return any_of(texts)

    @cached_property
    def instruction(self) -> Instruction:
        """Definition and examples; outputs that an author left out are the solver's."""
        positive = []
        for example in self.right:
            text, why = str(example[0]), str(example[-1])
            answer = self.solved(text) if len(example) == 2 else self.targets(example[1])
            positive.append(Example(text, answer.canonical(), why))
        negative = [Example(text, self.targets(answer).canonical(), why) for text, answer, why in self.wrong]
        return Instruction(self.definition, tuple(positive), tuple(negative))

    def _kind(self) -> AnswerKind:
        if self.kind is not None:
            return self.kind
        if self.labels:
            return "label"
        answer = self.right[0][1] if self.right and len(self.right[0]) == 3 else ""
        match answer:
            case bool() | Boolean():
                return "boolean"
            case int() | float():
                return "number"
            case Items():
                return "items"
            case Structure():
                return "json"
        return "text"

    @cached_property
    def task(self) -> Task:
        """The task as the rest of Taskloom knows it."""
        kind = self._kind()
        facets: dict[str, Facet] = {
            "family": "own",
            "category": self.category,
            "language": self.language,
            "output_language": self.output_language or self.language,
            "instruction_language": self.instruction_language,
            **self.facets,
        }
        labels = self.labels or (("yes", "no") if kind == "boolean" else ())
        scorer = self.scorer or _SCORERS.get(kind, "exact")
        return Task(self.name, self.instruction, kind, scorer, labels, facets=facets, version=self.version)

    def renamed(self, name: str, **changes: Any) -> Blueprint:
        """The same task under another name, with some attributes replaced."""
        return replace(self, name=name, **changes)


def task(
    *,
    definition: str,
    right: Sequence[tuple[Any, ...]] = (),
    wrong: Sequence[tuple[str, Answer, str]] = (),
    name: str | None = None,
    category: str = "Misc.",
    solve: Solver | None = None,
    labels: tuple[str, ...] = (),
    kind: AnswerKind | None = None,
    scorer: str | None = None,
    language: str = "English",
    output_language: str | None = None,
    instruction_language: str = "English",
    keys: int | None = None,
    columns: Mapping[str, FacetType] | None = None,
    facets: Mapping[str, Facet] | None = None,
    version: str = "1",
    balanced: bool = False,
) -> Callable[[Maker], Blueprint]:
    """Turn a function that draws items into a task.

    Args:
        definition: Everything a person needs to know to do the task.
        right: Positive examples, (input, output, explanation); with a solver, (input, explanation) is enough.
        wrong: Negative examples, (input, wrong output, explanation).
        name: The name of the task (default: the function's name).
        category: The kind of task.
        solve: Finds the answer from the text alone. `@THE_TASK.solver` also adds one.
        labels: The closed set of answers, if there is one.
        kind: The kind of answer (default: inferred from labels and examples).
        scorer: The registered scorer (default: chosen by the kind of answer).
        language: The language of the inputs.
        output_language: The language of the answers, if different.
        instruction_language: The language of definition and explanations.
        keys: The number of keys; the maker is then called with (random numbers, key).
        columns: The types of the items' facets (default: found by drawing a few items).
        facets: More facets of the task itself.
        version: Raised whenever the meaning of the data or the scoring changes.
        balanced: Make all labels equally frequent in every block.

    Example:
        >>> @task(definition="Add the two numbers.", right=[("1 + 1", 2, "One and one are two.")])
        ... def addition(rng):
        ...     a, b = rng.randint(0, 99), rng.randint(0, 99)
        ...     return f"{a} + {b}", a + b
        >>> addition.task.kind
        'number'
    """

    def decorate(make: Maker) -> Blueprint:
        called = name or getattr(make, "__name__", "")
        if not called or called == "<lambda>":
            raise UserError("a task needs a name", hint='taskloom.task(name="…", …)')
        return Blueprint(
            called, category, definition, make, solve, right, wrong, labels, kind, language, output_language,
            instruction_language, scorer, keys, columns, facets or {}, version, balanced,
        )  # fmt: skip

    return decorate
