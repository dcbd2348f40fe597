"""The record of an operator, everything that any part of Taskloom asks about it, and what expressions mean.

There are five sorts, each with what it needs besides: operators on relations, predicates and sequences, control, and
composition itself. A record without one of its fields, or whose semantics contradicts its own example, is refused
when it is made. The functions in a record are called with what interprets the arguments, then the input, then the
arguments:

    semantics=lambda at, x, f, g: at(f, x) - at(g, x)
    phrase=lambda say, x, f, g: f"{say(f, x)} that is not {say(g, x)}"

The semantics of an operator is written once, with `|`, `&`, `-` and the methods of `Answers` and `Truths`, and holds
for every representation: tables of names here, sparse matrices for whole vocabularies, statements that are looked up
and noted. What an expression gives is said by records for operators and by a speaker for atoms.
"""

from __future__ import annotations

import inspect
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from math import inf
from typing import Any, ClassVar, NamedTuple, TypeAlias

from taskloom.algebra.types import Atom, Expression, Node, Signature, signature
from taskloom.core.registry import MISSING, Record

Rule: TypeAlias = Callable[[int, int, int], bool | None]
"""A comparison of two sets by the sizes of the first, of the second, and of what they share; None where unknown."""


class Answers:
    """A set of answers for each of some inputs; here ordered sets of names, in other representations overridden.

    Args:
        rows: Answers by input, in the order in which they were found.
        reach: Every answer there is, where inputs of the relation are missing from the rows.
        plain: Whether these are the inputs themselves.
    """

    def __init__(
        self, rows: Mapping[str, Iterable[str]], *, reach: Callable[[], set[str]] | None = None, plain: bool = False
    ) -> None:
        self.rows = {x: dict.fromkeys(ys) for x, ys in rows.items()}
        self.plain = plain
        self.reach = reach

    @classmethod
    def of(cls, inputs: Iterable[str]) -> Answers:
        """Inputs themselves."""
        return Answers({x: (x,) for x in inputs}, plain=True)

    def _with(self, other: Answers, join: Callable[[dict[str, None], dict[str, None]], Iterable[str]]) -> Answers:
        return Answers({x: join(ys, other.rows.get(x, {})) for x, ys in self.rows.items()})

    def __or__(self, other: Answers) -> Answers:
        return self._with(other, lambda a, b: {**a, **b})

    def __and__(self, other: Answers) -> Answers:
        if isinstance(other, _Others):
            return self._with(other.taken, lambda a, b: [y for y in a if b and y not in b and y in other.inside])
        return self._with(other, lambda a, b: [y for y in a if y in b])

    def __sub__(self, other: Answers) -> Answers:
        return self._with(other, lambda a, b: [y for y in a if y not in b])

    def others(self) -> Answers:
        """For an input with answers: what other inputs have as answers, and it has not."""
        return _Others(self, self.reach() if self.reach is not None else {y for ys in self.rows.values() for y in ys})

    def compare(self, other: Answers, rule: Rule) -> Truths:
        """Two sets of answers compared, input by input."""
        pairs = {x: (ys, other.rows.get(x, {})) for x, ys in self.rows.items()}
        return Truths({x: rule(len(a), len(b), len(a.keys() & b.keys())) for x, (a, b) in pairs.items()})

    def members(self) -> Answers:
        """Every answer to any input, as inputs of what comes next."""
        return Answers.of(dict.fromkeys(y for ys in self.rows.values() for y in ys))

    def then(self, value: Value) -> Value:
        """What a function of the members gives, united over the answers to each input.

        A predicate of a set is true (false) if it is true (false) of every member, otherwise unknown.
        """
        if isinstance(value, Truths):
            said = {x: {value.rows.get(y) for y in ys} for x, ys in self.rows.items()}
            return Truths({x: next(iter(found)) if len(found) == 1 else None for x, found in said.items()})
        return Answers({x: [z for y in ys for z in value.rows.get(y, ())] for x, ys in self.rows.items()})


class _Others(Answers):
    """What a relation gives to other inputs. It is listed only where it stands alone."""

    def __init__(self, taken: Answers, inside: set[str]) -> None:
        self.taken, self.inside, self.plain, self.reach = taken, inside, False, None

    def __getattr__(self, name: str) -> Any:
        if name != "rows":
            raise AttributeError(name)
        rows = {x: sorted(self.inside - ys.keys()) if ys else () for x, ys in self.taken.rows.items()}
        self.rows = {x: dict.fromkeys(ys) for x, ys in rows.items()}
        return self.rows


