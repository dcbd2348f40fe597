"""Worlds that are opened at once: a small one from one file of its statements, a large one from a folder.

Drawing a world and loading it into a database takes seconds. So a world that fits into memory is looked up in its
ledger, and expressions are joined from tables of its properties.
Worlds of more people are written chapter by chapter into a store on disk, and never held in memory.
"""

from __future__ import annotations

import os
import shutil
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property, lru_cache
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import msgspec

from taskloom.core import UserError
from taskloom.core.folders import cache_folder
from taskloom.sources.knowledge.graph import KnowledgeGraph
from taskloom.sources.knowledge.store import IndexedStore, LocalStore, Row
from taskloom.sources.knowledge.terms import LABEL, STANDS_FOR, is_literal, lexical, quote
from taskloom.sources.knowledge.world.draft import WORLD_VERSION, Triple, WorldSettings
from taskloom.store.derived import DerivedCache, code_hash, shipped
from taskloom.store.seal import read_hashed, write_hashed

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Numbers: TypeAlias = npt.NDArray[np.int64]

_CODE = ("core", "sources/knowledge", "sources/names.py", "sources/names.toml")


class Ledger(msgspec.Struct, frozen=True):
    """Statements as numbers, sorted by subject, and a second order by value.

    Attributes:
        terms: Every subject and value, sorted.
        properties: Every property, sorted.
        rows: Property and value of each statement, one after the other, statements sorted by subject.
        subjects: Where the statements of each term begin; one longer than `terms`.
        values: Subject and property of each statement, statements sorted by value.
        objects: Where the statements about each term as a value begin.
        labels: Labels by entity; no two are alike.
        stand_ins: Who plays the part of whom.
    """

    terms: list[str]
    properties: list[str]
    rows: bytes
    subjects: bytes
    values: bytes
    objects: bytes
    labels: dict[str, str]
    stand_ins: dict[str, str]

    @staticmethod
    def of(triples: Sequence[Triple], labels: dict[str, str], stand_ins: dict[str, str]) -> Ledger:
        subjects, names, values = ([triple[place] for triple in triples] for place in range(3))
        terms, properties = sorted({*subjects, *values}), sorted({*names})
        s, p, o = _numbered(subjects, terms), _numbered(names, properties), _numbered(values, terms)
        by_subject, by_value = _ordered(s, p, o, len(terms)), _ordered(o, s, p, len(terms))
        return Ledger(terms, properties, *by_subject, *by_value, labels, stand_ins)


def _numbered(names: Sequence[str], known: list[str]) -> Numbers:
    """The place of each name among those that are known."""
    import numpy as np

    place = {name: number for number, name in enumerate(known)}
    return np.fromiter(map(place.__getitem__, names), np.int64, len(names))


def _ordered(first: Numbers, second: Numbers, third: Numbers, size: int) -> tuple[bytes, bytes]:
    """The second and third number of each row, by the first; and where the rows of each first number begin."""
    import numpy as np

    wide = 1 + int(max(second.max(initial=0), third.max(initial=0)))
    order = np.argsort((first * wide + second) * wide + third)  # as one number each, rows are soon sorted
    pairs = np.stack([second, third], axis=1)[order]
    starts = np.concatenate([[0], np.cumsum(np.bincount(first, minlength=size))])
    return pairs.astype(np.intc).tobytes(), starts.astype(np.intc).tobytes()


class WorldStore(IndexedStore):
    """A world of some settings, looked up in its ledger.

    Args:
        settings: The recipe.
        ledger: Its statements.
    """

    local = True

    def __init__(self, settings: WorldSettings, ledger: Ledger) -> None:
        self.name = f"world {settings.seed}"
        self._ledger = ledger
        self._rows, self._subjects = memoryview(ledger.rows).cast("i"), memoryview(ledger.subjects).cast("i")
        self._values, self._objects = memoryview(ledger.values).cast("i"), memoryview(ledger.objects).cast("i")

    def select(self, query: str, variables: tuple[str, ...], *, limit: int | None = None) -> Iterable[Row]:
        raise UserError("a world as small as this is not asked in SPARQL", where=self.name, hint="use world:50000")

    def sample(self, query: str, variables: tuple[str, ...], limit: int) -> Iterable[Row]:
        return self.select(query, variables)

    @cached_property
    def _entities(self) -> dict[str, str]:
        return {label: entity for entity, label in self._ledger.labels.items()}

    def lookup(self, subject: str | None, name: str | None, value: str | None) -> Iterator[Row]:
        """Statements that match, as (subject, property, value) in short ids; None matches anything."""
        yield from self._said_of_names(subject, name, value)
        if name in (LABEL, STANDS_FOR):
            return
        terms, properties = self._ledger.terms, self._ledger.properties
        if subject is not None:
            for p, o in self._pairs(self._rows, self._subjects, subject):
                if name in (None, properties[p]) and value in (None, terms[o]):
                    yield subject, properties[p], terms[o]
        elif value is not None:
            for s, p in self._pairs(self._values, self._objects, value):
                if name in (None, properties[p]):
                    yield terms[s], properties[p], value
        else:
            wanted = range(len(properties)) if name is None else [p for p, one in enumerate(properties) if one == name]
            starts = self._subjects.tolist()
            for place, p in enumerate(self._rows[::2].tolist()):
                if p in wanted:
                    subject = terms[bisect_right(starts, place) - 1]
                    yield subject, properties[p], terms[self._rows[2 * place + 1]]

    def _pairs(self, numbers: memoryview, starts: memoryview, term: str) -> Iterator[tuple[int, int]]:
        terms = self._ledger.terms
        place = bisect_left(terms, term)
        if place == len(terms) or terms[place] != term:
            return iter(())
        found = numbers[2 * starts[place] : 2 * starts[place + 1]].tolist()
        return zip(found[::2], found[1::2], strict=True)

    def _said_of_names(self, subject: str | None, name: str | None, value: str | None) -> Iterator[Row]:
        """Labels, and who plays whose part."""
        ledger = self._ledger
        if name in (None, LABEL):
            entities = [subject] if subject is not None else self._called(value)
            found = ((x, LABEL, quote(ledger.labels[x], "en")) for x in entities if x in ledger.labels)
            yield from (row for row in found if value in (None, row[2]))
        if name in (None, STANDS_FOR):
            parts = ((entity, STANDS_FOR, real) for real, entity in ledger.stand_ins.items())
            yield from (row for row in parts if subject in (None, row[0]) and value in (None, row[2]))

    def _called(self, literal: str | None) -> list[str]:
        """The entities with a label; all of them where none is named."""
        if literal is None:
            return list(self._ledger.labels)
        entity = self._entities.get(lexical(literal)) if is_literal(literal) else None
        return [] if entity is None else [entity]


