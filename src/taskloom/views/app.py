"""The application behind `taskloom serve`: pages, the JSON behind them, and one stream that says when to look again.

    /      a model, a suite, a number of questions; and what is going on
    /runs  /findings?run=  /compare?a=&b=  /samples?run=&q=&sort=&by=&pair=       pages
    /api/runs  /api/rows  /api/group  /api/facets  /api/sample  /api/csv          what they show
    /api/examples  POST /api/test  POST /api/jobs  /api/jobs/stop  /api/jobs/continue
    /judge  /judge/rate?form=  /judge/results?form=  /api/judge/next  POST /api/judge  /api/judge/new  /api/judge/apply
    /api/events                                                                   a line when something has changed

The guard of `core.serving` stands before it: what arrives here has the token, comes from a page of ours, and is small.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

import msgspec

from taskloom.core import UserError
from taskloom.core.csv_table import encode_csv
from taskloom.core.decode import decode_json
from taskloom.core.secrets import scrub
from taskloom.core.serving import Receive, Scope, Send
from taskloom.report.html import part, static_file
from taskloom.report.judge import LEADS
from taskloom.studies.judgement.forms import Kind, make_form
from taskloom.views.board import Board
from taskloom.views.jobs import Jobs, ProbeJob, ProbeRequest
from taskloom.views.judging import FILE as JUDGEMENTS
from taskloom.views.judging import Judged, JudgeStore, apply_judgements
from taskloom.views.library import Library
from taskloom.views.models import found_models
from taskloom.views.pages import (
    Served,
    answer_screen,
    ask_page,
    compare_page,
    error_page,
    findings_page,
    judge_page,
    judged_page,
    runs_page,
    samples_page,
)
from taskloom.views.samples import SampleRequest, Samples
from taskloom.views.suites import known_suites, suite_examples, suite_name

if TYPE_CHECKING:
    from markupsafe import Markup
    from starlette.requests import Request
    from starlette.responses import Response

__all__ = ["App"]

_STATIC = (
    "page.css", "figures.css", "judge.css", "app.css", "state.js", "tables.js", "figures.js", "heat.js", "samples.js",
    "judge.js", "live.js", "grid.js", "ask.js", "queue.js",
)  # fmt: skip
_LOOK_SECONDS = 1.0
_BEAT_SECONDS = 20.0
_DEFAULT_COLUMNS = ("outcome", "task", "said", "expected")
_MOST_CSV = 50_000


class RunNamed(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A run that something is done to."""

    run: str
    key: str = ""
    budget: int | None = None


