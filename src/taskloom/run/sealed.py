"""Sealed parts of a run: Parquet in the order of the questions, and a numbered manifest that says which of them count.

Data is written first, under names that carry its hash; a part counts once a manifest lists it. A manifest is created
exclusively, never replaced: of several writers that seal at once one wins, and the others see its manifest. Answers
asked again later are a further part over the first; per question an answer beats a failure, else the newest counts.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from functools import cached_property
from hashlib import blake2b
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from taskloom.core import UserError, content_hash
from taskloom.core.decode import read_json
from taskloom.run.layout import FACET, FILES, LABELS, file_of, nothing, records_of
from taskloom.run.record import Record, proved_bytes
from taskloom.store.atomic import create_exclusively, half_file, is_held, sync
from taskloom.store.ownership import sha256

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    import pyarrow.parquet as pq
    from numpy.typing import NDArray

_NAME = re.compile(r"manifest-(\d{6})\.json")
_DATA = re.compile(rf"({'|'.join(FILES)})-([0-9a-f]{{16}})(-\d+)?\.parquet")
_GROUPS = {"questions": 65_536, "answers": 65_536, "texts": 4_096}
"""Rows to a group of each file: texts are read a few at a time, the rest column by column."""
_WINDOW = 4_096
"""Rows of all columns that are held when records are read."""


class PartFiles(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The files of one part: its records, and each file's name and SHA-256."""

    records: int
    files: dict[str, tuple[str, str]]


