"""The application behind `taskloom serve`: pages, the JSON behind them, and one stream that says when to look again.

    /      a model, a suite, a number of questions; and what is going on
    /runs  /findings?run=  /compare?a=&b=  /study?name=  /samples?run=&q=&sort=&by=&pair=       pages
    /api/runs  /api/rows  /api/group  /api/facets  /api/sample  /api/csv          what they show
    /api/examples  POST /api/test  POST /api/jobs  /api/jobs/stop  /api/jobs/continue
    /judge  /judge/rate?form=  /judge/results?form=  /api/judge/next  POST /api/judge  /api/judge/new  /api/judge/apply
    /api/events                                                                   a line when something has changed

The guard of `core.serving` stands before it: what arrives here has the token, comes from a page of ours, and is small.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Sequence
from functools import cached_property, partial
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import msgspec
from markupsafe import Markup
from starlette.applications import Starlette
from starlette.datastructures import QueryParams
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response, StreamingResponse
from starlette.routing import Route

from taskloom.core import UserError
from taskloom.core.decode import decode_json
from taskloom.core.secrets import scrub
from taskloom.core.serving import Receive, Scope, Send
from taskloom.report.html import card, data_block, part, static_file, study_table
from taskloom.studies.judgement.forms import FORMS, Kind, make_form
from taskloom.views import offers
from taskloom.views.jobs import JOB, Jobs, ProbeJob
from taskloom.views.judging import FILE as JUDGEMENTS
from taskloom.views.judging import Judged, JudgeStore, apply_judgements
from taskloom.views.library import Library
from taskloom.views.offers import ProbeRequest
from taskloom.views.pages import Pages, Served
from taskloom.views.samples import DEFAULT_COLUMNS, SampleRequest, Samples, whole_number

_STATIC = (
    "page.css", "figures.css", "judge.css", "app.css", "state.js", "tables.js", "figures.js", "heat.js", "samples.js",
    "judge.js", "live.js", "grid.js", "ask.js", "queue.js",
)  # fmt: skip
_LOOK_SECONDS = 1.0
_BEAT_SECONDS = 20.0


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
    """The application; with `read_only` its pages offer nothing that starts or judges, which the guard refuses."""

    def __init__(self, roots: Sequence[Path], *, read_only: bool = False) -> None:
        self.library = Library(roots)
        self.samples = Samples(self.library)
        self.place = Served(read_only=read_only)
        self.pages = Pages(self.library, self.place)
        self._pulse = Pulse(self.library)
        self._touch = partial(self._pulse.look, touch=True)
        self.jobs = Jobs(self.library.roots, self._touch)
        self.judging = JudgeStore(self.library.roots[0] / JUDGEMENTS)
        self._drawn: dict[str, tuple[int, str]] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._routed(scope, receive, send)

    @cached_property
    def _routed(self) -> Any:
        samples = self.samples
        pages: dict[str, Callable[[QueryParams], str | Response]] = {
            "/": self.front, "/runs": lambda _: self._once("/runs", self.pages.runs), "/findings": self.findings,
            "/samples": self.table, "/compare": self.compare, "/study": lambda q: self.pages.study(q.get("name", "")),
            "/judge": self.judge, "/judge/rate": self.rate, "/judge/results": self.judged,
        }  # fmt: skip
        data: dict[str, Callable[[QueryParams], Any]] = {
            "runs": lambda _: self.pages.board.listed(), "examples": self.examples,
            "rows": lambda q: samples.rows(SampleRequest.of(q)), "group": lambda q: samples.group(SampleRequest.of(q)),
            "facets": lambda q: samples.facets(SampleRequest.of(q)),
            "sample": lambda q: samples.sample(SampleRequest.of(q)), "csv": self.csv,
            "judge/next": lambda q: self.judging.next_item(q.get("form", ""), q.get("rater", "")),
            "judge/export": lambda q: self._file(self.judging.export(q.get("form", "")), "application/jsonl"),
        }  # fmt: skip
        changes: dict[str, tuple[type, Callable[[Any], Any]]] = {
            "test": (ProbeRequest, lambda asked: self.jobs.test(self._known(asked))),
            "jobs": (ProbeRequest, lambda asked: self.jobs.start(self._known(asked))),
            "jobs/stop": (RunNamed, lambda given: self.jobs.stop(given.run)),
            "jobs/continue": (RunNamed, self.resume),
            "judge": (Judged, self.judging.answer), "judge/new": (NewForm, self.new_form),
            "judge/apply": (FormNamed, self.apply),
        }  # fmt: skip
        routes = [Route(path, self._page(action)) for path, action in pages.items()]
        routes += [Route(f"/api/{name}", self._data(action)) for name, action in data.items()]
        routes += [Route(f"/api/{name}", self._change(*act), methods=["POST"]) for name, act in changes.items()]
        routes += [Route("/api/events", self.events), Route("/static/{name}", self.static)]
        return Starlette(routes=routes)

    def _page(self, action: Callable[[QueryParams], str | Response]) -> Callable[[Request], Response]:
        """A page; what a person cannot be shown is said on a page, too."""

        def answer(request: Request) -> Response:
            try:
                found = action(request.query_params)
            except UserError as error:
                return HTMLResponse(self.pages.error(error), 404)
            return found if isinstance(found, Response) else HTMLResponse(found)

        return answer

    def _change(self, kind: type, action: Callable[[Any], Any]) -> Callable[[Request], Any]:
        """What a page asks to be done, from a body of JSON; pages that follow look again."""

        def change(body: bytes) -> Any:
            found = action(decode_json(body, type=kind, where="request"))
            self._touch()
            return {} if found is None else found

        async def answer(request: Request) -> Response:
            body = await request.body()
            return await asyncio.to_thread(self._data(lambda _: change(body), refused=400), request)

        return answer

    @staticmethod
    def _data(action: Callable[[QueryParams], Any], refused: int = 404) -> Callable[[Request], Response]:
        """What a script asks for, as JSON."""

        def answer(request: Request) -> Response:
            try:
                found, status = action(request.query_params), 200
            except UserError as error:
                found, status = {"error": scrub(error.message), "where": error.where, "hint": error.hint}, refused
            if isinstance(found, Response):
                return found
            return Response(msgspec.json.encode(found), status, media_type="application/json")

        return answer

    # Pages

    def front(self, given: QueryParams) -> str | Response:
        """Where a probe is started and watched."""
        if self.place.read_only:
            return RedirectResponse("/runs", 303)
        models, suites = offers.found_models(self.library.roots), offers.known_suites(self.library)
        form = part("ask_form", models, suites, offers.QUICK, offers.THOROUGH)
        body = part("join", [form, part("job_list", self._shown_jobs(), self.place)])
        return self.place.page("Ask", "Choose a model; see what it cannot do.", body, "Ask", ("ask.js",))

    def _shown_jobs(self) -> list[tuple[ProbeJob, Markup | str]]:
        """The jobs of this server, each finished one with what it found; then what earlier servers left unfinished."""
        jobs = self.jobs.list()
        own = {job.run for job in jobs}
        for row in self.pages.board.rows():
            folder = self.library.place(row.run).folder
            if row.state == "stopped" and row.run not in own and (folder / JOB).is_file():
                jobs.append(self.jobs.left_behind(row.run, folder, row.n))
        return [(job, self._answer(job.run) if job.state == "finished" else "") for job in jobs]

    def _answer(self, run: str) -> Markup | str:
        try:
            return self.pages.answer(self.library.run(run), run, pictures=False)
        except UserError as error:
            return part("warning", error.message)

    def _once(self, key: str, draw: Callable[[], str]) -> str:
        """A page that many follow is drawn once for every state of the library."""
        version = self._pulse.look()
        kept = self._drawn.get(key)
        if kept is None or kept[0] != version:
            kept = (version, draw())
            if len(self._drawn) > 100:
                self._drawn.clear()
            self._drawn[key] = kept
        return kept[1]

    def findings(self, given: QueryParams) -> str:
        """One run."""
        name = self.library.place(given.get("run", "")).id
        return self._once(f"/findings {name}", lambda: self.pages.findings(name))

    def compare(self, given: QueryParams) -> str:
        """Two runs side by side."""
        one, two = (self.library.place(given.get(key, "")).id for key in ("a", "b"))
        return self.pages.compare(one, two, self.samples.table((one, two), paired=True)[1])

    def table(self, given: QueryParams) -> str | Response:
        """The samples of some runs; their rows come as they are looked at."""
        known = [place.id for place in self.library.runs()]
        chosen = given.getlist("run")
        if not chosen and known:
            pairs = [("run", known[0]), *((k, v) for k, v in given.multi_items() if k != "run")]
            return RedirectResponse("/samples?" + urlencode(pairs), 303)
        for name in chosen:
            self.library.place(name)
        body = card(part("sample_table", data_block({"chosen": chosen, "known": known, "shown": DEFAULT_COLUMNS})))
        return self.place.page("Samples", ", ".join(chosen), body, "Samples", ("grid.js",))

    def judge(self, given: QueryParams) -> str:
        """The queue of judgements, and how something gets into it."""
        kinds = [(kind, words.offer) for kind, words in FORMS.items()]
        body = part("judge_list", self.judging.forms(), [place.id for place in self.library.runs()], kinds)
        return self._judging_page("Judge", "People read, compare and answer; names without accounts.", body)

    def rate(self, given: QueryParams) -> str:
        """One item at a time."""
        form, _ = self.judging.form(given.get("form", ""))
        return self._judging_page(form.title, FORMS[form.kind].lead, part("judge_queue", form.id, form.title))

    def judged(self, given: QueryParams) -> str:
        """What people said, with intervals, agreement and attention."""
        form, _ = self.judging.form(given.get("form", ""))
        tables = self.judging.tables(form.id)
        shown = [study_table(f"judged-{number}", table) for number, table in enumerate(tables)]
        shown = shown or [part("note", "Nothing has been judged yet.")]
        shown += [] if self.judging.proved() else [part("warning", "Answers were changed after they were given.")]
        apply = [part("judge_apply", form.id, form.kind)] if tables and form.kind in ("answer", "read") else []
        return self._judging_page(form.title, "What people said, with agreement.", card(*shown, *apply))

    def _judging_page(self, title: str, lead: str, body: Markup) -> str:
        return self.place.page(title, lead, body, "Judge", ("queue.js",))

    # Data

    @staticmethod
    def _file(data: bytes | str, kind: str, name: str = "") -> Response:
        headers = {"content-disposition": f'attachment; filename="{name}"'} if name else {}
        return Response(data, media_type=kind, headers=headers)

    def csv(self, given: QueryParams) -> Response:
        """The rows of a view as a file for spreadsheets."""
        return self._file(self.samples.csv(SampleRequest.of(given)), "text/csv; charset=utf-8", "samples.csv")

    def examples(self, given: QueryParams) -> Any:
        """Items of a suite, to try."""
        name, seed = given.get("suite", ""), whole_number(given, "seed")
        if name in offers.task_files(self.library.roots):
            run_code = given.get("code") == "1" and not self.place.read_only
            return self.jobs.examples(offers.suite_name(self.library, name, run_code), seed)
        recipe = decode_json(given.get("recipe") or "{}", type=dict[str, Any], where="recipe")
        return offers.suite_examples(self.library, name, seed, recipe)

    # What changes something

    def _known(self, asked: ProbeRequest) -> ProbeRequest:
        return msgspec.structs.replace(asked, suite=offers.suite_name(self.library, asked.suite, asked.run_code))

    def resume(self, given: RunNamed) -> ProbeJob:
        """Continue a probe."""
        return self.jobs.resume(given.run, self.library.place(given.run).folder, given.key, given.budget)

    def new_form(self, given: NewForm) -> Any:
        """Put a form into the queue."""
        if not given.runs:
            raise UserError("choose one or more runs", where="runs")
        runs = [self.library.run(name) for name in given.runs]
        form, key = make_form(runs, given.kind, tasks=given.tasks, instances=given.instances)
        return {"form": self.judging.add(form, key, given.runs)}

    def apply(self, given: FormNamed) -> Any:
        """Let judgements count: answers become a run, readings stand beside the run they are about."""
        return {"said": apply_judgements(self.judging, given.form, self.library)}

    # What is not JSON

    async def events(self, request: Request) -> Response:
        """A line whenever something has changed, and now and then one to show that the server lives."""
        headers = {"cache-control": "no-store", "x-accel-buffering": "no"}
        return StreamingResponse(self._pulse.follow(), media_type="text/event-stream", headers=headers)

    async def static(self, request: Request) -> Response:
        """A style sheet or script."""
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
        self._version = time.time_ns() // 1_000_000  # pages that were left open see that a server is another one
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
