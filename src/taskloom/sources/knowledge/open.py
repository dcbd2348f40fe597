"""One name for every knowledge graph: a fictional world, files, or an endpoint."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from taskloom.core import UserError
from taskloom.core.folders import cache_folder
from taskloom.sources.knowledge.graph import KnowledgeGraph
from taskloom.store.atomic import whole_folder

# A file every folder of the embedded database has.
_STORE_MARK = "CURRENT"
_HINT = "use world, world:50000, the path of an RDF file or triple folder, or the http address of a SPARQL endpoint"


def open_graph(
    source: str = "world",
    *,
    seed: int = 0,
    language: str = "en",
    cache: Path | None = None,
    timeout: float = 60.0,
    page_size: int = 5000,
) -> KnowledgeGraph:
    """Open a knowledge graph by name.

    Args:
        source: One of

            - `world`, the fictional world of the default size; `world:50000` for one of this many people;
            - a file: N-Triples, Turtle, N-Quads, TriG or RDF/XML, plain, `.gz` or `.bz2`. A Wikidata dump
              (a file with `truthy` in its name) is read selectively;
            - a folder made by `keep_graph`, opened at once and without reading it into memory;
            - a folder of CoDEx triples (`train.txt`, `entity2name.en.txt`), or of JSON relation files;
            - the `http` or `https` address of a SPARQL 1.1 endpoint with Wikidata's ids.
        seed: The seed of a fictional world.
        language: The language of labels.
        cache: Where to keep what an endpoint answers; `TASKLOOM_CACHE`, else the system's place for caches.
        timeout: Seconds to wait for one answer of an endpoint.
        page_size: Rows per request to an endpoint.

    Raises:
        UserError: There is no such graph, or it cannot be read.
    """
    kind, _, rest = source.partition(":")
    if kind == "world":
        return _world(seed, rest, source)
    if kind in {"http", "https"}:
        from taskloom.sources.knowledge.remote import SparqlEndpoint

        store = SparqlEndpoint(source, cache=cache or cache_folder("sparql"), timeout=timeout, page_size=page_size)
        return KnowledgeGraph(store, language=language)
    path = Path(source).expanduser()
    if path.is_dir():
        return _folder(path, language)
    if path.is_file():
        from taskloom.sources.knowledge.load import load_rdf, load_truthy

        return (load_truthy if "truthy" in path.name else load_rdf)(path, language=language)
    raise UserError(f"{source!r} is neither a world, nor a file or folder, nor an address", hint=_HINT)


def keep_graph(source: Path, folder: Path, *, language: str = "en", properties: Iterable[str] | None = None) -> int:
    """Read an RDF file or a Wikidata truthy dump into a folder that `open_graph` opens at once.

    Args:
        source: The file, plain or packed. One with `truthy` in its name is read selectively.
        folder: Where to keep the triples; it must not exist yet or be empty.
        language: The language of labels to keep of a dump.
        properties: The properties to keep of a dump; those of the vocabulary where not given.

    Returns:
        The number of triples kept.

    Raises:
        UserError: The folder is in use, or the file cannot be read.
    """
    from taskloom.sources.knowledge.load import NEEDED_PROPERTIES, load_rdf, load_truthy
    from taskloom.sources.knowledge.store import LocalStore

    with whole_folder(folder) as scratch:
        store = LocalStore(scratch, name=source.name)
        if "truthy" in source.name:
            load_truthy(source, properties=properties or NEEDED_PROPERTIES, language=language, store=store)
        else:
            load_rdf(source, language=language, store=store)
        count = len(store)
        store.close()
        return count


def _world(seed: int, people: str, source: str) -> KnowledgeGraph:
    from taskloom.sources.knowledge.world.draft import DEFAULT_PEOPLE, WorldSettings
    from taskloom.sources.knowledge.world.ledger import world_graph

    if people and not people.isdecimal():
        raise UserError(f"{people!r} is not a number of people", where=source, hint="write world or world:50000")
    try:
        settings = WorldSettings(seed=seed, people=int(people) if people else DEFAULT_PEOPLE)
    except ValueError as error:
        raise UserError(str(error), where=source) from error
    return world_graph(settings)


def _folder(path: Path, language: str) -> KnowledgeGraph:
    from taskloom.sources.knowledge.load import load_codex, load_relations

    if (path / _STORE_MARK).exists():
        from taskloom.sources.knowledge.store import LocalStore

        return KnowledgeGraph(LocalStore(path, name=path.name, read_only=True), language=language)
    if (path / "train.txt").exists():
        return load_codex(path, language=language)
    return load_relations(path, language=language)
