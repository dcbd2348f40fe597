"""Reading bundles: lazily, split by split, batch by batch."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec

from taskloom.core import Row, Suite, Task, UserError
from taskloom.store.manifest import FILE, Manifest, facet_type, read_manifest
from taskloom.store.rows import from_batch
from taskloom.store.write import BATCH_ROWS, tasks_hash

__all__ = ["Bundle", "is_bundle"]

_decode_task = msgspec.json.Decoder(Task).decode


def is_bundle(path: Path) -> bool:
    """Whether a folder looks like a bundle."""
    return (path / FILE).is_file()


class Bundle:
    """A suite on disk.

    Example:
        >>> bundle = Bundle(Path("stories"))
        >>> for task, instance in bundle.suite().rows("test", limit=3):
        ...     print(instance.input)
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.manifest: Manifest = read_manifest(folder)
        self.facets = {name: facet_type(kind) for name, kind in self.manifest.facets.items()}

    def tasks(self) -> dict[str, Task]:
        """The tasks by name.

        Raises:
            UserError: The file is missing, cut, or not the one the manifest speaks of.
        """
        path = self.folder / self.manifest.tasks_file
        try:
            lines = path.read_bytes().split(b"\n")
            tasks = [_decode_task(line) for line in lines if line]
        except (OSError, msgspec.DecodeError) as error:
            raise UserError(f"the tasks cannot be read: {error}", where=str(path), hint=self._remake()) from None
        by_name = {task.name: task for task in tasks}
        if tasks_hash(by_name) != self.manifest.tasks_hash:
            raise UserError("the tasks were changed after they were written", where=str(path), hint=self._remake())
        return by_name

    def rows(self, split: str) -> Iterator[Row]:
        """The rows of a split, a batch in memory at a time."""
        for row, _ in self.hashed_rows(split):
            yield row

    def hashed_rows(self, split: str) -> Iterator[tuple[Row, str]]:
        """The rows of a split with their stored content hashes."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        path = self.folder / self.manifest.splits[split].file
        try:
            with pq.ParquetFile(path) as file:
                for batch in file.iter_batches(batch_size=BATCH_ROWS):
                    yield from from_batch(batch, self.facets)
        except (OSError, pa.ArrowException, KeyError, msgspec.DecodeError) as error:
            reason = str(error).split("\n", 1)[0]
            raise UserError(f"the data cannot be read: {reason}", where=str(path), hint=self._remake()) from None

    def suite(self) -> Suite:
        """The bundle as a suite, to be shown, run or exported like any other."""
        manifest = self.manifest
        return Suite(
            name=manifest.suite,
            recipe=manifest.recipe,
            seed=manifest.seed,
            tasks=self.tasks(),
            splits={name: entry.rows for name, entry in manifest.splits.items()},
            draw=self.rows,
            facets=self.facets,
            apart=manifest.apart,
            pool=manifest.pool,
            notes=manifest.notes,
        )

    def _remake(self) -> str:
        return f"make it again with: taskloom generate {self.manifest.suite} --seed {self.manifest.seed} -o DIR"