IN_MEMORY = 20_000
"""Worlds of more people than this live on disk."""


def world_graph(settings: WorldSettings) -> KnowledgeGraph:
    """A world: of its ledger where it fits into memory, else of a store on disk."""
    return kept_world(settings) if settings.people > IN_MEMORY else ledger_graph(settings)


@lru_cache(maxsize=2)
def ledger_graph(settings: WorldSettings) -> KnowledgeGraph:
    """A world that fits into memory, opened at once where it is shipped or was opened before."""
    ledger: Ledger | None = shipped(Ledger, *ledger_key(settings))
    cache, key = DerivedCache("ledgers", code_hash(*_CODE), WORLD_VERSION), (settings.seed, settings.people)
    ledger = ledger or cache.get(Ledger, *key)
    if ledger is None:
        ledger = make_ledger(settings)
        cache.put(ledger, *key)
    return KnowledgeGraph(WorldStore(settings, ledger), stand_ins=ledger.stand_ins, labels=ledger.labels)


def ledger_key(settings: WorldSettings) -> tuple[str, int, int, int]:
    """What decides a ledger besides the code."""
    return "ledgers", WORLD_VERSION, settings.seed, settings.people


def make_ledger(settings: WorldSettings) -> Ledger:
    """The ledger of a world, drawn anew."""
    from taskloom.sources.knowledge.world.build import whole_world

    return Ledger.of(*whole_world(settings))


# ------------------------------------------------------------------------- worlds on disk

_FORM = 2
"""How worlds are kept; goes up when older ones can no longer be read."""
_STAND_INS = "stand-ins.tsv"
_STORE = "triples"


class _LabelFilter:
    """A Bloom filter over labels: what it has not seen is new for certain; the rest is looked up in the store.

    Sixteen megabytes for a world of any size; at ten million labels one in a hundred is looked up needlessly.
    """

    _BITS = 27

    def __init__(self) -> None:
        self._bits = bytearray(1 << (self._BITS - 3))

    def _places(self, label: str) -> list[int]:
        hashed = int.from_bytes(blake2b(label.encode(), digest_size=16).digest(), "big")
        return [(hashed >> (32 * i)) & ((1 << self._BITS) - 1) for i in range(4)]

    def add(self, label: str) -> None:
        for place in self._places(label):
            self._bits[place >> 3] |= 1 << (place & 7)

    def __contains__(self, label: str) -> bool:
        return all(self._bits[place >> 3] >> (place & 7) & 1 for place in self._places(label))


def write_world(settings: WorldSettings, folder: Path) -> int:
    """Write a world into a new folder; returns the number of statements.

    The memory needed does not grow with the world. The folder appears whole or not at all.
    """
    from taskloom.sources.knowledge.world.build import chapters

    partial = folder.with_name(f"{folder.name}.{os.getpid()}.partial")
    shutil.rmtree(partial, ignore_errors=True)
    partial.mkdir(parents=True)
    store = LocalStore(partial / _STORE, name=folder.name)
    seen = _LabelFilter()

    def taken(label: str) -> bool:
        return label in seen and store.has_label(label)

    stand_ins: list[str] = []
    for chapter in chapters(settings, taken):
        store.load(chapter.ntriples())
        for label in chapter.labels.values():
            seen.add(label)
        stand_ins.extend(f"{real}\t{entity}\n" for real, entity in chapter.stand_ins.items())
    write_hashed(partial / _STAND_INS, "".join(stand_ins).encode())
    count = len(store)
    store.optimize()
    store.close()
    try:
        partial.rename(folder)
    except OSError:
        if not folder.exists():
            raise
        shutil.rmtree(partial)  # another process was quicker; its world is the same
    return count


def kept_world(settings: WorldSettings, *, cache: Path | None = None) -> KnowledgeGraph:
    """A world on disk, written on first use and opened read-only: many processes can do so at once.

    Args:
        settings: The recipe.
        cache: Where worlds are kept; the cache folder of Taskloom where not given.
    """
    root = (cache or cache_folder()) / "worlds"
    folder = root / f"v{WORLD_VERSION}.{_FORM}-seed{settings.seed}-people{settings.people}"
    if not folder.exists():
        write_world(settings, folder)
    path = folder / _STAND_INS
    text = read_hashed(path)
    if text is None:
        raise UserError("the world was changed after it was written", where=str(path), hint=f"remove {folder}")
    stand_ins = dict(line.split("\t") for line in text.decode().split("\n") if line)
    store = LocalStore(folder / _STORE, name=f"world {settings.seed}", read_only=True)
    return KnowledgeGraph(store, stand_ins=stand_ins)
