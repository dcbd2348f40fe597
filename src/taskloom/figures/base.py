"""What every figure has in common: data, a look, and ways to write it down.

Text stays text (it can be searched, and scales on a phone), colours can be told apart by colour-blind readers and in
grey, every mean has its interval, and every cell its denominator. Marks carry a title, which browsers show on hover.
"""

from __future__ import annotations

import csv
import io
import re
from abc import abstractmethod
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from taskloom.core import missing_extra
from taskloom.store.atomic import write_atomically

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas

__all__ = ["COLOURS", "FAINT", "GRID", "INK", "Figure", "colour", "colour_map", "legend", "short"]

# Paul Tol's bright scheme: distinct under the common forms of colour blindness.
COLOURS = ("#4477AA", "#EE6677", "#228833", "#AA3377", "#CCBB44", "#66CCEE", "#555555", "#EE8866")
INK, FAINT, GRID = "#1f2933", "#7b8794", "#e4e7eb"
_LONGEST_LABEL = 40
_LEGEND_LETTERS = 90
"""How many letters fit side by side over a figure; a legend that is wider is cut off."""
_STYLE = {
    "svg.fonttype": "none",
    "svg.hashsalt": "taskloom",
    "pdf.fonttype": 42,
    "font.family": "sans-serif",
    "font.sans-serif": ["Inter", "Segoe UI", "Helvetica Neue", "Arial", "DejaVu Sans"],
    "font.size": 10,
    "text.color": INK,
    "axes.labelcolor": INK,
    "xtick.color": FAINT,
    "ytick.color": INK,
}


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
    def size(self) -> tuple[float, float]:
        """Width and height in inches."""

    @abstractmethod
    def draw(self, axes: Axes, note: Notes) -> None:
        """Draw the marks. `note(artist, text)` gives a mark its title."""

    def csv(self) -> str:
        """The data behind the figure."""
        buffer = io.StringIO()
        writer = csv.writer(buffer, lineterminator="\n")
        writer.writerow(self.columns())
        writer.writerows(self.rows())
        return buffer.getvalue()

    def svg(self) -> str:
        """An SVG element that fills its container and tells screen readers what it shows."""
        canvas, notes = self._canvas()
        buffer = io.StringIO()
        canvas.savefig(buffer, format="svg", transparent=True, metadata={"Date": None, "Creator": None})
        text = buffer.getvalue()
        head, rest = text[text.index("<svg") :].split(">", 1)
        words = [word for word in head.split() if not word.startswith(("width=", "height="))]
        # A small figure stays small on a wide screen; any figure shrinks on a phone.
        widest = round(float(canvas.get_figwidth()) * 130)
        label = escape(self.title, quote=True)
        return f'{" ".join(words)} style="max-width:{widest}px" role="img" aria-label="{label}">{notes.inserted(rest)}'

    def pdf(self) -> bytes:
        """A PDF page of the figure's own size, with text as text."""
        canvas, _ = self._canvas()
        buffer = io.BytesIO()
        canvas.savefig(buffer, format="pdf", metadata={"CreationDate": None, "Creator": None, "Producer": None})
        return buffer.getvalue()

    def save(self, folder: str | Path, stem: str) -> list[Path]:
        """Write `stem.svg`, `stem.pdf` and `stem.csv` into a folder."""
        place = Path(folder)
        place.mkdir(parents=True, exist_ok=True)
        written = []
        for ending, data in (("svg", _standalone(self.svg())), ("pdf", self.pdf()), ("csv", self.csv().encode())):
            path = place / f"{stem}.{ending}"
            write_atomically(path, data)
            written.append(path)
        return written

    def _canvas(self) -> tuple[Canvas, Notes]:
        try:
            from matplotlib import rc_context
            from matplotlib.backends.backend_svg import FigureCanvasSVG
            from matplotlib.figure import Figure as Canvas
        except ImportError:
            raise missing_extra("matplotlib", "report", "drawing figures") from None
        notes = Notes()
        with rc_context(_STYLE):
            canvas = Canvas(figsize=self.size(), layout="constrained")
            FigureCanvasSVG(canvas)
            axes = canvas.subplots()
            for side in ("top", "right", "left", "bottom"):
                axes.spines[side].set_visible(False)
            axes.tick_params(length=0)
            self.draw(axes, notes)
            canvas.draw_without_rendering()
        # The style is read when text is laid out, so it has to hold while the figure is written, too.
        canvas.savefig = _styled(canvas.savefig)  # type: ignore[method-assign]
        return canvas, notes


def _styled(save: Any) -> Any:
    def within(*arguments: Any, **options: Any) -> Any:
        from matplotlib import rc_context

        with rc_context(_STYLE):
            return save(*arguments, **options)

    return within


def _standalone(svg: str) -> bytes:
    """An SVG file of its own: a size in points, so that editors and papers know how large it is meant."""
    box = re.search(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', svg)
    size = f' width="{box[1]}pt" height="{box[2]}pt"' if box else ""
    return f'<?xml version="1.0" encoding="utf-8"?>\n{svg.replace("<svg", f"<svg{size}", 1)}\n'.encode()


class Notes:
    """Titles of marks, put into the SVG after matplotlib has written it."""

    def __init__(self) -> None:
        self._texts: dict[str, str] = {}

    def __call__(self, artist: Any, text: str) -> None:
        """Give a mark a title."""
        name = f"mark-{len(self._texts)}"
        artist.set_gid(name)
        self._texts[name] = text

    def inserted(self, svg: str) -> str:
        """The SVG with a title inside every noted group."""
        return re.sub(
            r'<g id="(mark-\d+)">', lambda found: f"{found[0]}<title>{escape(self._texts[found[1]])}</title>", svg
        )


def short(label: str) -> str:
    """A label that fits: long ones lose their middle."""
    # A dollar sign would start mathematics.
    text = label.replace("$", r"\$").replace("\n", " ")
    if len(text) <= _LONGEST_LABEL:
        return text
    # What tells two long names apart mostly stands at their ends.
    head = _LONGEST_LABEL // 3
    return f"{text[:head]}…{text[head + 1 - _LONGEST_LABEL :]}"


def colour(place: int) -> str:
    """The colour of a series by its place."""
    return COLOURS[place % len(COLOURS)]


def legend(axes: Axes, names: list[str]) -> None:
    """Names of several series above a figure, as many side by side as fit."""
    if len(names) < 2:
        return
    from matplotlib.lines import Line2D

    handles = [
        Line2D([], [], marker="o", linestyle="", color=colour(place), label=short(name))
        for place, name in enumerate(names)
    ]
    longest = max(len(short(name)) for name in names)
    columns = max(1, min(3, len(names), _LEGEND_LETTERS // (longest + 5)))
    axes.legend(handles=handles, loc="lower left", bbox_to_anchor=(0, 1.0), ncols=columns, frameon=False, fontsize=9)


def colour_map() -> Any:
    """Red for failing, pale for half, blue for solved: readable in grey, and by colour-blind readers."""
    from matplotlib.colors import LinearSegmentedColormap

    shades = ["#B2182B", "#EF8A62", "#FDF3E7", "#92C5DE", "#2166AC"]
    return LinearSegmentedColormap.from_list("taskloom", shades, N=25)
