"""Suites for Hugging Face `datasets`: in memory, as a stream, or as a folder that `load_dataset` opens."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from typing import Any, ClassVar

import msgspec

from taskloom import __version__
from taskloom.core import Apart, Opener, Progress, Row, Suite, Task, UserError, ensure_known, missing_extra, tasks_hash
from taskloom.core.calls import explained
from taskloom.core.decode import decoding, open_parquet, read_json, read_jsonl
from taskloom.core.secrets import public
from taskloom.hosts.card import dataset_card, eval_yaml
from taskloom.hosts.table import DEFAULT_PROTOCOL, HostTable, refuse_endless, row_of
from taskloom.rl.columns import facet_columns
from taskloom.rl.stream import endless
from taskloom.store.atomic import whole_folder
from taskloom.store.manifest import FACET_NAMES, FacetName, facet_type
from taskloom.store.ownership import sha256

FORMAT = 1
NOTES = "taskloom"


class HFManifest(msgspec.Struct, frozen=True):
    """What the table cannot hold of a suite: `taskloom/suite.json` of an exported folder."""

    format: int
    suite: str
    seed: int
    recipe: dict[str, Any]
    taskloom: str
    identity: str
    protocol: str
    limit: int | None
    apart: Apart
    pool: str | None
    facets: dict[str, FacetName]
    splits: dict[str, str]
    rows: dict[str, int]
    sha256: dict[str, str]
    tasks_hash: str
    notes: dict[str, Any] = {}


@explained
def to_hf(suite: Suite, split: str | None = None, *, protocol: str = DEFAULT_PROTOCOL, limit: int | None = None) -> Any:
    """A split as a `datasets.Dataset`, ready for a trainer: `prompt`, `answer`, `targets`, facets as columns.

    Args:
        suite: The suite.
        split: The split (test by default). An endless one is returned as a stream.
        protocol: The protocol: "base" and "bare" give prompts as text, "chat" as messages.
        limit: At most this many rows.

    Raises:
        UserError: `datasets` is not installed, or there is no such split.

    Example:
        >>> from taskloom import open_suite, to_hf
        >>> data = to_hf(open_suite("babi/task-1"), "train")  # doctest: +SKIP
    """
    datasets = _datasets()
    split = split or suite.default_split()
    blocks = suite.blocks(split)
    table = HostTable(suite, protocol)
    if blocks is not None and blocks.endless and limit is None:
        return to_hf_stream(suite, suite.rows(split), protocol=protocol)
    import pyarrow as pa

    found = pa.Table.from_batches(table.batches(split, limit), schema=table.schema())
    return datasets.Dataset(datasets.table.InMemoryTable(found))


def to_hf_stream(suite: Suite, rows: Iterable[Row] | str = "train", *, protocol: str = DEFAULT_PROTOCOL) -> Any:
    """An `IterableDataset` that need not end.

    Args:
        suite: The suite.
        rows: The rows to hand out (`mixed(…)`, `Curriculum.rows()`), or a split, which is then continued without end.
        protocol: How models are asked.
    """
    return _datasets().IterableDataset.from_generator(_Records(HostTable(suite, protocol), rows))


class _Records:
    """Records on demand. `datasets` names a stream after the pickle of its source, and rows that wait have none."""

    def __init__(self, table: HostTable, rows: Iterable[Row] | str) -> None:
        self._table = table
        self._rows = rows

    def __call__(self) -> Iterator[dict[str, Any]]:
        rows = endless(self._table.suite, self._rows) if isinstance(self._rows, str) else self._rows
        return map(self._table.record, rows)

    def __reduce__(self) -> tuple[Any, ...]:
        named = self._rows if isinstance(self._rows, str) else f"rows {id(self._rows)}"
        return tuple, ((self._table.suite.identity, self._table.protocol.name, named),)


def _datasets() -> Any:
    if find_spec("datasets") is None:
        raise missing_extra("datasets", "datasets", "a Hugging Face data set")
    import datasets

    return datasets


def split_name(split: str) -> str:
    """A split's name as `datasets` allows it: letters, digits, underscores and dots."""
    name = re.sub(r"[^\w.]+", "_", split).strip(".")
    return f"{name}_" if name == "all" else name


def write_hf(
    suite: Suite,
    folder: str | Path,
    *,
    splits: list[str] | None = None,
    protocol: str = DEFAULT_PROTOCOL,
    limit: int | None = None,
) -> HFManifest:
    """Write a folder that `load_dataset`, the Hub and `open_suite` open alike.

    Args:
        suite: The suite.
        folder: A new or empty folder.
        splits: Only these splits.
        protocol: How models are asked: decides what the column `prompt` holds.
        limit: At most this many rows of each split; needed where one never ends.

    Raises:
        UserError: The folder holds something already, there is no such split, or one never ends.
    """
    folder, table = Path(folder), HostTable(suite, protocol)
    names = splits or list(suite.splits)
    for name in names:
        ensure_known("split", name, suite.splits, where=suite.name)
    refuse_endless(suite, names, limit)
    with whole_folder(folder) as scratch:
        for part in ("data", NOTES):
            (scratch / part).mkdir()
        rows = {name: _write_split(table, name, scratch, limit) for name in names}
        manifest = _manifest(table, scratch, rows, limit)
        lines = b"".join(msgspec.json.encode(task) + b"\n" for task in suite.tasks.values())
        (scratch / NOTES / "tasks.jsonl").write_bytes(lines)
        preview = [table.record(row) for row in islice(suite.rows(names[-1]), 2)]
        (scratch / "README.md").write_bytes(dataset_card(suite, manifest, preview).encode())
        (scratch / "eval.yaml").write_bytes(eval_yaml(suite, manifest, chat=table.chat).encode())
        text = msgspec.json.format(msgspec.json.encode(manifest), indent=2) + b"\n"
        (scratch / NOTES / "suite.json").write_bytes(text)
    return manifest


def _write_split(table: HostTable, split: str, folder: Path, limit: int | None) -> int:
    import pyarrow.parquet as pq

    size, written = table.suite.splits[split], 0
    total = limit if size is None else size if limit is None else min(size, limit)
    with (
        Progress(f"writing {table.suite.name} {split}", total, unit="rows") as progress,
        pq.ParquetWriter(folder / "data" / f"{split_name(split)}.parquet", table.schema(), compression="zstd") as out,
    ):
        for batch in table.batches(split, limit):
            out.write_batch(batch)
            written += batch.num_rows
            progress.advance(batch.num_rows)
    return written


def _manifest(table: HostTable, folder: Path, rows: Mapping[str, int], limit: int | None) -> HFManifest:
    suite = table.suite
    files = {name: f"data/{split_name(name)}.parquet" for name in rows}
    return HFManifest(
        format=FORMAT,
        suite=suite.name,
        seed=suite.seed,
        recipe=public(msgspec.to_builtins(dict(suite.recipe))),
        taskloom=__version__,
        identity=suite.identity,
        protocol=table.protocol.name,
        limit=limit,
        apart=suite.apart,
        pool=suite.pool if suite.pool in rows else None,
        facets={name: FACET_NAMES[kind] for name, kind in suite.facets.items()},
        splits=files,
        rows=dict(rows),
        sha256={name: sha256(folder / file) for name, file in files.items()},
        tasks_hash=tasks_hash(suite.tasks),
        notes=public(msgspec.to_builtins(dict(suite.notes))),
    )


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
