"""How many small changes to the source the tests notice.

    python -m benchmarks.mutate                  600 changes drawn by seed, as many in each room (`make mutate`)
    python -m benchmarks.mutate --mutants 40     a quick look
    python -m benchmarks.mutate --seed 2         another draw
    python -m benchmarks.mutate --minutes 30     as many of them as can be tried in half an hour
    python -m benchmarks.mutate --only store/bundle.py
    python -m benchmarks.mutate --only core/ store/ --seed 7 --mutants 100
    python -m benchmarks.mutate --known          only the changes that once went unnoticed

A first pass runs the tests once and notes which statements each of them runs; it is kept in the cache, and after a
change only the test files that it concerns are run again. Then every change is made in a copy of the tree, and the
tests that run its statement are run there, the quickest of each file first, until one fails that passes without the
change. What the quick tests do not notice is tried at once with the longer ones, the others of their files and those
of its room that start Python, as long as everything together, the first pass included, stays within 90 CPU minutes.
Ends with the survivors and the share noticed in each room with its exact 95 % interval, and exits with 1 when fewer
than 92 % were noticed.
"""

from __future__ import annotations

import argparse
import math
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import islice, zip_longest
from pathlib import Path
from queue import Queue
from typing import NamedTuple

from scipy.stats import binomtest

from benchmarks.executed import ROOMS, ROOT, SOURCE, Map, load_map
from benchmarks.known_mutants import KNOWN
from benchmarks.mutants import Mutant, mutants
from benchmarks.trials import Bench, Outcome, Request
from taskloom.core import Progress

GOAL = 0.92
BUDGET = 6.0  # CPU seconds of tests per change
MOST = 40.0  # CPU seconds of further tests for a change that those did not notice
TOTAL = 85 * 60.0  # CPU seconds for everything, of the 90 minutes
NEEDED = 0.2  # the share of changes that further tests are taken to be needed for


class Trial(NamedTuple):
    """A change and the tests to run for it."""

    mutant: Mutant
    tests: Sequence[str]


