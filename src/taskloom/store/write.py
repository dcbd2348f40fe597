"""Writing a suite to disk as a bundle.

The data goes into a fresh folder whose name certifies its files; the manifest is replaced last, in one rename. A
writer killed before that leaves the old bundle untouched, one killed after it has written the new one. The next writer
clears what a killed one left, by certified names (`store.ownership`), and refuses folders that hold anything else.
"""

from __future__ import annotations

import gc
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import lru_cache, partial
from itertools import count, islice, pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from taskloom import __version__
from taskloom.core import Progress, Row, Suite, UserError, content_hash, open_suite, row_digests, tasks_hash
from taskloom.core.calls import explained
from taskloom.core.parallel import WorkEngine, ordered_map
from taskloom.core.secrets import public
from taskloom.store.atomic import (
    clear_halves,
    create_exclusively,
    disk_errors,
    half_name,
    hold,
    is_half,
    is_held,
    lock_folder,
    sync,
    sync_all,
    write_atomically,
)
from taskloom.store.disjoint import SplitProof, asked_keys
from taskloom.store.manifest import FACET_NAMES, FILE, FORMAT, Manifest, SplitEntry, chain, read_manifest
from taskloom.store.ownership import (
    OLD_CLAIM,
    data_name,
    is_certified,
    is_data_name,
    remove_data,
    remove_listed,
    remove_scratch,
    sha256,
)
from taskloom.store.remote import is_address, stored
from taskloom.store.rows import PACK_ROWS, TEXT_COLUMNS, UNIQUE_COLUMNS, schema, task_names, to_batch

if TYPE_CHECKING:
    import pyarrow as pa


TASKS_FILE = "tasks.jsonl"


@explained
def write_bundle(
    suite: Suite,
    folder: str | Path,
    *,
    splits: list[str] | None = None,
    jobs: int = 1,
    engine: WorkEngine = "local",
    address: str | None = None,
    replace: bool = False,
) -> Manifest:
    """Draw every row of a suite and write it, in bounded memory.

    Args:
        suite: What to write.
        folder: The folder to write to, created if necessary. The same bundle in it is written again.
        splits: Only these splits (all by default).
        jobs: The number of processes, 0 for one per core; the bytes are the same.
        engine: Processes of this machine ("local") or a cluster ("ray").
        address: The cluster's address; None for that of RAY_ADDRESS, or one that is started here.
        replace: Replace another bundle in the folder, as a whole.

    Raises:
        UserError: Splits overlap, ids repeat, the folder contains something else or another bundle, another process
            is writing there, or the disk is full. The folder is then unchanged.

    Example:
        >>> from taskloom import open_suite, write_bundle
        >>> manifest = write_bundle(open_suite("babi/task-1").take(20), "small")
        >>> manifest.splits["test"].rows
        20
    """
    if is_address(folder):
        with stored(folder) as copy:
            return write_bundle(suite, copy, splits=splits, jobs=jobs, engine=engine, address=address, replace=replace)
    folder = Path(folder)
    names = splits or list(suite.splits)
    if (jobs != 1 or engine == "ray") and (problem := parallel_problem(suite, names)):
        raise UserError(
            f"this suite must be drawn by one process: {problem}", where=suite.name, hint="leave --jobs out"
        )
    with disk_errors(folder), lock_folder(folder):
        old = _own_manifest(folder)
        _refuse_strangers(folder, old)
        if old is not None and not replace:
            _refuse_other_bundle(suite, names, old, folder)
        _clear_leftovers(folder, old)
        scratch = folder / half_name("data")
        scratch.mkdir()
        try:
            draw = partial(packs, suite, jobs=jobs, engine=engine, address=address)
            # Held, it is no leftover to another writer, even while the data has its final name and no manifest yet.
            with hold(scratch):
                return _write_into(suite, folder, scratch, names, old, draw, replace)
        finally:
            remove_scratch(scratch)


