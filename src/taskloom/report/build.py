"""Building the report: from the logs of runs to one HTML file that needs nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from itertools import pairwise
from pathlib import Path
from typing import Any

import msgspec

from taskloom import __version__
from taskloom.core import Progress, UserError
from taskloom.report.choose import choose_facets, choose_pairs, choose_samples, varied
from taskloom.report.curves import read_curves
from taskloom.report.figures import curve_figure, facet_figure, forest_figure, heat_figure, scatter_figure
from taskloom.report.html import (
    card,
    chooser,
    figure,
    headline_table,
    page,
    plain_table,
    samples_browser,
)
from taskloom.report.names import distinct_names
from taskloom.run.results import Group, Run
from taskloom.score.stats import compare_paired, minimum_detectable_effect
from taskloom.store.atomic import write_atomically
from taskloom.studies.base import Table

__all__ = ["build_report"]

_MOST_TASK_ROWS = 60


def build_report(
    runs: Sequence[Run],
    path: Path,
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
    """
    if not runs:
        raise UserError("a report needs at least one run", hint="taskloom run SUITE --model M -o DIR")
    by_suite: dict[str, list[Run]] = {}
    for run in runs:
        by_suite.setdefault(run.plan.suite, []).append(run)
    names = distinct_names(runs)
    body = [_overview(by_suite, names)]
    with Progress("drawing the report", len(by_suite), unit="suites") as progress:
        for index, (suite, group) in enumerate(by_suite.items()):
            body.append(_suite_section(index, suite, group, names, facets, heat))
            progress.advance()
    if tables:
        body.append("<h2 id=tables>Tables</h2>" + card(*map(plain_table, tables)))
    records = sum(len(run.records) for run in runs)
    lead = escape(f"{_count(len(runs), 'run')} on {_count(len(by_suite), 'suite')}, {_count(records, 'record')}")
    footer = escape(f"Made by Taskloom {__version__} from run logs alone. Intervals are 95 %: Wilson within a task, ")
    footer += "hierarchical bootstrap over tasks. Failed instances are left out of means unless counted as wrong."
    write_atomically(path, page(title, lead, "".join(body), footer).encode("utf-8", "xmlcharrefreplace"))


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}" if number == 1 else f"{number:,} {what}s"


def _renamed(group: Group, name: str) -> Group:
    return msgspec.structs.replace(group, name=name)


def _overview(by_suite: dict[str, list[Run]], names: dict[int, str]) -> str:
    links = "".join(f'<a href="#suite-{index}">{escape(suite)}</a>' for index, suite in enumerate(by_suite))
    if len(by_suite) == 1:
        return ""
    models = list(dict.fromkeys(names[id(run)] for runs in by_suite.values() for run in runs))
    cells = {(suite, names[id(run)]): run.overall().estimate for suite, runs in by_suite.items() for run in runs}
    picture = heat_figure(cells, "suite", "run", "score of every run on every suite") if len(models) > 1 else ""
    return f"<nav class=sections>{links}</nav>" + (
        card(figure(picture, "Score of every run on every suite.")) if picture else ""
    )


def _suite_section(
    index: int,
    suite: str,
    runs: list[Run],
    names: dict[int, str],
    facets: Sequence[str],
    heat: Sequence[tuple[str, str]],
) -> str:
    groups = [_renamed(run.overall(), names[id(run)]) for run in runs]
    parts = [f'<h2 id="suite-{index}">{escape(suite)}</h2>', card(headline_table(groups, "run"), _resolution(groups))]
    published = runs[0].plan.notes.get("published", {})
    if len(runs) > 1 or published:
        rows = [(group.name, group.estimate) for group in groups]
        svg = forest_figure(rows, f"scores on {suite}", published.get("scores"))
        caption = f"Open diamonds: {published['source']}." if published else ""
        parts.append(card(figure(svg, caption)))
    chosen = choose_facets(runs, [name for name in facets if any(name in run.facet_names() for run in runs)] or ())
    parts.append(_facet_card(runs, names, chosen))
    parts.append(_heat_card(runs, names, choose_pairs(runs, chosen, heat)))
    parts.append(_comparison_card(runs, names))
    parts.append(_curve_card(runs, names))
    parts.append(_task_card(runs, names))
    parts.append("<h3>Samples</h3>" + samples_browser(choose_samples(runs)))
    parts.append(_provenance(runs, names))
    return "".join(parts)


