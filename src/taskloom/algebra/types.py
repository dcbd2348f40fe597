"""What an expression takes and gives: words of which language, entities, truth values, one or a sequence."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal, TypeAlias

from taskloom.algebra.tree import Atom, Expression
from taskloom.core.language_codes import LANGUAGES

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
        source: The universe of its inputs: a language, `entity`, one of your own; `any` for the identity.
        target: The universe of its outputs; `truth` for a predicate.
        sequence: Whether it works on sequences.
    """

    source: str
    target: str
    sequence: bool = False

    @property
    def predicate(self) -> bool:
        """Whether it gives truth values."""
        return self.target == "truth"

    def __str__(self) -> str:
        shape = "sequences of " if self.sequence else ""
        return f"{shape}{spoken(self.source)} to {shape}{spoken(self.target)}"


Typing: TypeAlias = Callable[[str, list[Signature]], Signature]
"""The type of an operator's node from its name, for errors, and from the types of its arguments."""


def spoken(universe: str) -> str:
    """A universe in words."""
    return _SPOKEN.get(universe) or f"{LANGUAGES.get(universe, repr(universe))} words"


@lru_cache(maxsize=1 << 14)
def signature(node: Expression) -> Signature:
    """The type of an expression.

    Raises:
        IllTypedError: It does not type, with the reason in one sentence.
    """
    if isinstance(node, Atom):
        return Signature(node.source, node.target)
    return node.record.types(node.operator, [signature(part) for part in node.arguments])


def _word(type_: Signature, where: str) -> Signature:
    if type_.sequence:
        raise IllTypedError(f"{where} takes word functions, not a function of sequences")
    return type_


def _relation(type_: Signature, where: str) -> Signature:
    if _word(type_, where).predicate:
        raise IllTypedError(f"{where} takes relations, but this is a predicate")
    return type_


def _meet(types: list[Signature], where: str, end: Literal["source", "target"]) -> str:
    """The one universe all of them share; the identity fits anywhere."""
    found = [universe for type_ in types if (universe := getattr(type_, end)) != "any"]
    for universe in found[1:]:
        if universe != found[0]:
            verb = "take" if end == "source" else "give"
            raise IllTypedError(
                f"{where} needs one universe, but its parts {verb} {spoken(found[0])} and {spoken(universe)}"
            )
    return found[0] if found else "any"


def set_operation(name: str, types: list[Signature]) -> Signature:
    """Takes relations from one universe to another, gives one of the same kind."""
    for type_ in types:
        _relation(type_, name)
    source = next((type_.source for type_ in types if type_.source != "any"), "any")
    # An identity among other relations gives what it takes.
    bound = [t if "any" not in (t.source, t.target) else replace(t, source=source, target=source) for t in types]
    return Signature(_meet(bound, name, "source"), _meet(bound, name, "target"))


def comparison(name: str, types: list[Signature]) -> Signature:
    """Takes relations from one universe to another, gives a predicate."""
    return Signature(set_operation(name, types).source, "truth")


def logic(name: str, types: list[Signature]) -> Signature:
    """Takes predicates of one universe, gives one."""
    for type_ in types:
        if not _word(type_, name).predicate:
            raise IllTypedError(f"{name} takes predicates, but this is a relation")
    return Signature(_meet(types, name, "source"), "truth")


def choice(name: str, types: list[Signature]) -> Signature:
    """Takes a predicate and relations, all of one universe, gives a relation."""
    condition, given = logic(name, types[:1]), set_operation(name, types[1:])
    return replace(given, source=_meet([condition, given], name, "source"))


def mapping(name: str, types: list[Signature]) -> Signature:
    """Takes a relation, gives a function of sequences."""
    return replace(_relation(types[0], name), sequence=True)


def filtering(name: str, types: list[Signature]) -> Signature:
    """Takes a predicate, gives a function of sequences."""
    source = logic(name, types).source
    return Signature(source, source, sequence=True)


def composition(name: str, types: list[Signature]) -> Signature:
    """Takes two functions, the first of which takes what the second gives."""
    outer, inner = types
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
