"""Where triples live: the contract of a store, and the one inside this process."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from taskloom.core import UserError
from taskloom.core.errors import missing_extra
from taskloom.sources.knowledge.sparql import order_by
from taskloom.sources.knowledge.terms import LABEL, compact, iri, is_literal, lexical, property_term

if TYPE_CHECKING:
    import pyoxigraph

Row = tuple[str, ...]


class TripleStore(Protocol):
    """Answers SELECT queries with rows of short ids.

    Attributes:
        name: What to call the store in messages.
        local: Whether the store is in this process, where joining whole tables is quick.
    """

    name: str
    local: bool

    def select(self, query: str, variables: tuple[str, ...], *, limit: int | None = None) -> Iterable[Row]:
        """The rows of a SELECT DISTINCT query; rows with blank nodes are left out.

        With a limit, they are the first ones in the order of `sparql.order_by`.
        """
        ...

    def sample(self, query: str, variables: tuple[str, ...], limit: int) -> Iterable[Row]:
        """At most `limit` different rows, whichever the store finds first."""
        ...


@runtime_checkable
class IndexedStore(TripleStore, Protocol):
    """A store in this process, where an index finds statements at once."""

    def lookup(self, subject: str | None, name: str | None, value: str | None) -> Iterator[Row]:
        """Statements that match, as (subject, property, value) in short ids; None matches anything."""
        ...


class LocalStore(IndexedStore):
    """An RDF database in this process (pyoxigraph), in memory or in a folder.

    Args:
        path: A folder to keep the triples in; in memory where not given.
        name: What to call the store in messages.
        read_only: Open a folder without the right to change it; many processes can do so at once.
    """

    local = True

    def __init__(self, path: Path | None = None, *, name: str = "local", read_only: bool = False) -> None:
        try:
            import pyoxigraph
        except ModuleNotFoundError:
            raise missing_extra("pyoxigraph", "graphs", "a graph of one's own") from None
        try:
            if path is not None and read_only:
                self._store = pyoxigraph.Store.read_only(str(path))
            else:
                self._store = pyoxigraph.Store(None if path is None else str(path))
        except OSError as error:
            raise UserError(f"the triple store cannot be opened: {error}", where=str(path)) from error
        self.name = name

    def __len__(self) -> int:
        return len(self._store)

    def load(self, ntriples: bytes) -> None:
        """Add triples from N-Triples text made by Taskloom itself."""
        import pyoxigraph

        self._store.bulk_load(input=ntriples, format=pyoxigraph.RdfFormat.N_TRIPLES)

    def has_label(self, label: str) -> bool:
        import pyoxigraph

        literal = pyoxigraph.Literal(label, language="en")
        return next(self._store.quads_for_pattern(None, pyoxigraph.NamedNode(LABEL), literal), None) is not None

    def close(self) -> None:
        """Let go of the folder, so that others can open it; the store cannot be used afterwards."""
        self._store.flush()
        del self._store

    def extend(self, triples: Iterable[pyoxigraph.Quad]) -> None:
        """Add parsed triples without holding all of them in memory."""
        self._store.bulk_extend(triples)

    def optimize(self) -> None:
        self._store.optimize()

    def lookup(self, subject: str | None, name: str | None, value: str | None) -> Iterator[Row]:
        """Statements that match, as (subject, property, value) in short ids; None matches anything.

        An index finds them at once, where a query of many inputs would go through a whole property.
        """
        import pyoxigraph

        node = pyoxigraph.NamedNode
        pattern = (
            None if subject is None else node(iri(subject)),
            None if name is None else node(property_term(name)[1:-1]),
            None if value is None else _term(value),
        )
        for quad in self._store.quads_for_pattern(*pattern):
            row = [_short(end) for end in (quad.subject, quad.predicate, quad.object)]
            if None not in row:
                yield tuple(end for end in row if end is not None)

    def select(self, query: str, variables: tuple[str, ...], *, limit: int | None = None) -> Iterable[Row]:
        import pyoxigraph

        try:
            solutions = self._store.query(query if limit is None else order_by(query, variables))
        except SyntaxError as error:
            raise UserError(f"the query is not valid SPARQL: {error}", where=self.name) from error
        if not isinstance(solutions, pyoxigraph.QuerySolutions):
            raise UserError("only SELECT queries return rows", where=self.name)
        return islice(_rows(solutions, variables), limit)

    def sample(self, query: str, variables: tuple[str, ...], limit: int) -> Iterable[Row]:
        """The first rows in order: a store in this process has them at hand."""
        return self.select(query, variables, limit=limit)


def _term(short: str) -> pyoxigraph.NamedNode | pyoxigraph.Literal:
    import pyoxigraph

    if not is_literal(short):
        return pyoxigraph.NamedNode(iri(short))
    tail = short[short.rindex('"') + 1 :]
    if tail.startswith("@"):
        return pyoxigraph.Literal(lexical(short), language=tail[1:])
    kind = pyoxigraph.NamedNode(tail[3:-1]) if tail.startswith("^^") else None
    return pyoxigraph.Literal(lexical(short), datatype=kind)


def _short(term: object) -> str | None:
    """The short id of a term; None for a blank node."""
    import pyoxigraph

    if isinstance(term, pyoxigraph.NamedNode):
        return compact(term.value)
    return str(term) if isinstance(term, pyoxigraph.Literal) else None


def _rows(solutions: pyoxigraph.QuerySolutions, variables: tuple[str, ...]) -> Iterator[Row]:
    import pyoxigraph

    node = pyoxigraph.NamedNode
    short: dict[str, str] = {}  # the same few thousand IRIs come again and again
    order = [solutions.variables.index(pyoxigraph.Variable(name)) for name in variables]
    in_order = order == list(range(len(solutions.variables)))
    for solution in solutions:
        row = []
        for term in solution if in_order else [solution[place] for place in order]:
            if type(term) is node:
                address = term.value
                row.append(short.get(address) or short.setdefault(address, compact(address)))
            elif isinstance(term, pyoxigraph.Literal):
                row.append(str(term))
        if len(row) == len(variables):
            yield tuple(row)
