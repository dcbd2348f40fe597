"""Writing files so that a killed process or a full disk leaves the old one or the new one, never half.

A half-written file carries a name that certifies itself: a random part and a hash over it and the final
name. Only such names are ever cleared away; a file of the user's that merely looks temporary is not.

Locks are on the folders and files themselves (`flock`), so they leave nothing behind in a user's folder,
hold between processes that share nothing but the disk, and die with their process. They save work; that nothing breaks
without them follows from how files appear: under a fresh name first, and then by a rename or, where there must be one
winner, by `create_exclusively`. What a live writer is at work on is never cleared away.
"""

from __future__ import annotations

import errno
import os
import re
import secrets
import shutil
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from taskloom.core import UserError, digest

_ADDRESS = re.compile(r"[a-z][a-z0-9+.-]+:/")
_HALF = re.compile(r"\.(.+)\.([0-9a-f]{16})([0-9a-f]{16})\.tmp", re.DOTALL)


def _certificate(name: str, nonce: str) -> str:
    return digest("half-written file", name, nonce).hex()[:16]


def half_name(name: str) -> str:
    """A fresh name for the half-written version of a file."""
    nonce = secrets.token_hex(8)
    return f".{name}.{nonce}{_certificate(name, nonce)}.tmp"


def is_half(name: str) -> bool:
    """Whether `half_name` made this name; no other name passes, short of a forgery."""
    found = _HALF.fullmatch(name)
    return found is not None and _certificate(found[1], found[2]) == found[3]


def clear_halves(folder: Path, of: str | None = None) -> None:
    """Remove what killed writers left half-written directly in a folder, and nothing else.

    Args:
        folder: Where to look.
        of: Only halves of the file of this name; all of them where not given.
    """
    for entry in os.scandir(folder):
        ours = is_half(entry.name) and (of is None or _final_name(entry.name) == of)
        if ours and entry.is_file(follow_symlinks=False) and not is_held(Path(entry.path)):
            Path(entry.path).unlink(missing_ok=True)


def _final_name(half: str) -> str:
    found = _HALF.fullmatch(half)
    return found[1] if found else ""


@contextmanager
def disk_errors(path: Path) -> Iterator[None]:
    """Turn what the operating system says about a full or read-only disk into a sentence."""
    try:
        yield
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise UserError(
                "the disk is full; finished work is safe",
                where=str(path),
                hint="free some space, then run the same command again",
            ) from error
        if error.errno in (errno.ENOTDIR, errno.EEXIST, errno.EISDIR):
            file = next((place for place in (path, *path.parents) if place.is_file()), None)
            if file is not None:
                raise UserError(f"the folder is not writable: {file} is a file", where=str(path)) from error
            raise UserError(f"the folder is not writable: {error.strerror}", where=str(path)) from error
        if error.errno is None:
            raise
        raise UserError(f"cannot write here: {error.strerror}", where=str(path)) from error


class FolderInUseError(UserError):
    """Another process is writing to a folder; it may be worth waiting."""


def lock_file(handle: int, *, wait: bool = False) -> bool | None:
    """Lock an open file or folder; False where another process has it, None where the disk knows no locks."""
    try:
        import fcntl
    except ImportError:  # not on Windows
        return None
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except OSError as error:
        return False if error.errno in (errno.EWOULDBLOCK, errno.EACCES) else None
    return True


_held: dict[tuple[int, int], int] = {}
"""What this process has locked, and which of its threads."""


@contextmanager
def hold(path: Path, *, wait: bool = False) -> Iterator[bool]:
    """Keep a file or folder locked for a while; tells whether no other process has it, as far as the disk can tell."""
    handle = os.open(path, os.O_RDONLY)
    try:
        stat = os.fstat(handle)
        known = (stat.st_dev, stat.st_ino)
        if wait and _held.get(known) == threading.get_ident():  # a thread never waits for its own lock
            yield True
            return
        free = lock_file(handle, wait=wait) is not False
        if free:
            _held[known] = threading.get_ident()
        try:
            yield free
        finally:
            if free:
                _held.pop(known, None)
    finally:
        os.close(handle)


def is_held(path: Path) -> bool:
    """Whether a live process is at work on a file or folder; one that cannot be asked about counts as held."""
    try:
        handle = os.open(path, os.O_RDONLY)
    except FileNotFoundError:
        return False
    try:
        return not lock_file(handle)
    finally:
        os.close(handle)


def refuse_address(path: Path) -> None:
    """Refuse `ftp://…` and the like, which as a path would become a folder called `ftp:`.

    Raises:
        UserError: It is an address.
    """
    if _ADDRESS.match(str(path)):
        raise UserError(
            "this is not an address of storage that files can be written to",
            where=str(path).replace(":/", "://", 1),
            hint="name a folder, or an address such as s3://BUCKET/NAME, gs://… or hf://…",
        )


def make_folder(folder: Path) -> None:
    """Make a folder, and those above it, so that they survive a power cut: a name lasts once its own folder is synced.

    Raises:
        UserError: It cannot be made.
    """
    with disk_errors(folder):
        new = [place for place in (folder, *folder.parents) if not place.exists()]
        folder.mkdir(parents=True, exist_ok=True)
        for place in new:
            sync(place.parent)


