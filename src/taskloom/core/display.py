"""How objects show themselves: a short line in a terminal, a small table in a notebook."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import Any

__all__ = ["clipped", "html_table"]

_LONGEST = 160


def clipped(text: Any, length: int = _LONGEST) -> str:
    """Text on one line, cut where it is long."""
    line = " ".join(str(text).split())
    return line if len(line) <= length else f"{line[: length - 1]}…"


def html_table(title: str, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """A table for notebooks; whatever stands in it is shown as text."""
    head = "".join(f"<th style='text-align:left'>{escape(name)}</th>" for name in columns)
    body = "".join(
        "<tr>" + "".join(f"<td style='text-align:left'>{escape(clipped(cell))}</td>" for cell in row) + "</tr>"
        for row in rows
    )
    caption = f"<caption style='text-align:left;font-weight:bold'>{escape(title)}</caption>"
    return f"<table>{caption}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
