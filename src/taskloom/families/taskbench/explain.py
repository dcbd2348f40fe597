"""Why an answer is right or wrong, step by step."""

from __future__ import annotations

from typing import TYPE_CHECKING

from taskloom.algebra import Atom, ControlOperator, Expression, RelationOperator, reasons, signature
from taskloom.families.taskbench.phrases import clause, noun_phrase

if TYPE_CHECKING:
    from taskloom.families.taskbench.materials import Materials

__all__ = ["why", "why_not", "why_true"]


def why(node: Expression, x: str, y: str, materials: Materials) -> str:
    """The steps from an input to one of its outputs, in sentences."""
    return " ".join(dict.fromkeys(_Explainer(materials)(node, x, y)))


def why_not(node: Expression, x: str, y: str, right: str, materials: Materials) -> str:
    """That an output is wrong, and one that would be right."""
    phrase = noun_phrase(node, quoted(x), materials)
    return f"{quoted(y)} is not {phrase}. A right answer is {quoted(right)}. {why(node, x, right, materials)}"


def quoted(word: str) -> str:
    """A word in quotation marks, whatever it holds."""
    return f"'{word}'"


class _Explainer:
    """What the explanations in records are called with."""

    def __init__(self, materials: Materials) -> None:
        self._materials = materials

    def __call__(self, node: Expression, x: str, y: str) -> list[str]:
        """The steps from an input to one of its answers."""
        if isinstance(node, Atom):
            return [self.pair(node, x, y)]
        record = node.record
        assert isinstance(record, RelationOperator)
        steps = record.explain(self, x, y, *node.arguments)
        if not isinstance(record, ControlOperator):
            return steps
        condition = record.condition(*node.arguments)
        return [why_true(condition, x, bool(self.truth(condition, x)), self._materials), *steps]

    def pair(self, node: Expression, x: str, y: str, *, denied: bool = False) -> str:
        """A sentence that says that `y` is an answer for `x`, or that it is none."""
        said = " is not " if denied else " is "
        if signature(node).source == "entity":
            phrase = noun_phrase(node, x, self._materials)
            return _sentence(f"{y}{said}{phrase}" if denied else f"{phrase}{said}{y}")
        return f"{quoted(y)}{said}{noun_phrase(node, quoted(x), self._materials)}."

    def gives(self, node: Expression, x: str, y: str) -> bool:
        """Whether `y` is an answer for `x`."""
        return y in self._materials.apply(node, x)

    def truth(self, node: Expression, x: str) -> bool | None:
        """Whether a predicate holds of `x`; None where it is unknown."""
        return self._materials.truth(node, x)

    def between(self, outer: Expression, inner: Expression, x: str, y: str) -> str | None:
        """What leads from `x` to `y` through a chain; None where names do not tell."""
        return self._materials.between(outer, inner, x, y)


def why_true(node: Expression, x: str, holds: bool, materials: Materials) -> str:
    """Why a predicate is true or false of an input: each of its parts in turn."""
    name = x if signature(node).source == "entity" else quoted(x)
    said = []
    for part in reasons(node):
        truth = materials.truth(part, x)
        if truth is not None:
            said.append(_sentence(clause(part, name, materials, holds=truth)))
    return " ".join(dict.fromkeys(said)) or _sentence(clause(node, name, materials, holds=holds))


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}."