@contextmanager
def lock_folder(folder: Path) -> Iterator[None]:
    """Keep a folder to this process for a while, and make it if need be; the lock dies with the process.

    Raises:
        FolderInUseError: Another process has it.
    """
    refuse_address(folder)
    make_folder(folder)
    with hold(folder) as free:
        if not free:
            raise FolderInUseError(
                "another process is writing here", where=str(folder), hint="wait for it, or name another folder"
            )
        yield


@contextmanager
def sole_writer(folder: Path, within: Iterable[Path] = ()) -> Iterator[None]:
    """Lock a folder and clear away the half-written files of a process that was killed in it.

    Args:
        folder: What to lock.
        within: Folders below it that the same writer fills; those that exist are cleared too.

    Raises:
        UserError: Another process has it.
    """
    with lock_folder(folder):
        for place in (folder, *within):
            if place.is_dir():
                clear_halves(place)
        yield


def sync(path: Path) -> None:
    """Make a file, or renames inside a folder, survive a power cut."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def sync_all(folder: Path) -> None:
    """Make a folder with everything in it survive a power cut."""
    for path in (*folder.rglob("*"), folder):
        sync(path)


def append_lines(path: Path, data: bytes, *, lasting: bool = False) -> None:
    """Append whole lines to a file that several processes may share.

    A line torn by a killed process must not swallow the first of ours, so ours then start on a line of their own.

    Args:
        path: The file, made if need be.
        data: The lines.
        lasting: Whether they must survive a power cut.
    """
    with disk_errors(path), path.open("ab+") as file:
        lock_file(file.fileno(), wait=True)
        end = file.seek(0, os.SEEK_END)
        if end:
            file.seek(end - 1)
            if file.read() != b"\n":
                data = b"\n" + data
        file.write(data)
        if lasting:
            file.flush()
            os.fsync(file.fileno())
            if not end:
                sync(path.parent)


@contextmanager
def whole_folder(folder: Path) -> Iterator[Path]:
    """A scratch folder that takes the place of a new or empty folder once everything in it is written.

    A killed writer leaves nothing under the final name, so the same command starts anew; what it left beside is known
    by its certified name and cleared by the next.

    Raises:
        UserError: The folder holds something already, or another process writes it.
    """
    new = not folder.exists()
    with lock_folder(folder), disk_errors(folder):
        if any(folder.iterdir()):
            raise UserError("the folder is not empty", where=str(folder), hint="name a new one with -o")
        for entry in os.scandir(folder.resolve().parent):
            ours = is_half(entry.name) and _final_name(entry.name) == folder.resolve().name
            if ours and entry.is_dir(follow_symlinks=False) and not is_held(Path(entry.path)):
                shutil.rmtree(entry.path)
        scratch = folder.resolve().with_name(half_name(folder.resolve().name))
        scratch.mkdir()
        try:
            with hold(scratch):
                yield scratch
            sync_all(scratch)
            scratch.rename(folder)  # over the empty one, so that there always is one
            sync(folder.parent)
        except BaseException:  # an interruption, too, leaves no empty folder behind
            if new and not any(folder.iterdir()):
                folder.rmdir()
            raise
        finally:
            # Its name was made up above, so nothing in it can be anybody else's; after the rename it is gone.
            shutil.rmtree(scratch, ignore_errors=True)


@contextmanager
def sole_file(path: Path) -> Iterator[None]:
    """Keep a file to this process for a while, and clear what a killed writer of the same file left beside it."""
    with disk_errors(path), hold(path.parent, wait=True):
        clear_halves(path.parent, of=path.name)
        yield


def write_page(path: Path, data: bytes) -> None:
    """Write a file that a person asked for: as a whole, and without what a killed writer of the same file left."""
    if path.is_dir():
        raise UserError("this is a folder, not a file", where=str(path), hint="name a file in it")
    with sole_file(path):
        write_atomically(path, data)


@contextmanager
def half_file(path: Path) -> Iterator[Path]:
    """An empty file beside another for its half-written version: held while it is filled, removed at the end."""
    half = path.with_name(half_name(path.name))
    with disk_errors(path):
        try:
            half.touch(exist_ok=False)
            with hold(half):
                yield half
        finally:
            half.unlink(missing_ok=True)


def write_atomically(path: Path, data: bytes, *, lasting: bool = True) -> None:
    """Replace a file as a whole: write beside it, flush to disk, rename over it.

    Args:
        path: The file.
        data: Its new bytes.
        lasting: Whether it must survive a power cut. What proves itself and can be made again need not, and waits for
            no disk.
    """
    with half_file(path) as half:
        _fill(half, data, lasting=lasting)
        half.replace(path)
        if lasting:
            sync(path.parent)


def create_exclusively(path: Path, data: bytes) -> bool:
    """Create a file with all its bytes at once, unless it exists: of several writers exactly one gets True."""
    with half_file(path) as half:
        _fill(half, data, lasting=True)
        try:
            os.link(half, path)
        except FileExistsError:
            return False
        sync(path.parent)
        return True


def _fill(half: Path, data: bytes, *, lasting: bool) -> None:
    with half.open("wb") as file:
        file.write(data)
        if lasting:
            file.flush()
            os.fsync(file.fileno())
