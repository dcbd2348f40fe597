"""The properties of a graph by name: those of the vocabulary, ids, and the properties that the graph itself names."""

from __future__ import annotations

import re

from taskloom.core import UserError, unknown_name
from taskloom.sources.knowledge.graph import KnowledgeGraph
from taskloom.sources.knowledge.terms import LABEL, STANDS_FOR, is_iri
from taskloom.sources.knowledge.vocabulary import RELATIONS, property_named

_ID = re.compile(r"P[1-9]\d*", re.ASCII)
_LOCAL = re.compile(r"[^/#:]+$")
_HUMP = re.compile(r"(?<=[a-z0-9])[A-Z](?![A-Z])")


def find_property(graph: KnowledgeGraph, name: str) -> str:
    """The id of a property: a name of the vocabulary, an id or IRI, its label in the graph, or the end of its IRI.

    Raises:
        UserError: The graph has none of that name, or several.
    """
    if name in RELATIONS:
        return RELATIONS[name].property
    if _ID.fullmatch(name) or is_iri(name):
        return name
    found = [short for short in graph.find(name) if _ID.fullmatch(short) or (is_iri(short) and _used(graph, short))]
    used = () if found or not graph.store.local else _all_used(graph)
    found = found or [short for short in used if _plain(local_name(short)) == _plain(name)]
    if len(found) == 1:
        return found[0]
    if found:
        shown = ", ".join(found[:5])
        raise UserError(
            f"{len(found)} properties are called {name!r}", where=graph.store.name, hint=f"use an id: {shown}"
        )
    known = {**RELATIONS, **{property_name(graph, short): None for short in used}}
    raise unknown_name(
        "property",
        name,
        known,
        where=graph.store.name,
        hint="you can also use an id or IRI; for a Wikidata dump, keep_graph(properties=...) chooses what to keep",
    )


def property_name(graph: KnowledgeGraph, short: str) -> str:
    """What to call a property: its name in the vocabulary, its label in the graph, or the end of its IRI."""
    if (term := property_named(short)) is not None:
        return term.name
    return graph.labels((short,)).get(short) or _spaced(local_name(short))


def local_name(short: str) -> str:
    """The last piece of an IRI."""
    match = _LOCAL.search(short)
    return match[0] if match else short


def _spaced(name: str) -> str:
    return name if _ID.fullmatch(name) else _HUMP.sub(lambda hump: f" {hump[0].lower()}", name).replace("_", " ")


def _plain(name: str) -> str:
    return re.sub(r"[\W_]", "", name).lower()


def _used(graph: KnowledgeGraph, short: str) -> bool:
    return bool(list(graph.store.select(f"SELECT DISTINCT ?x WHERE {{ ?x <{short}> ?y }}", ("x",), limit=1)))


def _all_used(graph: KnowledgeGraph) -> tuple[str, ...]:
    """Every property of a store in this process."""
    rows = graph.store.select("SELECT DISTINCT ?p WHERE { ?x ?p ?y }", ("p",))
    return tuple(sorted(short for (short,) in rows if short not in (LABEL, STANDS_FOR)))
