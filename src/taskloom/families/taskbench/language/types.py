"""What an expression takes and gives: words of which language, entities, truth values, one or a sequence."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal, TypeAlias

from taskloom.families.taskbench.language.atoms import LANGUAGES, MARKS
from taskloom.families.taskbench.language.tree import (
    Atom,
    Chain,
    Compare,
    Complement,
    Empty,
    Expression,
    Filter,
    Identity,
    Intersection,
    Land,
    Lnot,
    Lor,
    Map,
    Union,
)

__all__ = ["IllTypedError", "Signature", "Universe", "signature"]

Universe: TypeAlias = Literal["eng", "spa", "entity", "any"] | str
"""Where words live: a language, the knowledge graph, or `any` for the identity."""

_SPOKEN = {
    "entity": "entities",
    "any": "anything",
    "truth": "truth values",
    "POS": "parts of speech",
    "sentiment": "signs",
}


class IllTypedError(ValueError):
    """An expression that means nothing; the parser adds the position."""


@dataclass(frozen=True, slots=True)
class Signature:
    """The type of an expression.

    Attributes:
        source: The universe of its inputs.
        target: The universe of its outputs; `truth` for a predicate.
        sequence: Whether it works on sequences.
    """

    source: Universe
    target: Universe
    sequence: bool = False

    @property
    def predicate(self) -> bool:
        """Whether it gives truth values."""
        return self.target == "truth"

    def __str__(self) -> str:
        shape = "sequences of " if self.sequence else ""
        return f"{shape}{spoken(self.source)} to {shape}{spoken(self.target)}"


def spoken(universe: Universe) -> str:
    """A universe in words."""
    return _SPOKEN.get(universe) or f"{LANGUAGES.get(universe, repr(universe))} words"


@lru_cache(maxsize=1 << 14)
def signature(node: Expression) -> Signature:
    """The type of an expression.

    Raises:
        IllTypedError: It does not type, with the reason in one sentence.
    """
    match node:
        case Identity():
            return Signature("any", "any")
        case Atom():
            return _atom(node)
        case Chain(outer, inner):
            return _chain(signature(outer), signature(inner))
        case Union(parts) | Intersection(parts):
            return _sets([signature(part) for part in parts], "union" if isinstance(node, Union) else "intersection")
        case Complement(part):
            return _relation(signature(part), "complement")
        case Land(parts) | Lor(parts):
            return _logic([signature(part) for part in parts], "land" if isinstance(node, Land) else "lor")
        case Lnot(part):
            return _logic([signature(part)], "lnot")
        case Compare(name, left, right):
            return Signature(_sets([signature(left), signature(right)], name).source, "truth")
        case Empty(part):
            return Signature(_relation(signature(part), "empty").source, "truth")
        case Map(part):
            return replace(_relation(signature(part), "map"), sequence=True)
        case Filter(part):
            inner_type = _logic([signature(part)], "filter")
            return Signature(inner_type.source, inner_type.source, sequence=True)


def _atom(node: Atom) -> Signature:
    source, arrow, target = node.language.partition("->")
    if not node.language:
        source = target = "entity"
    elif not arrow:
        target = source
    if node.predicate:
        return Signature(source, "truth")
    if node.name in MARKS:
        return Signature(source, node.name)
    return Signature(source, target)


def _word(type_: Signature, where: str) -> Signature:
    if type_.sequence:
        raise IllTypedError(f"{where} takes word functions, not a function of sequences")
    return type_


def _relation(type_: Signature, where: str) -> Signature:
    if _word(type_, where).predicate:
        raise IllTypedError(f"{where} takes relations, but this is a predicate")
    return type_


def _meet(types: list[Signature], where: str, end: Literal["source", "target"]) -> Universe:
    """The one universe all of them share; the identity fits anywhere."""
    found = [universe for type_ in types if (universe := getattr(type_, end)) != "any"]
    for universe in found[1:]:
        if universe != found[0]:
            verb = "take" if end == "source" else "give"
            raise IllTypedError(
                f"{where} needs one universe, but its parts {verb} {spoken(found[0])} and {spoken(universe)}"
            )
    return found[0] if found else "any"


def _sets(types: list[Signature], where: str) -> Signature:
    for type_ in types:
        _relation(type_, where)
    bound = [t if "any" not in (t.source, t.target) else _bind(t, types) for t in types]
    return Signature(_meet(bound, where, "source"), _meet(bound, where, "target"))


def _bind(identity: Signature, types: list[Signature]) -> Signature:
    """An identity among other relations gives what it takes."""
    source = next((t.source for t in types if t.source != "any"), "any")
    return replace(identity, source=source, target=source)


def _logic(types: list[Signature], where: str) -> Signature:
    for type_ in types:
        if not _word(type_, where).predicate:
            raise IllTypedError(f"{where} takes predicates, but this is a relation")
    return Signature(_meet(types, where, "source"), "truth")


def _chain(outer: Signature, inner: Signature) -> Signature:
    if inner.predicate:
        raise IllTypedError("a truth value cannot be the input of another function")
    if outer.sequence != inner.sequence:
        sequence, word = ("outer", "inner") if outer.sequence else ("inner", "outer")
        raise IllTypedError(
            f"the {sequence} function works on sequences and the {word} one on words; lift it with map or filter"
        )
    if "any" not in (outer.source, inner.target) and outer.source != inner.target:
        raise IllTypedError(
            f"the outer function takes {spoken(outer.source)}, the inner one gives {spoken(inner.target)}"
        )
    target = inner.target if outer.target == "any" else outer.target
    source = outer.source if inner.source == "any" else inner.source
    return Signature(source, target, sequence=outer.sequence)
