"""Expressions with atoms of the user's: words, facts and own tables combined by name."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING

from taskloom.algebra import Answers, Atom, Evaluator, Expression, Node, Truths, Value, signature
from taskloom.core import UserError
from taskloom.families.taskbench.functions import Predicate, Relation, table
from taskloom.sources.atoms import AtomRecord, RelationAtom, has_own_atoms, own_atom

if TYPE_CHECKING:
    from taskloom.families.taskbench.materials import Materials

__all__ = ["MixedEngine"]


class MixedEngine(Evaluator):
    """Evaluates expressions whose atoms come from several places.

    A part without own atoms is left to the engine of its words or facts, as a whole.

    Args:
        materials: The other engines.
    """

    def __init__(self, materials: Materials) -> None:
        self._materials = materials

    def relation(self, node: Expression, *, most_outputs: int = 0) -> tuple[Relation, int]:
        """A relation on all its inputs, and how many it has with those left out."""
        found = self._whole(node)
        kept = {x: ys for x, ys in found.items() if ys and (not most_outputs or len(ys) <= most_outputs)}
        return table(kept), sum(1 for ys in found.values() if ys)

    def predicate(self, node: Expression) -> Predicate:
        """A predicate on all its inputs."""
        value = self(node, Answers.of(self.inputs(node)))
        assert isinstance(value, Truths)
        true, false = (tuple(sorted(x for x, v in value.rows.items() if v is wanted)) for wanted in (True, False))
        return Predicate(true, false)

    def apply(self, node: Expression, word: str) -> tuple[str, ...]:
        """What a relation gives for one input, sorted."""
        value = self(node, Answers.of((word,)))
        assert isinstance(value, Answers)
        return tuple(sorted(value.rows[word]))

    def _whole(self, node: Expression) -> dict[str, dict[str, None]]:
        value = self(node, Answers.of(self.inputs(node)))
        assert isinstance(value, Answers)
        return value.rows

    def inputs(self, node: Expression) -> list[str]:
        """Every input that an expression could be asked about, sorted."""
        if isinstance(node, Atom) and (own := own_atom(node.name)) is not None:
            return sorted(own.inputs or self._domain(own))
        if not has_own_atoms(node):
            return self._known(node)
        assert isinstance(node, Node)
        # What comes last in a chain sees what the others give; all other arguments see the input.
        inside = node.arguments[-1:] if node.operator == "chain" else node.arguments
        return sorted({x for part in inside for x in self.inputs(part)})

    def _domain(self, own: AtomRecord) -> Iterable[str]:
        if own.in_graph or own.table is not None:
            return _triples(own) if own.in_graph else own.table or ()
        if own.domain in self._materials.lexical.vocabulary:
            return self._materials.lexical.input_words(own.domain)
        raise UserError(
            f"the {own.sort} {own.name!r} is a function of {own.domain!r}, so it has to say what to ask about",
            where="expression",
            hint=f'{type(own).__name__}(inputs=("…", "…"), …)',
        )

    def _known(self, node: Expression) -> list[str]:
        source = signature(node).source
        if source == "any":
            return []
        if source != "entity":
            return self._materials.lexical.input_words(source)
        if signature(node).predicate:
            truth = self._materials.predicate(node)
            return sorted((*truth.true, *truth.false))
        return list(self._materials.relation(node).inputs)

    def here(self, node: Expression, x: Answers) -> Value:
        assert isinstance(x, Answers)
        own = own_atom(node.name) if isinstance(node, Atom) else None
        if own is not None:
            return self._own(own, x)
        if isinstance(node, Node) and (has_own_atoms(node) or signature(node).source == "any"):
            value = node.record.value(self, x, node.arguments)
            if isinstance(value, Answers) and not value.plain:
                return Answers(value.rows, reach=lambda: _all(self._whole(node)))
            return value
        if signature(node).predicate:
            return Truths({word: self._materials.truth(node, word) for word in x.rows})
        return Answers(self._given(node, x.rows), reach=lambda: _all(self._given(node, self._known(node))))

    def _given(self, node: Expression, words: Iterable[str]) -> dict[str, tuple[str, ...]]:
        """What a relation between words or facts gives."""
        if signature(node).source == "entity":
            return {word: self._materials.apply(node, word) for word in words}
        found = self._materials.lexical.table(node, words)
        return {word: found.get(word, ()) for word in words}

    def _own(self, own: AtomRecord, x: Answers) -> Value:
        if own.target == "truth":
            return Truths({word: own.answer(word) for word in x.rows})
        answer: Callable[[str], Iterable[str]] = own.answer
        if own.in_graph:
            answer = partial(_row, _triples(own))

        def reach() -> set[str]:
            return {y for word in self.inputs(own.leaf()) for y in answer(word)}

        return Answers({word: answer(word) for word in x.rows}, reach=reach)


def _all(rows: Mapping[str, Iterable[str]]) -> set[str]:
    return {y for ys in rows.values() for y in ys}


def _row(rows: dict[str, tuple[str, ...]], word: str) -> tuple[str, ...]:
    return rows.get(word, ())


@lru_cache(maxsize=16)
def _triples(own: AtomRecord) -> dict[str, tuple[str, ...]]:
    """A relation from an RDF file, by label."""
    from taskloom.sources.knowledge import open_graph
    from taskloom.sources.knowledge.properties import find_property

    graph = open_graph(str(Path(str(own.data))))
    assert isinstance(own, RelationAtom)
    found = graph.words(Atom(find_property(graph, own.rdf_property or own.name)))
    own.prove(found.get(own.example[0]))
    return found
