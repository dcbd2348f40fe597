"""Bundles: reading them split by split, proving them to the byte, and opening them as suites."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from hashlib import sha256 as hash_bytes
from pathlib import Path
from typing import Any, ClassVar

from taskloom.core import (
    Finding,
    Opener,
    Progress,
    Row,
    Suite,
    Task,
    UserError,
    open_suite,
    row_hash,
    tasks_hash,
)
from taskloom.core.calls import explained_methods
from taskloom.core.decode import decode_json, decoding, read_bytes
from taskloom.store.disjoint import SplitProof
from taskloom.store.manifest import FILE, Manifest, SplitEntry, chain, facet_type, read_manifest
from taskloom.store.ownership import OLD_CLAIM, sha256
from taskloom.store.remote import is_address, stored
from taskloom.store.rows import PACK_ROWS, from_batch


def is_bundle(path: Path) -> bool:
    """Whether a folder looks like a bundle."""
    return (path / FILE).is_file()


@explained_methods
class Bundle:
    """A suite on disk.

    Example:
        >>> from taskloom import Bundle, open_suite, write_bundle
        >>> _ = write_bundle(open_suite("babi/task-1").take(10), "stories")
        >>> len(list(Bundle("stories").suite().rows("test")))
        10
    """

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)
        self.manifest: Manifest = read_manifest(self.folder)
        if self.manifest.sealed() != self.manifest:
            place = str(self.folder / FILE)
            raise UserError("the manifest was edited after it was written", where=place, hint=self._remake())
        self._proved: set[str] = set()
        self.facets = {name: facet_type(kind) for name, kind in self.manifest.facets.items()}

    def tasks(self) -> dict[str, Task]:
        """The tasks by name.

        Raises:
            UserError: The file is missing, cut, or not the one the manifest speaks of.
        """
        path = self.folder / self.manifest.tasks_file
        try:
            data = read_bytes(path)
            if self.manifest.tasks_sha256 not in ("", hash_bytes(data).hexdigest()):
                raise UserError("the tasks were changed after they were written", where=str(path), hint=self._remake())
            tasks = [
                decode_json(line, where=f"{path}:{number}", type=Task, what="this task")
                for number, line in enumerate(data.split(b"\n"), start=1)
                if line
            ]
        except UserError as error:
            raise UserError(
                f"the tasks cannot be read: {error.message}", where=error.where, hint=self._remake()
            ) from None
        by_name = {task.name: task for task in tasks}
        if tasks_hash(by_name) != self.manifest.tasks_hash:
            raise UserError("the tasks were changed after they were written", where=str(path), hint=self._remake())
        return by_name

    def rows(self, split: str) -> Iterator[Row]:
        """The rows of a split, with one batch in memory at a time."""
        for row, _ in self.hashed_rows(split):
            yield row

    __call__ = rows

    def hashed_rows(self, split: str) -> Iterator[tuple[Row, str]]:
        """The rows of a split with their stored content hashes."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        entry = self.manifest.splits[split]
        path = self.folder / entry.file
        try:
            self._prove(entry, path)
            with pq.ParquetFile(path, pre_buffer=False) as file:  # else all of it stays in memory
                for batch in file.iter_batches(batch_size=PACK_ROWS):
                    yield from from_batch(batch, self.facets)
        except UserError:
            raise
        except (OSError, pa.ArrowException, LookupError, TypeError, ValueError) as error:
            reason = str(error).partition("\n")[0]
            raise UserError(f"the data cannot be read: {reason}", where=str(path), hint=self._remake()) from None

    def _prove(self, entry: SplitEntry, path: Path) -> None:
        """Compare the bytes of a split with their hash, once, before anything is read from them."""
        if entry.file not in self._proved:
            with decoding(path, "the data", hint=self._remake()):
                if sha256(path) != entry.sha256:
                    raise UserError("the data was changed after it was written", where=str(path), hint=self._remake())
            self._proved.add(entry.file)

    def suite(self) -> Suite:
        """The bundle as a suite, to be shown, run or exported like any other."""
        manifest = self.manifest
        suite = Suite(
            name=manifest.suite,
            recipe=manifest.recipe,
            seed=manifest.seed,
            tasks=self.tasks(),
            splits={name: entry.rows for name, entry in manifest.splits.items()},
            draw=self,
            facets=self.facets,
            apart=manifest.apart,
            pool=manifest.pool,
            notes=manifest.notes,
        )
        # The content hash of a manifest covers every row.
        return suite.identified("bundle", manifest.hash)

    def _remake(self) -> str:
        return f"recreate it with: taskloom generate {self.manifest.suite} --seed {self.manifest.seed} -o DIR"


