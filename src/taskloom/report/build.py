"""Building the report: from the logs of runs to a page that needs nothing else, or to a frame in a notebook."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import quote

import msgspec
from markupsafe import Markup

from taskloom import __version__
from taskloom.core import Finding, Progress, UserError, digest
from taskloom.core.calls import explained
from taskloom.core.decode import decode_json, read_bytes
from taskloom.core.display import counted
from taskloom.core.study import Table
from taskloom.figures import IntervalPlot, IntervalPoint
from taskloom.report import sections
from taskloom.report.first import first_screen, frontier_view, is_probe, where_asked
from taskloom.report.html import (
    GENERATOR,
    Link,
    card,
    figure,
    heading,
    page,
    part,
    slug,
    strip_table,
    study_table,
)
from taskloom.report.samples import samples_card
from taskloom.report.sections import Side, choose_facets, choose_pairs, compare_sides, distinct_names
from taskloom.run.columns import grouped
from taskloom.run.results import Run, load_run, proof_of
from taskloom.store.atomic import write_page
from taskloom.store.ownership import refuse_foreign_file
from taskloom.studies.contrasts import group_replicates, pooled
from taskloom.studies.frontier.claims import Frontier
from taskloom.studies.judgement.forms import opinion_notes
from taskloom.studies.prompt_notes import asked_notes

_PARTS = {"scores": "Scores", "facets": "Facets", "heat": "Heat maps", "pairs": "Comparison", "curves": "Curves",
          "tasks": "Tasks", "samples": "Samples", "plan": "What was run"}  # fmt: skip


@explained
def build_report(
    runs: Run | str | Path | Sequence[Run | str | Path],
    path: str | Path,
    *,
    title: str = "Taskloom report",
    facets: Sequence[str] = (),
    heat: Sequence[tuple[str, str]] = (),
    tables: Sequence[Table] = (),
    studies: Sequence[Path] = (),
) -> None:
    """Write one self-contained page about some runs; samples beyond 50,000 go to pages in a folder next to it.

    Args:
        runs: A run or probe or several, or their folders; those on the same suite are compared with each other.
        path: The file to write.
        title: Its heading.
        facets: Facets to plot (chosen automatically by default).
        heat: Pairs of facets for heat maps (chosen automatically by default).
        tables: Tables of studies to show at the end.
        studies: Folders of finished studies to show after the runs.

    Example:
        >>> from taskloom import build_report, open_suite, run_suite
        >>> run = run_suite(open_suite("babi/task-1"), model="mock/majority", folder="runs/majority", limit=20)
        >>> build_report([run], "report.html")
    """
    path, runs = Path(path), [runs] if isinstance(runs, Run | str | Path) else runs
    if not runs and not studies:
        raise UserError("a report needs at least one run", hint="taskloom run SUITE --model M -o DIR")
    refuse_foreign_file(path, b'name="generator" content="Taskloom')
    loaded = [run if isinstance(run, Run) else load_run(run) for run in runs]
    names = distinct_names(loaded)
    by_suite = grouped((label_of(run), run) for run in loaded)
    anchors = {id(run): f"s{index}" for index, group in enumerate(by_suite.values()) for run in group}
    body: list[Markup] = [first_screen(loaded, names, partial(_samples_link, anchors))] if loaded else []
    links = [Link("answer", "Answer")] if loaded else []
    with Progress("drawing the report", len(by_suite), unit="suites") as progress:
        for index, (suite, group) in enumerate(by_suite.items()):
            section = suite_section(f"s{index}", suite, group, names, facets, heat, path)
            own = [Link(f"s{index}-{key}", name) for key, name in _PARTS.items() if f'id="s{index}-{key}"' in section]
            links += own if len(by_suite) == 1 else [Link(f"s{index}", suite)]
            inside = part("sections", own) if len(by_suite) > 1 else ""
            body += [heading(2, suite, f"s{index}"), part("join", [inside, section])]
            progress.advance()
    if studies:
        from taskloom.report.studies import study_section

        body += [heading(2, "Studies", "studies"), study_section(studies, path)]
        links.append(Link("studies", "Studies"))
    if tables:
        shown = [study_table(f"table-{index}-{slug(table.title)}", table) for index, table in enumerate(tables)]
        body += [heading(2, "Tables", "tables"), card(*shown)]
        links.append(Link("tables", "Tables"))
    text = page(title, _lead(loaded, len(by_suite), len(studies)), part("join", body), _FOOTER, links=links)
    made: dict[str, Any] = {"title": title, "facets": list(facets), "heat": [list(pair) for pair in heat]}
    data = text.encode("utf-8", "xmlcharrefreplace")
    write_page(path, with_proof(data, loaded, path, {} if tables or studies else made))


_FOOTER = (
    f"Made by Taskloom {__version__} from run logs alone. Intervals are 95 %: Wilson within a task, "
    "Student's t over tasks and seeds. Failed instances are left out of means unless counted as wrong."
)


def _lead(runs: Sequence[Run], suites: int, studies: int) -> str:
    """What a page is about, in numbers."""
    records = sum(len(run.records) for run in runs)
    counts = f"{counted(len(runs), 'run')} on {counted(suites, 'suite')}, {counted(records, 'record')}"
    shown = counted(studies, "study", "studies")
    return "; ".join(([counts] if runs else []) + ([shown] if studies else []))


report = build_report
"""What `taskloom.report` calls."""


def _samples_link(anchors: dict[int, str], run: Run, cells: Sequence[str]) -> str:
    """The samples of some cells further down this page."""
    anchor = anchors[id(run)]
    wanted = quote("&".join(f"cell={cell}" for cell in cells), safe="")
    return f"#{anchor}-samples?{anchor}-in={wanted}"


def label_of(run: Run) -> str:
    """What a section is about: a suite, and its split where that is not the test split."""
    if is_probe(run):
        return f"{run.plan.suite} (probe)"
    return where_asked(run)


def suite_section(
    anchor: str,
    suite: str,
    runs: list[Run],
    names: dict[int, str],
    facets: Sequence[str] = (),
    heat: Sequence[tuple[str, str]] = (),
    path: Path | None = None,
) -> Markup:
    """Everything about the runs on one suite; their samples only where a page is written that they can stand in."""
    called = [names[id(run)] for run in runs]
    if is_probe(runs[0]):
        note = "A probe asks what its search wants to know: means over its answers mean nothing. The answer is above."
        shown = [
            part("note", note),
            samples_card(runs, called, anchor, path) if path else "",
            sections.plan_card(runs, names, anchor),
        ]
        return part("join", shown)
    sides = two_sides(runs, names)
    outcomes = compare_sides(sides)
    known = [name for name in facets if any(name in run.facet_names() for run in runs)]
    chosen = choose_facets(runs, known)
    parts: list[Markup | str] = [
        _scores(runs, sides, names, suite, anchor),
        sections.facet_card(runs, names, chosen, anchor),
        sections.heat_card(runs, names, choose_pairs(runs, chosen.drawn, heat), anchor),
        sections.comparison_card(outcomes, f"{anchor}-pairs"),
        sections.curve_card(runs, names, anchor),
        sections.task_card(runs, names, anchor),
        samples_card(runs, called, anchor, path) if path else "",
        sections.plan_card(runs, names, anchor),
    ]
    return part("join", parts)


def _scores(runs: list[Run], sides: list[Side], names: dict[int, str], suite: str, anchor: str) -> Markup:
    groups = [msgspec.structs.replace(run.overall(), name=names[id(run)]) for run in runs]
    groups += [pooled(side.runs, side.name) for side in sides if len(side.runs) > 1]
    rows = [((group.name,), group, place) for place, group in enumerate(groups)]
    judged = [f"{names[id(run)]}, second opinions of {text}" for run in runs for text in opinion_notes(run)]
    notes = [*asked_notes(runs, names), *judged]
    parts: list[Markup | str] = [
        heading(3, "Scores", f"{anchor}-scores"),
        strip_table(f"{anchor}-score-table", sections.caption_of(runs, suite), ("run",), rows),
        *(part("note", text) for text in notes),
    ]
    published = published_scores(runs[0])
    if len(runs) > 1 or published:
        points = [IntervalPoint(group.name, *group.estimate[:4]) for group in groups]
        scores: dict[str, float] = published.get("scores", {})
        points += [IntervalPoint(name, value, value, value, published=True) for name, value in scores.items()]
        caption = f"Open diamonds: {published['source']}." if published else ""
        drawn = IntervalPlot(title=f"Scores on {suite}", points=tuple(points), caption=caption)
        parts.append(figure(drawn, f"{anchor}-forest"))
    return card(*parts)


def published_scores(run: Run) -> dict[str, Any]:
    """Published scores to draw beside a run's; notes come with the bundle and are not to be trusted."""
    found = run.plan.notes.get("published")
    if not isinstance(found, dict) or not isinstance(found.get("scores"), dict):
        return {}
    scores = {str(name): value for name, value in found["scores"].items() if isinstance(value, int | float)}
    return {"scores": scores, "source": str(found.get("source", "published scores"))}


