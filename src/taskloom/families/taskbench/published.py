"""The published list of tasks, its parts by name, and the enumeration it was chosen from."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, lru_cache
from itertools import combinations, product
from pathlib import Path
from typing import NamedTuple

from taskloom.algebra import (
    CHAIN,
    FILTER,
    INTERSECTION,
    LAND,
    LOR,
    MAP,
    UNION,
    Atom,
    Expression,
    IllTypedError,
    atoms,
    normal,
    signature,
)
from taskloom.core import UserError
from taskloom.core.decode import read_toml
from taskloom.families.taskbench.language import parse, short

_FILE = Path(__file__).with_name("published.txt")


class PublishedTask(NamedTuple):
    """An expression with where it is listed: "Table 6", or "" for one that a user wrote."""

    expression: Expression
    table: str = ""


_SUITES = read_toml(Path(__file__).with_name("suites.toml"), type=dict[str, dict[str, str]])
PARTS, ENUMERATED = _SUITES["part"], _SUITES["enumerated"]
"""Titles of the named parts of the list, and of lists that are enumerated."""


@lru_cache(maxsize=1)
def _sections() -> dict[str, tuple[str, list[str]]]:
    """The table and the lines of each section, which is headed by the name of a part."""
    found = {}
    for section in _FILE.read_text("utf-8").split("\n## ")[1:]:
        heading, *lines = filter(None, section.splitlines())
        name, _, table = heading.removesuffix(")").partition(" (")
        found[name] = table, lines
    return found


@cache
def published(*sections: str) -> tuple[PublishedTask, ...]:
    """The tasks of some sections of the paper's lists, or of all, repeats included."""
    chosen = [_sections()[name] for name in sections or _sections()]
    return tuple(PublishedTask(parse(line), table) for table, lines in chosen for line in lines)


def part(name: str) -> list[PublishedTask]:
    """One of the named parts of the list; only what may belong to it is parsed."""
    if name in _sections():
        return list(published(name))
    return [listed for listed in published() if _belongs(listed.expression, name)]


def names(name: str) -> tuple[str, ...]:
    """The tasks of a part by name, each once: the paper repeats some, in the same or in another order of arguments."""
    found: dict[Expression, str] = {}
    for listed in part(name):
        found.setdefault(normal(listed.expression), short(listed.expression))
    return tuple(found.values())


def _belongs(node: Expression, name: str) -> bool:
    if name == "500":
        return True
    name = name.partition("-")[0] if name.startswith("factual-") else name
    if name in ("lexical", "factual", "random"):
        found = {
            "random" if atom.name == "random" else "factual" if atom.factual else "lexical" for atom in atoms(node)
        }
        return name in found if name == "random" else found == {name}
    return signature(node).sequence == (name == "sequences")


def compositions(names: tuple[str, ...] = ()) -> Iterator[PublishedTask]:
    """All depth-2 compositions of some atoms, each followed by its sequential version.

    The paper's filters hold: of symmetric expressions one is kept, logical operators join predicates and set
    operators join relations, and no atom is joined with itself (a chain may repeat one: the father's father).

    Args:
        names: Atoms in either notation; empty takes those of Table 4.

    Raises:
        UserError: A name is no atom.
    """
    given = [parse(name) for name in names] or [one.expression for one in published("atomic")]
    for node in given:
        if not isinstance(node, Atom):
            raise UserError("only atoms can be composed by the enumeration", where="depth_atoms")
    seen: set[Expression] = set()
    for node in _pairs(given):
        form = normal(node)
        if form in seen:
            continue
        seen.add(form)
        yield PublishedTask(node)
        yield PublishedTask(FILTER(node) if signature(node).predicate else MAP(node))


def _pairs(given: list[Expression]) -> Iterator[Expression]:
    relations = [node for node in given if not signature(node).predicate]
    predicates = [node for node in given if signature(node).predicate]
    for outer in relations:
        for inner in relations:
            yield from _typed(CHAIN(outer, inner))
    for first, second in combinations(relations, 2):
        yield from _typed(UNION(first, second))
        yield from _typed(INTERSECTION(first, second))
    for first, second in combinations(predicates, 2):
        yield from _typed(LAND(first, second))
        yield from _typed(LOR(first, second))


def _typed(node: Expression) -> Iterator[Expression]:
    try:
        signature(node)
    except IllTypedError:
        return
    yield node


# Steps of the stories: from a thing or country to a person, from person to person, from a person to anything.
_ENTRANCES = ("creator", "performer", "head of state", "owned by", "named after")
_STEPS = ("father", "mother", "influenced by", "child")
_EXITS = ("occupation", "place of birth", "country of citizenship", "native language", "father", "mother")
_PER_DEPTH = 14


def stories(deepest: int = 4) -> list[PublishedTask]:
    """Chains of one to `deepest` relations, with unions, intersections and predicates at their ends.

    Of the chains of one depth a regular sample is taken, so that all atoms occur at every place.
    """
    found: dict[Expression, None] = {}
    for depth_ in range(1, deepest + 1):
        names = _chains(depth_)
        stride = max(1, len(names) // _PER_DEPTH)
        for links in names[::stride][:_PER_DEPTH]:
            found[parse("(".join(links) + ")" * (len(links) - 1))] = None
        steps = "(".join(_STEPS[place % 2] for place in range(depth_ - 1))
        inner = f"({steps}{')' * max(0, depth_ - 2)})" if steps else ""
        for text in (
            f"union(father{inner},mother{inner})",
            f"land(is-occupation-politician{inner},lnot(is-occupation-actor{inner}))",
            f"lor(is-occupation-writer{inner},is-occupation-teacher{inner})",
        ):
            found[parse(text)] = None
    return [PublishedTask(node) for node in found]


def _chains(length: int) -> list[tuple[str, ...]]:
    """All chains of a length, outermost first."""
    if length == 1:
        return [(name,) for name in dict.fromkeys((*_EXITS, *_STEPS, *_ENTRANCES))]
    middles = list(product(_STEPS, repeat=length - 2))
    starts = dict.fromkeys((*_STEPS, *_ENTRANCES))
    return [(exit_, *middle, start) for exit_ in _EXITS for middle in middles for start in starts]


def pairs(names: tuple[str, ...] = ()) -> list[PublishedTask]:
    """Every union of two relations of Table 4, or of some atoms, that take and give the same kind of words.

    Whether their domains overlap is a matter of data; those that share no input are left out when they are built.
    """
    given = [parse(name) for name in names] or [one.expression for one in published("atomic")]
    relations = [node for node in given if not signature(node).predicate]
    unions = [node for first, second in combinations(relations, 2) for node in _typed(UNION(first, second))]
    return [PublishedTask(node) for node in unions]
