"""What can be made again, kept in the cache folder under everything that decides it."""

from __future__ import annotations

import logging
import sys
import zlib
from functools import lru_cache
from hashlib import blake2b
from pathlib import Path
from typing import Any

import msgspec

from taskloom.core import UserError, digest
from taskloom.core.folders import cache_folder
from taskloom.core.rng import Key
from taskloom.store.seal import read_hashed, write_hashed

_log = logging.getLogger(__name__)
_PACKAGE = Path(__file__).parents[1]


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

    Whoever keeps what these parts worked out keys it by this, so that no result outlives the code that made it.

    Args:
        *parts: Folders or files below the package: `core`, `sources/lexicon`.
    """
    state = blake2b(f"{sys.version_info[:2]} {sys.byteorder}".encode(), digest_size=16)
    for part in parts:
        root = _PACKAGE / part
        found = [root] if root.is_file() else [path for path in sorted(root.rglob("*")) if path.is_file()]
        if not found:
            raise FileNotFoundError(root)
        for path in found:
            if path.suffix != ".pyc":
                state.update(f"{path.relative_to(_PACKAGE).as_posix()}\0".encode())
                state.update(blake2b(path.read_bytes()).digest())
    return state.hexdigest()
