"""Which test runs which statement of the rooms, found by one run of the tests with marks between the statements.

    python -m benchmarks.executed FILE [TESTS …]     run the tests, or some files of them, and write the map

The map is kept in the cache folder. After a change of `src` or `tests`, only the test files it concerns are run again.
"""

from __future__ import annotations

import ast
import hashlib
import json
import multiprocessing.util
import os
import re
import subprocess
import sys
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from importlib import import_module
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "src" / "taskloom"
ROOMS = tuple(
    folder.relative_to(SOURCE).as_posix()
    for parent in (SOURCE, SOURCE / "families")
    for folder in sorted(parent.iterdir())
    if (folder / "__init__.py").exists() and folder.name != "families"
)
PREFIX = "taskloom."
TESTS = ("tests",)
CHOSEN = (
    *("-q", "-p", "no:cacheprovider", "-p", "no:xdist", "-m", "not proof and not slow", "-o", "timeout=120"),
    "--ignore=tests/test_docs.py",
)
LONGEST = 20.0
"""CPU seconds of one test that is still worth running for a change that quicker ones did not notice."""
STARTS, PROCESSES = "starts Python", 3.0
"""Why a test was ended, and the CPU seconds it is taken to need: changes that quicker tests did not notice get it."""
MARKS = "__marks__"


class Map(NamedTuple):
    """What the tests run, and what it costs."""

    seconds: dict[str, float]
    """CPU seconds of every test that passes, in the order of the tests."""
    statements: dict[str, list[str]]
    """For a statement, as `store/bundle.py:17`, the tests that run it."""
    imported: frozenset[str]
    """Statements of functions that run on import."""
    starting: frozenset[str]
    """The tests that start Python: they may run more than is known of them."""
    cost: float
    """CPU seconds that making this map took."""

    def of_file(self, file: str) -> set[str]:
        """The tests that run anything of a file."""
        return {test for key, tests in self.statements.items() if key.startswith(f"{file}:") for test in tests}


