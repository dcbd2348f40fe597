"""Typed pictures: one specification gives SVG and PDF for papers, SVG with hover in pages, and the data as CSV."""

from taskloom.figures.base import NARROW, WIDE, Figure
from taskloom.figures.counts import BubblePlot, Count, CountPlot
from taskloom.figures.heat import HeatCell, HeatMap
from taskloom.figures.intervals import IntervalPlot, IntervalPoint
from taskloom.figures.layout import COLOURS
from taskloom.figures.lines import Line, LinePlot, LinePoint
from taskloom.figures.pairs import PairCell, PairMatrix, PromisePlot, PromiseRow
from taskloom.figures.scatter import ScatterPlot, ScatterPoint

__all__ = [
    "COLOURS",
    "NARROW",
    "WIDE",
    "BubblePlot",
    "Count",
    "CountPlot",
    "Figure",
    "HeatCell",
    "HeatMap",
    "IntervalPlot",
    "IntervalPoint",
    "Line",
    "LinePlot",
    "LinePoint",
    "PairCell",
    "PairMatrix",
    "PromisePlot",
    "PromiseRow",
    "ScatterPlot",
    "ScatterPoint",
]
