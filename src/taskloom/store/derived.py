"""What can be made again, kept in the cache folder under everything that decides it."""

from __future__ import annotations

import logging
import sys
import warnings
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache
from hashlib import blake2b
from itertools import accumulate
from pathlib import Path
from typing import Any

import msgspec

from taskloom.core import UserError
from taskloom.core.folders import cache_folder
from taskloom.core.rng import Key, digest
from taskloom.store.seal import read_hashed, write_hashed

_log = logging.getLogger(__name__)
PACKAGE = Path(__file__).parents[1]
_UNREAD = (".md", ".pyc")
"""Notices and compiled files decide nothing."""


class DerivedCache:
    """Results of long work, one file each.

    A file holds a digest, its whole name, and the body. One that was cut, changed, or put there under another name is
    no result of ours: it counts as absent, and the work is done again. A folder that cannot be written to costs time
    and nothing else.

    Args:
        kind: The folder below the cache folder.
        *identity: What decides all that stands here besides its key: versions, code, data.
    """

    def __init__(self, kind: str, *identity: Key) -> None:
        self._name = digest(kind, *identity)
        self.folder = cache_folder(kind, self._name.hex()[:16])

    def _place(self, key: tuple[Key, ...]) -> tuple[Path, bytes]:
        name = digest(self._name, *key).hex()
        return self.folder / name[:2] / name[2:], name.encode() + b"\n"

    def get(self, type_: Any, *key: Key) -> Any:
        """What was put there, as a value of that type; None where there is nothing to trust."""
        path, name = self._place(key)
        try:
            body = read_hashed(path)
            if body is None or not body.startswith(name):
                return None
            return msgspec.msgpack.decode(zlib.decompress(body[len(name) :]), type=type_)
        except (UserError, msgspec.MsgspecError, zlib.error) as error:
            _log.warning("%s cannot be read and will be rebuilt: %s", path, error)
            return None

    def put(self, value: Any, *key: Key) -> None:
        """Keep a result. The file appears whole or not at all."""
        path, name = self._place(key)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            write_hashed(path, name + zlib.compress(msgspec.msgpack.encode(value), 1), lasting=False)
        except (OSError, UserError) as error:
            _log.warning("nothing can be cached in %s, so it is computed every time: %s", self.folder, error)


@lru_cache(maxsize=8)
def code_hash(*parts: str) -> str:
    """A hash over the source and data files of some parts of Taskloom, and over what reads them.

    Kept results of these parts are keyed by this hash, so that no result outlives the code that made it.

    Args:
        *parts: Folders or files below the package: `core`, `sources/lexicon`.
    """
    return _files_hash(f"{sys.version_info[:2]} {sys.byteorder}", parts)


def _files_hash(first: str, parts: tuple[str, ...]) -> str:
    state = blake2b(first.encode(), digest_size=16)
    for part in parts:
        root = PACKAGE / part
        found = [root] if root.is_file() else [path for path in sorted(root.rglob("*")) if path.is_file()]
        if not found:
            raise FileNotFoundError(root)
        for path in found:
            if path.suffix not in _UNREAD:
                state.update(f"{path.relative_to(PACKAGE).as_posix()}\0".encode())
                state.update(blake2b(path.read_bytes()).digest())
    return state.hexdigest()


_WIDTH = 4  # bytes that say how long the index is
_LONGEST_HEAD = 200


class Packed:
    """A file of values by key, each compressed by itself. Only its index is read, and then each value asked for.

    Args:
        path: The file, as `write_packed` wrote it.

    Attributes:
        head: Its first line: what it holds, and in which form.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        with path.open("rb") as file:
            self.head = file.readline(_LONGEST_HEAD).decode("ascii", "replace").removesuffix("\n")
            if not self.head.startswith("taskloom-"):
                raise ValueError(f"{path} holds no values of Taskloom's")
            size = int.from_bytes(file.read(_WIDTH), "big")
            self._index = msgspec.msgpack.decode(file.read(size), type=dict[bytes, tuple[int, int]])
            self._start = file.tell()

    def __len__(self) -> int:
        return len(self._index)

    def entries(self) -> dict[bytes, bytes]:
        """Every entry as it was written, to be taken over."""
        data = self._path.read_bytes()[self._start :]
        return {name: data[start : start + size] for name, (start, size) in self._index.items()}

    def body(self, *key: Key) -> bytes | None:
        """The value of a key as it was written; None where there is none."""
        place = self._index.get(digest(*key))
        if place is None:
            return None
        with self._path.open("rb") as file:
            file.seek(self._start + place[0])
            return zlib.decompress(file.read(place[1]))

    def get(self, type_: Any, *key: Key) -> Any:
        """The value of a key, as a value of that type; None where there is none."""
        body = self.body(*key)
        return None if body is None else msgspec.msgpack.decode(body, type=type_)


def write_packed(
    path: Path, head: str, values: Mapping[tuple[Key, ...], Any], kept: Mapping[bytes, bytes] | None = None
) -> None:
    """Write values by key; the same bytes for the same values.

    Args:
        path: The file.
        head: Its first line.
        values: The values.
        kept: Entries of an older file to take over where there is no new value.
    """
    packed = {digest(*key): zlib.compress(msgspec.msgpack.encode(value), 9) for key, value in values.items()}
    bodies = dict(sorted({**(kept or {}), **packed}.items()))
    starts = accumulate((len(body) for body in bodies.values()), initial=0)
    index = {name: (start, len(body)) for (name, body), start in zip(bodies.items(), starts, strict=False)}
    line, listed = f"{head}\n".encode("ascii"), msgspec.msgpack.encode(index)
    path.write_bytes(b"".join([line, len(listed).to_bytes(_WIDTH, "big"), listed, *bodies.values()]))


PRIMER = Path(__file__).with_name("primer.bin")
_MADE_BY = (
    "algebra", "core/rng.py", "families/taskbench", "sources/knowledge", "sources/lexicon", "sources/names.py",
    "sources/names.toml",
)  # fmt: skip
_used = [True]


@lru_cache(maxsize=1)
def made_by() -> str:
    """The first line of a primer made by this code: a hash over the code and data that decide what it holds.

    It is the same under every Python.
    """
    return f"taskloom-primer-3 {_files_hash('primer', _MADE_BY)}"


@lru_cache(maxsize=1)
def open_primer() -> Packed | None:
    """The primer that is shipped, unless it is damaged or other code made it."""
    try:
        primer = Packed(PRIMER)
    except (OSError, ValueError, msgspec.MsgspecError) as error:
        _log.warning("the primer of this installation cannot be read, so first looks take longer: %s", error)
        return None
    if primer.head == made_by():
        return primer
    warnings.warn(
        f"{PRIMER.name} was made by other code than is installed and is not used, so first looks take longer; "
        "python scripts/build_primer.py makes it again",
        StalePrimerWarning,
        stacklevel=3,
    )
    return None


class StalePrimerWarning(UserWarning):
    """What is shipped was worked out by other code, so it is worked out again."""


def shipped(type_: Any, *key: Key) -> Any:
    """What is shipped under a key, as a value of that type; None where nothing is, or inside `not_shipped`."""
    primer = open_primer() if _used[-1] else None
    try:
        return None if primer is None else primer.get(type_, *key)
    except (OSError, msgspec.MsgspecError, zlib.error) as error:
        _log.warning("%s is damaged, so what it held is worked out again: %s", PRIMER, error)
        return None


@contextmanager
def not_shipped() -> Iterator[None]:
    """Inside, nothing is shipped: everything is worked out, as tests and the builder of the primer need it."""
    _used.append(False)
    try:
        yield
    finally:
        _used.pop()
