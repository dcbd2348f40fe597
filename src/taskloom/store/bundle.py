"""Reading bundles: lazily, split by split, batch by batch."""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha256 as hash_bytes
from pathlib import Path

import msgspec

from taskloom.core import Row, Suite, Task, UserError, tasks_hash
from taskloom.core.decode import decode_json, decoding, read_bytes
from taskloom.store.manifest import FILE, Manifest, SplitEntry, facet_type, read_manifest
from taskloom.store.ownership import sha256
from taskloom.store.rows import PACK_ROWS, from_batch

_decode_task = msgspec.json.Decoder(Task).decode


def is_bundle(path: Path) -> bool:
    """Whether a folder looks like a bundle."""
    return (path / FILE).is_file()


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
            with pq.ParquetFile(path) as file:
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
