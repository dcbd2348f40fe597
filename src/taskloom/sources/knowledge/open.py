"""One name for every knowledge graph: a fictional world, files, or an endpoint.

Files are RDF, Wikidata dumps, and tab-separated triples. Every reader streams: a dump of hundreds of gigabytes passes
line by line, and only the statements and labels that queries can ask for are kept.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO, TYPE_CHECKING

import msgspec

from taskloom.core import Progress, UserError
from taskloom.core.decode import BoundedFile, decoding, open_packed, read_json
from taskloom.core.folders import cache_folder, not_here, warn_unread
from taskloom.sources.knowledge.graph import KnowledgeGraph
from taskloom.sources.knowledge.store import LocalStore
from taskloom.sources.knowledge.terms import ENTITY, LABEL, PROPERTY, WORLD, iri
from taskloom.sources.knowledge.vocabulary import LRE_FILES, PREDICATES, RELATIONS
from taskloom.store.atomic import whole_folder

if TYPE_CHECKING:
    import pyoxigraph

# What the vocabulary can ask for; a truthy dump has ten thousand other properties.
NEEDED_PROPERTIES: frozenset[str] = frozenset(term.property for term in RELATIONS.values())

_BATCH = 10_000
_FORMATS = {".nt": "N_TRIPLES", ".ttl": "TURTLE", ".nq": "N_QUADS", ".trig": "TRIG", ".rdf": "RDF_XML"}


def _opened(path: Path) -> BoundedFile:
    """A file, unpacked on the way where its name says so."""
    if not path.exists():
        raise not_here(path, "file")
    return open_packed(path)


def load_rdf(path: Path, *, language: str = "en", store: LocalStore | None = None) -> KnowledgeGraph:
    """Load N-Triples, Turtle, N-Quads, TriG or RDF/XML, plain or packed (`.gz`, `.bz2`), all of it.

    Named graphs are read as one. Labels are `rdfs:label`.

    Raises:
        UserError: The file is missing, of an unknown kind, or not valid; with the line.
    """
    suffix = Path(path.stem).suffix if path.suffix in {".gz", ".bz2"} else path.suffix
    if suffix not in _FORMATS:
        known = ", ".join(sorted(_FORMATS))
        raise UserError(f"{suffix or 'no suffix'} is not an RDF file; known are {known}", where=str(path))
    store = LocalStore(name=path.name) if store is None else store
    import pyoxigraph

    kind: pyoxigraph.RdfFormat = getattr(pyoxigraph.RdfFormat, _FORMATS[suffix])
    with _opened(path) as file, Progress(f"reading {path.name}", unit="triples") as progress:
        try:
            with decoding(path):
                store.extend(_merged(pyoxigraph.parse(file, kind), progress))
        except SyntaxError as error:
            raise UserError(f"the file cannot be read: {error}", where=str(path)) from error
    return KnowledgeGraph(store, language=language)


def _merged(quads: Iterable[pyoxigraph.Quad], progress: Progress) -> Iterator[pyoxigraph.Quad]:
    """The statements of all named graphs, as those of one."""
    import pyoxigraph

    for quad in quads:
        yield pyoxigraph.Quad(quad.subject, quad.predicate, quad.object)
        progress.advance()


# -------------------------------------------------------------------- Wikidata


def load_truthy(
    path: Path,
    *,
    properties: Iterable[str] = NEEDED_PROPERTIES,
    language: str = "en",
    store: LocalStore | None = None,
) -> KnowledgeGraph:
    """Load a Wikidata truthy dump (`latest-truthy.nt`, `.nt.gz`, `.nt.bz2`), only what is asked for.

    Kept are the direct statements of `properties` whose value is an entity or a literal, and the
    `rdfs:label` of every entity and of these properties in `language`. Unknown values (blank nodes) are left out.

    Args:
        path: The dump.
        properties: Wikidata property ids; by default all of the vocabulary.
        language: The language of labels.
        store: Where to put them; give a `LocalStore` with a folder for dumps that exceed memory.

    Raises:
        UserError: The file is missing or broken; with the line.
    """
    store = LocalStore(name=path.name) if store is None else store
    with _opened(path) as file, Progress(f"reading {path.name}", unit="lines") as progress, decoding(path):
        store.extend(_wanted(file, frozenset(properties), language.lower(), path, progress))
    return KnowledgeGraph(store, language=language)


def _wanted(
    file: IO[bytes], properties: frozenset[str], language: str, path: Path, progress: Progress
) -> Iterator[pyoxigraph.Quad]:
    """The statements and labels to keep. All lines are parsed, which takes about as long as looking at each of them."""
    import pyoxigraph

    asked = {LABEL, *(f"{PROPERTY}{name}" for name in properties)}
    named = {f"{ENTITY}{name}" for name in properties}
    read = kept = 0
    try:
        # Statements that are passed over may hold addresses that are not quite valid, as dumps do.
        for read, quad in enumerate(pyoxigraph.parse(file, pyoxigraph.RdfFormat.N_TRIPLES, lenient=True), start=1):
            if not read % _BATCH:
                progress.advance(_BATCH)
            if quad.predicate.value not in asked or not isinstance(quad.subject, pyoxigraph.NamedNode):
                continue
            subject, value = quad.subject.value, quad.object
            wanted = subject.startswith(f"{ENTITY}Q")
            if quad.predicate.value == LABEL:
                spoken = isinstance(value, pyoxigraph.Literal) and value.language == language
                wanted = spoken and (wanted or subject in named)
            if wanted and not isinstance(value, pyoxigraph.BlankNode):
                kept += 1
                yield quad
    except SyntaxError as error:
        raise UserError(
            f"not N-Triples, or cut off here: {error}", where=f"{path}:{error.lineno or read + 1}"
        ) from error
    if read and not kept:
        raise UserError(
            f"none of its {read:,} statements has a wanted property or is a label of a Wikidata item",
            where=str(path),
            hint="a file whose name does not contain 'truthy' is read in full",
        )


# ---------------------------------------------------------- triple files and lists


class _CodexRelation(msgspec.Struct):
    """What CoDEx says of a property."""

    label: str


def load_codex(
    folder: Path, *, language: str = "en", splits: Iterable[str] = ("train", "valid", "test")
) -> KnowledgeGraph:
    """Load CoDEx triples: `train.txt` … with `Q7604<TAB>P1412<TAB>Q188` lines, and `entity2name.en.txt`.

    Raises:
        UserError: A file is missing, or a line has not three ids; with the line.
    """
    store = LocalStore(name=folder.name)
    import pyoxigraph

    node = pyoxigraph.NamedNode
    quads: list[pyoxigraph.Quad] = []
    for split in splits:
        path = folder / f"{split}.txt"
        for number, fields in _tabbed(path, 3):
            subject, name, value = fields
            if not re.fullmatch(r"P[0-9]+", name):
                raise UserError(f"{name!r} is not a property", where=f"{path}:{number}")
            quads.append(pyoxigraph.Quad(node(iri(subject)), node(PROPERTY + name), node(iri(value))))
    for _, (entity, name) in _tabbed(folder / f"entity2name.{language}.txt", 2):
        # Names with a comma are written in quotation marks; those marks are not part of the name.
        label = name[1:-1] if re.fullmatch(r'"[^"]*,[^"]*"', name) else name
        quads.append(pyoxigraph.Quad(node(iri(entity)), node(LABEL), pyoxigraph.Literal(label, language=language)))
    named = folder / f"relations.{language}.json"
    for name, about in (read_json(named, type=dict[str, _CodexRelation]) if named.exists() else {}).items():
        quads.append(pyoxigraph.Quad(node(iri(name)), node(LABEL), pyoxigraph.Literal(about.label, language=language)))
    store.extend(quads)
    return KnowledgeGraph(store, language=language)


def _tabbed(path: Path, columns: int) -> Iterator[tuple[int, list[str]]]:
    with _opened(path) as file:
        for number, line in enumerate(file, 1):
            fields = line.decode("utf-8").rstrip("\r\n").split("\t")
            if len(fields) != columns:
                raise UserError(f"{len(fields)} columns where {columns} are expected", where=f"{path}:{number}")
            yield number, fields


class _RelationSample(msgspec.Struct):
    subject: str
    object: str


class _RelationFile(msgspec.Struct):
    name: str
    samples: list[_RelationSample]


def load_relations(folder: Path, *, language: str = "en") -> KnowledgeGraph:
    """Load the labelled facts of the "relations" collection: JSON files with subject and object as words.

    The files have no ids, so a word is an entity: two people of one name are one. A relation outside the vocabulary
    has the name that its file gives it: `wiki{person plays instrument}`.

    Raises:
        UserError: There is no such file, or one cannot be read.
    """
    files = sorted(folder.rglob("*.json"))
    if not files:
        raise UserError("there are no JSON files here", where=str(folder))
    named = [f"{path.stem}.json" for path in folder.rglob("*")]
    warn_unread(folder, {*files}, named, "read are the JSON files of relations")
    store = LocalStore(name=folder.name)
    ids: dict[str, str] = {}
    lines: list[str] = []
    for path in files:
        content = read_json(path, type=_RelationFile)
        known = RELATIONS[LRE_FILES[content.name]].property if content.name in LRE_FILES else None
        address = f"{PROPERTY}{known}" if known else WORLD + re.sub(r"\W+", "_", content.name.strip())
        for sample in content.samples:
            subject = ids.setdefault(sample.subject.strip(), f"F{len(ids) + 1}")
            value = ids.setdefault(sample.object.strip(), f"F{len(ids) + 1}")
            lines.append(f"<{WORLD}{subject}> <{address}> <{WORLD}{value}> .")
    store.load("\n".join(lines).encode())
    # The values of predicates are words here too: "actor" plays the part of Q33999.
    stand_ins = {term.entity: ids[term.value] for term in PREDICATES.values() if term.value in ids}
    labels = {short: word for word, short in ids.items()}
    return KnowledgeGraph(store, language=language, stand_ins=stand_ins, labels=labels)


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
    if (path / _STORE_MARK).exists():
        return KnowledgeGraph(LocalStore(path, name=path.name, read_only=True), language=language)
    if (path / "train.txt").exists():
        return load_codex(path, language=language)
    return load_relations(path, language=language)