def _resolution(groups: list[Group]) -> str:
    n = min(group.estimate.n for group in groups)
    effect = minimum_detectable_effect(n)
    return (
        f'<p class="note">With {n:,} instances, two runs must differ by at least {effect:.3f} '
        "to be told apart (80 % power, paired, worst case).</p>"
    )


def _facet_card(runs: list[Run], names: dict[int, str], facets: list[str]) -> str:
    panes = []
    for facet in facets:
        groups = {
            names[id(run)]: {key[0]: group.estimate for key, group in run.by_facet(facet).items()}
            for run in runs
            if facet in run.facet_names()
        }
        panes.append((facet, figure(facet_figure(groups, facet))))
    return card("<h3>Score by facet</h3>", chooser("facet", panes)) if panes else ""


def _heat_card(runs: list[Run], names: dict[int, str], pairs: list[tuple[str, str]]) -> str:
    panes = []
    for rows, columns in pairs:
        for run in varied(runs) or runs[:1]:
            cells = {(key[0], key[1]): group.estimate for key, group in run.by_facet(rows, columns).items()}
            title = f"{rows} × {columns} · {names[id(run)]}"
            panes.append((title, figure(heat_figure(cells, rows, columns, title))))
    return card("<h3>Heat map of two facets</h3>", chooser("facets and run", panes)) if panes else ""


def _comparison_card(runs: list[Run], names: dict[int, str]) -> str:
    """The first run against each other one, on the instances both scored."""
    panes = []
    pairs = [(runs[0], other) for other in runs[1:]] if len(runs) <= 4 else list(pairwise(runs))
    for first, second in pairs:
        scores = [{r.key: r.score for r in run.records if r.score is not None} for run in (first, second)]
        outcome = compare_paired(scores[0], scores[1])
        if outcome.n == 0:
            continue
        text = (
            f"{escape(names[id(second)])} minus {escape(names[id(first)])}: <b>{outcome.difference:+.3f}</b> "
            f"[{outcome.low:+.3f}, {outcome.high:+.3f}], p = {outcome.p_value:.3g}, on {outcome.n:,} shared instances; "
            f"better on {outcome.better:,}, worse on {outcome.worse:,}."
        )
        svg = scatter_figure(_points(first, second), names[id(first)], names[id(second)])
        panes.append((f"{names[id(second)]} against {names[id(first)]}", figure(svg, text, narrow=True)))
    return card("<h3>Two runs, side by side</h3>", chooser("runs", panes)) if panes else ""


def _points(first: Run, second: Run) -> list[tuple[str, float, float, int]]:
    """A point per task; where there is one task only, per value of the facet that divides it best."""
    by = ["task"]
    if len(first.tasks) == 1:
        by = choose_facets([first, second], ())[:1] or ["task"]
    one, two = first.by_facet(*by), second.by_facet(*by)
    points = []
    for key in one.keys() & two.keys():
        a, b = one[key].estimate, two[key].estimate
        if a.n and b.n:
            points.append((" × ".join(key), a.value, b.value, a.n))
    return sorted(points)


def _curve_card(runs: list[Run], names: dict[int, str]) -> str:
    curves = [curve for run in runs for curve in read_curves(run.folder, names[id(run)])]
    if not curves:
        return ""
    return card("<h3>Learning curves</h3>", figure(curve_figure(curves, "learning curves")))


def _task_card(runs: list[Run], names: dict[int, str]) -> str:
    panes = []
    for run in runs:
        groups = run.by_task()
        if len(groups) < 2:
            continue
        note = ""
        if len(groups) > _MOST_TASK_ROWS:
            note = (
                f'<p class="note">The first {_MOST_TASK_ROWS} of {len(groups):,} tasks; results.json has them all.</p>'
            )
        panes.append((names[id(run)], headline_table(groups[:_MOST_TASK_ROWS], "task", coloured=False) + note))
    return card("<h3>Tasks</h3>", chooser("run", panes)) if panes else ""


def _provenance(runs: list[Run], names: dict[int, str]) -> str:
    import yaml

    parts = []
    for run in runs:
        plan: dict[str, Any] = msgspec.to_builtins(run.plan)
        command = plan.pop("command")
        text = yaml.safe_dump(plan, sort_keys=False, allow_unicode=True, width=100)
        reproduce = f"<p class=note>reproduce with</p><pre>{escape(command)}</pre>" if command else ""
        parts.append(
            f"<details><summary>{escape(names[id(run)])}: recipe, seeds, versions, hashes</summary>{reproduce}"
            f"<pre>plan: {run.plan.hash()}\n{escape(text)}</pre></details>"
        )
    return card("<h3>What was run</h3>", *parts)
