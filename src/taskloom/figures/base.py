"""What every figure has in common: data, a drawing, and ways to write both down.

Text stays text (it can be searched, and scales on a phone), colours can be distinguished by colour-blind readers and in
grey, every mean has its interval, and every cell its denominator. Marks carry a title, which browsers show on hover.

A pen notes down what it draws: one list of shapes gives the SVG of pages and the PDF of papers. Coordinates are CSS
pixels with the origin at the top left. The colours of `INK`, `FAINT`, `GRID` and `PAPER` follow the page a drawing
stands in, so figures are readable on dark pages, too; a file of its own shows them as they are named.
"""

from __future__ import annotations

import io
import re
from abc import abstractmethod
from collections.abc import Sequence
from html import escape
from itertools import groupby
from math import ceil, floor, log10
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, TypedDict, Unpack

import msgspec

from taskloom.core import missing_extra
from taskloom.store.ownership import write_ours

if TYPE_CHECKING:
    from matplotlib.axes import Axes


Point: TypeAlias = tuple[float, float]

INK, FAINT, GRID, PAPER = "#1f2933", "#667481", "#dfe3e8", "#ffffff"
_THEMED = {INK: "--ink", FAINT: "--faint", GRID: "--grid", PAPER: "--paper"}
_FONTS = "Inter, 'Segoe UI', 'Helvetica Neue', Arial, 'DejaVu Sans', sans-serif"


class Style(TypedDict, total=False):
    """How a shape may look; the fields are those of `MarkShape`."""

    fill: str | None
    stroke: str | None
    line: float
    opacity: float
    dash: tuple[float, ...]
    title: str


class MarkShape(NamedTuple):
    """One thing drawn: a polygon, an open line, a circle (its centre and radius), or a text (its place).

    Attributes:
        kind: polygon, line, circle or text.
        points: Its corners, or the one place of a circle or text.
        fill, stroke: The colours inside and of the outline, None for none.
        line: The width of the outline.
        opacity: From 0 to 1.
        dash: The lengths of dashes and gaps, empty for a whole line.
        size: The radius of a circle, or the height of a text.
        anchor: Where a text's place is: start, middle or end.
        rotate: Degrees that a text is turned, clockwise.
        title: What to show on hover.
        link: Where a click leads.
    """

    kind: str
    points: tuple[Point, ...]
    fill: str | None = None
    stroke: str | None = None
    line: float = 1.0
    opacity: float = 1.0
    dash: tuple[float, ...] = ()
    size: float = 0.0
    text: str = ""
    anchor: str = "start"
    rotate: float = 0.0
    bold: bool = False
    title: str = ""
    link: str = ""


class Pen:
    """Draws on a sheet of some width; the height is set when it is known."""

    def __init__(self, width: float, height: float = 0.0) -> None:
        self.width = width
        self.height = height
        self.shapes: list[MarkShape] = []

    def rect(self, x: float, y: float, width: float, height: float, **style: Unpack[Style]) -> None:
        """A rectangle by its top left corner and size."""
        self.polygon(((x, y), (x + width, y), (x + width, y + height), (x, y + height)), **style)

    def polygon(self, points: Sequence[Point], **style: Unpack[Style]) -> None:
        self.shapes.append(MarkShape("polygon", tuple(points), **style))

    def line(
        self, points: Sequence[Point], stroke: str, width: float = 1.0, *, dash: tuple[float, ...] = (), title: str = ""
    ) -> None:
        self.shapes.append(MarkShape("line", tuple(points), None, stroke, width, dash=dash, title=title))

    def circle(self, x: float, y: float, radius: float, **style: Unpack[Style]) -> None:
        self.shapes.append(MarkShape("circle", ((x, y),), size=radius, **style))

    def text(
        self, x: float, y: float, text: str, *, size: float = 12.0, fill: str = INK, anchor: str = "start",
        rotate: float = 0.0, bold: bool = False, title: str = "",
    ) -> None:  # fmt: skip
        """A line of text; `y` is the middle of its small letters."""
        shape = MarkShape("text", ((x, y),), fill, size=size, text=text, anchor=anchor, rotate=rotate, bold=bold)
        self.shapes.append(shape._replace(title=title))

    def leads_to(self, link: str, first: int) -> None:
        """Make the shapes from a number on lead somewhere."""
        self.shapes[first:] = [shape._replace(link=link) for shape in self.shapes[first:]]

    def svg(self, title: str, caption: str = "") -> str:
        """An SVG element that fills its container up to its own width and says to screen readers what it shows."""
        label = escape(f"{title}. {caption}" if caption else title, quote=True)
        body = "".join(
            _linked(link, list(shapes)) if link else "".join(map(_element, shapes))
            for link, shapes in groupby(self.shapes, key=lambda shape: shape.link)
        )
        # What can be followed must not hide inside an image.
        role = "group" if any(shape.link for shape in self.shapes) else "img"
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_number(self.width)} {_number(self.height)}" '
            f'style="max-width:{_number(self.width)}px" font-family="{_FONTS}" role="{role}" aria-label="{label}">'
            f"{body}</svg>"
        )


