"""The pages of the application, made of the parts of the report: served, or written to files that need no server."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

import msgspec
import numpy as np
from markupsafe import Markup

from taskloom import __version__
from taskloom.core import Finding, Progress, UserError, open_recorded
from taskloom.core.decode import read_json
from taskloom.core.display import counted
from taskloom.report.first import first_screen
from taskloom.report.html import (
    SCRIPTS,
    Link,
    TableCell,
    canary,
    card,
    heading,
    html_cell,
    page,
    part,
    plain_table,
    slug,
)
from taskloom.report.samples import samples_card
from taskloom.report.sections import Side, choose_facets, compare_sides, comparison_card, distinct_names, plan_card
from taskloom.report.studies import study_entry, study_section
from taskloom.run.results import Run
from taskloom.score.stats import compare_cells
from taskloom.store.ownership import remove_stale, write_ours
from taskloom.studies.contrasts import pair_scores
from taskloom.studies.judgement.forms import opinion_notes
from taskloom.views.library import Board, BoardRow, Library, committed
from taskloom.views.samples import SampleRequest, Samples
from taskloom.views.table import SampleTable, parse_query

_MOST_FACETS = 6
FOOTER = f"Taskloom {__version__}. Every number is computed from the logs of the runs."


def quoted(name: str, *values: str) -> str:
    """`name=value` as the search field reads it; values with blanks and marks are quoted."""
    plain = [value if value and not set(value) & set(' "|\\\t\n') else _in_quotes(value) for value in values]
    return f"{name}={'|'.join(plain)}"


def _in_quotes(value: str) -> str:
    escaped = value.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


class Served:
    """Where the pages of a server are, and how one is put together; read-only ones lead to nothing that changes."""

    live = True

    def __init__(self, *, read_only: bool = False) -> None:
        self.read_only = read_only

    def findings(self, run: str) -> str:
        """The page of a run."""
        return f"/findings?run={quote(run, safe='')}"

    def study(self, name: str) -> str:
        """The page of a study."""
        return f"/study?name={quote(name, safe='')}"

    def samples(self, runs: Sequence[str], query: str, **more: str) -> str:
        """The samples of some runs."""
        return "/samples?" + urlencode(
            [*(("run", run) for run in runs), *([("q", query)] if query else []), *more.items()]
        )

    def compare(self, one: str, two: str) -> str:
        """Two runs side by side."""
        return "/compare?" + urlencode({"a": one, "b": two})

    def page(self, title: str, lead: str, body: Markup, current: str, scripts: Sequence[str] = ()) -> str:
        """A whole page."""
        links = [Link("", "Runs", "/runs"), Link("", "Samples", "/samples")]
        links = links if self.read_only else [Link("", "Ask", "/"), *links, Link("", "Judge", "/judge")]
        return page(title, lead, body, FOOTER, (*SCRIPTS, "live.js", *scripts), links, ("judge.css", "app.css"),
                    current=current, served=True)  # fmt: skip


class Pages:
    """The pages about runs and studies; with `reveal` also secret seeds and what was asked with them."""

    def __init__(self, library: Library, place: Served, *, reveal: bool = True) -> None:
        self.library = library
        self.board = Board(library, reveal=reveal)
        self.place = place

    def runs(self) -> str:
        """The leaderboard of every suite, what cannot be ranked, and the studies."""
        rows = self.board.rows()
        sections = self.board.sections(rows)
        body: list[Markup | str] = []
        for suite in dict.fromkeys(section.suite for section in sections):
            own = [(number, section) for number, section in enumerate(sections) if section.suite == suite]
            body += [heading(2, suite, f"suite-{own[0][0]}")]
            body.append(card(*(part("board", section, number, self.place) for number, section in own)))
            names = [(section.rows[0].run, row.run) for _, section in own for row in section.rows[1:]]
            pairs = [(self.place.compare(*pair), f"{pair[1]} against {pair[0]}") for pair in names]
            body += [part("links", [pair for pair in pairs if pair[0]])] if not self.place.live else []
        others = [row for row in rows if row.value is None or row.state != "finished"]
        if others:
            title = heading(2, "Probes, and runs that are not finished", "others")
            body += [title, card(part("run_list", others, self.place))]
        studies = [study_entry(each.folder, self.place.study(each.id)) for each in self.library.studies()]
        if studies:
            body += [heading(2, "Studies", "studies"), card(part("study_list", studies))]
        if not body:
            text = "No run lies below this folder yet: taskloom run SUITE --model M -o runs/NAME"
            body.append(card(part("note", text)))
        below = f" below {', '.join(map(str, self.library.roots))}" if self.place.live else ""
        bar = [part("compare_bar")] if self.place.live else []
        return self.place.page("Runs", counted(len(rows), "run") + below, part("join", [*body, *bar]), "Runs")

    def findings(self, name: str) -> str:
        """What one run shows: claims with their pairs, pictures, facets, and what was run."""
        run, place = self.library.run(name), self.place
        row = next(row for row in self.board.rows() if row.run == name)
        actions = [(place.samples((name,), ""), counted(len(run.records), "sample")),
                   (place.samples((name,), "outcome=wrong"), "mistakes")]  # fmt: skip
        if row.unparsed:
            actions.append((place.samples((name,), "outcome=unparsed"), f"{row.unparsed:,} unparsed"))
        body: list[Markup | str] = [part("run_list", [row], place), part("links", actions)]
        body.append(self.answer(run, name))
        body += [part("note", text) for text in opinion_notes(run)]
        if not run.plan.streams:
            body.append(self._facet_tables(run, name))
        body.append(plan_card([run], {id(run): name}, "plan"))
        lead = f"{run.name} on {run.plan.suite}, protocol {row.protocol or 'unknown'}"
        return place.page(name, lead, part("join", body), "Runs")

    def answer(self, run: Run, name: str, *, pictures: bool = True) -> Markup | str:
        """The first screen of one run; what prevents it, where there is none."""

        def link(_: Run, cells: Sequence[str]) -> str:
            return self.place.samples((name,), quoted("cell", *cells))

        try:
            return first_screen([run], distinct_names([run]), link, pictures, name)
        except UserError as error:
            return card(part("warning", error.message))

    def _facet_tables(self, run: Run, name: str) -> Markup | str:
        """Scores by facet; every group opens its samples."""
        tables: list[Markup | str] = []
        for facet in choose_facets([run], ()).drawn[:_MOST_FACETS]:
            rows = []
            for (value,), group in run.by_facet(facet).items():
                estimate = group.estimate
                rows.append(self._facet_row((name,), facet, value, [*map(html_cell, estimate[:3])], estimate.n))
            caption = f"By {facet}: {run.estimand}, 95 % intervals."
            tables.append(plain_table(f"facet-{facet}", caption, (facet, "score", "low", "high", "n"), rows, folded=12))
        return card(heading(3, "Scores by facet", "facets"), *tables) if tables else ""

    def _facet_row(
        self, runs: tuple[str, ...], facet: str, value: str, numbers: list[TableCell], n: int
    ) -> list[TableCell]:
        more = {"pair": "1"} if len(runs) > 1 else {}
        query = quoted(facet, value) + (" outcomes=differ" if more else "")
        first = TableCell(value, link=self.place.samples(runs, query, **more))
        return [first, *numbers, html_cell(n)]

    def compare(self, one: str, two: str, table: SampleTable, below: Markup | str = "") -> str:
        """The paired difference of two runs: overall, by facet, and where only one of them is right."""
        first, second, names = self.library.run(one), self.library.run(two), (one, two)
        counts = {group.names: group.n for group in table.group(("outcome@1", "outcome@2"))}

        def said(text: str, *right: bool) -> tuple[str, str]:
            asked = {pair: n for pair, n in counts.items() if "not asked" not in pair}
            fitting = sum(n for pair, n in asked.items() if tuple(each == "right" for each in pair) == right)
            signs = [f"outcome@{number}{'=' if own else '!='}right" for number, own in enumerate(right, start=1)]
            return self.place.samples(names, " ".join(signs), pair="1"), f"{text}: {fitting:,}"

        links = [
            said(f"{one} right, {two} not", True, False), said(f"{two} right, {one} not", False, True),
            said("both right", True, True), said("neither right", False, False),
        ]  # fmt: skip
        outcome = comparison_card(compare_sides([Side(one, [first]), Side(two, [second])]), "pair")
        title = heading(2, "The difference", "difference")
        facets = self._paired_facets(first, second, names)
        body = part("join", [title, outcome, card(part("links", links)), facets, below])
        return self.place.page(f"{two} against {one}", f"on {first.plan.suite}", body, "Runs")

    def _paired_facets(self, one: Run, two: Run, names: tuple[str, str]) -> Markup | str:
        """The difference by the values of facets, on the questions that both were asked."""
        paired = pair_scores(one, two)
        gain = paired.after - paired.before
        if not len(gain):
            return ""
        at = np.full(len(one.columns), -1)
        at[paired.rows[0]] = np.arange(len(gain))
        tables: list[Markup | str] = []
        for facet in choose_facets([one], ()).drawn[:_MOST_FACETS]:
            rows = []
            for (value,), own in one.rows_by(facet).items():
                gains = gain[at[own][at[own] >= 0]]
                if len(gains):
                    shown = [TableCell(f"{n:+.3f}", repr(n)) for n in compare_cells({("", ""): gains})[:3]]
                    rows.append(self._facet_row(names, facet, value, shown, len(gains)))
            caption = (
                f"{names[1]} minus {names[0]} by {facet}: mean over shared questions, 95 % intervals one at a time."
            )
            columns = (facet, "difference", "low", "high", "n")
            tables.append(plain_table(f"paired-{facet}", caption, columns, rows, folded=12))
        return card(heading(3, "The difference by facet", "by-facet"), *tables) if tables else ""

    def study(self, name: str) -> str:
        """A study as its folder keeps it: expectations, figures and tables."""
        folder = self.library.place(name, "study").folder
        return self.place.page(name, "", study_section([folder]), "Runs")

    def error(self, error: UserError) -> str:
        """What went wrong, and what mends it."""
        parts = [part("warning", error.message), *([part("note", error.hint)] if error.hint else [])]
        return self.place.page("This cannot be shown", error.where or "", card(*parts), "")


RUNS = Path("api") / "runs.json"
_FROZEN_ROWS = 10_000
_MOST_COMPARED = 20
"""Runs of a leaderboard that have a page beside the best one."""
_WHICH = {"right": "right", "wrong": "wrong", "unparsed": "odd", "failed": "odd", "cut": "odd"}


class Files(Served):
    """Pages as files beside each other, which hold their style and scripts; names are without kind and ending."""

    live = False

    def __init__(self) -> None:
        super().__init__(read_only=True)
        self.runs: dict[str, str] = {}
        self.studies: dict[str, str] = {}
        self.pairs: dict[tuple[str, str], str] = {}
        self.footer = FOOTER

    def findings(self, run: str) -> str:
        return f"run-{self.runs[run]}.html" if run in self.runs else ""

    def study(self, name: str) -> str:
        return f"study-{self.studies[name]}.html"

    def compare(self, one: str, two: str) -> str:
        return f"pair-{self.pairs[one, two]}.html" if (one, two) in self.pairs else ""

    def samples(self, runs: Sequence[str], query: str, **more: str) -> str:
        """The samples of one run on their page; of two, further down the page that compares them."""
        if any(run not in self.runs for run in runs):
            return ""
        clauses = parse_query(query).clauses
        facets = [clause for clause in clauses if not clause.name.startswith("outcome")]
        outcomes = [(clause.sign, clause.values[0]) for clause in clauses if clause not in facets]
        inside = [f"{clause.name}={value}" for clause in facets for value in clause.values]
        which = _WHICH.get(outcomes[0][1], "differ") if outcomes else ""
        if len(outcomes) > 1:
            signs = {sign for sign, _ in outcomes}
            which = "differ" if len(signs) > 1 else "right" if signs == {"="} else "wrong"
        asked = urlencode({"s-which": which} if which else {}) + ("&" if which and inside else "")
        asked += urlencode({"s-in": "&".join(inside)}) if inside else ""
        file = f"./samples-{self.runs[runs[0]]}.html" if len(runs) == 1 else ""
        return f"{file}#s-samples" + (f"?{asked}" if asked else "")

    def page(self, title: str, lead: str, body: Markup, current: str, scripts: Sequence[str] = ()) -> str:
        links = [Link("", "Runs", "index.html")]
        return page(title, lead, body, self.footer, SCRIPTS, links, ("judge.css", "app.css"), current=current)


def export_site(roots: Sequence[Path], folder: Path, *, reveal: bool = False) -> list[Path]:
    """Write the pages about all runs and studies below some folders; with `reveal` those with secret seeds too."""
    library = Library(roots)
    place = Files()
    pages, samples = Pages(library, place, reveal=reveal), Samples(library)
    rows = [row for row in pages.board.rows() if row.n and not row.problem]
    if not rows and not library.studies():
        hint = "taskloom run SUITE --model M -o runs/NAME"
        raise UserError("there is no run to show", where=str(roots[0]), hint=hint)
    shown = [row for row in rows if not row.withheld]
    place.runs = _files([row.run for row in shown])
    place.studies = _files([each.id for each in library.studies()])
    ranked = [[row.run for row in section.rows if row.run in place.runs] for section in pages.board.sections(rows)]
    pairs = [(names[0], other) for names in ranked for other in names[1 : 1 + _MOST_COMPARED]]
    place.pairs = {pair: f"{place.runs[pair[0]]}-{place.runs[pair[1]]}" for pair in pairs}
    written: list[Path] = []

    def write(name: str, text: str) -> None:
        write_ours(folder / name, text.encode("utf-8", "xmlcharrefreplace"))
        written.append(folder / name)

    with Progress("writing the site", len(shown) + len(pairs), unit="pages") as progress:
        for row in shown:
            place.footer = f"{FOOTER} {canary(row.proof.get('rows', ''))}"
            run = library.run(row.run)
            write(place.findings(row.run), pages.findings(row.run))
            path = folder / f"samples-{place.runs[row.run]}.html"
            samples_of_run = samples_card([run], [row.run], "s", path, level=2)
            write(path.name, place.page(f"Samples of {row.run}", "", samples_of_run, "Runs"))
            progress.advance()
        for pair in pairs:
            place.footer = FOOTER
            path = folder / place.compare(*pair)
            asked = samples_card([library.run(name) for name in pair], pair, "s", path)
            write(path.name, pages.compare(*pair, samples.table(pair, paired=True)[1], asked))
            progress.advance()
    place.footer = FOOTER
    for name in place.studies:
        write(place.study(name), pages.study(name))
    write("index.html", pages.runs())
    data = msgspec.json.format(msgspec.json.encode(pages.board.listed()), indent=1)
    write_ours(folder / RUNS, data + b"\n")
    for kind in ("run", "samples", "pair", "study"):
        remove_stale(folder, f"{kind}-*.html", {path.name for path in written})
    frozen = set()
    for row in shown:
        for name, answer in _frozen(samples, row.run):
            frozen.add(f"{place.runs[row.run]}-{name}.json")
            write_ours(folder / "api" / f"{place.runs[row.run]}-{name}.json", msgspec.json.encode(answer))
    remove_stale(folder / "api", "*-*.json", frozen)
    return [written[-1], *written[:-1]]


def _frozen(samples: Samples, run: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """What the routes of a server say about the samples of a run: its columns, its rows, its groups by each facet."""
    asked = SampleRequest((run,), most=_FROZEN_ROWS)
    facets = samples.facets(asked)
    yield "facets", facets
    for start in range(0, facets["rows"], _FROZEN_ROWS):
        yield f"rows-{start}", samples.rows(asked._replace(columns=facets["columns"], start=start))
    for facet in choose_facets([samples.library.run(run)], ()).drawn:
        yield f"group-{slug(facet)}", samples.group(asked._replace(by=(facet,)))


def _files(names: Sequence[str]) -> dict[str, str]:
    """A short name for each, which no other has."""
    return {name: f"{number:03}-{slug(name)}" for number, name in enumerate(names, start=1)}


def check_site(folder: Path) -> Iterator[Finding]:
    """Whether every seed that a site reveals is the one that was promised, and gives the rows that were asked."""
    path = folder / RUNS
    data: dict[str, Any] = read_json(path, type=dict[str, Any])
    for row in msgspec.convert(data.get("runs", []), list[BoardRow]):
        if row.seed is None or row.problem:
            if row.withheld:
                yield Finding(str(path), row.run, "note", "the seed is not revealed yet", "", "seed")
            continue
        if committed(row.suite, row.recipe, row.seed) != row.proof.get("seed"):
            message = "the seed is not the one that was promised by its hash"
            yield Finding(str(path), row.run, "error", message, "ask who published it", "seed")
            continue
        try:
            found = open_recorded(row.suite, seed=row.seed, options=row.recipe).identity
        except UserError as error:
            yield Finding(str(path), row.run, "warning", f"the suite cannot be opened: {error.message}", "", "suite")
            continue
        if row.proof.get("rows") not in ("", found):
            message = "the seed gives other rows than those that were asked"
            yield Finding(str(path), row.run, "error", message, "ask who published it", "rows")
