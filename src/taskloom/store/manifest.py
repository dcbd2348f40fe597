"""The manifest of a bundle: what it holds, what made it, and the hashes that prove it."""

from __future__ import annotations

from hashlib import blake2b
from pathlib import Path
from typing import Any, Literal

import msgspec

from taskloom.core import Apart, FacetType, UserError, content_hash
from taskloom.core.calls import Explained
from taskloom.core.decode import read_json

FORMAT = 1
FILE = "manifest.json"

FacetName = Literal["str", "int", "float", "bool", "list"]
FACET_NAMES: dict[FacetType, FacetName] = {str: "str", int: "int", float: "float", bool: "bool", tuple: "list"}


def facet_type(name: FacetName) -> FacetType:
    """The Python type behind the name of a facet's type in a manifest."""
    return next(kind for kind, known in FACET_NAMES.items() if known == name)


class SplitEntry(Explained, msgspec.Struct, frozen=True):
    """One split: its file, how many rows, the hash of the file's bytes and those of the rows' content by task.

    `pieces` are hashes of pieces of the file, which older versions wrote as well.
    """

    file: str
    rows: int
    sha256: str
    tasks: dict[str, str]
    pieces: list[str] = []


class Manifest(Explained, msgspec.Struct, frozen=True, forbid_unknown_fields=False):
    """What `manifest.json` holds.

    `hash` is that of the content, independent of the version and the file layout; `seal` covers every
    other byte of the manifest.
    """

    format: int
    suite: str
    seed: int
    recipe: dict[str, Any]
    taskloom: str
    apart: Apart
    pool: str | None
    facets: dict[str, FacetName]
    tasks_file: str
    tasks_hash: str
    splits: dict[str, SplitEntry]
    notes: dict[str, Any] = {}
    tasks_sha256: str = ""
    hash: str = ""
    seal: str = ""

    def sealed(self) -> Manifest:
        """The manifest with its seal."""
        return msgspec.structs.replace(self, seal=content_hash(msgspec.structs.replace(self, seal="")))

    def render(self) -> bytes:
        """The bytes of `manifest.json`."""
        return msgspec.json.format(msgspec.json.encode(self), indent=2) + b"\n"

    def content(self) -> str:
        """The hash of the content: recipe, seed, tasks and every instance, independent of the file layout."""
        rows = {name: (entry.rows, entry.tasks) for name, entry in self.splits.items()}
        return content_hash((self.suite, self.seed, self.recipe, self.apart, self.facets, self.tasks_hash, rows))


def read_manifest(folder: Path) -> Manifest:
    """Read and check the manifest of a bundle.

    Raises:
        UserError: No bundle here, a cut or edited manifest, or one written by a newer version.
    """
    path = folder / FILE
    if not path.is_file():
        raise UserError("no bundle here (no manifest.json)", where=str(folder), hint="taskloom generate SUITE -o DIR")
    remake = "recreate it with: taskloom generate SUITE --seed N -o DIR"
    try:
        data = read_json(path)
    except UserError as error:
        raise UserError(
            f"the manifest is truncated or damaged: {error.message}", where=str(path), hint=remake
        ) from None
    version = data.get("format") if isinstance(data, dict) else None
    if isinstance(version, int) and version > FORMAT:
        raise UserError(
            f"written in format {version} by Taskloom {data.get('taskloom', '?')}; this one reads up to {FORMAT}",
            where=str(path),
            hint="pip install --upgrade taskloom",
        )
    try:
        manifest = msgspec.convert(data, Manifest)
    except msgspec.ValidationError as error:
        raise UserError(f"not a manifest: {error}", where=str(path), hint=remake) from None
    files = {f"split {name!r}": entry.file for name, entry in manifest.splits.items()}
    for what, file in {**files, "tasks_file": manifest.tasks_file}.items():
        if not _inside(folder, file):
            raise UserError(f"{what} points outside the bundle", where=str(path))
    return manifest


def _inside(folder: Path, file: str) -> bool:
    """Whether a path of a manifest stays inside the bundle, links followed."""
    if not file or "\0" in file or Path(file).is_absolute() or ".." in Path(file).parts:
        return False
    try:
        return (folder / file).resolve().is_relative_to(folder.resolve())
    except (OSError, RuntimeError):
        return False


def chain() -> blake2b:
    """A running hash over the content hashes of instances."""
    return blake2b(digest_size=16)
