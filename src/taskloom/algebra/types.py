"""The tree of an expression, and what it takes and gives: words of which language, entities, truth values, sequences.

Every expression is a function of one input, so it never names what it is applied to: `father(mother(x))` is
`CHAIN(father, mother)`. A leaf is an atom; any other node names an operator, whose record says all the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, ClassVar, TypeAlias, cast

from taskloom.core.catalog import OPERATORS
from taskloom.core.language_codes import LANGUAGES

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

    operator: ClassVar[str] = "atom"
    arguments: ClassVar[tuple[Expression, ...]] = ()
    record: ClassVar[None] = None

    name: str
    features: tuple[tuple[str, str], ...] = ()
    language: str = ""
    inverse: bool = False

    @property
    def factual(self) -> bool:
        """Whether it asks the knowledge graph; all other atoms carry what they take and give."""
        return not self.language

    @property
    def signature(self) -> Signature:
        """What it takes and gives: entities where no language is said, `truth` of a predicate."""
        source, _, target = self.language.partition("->")
        if self.name in ("is", "acceptall", "rejectall"):
            target = target or "truth"
        elif self.language and self.name in TAGS:
            target = target or self.name
        return Signature(source or "entity", target or source or "entity")


@dataclass(frozen=True, slots=True, repr=False)
class Node:
    """An operator with its arguments. Made by calling the record of the operator: `UNION(father, mother)`."""

    operator: str
    arguments: tuple[Expression, ...] = ()

    @property
    def record(self) -> Operator:
        """All there is to know about the operator; an unknown one is refused with the nearest names."""
        return cast("Operator", OPERATORS.get(self.operator))

    def __repr__(self) -> str:
        return f"{self.operator.capitalize()}({', '.join(map(repr, self.arguments))})"


Expression: TypeAlias = Atom | Node


def atoms(node: Expression) -> Iterator[Atom]:
    """The atoms of an expression from left to right, repeats included."""
    if isinstance(node, Atom):
        yield node
    for child in node.arguments:
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


_SPOKEN = {"any": "anything", "truth": "truth values", "entity": "entities"}
_SPOKEN |= {"POS": "parts of speech", "sentiment": "signs"}


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
        return node.signature
    return node.record.types(node.operator, [signature(part) for part in node.arguments])


@dataclass(frozen=True)
class Typing:
    """What an operator takes and gives, with letters for universes: `a->b` a relation, `a->truth` a predicate of `a`.

    Attributes:
        takes: One for each argument; those after the last are like it.
        gives: The result.
        sequence: Whether the result works on sequences.
    """

    takes: tuple[str, ...]
    gives: str
    sequence: bool = False

    def __call__(self, name: str, given: list[Signature]) -> Signature:
        """The type of a node from its arguments'; the name is for errors.

        Raises:
            IllTypedError: They do not fit.
        """
        ends = [pattern.split("->") for pattern in (self.takes + self.takes[-1:] * len(given))[: len(given)]]
        for type_, (_, wanted) in zip(given, ends, strict=True):
            if type_.sequence:
                raise IllTypedError(f"{name} takes word functions, not a function of sequences")
            if type_.predicate != (wanted == "truth"):
                found, needed = ("predicate", "relations") if type_.predicate else ("relation", "predicates")
                raise IllTypedError(f"{name} takes {needed}, but this is a {found}")
        known = {"truth": "truth"}
        # An identity among other relations gives what it takes, so it comes last.
        for type_, (source, target) in sorted(zip(given, ends, strict=True), key=lambda pair: pair[0].source == "any"):
            own = type_ if type_.source != "any" else replace(type_, source=known.get(source, "any"))
            own = own if own.target != "any" else replace(own, target=own.source)
            for verb, letter, universe in (("take", source, own.source), ("give", target, own.target)):
                if universe != "any" and known.setdefault(letter, universe) != universe:
                    both = f"{spoken(known[letter])} and {spoken(universe)}"
                    raise IllTypedError(f"{name} needs one universe, but its parts {verb} {both}")
        source, target = (known.get(letter, "any") for letter in self.gives.split("->"))
        return Signature(source, target, self.sequence)


set_operation = Typing(("a->b",), "a->b")
"""Relations from one universe to another, and one of the same kind."""
comparison = Typing(("a->b",), "a->truth")
"""Relations from one universe to another, and a predicate."""
logic = Typing(("a->truth",), "a->truth")
"""Predicates of one universe, and one."""
choice = Typing(("a->truth", "a->b"), "a->b")
"""A predicate, then relations, and a relation."""
mapping = Typing(("a->b",), "a->b", sequence=True)
"""A relation, and a function of sequences."""
filtering = Typing(("a->truth",), "a->a", sequence=True)
"""A predicate, and a function of sequences."""


def composition(name: str, types: list[Signature]) -> Signature:
    """Takes two functions, the first of which takes what the second gives."""
    outer, inner = types
    if inner.predicate:
        raise IllTypedError("a truth value cannot be the input of another function")
    if outer.sequence != inner.sequence:
        sequence, word = ("outer", "inner") if outer.sequence else ("inner", "outer")
        both = f"the {sequence} function works on sequences and the {word} one on words"
        raise IllTypedError(f"{both}; lift it with map or filter")
    if "any" not in (outer.source, inner.target) and outer.source != inner.target:
        gives = f"the inner one gives {spoken(inner.target)}"
        raise IllTypedError(f"the outer function takes {spoken(outer.source)}, {gives}")
    target = inner.target if outer.target == "any" else outer.target
    source = outer.source if inner.source == "any" else inner.source
    return Signature(source, target, sequence=outer.sequence)
