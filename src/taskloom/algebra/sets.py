"""What expressions mean: sets of answers by input, and truth values by input.

The semantics of an operator is written once, with `|`, `&`, `-` and the methods below, and holds for every
representation: tables of names here, sparse matrices for whole vocabularies, statements that are looked up and noted.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from typing import TypeAlias

from taskloom.algebra.tree import Expression

__all__ = ["Answers", "Evaluator", "ExampleEvaluator", "Rule", "Table", "TruthTable", "Truths", "Value"]

Rule: TypeAlias = Callable[[int, int, int], bool | None]
"""A comparison of two sets by the sizes of the first, of the second, and of what they share; None: nobody can tell."""


class Answers(ABC):
    """A set of answers for each of some inputs. `plain` answers are the inputs themselves."""

    plain: bool

    @abstractmethod
    def __or__(self, other: Answers) -> Answers: ...

    @abstractmethod
    def __and__(self, other: Answers) -> Answers: ...

    @abstractmethod
    def __sub__(self, other: Answers) -> Answers: ...

    @abstractmethod
    def others(self) -> Answers:
        """For an input with answers: what other inputs have as answers, and it has not."""

    @abstractmethod
    def compare(self, other: Answers, rule: Rule) -> Truths:
        """Two sets of answers compared, input by input."""

    @abstractmethod
    def members(self) -> Answers:
        """Every answer to any input, as inputs of what comes next."""

    @abstractmethod
    def then(self, value: Value) -> Value:
        """What a function of the members gives, united over the answers to each input.

        A predicate of a set is true (false) if it is true (false) of every member, else nobody can tell.
        """


class Truths(ABC):
    """A truth value for each of some inputs: true, false or unknown."""

    @abstractmethod
    def __and__(self, other: Truths) -> Truths: ...

    @abstractmethod
    def __or__(self, other: Truths) -> Truths: ...

    @abstractmethod
    def __invert__(self) -> Truths: ...

    @abstractmethod
    def choose(self, true: Answers, false: Answers) -> Answers:
        """The first answers where it is true, the second where it is false, none where it is unknown."""


Value: TypeAlias = Answers | Truths


class Evaluator(ABC):
    """Evaluates expressions in one representation; what the semantics of an operator is called with."""

    def __call__(self, node: Expression, x: Answers) -> Value:
        """The value of an expression at some inputs, or at every answer of another relation."""
        return self.here(node, x) if x.plain else x.then(self.here(node, x.members()))

    @abstractmethod
    def here(self, node: Expression, x: Answers) -> Value:
        """The value of an expression at plain inputs."""

    def answers(self, node: Expression, x: Answers) -> Answers:
        """The value of a relation."""
        value = self(node, x)
        assert isinstance(value, Answers)
        return value

    def truths(self, node: Expression, x: Answers) -> Truths:
        """The value of a predicate."""
        value = self(node, x)
        assert isinstance(value, Truths)
        return value


class Table(Answers):
    """Answers as ordered sets of names.

    Args:
        rows: Answers by input, in the order in which they were found.
        reach: Every answer there is, where an input of the relation may be missing from the rows.
        plain: Whether these are the inputs themselves.
    """

    def __init__(
        self, rows: Mapping[str, Iterable[str]], *, reach: Callable[[], set[str]] | None = None, plain: bool = False
    ) -> None:
        self.rows = {x: dict.fromkeys(ys) for x, ys in rows.items()}
        self.plain = plain
        self._reach = reach

    @classmethod
    def of(cls, inputs: Iterable[str]) -> Table:
        """Inputs themselves."""
        return cls({x: (x,) for x in inputs}, plain=True)

    @cached_property
    def reach(self) -> set[str]:
        return self._reach() if self._reach is not None else {y for ys in self.rows.values() for y in ys}

    def _with(self, other: Answers, join: Callable[[dict[str, None], dict[str, None]], Iterable[str]]) -> Table:
        assert isinstance(other, Table)
        return Table({x: join(ys, other.rows.get(x, {})) for x, ys in self.rows.items()})

    def __or__(self, other: Answers) -> Table:
        return self._with(other, lambda a, b: {**a, **b})

    def __and__(self, other: Answers) -> Table:
        return self._with(other, lambda a, b: [y for y in a if y in b])

    def __sub__(self, other: Answers) -> Table:
        return self._with(other, lambda a, b: [y for y in a if y not in b])

    def others(self) -> Table:
        return Table({x: sorted(self.reach - ys.keys()) if ys else () for x, ys in self.rows.items()})

    def compare(self, other: Answers, rule: Rule) -> TruthTable:
        assert isinstance(other, Table)
        pairs = {x: (ys, other.rows.get(x, {})) for x, ys in self.rows.items()}
        return TruthTable({x: rule(len(a), len(b), len(a.keys() & b.keys())) for x, (a, b) in pairs.items()})

    def members(self) -> Table:
        return Table.of(dict.fromkeys(y for ys in self.rows.values() for y in ys))

    def then(self, value: Value) -> Value:
        if isinstance(value, TruthTable):
            said = {x: {value.rows.get(y) for y in ys} for x, ys in self.rows.items()}
            return TruthTable({x: next(iter(found)) if len(found) == 1 else None for x, found in said.items()})
        assert isinstance(value, Table)
        return Table({x: [z for y in ys for z in value.rows.get(y, ())] for x, ys in self.rows.items()})


class TruthTable(Truths):
    """Truth values by name; None is unknown, and a name that is missing too."""

    def __init__(self, rows: Mapping[str, bool | None]) -> None:
        self.rows = dict(rows)

    def _with(self, other: Truths, join: Callable[[bool, bool], bool]) -> TruthTable:
        assert isinstance(other, TruthTable)
        pairs = {x: (value, other.rows.get(x)) for x, value in self.rows.items()}
        return TruthTable({x: None if a is None or b is None else join(a, b) for x, (a, b) in pairs.items()})

    def __and__(self, other: Truths) -> TruthTable:
        return self._with(other, lambda a, b: a and b)

    def __or__(self, other: Truths) -> TruthTable:
        return self._with(other, lambda a, b: a or b)

    def __invert__(self) -> TruthTable:
        return TruthTable({x: None if value is None else not value for x, value in self.rows.items()})

    def choose(self, true: Answers, false: Answers) -> Table:
        assert isinstance(true, Table) and isinstance(false, Table)
        return Table({x: () if v is None else (true if v else false).rows.get(x, ()) for x, v in self.rows.items()})


class ExampleEvaluator(Evaluator):
    """The example of an operator: each argument is a table that the example gives."""

    def __init__(self, given: Mapping[Expression, Mapping[str, Iterable[str] | bool | None]]) -> None:
        self._given = given

    def here(self, node: Expression, x: Answers) -> Value:
        assert isinstance(x, Table)
        rows = self._given[node]
        if any(isinstance(value, bool | None) for value in rows.values()):
            return TruthTable({name: value if isinstance(value := rows.get(name), bool) else None for name in x.rows})
        tables = {name: tuple(value) for name, value in rows.items() if not isinstance(value, bool | None)}
        return Table(
            {name: tables.get(name, ()) for name in x.rows}, reach=lambda: {y for t in tables.values() for y in t}
        )
