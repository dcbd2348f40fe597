"""What expressions mean: sets of answers by input, and truth values by input.

The semantics of an operator is written once, with `|`, `&`, `-` and the methods below, and holds for every
representation: tables of names here, sparse matrices for whole vocabularies, statements that are looked up and noted.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeAlias

from taskloom.algebra.tree import Expression

Rule: TypeAlias = Callable[[int, int, int], bool | None]
"""A comparison of two sets by the sizes of the first, of the second, and of what they share; None: nobody can tell."""


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
        self._reach = reach

    @classmethod
    def of(cls, inputs: Iterable[str]) -> Answers:
        """Inputs themselves."""
        return Answers({x: (x,) for x in inputs}, plain=True)

    def _with(self, other: Answers, join: Callable[[dict[str, None], dict[str, None]], Iterable[str]]) -> Answers:
        return Answers({x: join(ys, other.rows.get(x, {})) for x, ys in self.rows.items()})

    def __or__(self, other: Answers) -> Answers:
        return self._with(other, lambda a, b: {**a, **b})

    def __and__(self, other: Answers) -> Answers:
        return self._with(other, lambda a, b: [y for y in a if y in b])

    def __sub__(self, other: Answers) -> Answers:
        return self._with(other, lambda a, b: [y for y in a if y not in b])

    def others(self) -> Answers:
        """For an input with answers: what other inputs have as answers, and it has not."""
        reach = self._reach() if self._reach is not None else {y for ys in self.rows.values() for y in ys}
        return Answers({x: sorted(reach - ys.keys()) if ys else () for x, ys in self.rows.items()})

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
