"""How many small changes to the source the tests notice.

    python -m benchmarks.mutate                  400 changes drawn by seed (`make mutate`)
    python -m benchmarks.mutate --mutants 40     a quick look
    python -m benchmarks.mutate --seed 2         another draw
    python -m benchmarks.mutate --part 3/20      the third of twenty parts of the 400, each with its own count
    python -m benchmarks.mutate --only store/check.py
    python -m benchmarks.mutate --known          only the changes that once went unnoticed

A first pass runs the tests of these rooms once and notes which functions each of them enters; it is kept in the cache
until a file changes. Then every change is made in a copy of the tree, and the tests that enter its function run there,
those of the mirrored file and the quickest first, until one fails. What the quick tests did not notice is tried again
with the longer ones, as long as all changes together stay within 40 CPU minutes. Ends with the survivors and exits
with 1 when more than a tenth survived.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import random
import resource
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from multiprocessing.connection import Connection
from pathlib import Path
from queue import Queue
from typing import Any, NamedTuple

from benchmarks.entered import ROOMS, ROOT, Map, load_map
from benchmarks.known_mutants import KNOWN
from benchmarks.mutants import Mutant, mutants
from taskloom.core import Progress

SOURCE = ROOT / "src" / "taskloom"
PRELOADED = ["pytest", "hypothesis", "msgspec", "numpy", "pyarrow.parquet", "yaml", "jinja2", "filelock", "xdist"]
GOAL = 0.9
CONTROL = 5  # changes whose tests must pass as things are
BUDGET = 6.0  # CPU seconds of tests per change
MOST = 30.0  # CPU seconds of further tests for a change that those did not notice
TOTAL = 38 * 60.0  # CPU seconds for all changes, of the 40 minutes
_TIMES = count(1_000_000_000)
CPU_LIMIT = 40  # CPU seconds after which a change counts as an endless loop


def tests_for(mutant: Mutant, known: Map, budget: float = BUDGET, without: Sequence[str] = ()) -> list[str]:
    """The tests to run for a change: of the mirrored file first, then the quickest, within the budget."""
    functions: dict[str, list[str]] = known["functions"]
    if mutant.function:
        name, line = mutant.function
        found = set(functions.get(f"{mutant.file}:{name}:{line}", []))
    else:
        found = {test for key, tests in functions.items() if key.startswith(f"{mutant.file}:") for test in tests}
    seconds: dict[str, float] = known["seconds"]
    chosen, spent = [], 0.0
    for test in sorted(found - set(without), key=lambda test: (not mirrors(test, mutant.file), seconds[test], test)):
        if spent + seconds[test] <= budget:
            chosen.append(test)
            spent += seconds[test]
    return chosen


def mirrors(test: str, file: str) -> bool:
    """Whether a test stands in the file that mirrors a source file: `test_read_peel.py` mirrors `read/peel.py`."""
    path, source = Path(test.partition("::")[0]), Path(file)
    return path.parts[1] == source.parts[0] and f"_{path.stem}".endswith(f"_{source.stem}")


def stages(trial: Trial) -> Iterator[list[str]]:
    """The tests of the mirrored file, then the others: importing the files of all of them is most of the cost."""
    own = [test for test in trial.tests if mirrors(test, trial.mutant.file)]
    yield from filter(None, (own, [test for test in trial.tests if test not in set(own)]))


def run_tests(tree: str, tests: Sequence[str], channel: Connection) -> None:
    """In a process of its own: run tests in a copy of the tree until one fails."""
    os.chdir(tree)
    sys.dont_write_bytecode = False  # compiled once for all changes: that is most of what a change costs
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    os.environ["PYTHONPATH"] = os.pathsep.join([f"{tree}/src", tree])
    sys.path[:] = [f"{tree}/src", tree] + [path for path in sys.path if not path.startswith(str(ROOT / "src"))]
    # A process inherits this module and with it the package as it stands here; the copy is to be imported afresh.
    for name in [name for name in sys.modules if name.partition(".")[0] in ("taskloom", "benchmarks")]:
        del sys.modules[name]
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_LIMIT, CPU_LIMIT + 5))
    silent = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silent, 1)
    os.dup2(silent, 2)
    import pytest

    code = pytest.main(["-x", "-q", "--no-header", "-p", "no:cacheprovider", *tests])
    own, children = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = own.ru_utime + own.ru_stime + children.ru_utime + children.ru_stime
    channel.send((int(code), spent))
    channel.close()
    os._exit(0)


def survives(tree: Path, mutant: Mutant | None, tests: Sequence[str], context: Any) -> tuple[bool, float]:
    """Whether all tests pass with the change made, and the CPU seconds that took."""
    path = tree / "src" / "taskloom" / mutant.file if mutant else None
    source, before = (path.read_bytes(), path.stat()) if path else (b"", None)
    if path and mutant:
        path.write_bytes(mutant.apply(source))
        # A time of its own: compiled code is known by time and size, and must never be another change's.
        os.utime(path, (time.time(), next(_TIMES)))
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=run_tests, args=(str(tree), tests, sender))
    try:
        process.start()
        sender.close()
        process.join(10 * CPU_LIMIT)
        if process.is_alive():
            process.kill()
            process.join()
        try:
            code, spent = receiver.recv() if receiver.poll() else (-1, float(CPU_LIMIT))
        except EOFError:  # the process died on its limit
            code, spent = -1, float(CPU_LIMIT)
    finally:
        if path and before:
            path.write_bytes(source)
            os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    return code == 0, spent


def copies(root: Path, number: int) -> Iterator[Path]:
    """Copies of what git tracks here, one for each worker."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True).stdout.split(b"\0")
    for worker in range(number):
        tree = root / f"tree-{worker}"
        for name in filter(None, map(os.fsdecode, listed)):
            if (ROOT / name).is_file():
                (tree / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(ROOT / name, tree / name)
        yield tree


class Trial(NamedTuple):
    """A change and the tests to run for it."""

    mutant: Mutant
    tests: Sequence[str]


def draw(number: int, seed: int, only: str | None) -> list[Mutant]:
    """Changes drawn from all there are."""
    files = [path for room in ROOMS for path in sorted((SOURCE / room).rglob("*.py"))]
    names = [(path, path.relative_to(SOURCE).as_posix()) for path in files]
    everything = [mutant for path, name in names if only in (None, name) for mutant in mutants(path, name)]
    print(f"{len(everything):,} changes possible in {len(files)} files")
    return random.Random(seed).sample(everything, min(number, len(everything)))


class Workshop:
    """Copies of the tree, one for each worker, in which changes are tried."""

    def __init__(self, folder: Path, jobs: int) -> None:
        self._context = multiprocessing.get_context("forkserver")
        self._context.set_forkserver_preload(PRELOADED)
        self._trees: Queue[Path] = Queue()
        self._pool = ThreadPoolExecutor(jobs)
        self.spent = 0.0
        for tree in copies(folder, jobs):
            self._trees.put(tree)

    def passes(self, tests: Sequence[str]) -> bool:
        """Whether tests pass without a change."""
        tree = self._trees.get()
        try:
            alive, spent = survives(tree, None, tests, self._context)
        finally:
            self._trees.put(tree)
        self.spent += spent
        return alive

    def unnoticed(self, trials: Sequence[Trial], title: str = "changes tried") -> list[Trial]:
        """The changes with which all tests pass."""

        def attempt(trial: Trial) -> tuple[bool, float]:
            alive, spent = True, 0.0
            tree = self._trees.get()
            try:
                for tests in stages(trial):
                    if alive:
                        alive, more = survives(tree, trial.mutant, tests, self._context)
                        spent += more
            finally:
                self._trees.put(tree)
            return alive, spent

        found = []
        with Progress(title, len(trials)) as progress:
            for trial, (alive, spent) in zip(trials, self._pool.map(attempt, trials), strict=True):
                self.spent += spent
                if alive:
                    found.append(trial)
                    # At once, so that a survivor can be read while the others are tried.
                    print(f"{trial.mutant}  ({len(trial.tests)} tests)", flush=True)
                progress.advance()
        return found


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--mutants", type=int, default=400, help="how many changes to try")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--part", default="1/1", metavar="I/N", help="one of N parts of the changes, as 3/20")
    parser.add_argument("--only", help="changes of one file, as store/check.py")
    parser.add_argument("--known", action="store_true", help="only the changes that once went unnoticed")
    return parser.parse_args(sys.argv[1:] if sys.argv[0].endswith("mutate.py") else [])


