"""Opening what `taskloom export hf` wrote, so that a data set comes back as the suite it was."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, ClassVar

from taskloom.core import Opener, Row, Suite, Task, UserError, tasks_hash
from taskloom.core.decode import decoding, open_parquet, read_json, read_jsonl
from taskloom.hosts.hf import FORMAT, NOTES, HFManifest
from taskloom.hosts.table import row_of
from taskloom.store.columns import facet_columns
from taskloom.store.manifest import facet_type

_BATCH = 1_000


class HFOpener(Opener):
    """A folder that `taskloom export hf` wrote."""

    what: ClassVar[str] = "an exported data set"

    def opens(self, path: Path) -> bool:
        return (path / NOTES / "suite.json").is_file() and (path / "data").is_dir()

    def open(self, path: Path, seed: int | None, options: Mapping[str, Any]) -> Suite:
        if options or seed is not None:
            raise UserError("a data set is fixed: -T and --seed do not apply", where=str(path))
        return read_hf(path)


def read_hf(folder: Path) -> Suite:
    """The suite of an exported folder; every row is proved by its hash as it is read.

    Raises:
        UserError: A file is missing, damaged or changed.
    """
    manifest: HFManifest = read_json(folder / NOTES / "suite.json", type=HFManifest)
    if manifest.format != FORMAT:
        raise UserError(f"written in format {manifest.format}, this version reads {FORMAT}", where=str(folder))
    tasks = {task.name: task for _, task in read_jsonl(folder / NOTES / "tasks.jsonl", type=Task)}
    if tasks_hash(tasks) != manifest.tasks_hash:
        raise UserError("the tasks were changed after they were written", where=str(folder / NOTES / "tasks.jsonl"))
    if manifest.splits.keys() != manifest.rows.keys():
        raise UserError("the splits and their sizes do not agree", where=str(folder / NOTES / "suite.json"))
    for file in manifest.splits.values():
        if Path(file).is_absolute() or ".." in Path(file).parts:
            raise UserError("a split points outside the folder", where=str(folder / NOTES / "suite.json"))
    columns = facet_columns(manifest.facets)
    suite = Suite(
        name=manifest.suite,
        recipe=manifest.recipe,
        seed=manifest.seed,
        tasks=tasks,
        splits=dict(manifest.rows),
        draw=lambda split: _rows(folder / manifest.splits[split], columns),
        facets={name: facet_type(kind) for name, kind in manifest.facets.items()},
        apart=manifest.apart,
        pool=manifest.pool,
        notes=manifest.notes,
    )
    return suite.identified("hf", manifest.identity, *sorted(manifest.sha256.values()))


def _rows(path: Path, columns: dict[str, str]) -> Iterator[Row]:
    with decoding(path, "the data", hint="export it again"), open_parquet(path) as file:
        for batch in file.iter_batches(batch_size=_BATCH):
            for record in batch.to_pylist():
                yield row_of(record, columns, str(path))


FOLDER = HFOpener()