class Truths:
    """A truth value for each of some inputs; None is unknown, and a name that is missing too."""

    def __init__(self, rows: Mapping[str, bool | None]) -> None:
        self.rows = dict(rows)

    def _with(self, other: Truths, join: Callable[[bool, bool], bool]) -> Truths:
        pairs = {x: (value, other.rows.get(x)) for x, value in self.rows.items()}
        return Truths({x: None if a is None or b is None else join(a, b) for x, (a, b) in pairs.items()})

    def __and__(self, other: Truths) -> Truths:
        return self._with(other, lambda a, b: a and b)

    def __or__(self, other: Truths) -> Truths:
        return self._with(other, lambda a, b: a or b)

    def __invert__(self) -> Truths:
        return Truths({x: None if value is None else not value for x, value in self.rows.items()})

    def choose(self, true: Answers, false: Answers) -> Answers:
        """The first answers where it is true, the second where it is false, none where it is unknown."""
        return Answers({x: () if v is None else (true if v else false).rows.get(x, ()) for x, v in self.rows.items()})


Value: TypeAlias = Answers | Truths


class Evaluator(ABC):
    """Evaluates expressions in one representation; what the semantics of an operator is called with."""

    def __call__(self, node: Expression, x: Answers) -> Any:
        """The value of an expression at some inputs, or at every answer of another relation."""
        return self.here(node, x) if x.plain else x.then(self.here(node, x.members()))

    @abstractmethod
    def here(self, node: Expression, x: Answers) -> Value:
        """The value of an expression at plain inputs."""


class ExampleEvaluator(Evaluator):
    """The example of an operator: each argument is a table that the example gives."""

    def __init__(self, given: Mapping[Expression, Mapping[str, Any]]) -> None:
        self._given = given

    def here(self, node: Expression, x: Answers) -> Value:
        rows = self._given[node]
        if any(isinstance(value, bool | None) for value in rows.values()):
            return Truths({name: rows.get(name) for name in x.rows})
        everything = {y for answers in rows.values() for y in answers}
        return Answers({name: rows.get(name, ()) for name in x.rows}, reach=lambda: everything)


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

    relation: Expression = Node("input")
    predicate: Expression | None = None

    @property
    def maps(self) -> bool:
        """Whether anything is done to the items that are kept."""
        return self.relation != Node("input")


_LEADING = {"semantics": 2, "bound": 1, "sparql": 3, "phrase": 2, "explain": 3, "holds": 3, "clause": 3}
"""How many arguments the functions of a record are called with, before those of the expression."""


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Operator(Record):
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
    types: Callable[[str, list[Signature]], Signature] = MISSING
    laws: Laws = MISSING
    facet: str = MISSING
    example: Example = MISSING

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.arity, tuple) or len(self.arity) != 2:
            raise self.fault(f"arity of the operator {self.name!r} is the fewest and the most arguments: (2, 2)")
        for name in _LEADING.keys() & {field.name for field in fields(self)}:
            count = _LEADING[name] + self.arity[0]
            try:
                inspect.signature(getattr(self, name)).bind(*[None] * count)
            except TypeError as error:
                said = f"{name} of the operator {self.name!r} has to take {count} arguments: {error}"
                raise self.fault(said) from None
        self._prove()

    def __call__(self, *arguments: Expression) -> Expression:
        """An expression with this operator outermost."""
        return Node(self.name, arguments)

    def __repr__(self) -> str:
        return f"<operator {self.name}>"

    @property
    def summary(self) -> str:
        """What lists say of it, with letters for its arguments."""
        letters = "fgh"[: 2 if self.arity[1] is None else self.arity[1]]
        if not letters:
            return "x: the input itself"
        node = Node(self.name, tuple(Atom(letter) for letter in letters))
        predicate = isinstance(self, PredicateOperator) and not isinstance(self, RelationOperator)
        said = Speaker().clause(node, "x") if predicate else Speaker()(node, "x")
        return f"{self.name}({', '.join(letters)}): {said}"

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
        least, most = self.arity
        if not least <= len(given) <= (len(given) if most is None else most):
            said = f"the example of the operator {self.name!r} has {len(given)} arguments and a result"
            raise self.fault(f"{said}, but its arity is {self.arity}")
        parts: tuple[Expression, ...] = tuple(Atom(f"argument {place}") for place in range(len(given)))
        value = self.value(ExampleEvaluator(dict(zip(parts, given, strict=True))), Answers.of(expected), parts)
        found, wanted = (
            {x: y if isinstance(y, bool | None) else set(y) for x, y in rows.items()} for rows in (value.rows, expected)
        )
        if found != wanted:
            said = f"the semantics of the operator {self.name!r} gives {found} for its example, not {wanted}"
            raise self.fault(said)


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

    semantics: Callable[..., Value] = MISSING
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

    condition: Callable[..., Expression] = MISSING


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class PredicateOperator(Operator):
    """An operator that gives a predicate.

    Attributes:
        semantics: Truth values from the values of the arguments.
        holds: A graph pattern that binds `x` to what it is `wanted` of: true, false, or None for either.
        clause: Says that it `holds` of `x`, or that it does not.
    """

    semantics: Callable[..., Value] = MISSING
    holds: Callable[..., str] = MISSING
    clause: Callable[..., str] = MISSING


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class SequenceOperator(Operator):
    """An operator on several items at once.

    Attributes:
        layout: What the items have become before it, and its argument, to what they are after it.
        facet_after: The facet where it stands after another sequence function.
    """

    layout: Callable[[MapFilter, Expression], MapFilter] = MISSING
    facet_after: str = MISSING

    @property
    def summary(self) -> str:
        form, say = self.layout(MapFilter(), Atom("f")), Speaker()
        kept = "" if form.predicate is None else f" where {say.clause(form.predicate, 'x')}"
        return f"{self.name}{{f}}: {say(form.relation, 'x')} for each item x{kept}"

    def depth(self, parts: Sequence[int]) -> int:
        return max(parts)

    def value(self, at: Evaluator, x: Answers, parts: tuple[Expression, ...]) -> Value:
        form = self.layout(MapFilter(), parts[0])
        mapped: Answers = at(form.relation, x) if form.maps else x
        if form.predicate is None:
            return mapped
        kept: Truths = at(form.predicate, x)
        return kept.choose(mapped, mapped - mapped)


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Composition(RelationOperator, PredicateOperator):
    """One function after another: a relation or a predicate, on words or on sequences."""

    def __call__(self, *arguments: Expression) -> Expression:
        """Chains lean to the right, and an identity in them is no link."""
        outer, inner = arguments
        if Node("input") in arguments:
            return inner if outer == Node("input") else outer
        if outer.operator == self.name:
            return Node(self.name, (outer.arguments[0], self(outer.arguments[1], inner)))
        return Node(self.name, arguments)

    def depth(self, parts: Sequence[int]) -> int:
        return sum(parts)

    def facet_of(self, node: Node) -> str:
        record = node.arguments[0].record
        return record.facet_after if isinstance(record, SequenceOperator) else self.facet