def _write_into(
    suite: Suite,
    folder: Path,
    scratch: Path,
    names: list[str],
    old: Manifest | None,
    draw: Callable[[str], Iterator[Pack]],
    replace: bool,
) -> Manifest:
    proof = SplitProof(suite.apart)
    known = [size for name in names if (size := suite.splits[name]) is not None]
    total = sum(known) if len(known) == len(names) else None
    with Progress(f"writing {suite.name}", total, unit="rows") as progress:
        entries = {name: write_split(suite, name, scratch, proof, progress, draw(name)) for name in names}
    proof.check(suite.name)
    tasks = "".join(msgspec.json.encode(task).decode() + "\n" for task in suite.tasks.values())
    (scratch / TASKS_FILE).write_bytes(tasks.encode())
    recipe: dict[str, Any] = public(msgspec.to_builtins(dict(suite.recipe)))
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
        tasks_sha256=sha256(scratch / TASKS_FILE),
        splits=entries,
        notes=public(msgspec.to_builtins(dict(suite.notes))),
    )
    if old is not None and not replace and manifest.content() != old.hash:
        raise _another_bundle(old, folder, "rows: the code or the files behind them changed")
    return _publish(manifest, folder, scratch, old)


def write_split(
    suite: Suite, split: str, scratch: Path, proof: SplitProof, progress: Progress, drawn: Iterator[Pack]
) -> SplitEntry:
    """Write one split into the scratch folder, proving its rows on the way."""
    import pyarrow.parquet as pq

    path = scratch / f"{split}.parquet"
    chains: dict[str, Any] = {}
    written = 0
    columns = schema(suite.facets)
    repeating = [name for name in columns.names if name not in UNIQUE_COLUMNS]
    grouped = [name for name in columns.names if name not in TEXT_COLUMNS]
    with pq.ParquetWriter(
        path, columns, compression="zstd", use_dictionary=repeating, write_statistics=grouped
    ) as writer:
        for pack in drawn:
            tasks, rows = task_names(pack.batch), pack.batch.num_rows
            for start, stop in task_stretches(pack.batch):
                chains.setdefault(tasks[start], chain()).update(pack.digests[16 * start : 16 * stop])
            proof.extend(split, pack.asked, tasks, pack.batch.column("id").to_pylist())
            if rows:
                writer.write_batch(pack.batch)
            written += rows
            progress.advance(rows)
    by_task = {task: state.hexdigest() for task, state in chains.items()}
    return SplitEntry(path.name, written, sha256(path), by_task)


def task_stretches(batch: pa.RecordBatch) -> Iterator[tuple[int, int]]:
    """Where rows of one task in a row begin and end."""
    import numpy as np

    codes = batch.column("task").indices.to_numpy()
    cuts = (np.flatnonzero(codes[1:] != codes[:-1]) + 1).tolist()
    return pairwise([0, *cuts, len(codes)]) if len(codes) else iter(())


def _publish(manifest: Manifest, folder: Path, scratch: Path, old: Manifest | None) -> Manifest:
    """Move the data to its final name, then switch the manifest, then clear what the old one listed."""
    content = manifest.content()
    # The name carries the files' own bytes too: another pyarrow may write the same content differently.
    files = {entry.file: entry.sha256 for entry in manifest.splits.values()}
    stem = data_name(content, {**files, TASKS_FILE: manifest.tasks_sha256})
    # Data that the present manifest may point to is never touched: it stays where it is whole, else it gets a namesake.
    names = (stem if n == 1 else f"{stem}-{n}" for n in count(1))
    data = next(folder / name for name in names if not (folder / name).exists() or is_certified(folder / name))
    splits = {
        name: msgspec.structs.replace(entry, file=f"{data.name}/{entry.file}")
        for name, entry in manifest.splits.items()
    }
    final = msgspec.structs.replace(
        manifest, hash=content, splits=splits, tasks_file=f"{data.name}/{manifest.tasks_file}"
    ).sealed()
    if not data.exists():
        sync_all(scratch)
        try:
            scratch.rename(data)
        except OSError:
            if not is_certified(data):  # else another writer of the same rows was faster
                raise
        sync(folder)
    if old is not None:
        write_atomically(folder / FILE, final.render())
    elif not create_exclusively(folder / FILE, final.render()):
        # Another writer was first. The same content is the same bundle in any file layout.
        other = read_manifest(folder)
        if other.hash != final.hash:
            raise _another_bundle(other, folder, "suite, written meanwhile")
        final = other
    _clear_leftovers(folder, read_manifest(folder))
    if old is not None:
        _clear_replaced(folder, old)
    return final


