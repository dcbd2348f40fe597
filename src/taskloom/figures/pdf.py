"""A drawing as a PDF page of its own size, with text as text in an embedded font."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

from taskloom.core import missing_extra
from taskloom.figures.pen import MarkShape, Pen

if TYPE_CHECKING:
    from matplotlib.axes import Axes

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
        raise missing_extra("matplotlib", "report", "figures as PDF") from None
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
    line: dict[str, Any] = {"linewidth": shape.width * _POINTS, "alpha": shape.opacity, "zorder": order}
    if shape.dash:
        line["linestyle"] = (0, tuple(length / max(shape.width, 0.5) for length in shape.dash))
    if shape.kind == "line":
        xs, ys = zip(*shape.points, strict=True)
        axes.add_line(Line2D(xs, ys, color=shape.stroke, solid_capstyle="butt", **line))
        return
    face: dict[str, Any] = {"facecolor": shape.fill or "none", "edgecolor": shape.stroke or "none", **line}
    if shape.kind == "circle":
        axes.add_patch(Ellipse(shape.points[0], 2 * shape.size, 2 * shape.size, **face))
    else:
        axes.add_patch(Polygon(shape.points, closed=True, **face))
