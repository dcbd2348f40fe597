"""Pages about studies: one for each, and an index over many."""

from __future__ import annotations

import base64
import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec
from markupsafe import Markup

from taskloom.core.decode import read_bytes, read_json
from taskloom.core.display import counted
from taskloom.core.study import Table
from taskloom.report.build import build_report
from taskloom.report.html import GENERATOR, Link, card, data_block, figure, heading, page, part, study_table
from taskloom.store.atomic import write_page
from taskloom.store.ownership import refuse_foreign_file
from taskloom.studies.findings import GUESSING, STUDY, Check, StudyResult
from taskloom.studies.frontier.claims import FILE, load_frontier
from taskloom.studies.judgement.forms import FORMS, RatingForm

PAGE = "index.html"
_MARK = b'name="generator" content="Taskloom'
_SCRIPTS = ("state.js", "tables.js", "figures.js")


class IndexEntry(NamedTuple):
    """A line of the index: where a study's page is, and what came of it."""

    name: str
    question: str
    link: str
    summary: str


def study_sentence(text: str) -> str:
    """A text with its first letter as a capital."""
    return text[:1].upper() + text[1:]


def probe_pages(out: Path) -> dict[str, str]:
    """A page of questions and answers for each probe in a study's folder; where it lies, by the name of the suite."""
    pages = {}
    for folder in sorted(path.parent for path in out.glob(f"*/{FILE}")):
        found = load_frontier(folder)
        if found.asked:
            pages[found.suite] = f"{folder.name}.html"
            build_report(folder, out / pages[found.suite], title=f"{found.model} on {found.suite}")
    return pages


def study_page(result: StudyResult, leads: Mapping[str, str] | None = None) -> str:
    """The page of a study: checks first, then figures, tables, and what was cut.

    Args:
        result: What came of it.
        leads: Where names in its tables lead.
    """
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
    tables = [study_table(f"table-{number}", one, leads) for number, one in enumerate(found.tables, start=1)]
    section("tables", "Tables", *tables)
    if result.cut:
        section("cut", "What was cut", part("sentences", result.cut))
    notice = [line for line in found.sentences if GUESSING in line]
    lead = " ".join([*notice, study_sentence(result.question) + (f" {result.paper}." if result.paper else "")])
    footer = f"{GENERATOR}, seed {result.seed}"
    if result.runs:
        scale = result.scale or "custom"
        footer = f"{GENERATOR}, scale {scale}, first seed {result.seed}, {counted(len(result.runs), 'run')}"
    return page(result.study, lead, part("join", parts), footer, _SCRIPTS, links)


class _FigureEntry(msgspec.Struct, frozen=True):
    file: str
    title: str
    caption: str = ""


class _Kept(msgspec.Struct, frozen=True):
    """What a report shows of `study.json`."""

    study: str
    question: str
    scale: str = ""
    tables: tuple[Table, ...] = ()
    figures: tuple[_FigureEntry, ...] = ()
    checks: tuple[Check, ...] = ()
    sentences: tuple[str, ...] = ()


def find_studies(path: Path) -> list[Path]:
    """The folders of finished studies at a path and below it."""
    return sorted(found.parent for found in path.glob(f"**/{STUDY}"))


def study_entry(folder: Path, link: str) -> IndexEntry:
    """A finished study as a line of a list."""
    kept = read_json(folder / STUDY, type=_Kept)
    return IndexEntry(kept.study, study_sentence(kept.question), link, verdicts(kept.checks))


def study_section(folders: Iterable[Path], page_path: Path | None = None) -> Markup:
    """Studies as a part of a page: checks, figures and tables; a page that is a file leads to their own pages."""
    pieces: list[Markup | str] = []
    for number, folder in enumerate(folders):
        kept = read_json(folder / STUDY, type=_Kept)
        own = folder / PAGE
        link = os.path.relpath(own, page_path.parent) if page_path and own.is_file() else ""
        pieces += [
            heading(3, kept.study, f"study-{number}"),
            part("study_lead", study_sentence(kept.question), kept.scale, link),
        ]
        pieces += [part("checks", kept.checks)] if kept.checks else []
        pieces += [part("sentences", kept.sentences)] if kept.sentences else []
        for drawn in kept.figures:
            # `study.json` may come from anywhere: its figures stand beside it, under plain names.
            picture = folder / f"{Path(drawn.file).name}.svg"
            if picture.is_file() and not picture.is_symlink():
                # As an image it can neither run scripts nor reach the page.
                data = base64.b64encode(read_bytes(picture)).decode()
                pieces.append(part("study_picture", data, drawn.title, drawn.caption))
        pieces += [study_table(f"study-{number}-{place}", table) for place, table in enumerate(kept.tables)]
    return card(*pieces)


def verdicts(checks: Sequence[Check]) -> str:
    """How the checks of a study came out, in words."""
    counts = Counter(str(check.verdict) for check in checks)
    many = {"holds": "hold", "does not hold": "do not hold", "cannot tell": "undecided"}
    one = {**{verdict: verdict for verdict in many}, "cannot tell": "undecided"}
    said = ", ".join(
        f"{number} {one[verdict] if number == 1 else words}"
        for verdict, words in many.items()
        if (number := counts[verdict])
    )
    return counted(len(checks), "expectation") + (f": {said}" if said else "")


def write_index(entries: Sequence[IndexEntry], folder: Path, *, scale: str) -> Path:
    """Write the page that leads to all others, unless another program wrote one."""
    path = folder / PAGE
    refuse_foreign_file(path, _MARK)
    body = card(part("study_list", [entry._replace(question=study_sentence(entry.question)) for entry in entries]))
    lead = f"What {counted(len(entries), 'study', 'studies')} found at {scale} scale."
    write_page(path, page("Studies", lead, body, GENERATOR, _SCRIPTS).encode())
    return path


def form_page(form: RatingForm) -> str:
    """The page that a rater fills in. It holds no word on whose answers they are."""
    body = part("judge_form", data_block(msgspec.to_builtins(form)))
    footer = f"{GENERATOR}, form {form.id}, {counted(len(form.items), 'item')}"
    return page(form.title, FORMS[form.kind].lead, body, footer, ("state.js", "judge.js"), styles=("judge.css",))
