"""Expressions in plain English: records speak of operators, a speaker of atoms."""

from __future__ import annotations

from abc import ABC, abstractmethod

from taskloom.algebra import records
from taskloom.algebra.tree import Atom, Expression, Node, children


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
        assert isinstance(record, records.RelationOperator)
        return record.phrase(say, x, *node.arguments)

    def clause(self, node: Expression, x: str, *, holds: bool = True) -> str:
        """What a predicate says of `x`: "it can be a noun and it can be a verb"."""
        say = self.beside(node)
        if isinstance(node, Atom):
            return say.atom_clause(node, x, holds=holds)
        record = node.record
        if isinstance(record, records.Composition):
            return record.clause(say, x, holds, *node.arguments)
        assert isinstance(record, records.PredicateOperator)
        return record.phrase(say, x, holds, *node.arguments)


class _LetterSpeaker(Speaker):
    facts = True

    def atom(self, atom: Atom, x: str) -> str:
        return f"{atom.name}({x})"

    def atom_clause(self, atom: Atom, x: str, *, holds: bool) -> str:
        return f"{atom.name}({x}) is {str(holds).lower()}"


def told(record: records.Operator) -> str:
    """What an operator gives, with letters for its arguments."""
    letters = "fgh"[: 2 if record.arity[1] is None else record.arity[1]]
    say, parts = _LetterSpeaker(), [Atom(letter, (), "any->any") for letter in letters]
    if isinstance(record, records.SequenceOperator):
        form = record.layout(records.MapFilter(Node("input"), None), parts[0])
        kept = "" if form.predicate is None else f" where {say.clause(form.predicate, 'x')}"
        return f"{record.name}{{f}}: {say(form.relation, 'x')} for each item x{kept}"
    written = f"{record.name}({', '.join(letters)})" if letters else "x"
    if isinstance(record, records.PredicateOperator) and not isinstance(record, records.Composition):
        return f"{written}: {record.phrase(say, 'x', True, *parts)}"
    assert isinstance(record, records.RelationOperator)
    return f"{written}: {record.phrase(say, 'x', *parts) if letters else 'the input itself'}"


def reasons(node: Expression) -> list[Expression]:
    """The predicates whose truth values show together why this one is true or false."""
    record = node.record if isinstance(node, Node) else None
    if not isinstance(record, records.PredicateOperator) or isinstance(record, records.Composition):
        return [node]
    return [reason for part in record.explain(*children(node)) for reason in reasons(part)] or [node]
