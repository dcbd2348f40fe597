"""Factual expressions, asked of a knowledge graph as one SPARQL query each."""

from __future__ import annotations

import re
from collections.abc import Iterable
from math import inf

from taskloom.algebra import Atom, Expression, RelationOperator, atoms, children, replace_atoms, signature, width
from taskloom.core import UserError
from taskloom.families.taskbench.functions import Predicate, Relation, table
from taskloom.sources.knowledge import KnowledgeGraph
from taskloom.sources.knowledge.properties import find_property, property_name
from taskloom.sources.knowledge.vocabulary import PREDICATES

__all__ = ["WIDEST_COMPLEMENT", "FactualEngine"]

# A complement that stands alone lists nearly the whole range for every input; this many pairs are the most.
WIDEST_COMPLEMENT = 2_000_000


_ENTITY = re.compile(r"[A-Z]+[1-9]\d*")
_PROPERTY = re.compile(r"P[1-9]\d*")
_VALUES = {(term.relation, term.value.lower()): term.entity for term in PREDICATES.values()}


class FactualEngine:
    """Evaluates factual expressions on a graph.

    Args:
        graph: The knowledge graph.
        row_limit: The most rows to fetch per function; 0 fetches all.
    """

    def __init__(self, graph: KnowledgeGraph, *, row_limit: int = 0) -> None:
        self.graph = graph
        self._limit = row_limit or None
        self._properties: dict[str, str] = {}

    def relation(self, node: Expression, *, most_outputs: int = 0) -> tuple[Relation, int]:
        """A relation on all entities by name, and how many inputs it has with those left out."""
        asked = self.query(node)
        self._guard(asked)
        words = self.graph.words(asked, limit=self._limit)
        kept = {word: outputs for word, outputs in words.items() if not most_outputs or len(outputs) <= most_outputs}
        return table(kept), len(words)

    def predicate(self, node: Expression) -> Predicate:
        """A predicate on all entities by name."""
        asked = self.query(node)
        self._guard(asked)
        truth = self.graph.word_truth(asked, limit=self._limit)
        return Predicate(tuple(truth.true), tuple(truth.false))

    def _guard(self, asked: Expression) -> None:
        """Refuse a relation whose size only all there is limits, where that is much: a complement that stands alone.

        Raises:
            UserError: With what to write instead.
        """
        if signature(asked).predicate or isinstance(asked, Atom):
            for part in children(asked):
                self._guard(part)
            return
        record = asked.record
        assert isinstance(record, RelationOperator)
        if width(asked) < inf:
            return
        if all(width(part) < inf for part in asked.arguments):
            functions = [
                {} if signature(part).predicate else self.graph.function(part, limit=self._limit)
                for part in asked.arguments
            ]
            inputs = max(map(len, functions))
            reach = len({y for function in functions for outputs in function.values() for y in outputs})
            most = [max(map(len, function.values()), default=0) for function in functions]
            if inputs * (listed := record.bound(reach, *most)) > WIDEST_COMPLEMENT:
                raise UserError(
                    f"this {record.name} lists up to {listed:,} entities for each of {inputs:,} inputs",
                    where="expression",
                    hint="subtract it from something: intersection(f, complement(g))",
                )
        for part in asked.arguments:
            self._guard(part)

    def knows(self, asked: Expression, entities: Iterable[str]) -> set[str]:
        """The entities among some of which the innermost relation of a query states anything."""
        *_, innermost = atoms(asked)
        relation = Atom(innermost.features[0][0]) if innermost.predicate else innermost
        return set(self.graph.outputs(relation, entities))

    def query(self, node: Expression) -> Expression:
        """The expression with the ids that properties and entities have in the graph.

        Raises:
            UserError: A property that the graph lacks.
        """
        return replace_atoms(node, self._resolved)

    def _resolved(self, atom: Atom) -> Atom:
        if not atom.predicate:
            return Atom(self._property(atom.name), inverse=atom.inverse)
        ((key, value),) = atom.features
        return Atom("is", ((self._property(key), self._value(key, value)),))

    def label(self, short: str) -> str:
        """What to call an entity or a property in a sentence."""
        is_property = _PROPERTY.fullmatch(short) or short in self._properties.values()
        return property_name(self.graph, short) if is_property else self.graph.label(short)

    def _property(self, name: str) -> str:
        if name not in self._properties:
            self._properties[name] = find_property(self.graph, name)
        return self._properties[name]

    def _value(self, key: str, value: str) -> str:
        """The entity a predicate compares with: one of the paper's, an id, or the only one of that name."""
        known = _VALUES.get((key, value.lower()))
        if known is not None:
            return known
        if _ENTITY.fullmatch(value):
            return value
        found = [short for short in self.graph.find(value) if not _PROPERTY.fullmatch(short)]
        if len(found) == 1:
            return found[0]
        if not found:
            raise UserError(f"no entity is called {value!r}", where=f"is{{{key}=...}}", hint="you can also use its id")
        shown = ", ".join(found[:5])
        raise UserError(
            f"{len(found)} entities are called {value!r}", where=f"is{{{key}=...}}", hint=f"use an id: {shown}"
        )
