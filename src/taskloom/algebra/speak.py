"""Expressions in plain English, and why their answers are right: records speak of operators, a speaker of atoms."""

from __future__ import annotations

from abc import ABC, abstractmethod

from taskloom.algebra.records import Composition, ControlOperator, PredicateOperator, RelationOperator
from taskloom.algebra.tree import Atom, Expression, Node, children

__all__ = ["Explainer", "Speaker", "reasons"]


class Speaker(ABC):
    """Says what expressions give. `facts` is whether it speaks of entities rather than of words."""

    facts: bool

    @abstractmethod
    def atom(self, atom: Atom, x: str) -> str:
        """A noun phrase for what a relation gives for `x`."""

    @abstractmethod
    def atom_clause(self, atom: Atom, x: str, *, holds: bool) -> str:
        """What a predicate says of `x`, or that it is not so."""

    def beside(self, node: Expression) -> Speaker:
        """Who speaks of an expression inside; the universe may be another one."""
        return self

    def __call__(self, node: Expression, x: str) -> str:
        """What a relation gives for `x`: "an antonym of a verb that it entails"."""
        say = self.beside(node)
        if isinstance(node, Atom):
            return say.atom(node, x)
        record = node.record
        assert isinstance(record, RelationOperator)
        return record.phrase(say, x, *node.arguments)

    def clause(self, node: Expression, x: str, *, holds: bool = True) -> str:
        """What a predicate says of `x`: "it can be a noun and it can be a verb"."""
        say = self.beside(node)
        if isinstance(node, Atom):
            return say.atom_clause(node, x, holds=holds)
        record = node.record
        if isinstance(record, Composition):
            return record.clause(say, x, holds, *node.arguments)
        assert isinstance(record, PredicateOperator)
        return record.phrase(say, x, holds, *node.arguments)


class Explainer(ABC):
    """Shows step by step why answers are right; what the explanations in records are called with."""

    @abstractmethod
    def pair(self, node: Expression, x: str, y: str, *, denied: bool = False) -> str:
        """A sentence that says that `y` is an answer for `x`, or that it is none."""

    @abstractmethod
    def gives(self, node: Expression, x: str, y: str) -> bool:
        """Whether `y` is an answer for `x`."""

    @abstractmethod
    def truth(self, node: Expression, x: str) -> bool | None:
        """Whether a predicate holds of `x`; None where it is unknown."""

    @abstractmethod
    def condition(self, node: Expression, x: str) -> str:
        """A sentence that says whether a predicate holds of `x`."""

    @abstractmethod
    def between(self, outer: Expression, inner: Expression, x: str, y: str) -> str | None:
        """What leads from `x` to `y` through a chain; None where names do not tell."""

    def __call__(self, node: Expression, x: str, y: str) -> list[str]:
        """The steps from an input to one of its answers."""
        if isinstance(node, Atom):
            return [self.pair(node, x, y)]
        record = node.record
        assert isinstance(record, RelationOperator)
        decided = [self.condition(record.condition(*node.arguments), x)] if isinstance(record, ControlOperator) else []
        return [*decided, *record.explain(self, x, y, *node.arguments)]


def reasons(node: Expression) -> list[Expression]:
    """The predicates whose truth values show together why this one is true or false."""
    record = node.record if isinstance(node, Node) else None
    if not isinstance(record, PredicateOperator) or isinstance(record, Composition):
        return [node]
    return [reason for part in record.explain(*children(node)) for reason in reasons(part)] or [node]