def _own_manifest(folder: Path) -> Manifest | None:
    """The manifest of the bundle that is to be replaced, None in a folder without one.

    Raises:
        UserError: There is a `manifest.json` that we did not write, or that was changed since.
    """
    if not (folder / FILE).exists():
        return None
    try:
        manifest = read_manifest(folder)
        if manifest.sealed() == manifest:
            return manifest
    except UserError:
        pass  # refused below: what cannot be read cannot be shown to be ours
    raise UserError(
        f"the {FILE} in this folder is not one that Taskloom wrote, or was edited since",
        where=str(folder / FILE),
        hint="name another folder with -o, or remove this one yourself",
    )


def _refuse_other_bundle(suite: Suite, names: list[str], old: Manifest, folder: Path) -> None:
    """Keep a bundle of something else.

    Raises:
        UserError: The folder's bundle has another suite, seed, recipe, tasks or splits.
    """
    recipe = public(msgspec.to_builtins(dict(suite.recipe)))
    same = {
        "suite": old.suite == suite.name,
        "seed": old.seed == suite.seed,
        "recipe": content_hash(old.recipe) == content_hash(recipe),
        "tasks": old.tasks_hash == tasks_hash(suite.tasks),
        "splits": list(old.splits) == names
        and all(suite.splits[name] in (None, entry.rows) for name, entry in old.splits.items()),
    }
    if differing := [name for name, equal in same.items() if not equal]:
        raise _another_bundle(old, folder, " and ".join(differing[:2]))


def _another_bundle(old: Manifest, folder: Path, differing: str) -> UserError:
    rows = sum(entry.rows for entry in old.splits.values())
    return UserError(
        f"this folder contains another bundle: {old.suite}, seed {old.seed}, {rows:,} rows (another {differing})",
        where=str(folder),
        hint="name another folder with -o, or replace it with --replace",
    )


def _refuse_strangers(folder: Path, manifest: Manifest | None) -> None:
    """Never write into a folder that holds anything but a bundle.

    Raises:
        UserError: There is something that neither the manifest lists nor a name certifies.
    """
    if (folder / "run.json").exists():
        raise UserError("this folder contains a run's log", where=str(folder), hint="name another folder with -o")
    listed = _data_folders(manifest)
    for entry in sorted(folder.iterdir()):
        empty_lock = entry.name == ".lock" and entry.is_file() and not entry.stat().st_size  # of older versions
        ours = entry.name in {FILE, *listed} or is_half(entry.name) or is_data_name(entry) or empty_lock
        if not ours:
            raise UserError(
                f"this folder contains other files ({entry.name})",
                where=str(folder),
                hint="name an empty or new folder with -o",
            )


def _data_folders(manifest: Manifest | None) -> set[str]:
    if manifest is None:
        return set()
    return {Path(file).parts[0] for file in (manifest.tasks_file, *(e.file for e in manifest.splits.values()))}


def _clear_leftovers(folder: Path, manifest: Manifest | None) -> None:
    """Remove what killed writers left: half-written folders, and whole ones that no manifest points to."""
    keep = _data_folders(manifest)
    for entry in sorted(folder.iterdir()):
        if entry.name not in keep and not is_held(entry):
            remove_scratch(entry)
            remove_data(entry)
    clear_halves(folder)


def _clear_replaced(folder: Path, manifest: Manifest) -> None:
    """Remove the files of a replaced bundle whose data folder certifies nothing, because of its age or a change."""
    hashes = {entry.file: entry.sha256 for entry in manifest.splits.values()}
    hashes[manifest.tasks_file] = manifest.tasks_sha256
    for name in _data_folders(manifest) - _data_folders(read_manifest(folder)):
        place = folder / name
        if place.is_dir() and not place.is_symlink():
            listed = {Path(file).name: known for file, known in hashes.items() if Path(file).parts[0] == name}
            (place / OLD_CLAIM).unlink(missing_ok=True)
            remove_listed(place, listed)


PACK_BLOCKS = 4
_SPLIT_PACKS = 8
"""Packs at the end of a split that several processes draw block by block: so all end at about the same time."""
_CHUNK_ROWS = 1_024
"""Rows handled at a time: few enough that a core's own memory still holds them when the next step looks at them."""


