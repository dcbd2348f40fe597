"""Files that verbs write into folders of the user's choosing: only our own are ever replaced.

A folder that something was written to holds a ledger, `.taskloom-files.json`, with the SHA-256 of every file of ours
in it. A file that is not listed, or was changed since, is somebody else's: the verb stops and says so.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from hashlib import sha256 as hash_bytes
from pathlib import Path

import msgspec

from taskloom.core import UserError
from taskloom.core.decode import read_json
from taskloom.store.atomic import disk_errors, half_name, refuse_address, sole_file, sync, write_atomically
from taskloom.store.ours import sha256

LEDGER = ".taskloom-files.json"


class _Ledger(msgspec.Struct, frozen=True):
    """The hashes a file of ours may have: one, or two while it is being replaced.

    `folder` is the name of the folder it was written for: a copy of that folder is somebody's, not ours.
    """

    folder: str = ""
    files: dict[str, tuple[str, ...]] = {}


def _read(folder: Path) -> _Ledger:
    path, name = folder / LEDGER, folder.resolve().name
    found = read_json(path, type=_Ledger) if path.is_file() else None
    return found if found is not None and found.folder == name else _Ledger(name)


def _enter(path: Path, *hashes: str) -> None:
    """Note which hashes a file of ours may have."""
    known = _read(path.parent)
    files = {**known.files, path.name: hashes}
    ledger = _Ledger(known.folder, {name: files[name] for name in sorted(files)})
    write_atomically(path.parent / LEDGER, msgspec.json.format(msgspec.json.encode(ledger), indent=1) + b"\n")


def refuse_foreign(path: Path) -> None:
    """Stop where a file is there that is not ours, before any work is done for it.

    Raises:
        UserError: The ledger of the folder does not list it with the hash it has.
    """
    if not path.exists() and not path.is_symlink():
        return
    listed = _read(path.parent).files.get(path.name, ())
    if path.is_symlink() or not path.is_file() or sha256(path) not in listed:
        raise UserError(
            "this file was not written by Taskloom, or was changed since, so it was left unchanged",
            where=str(path),
            hint="name another folder with -o, or move the file",
        )


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A scratch file that takes the place of a file of ours once it is whole.

    Raises:
        UserError: There is a file of somebody else's.

    Example:
        >>> import tempfile
        >>> page = Path(tempfile.mkdtemp()) / "page.txt"
        >>> with replacing(page) as scratch:
        ...     _ = scratch.write_text("done")
        >>> page.read_text()
        'done'
    """
    refuse_address(path)
    with disk_errors(path):
        path.parent.mkdir(parents=True, exist_ok=True)
    refuse_foreign(path)
    scratch = path.with_name(half_name(path.name))
    with sole_file(path):
        try:
            yield scratch
            sync(scratch)  # a ledger that names a file must not outlive half of it
            new = sha256(scratch)
            refuse_foreign(path)
            # Both hashes are listed while the file changes, so that a killed process leaves a file of ours.
            _enter(path, *dict.fromkeys((*([sha256(path)] if path.exists() else []), new)))
            scratch.replace(path)
            sync(path.parent)
            _enter(path, new)
        finally:
            scratch.unlink(missing_ok=True)


def remove_stale(folder: Path, pattern: str, keep: Collection[str]) -> None:
    """Remove files of an earlier, longer result: those that match, are listed with the hash they have, and not kept."""
    listed = _read(folder).files
    for path in sorted(folder.glob(pattern)):
        hashes = listed.get(path.name, ())
        if path.name not in keep and hashes and not path.is_symlink() and sha256(path) in hashes:
            path.unlink()


def write_ours(path: Path, data: bytes | str) -> None:
    """Write a file as a whole, unless there is one of somebody else's. The same bytes again change nothing.

    Raises:
        UserError: There is a file of somebody else's.
    """
    content = data.encode() if isinstance(data, str) else data
    if path.is_file() and not path.is_symlink() and sha256(path) == hash_bytes(content).hexdigest():
        return
    with replacing(path) as scratch:
        scratch.write_bytes(content)
