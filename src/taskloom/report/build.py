"""Building the report: from the logs of runs to one HTML file that needs nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from taskloom import __version__
from taskloom.core import Progress, UserError
from taskloom.core.study import Table
from taskloom.report.choose import choose_facets, choose_pairs, choose_samples, varied
from taskloom.report.comparison import Side, compare_sides, comparison_card
from taskloom.report.curves import read_curves
from taskloom.report.figures import curve_figure, facet_figure, forest_figure, heat_figure
from taskloom.report.html import card, chooser, figure, headline_table, page, part, plain_table, samples_browser
from taskloom.report.names import distinct_names
from taskloom.run.asked import asked_notes
from taskloom.run.pool import group_replicates, pooled
from taskloom.run.results import Group, Run
from taskloom.store.atomic import write_atomically
from taskloom.store.ours import refuse_foreign_file

if TYPE_CHECKING:
    from markupsafe import Markup

__all__ = ["build_report"]

_MOST_TASK_ROWS = 60


def build_report(
    runs: Sequence[Run],
    path: str | Path,
    *,
    title: str = "Taskloom report",
    facets: Sequence[str] = (),
    heat: Sequence[tuple[str, str]] = (),
    tables: Sequence[Table] = (),
) -> None:
    """Write one self-contained page about some runs.

    Args:
        runs: The runs; those on the same suite are compared with each other.
        path: The file to write.
        title: Its heading.
        facets: Facets to plot (chosen by themselves if none are named).
        heat: Pairs of facets for heat maps (chosen likewise).
        tables: Tables of studies to show at the end.

    Example:
        >>> from taskloom import build_report, open_suite, run_suite
        >>> run = run_suite(open_suite("babi/task-1"), model="mock/majority", folder="runs/majority", limit=20)
        >>> build_report([run], "report.html")
    """
    path = Path(path)
    if not runs:
        raise UserError("a report needs at least one run", hint="taskloom run SUITE --model M -o DIR")
    by_suite: dict[str, list[Run]] = {}
    for run in runs:
        by_suite.setdefault(run.plan.suite, []).append(run)
    refuse_foreign_file(path, b'name="generator" content="Taskloom')
    names = distinct_names(runs)
    body: list[Markup] = [_overview(by_suite, names)]
    with Progress("drawing the report", len(by_suite), unit="suites") as progress:
        for index, (suite, group) in enumerate(by_suite.items()):
            body.append(_suite_section(index, suite, group, names, facets, heat))
            progress.advance()
    if tables:
        body += [part("heading", 2, "Tables", "tables"), card(*map(plain_table, tables))]
    records = sum(len(run.records) for run in runs)
    lead = f"{_count(len(runs), 'run')} on {_count(len(by_suite), 'suite')}, {_count(records, 'record')}"
    footer = (
        f"Made by Taskloom {__version__} from run logs alone. Intervals are 95 %: Wilson within a task, "
        "Student's t over tasks and seeds. Failed instances are left out of means unless counted as wrong."
    )
    text = page(title, lead, part("join", body), footer)
    write_atomically(path, text.encode("utf-8", "xmlcharrefreplace"))


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}" if number == 1 else f"{number:,} {what}s"


def _renamed(group: Group, name: str) -> Group:
    return msgspec.structs.replace(group, name=name)


def _overview(by_suite: dict[str, list[Run]], names: dict[int, str]) -> Markup:
    if len(by_suite) == 1:
        return part("join", [])
    links = part("sections", [(f"suite-{index}", suite) for index, suite in enumerate(by_suite)])
    models = list(dict.fromkeys(names[id(run)] for runs in by_suite.values() for run in runs))
    if len(models) == 1:
        return links
    cells = {(suite, names[id(run)]): run.overall().estimate for suite, runs in by_suite.items() for run in runs}
    picture = heat_figure(cells, "suite", "run", "score of every run on every suite")
    return links + card(figure(picture, "Score of every run on every suite."))


def _suite_section(
    index: int,
    suite: str,
    runs: list[Run],
    names: dict[int, str],
    facets: Sequence[str],
    heat: Sequence[tuple[str, str]],
) -> Markup:
    groups = [_renamed(run.overall(), names[id(run)]) for run in runs]
    sides = _sides(runs, names)
    groups += [pooled(side.runs, side.name) for side in sides if len(side.runs) > 1]
    outcomes = compare_sides(sides)
    notes = [f"Metric: {runs[0].estimand}. Intervals are for unseen tasks.", *outcomes.sentences()]
    notes += asked_notes(runs, names)
    parts: list[Markup | str] = [
        part("heading", 2, suite, f"suite-{index}"),
        card(headline_table(groups, "run"), *(part("note", text) for text in notes)),
    ]
    published = _published(runs[0])
    if len(runs) > 1 or published:
        rows = [(group.name, group.estimate) for group in groups]
        svg = forest_figure(rows, f"scores on {suite}", published.get("scores"))
        caption = f"Open diamonds: {published['source']}." if published else ""
        parts.append(card(figure(svg, caption)))
    chosen = choose_facets(runs, [name for name in facets if any(name in run.facet_names() for run in runs)] or ())
    parts += [
        _facet_card(runs, names, chosen),
        _heat_card(runs, names, choose_pairs(runs, chosen, heat)),
        comparison_card(outcomes),
        _curve_card(runs, names),
        _task_card(runs, names),
        part("heading", 3, "Samples", ""),
        samples_browser(choose_samples(runs)),
        _provenance(runs, names),
    ]
    return part("join", parts)


def _published(run: Run) -> dict[str, Any]:
    """Published scores to draw beside a run's; notes come with the bundle, so anybody may have written them."""
    found = run.plan.notes.get("published")
    if not isinstance(found, dict) or not isinstance(found.get("scores"), dict):
        return {}
    scores = {str(name): value for name, value in found["scores"].items() if isinstance(value, int | float)}
    return {"scores": scores, "source": str(found.get("source", "published scores"))}


