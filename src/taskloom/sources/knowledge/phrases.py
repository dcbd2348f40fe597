"""Factual expressions in plain English.

`describe(query, "{x}")` gives a noun phrase for a relation ("the mother of the head of state of {x}")
and a sentence without its stop for a predicate ("{x} is an actor and {x} was born in Alwick").
"""

from __future__ import annotations

from collections.abc import Callable

from taskloom.algebra import Atom, Expression, Speaker, signature
from taskloom.sources.knowledge.vocabulary import RelationTerm, property_named, value_named

__all__ = ["FactSpeaker", "Label", "describe", "fact"]

Label = Callable[[str], str]


def _plain(entity: str) -> str:
    return entity


class FactSpeaker(Speaker):
    """Says what a graph is asked.

    Args:
        label: Gives the label of an entity or property; pass `KnowledgeGraph.label`, so that the values of
            predicates have the names they have in the graph at hand.
    """

    facts = True

    def __init__(self, label: Label = _plain) -> None:
        self._label = label

    def atom(self, atom: Atom, x: str) -> str:
        term = property_named(atom.name) or _unnamed(self._label(atom.name))
        return (term.inverse if atom.inverse else term.phrase).format(x=x)

    def atom_clause(self, atom: Atom, x: str, *, holds: bool) -> str:
        ((name, entity),) = atom.features
        term = value_named(name, entity)
        if term is not None:
            sentence = (term.phrase if holds else term.denial).removesuffix(".")
            value = self._label(entity) if "{v}" in sentence else ""
            return sentence.format(x=x, v=value)
        relation = property_named(name) or _unnamed(self._label(name))
        return f"{self._label(entity)} is {'' if holds else 'not '}{relation.phrase.format(x=x)}"


def describe(query: Expression, x: str = "{x}", *, label: Label = _plain) -> str:
    """The query as English: a noun phrase or a clause.

    Args:
        query: What to describe.
        x: What to call the input.
        label: Gives the label of an entity or property.
    """
    say = FactSpeaker(label)
    return say.clause(query, x) if signature(query).predicate else say(query, x)


def fact(query: Expression, x: str, y: str, *, label: Label = _plain) -> str:
    """A sentence that states one pair: "The mother of Ada is Berta."."""
    text = f"{describe(query, x, label=label)} is {y}"
    return f"{text[:1].upper()}{text[1:]}."


def _unnamed(name: str) -> RelationTerm:
    name = name.replace("{", "{{").replace("}", "}}")
    return RelationTerm(name, name, f"the {name} of {{x}}", f"something that has {{x}} as its {name}")
