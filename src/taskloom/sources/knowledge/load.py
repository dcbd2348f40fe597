"""Reading triples from files: RDF, Wikidata dumps, and tab-separated triple files.

Every reader streams: a dump of hundreds of gigabytes passes line by line, and only the statements
and labels that queries can ask for are kept.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO, TYPE_CHECKING

import msgspec

from taskloom.core import Progress, UserError
from taskloom.core.decode import BoundedFile, decoding, open_packed, read_json
from taskloom.sources.knowledge.graph import KnowledgeGraph
from taskloom.sources.knowledge.store import LocalStore
from taskloom.sources.knowledge.terms import ENTITY, LABEL, PROPERTY, WORLD, iri
from taskloom.sources.knowledge.vocabulary import PREDICATES, RELATIONS

if TYPE_CHECKING:
    import pyoxigraph


# What the vocabulary can ask for; a truthy dump has ten thousand other properties.
NEEDED_PROPERTIES: frozenset[str] = frozenset(term.property for term in RELATIONS.values())

_BATCH = 10_000
_FORMATS = {".nt": "N_TRIPLES", ".ttl": "TURTLE", ".nq": "N_QUADS", ".trig": "TRIG", ".rdf": "RDF_XML"}


def _opened(path: Path) -> BoundedFile:
    """A file, unpacked on the way where its name says so."""
    if not path.exists():
        raise UserError("there is no such file", where=str(path))
    return open_packed(path)


def _inner_suffix(path: Path) -> str:
    return Path(path.stem).suffix if path.suffix in {".gz", ".bz2"} else path.suffix


def load_rdf(path: Path, *, language: str = "en", store: LocalStore | None = None) -> KnowledgeGraph:
    """Load N-Triples, Turtle, N-Quads, TriG or RDF/XML, plain or packed (`.gz`, `.bz2`), all of it.

    Named graphs are read as one. Labels are `rdfs:label`.

    Raises:
        UserError: The file is missing, of an unknown kind, or not valid; with the line.
    """
    import pyoxigraph

    suffix = _inner_suffix(path)
    if suffix not in _FORMATS:
        known = ", ".join(sorted(_FORMATS))
        raise UserError(f"{suffix or 'no suffix'} is not an RDF file; known are {known}", where=str(path))
    store = LocalStore(name=path.name) if store is None else store
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
    wanted = {f"<{PROPERTY}{name}>".encode() for name in properties}
    tag = b'"@' + language.lower().encode()
    with _opened(path) as file, Progress(f"reading {path.name}", unit="lines") as progress, decoding(path):
        lines = _kept(file, wanted, tag, path)
        store.extend(_parsed(lines, path, progress))
    return KnowledgeGraph(store, language=language)


def _kept(file: IO[bytes], wanted: set[bytes], tag: bytes, path: Path) -> Iterator[tuple[int, bytes]]:
    """The lines worth parsing, with their numbers. Most lines of a dump are passed over after one look.

    Terms may be set apart by blanks or tabs, the dot may follow at once, and a line may end as on Windows: all of that
    is N-Triples.
    """
    label = f"<{LABEL}>".encode()
    item = f"<{ENTITY}Q".encode()
    named = {b"<" + ENTITY.encode() + name[len(PROPERTY) + 1 :] for name in wanted}
    number = kept = 0
    for number, line in enumerate(file, 1):
        words = line.split(None, 2)
        if len(words) < 3 or words[0].startswith(b"#"):
            if words and not words[0].startswith(b"#"):
                raise UserError("the line does not end with a dot; the file is cut off here", where=f"{path}:{number}")
            continue
        subject, predicate, value = words[0], words[1], _statement(words[2])
        if value is None:
            raise UserError("the line does not end with a dot; the file is cut off here", where=f"{path}:{number}")
        if predicate == label:
            wanted_line = (subject.startswith(item) or subject in named) and value.endswith(tag)
        else:
            wanted_line = predicate in wanted and subject.startswith(item) and not value.startswith(b"_:")
        if wanted_line:
            kept += 1
            yield number, line
    if number and not kept:
        raise UserError(
            f"none of its {number:,} lines states a wanted property or a label of a Wikidata item",
            where=str(path),
            hint="a file whose name does not contain 'truthy' is read in full",
        )


def _statement(tail: bytes) -> bytes | None:
    """The value of a line without its dot and a comment that follows; None where there is no dot."""
    value = tail.rstrip()
    if not value.endswith(b"."):
        mark = re.search(rb"\.\s*#[^\"<>]*$", value)
        if mark is None:
            return None
        value = value[: mark.start() + 1]
    return value[:-1].rstrip()


def _parsed(lines: Iterable[tuple[int, bytes]], path: Path, progress: Progress) -> Iterator[pyoxigraph.Quad]:
    """Statements of the lines, parsed in batches; a line that is not N-Triples is named in the error."""
    batch: list[tuple[int, bytes]] = []
    for item in lines:
        batch.append(item)
        if len(batch) == _BATCH:
            yield from _batch(batch, path)
            progress.advance(item[0] - progress.done)
            batch = []
    yield from _batch(batch, path)


def _batch(batch: list[tuple[int, bytes]], path: Path) -> Iterator[pyoxigraph.Quad]:
    import pyoxigraph

    kind = pyoxigraph.RdfFormat.N_TRIPLES
    try:
        yield from list(pyoxigraph.parse(b"".join(line for _, line in batch), kind))
    except SyntaxError:
        for number, line in batch:
            try:
                list(pyoxigraph.parse(line, kind))
            except SyntaxError as error:
                raise UserError(f"not N-Triples: {error}", where=f"{path}:{number}") from error
        raise


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
    import pyoxigraph

    store = LocalStore(name=folder.name)
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


# The files of the "relations" collection (LRE) that are about relations of the vocabulary.
_LRE = {
    "person mother": "mother",
    "person father": "father",
    "person occupation": "occupation",
    "person native language": "native language",
    "city in country": "country",
    "landmark in country": "country",
    "landmark on continent": "continent",
    "country language": "official language",
    "country capital city": "capital",
    "food from country": "country of origin",
    "product by company": "manufacturer",
    "person university": "educated at",
    "person sport position": "position played on team",
}


def load_relations(folder: Path, *, language: str = "en") -> KnowledgeGraph:
    """Load the labelled facts of the "relations" collection: JSON files with subject and object as words.

    The files have no ids, so a word is an entity: two people of one name are one. Files about
    relations outside the vocabulary are left out.
    """
    files = sorted(folder.rglob("*.json"))
    if not files:
        raise UserError("there are no JSON files here", where=str(folder))
    store = LocalStore(name=folder.name)
    ids: dict[str, str] = {}
    lines: list[str] = []
    for path in files:
        content = read_json(path, type=_RelationFile)
        if content.name in _LRE:
            name = RELATIONS[_LRE[content.name]].property
            for sample in content.samples:
                subject = ids.setdefault(sample.subject.strip(), f"F{len(ids) + 1}")
                value = ids.setdefault(sample.object.strip(), f"F{len(ids) + 1}")
                lines.append(f"<{WORLD}{subject}> <{PROPERTY}{name}> <{WORLD}{value}> .")
    store.load("\n".join(lines).encode())
    # The values of predicates are words here too: "actor" plays the part of Q33999.
    stand_ins = {term.entity: ids[term.value] for term in PREDICATES.values() if term.value in ids}
    labels = {short: word for word, short in ids.items()}
    return KnowledgeGraph(store, language=language, stand_ins=stand_ins, labels=labels)
