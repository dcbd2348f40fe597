"""Answers of an endpoint, kept on disk: one JSON file per request, named by its content, safe to delete."""

from __future__ import annotations

from pathlib import Path

from taskloom.core import digest
from taskloom.store.seal import read_hashed, write_hashed

__all__ = ["AnswerCache"]


class AnswerCache:
    """A folder of answers.

    A file holds the digest of its body in the first line, so a file that was cut off or changed is
    noticed and asked for again.

    Args:
        folder: Where to keep them; made when first needed.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def _path(self, url: str, query: str) -> Path:
        name = digest("sparql", url, query).hex()
        return self.folder / name[:2] / f"{name}.json"

    def get(self, url: str, query: str) -> bytes | None:
        """The body of an answer, None where there is none or it is damaged."""
        return read_hashed(self._path(url, query))

    def put(self, url: str, query: str, body: bytes) -> None:
        """Keep an answer. The file appears whole or not at all."""
        path = self._path(url, query)
        path.parent.mkdir(parents=True, exist_ok=True)
        write_hashed(path, body)
