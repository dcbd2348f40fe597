"""Typed pictures: one specification gives SVG and PDF for papers, SVG with hover in pages, and the data as CSV.

In: numbers with intervals.
Out: SVG, PDF and CSV of one picture.
"""

from taskloom.lazy import lazy_names

__all__, __getattr__, __dir__ = lazy_names(__name__, __file__)
