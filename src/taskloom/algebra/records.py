"""The record of an operator: everything that any part of Taskloom asks about it.

There are five sorts, each with what it needs besides: operators on relations, predicates and sequences, control, and
composition itself. A record without one of its fields, or whose semantics contradicts its own example, is refused
when it is made.

The functions in a record are called with what interprets the arguments, then the input, then the arguments:

    semantics=lambda at, x, f, g: at(f, x) - at(g, x)
    phrase=lambda say, x, f, g: f"{say(f, x)} that is not {say(g, x)}"
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import inf
from typing import Any, ClassVar, NamedTuple, TypeAlias

from taskloom.algebra.sets import Answers, Evaluator, ExampleEvaluator, Truths, Value
from taskloom.algebra.tree import Atom, Expression, Node
from taskloom.algebra.types import Typing
from taskloom.core import UserError
from taskloom.core.registry import MISSING, refuse_missing

Example: TypeAlias = tuple[Mapping[str, Any], ...]
"""What the arguments give for each input, and last what the operator gives: `({"x": "ab"}, {"x": "b"}, {"x": "a"})`."""


@dataclass(frozen=True, kw_only=True)
class Laws:
    """What the normal form may do to an operator; none of it holds unless it is said.

    Attributes:
        commutative: The order of arguments does not matter.
        associative: Nested ones are one.
        idempotent: An argument that is there twice counts once.
        absorbs: The operator whose nodes are dropped when they hold an argument that stands beside them.
        distributes: Over unions, in every argument.
        dual: What it becomes under a negation, its arguments negated.
        rewrite: Another expression for some arguments, which are in normal form; None keeps them.
    """

    commutative: bool = False
    associative: bool = False
    idempotent: bool = False
    absorbs: str = ""
    distributes: bool = False
    dual: str = ""
    rewrite: Callable[..., Expression | None] | None = None


class MapFilter(NamedTuple):
    """Equation 5: a relation applied to the items that a predicate keeps.

    `relation` is the identity for a mere filter, `predicate` is None for a mere map.
    """

    relation: Expression
    predicate: Expression | None

    @property
    def maps(self) -> bool:
        """Whether anything is done to the items that are kept."""
        return self.relation != Node("input")


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Operator:
    """What every sort of operator has.

    Attributes:
        name: As it is written in expressions.
        arity: The fewest and the most arguments; None for any number.
        types: What it takes and gives (`algebra.types`).
        laws: What the normal form may use.
        facet: What tables call a task whose outermost operator it is.
        example: Arguments and result on a small table; the semantics has to agree.
    """

    sort: ClassVar[str] = "operator"

    name: str = MISSING
    arity: tuple[int, int | None] = MISSING
    types: Typing = MISSING
    laws: Laws = MISSING
    facet: str = MISSING
    example: Example = MISSING

    def __post_init__(self) -> None:
        refuse_missing(self, "operator", f"an operator on {self.sort}")
        self._prove()

    def __call__(self, *arguments: Expression) -> Expression:
        """An expression with this operator outermost."""
        return Node(self.name, arguments)

    def __repr__(self) -> str:
        return f"<operator {self.name}>"

    @property
    def summary(self) -> str:
        """What lists say of it."""
        from taskloom.algebra.speak import told

        return told(self)

    def depth(self, parts: Sequence[int]) -> int:
        """How deep an expression is whose arguments are as deep as that."""
        return 1 + max(parts) if parts else 0

    def facet_of(self, node: Node) -> str:
        """What tables call a task whose outermost node this is."""
        return self.facet

    def value(self, at: Evaluator, x: Answers, parts: tuple[Expression, ...]) -> Value:
        """The value of a node at some inputs, by the semantics of its sort."""
        found: Value = self.semantics(at, x, *parts)  # type: ignore[attr-defined]
        return found

    def _prove(self) -> None:
        """Hold the semantics against the example.

        Raises:
            UserError: They differ.
        """
        *given, expected = self.example
        parts: tuple[Expression, ...] = tuple(Atom(f"argument {place}") for place in range(len(given)))
        value = self.value(ExampleEvaluator(dict(zip(parts, given, strict=True))), Answers.of(expected), parts)
        found, wanted = (
            {x: y if isinstance(y, bool | None) else set(y) for x, y in rows.items()} for rows in (value.rows, expected)
        )
        if found != wanted:
            raise UserError(
                f"the semantics of the operator {self.name!r} gives {found} for its example, not {wanted}",
                where=f"{type(self).__name__}(…)",
            )


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class RelationOperator(Operator):
    """An operator that gives a relation.

    Attributes:
        semantics: Sets of answers from those of the arguments.
        bound: The most answers to one input, from how many different answers there are in all and the most of each
            argument: `lambda reach, f, g: f + g`.
        sparql: A graph pattern that binds `x` to inputs and `y` to answers.
        phrase: A noun phrase for an answer.
        explain: Sentences that show why `y` is an answer.
    """

    sort: ClassVar[str] = "relations"

    semantics: Callable[..., Answers] = MISSING
    bound: Callable[..., float] = MISSING
    sparql: Callable[..., str] = MISSING
    phrase: Callable[..., str] = MISSING
    explain: Callable[..., list[str]] = MISSING


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class ControlOperator(RelationOperator):
    """An operator one of whose arguments decides which of the others counts.

    Attributes:
        condition: The deciding one of the arguments; explanations begin with whether it holds.
    """

    sort: ClassVar[str] = "control"

    condition: Callable[..., Expression] = MISSING


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class PredicateOperator(Operator):
    """An operator that gives a predicate.

    Attributes:
        semantics: Truth values from the values of the arguments.
        holds: A graph pattern that binds `x` to what it is `wanted` (true or false) of.
        known: A graph pattern that binds `x` to what it is true or false of.
        phrase: A clause that says that it `holds` of `x`, or that it does not.
        explain: The predicates among its arguments that show together why it is true or false; none where it speaks
            for itself.
    """

    sort: ClassVar[str] = "predicates"

    semantics: Callable[..., Truths] = MISSING
    holds: Callable[..., str] = MISSING
    known: Callable[..., str] = MISSING
    phrase: Callable[..., str] = MISSING
    explain: Callable[..., Sequence[Expression]] = MISSING


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class SequenceOperator(Operator):
    """An operator on several items at once.

    Attributes:
        layout: What the items have become before it, and its argument, to what they are after it.
        facet_after: The facet where it stands after another sequence function.
    """

    sort: ClassVar[str] = "sequences"

    layout: Callable[[MapFilter, Expression], MapFilter] = MISSING
    facet_after: str = MISSING

    def depth(self, parts: Sequence[int]) -> int:
        return max(parts)

    def value(self, at: Evaluator, x: Answers, parts: tuple[Expression, ...]) -> Value:
        form = self.layout(MapFilter(Node("input"), None), parts[0])
        mapped: Answers = at(form.relation, x) if form.maps else x
        if form.predicate is None:
            return mapped
        kept: Truths = at(form.predicate, x)
        return kept.choose(mapped, mapped - mapped)


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Composition(RelationOperator, PredicateOperator):
    """One function after another: a relation or a predicate, on words or on sequences.

    Attributes:
        clause: Its phrase where it is a predicate.
    """

    sort: ClassVar[str] = "functions"

    semantics: Callable[..., Any] = MISSING
    explain: Callable[..., Any] = MISSING
    clause: Callable[..., str] = MISSING

    def __call__(self, *arguments: Expression) -> Expression:
        """Chains lean to the right, and an identity in them is no link."""
        outer, inner = arguments
        if inner == Node("input"):
            return outer
        if outer == Node("input"):
            return inner
        if isinstance(outer, Node) and outer.operator == self.name:
            return Node(self.name, (outer.arguments[0], self(outer.arguments[1], inner)))
        return Node(self.name, arguments)

    def depth(self, parts: Sequence[int]) -> int:
        return sum(parts)

    def facet_of(self, node: Node) -> str:
        outer = node.arguments[0]
        record = outer.record if isinstance(outer, Node) else None
        return record.facet_after if isinstance(record, SequenceOperator) else self.facet


def width(node: Expression) -> float:
    """The most answers per input where an atom gives one; infinite where only what there is at all sets a limit."""
    if isinstance(node, Atom):
        return 1
    record = node.record
    if not isinstance(record, RelationOperator):
        return 1
    return record.bound(inf, *(width(part) for part in node.arguments))
