"""Which test enters which function of the rooms, found by one run of the tests under a tracer.

    python -m benchmarks.entered FILE     run the tests and write the map

The map is kept in the cache folder until a file of `src` or `tests` changes.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from taskloom.core.folders import cache_folder

ROOT = Path(__file__).resolve().parent.parent
ROOMS = ("core", "store", "score", "ask", "run", "report")
TESTS = (
    *(f"tests/{room}" for room in ROOMS),
    *("tests/protocol", "tests/encode", "tests/rl", "tests/test_boundary.py", "tests/test_public.py"),
)
LONGEST = 20.0
"""CPU seconds of one test that is still worth running for a change that quicker ones did not notice."""
Map = dict[str, Any]
"""`seconds` of every test, and `functions`: for each the tests that enter it."""


def cpu_seconds() -> float:
    """Of this process and its children so far: a busy machine makes no difference."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


class Tracer:
    """A pytest plug-in that notes the functions of the rooms that each test enters."""

    def __init__(self) -> None:
        self.prefixes = tuple(str(ROOT / "src" / "taskloom" / room) + os.sep for room in ROOMS)
        self.entered: set[Any] = set()
        self.started = 0.0
        self.shared: dict[str, set[Any]] = {}
        self.tests: dict[str, set[Any]] = {}
        self.seconds: dict[str, float] = {}
        self.passed: dict[str, bool] = {}
        self.skipped: set[str] = set()

    def trace(self, frame: Any, event: str, argument: Any) -> None:
        """Called by the interpreter for every function entered."""
        self.entered.add(frame.f_code)

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        self.entered = set()
        self.started = cpu_seconds()
        sys.settrace(self.trace)

    def pytest_runtest_logreport(self, report: Any) -> None:
        sys.settrace(None)
        codes = {code for code in self.entered if code.co_filename.startswith(self.prefixes)}
        if report.when == "setup":
            # What a shared fixture enters concerns every test of the file, not only the first.
            self.shared.setdefault(report.nodeid.split("::")[0], set()).update(codes)
        self.tests.setdefault(report.nodeid, set()).update(codes)
        self.seconds[report.nodeid] = cpu_seconds() - self.started
        self.skipped |= {report.nodeid} if report.outcome == "skipped" else set()
        self.passed[report.nodeid] = self.passed.get(report.nodeid, True) and report.outcome == "passed"
        sys.settrace(self.trace)

    def pytest_runtest_logfinish(self, nodeid: str) -> None:
        sys.settrace(None)

    def result(self) -> Map:
        """Tests with their seconds, and for every function the tests that enter it."""
        functions: dict[str, list[str]] = {}
        for test, codes in self.tests.items():
            if not self.passed[test] or self.seconds[test] > LONGEST:
                continue
            for code in codes | self.shared.get(test.split("::")[0], set()):
                file = Path(code.co_filename).relative_to(ROOT / "src" / "taskloom").as_posix()
                functions.setdefault(f"{file}:{code.co_name}:{code.co_firstlineno}", []).append(test)
        return {"seconds": self.seconds, "functions": functions}


def fingerprint() -> str:
    """Of every file the map depends on."""
    digest = hashlib.sha256()
    for folder in ("src", "tests"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            digest.update(path.relative_to(ROOT).as_posix().encode() + path.read_bytes())
    return digest.hexdigest()[:16]


def load_map() -> Map:
    """Which test enters which function, from the cache or by one run of the tests."""
    kept = cache_folder() / "mutate" / f"{fingerprint()}.json"
    if not kept.exists():
        print("running the tests once to see which function each of them enters ...", flush=True)
        kept.parent.mkdir(parents=True, exist_ok=True)
        command = [sys.executable, "-m", "benchmarks.entered", str(kept)]
        subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    return dict(json.loads(kept.read_text("utf-8")))


def write_map(path: Path) -> None:
    """One run of the tests under the tracer."""
    import pytest

    tracer = Tracer()
    chosen = ["-m", "not proof and not slow"]
    code = pytest.main(["-q", "-p", "no:cacheprovider", *chosen, *TESTS], plugins=[tracer])
    if code not in (0, 1):
        raise SystemExit(f"the tests cannot be run (pytest exits with {int(code)})")
    for test, passed in tracer.passed.items():
        if not passed and test not in tracer.skipped:
            print(f"left out, since it fails as things are: {test}", file=sys.stderr)
    path.write_text(json.dumps(tracer.result()), "utf-8")


if __name__ == "__main__":
    write_map(Path(sys.argv[1]))
