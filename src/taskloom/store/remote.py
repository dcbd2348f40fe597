"""Folders on object storage (`s3://…`, `gs://…`, `hf://…`, any address that fsspec opens).

A verb works on a copy of the folder on this disk: what storage holds is fetched first, and what changed is published at
the end, data first and the manifest last. A new manifest is created only if there is none (`If-None-Match`), a changed
one only if it is still the one that was fetched (`If-Match`): of several writers one wins, the others are told, and
readers see the old state or the new one. The copy stays in the cache folder, so the same command continues where a
killed one stopped; lines of a run's log are shipped while it goes on, so that another machine can continue it as well.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from os import PathLike, fspath
from pathlib import Path, PurePosixPath
from secrets import token_hex
from typing import Any

import msgspec

from taskloom.core import UserError, content_hash, missing_extra
from taskloom.core.decode import read_bytes, read_json
from taskloom.core.folders import cache_folder
from taskloom.store.atomic import half_name, hold, is_half, write_atomically

_ADDRESS = re.compile(r"(s3|s3a|gs|gcs|az|abfs|abfss|adl|hf|oss|r2|memory)://\S+")
_FILES = (".html", ".json", ".jsonl", ".csv", ".md", ".parquet", ".xml", ".yaml", ".txt", ".zip")
_FIRST = ("run.json", "tasks.jsonl")
_MANIFEST = re.compile(r"manifest(-\d{6})?\.json")
_LATER = re.compile(r"(results|signature[^/]*)\.json|[^/]*\.html|\.taskloom-files\.json")
SHIPPED_EVERY = 5.0
_BLOCK = 1 << 20
_PARTS = 2
"""Parts of a file that travel to or from S3 at once: each is 50 MB and is held in memory, by default ten of them."""
_open: dict[Path, WorkingCopy] = {}


def is_address(place: str | PathLike[str]) -> bool:
    """Whether a place is on object storage and not on this disk."""
    return isinstance(place, str) and _ADDRESS.fullmatch(place) is not None


class _Known(msgspec.Struct, frozen=True):
    """A file as it was when it was last fetched or published: its mark on storage, and size and time of the copy."""

    mark: str
    size: int
    changed: int


class _Index(msgspec.Struct, frozen=True):
    address: str
    files: dict[str, _Known] = {}


class WorkingCopy:
    """The copy of one folder on object storage.

    Attributes:
        address: Where the folder is.
        folder: Where its copy is.

    Raises:
        UserError: The storage cannot be reached, or its driver is not installed.
    """

    def __init__(self, address: str, only: tuple[str, ...] = ()) -> None:
        self.address = address.rstrip("/")
        self._only = only
        place = cache_folder("remote") / content_hash(self.address)[:16]
        place.mkdir(parents=True, exist_ok=True)
        self.folder = place / (PurePosixPath(self.address).name or "root")
        self._index_file = place / "index.json"
        self._shipped: dict[Path, tuple[int, float]] = {}
        self._index = _Index(self.address)
        if self._index_file.is_file():
            self._index = read_json(self._index_file, type=_Index)
        with self._answers():
            import fsspec

            self._storage, self._root = fsspec.core.url_to_fs(self.address, use_listings_cache=False)
        protocols = self._storage.protocol
        self._s3 = "s3" in ((protocols,) if isinstance(protocols, str) else protocols)
        self._few = {"max_concurrency": _PARTS} if self._s3 else {}

    @contextmanager
    def _answers(self) -> Iterator[None]:
        """Turn what drivers of storage raise into a sentence."""
        try:
            yield
        except UserError:
            raise
        except ImportError as error:
            raise missing_extra(getattr(error, "name", None) or "fsspec", "remote", self.address) from None
        except Exception as error:
            said = f"{type(error).__name__}: {error}".partition("\n")[0][:300]
            raise UserError(f"the storage cannot be used: {said}", where=self.address) from error

    def _at(self, name: str) -> str:
        return f"{self._root}/{name}"

    def _mark(self, name: str) -> str:
        return _mark_of(self._storage.info(self._at(name)))

    def fetch(self) -> None:
        """Bring the copy to what storage holds; what was made here and is not published yet stays."""
        with self._answers(), hold(self._index_file.parent, wait=True):
            self._storage.invalidate_cache()
            listed = self._storage.find(self._root, detail=True) if self._storage.exists(self._root) else {}
            there = {}
            for path, facts in listed.items():
                name = str(PurePosixPath(path).relative_to(PurePosixPath(self._root)))
                if ".." in PurePosixPath(name).parts:
                    raise UserError("a name on the storage points outside its folder", where=self.address)
                if not self._only or name in self._only:
                    there[name] = facts
            for name in self._index.files.keys() - there.keys() if not self._only else ():
                (self.folder / name).unlink(missing_ok=True)
                del self._index.files[name]
            for name, facts in there.items():
                path, known = self.folder / name, self._index.files.get(name)
                if known is None or known.mark != _mark_of(facts) or not path.is_file():
                    path.parent.mkdir(parents=True, exist_ok=True)
                    half = path.with_name(half_name(path.name))
                    try:
                        self._storage.get_file(self._at(name), str(half), **self._few)
                        half.replace(path)
                    finally:
                        half.unlink(missing_ok=True)
                    self._note(name, _mark_of(facts))
            self._save()

    def _note(self, name: str, mark: str) -> None:
        stat = (self.folder / name).stat()
        self._index.files[name] = _Known(mark, stat.st_size, stat.st_mtime_ns)

    def _save(self) -> None:
        write_atomically(self._index_file, msgspec.json.encode(self._index), lasting=False)

    def publish(self) -> None:
        """Bring what changed in the copy to storage: data first, manifests last, then what is gone here goes there.

        Raises:
            UserError: Another writer was faster; storage has its state, and the copy keeps ours.
        """
        if not self.folder.is_dir():
            return
        with self._answers(), hold(self._index_file.parent, wait=True):
            names = [str(path.relative_to(self.folder)) for path in self.folder.rglob("*") if path.is_file()]
            names = [name for name in names if not any(map(is_half, Path(name).parts))]
            for name in sorted(names, key=lambda name: (_rank(name), name)):
                if not self._only or name in self._only:
                    self._publish(name)
            for name in sorted(self._index.files.keys() - set(names)):
                if not self._only and self._storage.exists(self._at(name)):
                    self._storage.rm_file(self._at(name))
                if not self._only:
                    del self._index.files[name]
            self._save()

    def _publish(self, name: str) -> None:
        path, known = self.folder / name, self._index.files.get(name)
        stat = path.stat()
        if known is not None and (known.size, known.changed) == (stat.st_size, stat.st_mtime_ns):
            return
        try:
            if known is None:
                self._storage.put_file(str(path), self._at(name), mode="create", **self._few)
            elif self._s3:
                self._storage.pipe_file(self._at(name), read_bytes(path), IfMatch=known.mark)
            elif self._mark(name) != known.mark:
                raise FileExistsError(name)
            else:
                self._storage.put_file(str(path), self._at(name))
        except OSError as error:
            if not isinstance(error, FileExistsError) and "pre-condition" not in str(error):
                raise
            self._storage.invalidate_cache()
            if not self._same(name):
                raise UserError(
                    f"another writer published {name} meanwhile, so ours was left out",
                    where=self.address,
                    hint="the same command fetches theirs and continues",
                ) from None
        self._storage.invalidate_cache()
        self._note(name, self._mark(name))
        self._save()

    def _same(self, name: str) -> bool:
        """Whether a file on storage has the bytes of its copy."""
        with self._storage.open(self._at(name), "rb") as theirs, (self.folder / name).open("rb") as ours:
            while (block := ours.read(_BLOCK)) == theirs.read(_BLOCK):
                if not block:
                    return True
        return False

    def ship(self, log: Path) -> None:
        """Send the lines that a log gained to storage as a file of their own, at most every few seconds."""
        start, sent = self._shipped.get(log, (0, 0.0))
        if time.monotonic() - sent < SHIPPED_EVERY:
            return
        with self._answers():
            for name in _FIRST:
                if (self.folder / name).is_file():
                    self._publish(name)
            with log.open("rb") as file:
                file.seek(start)
                lines = file.read()
            if lines:
                name = f"{log.parent.name}/{log.stem}-{token_hex(6)}.jsonl"
                self._storage.pipe_file(self._at(name), lines, mode="create")
                self._index.files[name] = _Known(self._mark(name), -1, -1)  # not here: publishing removes it
                self._save()
            self._shipped[log] = start + len(lines), time.monotonic()


def _mark_of(facts: dict[str, Any]) -> str:
    """What changes when a file on storage does."""
    found = next((facts[key] for key in ("ETag", "etag", "md5Hash", "generation", "sha256") if facts.get(key)), None)
    return str(
        found or f"{facts.get('size')} {facts.get('created') or facts.get('LastModified') or facts.get('mtime')}"
    )


def _rank(name: str) -> int:
    """Plans, then data, then manifests, then what is computed from them."""
    if name in _FIRST:
        return 0
    base = PurePosixPath(name).name
    return 2 if _MANIFEST.fullmatch(base) else 3 if _LATER.fullmatch(base) else 1


@contextmanager
def stored(place: str | PathLike[str], *, write: bool = True) -> Iterator[Path]:
    """A folder or file to work on: itself where it is on this disk, else a copy that is published at the end.

    Args:
        place: A path, or an address on object storage.
        write: Whether to publish what changed.

    Raises:
        UserError: The storage cannot be used, or another writer was faster.
    """
    if not is_address(place):
        yield Path(place)
        return
    address = fspath(place).rstrip("/")
    head, _, name = address.rpartition("/")
    file = name if PurePosixPath(name).suffix in _FILES else ""
    copy = WorkingCopy(head, (file, ".taskloom-files.json")) if file else WorkingCopy(address)
    copy.fetch()
    if file:
        copy.folder.mkdir(exist_ok=True)
    _open[copy.folder] = copy
    try:
        yield copy.folder / file if file else copy.folder
        if write:
            copy.publish()
    except UserError as error:
        where, hint = (text and text.replace(str(copy.folder), copy.address) for text in (error.where, error.hint))
        raise UserError(error.message, where=where, hint=hint) from error
    finally:
        del _open[copy.folder]


def shipping(folder: Path) -> WorkingCopy | None:
    """The copy that a folder is, where it is one at work."""
    return _open.get(folder)


def shown(text: str) -> str:
    """A text with addresses in place of the copies at work."""
    for folder, copy in _open.items():
        text = text.replace(str(folder), copy.address)
    return text
