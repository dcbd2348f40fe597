"""Expressions over tasks: text to a typed tree, and back.

    expression := NAME | NAME "(" argument ("," argument)* ")"        argument := expression | key "=" expression

Names of operators are those of registered records (`weave.NAME`); every other name is a task: `babi/task-1`,
`superni/count_vowels`, `taskbench/antonyms[eng]`, `my_tasks.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

from taskloom.algebra import Atom, Expression, Node, Term, fault
from taskloom.algebra.parse import read
from taskloom.core import UserError, unknown_name
from taskloom.core.catalog import OPERATORS
from taskloom.weave.records import PREFIX, REQUIRED, TASK, VALUE, AnswerOperator, Outline, TaskOperator

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
