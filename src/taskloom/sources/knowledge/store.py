"""Where triples live: the contract of a store, and the one inside this process."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from taskloom.core import UserError
from taskloom.sources.knowledge.sparql import order_by
from taskloom.sources.knowledge.terms import compact

if TYPE_CHECKING:
    import pyoxigraph

__all__ = ["LocalStore", "Row", "TripleStore"]

Row = tuple[str, ...]


class TripleStore(Protocol):
    """Answers SELECT queries with rows of short ids."""

    @property
    def name(self) -> str:
        """What to call the store in messages."""
        ...

    @property
    def local(self) -> bool:
        """Whether the store is in this process, where joining whole tables is quick."""
        ...

    def select(self, query: str, variables: tuple[str, ...], *, limit: int | None = None) -> Iterable[Row]:
        """The rows of a SELECT DISTINCT query; rows with blank nodes are left out.

        With a limit, they are the first ones in the order of `sparql.order_by`.
        """
        ...


class LocalStore:
    """An RDF database in this process (pyoxigraph), in memory or in a folder.

    Args:
        path: A folder to keep the triples in; in memory where not given.
        name: What to call the store in messages.
        read_only: Open a folder without the right to change it; many processes can do so at once.
    """

    def __init__(self, path: Path | None = None, *, name: str = "local", read_only: bool = False) -> None:
        import pyoxigraph

        try:
            if path is not None and read_only:
                self._store = pyoxigraph.Store.read_only(str(path))
            else:
                self._store = pyoxigraph.Store(None if path is None else str(path))
        except OSError as error:
            raise UserError(f"the triple store cannot be opened: {error}", where=str(path)) from error
        self._name = name

    @property
    def name(self) -> str:
        return self._name

    @property
    def local(self) -> bool:
        return True

    def __len__(self) -> int:
        return len(self._store)

    def load(self, ntriples: bytes) -> None:
        """Add triples from N-Triples text made by Taskloom itself."""
        import pyoxigraph

        self._store.load(input=ntriples, format=pyoxigraph.RdfFormat.N_TRIPLES)

    def extend(self, triples: Iterable[pyoxigraph.Quad]) -> None:
        """Add parsed triples without holding all of them in memory."""
        self._store.bulk_extend(triples)

    def flush(self) -> None:
        """Make sure that everything is in the folder."""
        self._store.flush()

    def select(self, query: str, variables: tuple[str, ...], *, limit: int | None = None) -> Iterable[Row]:
        import pyoxigraph

        try:
            solutions = self._store.query(query if limit is None else order_by(query, variables))
        except SyntaxError as error:
            raise UserError(f"the query is not valid SPARQL: {error}", where=self.name) from error
        if not isinstance(solutions, pyoxigraph.QuerySolutions):
            raise UserError("only SELECT queries give rows", where=self.name)
        return islice(_rows(solutions, variables), limit)


def _rows(solutions: Iterable[pyoxigraph.QuerySolution], variables: tuple[str, ...]) -> Iterator[Row]:
    import pyoxigraph

    node = pyoxigraph.NamedNode
    short: dict[str, str] = {}  # the same few thousand IRIs come again and again
    for solution in solutions:
        row = []
        for name in variables:
            term = solution[name]
            if type(term) is node:
                address = term.value
                row.append(short.get(address) or short.setdefault(address, compact(address)))
            elif isinstance(term, pyoxigraph.Literal):
                row.append(str(term))
        if len(row) == len(variables):
            yield tuple(row)