def two_sides(runs: list[Run], names: dict[int, str]) -> list[Side]:
    """What is compared: runs, or groups of runs that differ in their seeds alone."""
    sides = []
    for group in group_replicates(runs):
        several = f"{group[0].name}, mean of {len(group)} seeds"
        sides.append(Side(names[id(group[0])] if len(group) == 1 else several, group))
    return sides


_BEGIN, _END = b"<!-- taskloom-proof ", b" -->\n"


class _Source(msgspec.Struct, frozen=True):
    """A run behind a page: where it was, seen from the page, how it was read, and its hashes."""

    folder: str
    errors: str
    weigh: str
    proof: dict[str, str]


class _Proof(msgspec.Struct, frozen=True):
    taskloom: str
    runs: list[_Source]
    made: dict[str, Any]
    page: str


def with_proof(text: bytes, runs: Sequence[Run], path: Path, made: dict[str, Any]) -> bytes:
    """A page with its proof; `made` are its options, none where it shows more than these runs."""
    home = path.absolute().parent
    sources = [_Source(os.path.relpath(run.folder, home), run.errors, run.weigh, proof_of(run)) for run in runs]
    proof = _Proof(__version__, sources, made, digest(text).hex())
    # A comment must not hold two hyphens in a row.
    return text + _BEGIN + msgspec.json.encode(proof).replace(b"--", b"-\\u002d") + _END


