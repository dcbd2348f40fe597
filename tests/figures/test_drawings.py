"""Every kind of figure, drawn on a desk and on a phone, mark by mark: where it stands, its colour, its title.

`drawings.txt` holds it; see `tests/approved.py`.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from approved import approved
from taskloom.figures import (
    NARROW,
    BubblePlot,
    Count,
    CountPlot,
    HeatCell,
    HeatMap,
    IntervalPlot,
    IntervalPoint,
    Line,
    LinePlot,
    LinePoint,
    PairCell,
    PairMatrix,
    PromisePlot,
    PromiseRow,
    ScatterPlot,
    ScatterPoint,
)  # fmt: skip
from taskloom.figures.base import WIDE, MarkShape, Pen

NAN = float("nan")
LONG = "a combination of conjunction, negation and coreference"
POINTS = (
    IntervalPoint("in", 0.5, 0.4, 0.6, 1200, "ours"),
    IntervalPoint(LONG, 0.999, 0.999, 0.999, 7, "ours"),
    IntervalPoint("in", 0.7, 0.7, 0.7, 0, "paper", True),
    IntervalPoint(LONG, NAN, 0.0, 1.0, 0, "ours"),
)
CURVE = (LinePoint(0, 0.1, 0.0, 0.2, 5), LinePoint(1, 0.3), LinePoint(4, NAN), LinePoint(8, 0.5, 0.3, 0.9, 1000))
NEAR = tuple(ScatterPoint(f"near {n}", 0.5, 0.5 + n / 1000, n) for n in range(1, 9))
FIGURES = {
    "intervals of two series": IntervalPlot(title="t", points=POINTS),
    "intervals without numbers": IntervalPlot(title="t", points=POINTS[:2], low=-1.0, high=2.0, values=False),
    "lines by doubling": LinePlot(title="t", x_name="dose", scale="doubling", lines=(
        Line("a", CURVE), Line("b", CURVE[2:], dashed=True), Line("paper", CURVE[:2], published=True))),
    "lines that fit their data": LinePlot(title="t", x_name="x", lines=(Line("a", CURVE),), low=None, high=None),
    "lines by tenfold steps": LinePlot(title="t", x_name="x", scale="log", high=0.8, lines=(
        Line("a", tuple(LinePoint(10**n, n / 10, n / 20, n / 5) for n in range(4))),)),
    "a line of many points": LinePlot(title="t", x_name="x", scale="log", lines=(
        Line("a", tuple(LinePoint(n + 1, n / 50) for n in range(41))),)),
    "points about a diagonal": ScatterPlot(title="t", x_name="x", y_name="y", points=(
        *NEAR, ScatterPoint("above", 0.1, 0.9, 3), ScatterPoint(LONG, 0.95, 0.05, 40), ScatterPoint("even", 0.2, 0.2))),
    "points with intervals and fits": ScatterPlot(
        title="t", x_name="x", y_name="y", diagonal=False, unit=False, fits=(("b", 0.5, 2.0), ("", 1.0, 0.0)),
        points=(ScatterPoint("one", 2.0, 5.0, 9, "a", (1.0, 3.0), (4.0, 6.5)), ScatterPoint("two", 4.0, 7.5, 9, "b"))),
    "a single point": ScatterPlot(title="t", x_name="x", y_name="y", unit=False, points=(ScatterPoint("p", -3, 4),)),
    "heat": HeatMap(title="t", row_name="row", column_name="column", column_order=("y", "none", "x"), cells=(
        HeatCell("r", "x", 0.1, 0.0, 0.2, 1), HeatCell("r", "y", 0.87, 0.8, 1.0, 29, True),
        HeatCell(LONG, "x", 0.5, 0.4, 0.6, 1000, False), HeatCell(LONG, "y", NAN, 0.0, 1.0, 0))),
    "heat of many columns": HeatMap(title="t", full=5, cells=tuple(
        HeatCell("r", f"column {n}", n / 10, 0.0, 1.0, n) for n in range(11))),
    "pairs": PairMatrix(title="t", atoms=("coref", "conj", "neg"), cells=(
        PairCell("coref", "coref", 0.98, 0.9, 1.0, 30), PairCell("neg", "coref", 0.2, 0.1, 0.4, 30, "frontier", False),
        PairCell("conj", "neg", None), PairCell("conj", "coref", 0.7, 0.5, 0.9, 4, "inherited", True, "samples"))),
    "many pairs": PairMatrix(title="t", atoms=tuple("abcdefghijkl"), cells=tuple(
        PairCell(a, b, 0.5, 0.4, 0.6, 8, "asked", a == "c") for a in "abcdefghijkl" for b in "l")),
    "counts": CountPlot(title="t", counts=(Count(LONG, 6300), Count("b", 1), Count("c", 0))),
    "counts from 0": CountPlot(title="t", unit="words", scale="linear", counts=(Count("a", 63), Count("b", 1))),
    "bubbles": BubblePlot(title="t", counts=tuple(Count(name, n) for name, n in (
        ("Classification", 6300), ("Text to Code", 900), ("Question Answering", 120), ("c", 1),
        ("d", 0), ("e", 3), ("f", 40), ("g", 80)))),
    "promises": PromisePlot(title="t", claims=(
        PromiseRow("a + b", 0.9, 0.95, 0.85, 0.9, 0.3, 0.1, 0.5, 40, True),
        PromiseRow(LONG, 0.6, 0.6, 0.6, 0.6, 0.55, 0.5, 0.6, 4000))),
}  # fmt: skip


def look(shape: MarkShape) -> str:
    """What a mark is, but for its place and what it says."""
    known = {**MarkShape._field_defaults, "points": shape.points, "text": shape.text, "title": shape.title}
    return " ".join(f"{key} {value}" for key, value in shape._asdict().items() if value != known.get(key))


def marks(pen: Pen) -> Iterator[str]:
    """A line for each look of marks, and below it where each stands and what it says."""
    yield f"{pen.width:.5g} x {pen.height:.5g}"
    for said in dict.fromkeys(map(look, pen.shapes)):
        yield said
        alike = [shape for shape in pen.shapes if look(shape) == said]
        said_at = [
            " ".join(f"{x:.4g},{y:.4g}" for x, y in shape.points) + f" {shape.text}" * bool(shape.text)
            for shape in alike
        ]
        titled = {place: shape.title for place, shape in zip(said_at, alike, strict=True)}
        yield from (f"{place}  ({title})" for place, title in titled.items() if title)
        yield from filter(None, [" ; ".join(place for place, title in titled.items() if not title)])


def test_every_mark_of_every_kind_of_figure():
    said = []
    for name, figure in FIGURES.items():
        said += [f"== {name}", figure.csv().strip()]
        for width in (WIDE, NARROW):
            said += marks(figure.draw(width))
    approved(Path(__file__).with_name("drawings.txt"), "\n".join(said) + "\n")