class BundleOpener(Opener):
    """A folder that `taskloom generate` wrote."""

    what: ClassVar[str] = "a bundle"

    def opens(self, path: Path) -> bool:
        return is_bundle(_folder(path))

    def open(self, path: Path, seed: int | None, options: Mapping[str, Any]) -> Suite:
        if options or seed is not None:
            made = Bundle(_folder(path)).manifest
            again = f"taskloom generate {made.suite} … -o FOLDER makes another; --limit asks fewer rows of this one"
            raise UserError(
                f"a bundle is fixed (seed {made.seed}): -T and --seed do not apply", where=str(path), hint=again
            )
        return Bundle(_folder(path)).suite()


class RemoteOpener(Opener):
    """A bundle on object storage."""

    what: ClassVar[str] = "a bundle on object storage"

    def opens(self, path: Path) -> bool:
        return is_address(_address(path))

    def open(self, path: Path, seed: int | None, options: Mapping[str, Any]) -> Suite:
        with stored(_address(path), write=False) as copy:
            if not is_bundle(_folder(copy)):
                raise UserError("no bundle here (no manifest.json)", where=_address(path))
            return open_suite(copy, seed=seed, options=options)


def _address(path: Path) -> str:
    """An address that became a path, and so lost a slash."""
    return str(path).replace(":/", "://", 1)


def _folder(path: Path) -> Path:
    """A bundle's folder, also where its manifest is named."""
    return path.parent if path.name == FILE else path


BUNDLE = BundleOpener()
REMOTE = RemoteOpener()


def check_bundle(folder: Path) -> Iterator[Finding]:
    """Every difference between a bundle and its manifest: files, rows, tasks, splits."""
    try:
        bundle = Bundle(folder)
        bundle.tasks()
    except UserError as error:
        yield _finding(error.where or str(folder), "", error.message, error.hint or "", "unreadable")
        return
    manifest = bundle.manifest
    remake = f"taskloom generate {manifest.suite} --seed {manifest.seed} -o NEW-FOLDER"
    intact = manifest.sealed() == manifest and manifest.render() == read_bytes(folder / FILE)
    if not intact or manifest.content() != manifest.hash:
        yield _finding(str(folder / FILE), "hash", "the manifest was edited after it was written", remake, "manifest")
    yield from _check_folder(bundle)
    proof = SplitProof(manifest.apart)
    total = sum(entry.rows for entry in manifest.splits.values())
    with Progress(f"checking {folder}", total, unit="rows") as progress:
        for split in manifest.splits:
            yield from _check_split(bundle, split, proof, progress, remake)
    overlap = proof.overlap()
    if overlap:
        first, second, what = overlap
        shared = what if isinstance(what, str) else f"input hash {what.hex()}"
        yield _finding(str(folder), "splits", f"{first!r} and {second!r} share {shared}", remake, "overlap")


def _check_folder(bundle: Bundle) -> Iterator[Finding]:
    """The data folder holds what the manifest lists and nothing else."""
    manifest = bundle.manifest
    data = (bundle.folder / manifest.tasks_file).parent
    listed = {Path(file).name for file in (manifest.tasks_file, *(entry.file for entry in manifest.splits.values()))}
    for entry in sorted(data.iterdir()):
        if entry.name not in listed and entry.name != OLD_CLAIM:
            yield _finding(str(entry), "", "the manifest does not list this file", "move it elsewhere", "foreign")


def _check_split(bundle: Bundle, split: str, proof: SplitProof, progress: Progress, remake: str) -> Iterator[Finding]:
    entry = bundle.manifest.splits[split]
    path = bundle.folder / entry.file
    if not path.is_file():
        yield _finding(str(path), "", "the file is missing", remake, "missing")
        return
    if sha256(path) != entry.sha256:
        yield _finding(str(path), "", "its bytes have changed since they were written", remake, "bytes")
    chains: dict[str, Any] = {}
    count = 0
    try:
        for row, stored in bundle.hashed_rows(split):
            if row_hash(row.task, row.instance) != stored:
                key = f"{row.task}/{row.instance.id}"
                yield _finding(str(path), key, "the instance does not match its hash", remake, "instance")
            chains.setdefault(row.task, chain()).update(bytes.fromhex(stored))
            proof.add(split, row)
            count += 1
            progress.advance()
    except UserError as error:
        yield _finding(str(path), "", error.message, remake, "unreadable")
        return
    if count != entry.rows:
        yield _finding(str(path), "", f"{count:,} rows, but {entry.rows:,} were written", remake, "rows")
    if {task: state.hexdigest() for task, state in chains.items()} != entry.tasks:
        yield _finding(str(path), "", "the rows of a task have changed since they were written", remake, "tasks")


def _finding(file: str, key: str, message: str, fix: str, code: str) -> Finding:
    return Finding(file, key, "error", message, fix, code)
