"""Records of atoms: relations and predicates of your own, which combine with every other atom of fitting type."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, TypeAlias

from taskloom.algebra import Atom, Expression, atoms
from taskloom.core import UserError
from taskloom.core.catalog import ATOMS, OPERATORS
from taskloom.core.csv_table import read_csv
from taskloom.core.registry import MISSING, Record

Data: TypeAlias = Callable[[str], Any] | Mapping[str, Any] | str | Path
"""A function of the input, a table, or a file: CSV (a heading, then input and answer), or RDF with labels."""


@dataclass(frozen=True, kw_only=True, eq=False)
class AtomRecord(Record, ABC):
    """What every atom of your own has.

    Attributes:
        name: As it is written in expressions.
        domain: What it takes: words of a language (`eng`), names of the knowledge graph (`entity`), or a universe of
            your own (`colour`).
        phrase: How to speak of it, with `{x}` for the input.
        language: The language of its answers (`eng`), or again `entity` or a universe of your own.
        example: An input and one of its answers, or whether it holds; the data has to agree.
        inputs: The inputs to ask about; empty for those of a table, of a graph, or the usual words of a language.
    """

    sort: ClassVar[str] = "atom"

    name: str = MISSING
    domain: str = MISSING
    phrase: str = MISSING
    language: str = MISSING
    example: tuple[str, Any] = MISSING
    inputs: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("phrase", "denial"):
            if "{x}" not in getattr(self, name, "{x}"):
                raise self.fault(f"has no {{x}} in its {name}")
        if not (callable(self.data) or isinstance(self.data, Mapping | str | Path)):
            raise self.fault(f"has a {type(self.data).__name__} for its data: give a function, a table or a file")
        if isinstance(self.data, str | Path) and not Path(self.data).is_file():
            raise self.fault(f"names the file {str(self.data)!r}, which does not exist in {Path.cwd()}")
        if not self.in_graph:
            try:
                found = self.answer(self.example[0])
            except Exception as error:
                said = f"raises {type(error).__name__} for its example {self.example[0]!r}: {error}"
                raise self.fault(said) from error
            self.prove(found)

    @property
    def summary(self) -> str:
        return f"{self.phrase.replace('{x}', 'x')} ({self.domain} to {self.target})"

    @property
    @abstractmethod
    def data(self) -> Data:
        """Where its answers come from."""

    @property
    @abstractmethod
    def target(self) -> str:
        """The universe of its answers."""

    @property
    def in_graph(self) -> bool:
        """Whether its data is a file that a knowledge graph has to read."""
        return self.table is None and not callable(self.data)

    @cached_property
    def table(self) -> Mapping[str, Any] | None:
        """Answers by input, where there is a table."""
        data = self.data
        if isinstance(data, str | Path):
            return _read_table(Path(data)) if str(data).endswith(".csv") else None
        return None if callable(data) else data

    def answer(self, x: str) -> Any:
        """What its function or table gives for one input: a set of answers, or true, false or None."""
        found = self.data(x) if callable(self.data) else (self.table or {}).get(x)
        if self.target == "truth" and not isinstance(found, bool | None):
            found = {"true": True, "false": False}.get(str(*found).lower() if len(found) == 1 else "")
        if isinstance(found, bool) or self.target == "truth":
            return found
        return () if found is None else (found,) if isinstance(found, str) else tuple(dict.fromkeys(found))

    def prove(self, answer: Any) -> None:
        """Hold an answer against the example.

        Raises:
            UserError: They differ.
        """
        x, wanted = self.example
        if answer != wanted if isinstance(wanted, bool) else wanted not in (answer or ()):
            raise self.fault(f"gives {answer!r} for its example {x!r}, not {wanted!r}")

    def fault(self, what: str) -> UserError:
        return super().fault(f"the {self.sort} {self.name!r} {what}")

    def leaf(self) -> Atom:
        return Atom(self.name, (), f"{self.domain}->{self.target}")


@dataclass(frozen=True, kw_only=True, eq=False)
class RelationAtom(AtomRecord):
    """A relation of your own; its answers belong to its language, or to what stands there instead.

    Attributes:
        relation: The answers to an input, one or several.
        rdf_property: In an RDF file, the property that is meant, by its label, by the end of its IRI or by the whole;
            None for the one that is called like the atom.
    """

    sort: ClassVar[str] = "relation"

    relation: Data = MISSING
    rdf_property: str | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.rdf_property is not None and not self.in_graph:
            raise self.fault("names an rdf_property, but its relation is no RDF file")

    @property
    def data(self) -> Data:
        return self.relation

    @property
    def target(self) -> str:
        return self.language


@dataclass(frozen=True, kw_only=True, eq=False)
class PredicateAtom(AtomRecord):
    """A predicate of your own.

    Attributes:
        predicate: Whether it holds of an input; None where that is unknown.
        denial: How to say that it does not hold, with `{x}` for the input.
    """

    sort: ClassVar[str] = "predicate"

    predicate: Data = MISSING
    denial: str = MISSING

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.in_graph:
            raise self.fault("cannot be an RDF file: give a function, a table or a CSV file")

    @property
    def data(self) -> Data:
        return self.predicate

    @property
    def target(self) -> str:
        return "truth"


def _read_table(path: Path) -> dict[str, tuple[str, ...]]:
    """The first two columns of a CSV file below its heading; an input on several lines has several answers."""
    table: dict[str, tuple[str, ...]] = {}
    for number, row in enumerate(read_csv(path), start=2):
        given, answer = (*row.values(), "", "")[:2]
        if not given or not answer:
            raise UserError("a line needs an input and an answer", where=f"{path}:{number}")
        table[given] = (*table.get(given, ()), answer)
    return table


def own_atom(name: str) -> AtomRecord | None:
    """The registered atom of a name, None where there is none; blanks and underscores are the same."""
    known = {key.replace("_", " "): key for key in ATOMS}
    found = ATOMS.get(known[key]) if (key := name.replace("_", " ")) in known else None
    return found if isinstance(found, AtomRecord) else None


def has_own_atoms(node: Expression) -> bool:
    """Whether an expression needs data of the user's."""
    return any(own_atom(atom.name) is not None for atom in atoms(node))


def is_ours(node: Expression) -> bool:
    """Whether all atoms and operators of an expression come with Taskloom, so that nothing else decides its value."""
    if isinstance(node, Atom):
        return own_atom(node.name) is None
    return OPERATORS.origin(node.operator) == "taskloom" and all(map(is_ours, node.arguments))
