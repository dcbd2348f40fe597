"""The tree of an expression, and what it takes and gives: words of which language, entities, truth values, sequences.

Every expression is a function of one input, so it never names what it is applied to: `father(mother(x))` is
`CHAIN(father, mother)`. A leaf is an atom; any other node names an operator, whose record says all the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Literal, TypeAlias, cast

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
