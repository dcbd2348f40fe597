"""One name for every knowledge graph: a fictional world, files, or an endpoint."""

from __future__ import annotations

from taskloom.core import UserError
from taskloom.sources.knowledge.graph import KnowledgeGraph

__all__ = ["open_graph"]


def open_graph(source: str = "world", *, seed: int = 0, language: str = "en") -> KnowledgeGraph:
    """Open a knowledge graph by name.

    Args:
        source: `world` for the fictional world of the default size, `world:50000` for one of so many people.
        seed: The seed of a fictional world.
        language: The language of labels.
    """
    kind, _, rest = source.partition(":")
    if kind == "world":
        from taskloom.sources.knowledge.world import open_world

        if rest and not rest.isdecimal():
            raise UserError(f"{rest!r} is not a number of people", where=source, hint="write world or world:50000")
        return open_world(seed, int(rest) if rest else None).graph
    raise UserError(f"{source!r} is not a knowledge graph", hint="use world or world:50000")
