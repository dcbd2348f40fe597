"""The tree of an expression: functions without variables.

Every expression is a function of one input, so it never names what it is applied to: `father(mother(x))` is
`CHAIN(father, mother)`. A leaf is an atom; any other node names an operator, whose record says all the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias, cast

if TYPE_CHECKING:
    from taskloom.algebra.records import Operator

TAGS = {"POS": ("noun", "verb", "adj", "adv"), "sentiment": ("pos", "neg", "none")}
"""What can be asked about a word, with the answers in canonical spelling; each is a universe of its own."""


@dataclass(frozen=True, slots=True)
class Atom:
    """A named relation or predicate.

    Attributes:
        name: `synonyms`, `place of birth`, `is`, `random` ...
        features: What stands in braces: `(("occupation", "writer"),)` of an `is`, `(("seed", "3"),)` of a `random`.
        language: What it takes and gives: `eng`, `eng->spa`; "" for factual atoms.
        inverse: Read from object to subject (factual relations only).
    """

    name: str
    features: tuple[tuple[str, str], ...] = ()
    language: str = ""
    inverse: bool = False

    @property
    def factual(self) -> bool:
        """Whether it asks the knowledge graph; all other atoms carry what they take and give."""
        return not self.language

    @property
    def source(self) -> str:
        """The universe of its inputs."""
        return self.language.partition("->")[0] or "entity"

    @property
    def target(self) -> str:
        """The universe of its outputs; `truth` for a predicate."""
        explicit = self.language.partition("->")[2]
        if explicit:
            return explicit
        if self.name in ("is", "acceptall", "rejectall"):
            return "truth"
        return self.name if self.language and self.name in TAGS else self.source

    @property
    def predicate(self) -> bool:
        """Whether it answers true or false."""
        return self.target == "truth"


@dataclass(frozen=True, slots=True, repr=False)
class Node:
    """An operator with its arguments. Made by calling the record of the operator: `UNION(father, mother)`."""

    operator: str
    arguments: tuple[Expression, ...] = ()

    @property
    def record(self) -> Operator:
        """All there is to know about the operator."""
        return operator_of(self.operator)

    def __repr__(self) -> str:
        return f"{self.operator.capitalize()}({', '.join(map(repr, self.arguments))})"


Expression: TypeAlias = Atom | Node


def operator_of(name: str) -> Operator:
    """The record of an operator.

    Raises:
        UserError: No operator has that name; the nearest names are given.
    """
    from taskloom.core.catalog import OPERATORS

    return cast("Operator", OPERATORS.get(name))


def children(node: Expression) -> tuple[Expression, ...]:
    """The expressions directly inside a node."""
    return node.arguments if isinstance(node, Node) else ()


def atoms(node: Expression) -> Iterator[Atom]:
    """The atoms of an expression from left to right, repeats included."""
    if isinstance(node, Atom):
        yield node
    for child in children(node):
        yield from atoms(child)


def replace_atoms(node: Expression, change: Callable[[Atom], Expression]) -> Expression:
    """The expression with every atom exchanged."""
    if isinstance(node, Atom):
        return change(node)
    return Node(node.operator, tuple(replace_atoms(part, change) for part in node.arguments))


def depth(node: Expression) -> int:
    """How many word-level functions stand on top of each other; `map` and `filter` add none."""
    if isinstance(node, Atom):
        return 1
    return node.record.depth([depth(part) for part in node.arguments])


def facet(node: Expression) -> str:
    """What a table says of the outermost operator: atomic, chain, union, map ..."""
    return "atomic" if isinstance(node, Atom) else node.record.facet_of(node)
