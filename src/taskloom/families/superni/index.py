"""The index of a collection: every header, read once and kept; only changed files are read again.

Indexing decodes headers and merely walks over the instances, which is several times quicker than reading them. The
index lives in the cache folder (`core.folders`), never beside the data, and is trusted
per file as long as size and both time stamps agree.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator
from hashlib import blake2b
from pathlib import Path

import msgspec

from taskloom.core import Progress, UserError
from taskloom.core.decode import decoding
from taskloom.core.folders import cache_folder
from taskloom.families.superni.schema import Header, damaged_instances, read_header
from taskloom.store.seal import read_hashed, write_hashed

VERSION = 2

_log = logging.getLogger(__name__)


class Damage(msgspec.Struct, frozen=True):
    """Why a file is no task."""

    message: str
    where: str

    def error(self) -> UserError:
        """As an exception."""
        return UserError(self.message, where=self.where, hint="taskloom check lists everything that is wrong with it")


class IndexedTask(msgspec.Struct, frozen=True):
    """One file: its stamp, its header or what is wrong with it, and its instances that cannot be used."""

    stamp: tuple[int, int, int]
    header: Header | None = None
    damage: Damage | None = None
    instances: dict[int, str] = {}


class _FolderIndex(msgspec.Struct, frozen=True):
    version: int
    folder: str
    entries: dict[str, IndexedTask]


def _files(folder: Path) -> Iterator[tuple[str, tuple[int, int, int]]]:
    """Task names with the stamps of their files. A name is the file name without `.json`, dots and all."""
    try:
        with os.scandir(folder) as found:
            for file in found:
                if file.name.endswith(".json") and file.is_file():
                    status = file.stat()
                    yield file.name.removesuffix(".json"), (status.st_size, status.st_mtime_ns, status.st_ctime_ns)
    except OSError as error:
        raise UserError(f"the folder cannot be read: {error.strerror}", where=str(folder)) from None


def _cache_file(folder: Path) -> Path:
    return cache_folder("superni") / f"{blake2b(os.fsencode(folder.resolve()), digest_size=12).hexdigest()}.index"


def _load(path: Path, folder: Path) -> dict[str, IndexedTask]:
    """The kept entries; none where the file is absent, damaged, or of another version or folder."""
    try:
        data = read_hashed(path)
        if data is None:
            return {}
        with decoding(path, "the index"):
            index = msgspec.msgpack.decode(data, type=_FolderIndex)
    except UserError as error:
        _log.info("index %s is not usable (%s) and will be rebuilt", path, error)
        return {}
    return index.entries if (index.version, index.folder) == (VERSION, str(folder.resolve())) else {}


def _save(path: Path, folder: Path, entries: dict[str, IndexedTask]) -> None:
    data = msgspec.msgpack.encode(_FolderIndex(VERSION, str(folder.resolve()), entries))
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_hashed(path, data)
    except (OSError, UserError) as error:
        # Nothing is lost but time: the next opening reads the files again.
        _log.warning("the index of %s cannot be kept in %s: %s", folder, path, error)


def _entry(folder: Path, name: str, stamp: tuple[int, int, int]) -> IndexedTask:
    try:
        path = folder / f"{name}.json"
        header, raws = read_header(path)
        return IndexedTask(stamp, header=header, instances=damaged_instances(path, raws))
    except UserError as error:
        return IndexedTask(stamp, damage=Damage(error.message, error.where or name))


def build_index(folder: Path) -> dict[str, IndexedTask]:
    """The entries of all task files of a folder, sorted by name; what did not change comes from the cache."""
    cache = _cache_file(folder)
    kept = _load(cache, folder)
    stamps = dict(sorted(_files(folder)))
    fresh = {name: kept[name] for name, stamp in stamps.items() if name in kept and kept[name].stamp == stamp}
    if len(fresh) == len(stamps) == len(kept):
        return fresh
    with Progress(f"indexing {folder}", len(stamps), unit="file") as progress:
        progress.skip(len(fresh))
        for name, stamp in stamps.items():
            if name not in fresh:
                fresh[name] = _entry(folder, name, stamp)
                progress.advance()
    entries = {name: fresh[name] for name in stamps}
    _save(cache, folder, entries)
    return entries
