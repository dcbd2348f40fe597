"""What in a folder is ours: the only files and folders that a writer may replace or remove.

The data of a bundle lies in a folder whose name certifies its files: their names and hashes give its last sixteen
digits. A folder that a verb wrote files to holds a ledger, `.taskloom-files.json`, with the SHA-256 of every file of
ours in it. What neither certifies was written or changed by others and stays.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from hashlib import file_digest
from hashlib import sha256 as hash_bytes
from pathlib import Path

import msgspec

from taskloom.core import UserError, content_hash
from taskloom.core.decode import read_json
from taskloom.store.atomic import (
    half_name,
    is_half,
    is_held,
    make_folder,
    refuse_address,
    sole_file,
    sync,
    write_atomically,
)

_DATA = re.compile(r"data-[0-9a-f]{12}-([0-9a-f]{16})(-\d+)?")
OLD_CLAIM = ".files.json"
"""What older versions put into folders of data."""
LEDGER = ".taskloom-files.json"


def sha256(path: Path) -> str:
    """The hash of a file's bytes."""
    with path.open("rb") as file:
        return file_digest(file, "sha256").hexdigest()


def data_name(content: str, files: Mapping[str, str]) -> str:
    """The name of the folder with these files (SHA-256 by name) of a bundle with this content hash."""
    return f"data-{content[:12]}-{content_hash(dict(sorted(files.items())))[:16]}"


def is_data_name(folder: Path) -> bool:
    """Whether a folder is called like the data of a bundle."""
    return _DATA.fullmatch(folder.name) is not None and folder.is_dir() and not folder.is_symlink()


def is_certified(folder: Path) -> bool:
    """Whether a folder holds the data that its name certifies, and nothing else."""
    found = _DATA.fullmatch(folder.name)
    if found is None or not is_data_name(folder):
        return False
    entries = list(folder.iterdir())
    if not all(entry.is_file() and not entry.is_symlink() for entry in entries):
        return False
    return data_name("", {entry.name: sha256(entry) for entry in entries}).endswith(found[1])


def remove_scratch(folder: Path) -> None:
    """Remove a folder of half-written files: its certified name was made up by us, and so is all that is in it."""
    if is_half(folder.name) and folder.is_dir() and not folder.is_symlink():
        shutil.rmtree(folder, ignore_errors=True)


def remove_data(folder: Path) -> None:
    """Remove a folder of data that its name certifies, at once: a process killed meanwhile leaves a scratch folder."""
    if is_certified(folder) and not is_held(folder):
        scratch = folder.with_name(half_name(folder.name))
        folder.rename(scratch)
        sync(folder.parent)  # what loses files must not keep a name that certifies them
        remove_scratch(scratch)


def remove_listed(folder: Path, files: Mapping[str, str]) -> None:
    """Remove the files of a folder that have the listed hash, then the folder if nothing else is in it."""
    for name, expected in files.items():
        path = folder / name
        if path.parent == folder and path.is_file() and not path.is_symlink() and sha256(path) == expected:
            path.unlink()
    if not any(folder.iterdir()):
        folder.rmdir()


def refuse_foreign_file(path: Path, mark: bytes) -> None:
    """Refuse to write over a file that we did not write: ours carry a mark within their first bytes.

    Raises:
        UserError: There is a file without the mark.
    """
    if not path.is_file():
        return
    with path.open("rb") as file:
        if mark not in file.read(4_096):
            raise UserError(
                "this file was not written by Taskloom, so it was left unchanged",
                where=str(path),
                hint="name another file, or move this one",
            )


class _Ledger(msgspec.Struct, frozen=True):
    """The hashes a file of ours may have: one, or two while it is being replaced.

    `folder` is the name of the folder it was written for: a copy of that folder belongs to the user, not to us.
    """

    folder: str = ""
    files: dict[str, tuple[str, ...]] = {}


def _read(folder: Path) -> _Ledger:
    path, name = folder / LEDGER, folder.resolve().name
    found = read_json(path, type=_Ledger) if path.is_file() else None
    return found if found is not None and found.folder == name else _Ledger(name)


def enter_work(path: Path, *hashes: str) -> None:
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
            hint="name another folder, or move the file",
        )


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A scratch file that takes the place of a file of ours once it is whole.

    Raises:
        UserError: There is a file that Taskloom did not write.

    Example:
        >>> import tempfile
        >>> page = Path(tempfile.mkdtemp()) / "page.txt"
        >>> with replacing(page) as scratch:
        ...     _ = scratch.write_text("done")
        >>> page.read_text()
        'done'
    """
    refuse_address(path)
    make_folder(path.parent)
    refuse_foreign(path)
    scratch = path.with_name(half_name(path.name))
    with sole_file(path):
        try:
            yield scratch
            sync(scratch)  # a ledger that names a file must not outlive half of it
            new = sha256(scratch)
            refuse_foreign(path)
            # Both hashes are listed while the file changes, so that a killed process leaves a file of ours.
            enter_work(path, *dict.fromkeys((*([sha256(path)] if path.exists() else []), new)))
            scratch.replace(path)
            sync(path.parent)
            enter_work(path, new)
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
    """Write a file as a whole, unless there is one that Taskloom did not write. The same bytes again change nothing.

    Raises:
        UserError: There is a file that Taskloom did not write.
    """
    content = data.encode() if isinstance(data, str) else data
    if path.is_file() and not path.is_symlink() and sha256(path) == hash_bytes(content).hexdigest():
        return
    with replacing(path) as scratch:
        scratch.write_bytes(content)
