"""Worlds on disk: written chapter by chapter into a store, opened again at once, never held in memory."""

from __future__ import annotations

import os
import shutil
from hashlib import blake2b
from pathlib import Path

from taskloom.core import UserError
from taskloom.core.folders import cache_folder
from taskloom.sources.knowledge.graph import KnowledgeGraph
from taskloom.sources.knowledge.store import LocalStore
from taskloom.sources.knowledge.world.build import Chapter, chapters
from taskloom.sources.knowledge.world.settings import WORLD_VERSION, WorldSettings
from taskloom.store.seal import read_hashed, write_hashed

__all__ = ["IN_MEMORY", "kept_world", "write_world"]

IN_MEMORY = 20_000
"""Worlds of more people than this live on disk."""

_FORM = 2
"""How worlds are kept; goes up when older ones can no longer be read."""
_STAND_INS = "stand-ins.tsv"
_STORE = "triples"


class _Sieve:
    """A Bloom filter over labels: what it has not seen is new for certain; the rest is looked up in the store.

    Sixteen megabytes whatever the world; at ten million labels one in a hundred is looked up for nothing.
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
    partial = folder.with_name(f"{folder.name}.{os.getpid()}.partial")
    shutil.rmtree(partial, ignore_errors=True)
    partial.mkdir(parents=True)
    store = LocalStore(partial / _STORE, name=folder.name)
    sieve = _Sieve()

    def taken(label: str) -> bool:
        return label in sieve and store.has_label(label)

    stand_ins: list[str] = []
    for chapter in chapters(settings, taken):
        _add(store, sieve, chapter)
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


def _add(store: LocalStore, sieve: _Sieve, chapter: Chapter) -> None:
    store.load(chapter.ntriples())
    for label in chapter.labels.values():
        sieve.add(label)


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
