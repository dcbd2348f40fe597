"""A disk that may lose power: every sync, rename, link and removal below a folder is seen, with what a cut would leave.

A file's bytes are on disk once it was synced, a name (new, renamed or removed) once its folder was. Until then a cut
may keep the old or the new of either, and of a file's bytes any prefix, where pages that never arrived hold zeros or
what was there before: stretches of other files, or of the same one.
"""

from __future__ import annotations

import os
import random
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, NamedTuple
from unittest import mock

import msgspec

from taskloom.core import digest

_PAGE = 512
_SEEN = ("fsync", "write", "replace", "rename", "link", "unlink", "ftruncate", "truncate", "mkdir", "rmdir")


class Image(NamedTuple):
    """What a power cut leaves: files by name, folders (which end in a slash), and what had been called safe by then."""

    files: tuple[tuple[str, bytes], ...]
    safe: frozenset[Any]

    def digest(self) -> str:
        """What tells it from others, in every process."""
        return digest(msgspec.msgpack.encode((self.files, sorted(map(str, self.safe))))).hex()

    def restore(self, root: Path) -> None:
        """Put it into an empty folder."""
        for name, data in self.files:
            path = root / name
            (path if name.endswith("/") else path.parent).mkdir(parents=True, exist_ok=True)
            if not name.endswith("/"):
                path.write_bytes(data)


class Disk:
    """A folder whose changes are followed.

    Files and folders are known by their inodes, which stay open, so that none of their numbers is given out again.

    Attributes:
        safe: What the work under way was told to be on disk.
        images: What cuts so far would leave.
    """

    def __init__(self, root: Path, rng: random.Random) -> None:
        self.root, self._rng = root, rng
        self._open: dict[int, int] = {}
        self._folders: set[int] = set()
        self._names: dict[int, dict[str, int]] = {}
        self._data: dict[int, bytes] = {}
        self.safe: set[Any] = set()
        self.images: list[Image] = []
        self._top = self._know(root)
        for folder, _, files in os.walk(root):  # what is there before the work begins has been there for long
            for path in (folder, *(os.path.join(folder, name) for name in files)):  # noqa: PTH118 -- names as they are
                self.synced(self._open[self._know(Path(path))])

    def close(self) -> None:
        """Let go of all files."""
        for handle in self._open.values():
            os.close(handle)

    def _know(self, path: Path) -> int:
        stat = path.lstat()
        if stat.st_ino not in self._open:
            self._open[stat.st_ino] = os.open(path, os.O_RDONLY)
            if path.is_dir():
                self._folders.add(stat.st_ino)
        return stat.st_ino

    def _entries(self, folder: int) -> dict[str, int]:
        try:
            with os.scandir(self._open[folder]) as found:
                return {entry.name: entry.inode() for entry in found}
        except FileNotFoundError:  # removed meanwhile
            return {}

    def _bytes_now(self, file: int) -> bytes:
        handle = self._open[file]
        return os.pread(handle, os.fstat(handle).st_size, 0)

    def synced(self, handle: int) -> None:
        """Note a sync of a file or a folder."""
        inode = os.fstat(handle).st_ino
        if inode in self._folders:
            self._names[inode] = self._entries(inode)
        elif inode in self._open:
            self._data[inode] = self._bytes_now(inode)

    def cut(self) -> None:
        """Keep one image that a cut at this moment may leave."""
        for folder, below, files in os.walk(self.root):
            for name in (*below, *files):
                self._know(Path(folder, name))
        files: list[tuple[str, bytes]] = []
        self._folder(self._top, "", files)
        self.images.append(Image(tuple(files), frozenset(self.safe)))

    def _folder(self, folder: int, prefix: str, files: list[tuple[str, bytes]]) -> None:
        now, lasting = self._entries(folder), self._names.get(folder, {})
        for name in sorted(now.keys() | lasting.keys()):
            inode, kept = now.get(name, -1), lasting.get(name, -1)
            chosen = inode if inode == kept else self._rng.choice((inode, kept))
            if chosen in self._folders:
                files.append((f"{prefix}{name}/", b""))
                self._folder(chosen, f"{prefix}{name}/", files)
            elif chosen != -1:
                files.append((prefix + name, self._torn(self._bytes_now(chosen), self._data.get(chosen))))

    def _torn(self, now: bytes, lasting: bytes | None) -> bytes:
        """The bytes of a file after a cut: what was synced, and any part of what came since."""
        if lasting == now:
            return now
        safe = lasting if lasting is not None and now.startswith(lasting) else b""
        if lasting is not None and not now.startswith(lasting) and self._rng.random() < 0.5:
            return lasting
        pages = bytearray(now[: self._rng.randint(len(safe), len(now))])
        for start in range(len(safe), len(pages), _PAGE):
            if self._rng.random() < 0.3:
                size = len(pages[start : start + _PAGE])
                stale = self._rng.choice([bytes(size), now, *self._data.values()])
                at = self._rng.randrange(0, max(1, len(stale) - size), _PAGE) + start % _PAGE
                pages[start : start + _PAGE] = stale[at : at + size].ljust(size, b"\0")
        return bytes(pages)


@contextmanager
def recording(disk: Disk) -> Iterator[None]:
    """See every call that matters for what a cut leaves, and cut before and after each."""
    real = {name: getattr(os, name) for name in _SEEN}

    def around(name: str) -> Callable[..., Any]:
        def call(*given: Any, **more: Any) -> Any:
            disk.cut()
            result = real[name](*given, **more)
            if name == "fsync":
                disk.synced(given[0])
            disk.cut()
            return result

        return call

    with ExitStack() as stack:
        for name in real:
            stack.enter_context(mock.patch.object(os, name, around(name)))
        yield
