"""Writing files so that a killed process or a full disk leaves the old one or the new one, never half."""

from __future__ import annotations

import errno
import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from taskloom.core import UserError

__all__ = ["disk_errors", "sole_writer", "sync_folder", "write_atomically"]


@contextmanager
def disk_errors(path: Path) -> Iterator[None]:
    """Turn what the operating system says about a full or read-only disk into a sentence."""
    try:
        yield
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise UserError(
                "the disk is full; nothing that was finished is lost",
                where=str(path),
                hint="make room, then give the same command again",
            ) from error
        if error.errno in (errno.ENOTDIR, errno.EEXIST, errno.EISDIR):
            raise UserError(f"not a folder one can write to: {error.strerror}", where=str(path)) from error
        if error.errno is None:
            raise
        raise UserError(f"cannot write here: {error.strerror}", where=str(path)) from error


@contextmanager
def sole_writer(folder: Path) -> Iterator[None]:
    """Keep a folder to this process for a while, and clear away the half files of one that was killed in it.

    Raises:
        UserError: Another process has it.
    """
    with disk_errors(folder):
        folder.mkdir(parents=True, exist_ok=True)
        handle = os.open(folder, os.O_RDONLY)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise UserError(
                "another process is writing here", where=str(folder), hint="wait for it, or name another folder"
            ) from None
        for half in folder.rglob(".*.tmp"):
            half.unlink()
        yield
    finally:
        os.close(handle)


def sync_folder(folder: Path) -> None:
    """Make renames inside a folder survive a power cut."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def write_atomically(path: Path, data: bytes) -> None:
    """Replace a file as a whole: write beside it, flush to disk, rename over it."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    with disk_errors(path):
        try:
            with temporary.open("wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            temporary.replace(path)
        finally:
            temporary.unlink(missing_ok=True)
        sync_folder(path.parent)
