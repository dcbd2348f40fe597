"""The proof that a page carries: what it was made from, so that `taskloom check report.html` can tell whether it holds.

The last line of a page is a comment with the hashes of plan, rows, code version and records of every run, how the page
was made, and a hash of everything above it.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import msgspec

from taskloom import __version__
from taskloom.core import Finding, UserError, digest
from taskloom.core.decode import decode_json, read_bytes
from taskloom.run.results import Run, load_run, proof_of

__all__ = ["check_page", "with_proof"]

_BEGIN, _END = b"<!-- taskloom-proof ", b" -->\n"


class _Source(msgspec.Struct, frozen=True):
    """A run behind a page: where it was, seen from the page, how it was read, and its hashes."""

    folder: str
    errors: str
    weigh: str
    proof: dict[str, str]


class _Proof(msgspec.Struct, frozen=True):
    taskloom: str
    runs: list[_Source]
    made: dict[str, Any]
    page: str


def with_proof(text: bytes, runs: Sequence[Run], path: Path, made: dict[str, Any]) -> bytes:
    """A page with its proof.

    Args:
        text: The page.
        runs: What it was made from.
        path: Where it is written.
        made: The options it was made with; empty where it shows more than these runs.
    """
    home = path.absolute().parent
    sources = [_Source(os.path.relpath(run.folder, home), run.errors, run.weigh, proof_of(run)) for run in runs]
    proof = _Proof(__version__, sources, made, digest(text).hex())
    # A comment must not hold two hyphens in a row.
    return text + _BEGIN + msgspec.json.encode(proof).replace(b"--", b"-\\u002d") + _END


def check_page(path: Path) -> Iterator[Finding]:
    """What is wrong with a page: edits, runs that are others now, numbers that the runs do not give."""
    text, found, rest = read_bytes(path).rpartition(_BEGIN)
    if not found or not rest.endswith(_END):
        yield _finding(
            path, "", "this page names no hashes: Taskloom did not write it, or an older version did", "page"
        )
        return
    try:
        proof = decode_json(rest.removesuffix(_END), where=path, type=_Proof, what="the proof of this page")
    except UserError as error:
        yield _finding(path, "", error.message, "page")
        return
    if digest(text).hex() != proof.page:
        yield _finding(path, "", "the page was changed after it was written", "page")
        return
    runs: list[Run] = []
    for source in proof.runs:
        folder = path.parent / source.folder
        if not folder.is_dir():
            message = "the run is not here any more, so the page cannot be compared with it"
            yield Finding(str(folder), "", "warning", message, "", "missing")
            continue
        try:
            runs.append(load_run(folder, source.errors, source.weigh))  # type: ignore[arg-type]
        except UserError as error:
            yield _finding(folder, "", error.message, "run")
            continue
        now = proof_of(runs[-1])
        for key in (key for key, value in source.proof.items() if now.get(key) != value):
            yield _finding(folder, key, f"the page was made from other {_WHAT.get(key, key)}", "run")
    if len(runs) == len(proof.runs) and proof.made and proof.taskloom == __version__:
        yield from _check_numbers(path, text, runs, proof)


_WHAT = {"plan": "settings", "rows": "rows", "records": "records", "taskloom": "code: another version asked"}


def _check_numbers(path: Path, text: bytes, runs: list[Run], proof: _Proof) -> Iterator[Finding]:
    """Whether the runs give the same page once more."""
    from taskloom.report.build import build_report

    with TemporaryDirectory() as folder:
        again = Path(folder) / path.name
        build_report(runs, again, **proof.made)
        if read_bytes(again).rpartition(_BEGIN)[0] != text:
            yield _finding(path, "", "the runs give another page than this one", "numbers")


def _finding(file: Path, key: str, message: str, code: str) -> Finding:
    return Finding(str(file), key, "error", message, "write the page again: taskloom report RUN… -o FILE", code)
