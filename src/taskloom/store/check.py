"""Proving that a bundle is what its manifest says, to the byte."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from taskloom.core import Finding, Progress, UserError, row_hash
from taskloom.core.decode import read_bytes
from taskloom.store.bundle import Bundle
from taskloom.store.disjoint import SplitProof
from taskloom.store.manifest import FILE, chain
from taskloom.store.ownership import OLD_CLAIM, sha256


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
