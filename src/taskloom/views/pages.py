"""The pages of the application as HTML, made of the parts of the report. They take data, never requests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isnan
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import quote, urlencode

from taskloom import __version__
from taskloom.core import UserError
from taskloom.core.study import Table
from taskloom.report.comparison import Side, compare_sides, comparison_card
from taskloom.report.first import first_screen
from taskloom.report.html import SCRIPTS, Link, card, data_block, heading, page, part
from taskloom.report.names import distinct_names
from taskloom.report.sections import plan_card
from taskloom.report.tables import TableCell, plain_table, study_table
from taskloom.run.opinions import opinion_notes
from taskloom.run.results import Run
from taskloom.studies.judgement.forms import RatingForm
from taskloom.views.board import BoardRow, BoardSection
from taskloom.views.jobs import QUICK, THOROUGH, ProbeJob
from taskloom.views.judging import FormState
from taskloom.views.models import ChosenModel
from taskloom.views.table import SampleTable

if TYPE_CHECKING:
    from markupsafe import Markup

__all__ = [
    "Served",
    "answer_screen",
    "ask_page",
    "compare_page",
    "error_page",
    "findings_page",
    "quoted",
    "runs_page",
    "samples_page",
]

_MOST_FACETS = 6
_FOOTER = f"Taskloom {__version__}. Every number is computed from the logs of the runs."


def quoted(name: str, *values: str) -> str:
    """`name=value` as the search field reads it, whatever stands in the values."""
    plain = [value if value and not set(value) & set(' "|\\\t\n') else _in_quotes(value) for value in values]
    return f"{name}={'|'.join(plain)}"


def _in_quotes(value: str) -> str:
    escaped = value.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


class Served(NamedTuple):
    """Where the pages of a server are, and how one is put together."""

    read_only: bool = False
    live: bool = True

    def findings(self, run: str) -> str:
        """The page of a run."""
        return f"/findings?run={quote(run, safe='')}"

    def samples(self, runs: Sequence[str], query: str, **more: str) -> str:
        """The samples of some runs."""
        return "/samples?" + urlencode(
            [*(("run", run) for run in runs), *([("q", query)] if query else []), *more.items()]
        )

    def compare(self, one: str, two: str) -> str:
        """Two runs side by side."""
        return "/compare?" + urlencode({"a": one, "b": two})

    def links(self) -> list[Link]:
        """The navigation."""
        asking = [] if self.read_only else [Link("", "Ask", "/")]
        judging = [] if self.read_only else [Link("", "Judge", "/judge")]
        return [*asking, Link("", "Runs", "/runs"), Link("", "Samples", "/samples"), *judging]

    def page(self, title: str, lead: str, body: Markup, current: str, scripts: Sequence[str] = ()) -> str:
        """A whole page."""
        return page(title, lead, body, _FOOTER, (*SCRIPTS, "live.js", *scripts), self.links(), ("judge.css", "app.css"),
                    current=current, served=True)  # fmt: skip


def runs_page(sections: Sequence[BoardSection], rows: Sequence[BoardRow], place: Served) -> Markup:
    """The leaderboard of every suite, and what cannot be ranked."""
    body: list[Markup | str] = []
    suites = dict.fromkeys(section.suite for section in sections)
    numbered = list(enumerate(sections))
    for suite in suites:
        own = [(number, section) for number, section in numbered if section.suite == suite]
        body += [heading(2, suite, f"suite-{own[0][0]}")]
        body.append(card(*(part("board", section, number, place) for number, section in own)))
    others = [row for row in rows if row.value is None or row.state != "finished"]
    if others:
        body += [heading(2, "Probes, and runs that are not finished", "others"), card(part("run_list", others, place))]
    if not body:
        body.append(card(part("note", "No run lies below this folder yet: taskloom run SUITE --model M -o runs/NAME")))
    return part("join", [*body, part("compare_bar")])


def findings_page(run: Run, name: str, row: BoardRow, place: Served) -> Markup:
    """What one run shows: claims with their pairs, pictures, facets, and what was run."""
    probe = bool(run.plan.streams)
    actions = [(place.samples((name,), ""), f"{len(run.records):,} samples"),
               (place.samples((name,), "outcome=wrong"), "mistakes")]  # fmt: skip
    if row.unparsed:
        actions.append((place.samples((name,), "outcome=unparsed"), f"{row.unparsed:,} unparsed"))
    body: list[Markup | str] = [part("run_list", [row], place), part("links", actions)]
    body.append(answer_screen(run, name, place))
    body += [part("note", text) for text in opinion_notes(run)]
    if not probe:
        body.append(_facet_tables(run, name, place))
    body.append(card(plan_card([run], {id(run): name}, "plan")))
    return part("join", body)


def answer_screen(run: Run, name: str, place: Served, *, pictures: bool = True) -> Markup | str:
    """The first screen of one run; what prevents it, where there is none."""

    def link(_: Run, cells: Sequence[str]) -> str:
        return place.samples((name,), quoted("cell", *cells) if cells else "outcome=wrong")

    try:
        return first_screen([run], distinct_names([run]), link, pictures)
    except UserError as error:
        return card(part("warning", error.message))


def ask_page(
    models: Sequence[ChosenModel],
    suites: Sequence[tuple[str, str]],
    jobs: Sequence[tuple[ProbeJob, Markup | str]],
    place: Served,
) -> Markup:
    """Where a probe is started and watched."""
    form = part("ask_form", models, suites, QUICK, THOROUGH)
    return part("join", [form, part("job_list", jobs, place)])


def judge_page(forms: Sequence[FormState], runs: Sequence[str]) -> Markup:
    """The queue of judgements, and how something gets into it."""
    kinds = (("compare", "say which of two answers is better"), ("answer", "answer the questions themselves"),
             ("read", "read what no reader could"), ("instructions", "rate instructions"))  # fmt: skip
    return part("judge_list", forms, runs, kinds)


def judged_page(form: RatingForm, tables: Sequence[Table]) -> Markup:
    """What people said, with intervals, agreement and attention."""
    if not tables:
        return card(part("note", "Nobody has judged anything yet."))
    shown = [study_table(f"judged-{number}", table) for number, table in enumerate(tables)]
    apply = [part("judge_apply", form.id, form.kind)] if form.kind in ("answer", "read") else []
    return card(*shown, *apply)


def _facet_tables(run: Run, name: str, place: Served) -> Markup | str:
    """Scores by facet; every group opens its samples."""
    from taskloom.report.choose import choose_facets

    tables: list[Markup | str] = []
    for facet in choose_facets([run], ()).drawn[:_MOST_FACETS]:
        rows = []
        for (value,), group in run.by_facet(facet).items():
            estimate = group.estimate
            shown = [TableCell(f"{n:.3f}", repr(n)) if not isnan(n) else TableCell("–") for n in estimate[:3]]
            link = place.samples((name,), quoted(facet, value))
            rows.append([TableCell(value, link=link), *shown, TableCell(f"{estimate.n:,}", str(estimate.n))])
        caption = f"By {facet}: {run.estimand}, 95 % intervals."
        tables.append(plain_table(f"facet-{facet}", caption, (facet, "score", "low", "high", "n"), rows, folded=12))
    return card(heading(3, "Scores by facet", "facets"), *tables) if tables else ""


def compare_page(one: tuple[str, Run], two: tuple[str, Run], table: SampleTable, place: Served) -> Markup:
    """The paired difference of two runs: overall, by facet, and where only one of them is right."""
    sides = [Side(one[0], [one[1]]), Side(two[0], [two[1]])]
    names = (one[0], two[0])
    counts = {group.names: group.n for group in table.group(("outcome@1", "outcome@2"))}

    def link(first: str, second: str) -> str:
        wanted = f"outcome@1{first} outcome@2{second}"
        return place.samples(names, wanted, pair="1")

    def count(first: bool, second: bool) -> int:
        return sum(n for (a, b), n in counts.items()
                   if (a == "right") is first and (b == "right") is second and "not asked" not in (a, b))  # fmt: skip

    said = [
        (link("=right", "!=right"), f"{names[0]} right, {names[1]} not: {count(True, False):,}"),
        (link("!=right", "=right"), f"{names[1]} right, {names[0]} not: {count(False, True):,}"),
        (link("=right", "=right"), f"both right: {count(True, True):,}"),
        (link("!=right", "!=right"), f"neither right: {count(False, False):,}"),
    ]
    title = heading(2, "The difference", "difference")
    outcome, facets = comparison_card(compare_sides(sides), "pair"), _paired_facets(one[1], two[1], names, place)
    return part("join", [title, outcome, card(part("links", said)), facets])


def _paired_facets(one: Run, two: Run, names: tuple[str, str], place: Served) -> Markup | str:
    """The difference by the values of facets, on the questions that both were asked."""
    import numpy as np

    from taskloom.report.choose import choose_facets
    from taskloom.run.join import join_runs
    from taskloom.score.stats import compare_cells

    joined = join_runs(one, two)
    if not len(joined.first):
        return ""
    gain = two.values()[joined.second] - one.values()[joined.first]
    at = np.full(len(one.columns), -1)
    at[joined.first] = np.arange(len(joined.first))
    tables: list[Markup | str] = []
    for facet in choose_facets([one], ()).drawn[:_MOST_FACETS]:
        rows = []
        for (value,), own in one.rows_by(facet).items():
            paired = gain[at[own][at[own] >= 0]]
            paired = paired[~np.isnan(paired)]
            if not len(paired):
                continue
            numbers = [TableCell(f"{number:+.3f}", repr(number)) for number in compare_cells({("", ""): paired})[:3]]
            query = quoted(facet, value) + " outcomes=differ"
            rows.append([TableCell(value, link=place.samples(names, query, pair="1")), *numbers,
                         TableCell(f"{len(paired):,}", str(len(paired)))])  # fmt: skip
        caption = f"{names[1]} minus {names[0]} by {facet}: mean over shared questions, 95 % intervals one at a time."
        tables.append(
            plain_table(f"paired-{facet}", caption, (facet, "difference", "low", "high", "n"), rows, folded=12)
        )
    return card(heading(3, "The difference by facet", "by-facet"), *tables) if tables else ""


def samples_page(runs: Sequence[str], known: Sequence[str], data: Mapping[str, Any]) -> Markup:
    """The table of samples; its rows come as they are looked at."""
    return card(part("sample_table", data_block({"chosen": list(runs), "known": list(known), **data})))


def error_page(error: UserError, place: Served) -> str:
    """What went wrong, and what mends it."""
    parts = [part("warning", error.message), *([part("note", error.hint)] if error.hint else [])]
    return place.page("This cannot be shown", error.where or "", card(*parts), "")
