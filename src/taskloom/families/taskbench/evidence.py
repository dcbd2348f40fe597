"""The statements that decide what a factual function gives: found level by level for many inputs at once."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

from taskloom.algebra import Answers, Atom, Evaluator, Expression, Node, Truths, Value
from taskloom.core import UserError
from taskloom.sources.knowledge import KnowledgeGraph

__all__ = ["Evidence", "Fact", "hops"]

_KEPT = 200_000


class Fact(NamedTuple):
    """A statement by ids."""

    subject: str
    property: str
    value: str


class Evidence:
    """Traces functions through a graph.

    A set of statements is evidence for `f(x)` if whoever knows them and takes them to be all there is of their subjects
    and properties works out exactly `f(x)`. What is true besides them changes nothing, because every property that was
    looked at is stated in full.

    Args:
        graph: The knowledge graph.
    """

    def __init__(self, graph: KnowledgeGraph) -> None:
        self._graph = graph
        self._values: dict[tuple[str, bool], dict[str, tuple[str, ...]]] = {}

    def warm(self, asked: Expression, inputs: Iterable[str]) -> None:
        """Fetch what a function looks at for some inputs, in a few queries."""
        _Lookup(self._fetch)(asked, Answers.of(inputs))

    def _fetch(self, relation: Atom, inputs: Iterable[str]) -> dict[str, tuple[str, ...]]:
        known = self._values.setdefault((relation.name, relation.inverse), {})
        missing = [x for x in inputs if x not in known]
        if missing:
            if len(known) > _KEPT:
                known.clear()
            known.update(dict.fromkeys(missing, ()))
            known.update(self._graph.outputs(relation, missing))
        return known

    def facts(self, asked: Expression, x: str) -> list[Fact]:
        """The evidence for one input that was warmed, in the order a person would follow it."""
        found: dict[Fact, None] = {}

        def note(relation: Atom, inputs: Iterable[str]) -> dict[str, tuple[str, ...]]:
            known = self._values[relation.name, relation.inverse]
            for one in inputs:
                for y in known.get(one, ()):
                    found[Fact(y, relation.name, one) if relation.inverse else Fact(one, relation.name, y)] = None
            return known

        _Lookup(note)(asked, Answers.of((x,)))
        return list(found)


class _Lookup(Evaluator):
    """Evaluates functions by looking statements up.

    Args:
        values: The values of a property for some entities, and possibly for others.
    """

    def __init__(self, values: Callable[[Atom, Iterable[str]], dict[str, tuple[str, ...]]]) -> None:
        self._values = values

    def here(self, node: Expression, x: Answers) -> Value:
        assert isinstance(x, Answers)
        if isinstance(node, Node):
            return node.record.value(self, x, node.arguments)
        if not node.predicate:
            known = self._values(node, x.rows)
            return Answers({one: known.get(one, ()) for one in x.rows}, reach=_everybody)
        ((name, value_asked),) = node.features
        known = self._values(Atom(name), x.rows)
        return Truths({one: value_asked in known[one] if known.get(one) else None for one in x.rows})


def _everybody() -> set[str]:
    raise UserError(
        "a complement depends on the facts about everybody, so it cannot be asked with facts in the prompt",
        where="facts",
        hint="-T facts=none",
    )


def hops(asked: Expression) -> int:
    """How many statements a person follows one after the other."""
    if isinstance(asked, Atom):
        return 1
    parts = [hops(part) for part in asked.arguments]
    return sum(parts) if asked.operator == "chain" else max(parts, default=0)
