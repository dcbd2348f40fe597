"""The texts of an archive as a cached Parquet table, with source and licence in every row."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache, partial
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple
from unicodedata import normalize

import msgspec

from taskloom.core import UserError
from taskloom.core.decode import decode_json, decoding, read_toml
from taskloom.core.folders import cache_folder
from taskloom_open.archives.archive import Archive, open_archive
from taskloom_open.archives.fetch import archive_path, missing, verify
from taskloom_open.archives.packages import SourcePackage, package

VERSION = 4
"""Raised whenever an extractor gives other rows."""


class SourceText(NamedTuple):
    """One piece of material.

    Attributes:
        id: What it is, the same in every language: an article, a message key, a synset, a country.
        language: The language's ISO 639 name.
        text: The text.
        more: What else belongs to it: labels, links, inflected forms. JSON values only.
    """

    id: str
    language: str
    text: str
    more: dict[str, Any]


Extractor = Callable[[Archive], Iterator[SourceText]]


def _extractor(one: SourcePackage) -> Extractor:
    """What reads an archive: as the record of its table says, or a function of its own."""
    extractors: Any = import_module("taskloom_open.archives.extractors")
    if one.reading is not None:
        return partial(extractors.plain, how=one.reading)
    found: Extractor = getattr(extractors, one.name)
    return found


def require(names: list[str]) -> None:
    """Raise unless every archive is at hand.

    Raises:
        UserError: Names what is missing, and the command that gets it.
    """
    absent = missing(names)
    if absent:
        listed = ", ".join(one.name for one in absent)
        raise UserError(
            f"{len(absent)} of {len(names)} sources are missing: {listed}",
            hint=f"taskloom sources get {' '.join(one.name for one in absent) if len(absent) < 8 else ''}".rstrip(),
        )


def _table_path(one: SourcePackage) -> Path:
    return cache_folder() / "texts" / f"{one.name}-{one.sha256[:12]}-{VERSION}.parquet"


def extract(name: str, path: Path | None = None) -> list[SourceText]:
    """The texts of one archive, read anew.

    Args:
        name: The source.
        path: The archive, where it is not the cached and pinned one (tests read invented ones).
    """
    one = package(name)
    if path is None:
        require([name])
        path = archive_path(one)
        verify(one, path)
    found: dict[tuple[str, str], SourceText] = {}
    for row in _extractor(one)(open_archive(path)):
        found.setdefault((row.id, row.language), row)
    return list(found.values())


@lru_cache(maxsize=1)
def misprints() -> dict[str, re.Pattern[str]]:
    """What finds the known misprints of each language."""
    held = read_toml(Path(__file__).with_name("misprints.toml"), type=dict[str, list[str]])
    return {name: re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, words))})(?!\w)") for name, words in held.items()}


def misprinted(row: SourceText) -> bool:
    """Whether a text, or one of its example sentences, has a known misprint."""
    wrong = misprints().get(row.language)
    texts = (row.text, *row.more.get("examples", ()))
    return wrong is not None and any(wrong.search(normalize("NFC", text)) for text in texts)


@lru_cache(maxsize=128)
def read_table(name: str) -> tuple[SourceText, ...]:
    """The texts of a source without misprints."""
    return tuple(row for row in _read(name) if not misprinted(row))


def _read(name: str) -> Iterable[SourceText]:
    """The texts of a source, from the cached table where there is one."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    one = package(name)
    path = _table_path(one)
    if path.is_file():
        try:
            with decoding(path, "the kept table"):
                columns = pq.read_table(path, columns=["id", "language", "text", "more"]).to_pydict()
                return [
                    SourceText(*row[:3], decode_json(row[3], where=path))
                    for row in zip(columns["id"], columns["language"], columns["text"], columns["more"], strict=True)
                ]
        except UserError:
            path.unlink(missing_ok=True)  # a file of our own cache, made anew from the pinned archive
    rows = extract(name)
    table = pa.table(
        {
            "id": [row.id for row in rows],
            "language": [row.language for row in rows],
            "text": [row.text for row in rows],
            "more": [msgspec.json.encode(row.more).decode() for row in rows],
            "source": [f"{one.manager}:{one.distribution}=={one.version}"] * len(rows),
            "licence": [one.licence] * len(rows),
        }
    )
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_suffix(".part")
    pq.write_table(table, draft, compression="zstd")
    draft.replace(path)
    return rows
