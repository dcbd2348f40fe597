"""The process that asks a model on behalf of a page: `python -m taskloom.views.worker`.

What to do comes as one line of JSON on standard input, so that a key stands in no argument, file or variable; what
happens goes out as lines of JSON. When standard input ends, the server is gone and the work stops. Everything that was
answered is in the log by then, and the same work continues from there.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import IO, Any, Literal, TypeAlias

import msgspec

from taskloom.ask import ask, make_request
from taskloom.core import Suite, UserError, open_suite
from taskloom.core.catalog import combinations_of
from taskloom.core.decode import decode_json
from taskloom.core.execute import execute_file
from taskloom.core.model import Output, Request
from taskloom.core.secrets import learn, scrub
from taskloom.run.results import load_run, write_results
from taskloom.run.runner import launch
from taskloom.run.session import RunSettings, open_session
from taskloom.studies.frontier.probe import Probe
from taskloom.studies.frontier.run import probe_model
from taskloom.studies.frontier.search import SearchSettings, make_claims
from taskloom.studies.frontier.sentences import Bounds, say_claim
from taskloom.views.offers import ProbeRequest, examples_of


class Work(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a worker does.

    Attributes:
        do: Ask one question and show everything; or draw items to try; or search the frontier (run the suite, where it
            has no combinations).
        asked: What the page asked for.
        roots: The served folders.
        folder: Where the log goes.
        command: The command that does the same.
    """

    do: Literal["test", "examples", "probe"]
    asked: ProbeRequest
    roots: tuple[str, ...]
    folder: str = ""
    command: str = ""

    def settings(self, **more: Any) -> RunSettings:
        """What a run or probe calls it; a Python file is asked through its function `answer(prompt)`."""
        model: Any
        model, options = self.asked.model.settings(list(map(Path, self.roots)))
        if model.startswith("python/"):
            model = _function(Path(model.removeprefix("python/")))
        key = {"api_key": self.asked.key} if self.asked.key else {}
        return RunSettings(model=model, model_options=options | key, command=self.command, **more)

    def suite(self) -> Suite:
        """The suite."""
        return open_suite(self.asked.suite, seed=self.asked.seed, options=self.asked.recipe)


def _function(path: Path) -> Any:
    found = getattr(execute_file(path), "answer", None)
    if not callable(found):
        hint = "def answer(prompt): return …"
        raise UserError("the file has no function `answer(prompt)`", where=path.name, hint=hint)
    return found


Say: TypeAlias = Callable[..., None]


def _speaker(out: IO[str]) -> Say:
    """Lines to the server, as long as it is there."""

    def say(**values: Any) -> None:
        with suppress(BrokenPipeError, ValueError):
            out.write(msgspec.json.encode(values).decode() + "\n")
            out.flush()

    return say


def test_model(work: Work, say: Say) -> None:
    """Ask the first question of a suite, and say what was shown, what came back, and how it was read."""
    suite = work.suite()
    session = open_session(suite, work.settings())
    try:
        session.model.prepare(suite)
        row = next(iter(suite.rows(suite.default_split())))
        encoding = session.asked_with()
        begun = time.monotonic()

        def keep(group: list[tuple[int, Request, Output]]) -> None:
            for _, request, output in group:
                found = session.judge.assess(request, output)
                reading = (
                    found.lenient if session.stamp.get("headline") == "lenient" and found.lenient else found.strict
                )
                say(
                    event="tested", prompt=session.model.render(request.prompt), raw=output.text, state=found.state,
                    answer=reading.answer, why=reading.why, score=reading.score, error=scrub(output.error or ""),
                    target=row.instance.targets.canonical(), seconds=time.monotonic() - begun,
                    protocol=str(session.protocol.get("name", "")), characters=len(request.prompt.text),
                )  # fmt: skip

        ask(session.model, [(0, make_request(suite.tasks[row.task], row, encoding, session.model))], session.generation,
            keep)  # fmt: skip
    finally:
        session.close()


def show_examples(work: Work, say: Say) -> None:
    """Draw items of a task file, whose code must not run in the server."""
    say(event="examples", **examples_of(work.suite(), "A task file below this folder"))


def probe_or_run(work: Work, say: Say) -> None:
    """Search the frontier; where a suite has no combinations, run it."""
    suite = work.suite()
    begun = time.monotonic()

    def watch(probe: Probe) -> None:
        search = probe.search
        bounds = Bounds.of(search.settings.describe())
        said = [say_claim(claim, bounds) for claim in make_claims(search) if claim.proved]
        asked = sum(probe.streams.taken.values())
        say(event="asked", asked=asked, phase=str(search.phase), seconds=time.monotonic() - begun,
            claims=[text for text in said if text])  # fmt: skip

    if combinations_of(suite):
        probe_model(suite, work.folder, work.settings(), SearchSettings(budget=work.asked.budget), watch=watch)
    else:
        launch(suite, Path(work.folder), work.settings(limit=work.asked.budget))
        write_results(load_run(work.folder))
    say(event="done")


def _stop_with(server: IO[str]) -> None:
    server.read()
    os.kill(os.getpid(), signal.SIGINT)


def main() -> int:
    """Do one piece of work."""
    work = decode_json(sys.stdin.readline(), type=Work, where="standard input")
    learn(work.asked.key, "api_key")
    say = _speaker(sys.stdout)
    sys.stdout = sys.stderr  # what a model prints must not be taken for an event
    # A server that a script has put into the background leaves interrupts ignored; this is how work is stopped.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    threading.Thread(target=_stop_with, args=(sys.stdin,), daemon=True).start()
    try:
        {"test": test_model, "examples": show_examples, "probe": probe_or_run}[work.do](work, say)
    except UserError as error:
        say(event="failed", error=scrub(error.message), where=scrub(error.where or ""), hint=scrub(error.hint or ""))
        return 1
    except KeyboardInterrupt:
        say(event="stopped")
        return 130
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