def _number(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".")


def _colour(value: str | None) -> str:
    if value is None:
        return "none"
    return f"var({_THEMED[value]},{value})" if value in _THEMED else value


def _linked(link: str, shapes: Sequence[MarkShape]) -> str:
    said = next((shape.title for shape in shapes if shape.title), "")
    inside = "".join(map(_element, shapes))
    return f'<a href="{escape(link, quote=True)}" aria-label="{escape(said, quote=True)}">{inside}</a>'


def _element(shape: MarkShape) -> str:
    inside = f"<title>{escape(shape.title)}</title>" if shape.title else ""
    if shape.kind == "text":
        return _text(shape, inside)
    style = f"fill:{_colour(shape.fill)}"
    if shape.stroke is not None:
        style += f";stroke:{_colour(shape.stroke)};stroke-width:{_number(shape.line)}"
    if shape.dash:
        style += f";stroke-dasharray:{' '.join(map(_number, shape.dash))}"
    if shape.opacity < 1:
        style += f";opacity:{_number(shape.opacity)}"
    if shape.kind == "circle":
        (x, y), *_ = shape.points
        return (
            f'<circle cx="{_number(x)}" cy="{_number(y)}" r="{_number(shape.size)}" style="{style}">{inside}</circle>'
        )
    way = "L".join(f"{_number(x)} {_number(y)}" for x, y in shape.points)
    closed = "Z" if shape.kind == "polygon" else ""
    return f'<path d="M{way}{closed}" style="{style}">{inside}</path>'


def _text(shape: MarkShape, inside: str) -> str:
    (x, y), *_ = shape.points
    x_text, y_text = _number(x), _number(y + 0.35 * shape.size)
    turned = f' transform="rotate({_number(shape.rotate)} {_number(x)} {_number(y)})"' if shape.rotate else ""
    style = f"fill:{_colour(shape.fill)};font-size:{_number(shape.size)}px"
    style += f";text-anchor:{shape.anchor}" if shape.anchor != "start" else ""
    style += ";font-weight:600" if shape.bold else ""
    return f'<text x="{x_text}" y="{y_text}"{turned} style="{style}">{escape(shape.text)}{inside}</text>'


# Paul Tol's bright scheme: distinct under the common forms of colour blindness.
COLOURS = ("#4477AA", "#EE6677", "#228833", "#AA3377", "#CCBB44", "#66CCEE", "#777777", "#EE8866")
# Letters on shades, which are the same in dark mode. Pure white would stand for the paper and turn dark with it.
LIGHT, DARK = "#fefefe", "#1a2029"
"""Letters on a coloured ground, on a page of any colour."""

_SHADES = ((0xB2, 0x18, 0x2B), (0xEF, 0x8A, 0x62), (0xFD, 0xF3, 0xE7), (0x92, 0xC5, 0xDE), (0x21, 0x66, 0xAC))
_LONGEST_LABEL = 40
_NARROW, _WIDE = frozenset("iljtfrI.,:;'|!()[]{} /"), frozenset("mwMW@%—…")
_EAST_ASIAN = 0x2E80


def colour(place: int) -> str:
    """The colour of a series by its place."""
    return COLOURS[place % len(COLOURS)]


def shade(value: float) -> str:
    """Red for failing, pale for half, blue for solved: readable in grey, and by colour-blind readers."""
    place = min(max(value, 0.0), 1.0) * (len(_SHADES) - 1)
    low = min(int(place), len(_SHADES) - 2)
    part = place - low
    mixed = (round(a + (b - a) * part) for a, b in zip(_SHADES[low], _SHADES[low + 1], strict=True))
    return "#" + "".join(f"{channel:02x}" for channel in mixed)


def on_shade(value: float, strength: float = 1.0) -> str:
    """The colour of letters on a shade, which may be faint."""
    if strength < 0.6:
        return INK
    return LIGHT if value < 0.2 or value > 0.85 else DARK


def short(label: str, longest: int = _LONGEST_LABEL) -> str:
    """A label that fits: long ones lose their middle, since what tells them apart mostly stands at their ends."""
    text = " ".join(label.split())
    if len(text) <= longest:
        return text
    head = longest // 3
    return f"{text[:head]}…{text[head + 1 - longest :]}"


def fit(label: str, room: float, size: float = 12.0) -> str:
    """A label no wider than there is room for it."""
    text = " ".join(label.split())
    longest = len(text)
    while longest > 3 and width_of(short(text, longest), size) > room:
        longest -= 1
    return short(text, longest)