def main() -> int:
    options, started = parse(), time.monotonic()
    os.environ.setdefault("TASKLOOM_REFERENCE", str(ROOT.parent / "shared" / "reference"))
    if options.known:
        trials = [Trial(known.located(SOURCE), (known.tests,)) for known in KNOWN]
    else:
        known = load_map()
        part, parts = map(int, options.part.split("/"))
        drawn = draw(options.mutants, options.seed, options.only)[part - 1 :: parts]
        trials = [Trial(one, tests_for(one, known)) for one in drawn]
    with tempfile.TemporaryDirectory() as folder:
        shop = Workshop(Path(folder), options.jobs)
        # Without a change everything must pass: otherwise a broken environment would count as vigilance. One trial
        # after the other, as with a change: together they would run into the limit for endless loops.
        for control in (trial.tests for trial in trials[:CONTROL]):
            if not shop.passes(control):
                command = "python -m pytest -x -p no:cacheprovider " + shlex.join(control)
                print(f"{len(control)} tests do not pass without any change; see\n{command}", file=sys.stderr)
                return 2
        survivors = shop.unnoticed(trials)
        if survivors and not options.known:
            budget = min(MOST, max(0.0, TOTAL * len(trials) / options.mutants - shop.spent) / len(survivors))
            again = [Trial(one.mutant, tests_for(one.mutant, known, budget, one.tests)) for one in survivors]
            print(
                f"{len(survivors)} are tried again with longer tests, {budget:.0f} CPU seconds of them each", flush=True
            )
            survivors = shop.unnoticed(again, "tried again")
    share = 1 - len(survivors) / max(len(trials), 1)
    print(f"{len(trials)} changes, {share:.1%} noticed, {len(survivors)} survived")
    print(f"{shop.spent / 60:.1f} CPU minutes, {(time.monotonic() - started) / 60:.1f} minutes")
    return 0 if share >= (1 if options.known else GOAL) else 1


if __name__ == "__main__":
    sys.exit(main())