def cpu_seconds() -> float:
    """Of this process and its children so far: a busy machine makes no difference."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


class _Marker(ast.NodeTransformer):
    """Puts a mark in front of each statement of a function."""

    def __init__(self, name: str, keys: list[str]) -> None:
        self._name, self._keys, self._inside = name, keys, False

    def generic_visit(self, node: ast.AST) -> ast.AST:
        outside, self._inside = self._inside, self._inside or isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
        if self._inside:
            for field in ("body", "orelse", "finalbody"):
                block = getattr(node, field, None)
                if isinstance(block, list):
                    setattr(node, field, [part for one in block for part in self._marked(one)])
        super().generic_visit(node)
        self._inside = outside
        return node

    def _marked(self, statement: ast.stmt) -> Iterator[ast.stmt]:
        # A text in front may be the docstring, which has to come first.
        if not (isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)):
            text = f"{MARKS}[{len(self._keys)}] = 1"
            self._keys.append(f"{self._name}:{statement.lineno}")
            yield ast.copy_location(ast.parse(text).body[0], statement)
        yield statement


class _Loader(SourceFileLoader):
    """Imports a module with marks in it."""

    finder: Finder

    def get_code(self, fullname: str) -> CodeType:
        path = Path(self.get_filename(fullname))
        tree = _Marker(path.relative_to(SOURCE).as_posix(), self.finder.keys).visit(ast.parse(path.read_bytes()))
        return compile(ast.fix_missing_locations(tree), str(path), "exec", dont_inherit=True)

    def exec_module(self, module: ModuleType) -> None:
        module.__dict__[MARKS] = self.finder.marks
        super().exec_module(module)


class Finder(MetaPathFinder):
    """Finds the modules of the rooms, and knows which of their statements ran."""

    def __init__(self) -> None:
        self.keys: list[str] = []
        self.marks = bytearray(1 << 17)

    def find_spec(self, fullname: str, path: Sequence[str] | None = None, target: Any = None) -> ModuleSpec | None:
        spec = PathFinder.find_spec(fullname, path) if fullname.startswith(PREFIX) else None
        if spec and isinstance(spec.loader, SourceFileLoader):
            spec.loader = _Loader(spec.loader.name, spec.loader.path)
            spec.loader.finder = self
        return spec

    def taken(self) -> set[int]:
        """The statements run since the last call."""
        found = {match.start() for match in re.finditer(b"\1", self.marks)}
        self.marks[:] = bytes(len(self.marks))
        return found


def caches() -> list[Any]:
    """The functions of the rooms that keep what they return."""
    modules = [vars(module) for name, module in list(sys.modules.items()) if name.startswith(PREFIX)]
    values = [value for module in modules for value in module.values()]
    inner = [held for value in values if isinstance(value, type) for held in vars(value).values()]
    found = {id(one): one for one in (*values, *inner) if hasattr(one, "cache_clear")}
    return [one for one in found.values() if str(getattr(one, "__module__", "")).startswith(PREFIX)]


def import_rooms() -> None:
    """Import every module, but for those of hosts that are not installed."""
    for path in (path for room in ROOMS for path in sorted((SOURCE / room).rglob("*.py"))):
        name = ".".join(("taskloom", *path.relative_to(SOURCE).with_suffix("").parts)).removesuffix(".__init__")
        with suppress(ModuleNotFoundError):
            import_module(name)


class Choice:
    """A pytest plug-in that leaves out tests of pages in a browser and ends those that start Python.

    What another process runs is not seen here, and starting it costs more than most tests: such a test counts for what
    it runs before. The child in which files from outside are read is the exception, since it is shared by all tests.
    """

    refused = False
    """Whether something was to be started since this was last asked."""

    def _refuse(self, event: str, arguments: tuple[Any, ...]) -> None:
        if event == "subprocess.Popen":
            program, command = os.fsdecode(arguments[0]), " ".join(map(os.fsdecode, arguments[1]))
            if program == sys.executable and "core.confine" not in command:
                import pytest

                self.refused = True
                if threading.current_thread() is threading.main_thread():
                    pytest.skip(STARTS)

    def pytest_runtestloop(self) -> None:
        """Only where the tests are run; a bench, which answers requests instead, lets them start what they like."""
        sys.addaudithook(self._refuse)
        # What `subprocess` announces, multiprocessing does unannounced; in another thread it starts nothing and fails.
        multiprocessing.util.spawnv_passfds = lambda path, args, passfds: self._refuse("subprocess.Popen", (path, args))

    def pytest_collection_modifyitems(self, config: Any, items: list[Any]) -> None:
        left_out = [item for item in items if "browser" in item.fixturenames]
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if item not in left_out]


class Tracer:
    """A pytest plug-in that notes the statements that each test runs.

    Caches are emptied before each file: what a test finds in them counts for the test of its file that filled them.
    """

    def __init__(self, finder: Finder, choice: Choice) -> None:
        self.finder = finder
        self.choice = choice
        self.started = 0.0
        self.file = ""
        self.caches: list[Any] = []
        self.imported: set[int] = set()
        self.shared: dict[str, set[int]] = {}
        self.tests: dict[str, set[int]] = {}
        self.seconds: dict[str, float] = {}
        self.passed: dict[str, bool] = {}
        self.skipped: set[str] = set()
        self.starting: set[str] = set()

    def pytest_collection_finish(self) -> None:
        import_rooms()  # otherwise what a module runs on import would count for the first test that needs it
        self.imported = self.finder.taken()
        self.caches = caches()

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        if self.file != (file := nodeid.partition("::")[0]):
            self.file = file
            for cache in self.caches:
                cache.cache_clear()
        self.finder.taken()
        self.choice.refused = False
        self.started = cpu_seconds()

    def pytest_runtest_logreport(self, report: Any) -> None:
        ran = self.finder.taken()
        if report.when == "setup":
            # What a shared fixture runs concerns every test of the file, not only the first.
            self.shared.setdefault(report.nodeid.split("::")[0], set()).update(ran)
        self.tests.setdefault(report.nodeid, set()).update(ran)
        self.seconds[report.nodeid] = cpu_seconds() - self.started
        self.skipped |= {report.nodeid} if report.outcome == "skipped" else set()
        self.starting |= {report.nodeid} if self.choice.refused else set()
        self.passed[report.nodeid] = self.passed.get(report.nodeid, True) and report.outcome == "passed"

    def result(self) -> dict[str, Any]:
        """What `Map` holds, as JSON, with tests by number."""
        self.seconds.update(dict.fromkeys(self.starting, PROCESSES))
        sound = {test for test, passed in self.passed.items() if passed} | self.starting
        kept = [test for test in self.tests if test in sound and self.seconds[test] <= LONGEST]
        statements: dict[str, list[int]] = {}
        for number, test in enumerate(kept):
            for key in {
                self.finder.keys[mark] for mark in self.tests[test] | self.shared.get(test.split("::")[0], set())
            }:
                statements.setdefault(key, []).append(number)
        return {
            "seconds": {test: round(self.seconds[test], 3) for test in kept},
            "statements": statements,
            "starting": sorted(self.starting),
            "imported": sorted({self.finder.keys[mark] for mark in self.imported}),
            "cost": cpu_seconds(),
        }


class Kept(NamedTuple):
    """A map as it lies in the cache, and what every file of `src` and `tests` was when it was made, by hash."""

    files: dict[str, str]
    map: Map

    @classmethod
    def read(cls, path: Path) -> Kept:
        if not path.exists():
            return cls({}, Map({}, {}, frozenset(), frozenset(), 0.0))
        read = json.loads(path.read_text("utf-8"))
        return cls(read["files"], map_of(read["map"]))

    def write(self, path: Path) -> None:
        numbers = {test: number for number, test in enumerate(self.map.seconds)}
        known = {
            **self.map._asdict(),
            "statements": {key: [numbers[test] for test in tests] for key, tests in self.map.statements.items()},
            "imported": sorted(self.map.imported),
            "starting": sorted(self.map.starting),
        }
        path.write_text(json.dumps({"files": self.files, "map": known}), "utf-8")

    def stale(self, now: Mapping[str, str]) -> set[str]:
        """The test files that run something which has changed, use a changed helper, or have changed themselves."""
        changed = {name for name in {*now, *self.files} if now.get(name) != self.files.get(name)}
        everything = {name for name in now if Path(name).name.startswith("test_")}
        if not self.files:
            return everything
        found = changed & everything
        for name in changed - everything:
            path = Path(name)
            if path.name == "conftest.py":
                found |= {test for test in everything if path.parent in Path(test).parents}
            elif path.parts[0] == "tests":
                word = re.compile(rf"\b{path.stem}\b")
                found |= {test for test in everything if word.search((ROOT / test).read_text("utf-8"))}
            else:
                tests = self.map.of_file(name.removeprefix("src/taskloom/"))
                found |= {test.partition("::")[0] for test in tests} & everything
        return found

    def renewed(self, now: Mapping[str, str], stale: set[str], found: Map) -> Kept:
        """With what some test files were found to run, in place of what was known of them."""

        def of_others(tests: Iterable[str]) -> list[str]:
            return [test for test in tests if (file := test.partition("::")[0]) not in stale and file in now]

        old, own = {key: of_others(tests) for key, tests in self.map.statements.items()}, found.statements
        merged = Map(
            {test: self.map.seconds[test] for test in of_others(self.map.seconds)} | found.seconds,
            {key: [*old.get(key, ()), *own.get(key, ())] for key in {*old, *own}},
            found.imported,
            frozenset(of_others(self.map.starting)) | found.starting,
            self.map.cost + found.cost,
        )
        return Kept(dict(now), merged)


def map_of(read: dict[str, Any]) -> Map:
    """A map from JSON, where tests are numbers."""
    tests = list(read["seconds"])
    statements = {key: [tests[number] for number in numbers] for key, numbers in read["statements"].items()}
    return Map(read["seconds"], statements, frozenset(read["imported"]), frozenset(read["starting"]), read["cost"])


def hashes() -> dict[str, str]:
    """Of every file the map depends on."""
    paths = [path for folder in ("src", "tests") for path in sorted((ROOT / folder).rglob("*.py"))]
    return {path.relative_to(ROOT).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()[:16] for path in paths}


def load_map() -> Map:
    """Which test runs which statement, from the cache or by a run of the tests that are not in it."""
    from taskloom.core.folders import cache_folder

    path = cache_folder() / "mutate" / f"{hashlib.sha256(os.fsencode(ROOT)).hexdigest()[:16]}.json"
    kept, now = Kept.read(path), hashes()
    if stale := kept.stale(now):
        print(f"running {len(stale)} test files to see which statements each test runs ...", flush=True)
        path.parent.mkdir(parents=True, exist_ok=True)
        found = path.with_suffix(".new")
        files = sorted(stale) if kept.files else []
        command = [sys.executable, "-m", "benchmarks.executed", str(found), *files]
        subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
        kept = kept.renewed(now, stale, map_of(json.loads(found.read_text("utf-8"))))
        kept.write(path)
        found.unlink()
    return kept.map


def write_map(path: Path, tests: Sequence[str]) -> None:
    """One run of tests with marks in the source."""
    import pytest

    finder = Finder()
    sys.meta_path.insert(0, finder)
    choice = Choice()
    tracer = Tracer(finder, choice)
    code = pytest.main([*CHOSEN, *(tests or TESTS)], plugins=[tracer, choice])
    if code not in (0, 1, 5):
        raise SystemExit(f"the tests cannot be run (pytest exits with {int(code)})")
    for test, passed in tracer.passed.items():
        if not passed and test not in tracer.skipped | tracer.starting:
            print(f"left out, since it fails as things are: {test}", file=sys.stderr)
    path.write_text(json.dumps(tracer.result()), "utf-8")


if __name__ == "__main__":
    write_map(Path(sys.argv[1]), sys.argv[2:])