def width_of(text: str, size: float = 12.0) -> float:
    """About how wide a text is in a common sans-serif face."""
    total = 0.0
    for letter in text:
        if letter in _NARROW:
            total += 0.32
        elif letter in _WIDE:
            total += 0.88
        elif ord(letter) >= _EAST_ASIAN:
            total += 1.0
        else:
            total += 0.67 if letter.isupper() else 0.56
    return total * size


def wrapped(text: str, width: float, size: float = 12.0) -> list[str]:
    """A text in lines that fit a width."""
    lines: list[str] = []
    for word in text.split():
        if lines and width_of(f"{lines[-1]} {word}", size) <= width:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return lines


def ticks(low: float, high: float, most: int = 6) -> list[float]:
    """Round numbers from low to high."""
    if high <= low:
        return [low]
    rough = (high - low) / max(1, most - 1)
    unit = 10 ** floor(log10(rough))
    step = next(unit * factor for factor in (1, 2, 2.5, 5, 10) if unit * factor >= rough * 0.999)
    return [round(number * step, 10) for number in range(ceil(low / step - 1e-9), floor(high / step + 1e-9) + 1)]


def legend(pen: Pen, names: Sequence[str]) -> float:
    """Names of several series, as many side by side as fit; returns where the drawing may begin."""
    if len(names) < 2:
        return 2.0
    x, row = 0.0, 11.0
    for place, name in enumerate(names):
        label = short(name, 44)
        width = 18 + width_of(label) + 16
        if x and x + width > pen.width:
            x, row = 0.0, row + 19
        pen.circle(x + 6, row, 5, fill=colour(place))
        pen.text(x + 16, row, label, title=name)
        x += width
    return row + 18


def score_axis(pen: Pen, left: float, right: float, top: float, bottom: float, ends: tuple[float, float]) -> None:
    """Grid lines with numbers below them."""
    low, high = ends
    marks = [0, 0.25, 0.5, 0.75, 1] if ends == (0.0, 1.0) else ticks(low, high)
    for mark in marks:
        x = left + (mark - low) / (high - low) * (right - left)
        pen.line(((x, top), (x, bottom)), GRID)
        pen.text(x, bottom + 11, f"{mark:g}", size=11, fill=FAINT, anchor="middle")


_PER_INCH = 96
_POINTS = 72 / _PER_INCH
_STYLE = {"pdf.fonttype": 42, "font.family": "sans-serif", "text.parse_math": False,
          "font.sans-serif": ["Inter", "Helvetica Neue", "Arial", "DejaVu Sans"]}  # fmt: skip


def drawn_pdf(pen: Pen) -> bytes:
    """The shapes of a pen as PDF; equal drawings give equal bytes."""
    try:
        from matplotlib import rc_context
        from matplotlib.backends.backend_pdf import FigureCanvasPdf
        from matplotlib.figure import Figure
    except ImportError:
        raise missing_extra("matplotlib", "report", "a figure as PDF") from None
    buffer = io.BytesIO()
    with rc_context(_STYLE):
        sheet = Figure(figsize=(pen.width / _PER_INCH, pen.height / _PER_INCH))
        FigureCanvasPdf(sheet)
        axes = sheet.add_axes((0, 0, 1, 1))
        axes.set_axis_off()
        axes.set_xlim(0, pen.width)
        axes.set_ylim(pen.height, 0)
        for order, shape in enumerate(pen.shapes):
            _add(axes, shape, order)
        sheet.savefig(buffer, format="pdf", metadata={"CreationDate": None, "Creator": None, "Producer": None})
    return buffer.getvalue()


def _add(axes: Axes, shape: MarkShape, order: int) -> None:
    from matplotlib.lines import Line2D
    from matplotlib.patches import Ellipse, Polygon

    if shape.kind == "text":
        (x, y), *_ = shape.points
        side: Any = {"start": "left", "middle": "center", "end": "right"}[shape.anchor]
        axes.text(x, y, shape.text, fontsize=shape.size * _POINTS, color=shape.fill, ha=side, va="center",
                  rotation=-shape.rotate, rotation_mode="anchor", zorder=order,
                  fontweight="bold" if shape.bold else "normal")  # fmt: skip
        return
    line: dict[str, Any] = {"linewidth": shape.line * _POINTS, "alpha": shape.opacity, "zorder": order}
    if shape.dash:
        line["linestyle"] = (0, tuple(length / max(shape.line, 0.5) for length in shape.dash))
    if shape.kind == "line":
        xs, ys = zip(*shape.points, strict=True)
        axes.add_line(Line2D(xs, ys, color=shape.stroke, solid_capstyle="butt", **line))
        return
    face: dict[str, Any] = {"facecolor": shape.fill or "none", "edgecolor": shape.stroke or "none", **line}
    if shape.kind == "circle":
        axes.add_patch(Ellipse(shape.points[0], 2 * shape.size, 2 * shape.size, **face))
    else:
        axes.add_patch(Polygon(shape.points, closed=True, **face))


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
        from taskloom.core.csv_table import encode_csv

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
