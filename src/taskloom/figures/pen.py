"""A pen that notes down what it draws: one list of shapes gives the SVG of pages and the PDF of papers.

Coordinates are CSS pixels with the origin at the top left. The colours of `INK`, `FAINT`, `GRID` and `PAPER` follow the
page a drawing stands in, so figures are readable on dark pages, too; a file of its own shows them as they are named.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from itertools import groupby
from typing import NamedTuple, TypeAlias

Point: TypeAlias = tuple[float, float]

INK, FAINT, GRID, PAPER = "#1f2933", "#667481", "#dfe3e8", "#ffffff"
_THEMED = {INK: "--ink", FAINT: "--faint", GRID: "--grid", PAPER: "--paper"}
_FONTS = "Inter, 'Segoe UI', 'Helvetica Neue', Arial, 'DejaVu Sans', sans-serif"


class MarkShape(NamedTuple):
    """One thing drawn: a polygon, an open line, a circle (its centre and radius), or a text (its place).

    Attributes:
        kind: polygon, line, circle or text.
        points: Its corners, or the one place of a circle or text.
        fill: The colour inside, None for none.
        stroke: The colour of the outline, None for none.
        width: The width of the outline.
        opacity: From 0 to 1.
        dash: The lengths of dashes and gaps, empty for a whole line.
        size: The radius of a circle, or the height of a text.
        text: What a text says.
        anchor: Where a text's place is: start, middle or end.
        rotate: Degrees that a text is turned, clockwise.
        bold: Whether a text is bold.
        title: What to show on hover.
        link: Where a click leads.
    """

    kind: str
    points: tuple[Point, ...]
    fill: str | None = None
    stroke: str | None = None
    width: float = 1.0
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

    def rect(
        self, x: float, y: float, width: float, height: float, *, fill: str | None = None, stroke: str | None = None,
        line: float = 1.0, opacity: float = 1.0, dash: tuple[float, ...] = (), title: str = "",
    ) -> None:  # fmt: skip
        """A rectangle by its top left corner and size."""
        corners = ((x, y), (x + width, y), (x + width, y + height), (x, y + height))
        self.polygon(corners, fill=fill, stroke=stroke, line=line, opacity=opacity, dash=dash, title=title)

    def polygon(
        self, points: Sequence[Point], *, fill: str | None = None, stroke: str | None = None, line: float = 1.0,
        opacity: float = 1.0, dash: tuple[float, ...] = (), title: str = "",
    ) -> None:  # fmt: skip
        """A closed shape."""
        self.shapes.append(MarkShape("polygon", tuple(points), fill, stroke, line, opacity, dash, title=title))

    def line(
        self, points: Sequence[Point], stroke: str, width: float = 1.0, *, opacity: float = 1.0,
        dash: tuple[float, ...] = (), title: str = "",
    ) -> None:  # fmt: skip
        """An open line."""
        self.shapes.append(MarkShape("line", tuple(points), None, stroke, width, opacity, dash, title=title))

    def circle(
        self, x: float, y: float, radius: float, *, fill: str | None = None, stroke: str | None = None,
        line: float = 1.0, opacity: float = 1.0, title: str = "",
    ) -> None:  # fmt: skip
        """A circle."""
        self.shapes.append(MarkShape("circle", ((x, y),), fill, stroke, line, opacity, size=radius, title=title))

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
        style += f";stroke:{_colour(shape.stroke)};stroke-width:{_number(shape.width)}"
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