def _sides(runs: list[Run], names: dict[int, str]) -> list[Side]:
    """What is compared: runs, or groups of runs that differ in their seeds alone."""
    sides = []
    for group in group_replicates(runs):
        several = f"{group[0].name}, mean of {len(group)} seeds"
        sides.append(Side(names[id(group[0])] if len(group) == 1 else several, group))
    return sides


def _facet_card(runs: list[Run], names: dict[int, str], facets: list[str]) -> Markup | str:
    panes = []
    for facet in facets:
        groups = {
            names[id(run)]: {key[0]: group.estimate for key, group in run.by_facet(facet).items()}
            for run in runs
            if facet in run.facet_names()
        }
        panes.append((facet, figure(facet_figure(groups, facet))))
    return card(part("heading", 3, "Score by facet", ""), chooser("facet", panes)) if panes else ""


def _heat_card(runs: list[Run], names: dict[int, str], pairs: list[tuple[str, str]]) -> Markup | str:
    panes = []
    for rows, columns in pairs:
        for run in varied(runs) or runs[:1]:
            cells = {(key[0], key[1]): group.estimate for key, group in run.by_facet(rows, columns).items()}
            title = f"{rows} × {columns} · {names[id(run)]}"
            panes.append((title, figure(heat_figure(cells, rows, columns, title))))
    return card(part("heading", 3, "Heat map of two facets", ""), chooser("facets and run", panes)) if panes else ""


def _curve_card(runs: list[Run], names: dict[int, str]) -> Markup | str:
    curves = [curve for run in runs for curve in read_curves(run.folder, names[id(run)])]
    if not curves:
        return ""
    return card(part("heading", 3, "Learning curves", ""), figure(curve_figure(curves, "learning curves")))


def _task_card(runs: list[Run], names: dict[int, str]) -> Markup | str:
    panes = []
    for run in runs:
        groups = run.by_task()
        if len(groups) < 2:
            continue
        shown = headline_table(groups[:_MOST_TASK_ROWS], "task", coloured=False)
        if len(groups) > _MOST_TASK_ROWS:
            shown += part("note", f"The first {_MOST_TASK_ROWS} of {len(groups):,} tasks; results.json has them all.")
        panes.append((names[id(run)], shown))
    return card(part("heading", 3, "Tasks", ""), chooser("run", panes)) if panes else ""


def _provenance(runs: list[Run], names: dict[int, str]) -> Markup:
    import yaml

    parts = []
    for run in runs:
        plan: dict[str, Any] = msgspec.to_builtins(run.plan)
        command = plan.pop("command")
        text = yaml.safe_dump(plan, sort_keys=False, allow_unicode=True, width=100)
        parts.append(part("provenance", names[id(run)], command, f"plan: {run.plan.hash()}\n{text}"))
    return card(part("heading", 3, "What was run", ""), *parts)