class FormNamed(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A form that something is done to."""

    form: str


class NewForm(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What people are to judge."""

    runs: tuple[str, ...]
    kind: Kind
    tasks: int = 60
    instances: int = 10


class App:
    """The application.

    Args:
        roots: The folders to serve.
        read_only: Whether nothing may be started or judged; the guard refuses it, the pages do not offer it.
    """

    def __init__(self, roots: Sequence[Path], *, read_only: bool = False) -> None:
        self.library = Library(roots)
        self.board = Board(self.library)
        self.samples = Samples(self.library)
        self.place = Served(read_only)
        self._pulse = Pulse(self.library)
        self.jobs = Jobs(self.library.roots, partial(self._pulse.look, touch=True))
        self.judging = JudgeStore(self.library.roots[0] / JUDGEMENTS)
        self._pages: dict[str, tuple[int, str]] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._routed(scope, receive, send)

    @cached_property
    def _routed(self) -> Any:
        from starlette.applications import Starlette
        from starlette.routing import Route

        pages = {"/judge": self.judge, "/judge/rate": self.rate, "/judge/results": self.judged,
                 "/": self.front, "/runs": self.runs, "/findings": self.findings, "/samples": self.table,
                 "/compare": self.compare}  # fmt: skip
        data = {"runs": self.api_runs, "rows": self.api_rows, "group": self.api_group, "facets": self.api_facets,
                "sample": self.api_sample, "csv": self.api_csv, "examples": self.api_examples,
                "judge/next": self.api_next, "judge/export": self.api_export}  # fmt: skip
        routes = [Route(path, self._page(action)) for path, action in pages.items()]
        routes += [Route(f"/api/{name}", self._data(action)) for name, action in data.items()]
        changes = {"test": self.post_test, "jobs": self.post_job, "jobs/stop": self.post_stop,
                   "jobs/continue": self.post_continue, "judge": self.post_judge, "judge/new": self.post_form,
                   "judge/apply": self.post_apply}  # fmt: skip
        routes += [Route(f"/api/{name}", self._change(act), methods=["POST"]) for name, act in changes.items()]
        routes += [Route("/api/events", self.events), Route("/static/{name}", self.static)]
        return Starlette(routes=routes)

    def _page(self, action: Callable[[Request], str | Response]) -> Callable[[Request], Response]:
        """A page; what a person cannot be shown is said on a page, too."""
        from starlette.responses import HTMLResponse, Response

        def answer(request: Request) -> Response:
            try:
                found = action(request)
            except UserError as error:
                return HTMLResponse(error_page(error, self.place), 404)
            return found if isinstance(found, Response) else HTMLResponse(found)

        return answer

    def _change(self, action: Callable[[bytes], Any]) -> Callable[[Request], Any]:
        """What a page asks to be done, from a body of JSON."""

        async def answer(request: Request) -> Response:
            body = await request.body()
            return await asyncio.to_thread(self._data(lambda _: action(body), refused=400), request)

        return answer

    @staticmethod
    def _data(action: Callable[[Request], Any], refused: int = 404) -> Callable[[Request], Response]:
        """What a script asks for, as JSON."""
        from starlette.responses import Response

        def answer(request: Request) -> Response:
            try:
                found, status = action(request), 200
            except UserError as error:
                found, status = {"error": scrub(error.message), "where": error.where, "hint": error.hint}, refused
            if isinstance(found, Response):
                return found
            return Response(msgspec.json.encode(found), status, media_type="application/json")

        return answer

    # Pages

    def front(self, request: Request) -> str | Response:
        """Where one begins."""
        from starlette.responses import RedirectResponse

        if self.place.read_only:
            return RedirectResponse("/runs", 303)
        body = ask_page(found_models(self.library.roots), known_suites(self.library), self._shown_jobs(), self.place)
        return self.place.page("Ask", "Choose a model; see what it cannot do.", body, "Ask", ("ask.js",))

    def _shown_jobs(self) -> list[tuple[ProbeJob, Markup | str]]:
        """The jobs, each finished one with what it found."""
        found: list[tuple[ProbeJob, Markup | str]] = []
        for job in self.jobs.list():
            shown = job.state == "finished"
            found.append((job, self._answer(job.run) if shown else ""))
        return found

    def _answer(self, run: str) -> Markup | str:
        try:
            return answer_screen(self.library.run(run), run, self.place, pictures=False)
        except UserError as error:
            return part("warning", error.message)

    def runs(self, request: Request) -> str:
        """Models and suites."""
        return self._drawn_once("/runs", self._draw_runs)

    def _draw_runs(self) -> str:
        rows = self.board.rows()
        count = f"{len(rows):,} run{'' if len(rows) == 1 else 's'} below {', '.join(map(str, self.library.roots))}"
        return self.place.page("Runs", count, runs_page(self.board.sections(rows), rows, self.place), "Runs")

    def _drawn_once(self, key: str, draw: Callable[[], str]) -> str:
        """A page that many follow is drawn once for every state of the library."""
        version = self._pulse.look()
        kept = self._pages.get(key)
        if kept is None or kept[0] != version:
            kept = (version, draw())
            if len(self._pages) > 100:
                self._pages.clear()
            self._pages[key] = kept
        return kept[1]

    def findings(self, request: Request) -> str:
        """One run."""
        name = request.query_params.get("run", "")
        self.library.place(name)
        return self._drawn_once(f"/findings {name}", lambda: self._draw_findings(name))

    def _draw_findings(self, name: str) -> str:
        run = self.library.run(name)
        row = next(row for row in self.board.rows() if row.run == name)
        lead = f"{run.name} on {run.plan.suite}, protocol {row.protocol or 'unknown'}"
        return self.place.page(name, lead, findings_page(run, name, row, self.place), "Runs")

    def compare(self, request: Request) -> str:
        """Two runs side by side."""
        one, two = (request.query_params.get(key, "") for key in ("a", "b"))
        first, second = self.library.run(one), self.library.run(two)
        _, table = self.samples.table((one, two), paired=True)
        body = compare_page((one, first), (two, second), table, self.place)
        return self.place.page(f"{two} against {one}", f"on {first.plan.suite}", body, "Runs")

    def table(self, request: Request) -> str | Response:
        """The samples of some runs."""
        from starlette.responses import RedirectResponse

        known = [place.id for place in self.library.runs()]
        chosen = request.query_params.getlist("run")
        if not chosen and known:
            pairs = [("run", known[0]), *((k, v) for k, v in request.query_params.multi_items() if k != "run")]
            return RedirectResponse("/samples?" + urlencode(pairs), 303)
        for name in chosen:
            self.library.place(name)
        data = {"shown": _DEFAULT_COLUMNS}
        body = samples_page(chosen, known, data)
        return self.place.page("Samples", ", ".join(chosen), body, "Samples", ("grid.js",))

    def judge(self, request: Request) -> str:
        """The queue of judgements."""
        body = judge_page(self.judging.forms(), [place.id for place in self.library.runs()])
        return self._judging_page("Judge", "People read, compare and answer; names without accounts.", body)

    def rate(self, request: Request) -> str:
        """One item at a time."""
        form, _ = self.judging.form(request.query_params.get("form", ""))
        return self._judging_page(form.title, LEADS[form.kind], part("judge_queue", form.id, form.title))

    def judged(self, request: Request) -> str:
        """What people said."""
        form, _ = self.judging.form(request.query_params.get("form", ""))
        body = judged_page(form, self.judging.tables(form.id))
        return self._judging_page(form.title, "What people said, with agreement.", body)

    def _judging_page(self, title: str, lead: str, body: Markup) -> str:
        return self.place.page(title, lead, body, "Judge", ("queue.js",))

    # Data

    def api_next(self, request: Request) -> Any:
        """What a person judges next."""
        return self.judging.next_item(request.query_params.get("form", ""), request.query_params.get("rater", ""))

    def api_export(self, request: Request) -> Any:
        """Every answer to a form, with the hashes that chain them."""
        from starlette.responses import Response

        return Response(self.judging.export(request.query_params.get("form", "")), media_type="application/jsonl")

    def api_runs(self, request: Request) -> Any:
        """Every run as a row, and which may be ranked together."""
        rows = self.board.rows()
        return {"runs": rows, "sections": self.board.sections(rows)}

    @staticmethod
    def _asked(request: Request) -> SampleRequest:
        given = request.query_params
        runs = tuple(given.getlist("run"))
        sort = tuple(filter(None, given.get("sort", "").split(",")))[:3]
        return SampleRequest(runs, given.get("pair") == "1", given.get("q", ""), sort)

    def api_rows(self, request: Request) -> Any:
        """Some rows of the table."""
        given = request.query_params
        columns = tuple(filter(None, given.get("cols", "").split(","))) or _DEFAULT_COLUMNS
        return self.samples.rows(
            self._asked(request), _whole(given, "start"), _whole(given, "count", 100), columns[:40]
        )

    def api_group(self, request: Request) -> Any:
        """The rows in groups."""
        names = tuple(filter(None, request.query_params.get("by", "").split(",")))[:3]
        return self.samples.group(self._asked(request), names)

    def api_facets(self, request: Request) -> Any:
        """What can be filtered, sorted and grouped by."""
        asked = self._asked(request)
        return self.samples.facets(asked.runs, paired=asked.paired)

    def api_sample(self, request: Request) -> Any:
        """Everything about one row."""
        asked = self._asked(request)
        return self.samples.sample(asked.runs, _whole(request.query_params, "row"), paired=asked.paired)

    def api_csv(self, request: Request) -> Any:
        """The rows of a view as a file for spreadsheets."""
        from starlette.responses import Response

        asked = self._asked(request)
        columns = tuple(filter(None, request.query_params.get("cols", "").split(","))) or _DEFAULT_COLUMNS
        view = self.samples.view(asked)
        while not view.complete:
            time.sleep(0.05)
            view = self.samples.view(asked)
        found: list[Sequence[Any]] = []
        for start in range(0, min(len(view.rows()), _MOST_CSV), 500):
            shown = self.samples.rows(asked, start, 500, columns)["columns"]
            found += zip(*(shown[name] for name in columns), strict=True)
        name = {"content-disposition": 'attachment; filename="samples.csv"'}
        return Response(encode_csv(columns, found), media_type="text/csv; charset=utf-8", headers=name)

    def api_examples(self, request: Request) -> Any:
        """Items of a suite, to try."""
        given = request.query_params
        recipe = decode_json(given.get("recipe") or "{}", type=dict[str, Any], where="recipe")
        return suite_examples(self.library, given.get("suite", ""), _whole(given, "seed"), recipe)

    # What changes something

    def _wanted(self, body: bytes) -> ProbeRequest:
        asked = decode_json(body, type=ProbeRequest, where="request")
        suite = suite_name(self.library, asked.suite)
        return msgspec.structs.replace(asked, suite=suite)

    def post_test(self, body: bytes) -> Any:
        """Ask one question."""
        return self.jobs.test(self._wanted(body))

    def post_job(self, body: bytes) -> Any:
        """Start a probe."""
        return self.jobs.start(self._wanted(body))

    def post_stop(self, body: bytes) -> Any:
        """Stop a probe."""
        self.jobs.stop(decode_json(body, type=RunNamed, where="request").run)
        return {}

    def post_continue(self, body: bytes) -> Any:
        """Continue a probe."""
        given = decode_json(body, type=RunNamed, where="request")
        return self.jobs.resume(given.run, self.library.place(given.run).folder, given.key, given.budget)

    def post_form(self, body: bytes) -> Any:
        """Put a form into the queue."""
        given = decode_json(body, type=NewForm, where="request")
        if not given.runs:
            raise UserError("choose one or more runs", where="runs")
        form, key = make_form(
            [self.library.run(name) for name in given.runs], given.kind, tasks=given.tasks, instances=given.instances
        )
        self._pulse.look(touch=True)
        return {"form": self.judging.add(form, key, given.runs)}

    def post_judge(self, body: bytes) -> Any:
        """Keep what a person says."""
        self.judging.answer(decode_json(body, type=Judged, where="request"))
        self._pulse.look(touch=True)
        return {}

    def post_apply(self, body: bytes) -> Any:
        """Let judgements count: answers become a run, readings stand beside the run they are about."""
        form = decode_json(body, type=FormNamed, where="request").form
        said = apply_judgements(self.judging, form, self.library)
        self._pulse.look(touch=True)
        return {"said": said}

    # What is not JSON

    async def events(self, request: Request) -> Response:
        """A line whenever something has changed, and now and then one to show that the server lives."""
        from starlette.responses import StreamingResponse

        headers = {"cache-control": "no-store", "x-accel-buffering": "no"}
        return StreamingResponse(self._pulse.follow(), media_type="text/event-stream", headers=headers)

    async def static(self, request: Request) -> Response:
        """A style sheet or script."""
        from starlette.responses import Response

        name = request.path_params["name"]
        if name not in _STATIC:
            return Response("no such file", 404)
        kind = "text/css" if name.endswith(".css") else "text/javascript"
        return Response(static_file(name), media_type=kind, headers={"cache-control": "max-age=60"})


class Pulse:
    """Looks whether runs have changed, once for all pages that follow."""

    def __init__(self, library: Library) -> None:
        self._library = library
        self._seen: Any = None
        self._version = 0
        self._looked = float("-inf")

    def look(self, *, touch: bool = False) -> int:
        """The number of the present state; it grows with every change."""
        if time.monotonic() - self._looked > _LOOK_SECONDS / 2 or touch:
            seen = [(place.id, self._library.signature(place)) for place in self._library.runs(fresh=touch)]
            if seen != self._seen or touch:
                self._seen, self._version = seen, self._version + 1
            self._looked = time.monotonic()
        return self._version

    async def follow(self) -> AsyncIterator[bytes]:
        """The lines of the stream."""
        last, told = -1, time.monotonic()
        while True:
            version = await asyncio.to_thread(self.look)
            if version != last:
                last, told = version, time.monotonic()
                yield b"data: %d\n\n" % version
            elif time.monotonic() - told > _BEAT_SECONDS:
                told = time.monotonic()
                yield b": still here\n\n"
            await asyncio.sleep(_LOOK_SECONDS)


def _whole(given: Mapping[str, str], name: str, fallback: int = 0) -> int:
    text = given.get(name, "")
    if not text:
        return fallback
    if not (text.isascii() and text.isdecimal() and len(text) < 16):
        raise UserError(f"{name} is a whole number, not {text[:40]!r}")
    return int(text)
