"""Files whose every byte is proved before it is used: a hash for each piece, checked when the piece is first read."""

from __future__ import annotations

import os
from collections.abc import Sequence
from hashlib import blake2b
from pathlib import Path

from taskloom.core import UserError

PIECE = 256 * 1024
"""Bytes to a hash. A row group of a bundle has about as many, so little is read that is not used."""


def _digest(data: bytes) -> str:
    return blake2b(data, digest_size=16).hexdigest()


def piece_hashes(path: Path) -> list[str]:
    """The hash of each piece of a file, in order."""
    with path.open("rb") as file:
        return [_digest(piece) for piece in iter(lambda: file.read(PIECE), b"")]


class VerifiedFile:
    """A binary file for reading, as `pyarrow` wants one, that gives out no byte it has not proved.

    Args:
        path: The file.
        hashes: The hash of each of its pieces, as `piece_hashes` made them.
        hint: What to do where they do not fit.

    Raises:
        UserError: On opening, where the size does not fit; on reading, where a piece does not.
    """

    def __init__(self, path: Path, hashes: Sequence[str], hint: str) -> None:
        self._path, self._hashes, self._hint = path, hashes, hint
        try:
            self._file = path.open("rb")
        except OSError as error:
            raise UserError(f"the data cannot be read: {error.strerror}", where=str(path), hint=hint) from None
        self._size = os.fstat(self._file.fileno()).st_size
        self._at = 0
        self._held: tuple[int | None, bytes] = (None, b"")
        self.closed = False
        if -(-self._size // PIECE) != len(hashes):
            self.close()
            raise self._changed()

    def _changed(self) -> UserError:
        return UserError("the data was changed after it was written", where=str(self._path), hint=self._hint)

    def _piece(self, number: int) -> bytes:
        if self._held[0] != number:
            self._file.seek(number * PIECE)
            data = self._file.read(PIECE)
            if _digest(data) != self._hashes[number]:
                raise self._changed()
            self._held = (number, data)
        return self._held[1]

    def read(self, size: int | None = None) -> bytes:
        """Bytes from where the file stands."""
        end = self._size if size is None or size < 0 else min(self._size, self._at + size)
        parts = []
        while self._at < end:
            number, start = divmod(self._at, PIECE)
            part = self._piece(number)[start : start + end - self._at]
            parts.append(part)
            self._at += len(part)
        return b"".join(parts)

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        """Move to a place, counted from the start, from here or from the end."""
        base = {os.SEEK_SET: 0, os.SEEK_CUR: self._at, os.SEEK_END: self._size}[whence]
        self._at = max(0, base + offset)
        return self._at

    def tell(self) -> int:
        """Where the file stands."""
        return self._at

    def readable(self) -> bool:
        """It can be read."""
        return True

    def seekable(self) -> bool:
        """Any place can be reached."""
        return True

    def writable(self) -> bool:
        """It cannot be written."""
        return False

    def flush(self) -> None:
        """There is nothing to flush."""

    def close(self) -> None:
        """Let go of the file."""
        self.closed = True
        self._file.close()
