"""Checks between files: tasks that are nearly the same, and sources that leak from test into training."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from heapq import nsmallest
from itertools import compress, islice
from operator import not_
from pathlib import Path
from typing import NamedTuple
from zlib import crc32

from taskloom.core import Finding
from taskloom.core.decode import read_bytes
from taskloom.families.superni.tracks import EVALUATION_METRICS
from taskloom.families.superni.view import TaskView

_SKETCH = 48
_ALIKE = 0.5
_LOOKED_AT = 120
_TURN = 8
_LATER = 1 << 32


class Fingerprint(NamedTuple):
    """What is kept of a file to compare it with the others."""

    file: str
    name: str
    definition: str
    category: str
    sources: tuple[str, ...]
    sketch: frozenset[int]


def fingerprint(path: Path, view: TaskView) -> Fingerprint:
    """The smallest hashes of its (input, output) pairs: the overlap of two such samples estimates that of the tasks.

    Pairs whose lengths add up to a multiple of `_TURN` come before all others, so that of a large file one pair in
    `_TURN` is hashed. Which pairs these are depends on their texts alone and is the same in every file.
    """
    inputs, outputs = view.inputs, view.first_outputs
    first = [not (len(text) + len(output)) % _TURN for text, output in zip(inputs, outputs, strict=True)]
    hashes = set(map(_hash, compress(inputs, first), compress(outputs, first)))
    if len(hashes) < _SKETCH:
        later = list(map(not_, first))
        hashes |= {_LATER + value for value in map(_hash, compress(inputs, later), compress(outputs, later))}
    category = view.header.get("Categories") or [""]
    source = view.header.get("Source") or []
    return Fingerprint(
        str(path),
        path.name.removesuffix(".json"),
        " ".join(view.definition.lower().split()),
        category if isinstance(category, str) else str(category[0]),
        (source,) if isinstance(source, str) else tuple(map(str, source)),
        frozenset(nsmallest(_SKETCH, hashes)),
    )


def _hash(text: str, output: str) -> int:
    return crc32(f"{text[:_LOOKED_AT]}\n{output[:40]}".encode("utf-8", "replace"))


def lint_across(root: Path, prints: Sequence[Fingerprint]) -> Iterator[Finding]:
    """Findings about pairs of files."""
    yield from _same_definition(prints)
    yield from _same_instances(prints)
    yield from _leaking(root, prints)


def _same_definition(prints: Sequence[Fingerprint]) -> Iterator[Finding]:
    first: dict[str, Fingerprint] = {}
    for one in prints:
        before = first.setdefault(one.definition, one)
        if before is not one and one.definition:
            message = f"the same definition as {before.name}"
            fix = "say in what this task differs, or merge the two"
            yield Finding(one.file, "Definition", "note", message, fix, "same-definition")


def _same_instances(prints: Sequence[Fingerprint]) -> Iterator[Finding]:
    holders: dict[int, list[int]] = {}
    for index, one in enumerate(prints):
        for value in one.sketch:
            holders.setdefault(value, []).append(index)
    shared: Counter[tuple[int, int]] = Counter()
    for found in holders.values():
        for place, second in enumerate(found):
            shared.update((first, second) for first in islice(found, place))
    for (first, second), times in sorted(shared.items()):
        one, other = prints[first], prints[second]
        smaller = min(len(one.sketch), len(other.sketch))
        if smaller and times / smaller >= _ALIKE:
            message = f"about {times / smaller:.0%} of its instances are those of {one.name}, answers included"
            yield Finding(other.file, "Instances", "warning", message, "keep one of the tasks", "near-duplicate")


def _leaking(root: Path, prints: Sequence[Fingerprint]) -> Iterator[Finding]:
    """Training tasks of a published list whose source a test task has too."""
    tested = {source: one.name for one in prints if one.category in EVALUATION_METRICS for source in one.sources}
    for track in ("default", "xlingual"):
        listed = root / "splits" / track / "train_tasks.txt"
        if not listed.is_file():
            continue
        names = set(read_bytes(listed).decode("utf-8", "replace").split())
        for one in prints:
            leak = next((source for source in one.sources if source in tested), None)
            if one.name in names and one.category not in EVALUATION_METRICS and leak is not None:
                message = f"trains in track {track!r}, but its source {leak!r} is that of the test task {tested[leak]}"
                fix = f"move it from {listed} to excluded_tasks.txt"
                yield Finding(one.file, "Source", "error", message, fix, "leaking-source")
