"""Runs, frontiers and comparisons in a notebook: the views of the pages, each in a frame of its own."""

from __future__ import annotations

from typing import Any

from markupsafe import Markup

from taskloom.report.build import label_of, suite_section
from taskloom.report.choose import distinct_names
from taskloom.report.first import first_screen, frontier_view
from taskloom.report.html import GENERATOR, card, page, part, study_table
from taskloom.run.results import Run
from taskloom.studies.frontier.claims import Frontier


def inline(value: Any) -> str:
    """A frame with the view of a run, a frontier or a comparison; nothing in it can reach the notebook."""
    title, body = _view(value)
    return str(part("frame", title, page(title, "", body, f"{GENERATOR}.")))


def _view(value: Any) -> tuple[str, Markup]:
    if isinstance(value, Run):
        names, label = distinct_names([value]), label_of(value)
        parts = [first_screen([value], names), suite_section("run", label, [value], names)]
        return f"{value.name} on {label}", part("join", parts)
    if isinstance(value, Frontier):
        return f"{value.model} on {value.suite}", frontier_view(value)
    said = [part("note", text) for text in value.sentences()]
    return f"Comparison on {value.suite}", card(*said, study_table("comparison", value.table()))
