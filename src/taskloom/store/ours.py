"""What is ours in a folder, by full name and hash: the only things a writer may remove or replace.

A folder of data carries a claim, `.files.json`: while it is being written the names that the writer is going
to use, afterwards the hash of each file. Whatever a claim or a manifest does not list, or lists with another
hash, is somebody else's and stays.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from hashlib import file_digest
from pathlib import Path

import msgspec

from taskloom.core import UserError
from taskloom.core.decode import read_json
from taskloom.store.atomic import half_name, is_half, write_atomically

CLAIM = ".files.json"
_DATA = re.compile(r"data-[0-9a-f]{12}-[0-9a-f]{8}(-\d+)?")


class FileClaim(msgspec.Struct, frozen=True):
    """The files of one folder. A hash is None while the file may still be half-written.

    Attributes:
        folder: The name of the folder when the claim was written; a copy elsewhere claims nothing.
        files: SHA-256 by name.
    """

    folder: str
    files: dict[str, str | None]

    def write(self, folder: Path) -> None:
        """Put the claim into a folder."""
        write_atomically(folder / CLAIM, msgspec.json.encode(self) + b"\n")


def sha256(path: Path) -> str:
    """The hash of a file's bytes."""
    with path.open("rb") as file:
        return file_digest(file, "sha256").hexdigest()


def read_claim(folder: Path) -> FileClaim | None:
    """The claim of a folder, None where there is none that can be relied on."""
    try:
        return read_json(folder / CLAIM, type=FileClaim)
    except UserError:
        return None


def make_scratch(folder: Path, final: str, files: list[str]) -> Path:
    """A fresh folder for half-written files, claimed before anything else is in it."""
    scratch = folder / half_name(final)
    scratch.mkdir()
    FileClaim(scratch.name, dict.fromkeys(files)).write(scratch)
    return scratch


def is_data_folder(folder: Path) -> bool:
    """Whether a folder is one of a bundle's: by its name and by the claim in it, or by its name and nothing in it.

    An empty one is left by a writer killed after it had removed the claim and before it removed the folder.
    """
    if not _DATA.fullmatch(folder.name) or folder.is_symlink() or not folder.is_dir():
        return False
    return read_claim(folder) is not None or not any(folder.iterdir())


def holds_files(folder: Path, files: Mapping[str, str | None]) -> bool:
    """Whether a folder of data claims these files with these hashes, and they still have them."""
    claim = read_claim(folder) if is_data_folder(folder) else None
    if claim is None or claim != FileClaim(folder.name, dict(files)):
        return False
    return all((folder / name).is_file() and sha256(folder / name) == expected for name, expected in files.items())


def remove_claimed(folder: Path) -> None:
    """Remove the files a folder claims, then the folder if nothing else is in it.

    A scratch folder is known by its certified name, so its files may go half-written; of any other folder
    only files with the claimed hash go.
    """
    if folder.is_symlink() or not folder.is_dir():
        return
    claim = read_claim(folder)
    scratch = is_half(folder.name)
    if claim is None:
        if scratch or is_data_folder(folder):
            _remove_if_empty(folder)  # killed before the folder was claimed, or after its claim was removed
        return
    # A finished scratch folder claims the name that it is about to get.
    if claim.folder != folder.name and not (scratch and _DATA.fullmatch(claim.folder)):
        return
    if remove_listed(folder, claim.files, unfinished=scratch):
        (folder / CLAIM).unlink()
    _remove_if_empty(folder)


def remove_listed(folder: Path, files: Mapping[str, str | None], *, unfinished: bool = False) -> bool:
    """Remove listed files whose hash is the listed one; with `unfinished` also those listed without a hash.

    Returns:
        Whether nothing but the claim, or half of a new one, is left.
    """
    for name, expected in files.items():
        path = folder / name
        if path.parent != folder or path.is_symlink() or not path.is_file():
            continue
        if (expected is None and unfinished) or (expected is not None and sha256(path) == expected):
            path.unlink()
    return all(entry.name == CLAIM or is_half(entry.name) for entry in folder.iterdir())


def _remove_if_empty(folder: Path) -> None:
    left = [entry for entry in folder.iterdir() if not is_half(entry.name)]
    if left:
        return
    for half in folder.iterdir():
        half.unlink()  # half of a claim
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
                hint="name another file with -o",
            )