class Pack(NamedTuple):
    """Rows ready to be written, with their hashes and what they ask: sixteen bytes of every row."""

    batch: pa.RecordBatch
    digests: bytes
    asked: bytes


def packs(
    suite: Suite, split: str, *, jobs: int = 1, engine: WorkEngine = "local", address: str | None = None
) -> Iterator[Pack]:
    """The rows of a split in packs. How many processes make them does not change a byte."""
    blocks = suite.blocks(split)
    if blocks is None:
        rows = suite.rows(split)
        while (made := pack(suite, islice(rows, PACK_ROWS))).batch.num_rows:
            yield made
        return
    if blocks.endless:
        raise UserError("an endless split cannot be written", where=f"{suite.name}: {split}")
    numbers = blocks.numbers()
    groups = iter(lambda: tuple(islice(numbers, PACK_BLOCKS)), ())
    if jobs == 1 and engine == "local":
        yield from (pack_blocks(suite, split, group) for group in groups)
        return
    shares = [[group] for group in groups]
    shares[-_SPLIT_PACKS:] = [[(number,) for number in group] for (group,) in shares[-_SPLIT_PACKS:]]
    origin = msgspec.msgpack.encode(suite.origin)
    pieces = ((origin, str(Path.cwd()), split, numbers) for share in shares for numbers in share)
    parts = ordered_map(_make, pieces, jobs=jobs, engine=engine, address=address)
    yield from (_joined(suite, islice(parts, len(share))) for share in shares)


def parallel_problem(suite: Suite, splits: Iterable[str]) -> str:
    """Why several processes cannot share the work of these splits; "" where they can."""
    if suite.origin is None:
        return "the suite was created in this process, so others cannot open it"
    ordered = [split for split in splits if suite.blocks(split) is None]
    return f"the rows of {', '.join(ordered)} can only be drawn in order" if ordered else ""


def pack_blocks(suite: Suite, split: str, numbers: tuple[int, ...]) -> Pack:
    """The rows of some blocks of a split as a pack."""
    blocks = suite.blocks(split)
    if blocks is None:
        raise UserError("the rows of this split can only be drawn in order", where=f"{suite.name}: {split}")
    return pack(suite, (row for number in numbers for row in blocks.rows(number)))


def pack(suite: Suite, rows: Iterable[Row]) -> Pack:
    """Rows as a pack, each checked to belong to a task of the suite."""
    import pyarrow as pa

    columns, drawn = schema(suite.facets), iter(rows)
    parts = [Pack(pa.RecordBatch.from_pylist([], columns), b"", b"")]
    with without_cycle_search():
        while some := list(islice(drawn, _CHUNK_ROWS)):
            digests = b"".join(row_digests(some))
            parts.append(Pack(to_batch(some, digests, columns, suite.facets), digests, asked_keys(suite.apart, some)))
    return _joined(suite, parts)


def _joined(suite: Suite, parts: Iterable[Pack]) -> Pack:
    """Parts of a pack, one after the other; a row of a task that the suite lacks is refused."""
    import pyarrow as pa

    batches, digests, asked = zip(*parts, strict=True)
    batch = next(iter(pa.Table.from_batches(batches).combine_chunks().to_batches()), batches[0])
    for task in batch.column("task").dictionary.to_pylist():
        if task not in suite.tasks:
            raise UserError(f"a row names the task {task!r}, which is not in the suite", where=suite.name)
    return Pack(batch, b"".join(digests), b"".join(asked))


@contextmanager
def without_cycle_search() -> Iterator[None]:
    """Without the search for cycles, which looks at every row in memory again and again; rows have none."""
    before = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if before:
            gc.enable()


@lru_cache(maxsize=2)
def open_once(origin: bytes, home: str) -> Suite:
    """The suite in a worker, opened once for all its pieces."""
    if Path(home).is_dir():  # a worker elsewhere may not see this disk
        os.chdir(home)
    name, seed, options = msgspec.msgpack.decode(origin)
    return open_suite(name, seed=seed, options=options)


def _make(piece: tuple[bytes, str, str, tuple[int, ...]]) -> Pack:
    """Some blocks in another process: where the suite comes from, the caller's folder, the split and the blocks."""
    origin, home, split, numbers = piece
    return pack_blocks(open_once(origin, home), split, numbers)
