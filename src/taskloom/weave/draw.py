"""Expressions over tasks, from text to a typed tree and back; and drawing their items.

    expression := NAME | NAME "(" argument ("," argument)* ")"        argument := expression | key "=" expression

Names of operators are those of registered records (`weave.NAME`); every other name is a task: `babi/task-1`,
`superni/count_vowels`, `taskbench/antonyms[eng]`, `my_tasks.py`. Leaves are drawn from the supplies of their tasks,
answers follow by the records of the operators.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import count
from random import Random
from typing import Any, cast

from taskloom.algebra import Atom, Expression, Node, Term, fault
from taskloom.algebra.parse import read
from taskloom.core import AnyOf, Instance, KeyedRandom, Row, UserError, unknown_name
from taskloom.core.catalog import OPERATORS
from taskloom.core.instance import input_hash
from taskloom.weave.atoms import LANES, TaskAtom, task_atom
from taskloom.weave.records import (
    PREFIX,
    REQUIRED,
    TASK,
    VALUE,
    AnswerOperator,
    Outline,
    TaskOperator,
    Value,
    Woven,
    is_value,
    values_of,
)

_TASK = "task"
_CHOICES = {"part": ("noun", "verb", "adjective", "adverb"), "language": ("Spanish",)}
"""The values of arguments that take one of a few."""
_RANGES = {"of": (2, 12), "times": (2, 5), "number": (1, 1_000_000)}
"""The fewest and the most of the numbers that operators take."""
_SPOKEN = {
    "word": "a word", "text": "a text", "number": "a number", "label": "one of a set of labels", "list": "a list",
    "record": "a JSON value", "cases": "numbers of cases", "slots": "several answers",
    "formed": "an answer in a certain form",
}  # fmt: skip


def operator_words() -> list[str]:
    """The names of all operators on tasks, as they are written."""
    return [name.removeprefix(PREFIX) for name in OPERATORS if name.startswith(PREFIX)]


def task_record(node: Node) -> TaskOperator:
    """The record of the outermost operator."""
    return cast(TaskOperator, node.record)


class _Reader:
    """Reads one expression; `outline` gives what is known of a tree, and refuses what is no task."""

    def __init__(self, text: str, outline: Callable[[Expression], Outline]) -> None:
        self.text = text
        self.outline = outline

    def tree(self, term: Term, key: str = "") -> Expression:
        name = term.name.removeprefix(f"{key}=") if key else term.name
        start = self._after(term, key)
        if name in operator_words() and term.parens is not None:
            return self._node(cast(TaskOperator, OPERATORS.get(PREFIX + name)), term, start)
        if term.parens is not None and "/" not in name:
            raise fault(self.text, start, unknown_name("operator", name, operator_words()).message)
        atom = Atom(self.text[start : term.end].strip(), (), _TASK)
        self._checked(atom, start)
        return atom

    def _after(self, term: Term, key: str) -> int:
        """Where the value of a term begins: behind its key."""
        start = self.text.index("=", term.start) + 1 if key else term.start
        return start + len(self.text[start:]) - len(self.text[start:].lstrip())

    def _checked(self, tree: Expression, start: int) -> Outline:
        try:
            return self.outline(tree)
        except UserError as error:
            if error.where == "expression":
                raise
            raise fault(self.text, start, error.message, hint=error.hint) from error

    def _node(self, record: TaskOperator, term: Term, start: int) -> Node:
        given = self._arguments(record, term)
        arguments: list[Expression] = []
        for slot, default in record.slots.items():
            one = given.get(slot)
            if default == TASK and one is not None:
                arguments.append(self.tree(one, slot if one.equals >= 0 else ""))
                self._fits(record, slot, arguments[-1], one)
            elif one is not None:
                said = one.name.removeprefix(f"{slot}=")
                self._value(record, slot, said, arguments, one)
                arguments.append(Atom(said, (), VALUE))
            elif default in (TASK, REQUIRED):
                raise fault(self.text, start, f"{record.word} needs {default} for {slot!r}: {record.usage}")
            else:
                arguments.append(Atom(default, (), VALUE))
        node = Node(record.name, tuple(arguments))
        self._checked(node, start)
        return node

    def _arguments(self, record: TaskOperator, term: Term) -> dict[str, Term]:
        """The terms by slot: those with a key by it, the others in order."""
        given: dict[str, Term] = {}
        free = list(record.slots)
        for one in term.parens or ():
            key = one.name[: one.equals] if one.equals >= 0 else ""
            if key and key not in record.slots:
                problem = unknown_name("argument", key, record.slots).message
                raise fault(self.text, one.start, f"{problem} {record.usage}")
            if not key and not free:
                raise fault(self.text, one.start, f"{record.word} takes no further argument: {record.usage}")
            slot = key or free[0]
            if slot in given:
                raise fault(self.text, one.start, f"{slot} is given twice")
            given[slot] = one
            free.remove(slot)
        return given

    def _fits(self, record: TaskOperator, slot: str, tree: Expression, term: Term) -> None:
        outline = self.outline(tree)
        if outline.spoken != "English":
            problem = f"the instruction of {text_of(tree)} is in {outline.spoken}, and operators speak English"
            raise fault(self.text, term.start, problem)
        branch = slot in ("then", "else")
        if record.takes and outline.type not in record.takes and not branch:
            wanted = " or ".join(_SPOKEN[one] for one in record.takes)
            raise fault(
                self.text, term.start,
                f"{record.word} takes a task that gives {wanted}, but {text_of(tree)} gives {_SPOKEN[outline.type]}",
            )  # fmt: skip
        if record.divides in outline.sections:
            raise fault(
                self.text, term.start, f"{record.word} divides its input into {record.divides}s, so no task in it may"
            )
        if record.word == "repeat" and not (isinstance(tree, Node) and isinstance(tree.record, AnswerOperator)):
            raise fault(self.text, term.start, "repeat takes an operator on an answer: repeat(double(…), times=3)")

    def _value(self, record: TaskOperator, slot: str, said: str, arguments: list[Expression], term: Term) -> None:
        start = self._after(term, slot if term.equals >= 0 else "")
        labels = self.outline(arguments[0]).labels if slot == "answer" else ()
        if labels and said not in labels:
            raise fault(self.text, start, unknown_name(f"answer of {text_of(arguments[0])}", said, labels).message)
        if said not in _CHOICES.get(slot, (said,)):
            raise fault(self.text, start, unknown_name(slot, said, _CHOICES[slot]).message)
        low, high = _RANGES.get(slot, (0, 0))
        if high and not (said.isdecimal() and low <= int(said) <= high):
            raise fault(self.text, start, f"{slot} is a whole number from {low} to {high}, not {said!r}")


def parse(text: str, outline: Callable[[Expression], Outline]) -> Expression:
    """The tree of an expression, type-checked.

    Raises:
        UserError: It does not parse or type, with the place, what was expected, and the nearest name.
    """
    return _Reader(text, outline).tree(read(text))


def text_of(node: Expression) -> str:
    """An expression as it is written, without blanks."""
    if isinstance(node, Atom):
        return node.name
    record = task_record(node)
    shown = []
    for (slot, default), one in zip(record.slots.items(), node.arguments, strict=True):
        said = text_of(one)
        if default != TASK and said == default:
            continue
        named = slot in ("then", "else") or default not in (TASK, REQUIRED)
        shown.append(f"{slot}={said}" if named else said)
    return f"{record.word}({','.join(shown)})"


def leaves_of(node: Expression) -> list[str]:
    """The names of all tasks in an expression, from left to right."""
    if isinstance(node, Atom):
        return [node.name] if node.language == _TASK else []
    return [name for one in node.arguments for name in leaves_of(one)]


def is_ours(node: Expression) -> bool:
    """Whether Taskloom brings along every operator of an expression."""
    if isinstance(node, Atom):
        return True
    return OPERATORS.origin(node.operator) == "taskloom" and all(map(is_ours, node.arguments))


_WINDOW = 80
"""Items of a task, for each sixteenth that a lane has, among which those of further cases and parts are chosen."""
_TRIES = 48
"""Items that are looked at for one with a wanted answer."""
_PATIENCE = 400
"""Attempts in a row without an item, after which there are no more."""


class Loom:
    """Expressions with their outlines and items.

    Args:
        bound: Tasks of the caller's own, by the names that expressions call them.
        settings: What transforms of the input use: `background` and `tokenizer`.
    """

    def __init__(self, bound: Mapping[str, Any] | None = None, settings: Mapping[str, str] | None = None) -> None:
        self.bound = bound or {}
        self.settings = settings or {}
        self._atoms: dict[str, TaskAtom] = {}
        self._outlines: dict[Expression, Outline] = {}
        self.surveys: dict[Expression, Any] = {}

    def parse(self, text: str) -> Expression:
        return parse(text, self.outline)

    def atom(self, name: str) -> TaskAtom:
        if name not in self._atoms:
            self._atoms[name] = task_atom(name, self.bound)
        return self._atoms[name]

    def outline(self, node: Expression) -> Outline:
        if node not in self._outlines:
            if isinstance(node, Atom):
                found = self.atom(node.name).outline
            else:
                tasks = [self.outline(one) for one in node.arguments if not is_value(one)]
                found = task_record(node).outline(*tasks, *values_of(node.arguments))
            self._outlines[node] = found
        return self._outlines[node]

    def single(self, node: Expression) -> bool:
        """Whether each item asks about one input, so that there are as many as the task has inputs."""
        return len(leaves_of(node)) == 1 and self.outline(node).leaves == 1

    def items(self, node: Expression, lane: str, seed: int, *, part: int = 0, parts: int = 1) -> Iterator[Woven | None]:
        """Endless items, or all there are; None for each that is not asked because its answer would be ambiguous.

        Args:
            node: The expression.
            lane: Whose inputs to use.
            seed: The seed of the tasks' suites.
            part: Which of several parts of all items, in which no two share one of the leading inputs.
            parts: How many such parts there are.
        """
        draws = KeyedRandom("weave", text_of(node), lane, seed, part)
        seen: set[bytes] = set()
        dry = 0
        for attempt in count():
            draw = Draw(self, lane, seed, draws.at(attempt), part + parts * attempt)
            item = draw.item(node)
            if draw.exhausted and self.single(node):
                return
            fresh = not draw.missed if item is None else (key := input_hash(item.input)) not in seen
            dry = 0 if item is not None and fresh else dry + 1
            if dry > _PATIENCE:
                return
            if item is not None and fresh:
                seen.add(key)
            if fresh:
                yield item

    def row(self, node: Expression, item: Woven, name: str) -> Row:
        facets: dict[str, Any] = {"expression": text_of(node), "answer": item.value.canonical}
        targets = AnyOf(item.value.texts) if item.targets is None else item.targets
        return Row(text_of(node), Instance(name, item.input, targets, facets, {}, {"steps": list(item.trace)}))


class Draw:
    """One attempt to draw an item.

    Args:
        loom: Where tasks and outlines come from.
        lane: Whose inputs to use.
        seed: The seed of the tasks' suites.
        rng: The random numbers of this attempt.
        lead: The number of the input that the first leaf takes; further leaves are chosen at random.

    Attributes:
        exhausted: Whether the first leaf has no further input.
        missed: Whether there is no item for want of fitting inputs, not because its answer would be ambiguous.
    """

    def __init__(self, loom: Loom, lane: str, seed: int, rng: Random, lead: int) -> None:
        self.loom = loom
        self.lane = lane
        self.seed = seed
        self.rng = rng
        self._lead: int | None = lead
        self.exhausted = False
        self.missed = False

    def item(self, node: Expression, wanted: Callable[[Value], bool] | None = None) -> Woven | None:
        """An item of an expression, with a wanted answer where one is; None where it is not asked, or not found."""
        for _ in range(_TRIES if wanted is not None else 1):
            found = self._one(node)
            if found is not None and (wanted is None or wanted(found.value)):
                return found
        self.missed = self.missed or wanted is not None
        return None

    def _one(self, node: Expression) -> Woven | None:
        if not isinstance(node, Atom):
            return task_record(node).weave(self, node.arguments)
        return self._leaf(self.loom.atom(node.name))

    def _leaf(self, atom: TaskAtom) -> Woven | None:
        lead, self._lead = self._lead, None
        if lead is not None:
            found = atom.leaf(self.lane, self.seed, lead)
            if found is not None:
                return found
            self.exhausted = True
        last = atom.held(self.lane, self.seed, _WINDOW * LANES[self.lane])
        if not last:
            raise UserError(f"{atom.name} has no items for {self.lane}", hint="name a task with more items")
        return atom.leaf(self.lane, self.seed, self.rng.randrange(last))

    def apart(self, items: Sequence[Woven | None]) -> list[Woven] | None:
        """The items; None where one is missing, or two have the same input."""
        found = [one for one in items if one is not None]
        if len(found) < len(items):
            return None
        alike = len({one.input for one in found}) < len(found)
        self.missed = self.missed or alike
        return None if alike else found