def links(node: Expression) -> list[Expression]:
    """The functions of a chain in the order a person follows them, innermost first."""
    return [link for part in reversed(node.arguments) for link in links(part)] if node.operator == "chain" else [node]


def map_filter(node: Expression) -> MapFilter:
    """The form that every sequence function has, by equations 6 and 7."""
    form = MapFilter()
    for link in links(node):
        if isinstance(link.record, SequenceOperator):
            form = link.record.layout(form, link.arguments[0])
        elif link != Node("input"):
            raise TypeError(f"{link} is not a sequence function")
    return form


def width(node: Expression) -> float:
    """The most answers per input where an atom gives one; infinite where only what there is at all sets a limit."""
    record = node.record
    return record.bound(inf, *map(width, node.arguments)) if isinstance(record, RelationOperator) else 1


class Speaker:
    """Says what expressions give: of letters here, of words or entities where atoms have phrases.

    `facts` is whether it speaks of entities rather than of words.
    """

    facts: bool = True

    def atom(self, atom: Atom, x: str) -> str:
        """A noun phrase for what a relation gives for `x`."""
        return f"{atom.name}({x})"

    def atom_clause(self, atom: Atom, x: str, *, holds: bool) -> str:
        """What a predicate says of `x`, or that it is not so."""
        return f"{atom.name}({x}) is {str(holds).lower()}"

    def beside(self, node: Expression) -> Speaker:
        """Who speaks of an expression inside; the universe may be another one."""
        return self

    def __call__(self, node: Expression, x: str) -> str:
        """What a relation gives for `x`: "an antonym of a verb that it entails"."""
        say = self.beside(node)
        if isinstance(node, Atom):
            return say.atom(node, x)
        assert isinstance(node.record, RelationOperator)
        return node.record.phrase(say, x, *node.arguments)

    def clause(self, node: Expression, x: str, *, holds: bool = True) -> str:
        """What a predicate says of `x`: "it can be a noun and it can be a verb"."""
        say = self.beside(node)
        if isinstance(node, Atom):
            return say.atom_clause(node, x, holds=holds)
        assert isinstance(node.record, PredicateOperator)
        return node.record.clause(say, x, holds, *node.arguments)


def reasons(node: Expression) -> list[Expression]:
    """The predicates whose truth values show together why this one is true or false; itself where it connects none."""
    connects = node.arguments and all(signature(part).predicate for part in node.arguments)
    return [reason for part in node.arguments for reason in reasons(part)] if connects else [node]
