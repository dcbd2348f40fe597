"""How objects show themselves: a short line in a terminal, a small table in a notebook."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from html import escape
from importlib import import_module
from typing import Any

_LONGEST = 160
_COLOURS = {"red": 31, "green": 32, "yellow": 33}


def clipped(text: Any, length: int = _LONGEST) -> str:
    """Text on one line, cut where it is long."""
    line = " ".join(str(text).split())
    return line if len(line) <= length else f"{line[: length - 1]}…"


def counted(number: int, thing: str, things: str = "") -> str:
    """`1 run`, `2 runs`."""
    return f"{number:,} {thing if number == 1 else things or thing + 's'}"


def printable(text: str) -> str:
    """Text that any file and any tokenizer can hold: lone surrogates become visible escapes."""
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode("utf-8")


def paint(text: str, colour: str, stream: Any) -> str:
    """Text in a colour where the stream is a terminal that has colours, unless `NO_COLOR` is set."""
    if not stream.isatty() or os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return text
    return f"\x1b[{_COLOURS[colour]}m{text}\x1b[0m"


def html_table(title: str, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """A table for notebooks; its cells are shown as text."""
    head = "".join(f"<th style='text-align:left'>{escape(name)}</th>" for name in columns)
    body = "".join(
        "<tr>" + "".join(f"<td style='text-align:left'>{escape(clipped(cell))}</td>" for cell in row) + "</tr>"
        for row in rows
    )
    caption = f"<caption style='text-align:left;font-weight:bold'>{escape(title)}</caption>" if title else ""
    return f"<table>{caption}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def notebook_view(value: Any) -> str:
    """The page about a run, a frontier or a comparison, for a cell of a notebook.

    Pages are drawn by a room after those of the objects, which therefore name it only when they are shown.
    """
    view: str = import_module("taskloom.report.build").inline(value)
    return view