def tests_for(
    mutant: Mutant, known: Map, budget: float = BUDGET, without: Sequence[str] = (), further: bool = False
) -> list[str]:
    """The tests to run for a change, within the budget: file by file in turn, the quickest of each first.

    Tests of one file look at the same things, so each has a turn; the mirrored file has four at a time.
    Where some were tried without success, others of their files are tried too, as what a statement made may have come
    to them from a cache, and those of the room that start Python, as what a process runs is not seen.
    """
    place = f"{mutant.file}:{mutant.statement}"
    found = set(known.statements.get(place, ()))
    if mutant.on_import or place in known.imported:
        found |= known.of_file(mutant.file) | {test for test in known.seconds if mirrors(test, mutant.file)}
    if further:
        files = {test.partition("::")[0] for test in found}
        room = f"tests/{room_of(mutant)}/"
        found |= {test for test in known.seconds if test.partition("::")[0] in files}
        found |= {test for test in known.starting if test.startswith(room)}
    left = sorted(found - set(without), key=lambda test: (known.seconds[test], test))
    turns: Counter[str] = Counter()
    order = []
    for test in left:
        own, mirrored = test.partition("::")[0], mirrors(test, mutant.file)
        order.append((turns[own] // (4 if mirrored else 1), not mirrored, test))
        turns[own] += 1
    chosen, spent = [], 0.0
    for _, _, test in sorted(order, key=lambda one: (one[:2], known.seconds[one[2]])):
        if spent + known.seconds[test] <= budget:
            chosen.append(test)
            spent += known.seconds[test]
    return by_file(chosen)


def mirrors(test: str, file: str) -> bool:
    """Whether a test is about a source file.

    Its parameter names the file, or it stands in the file that mirrors it: `test_read_peel.py` mirrors `read/peel.py`.
    """
    path, source = Path(test.partition("::")[0]), Path(file)
    stands = path.parts[1] == source.parts[0] and f"_{path.stem}".endswith(f"_{source.stem}")
    return stands or test.endswith(f"[{file}]")


def by_file(tests: Sequence[str]) -> list[str]:
    """Tests of one file together, so that they share what the file prepares."""
    files = list(dict.fromkeys(test.partition("::")[0] for test in tests))
    return sorted(tests, key=lambda test: files.index(test.partition("::")[0]))


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


def draw(number: int, seed: int, only: Sequence[str]) -> list[Mutant]:
    """As many changes from each room, of files whose names begin so; no names mean every file."""
    possible: dict[str, list[Mutant]] = {}
    for room in ROOMS:
        for path in sorted((SOURCE / room).rglob("*.py")):
            name = path.relative_to(SOURCE).as_posix()
            if name.startswith(tuple(only) or ""):
                possible.setdefault(room, []).extend(mutants(path, name))
    if not possible:
        raise SystemExit(f"no file begins with {' or '.join(only)}; the rooms are {', '.join(ROOMS)}")
    print(f"{sum(map(len, possible.values())):,} changes possible in {len(possible)} rooms")
    rng = random.Random(seed)
    shuffled = [rng.sample(changes, len(changes)) for changes in possible.values()]
    turns = zip_longest(*shuffled)  # one from each room in turn, so that each part of the draw is even too
    return list(islice((one for turn in turns for one in turn if one is not None), number))


def room_of(mutant: Mutant) -> str:
    """The room a change is made in."""
    return next(room for room in ROOMS if mutant.file.startswith(f"{room}/"))


def by_room(drawn: Sequence[Mutant], survivors: Sequence[Mutant]) -> Iterator[str]:
    """How many of each room's changes were noticed, with the exact interval."""
    tried, left = Counter(map(room_of, drawn)), Counter(map(room_of, survivors))
    for room, number in sorted(tried.items()):
        noticed = number - left[room]
        low, high = binomtest(noticed, number).proportion_ci()
        yield f"{room:20} {noticed:4} of {number:3}  {noticed / number:6.1%}  [{low:.1%}, {high:.1%}]"


class Worker:
    """A copy of the tree in which changes are tried, one at a time."""

    def __init__(self, tree: Path) -> None:
        self._tree = tree
        self._benches: dict[str, Bench] = {}
        self._sound: dict[tuple[str, str], bool] = {}
        self.spent = 0.0

    def ask(self, mode: str, request: Request) -> Outcome:
        """Run tests on a bench, which is set up when it is first needed."""
        if mode not in self._benches:
            self._benches[mode] = Bench(self._tree, mode)
            self.spent += self._benches[mode].started
        outcome = self._benches[mode].ask(request)
        self.spent += outcome.spent
        return outcome

    def passes_alone(self, mode: str, test: str, known: Map) -> bool:
        """Whether a test passes without a change: otherwise a broken environment would count as vigilance."""
        if (mode, test) not in self._sound:
            outcome = self.ask(mode, Request("", "", [test], known.seconds.get(test, 0.0)))
            self._sound[mode, test] = outcome.state == "passed"
            if outcome.state != "passed":
                print(f"left out, since it fails without a change ({mode}): {test}", file=sys.stderr)
        return self._sound[mode, test]

    def survives(self, trial: Trial, mode: str, known: Map) -> str:
        """How a change fared: `passed`, or how it was noticed."""
        path = self._tree / "src" / "taskloom" / trial.mutant.file
        source = trial.mutant.apply(path.read_bytes()).decode()
        tests = list(trial.tests)
        while tests:
            seconds = sum(known.seconds.get(test, 0.0) for test in tests)
            outcome = self.ask(mode, Request(trial.mutant.file, source, tests, seconds))
            if outcome.state != "failed" or not outcome.test or self.passes_alone(mode, outcome.test, known):
                return outcome.state
            del tests[: tests.index(outcome.test) + 1]  # those before it passed
        return "passed"

    def close(self) -> None:
        for bench in self._benches.values():
            bench.close()


class Workshop:
    """Workers that try changes side by side."""

    def __init__(self, folder: Path, jobs: int, known: Map) -> None:
        self._known = known
        self._workers = [Worker(tree) for tree in copies(folder, jobs)]
        self._free: Queue[Worker] = Queue()
        for worker in self._workers:
            self._free.put(worker)
        self.endless: list[Mutant] = []

    @property
    def spent(self) -> float:
        """CPU seconds so far."""
        return sum(worker.spent for worker in self._workers) + time.process_time()

    def outcomes(self, trials: Sequence[Trial], until: float) -> list[str]:
        """How each change fared: `passed` means that no test noticed it, `untried` that there was no time."""
        left = len(trials)

        def attempt(trial: Trial) -> str:
            nonlocal left
            if time.monotonic() > until:
                return "untried"
            worker = self._free.get()
            try:
                state = self._try(worker, trial)
                budget = min(MOST, (TOTAL - self._known.cost - self.spent) / left / NEEDED)
                left -= 1
                if state == "passed" and self._known.seconds:
                    further = tests_for(trial.mutant, self._known, budget, trial.tests, further=True)
                    state = self._try(worker, Trial(trial.mutant, further))
            finally:
                self._free.put(worker)
            return state

        found = []
        with Progress("changes tried", len(trials)) as progress, ThreadPoolExecutor(len(self._workers)) as pool:
            for trial, state in zip(trials, pool.map(attempt, trials), strict=True):
                found.append(state)
                if state == "passed":
                    # At once, so that a survivor can be read while the others are tried.
                    print(f"{trial.mutant}  ({len(trial.tests)} tests)", flush=True)
                elif state not in ("failed", "untried"):
                    self.endless.append(trial.mutant)
                progress.advance()
        return found

    def _try(self, worker: Worker, trial: Trial) -> str:
        """How a change fares on some tests; one that acts on import is made on disk."""
        state = "fresh" if trial.mutant.on_import else worker.survives(trial, "warm", self._known)
        key = f"{trial.mutant.file}:{trial.mutant.statement}"
        if state == "fresh" or (state == "passed" and key in self._known.imported):
            state = worker.survives(trial, "fresh", self._known)
        return state

    def close(self) -> None:
        for worker in self._workers:
            worker.close()


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--mutants", type=int, default=600, help="how many changes to try")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--minutes", type=float, default=math.inf, help="try no more changes after this time")
    parser.add_argument("--only", nargs="+", default=[], metavar="NAME", help="files or rooms, as store/seal.py core/")
    parser.add_argument("--known", action="store_true", help="only the changes that once went unnoticed")
    return parser.parse_args(sys.argv[1:] if sys.argv[0].endswith("mutate.py") else [])


def main() -> int:
    options, started = parse(), time.monotonic()
    os.environ.setdefault("TASKLOOM_REFERENCE", str(ROOT.parent / "shared" / "reference"))
    known = Map({}, {}, frozenset(), frozenset(), 0.0) if options.known else load_map()
    if options.known:
        trials = [Trial(one.located(SOURCE), (one.tests,)) for one in KNOWN]
    else:
        drawn = draw(options.mutants, options.seed, options.only)
        trials = [Trial(one, tests_for(one, known)) for one in drawn]
    with tempfile.TemporaryDirectory() as folder:
        shop = Workshop(Path(folder), options.jobs, known)
        states = shop.outcomes(trials, started + 60 * options.minutes)
        survivors = [one for one, state in zip(trials, states, strict=True) if state == "passed"]
        trials = [one for one, state in zip(trials, states, strict=True) if state != "untried"]
        shop.close()
    share = 1 - len(survivors) / max(len(trials), 1)
    for mutant in shop.endless:
        print(f"runs without end: {mutant}")
    for line in by_room([one.mutant for one in trials], [one.mutant for one in survivors]):
        print(line)
    print(f"{len(trials)} changes, {share:.1%} noticed, {len(survivors)} survived")
    spent, minutes = shop.spent + known.cost, (time.monotonic() - started) / 60
    print(f"{spent / 60:.1f} CPU minutes, {known.cost / 60:.1f} of them for the first pass; {minutes:.1f} minutes")
    return 0 if share >= (1 if options.known else GOAL) else 1


if __name__ == "__main__":
    sys.exit(main())