class RunSeal(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What `manifest-NNNNNN.json` says of a run; the highest number counts.

    Attributes:
        number: Which manifest of the run this is.
        plan: The hash of the plan.
        parts: The sealed parts, the newest last.
        records: How many questions have a record.
        states: How many in each state.
        tasks: How many of each task.
        cells: How many of each combination, where the run knows them.
        chain: A hash over the records in order, usage left out: equal runs have equal chains.
        logs: Logs whose records are sealed; one that still exists is a leftover.
        set_aside: Bytes of logs that no checksum vouched for; their questions were asked again.
        sum: A hash of all of this.
    """

    format: int = 1
    number: int
    plan: str
    parts: tuple[PartFiles, ...]
    records: int
    states: dict[str, int]
    tasks: dict[str, int]
    cells: dict[str, int] = {}
    chain: str
    logs: tuple[str, ...] = ()
    set_aside: int = 0
    sum: str = ""

    def summed(self) -> RunSeal:
        """The same with its hash."""
        return msgspec.structs.replace(self, sum=content_hash(msgspec.structs.replace(self, sum="")))


def seal_names(folder: Path) -> list[str]:
    """The manifests of a run, the newest last."""
    return sorted(path.name for path in folder.iterdir() if _NAME.fullmatch(path.name)) if folder.is_dir() else []


def latest_seal(folder: Path) -> RunSeal | None:
    """The newest manifest of a run; None while nothing is sealed.

    Raises:
        UserError: It cannot be read, or was changed after it was written.
    """
    names = seal_names(folder)
    if not names:
        return None
    path = folder / names[-1]
    hint = "the run cannot be proved any more: run the same command with another -o"
    try:
        found = msgspec.convert(read_json(path), RunSeal)
    except msgspec.ValidationError as error:
        raise UserError(f"the manifest is damaged: {error}", where=str(path), hint=hint) from None
    if found.summed() != found:
        raise UserError("the manifest was changed after it was written", where=str(path), hint=hint)
    for part in found.parts:
        for name, _ in part.files.values():
            if Path(name).name != name:
                raise UserError("the manifest points outside its folder", where=str(path))
    return found


class Tally:
    """Counts records as they pass by, and chains their bytes."""

    def __init__(self) -> None:
        self._counts: dict[str, Counter[str]] = {name: Counter() for name in ("states", "tasks", "cells")}
        self._chain = blake2b(digest_size=16)

    def add(self, records: Sequence[Record], bodies: Sequence[bytes] = ()) -> None:
        """Count records; `bodies` are their lines, where these have been made already."""
        self._counts["states"].update([record.state for record in records])
        self._counts["tasks"].update([record.task for record in records])
        self._counts["cells"].update([record.cell for record in records if record.cell])
        proved = (bodies[place] if bodies else None for place in range(len(records)))
        for record, body in zip(records, proved, strict=True):
            usage = record.tokens or record.served or record.fingerprint
            self._chain.update(proved_bytes(record) if usage or body is None else body)
            self._chain.update(b"\n")

    def facts(self) -> dict[str, Any]:
        """The fields of a seal."""
        counts = {name: dict(sorted(found.items())) for name, found in self._counts.items()}
        return {"records": self._counts["states"].total(), "chain": self._chain.hexdigest(), **counts}


class PartWriter:
    """Writes records, which come in the order of their questions, as the three files of a part.

    As long as `held` is open no other process takes its files for leftovers; when it closes, unfinished ones go.
    """

    def __init__(self, folder: Path, held: ExitStack) -> None:
        self._folder = folder
        self._halves = {file: held.enter_context(half_file(folder / f"{file}.parquet")) for file in FILES}
        self._writers: dict[str, pq.ParquetWriter] = {}
        self._waiting: dict[str, list[pa.Table]] = {file: [] for file in FILES}
        self.records = 0
        self.facets: set[str] | None = None
        held.callback(self._close)

    def write(self, table: pa.Table) -> None:
        """Write some records; the first table decides which facets there are."""
        self.records += table.num_rows
        facets = [name for name in table.column_names if name.startswith(FACET)]
        self.facets = {name.removeprefix(FACET) for name in facets}
        for file, columns in FILES.items():
            self._waiting[file].append(table.select([*columns, *(facets if file == "questions" else ())]))
            if sum(each.num_rows for each in self._waiting[file]) >= _GROUPS[file]:
                self._flush(file)

    def _flush(self, file: str) -> None:
        import pyarrow as pa
        import pyarrow.parquet as pq

        if not self._waiting[file]:
            return
        table = pa.concat_tables(self._waiting[file]).unify_dictionaries().combine_chunks()
        if file not in self._writers:
            coded = [name for name in table.column_names if name in LABELS or name.startswith(FACET)]
            self._writers[file] = pq.ParquetWriter(
                self._halves[file], table.schema, compression="zstd", use_dictionary=coded, write_page_checksum=True,
                write_statistics=False,
            )  # fmt: skip
        self._writers[file].write_table(table, row_group_size=_GROUPS[file])
        self._waiting[file] = []

    def _close(self) -> None:
        import pyarrow as pa

        for writer in self._writers.values():
            writer.close()
        self._writers, self._waiting = {}, {file: [] for file in FILES}
        pa.default_memory_pool().release_unused()  # what follows in the same process shall not add to it

    def finish(self) -> PartFiles:
        """Bring the files to disk under their final names, which carry their hashes; no manifest lists them yet."""
        for file in FILES:
            self._flush(file)
        self._close()
        files = {}
        for file, half in self._halves.items():
            with half.open("rb") as handle:
                os.fsync(handle.fileno())
            digits = sha256(half)
            stem = f"{file}-{digits[:16]}"
            names = (f"{stem}.parquet" if n == 1 else f"{stem}-{n}.parquet" for n in count(1))
            # A file of that name with other bytes belongs to the user and stays.
            taken = self._folder
            name = next(name for name in names if not (taken / name).exists() or sha256(taken / name) == digits)
            half.replace(self._folder / name)
            files[file] = (name, digits)
        sync(self._folder)
        return PartFiles(self.records, files)


def remove_unlisted(folder: Path, seal: RunSeal) -> None:
    """Remove files of parts that no manifest lists: a process was killed before it could publish them."""
    kept = {name for part in seal.parts for name, _ in part.files.values()}
    for path in folder.glob("*-*.parquet"):
        found = _DATA.fullmatch(path.name)
        if found and path.name not in kept and not is_held(path) and sha256(path).startswith(found[2]):
            path.unlink(missing_ok=True)


def publish(folder: Path, seal: RunSeal) -> bool:
    """Create a manifest under its number; False where another writer was first."""
    data = msgspec.json.format(msgspec.json.encode(seal.summed()), indent=1) + b"\n"
    return create_exclusively(folder / f"manifest-{seal.number:06}.json", data)


class SealedPart:
    """A sealed part, read column by column; every file is compared with its hash when it is first opened."""

    ordered = True

    def __init__(self, folder: Path, files: PartFiles) -> None:
        self.folder, self.files = folder, files
        self._open: dict[str, pq.ParquetFile] = {}
        self._held: dict[str, tuple[int, pa.Table, Iterator[pa.Table]]] = {}

    def __len__(self) -> int:
        return self.files.records

    def _file(self, file: str) -> pq.ParquetFile:
        import pyarrow as pa
        import pyarrow.parquet as pq

        if file not in self._open:
            name, digits = self.files.files[file]
            path = self.folder / name
            hint = "run the same command with another -o"
            if not path.is_file():
                raise UserError("a file of the run is missing", where=str(path), hint=hint)
            if sha256(path) != digits:
                raise UserError("the file was changed after it was written", where=str(path), hint=hint)
            try:
                self._open[file] = pq.ParquetFile(path, page_checksum_verification=True)
            except (OSError, pa.ArrowException) as error:
                raise UserError(f"the file cannot be read: {error}", where=str(path), hint=hint) from None
        return self._open[file]

    def verified(self) -> list[Path]:
        """Its files, each compared with its hash."""
        return [self.folder / self.files.files[file][0] for file in FILES if self._file(file)]

    @cached_property
    def facets(self) -> list[str]:
        """The facets that instances carry."""
        names = self._file("questions").schema_arrow.names
        return [name.removeprefix(FACET) for name in names if name.startswith(FACET)]

    def column(self, name: str) -> pa.ChunkedArray:
        """One column of all records; nothing but nulls for a facet that none carries, and for what the part lacks."""
        import pyarrow as pa

        file = self._file(file_of(name))
        if name not in file.schema_arrow.names:
            return pa.chunked_array([nothing(name, len(self))])
        return file.read(columns=[name]).column(0)

    def records(self, rows: NDArray[np.int64]) -> Iterator[Record]:
        """The records of some rows, in the order asked for."""
        import numpy as np
        import pyarrow as pa

        windows = rows // _WINDOW
        cuts = np.flatnonzero(windows[1:] != windows[:-1]) + 1
        for some in np.split(rows, cuts) if len(rows) else ():
            number = int(some[0]) // _WINDOW
            inside = some - number * _WINDOW
            near = int(some[-1]) - int(some[0]) == len(some) - 1 and (np.diff(some) == 1).all()
            columns: dict[str, Any] = {}
            for file in FILES:
                table = self._window(file, number)
                picked = table.slice(int(inside[0]), len(some)) if near else table.take(pa.array(inside))
                columns |= dict(zip(picked.column_names, picked.columns, strict=True))
            yield from records_of(pa.table(columns))

    def blocks(self, names: Sequence[str]) -> Iterator[pa.Table]:
        """Columns of one file, group by group."""
        file = self._file(file_of(names[0]))
        for number in range(file.num_row_groups):
            yield file.read_row_group(number, columns=list(names))

    def _window(self, file: str, number: int) -> pa.Table:
        """A window of a file's rows; the last one is kept, and those after it in its group are at hand."""
        at, table, following = self._held.get(file, (-1, None, iter(())))
        size = _GROUPS[file] // _WINDOW
        if not at <= number < (at // size + 1) * size:
            group = number // size
            at, following = group * size - 1, _windows(self._file(file), group)
        for _ in range(number - at):
            table = next(following)
        self._held[file] = number, table, following
        return table


def _windows(file: pq.ParquetFile, group: int) -> Iterator[pa.Table]:
    """The rows of a group, as many at a time as a window has."""
    import pyarrow as pa

    waiting = file.schema_arrow.empty_table()
    for batch in file.iter_batches(_WINDOW, row_groups=[group]):
        waiting = pa.concat_tables([waiting, pa.Table.from_batches([batch])])
        while waiting.num_rows >= _WINDOW:
            yield waiting.slice(0, _WINDOW)
            waiting = waiting.slice(_WINDOW)
    if waiting.num_rows:
        yield waiting
