"""The tree of an expression: functions without variables.

Every node is a function of one input, so an expression never needs to name what it is applied to:
`antonyms[eng](entailments[eng](x))` is `Chain(antonyms, entailments)`. A relation gives a set of words,
a predicate gives true or false, and `Map` and `Filter` lift both to sequences.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias

__all__ = [
    "Atom",
    "Chain",
    "Compare",
    "Complement",
    "Empty",
    "Expression",
    "Filter",
    "Identity",
    "Intersection",
    "Land",
    "Lnot",
    "Lor",
    "Map",
    "Union",
    "atoms",
    "chain",
    "children",
    "depth",
]


@dataclass(frozen=True, slots=True)
class Identity:
    """The input itself, a word or a whole sequence."""


@dataclass(frozen=True, slots=True)
class Atom:
    """A named relation or predicate.

    Attributes:
        name: `synonyms`, `place of birth`, `is`, `random` ...
        features: What stands in braces: `(("occupation", "writer"),)` of an `is`, `(("seed", "3"),)` of a `random`.
        language: `eng`, `spa`, `eng->spa`; "" for factual atoms.
        inverse: Read from object to subject (factual relations only).
    """

    name: str
    features: tuple[tuple[str, str], ...] = ()
    language: str = ""
    inverse: bool = False

    @property
    def factual(self) -> bool:
        """Whether it asks the knowledge graph; lexical and random atoms always carry a language."""
        return not self.language

    @property
    def predicate(self) -> bool:
        """Whether it answers true or false."""
        return self.name in ("is", "acceptall", "rejectall")


@dataclass(frozen=True, slots=True)
class Chain:
    """`outer` after `inner`: applied to every member of what `inner` gives, results united."""

    outer: Expression
    inner: Expression


@dataclass(frozen=True, slots=True)
class Union:
    """What any of the relations gives."""

    parts: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Intersection:
    """What all of the relations give."""

    parts: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Complement:
    """For an input the relation knows: what it gives to other inputs, and not to this one."""

    part: Expression


@dataclass(frozen=True, slots=True)
class Land:
    """True where all predicates are; defined where all are."""

    parts: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Lor:
    """True where any predicate is; defined where all are."""

    parts: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Lnot:
    """True where the predicate is false."""

    part: Expression


@dataclass(frozen=True, slots=True)
class Compare:
    """What two relations give for the input, compared; asked where both give something.

    `subset`: whether all that `left` gives is among what `right` gives. `eq`: whether both give the same. `in`: true if
    every member of `left` is among what `right` gives, false if none is; otherwise nobody can tell.
    """

    name: Literal["in", "subset", "eq"]
    left: Expression
    right: Expression


@dataclass(frozen=True, slots=True)
class Empty:
    """Whether a relation gives nothing for the input."""

    part: Expression


@dataclass(frozen=True, slots=True)
class Map:
    """A relation applied to each word of a sequence."""

    function: Expression


@dataclass(frozen=True, slots=True)
class Filter:
    """The words of a sequence for which a predicate is true, in their order."""

    predicate: Expression


Expression: TypeAlias = (
    Identity | Atom | Chain | Union | Intersection | Complement | Land | Lor | Lnot | Compare | Empty | Map | Filter
)


def chain(outer: Expression, inner: Expression) -> Expression:
    """`outer` after `inner`, without a node for an identity."""
    if isinstance(inner, Identity):
        return outer
    if isinstance(outer, Identity):
        return inner
    return Chain(outer, inner)


def children(node: Expression) -> tuple[Expression, ...]:
    """The expressions directly inside a node."""
    match node:
        case Chain(outer, inner):
            return (outer, inner)
        case Union(parts) | Intersection(parts) | Land(parts) | Lor(parts):
            return parts
        case Compare(_, left, right):
            return (left, right)
        case Complement(part) | Lnot(part) | Empty(part) | Map(part) | Filter(part):
            return (part,)
        case _:
            return ()


def atoms(node: Expression) -> Iterator[Atom]:
    """The atoms of an expression from left to right, repeats included."""
    if isinstance(node, Atom):
        yield node
    for child in children(node):
        yield from atoms(child)


def depth(node: Expression) -> int:
    """How many word-level functions stand on top of each other; `map` and `filter` add none."""
    match node:
        case Identity():
            return 0
        case Atom():
            return 1
        case Chain(Map() | Filter(), _):
            return max(map(depth, children(node)))
        case Chain(outer, inner):
            return depth(outer) + depth(inner)
        case Map(part) | Filter(part):
            return depth(part)
        case _:
            return 1 + max(map(depth, children(node)))
