"""Writing a suite to disk as a bundle.

The data goes into a fresh folder named after its content; the manifest is replaced last, in one
rename. A writer killed before that leaves the old bundle untouched, one killed after it has written
the new one. What a killed writer left lying about is cleared by the next one.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from hashlib import file_digest
from itertools import count, islice
from pathlib import Path
from typing import Any

import msgspec

from taskloom import __version__
from taskloom.core import Progress, Suite, Task, UserError, content_hash
from taskloom.store.atomic import disk_errors, sync_folder, write_atomically
from taskloom.store.disjoint import SplitProof
from taskloom.store.manifest import FACET_NAMES, FILE, FORMAT, Manifest, SplitEntry, chain
from taskloom.store.rows import instance_hash, schema, to_batch

__all__ = ["write_bundle"]

BATCH_ROWS = 4_096
TASKS_FILE = "tasks.jsonl"
_SCRATCH = ".writing-"


def write_bundle(suite: Suite, folder: Path, *, splits: list[str] | None = None) -> Manifest:
    """Draw every row of a suite and write it; memory stays bounded whatever its size.

    Args:
        suite: What to write.
        folder: Where; made if need be. An older bundle in it is replaced as a whole.
        splits: Only these splits (all by default).

    Raises:
        UserError: Splits overlap, ids repeat, the folder holds something else, another process writes there, or
            the disk is full. The folder is then as it was before.
    """
    with disk_errors(folder):
        folder.mkdir(parents=True, exist_ok=True)
        _refuse_strangers(folder)
        with _only_writer(folder):
            _clear_scratch(folder)
            scratch = Path(tempfile.mkdtemp(prefix=_SCRATCH, dir=folder))
            try:
                return _write_into(suite, folder, scratch, splits or list(suite.splits))
            finally:
                shutil.rmtree(scratch, ignore_errors=True)


def _write_into(suite: Suite, folder: Path, scratch: Path, names: list[str]) -> Manifest:
    proof = SplitProof(suite.apart)
    known = [size for name in names if (size := suite.splits[name]) is not None]
    total = sum(known) if len(known) == len(names) else None
    with Progress(f"writing {suite.name}", total, unit="rows") as progress:
        entries = {name: _write_split(suite, name, scratch, proof, progress) for name in names}
    proof.check(suite.name)
    tasks = "".join(msgspec.json.encode(task).decode() + "\n" for task in suite.tasks.values())
    (scratch / TASKS_FILE).write_text(tasks, encoding="utf-8")
    recipe: dict[str, Any] = msgspec.to_builtins(dict(suite.recipe))
    manifest = Manifest(
        format=FORMAT,
        suite=suite.name,
        seed=suite.seed,
        recipe=recipe,
        taskloom=__version__,
        apart=suite.apart,
        pool=suite.pool if suite.pool in names else None,
        facets={name: FACET_NAMES[kind] for name, kind in suite.facets.items()},
        tasks_file=TASKS_FILE,
        tasks_hash=tasks_hash(suite.tasks),
        splits=entries,
        notes=msgspec.to_builtins(dict(suite.notes)),
    )
    return _publish(manifest, folder, scratch)


def tasks_hash(tasks: Mapping[str, Task]) -> str:
    """One hash over all tasks, in order."""
    return content_hash([task.hash() for task in tasks.values()])


def _write_split(suite: Suite, split: str, scratch: Path, proof: SplitProof, progress: Progress) -> SplitEntry:
    import pyarrow.parquet as pq

    columns = schema(suite.facets)
    path = scratch / f"{split}.parquet"
    chains: dict[str, Any] = {}
    written = 0
    rows = suite.rows(split)
    with pq.ParquetWriter(path, columns, compression="zstd") as writer:
        while batch := list(islice(rows, BATCH_ROWS)):
            hashes = []
            for row in batch:
                if row.task not in suite.tasks:
                    raise UserError(f"a row names the task {row.task!r}, which the suite lacks", where=suite.name)
                hashes.append(instance_hash(row.task, row.instance))
                proof.add(split, row)
                chains.setdefault(row.task, chain()).update(bytes.fromhex(hashes[-1]))
            writer.write_batch(to_batch(batch, hashes, columns, suite.facets))
            written += len(batch)
            progress.advance(len(batch))
    with path.open("rb") as file:
        os.fsync(file.fileno())
        sha256 = file_digest(file, "sha256").hexdigest()
    by_task = {task: state.hexdigest() for task, state in chains.items()}
    return SplitEntry(path.name, written, sha256, by_task)


def _publish(manifest: Manifest, folder: Path, scratch: Path) -> Manifest:
    """Move the data to its final name, then switch the manifest, then clear what the old one used."""
    content = manifest.content()
    # The name carries the files' own bytes too: another pyarrow may write the same content differently.
    files = content_hash([entry.sha256 for entry in manifest.splits.values()])
    stem = f"data-{content[:12]}-{files[:8]}"
    # Never touch data that the present manifest may point to, not even to write the same again.
    data = next(path for n in count(1) if not (path := folder / (stem if n == 1 else f"{stem}-{n}")).exists())
    splits = {
        name: msgspec.structs.replace(entry, file=f"{data.name}/{entry.file}")
        for name, entry in manifest.splits.items()
    }
    final = msgspec.structs.replace(
        manifest, hash=content, splits=splits, tasks_file=f"{data.name}/{manifest.tasks_file}"
    ).sealed()
    scratch.rename(data)
    sync_folder(folder)
    write_atomically(folder / FILE, final.render())
    for old in folder.glob("data-*"):
        if old != data:
            shutil.rmtree(old, ignore_errors=True)
    return final


def _refuse_strangers(folder: Path) -> None:
    """Never write into a folder that holds something other than a bundle."""
    if (folder / "run.json").exists():
        raise UserError("this folder holds a run's log", where=str(folder), hint="name another folder with -o")
    ours = {FILE, ".lock"}
    strangers = [
        entry.name
        for entry in folder.iterdir()
        if entry.name not in ours and not entry.name.startswith(("data-", _SCRATCH, f".{FILE}."))
    ]
    if strangers:
        raise UserError(
            f"this folder holds other files ({sorted(strangers)[0]})",
            where=str(folder),
            hint="name an empty or new folder with -o",
        )


def _clear_scratch(folder: Path) -> None:
    for entry in folder.iterdir():
        if entry.name.startswith((_SCRATCH, f".{FILE}.")):
            shutil.rmtree(entry, ignore_errors=True) if entry.is_dir() else entry.unlink()


@contextmanager
def _only_writer(folder: Path) -> Iterator[None]:
    """One writer at a time; the lock dies with the process that holds it."""
    with (folder / ".lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise UserError("another process is writing here", where=str(folder)) from None
        yield