def check_page(path: Path) -> Iterator[Finding]:
    """What is wrong with a page: edits, runs that are others now, numbers that the runs do not give."""
    text, found, rest = read_bytes(path).rpartition(_BEGIN)
    if not found or not rest.endswith(_END):
        yield _finding(
            path, "", "this page names no hashes: Taskloom did not write it, or an older version did", "page"
        )
        return
    try:
        proof = decode_json(rest.removesuffix(_END), where=path, type=_Proof, what="the proof of this page")
    except UserError as error:
        yield _finding(path, "", error.message, "page")
        return
    if digest(text).hex() != proof.page:
        yield _finding(path, "", "the page was changed after it was written", "page")
        return
    runs: list[Run] = []
    for source in proof.runs:
        folder = path.parent / source.folder
        if not folder.is_dir():
            message = "the run is not here any more, so the page cannot be compared with it"
            yield Finding(str(folder), "", "warning", message, "", "missing")
            continue
        try:
            runs.append(load_run(folder, source.errors, source.weigh))  # type: ignore[arg-type]
        except UserError as error:
            yield _finding(folder, "", error.message, "run")
            continue
        now = proof_of(runs[-1])
        for key in (key for key, value in source.proof.items() if now.get(key) != value):
            yield _finding(folder, key, f"the page was made from other {_WHAT.get(key, key)}", "run")
    if len(runs) == len(proof.runs) and proof.made and proof.taskloom == __version__:
        yield from _check_numbers(path, text, runs, proof)


_WHAT = {"plan": "settings", "rows": "rows", "records": "records", "taskloom": "code: another version asked"}


def _check_numbers(path: Path, text: bytes, runs: list[Run], proof: _Proof) -> Iterator[Finding]:
    """Whether the runs give the same page once more."""
    with TemporaryDirectory() as folder:
        again = Path(folder) / path.name
        build_report(runs, again, **proof.made)
        if read_bytes(again).rpartition(_BEGIN)[0] != text:
            yield _finding(path, "", "the runs give another page than this one", "numbers")


def _finding(file: Path, key: str, message: str, code: str) -> Finding:
    return Finding(str(file), key, "error", message, "write the page again: taskloom report RUN… -o FILE", code)


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
