"""Runs tests with a change made to the source, each change in a process of its own.

    python -m benchmarks.trials warm     in a copy of the tree: answer requests, a line of JSON each, on stdin

A warm bench collects all tests once. For a change it forks, puts the changed code into the functions as they stand in
memory, and runs the tests: that costs next to nothing. A fresh bench holds other packages alone and imports the
changed source, which is needed where a change acts on import. The file is changed on disk as well, for tests that
start processes.
"""

from __future__ import annotations

import gc
import json
import os
import resource
import select
import shutil
import signal
import subprocess
import sys
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from itertools import count
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any, NamedTuple, TextIO

from benchmarks.executed import CHOSEN, PREFIX, ROOT, SOURCE, TESTS, Choice, caches, cpu_seconds, import_rooms

PRELOADED = (
    *("pytest", "hypothesis", "hypothesis.strategies", "msgspec", "numpy", "pyarrow.parquet", "pyarrow.compute"),
    *("scipy.stats", "scipy.special", "yaml", "jinja2", "filelock", "platformdirs"),
)
SLACK = 10  # CPU seconds, and three times what the tests take, after which a change counts as an endless loop
PATIENCE = 240  # seconds, and twenty times what the tests take, after which a change counts as a standstill
MEMORY = 6 << 30  # bytes a change may take
_TIMES = count(1_000_000_000)


class Request(NamedTuple):
    """A change and the tests to run with it."""

    file: str
    """Below the package, as `store/bundle.py`; empty for no change."""
    source: str
    tests: Sequence[str]
    seconds: float
    """CPU seconds the tests take as things are."""


class Outcome(NamedTuple):
    """What came of a request."""

    state: str
    """`passed`, `failed`, `endless`, `died`, or `fresh`: such a change cannot be made in memory."""
    test: str
    """The first test that failed."""
    spent: float
    """CPU seconds."""


class Bench:
    """A process that answers requests."""

    def __init__(self, tree: Path, mode: str) -> None:
        path = os.pathsep.join([f"{tree}/src", str(tree)])
        # Compiled code is kept: importing from source is most of what a fresh start costs.
        environment = {**os.environ, "PYTHONPATH": path, "TASKLOOM_PROGRESS": "off", "PYTHONDONTWRITEBYTECODE": ""}
        command = [sys.executable, "-m", "benchmarks.trials", mode]
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(command, cwd=tree, env=environment, stdin=pipe, stdout=pipe, text=True)
        self.started = float(json.loads(self._read()))

    def _read(self) -> str:
        assert self._process.stdout
        line = self._process.stdout.readline()
        if not line:
            raise SystemExit(f"a bench ended with {self._process.wait()}")
        return line

    def ask(self, request: Request) -> Outcome:
        """Run tests with a change."""
        assert self._process.stdin
        self._process.stdin.write(json.dumps(request) + "\n")
        self._process.stdin.flush()
        outcome = Outcome(*json.loads(self._read()))
        if outcome.state == "broken":
            raise SystemExit(f"the tests of {request.file} cannot be run:\n{outcome.test}")
        return outcome

    def close(self) -> None:
        assert self._process.stdin
        self._process.stdin.close()
        self._process.wait()


class Reports:
    """A pytest plug-in that knows the first test that failed."""

    failed = ""

    def pytest_runtest_logreport(self, report: Any) -> None:
        if report.failed and not self.failed:
            self.failed = report.nodeid


class Warm:
    """A pytest plug-in that answers requests instead of running all tests."""

    def __init__(self, serve: Callable[[Callable[[Request], tuple[str, str]]], None]) -> None:
        self._serve = serve
        self._items: dict[str, Any] = {}
        self._functions: dict[str, list[FunctionType]] = {}
        self._reports = Reports()

    def pytest_collection(self, session: Any) -> None:
        from hypothesis import Phase, settings

        # As the tests have it, but a failure need not be made small.
        settings.register_profile("mutate", settings(), derandomize=True, phases=(Phase.explicit, Phase.generate))
        settings.load_profile("mutate")

    def pytest_runtestloop(self, session: Any) -> bool:
        import_rooms()
        for cache in caches():
            cache.cache_clear()
        self._items = {item.nodeid: item for item in session.items}
        for thing in gc.get_objects():
            if isinstance(thing, FunctionType) and str(thing.__module__).startswith(PREFIX):
                self._functions.setdefault(thing.__code__.co_filename, []).append(thing)
        session.config.pluginmanager.register(self._reports)
        gc.freeze()  # what is here stays: looking at it again and again would copy it
        self._serve(self._answer)
        return True

    def _answer(self, request: Request) -> tuple[str, str]:
        if request.file and not self._change(request):
            return "fresh", ""
        items = [self._items[test] for test in request.tests]
        for item, following in zip(items, [*items[1:], None], strict=True):
            item.ihook.pytest_runtest_protocol(item=item, nextitem=following)
            if self._reports.failed:
                return "failed", self._reports.failed
        return "passed", ""

    def _change(self, request: Request) -> bool:
        """Put changed code into the functions in memory; whether that could be done."""
        path = SOURCE / request.file
        before, after = (
            dict(codes(compile(text, str(path), "exec", dont_inherit=True)))
            for text in (original(path), request.source)
        )
        changed = {code: after[key] for key, code in before.items() if key in after and code != after[key]}
        done = False
        for function in self._functions.get(str(path), []):
            code = changed.get(function.__code__)
            if code is not None:
                if code.co_freevars != function.__code__.co_freevars:
                    return False
                function.__code__ = code
                done = True
        return done


