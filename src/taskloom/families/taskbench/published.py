"""The published list of tasks, its parts by name, and the enumeration it was chosen from."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

from taskloom.core import UserError
from taskloom.families.taskbench.language import (
    Atom,
    Chain,
    Expression,
    Filter,
    IllTypedError,
    Intersection,
    Land,
    Lor,
    Map,
    Union,
    atoms,
    chain,
    normal,
    parse,
    signature,
)
from taskloom.families.taskbench.language.tree import Complement, Lnot

__all__ = ["PARTS", "Listed", "compositions", "operator", "part", "published"]

_FILE = Path(__file__).with_name("published.txt")


class Listed(NamedTuple):
    """An expression with where it is listed: "Table 6", or "" for one that a user wrote."""

    expression: Expression
    table: str = ""


PARTS = {
    "500": "the published list of tasks (Tables 4, 6, 7 and 8)",
    "lexical": "tasks of the list about words",
    "factual": "tasks of the list about facts",
    "random": "tasks of the list with a random relation",
    "atomic": "the atomic tasks (Table 4)",
    "words": "all tasks of the list on single words and entities",
    "sequences": "all tasks of the list on sequences (Tables 7 and 8)",
    "chain": "chains of two relations (Table 6)",
    "union": "unions of two relations (Table 6)",
    "intersection": "intersections of two relations (Table 6)",
    "land": "conjunctions of two predicates (Table 6)",
    "lor": "disjunctions of two predicates (Table 6)",
    "map": "relations mapped over sequences (Table 7)",
    "filter": "sequences filtered by a predicate (Table 8)",
    "map-filter": "relations mapped over filtered sequences (Table 8)",
}


def operator(node: Expression) -> str:
    """The outermost operator of an expression: atomic, chain, union, map ..."""
    match node:
        case Chain(Map(), _):
            return "map-filter"
        case Chain(outer, _) if signature(node).sequence:
            return operator(outer)
        case _:
            names = {
                Atom: "atomic",
                Chain: "chain",
                Union: "union",
                Intersection: "intersection",
                Complement: "complement",
                Land: "land",
                Lor: "lor",
                Lnot: "lnot",
                Map: "map",
                Filter: "filter",
            }
            return names.get(type(node), "identity")


@lru_cache(maxsize=1)
def published() -> tuple[Listed, ...]:
    """All tasks of the paper's lists, repeats included."""
    found = []
    table = ""
    for line in _FILE.read_text("utf-8").splitlines():
        if line.startswith("## "):
            table = line[line.index("(") + 1 : -1]
        elif line and not line.startswith("#"):
            found.append(Listed(parse(line), table))
    return tuple(found)


def part(name: str) -> list[Listed]:
    """One of the named parts of the list."""
    return [listed for listed in published() if _belongs(listed.expression, name)]


def _belongs(node: Expression, name: str) -> bool:
    if name == "500":
        return True
    if name in ("lexical", "factual", "random"):
        found = {
            "random" if atom.name == "random" else "factual" if atom.factual else "lexical" for atom in atoms(node)
        }
        return name in found if name == "random" else found == {name}
    if name in ("words", "sequences"):
        return signature(node).sequence == (name == "sequences")
    return operator(node) == name


def compositions(names: tuple[str, ...] = ()) -> Iterator[Listed]:
    """All depth-2 compositions of some atoms, each followed by its sequential version.

    The paper's filters hold: of symmetric expressions one is kept, logical operators join predicates and set
    operators join relations, and no atom is joined with itself (a chain may repeat one: the father's father).

    Args:
        names: Atoms in either notation; empty takes those of Table 4.

    Raises:
        UserError: A name is no atom.
    """
    given = [parse(name) for name in names] or [one.expression for one in published() if one.table == "Table 4"]
    for node in given:
        if not isinstance(node, Atom):
            raise UserError("only atoms can be composed by the enumeration", where="depth_atoms")
    seen: set[Expression] = set()
    for node in _pairs(given):
        form = normal(node)
        if form in seen:
            continue
        seen.add(form)
        yield Listed(node)
        yield Listed(Filter(node) if signature(node).predicate else Map(node))


def _pairs(given: list[Expression]) -> Iterator[Expression]:
    relations = [node for node in given if not signature(node).predicate]
    predicates = [node for node in given if signature(node).predicate]
    for outer in relations:
        for inner in relations:
            yield from _typed(chain(outer, inner))
    for first, second in combinations(relations, 2):
        yield from _typed(Union((first, second)))
        yield from _typed(Intersection((first, second)))
    for first, second in combinations(predicates, 2):
        yield from _typed(Land((first, second)))
        yield from _typed(Lor((first, second)))


def _typed(node: Expression) -> Iterator[Expression]:
    try:
        signature(node)
    except IllTypedError:
        return
    yield node
