"""What every figure has in common: data, a drawing, and ways to write both down.

Text stays text (it can be searched, and scales on a phone), colours can be distinguished by colour-blind readers and in
grey, every mean has its interval, and every cell its denominator. Marks carry a title, which browsers show on hover.
"""

from __future__ import annotations

import re
from abc import abstractmethod
from pathlib import Path
from typing import Any

import msgspec

from taskloom.core.csv_table import encode_csv
from taskloom.figures.pdf import drawn_pdf
from taskloom.figures.pen import Pen
from taskloom.store.ownership import write_ours

WIDE, NARROW = 720.0, 340.0
"""Widths of a figure on a desk and on a phone."""


class Figure(msgspec.Struct, frozen=True, kw_only=True):
    """A picture as data. Subclasses hold typed marks and know how to draw them.

    Attributes:
        title: What it shows, for headings and screen readers.
        caption: What to look at, and what the marks mean.
    """

    title: str
    caption: str = ""

    @abstractmethod
    def columns(self) -> tuple[str, ...]:
        """The names of the columns of its data."""

    @abstractmethod
    def rows(self) -> list[tuple[Any, ...]]:
        """Its data, one row per mark."""

    @abstractmethod
    def draw(self, width: float) -> Pen:
        """The drawing on a sheet of at most this width; a narrow sheet is laid out in its own way."""

    def csv(self) -> str:
        """The data behind the figure."""
        return encode_csv(self.columns(), self.rows())

    def svg(self, width: float = WIDE) -> str:
        """An SVG element that fills its container and says to screen readers what it shows."""
        return self.draw(width).svg(self.title, self.caption)

    def pdf(self) -> bytes:
        """A PDF page of the figure's own size, with text as text."""
        return drawn_pdf(self.draw(WIDE))

    def files(self) -> dict[str, bytes]:
        """The figure in every format, by file ending: drawings to use elsewhere, and the data behind them."""
        return {"svg": _standalone(self.svg()), "pdf": self.pdf(), "csv": self.csv().encode()}

    def save(self, folder: str | Path, stem: str) -> list[Path]:
        """Write `stem.svg`, `stem.pdf` and `stem.csv` into a folder."""
        place = Path(folder)
        written = []
        for ending, data in self.files().items():
            path = place / f"{stem}.{ending}"
            write_ours(path, data)
            written.append(path)
        return written


def _standalone(svg: str) -> bytes:
    """An SVG file of its own: plain colours, and a size, so that editors and papers know how large it is meant."""
    box = re.search(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', svg)
    size = f' width="{box[1]}" height="{box[2]}"' if box else ""
    plain = re.sub(r"var\(--\w+,(#\w+)\)", r"\1", svg)
    return f'<?xml version="1.0" encoding="utf-8"?>\n{plain.replace("<svg", f"<svg{size}", 1)}\n'.encode()
