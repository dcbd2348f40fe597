"""CSV that spreadsheets cannot take for formulas, and the reader that undoes it.

A cell that begins with `=`, `+`, `-` or `@` is a formula to a spreadsheet, and what models write into cells may be one
that fetches an address. Such texts are written with an apostrophe before them; numbers are left as they are. The
pages' own buttons do the same (`csvText` in `report/static/state.js`).
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from taskloom.core.decode import decoding, open_packed
from taskloom.core.errors import UserError

_FORMULA = re.compile(r"[ \t\r\n\u00a0']*[=+\-@\uff1d\uff0b\uff0d\uff20]|'*[\t\r]")
_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?%?")
_QUOTED = re.compile(r'[",\n\r]')
_ESCAPED = re.compile(rf"'(?:{_FORMULA.pattern})")


def _cell(value: Any) -> str:
    text = "" if value is None else str(value)
    if isinstance(value, str) and _FORMULA.match(text) and not _NUMBER.fullmatch(text):
        text = f"'{text}"
    return '"' + text.replace('"', '""') + '"' if _QUOTED.search(text) else text


def encode_csv(columns: Sequence[Any], rows: Iterable[Sequence[Any]]) -> str:
    """A table as CSV; what is missing is empty, and no cell is a formula."""
    # An empty line is no row, so a row of one empty cell is quoted.
    return "".join(f"{','.join(map(_cell, row)) or chr(34) * 2}\n" for row in (columns, *rows))


def _text_lines(path: str | Path) -> Iterator[str]:
    with open_packed(path) as file:
        for number, line in enumerate(file, start=1):
            with decoding(f"{path}:{number}", "this line"):
                text = line.decode("utf-8-sig" if number == 1 else "utf-8")
            yield text


def read_csv(path: str | Path, *, delimiter: str = ",", columns: Sequence[str] = ()) -> Iterator[dict[str, str]]:
    """The rows of a CSV file with a header, as texts, without the apostrophes of `encode_csv`.

    Raises:
        UserError: A column of `columns` is missing, or a row has more or fewer fields than the header.
    """
    table = csv.reader(_text_lines(path), delimiter=delimiter, strict=True)
    with decoding(path, "the table"):
        header = [_plain(name) for name in next(table, [])]
    for name in columns:
        if name not in header:
            raise UserError(f"the column {name!r} is missing", where=str(path))
    while True:
        with decoding(f"{path}:{table.line_num + 1}", "this row"):
            row = next(table, None)
            if row is None:
                return
            if row and len(row) != len(header):
                raise ValueError(f"{len(row)} fields under {len(header)} columns")
        if row:
            yield {name: _plain(row[place]) for place, name in enumerate(header)}


def _plain(cell: str) -> str:
    return cell[1:] if _ESCAPED.match(cell) and not _NUMBER.fullmatch(cell[1:]) else cell