def original(path: Path) -> str:
    """A file as it was before it was changed on disk."""
    return path.with_suffix(".py.original").read_text("utf-8")


def codes(code: CodeType, path: str = "") -> Iterator[tuple[str, CodeType]]:
    """The code of every function, by a key that a change leaves as it is."""
    seen: dict[str, int] = {}
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            name = f"{path}/{inner.co_name}:{inner.co_firstlineno}"
            seen[name] = seen.get(name, 0) + 1
            yield f"{name}#{seen[name]}", inner
            yield from codes(inner, f"{name}#{seen[name]}")


def answer_fresh(request: Request) -> tuple[str, str]:
    """Import everything as it stands on disk, and run tests."""
    import pytest

    reports = Reports()
    code = pytest.main([*CHOSEN, "-x", "--no-header", *request.tests], plugins=[reports])
    return ("passed", "") if code == 0 else ("failed", reports.failed)


def serve(answer: Callable[[Request], tuple[str, str]], requests: TextIO, out: TextIO) -> None:
    """Answer requests, each in a fork."""
    out.write(json.dumps(cpu_seconds()) + "\n")
    out.flush()
    for line in requests:
        request = Request(*json.loads(line))
        path = SOURCE / request.file if request.file else None
        kept = path.with_suffix(".py.original") if path else None
        if path and kept:
            shutil.copy2(path, kept)
            path.write_text(request.source, "utf-8")
            # A time of its own: compiled code is known by time and size, and must never be another change's.
            os.utime(path, (time.time(), next(_TIMES)))
        try:
            outcome = in_fork(answer, request)
        finally:
            if path and kept:
                kept.replace(path)
        out.write(json.dumps(outcome) + "\n")
        out.flush()


def in_fork(answer: Callable[[Request], tuple[str, str]], request: Request) -> Outcome:
    """The answer to a request, worked out by a process of its own that may not take for ever."""
    reading, writing = os.pipe()
    process = os.fork()
    if not process:
        os.setsid()
        limit = SLACK + int(3 * request.seconds)
        resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 5))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
        try:
            said = answer(request)
        except KeyboardInterrupt:
            said = "failed", ""
        except BaseException:  # noqa: BLE001  # whatever it is, the other side says it
            said = "broken", traceback.format_exc()
        os.write(writing, json.dumps(said).encode())
        os._exit(0)
    os.close(writing)
    ready, _, _ = select.select([reading], [], [], PATIENCE + 20 * request.seconds)
    if not ready:
        os.kill(process, signal.SIGKILL)
    heard = os.read(reading, 1 << 16) if ready else b""
    os.close(reading)
    _, status, usage = os.wait4(process, 0)
    stop_group(process)
    spent = usage.ru_utime + usage.ru_stime
    if heard:
        return Outcome(*json.loads(heard), spent)
    endless = not ready or os.WTERMSIG(status) in (signal.SIGXCPU, signal.SIGKILL)
    return Outcome("endless" if endless else "died", "", spent)


def stop_group(process: int) -> None:
    """End what a test started and left behind."""
    try:
        os.killpg(process, signal.SIGKILL)
    except ProcessLookupError:
        return


def main(mode: str) -> None:
    import pytest

    # What the tests and pytest itself print and read is no part of the conversation.
    requests, out = os.fdopen(os.dup(0)), os.fdopen(os.dup(1), "w")
    silent = os.open(os.devnull, os.O_RDWR)
    os.dup2(silent, 0)
    os.dup2(silent, 1)
    if mode == "fresh":
        for name in PRELOADED:
            import_module(name)
        serve(answer_fresh, requests, out)
    else:
        assert Path.cwd() == ROOT
        pytest.main([*CHOSEN, *TESTS], plugins=[Choice(), Warm(lambda answer: serve(answer, requests, out))])


if __name__ == "__main__":
    main(sys.argv[1])
