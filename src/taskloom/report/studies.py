"""Pages about studies: one for each, and an index over many."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from taskloom.report.html import GENERATOR, Link, card, figure, heading, page, part
from taskloom.report.tables import study_table
from taskloom.store.atomic import write_atomically
from taskloom.store.ours import refuse_foreign_file
from taskloom.studies.output import StudyResult

if TYPE_CHECKING:
    from markupsafe import Markup

__all__ = ["PAGE", "IndexEntry", "study_page", "verdicts", "write_index"]

PAGE = "index.html"
_MARK = b'name="generator" content="Taskloom'
_SCRIPTS = ("state.js", "tables.js", "figures.js")


class IndexEntry(NamedTuple):
    """A line of the index: where a study's page is, and what came of it."""

    name: str
    question: str
    link: str
    summary: str


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]


def study_page(result: StudyResult) -> str:
    """The page of a study: checks first, then figures, tables, and what was cut."""
    found = result.findings
    parts: list[Markup] = []
    links: list[Link] = []

    def section(anchor: str, title: str, *inside: Markup | str) -> None:
        links.append(Link(anchor, title))
        parts.extend((heading(2, title, anchor), card(*inside)))

    if found.checks:
        section("expected", "What was expected", part("checks", found.checks))
    if found.sentences:
        section("said", "What can be said", part("sentences", found.sentences))
    if found.figures:
        drawn = [
            piece
            for number, one in enumerate(found.figures, start=1)
            for piece in (heading(3, one.title, ""), figure(one, f"figure-{number}"))
        ]
        section("figures", "Figures", *drawn)
    tables = [study_table(f"table-{number}", one) for number, one in enumerate(found.tables, start=1)]
    section("tables", "Tables", *tables)
    if result.cut:
        section("cut", "What was cut", part("sentences", result.cut))
    lead = _sentence(result.question) + (f" {result.paper}." if result.paper else "")
    footer = f"{GENERATOR}, scale {result.scale or 'of one’s own'}, first seed {result.seed}, {len(result.runs)} runs"
    return page(result.study, lead, part("join", parts), footer, _SCRIPTS, links)


def verdicts(result: StudyResult) -> str:
    """How the checks of a study came out, in words."""
    counts = Counter(str(check.verdict) for check in result.findings.checks)
    kinds = (("holds", "hold"), ("does not hold", "do not"), ("cannot tell", "cannot be told"))
    said = ", ".join(f"{counts[verdict]} {words}" for verdict, words in kinds)
    return f"of {len(result.findings.checks)} expectations {said}"


def write_index(entries: Sequence[IndexEntry], folder: Path, *, scale: str) -> Path:
    """Write the page that leads to all others.

    Raises:
        UserError: There is a page of somebody else.
    """
    path = folder / PAGE
    refuse_foreign_file(path, _MARK)
    body = card(part("study_list", entries))
    lead = f"What {len(entries)} studies found at {scale} scale."
    write_atomically(path, page("Studies", lead, body, GENERATOR, _SCRIPTS).encode())
    return path
