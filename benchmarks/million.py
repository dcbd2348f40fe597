"""A run of a million records from end to end: seconds of CPU and peak memory of every step, and the size of its files.

python -m benchmarks.million                 1,000,000 records of babi/task-1 from a bundle (`make bench-million`)
python -m benchmarks.million --suite seti    of seti/task1-trivial, with 17 facets each
python -m benchmarks.million --records 20000 a quick look

Every step is a command in a process of its own, so that its memory is its own. `growth` is the slope of the cost of
`run` on logarithmic axes between a tenth of the records and all of them, without what 1,000 records cost.
"""

from __future__ import annotations

import argparse
import math
import os
import sys
import tempfile
from pathlib import Path
from statistics import median
from typing import NamedTuple


class Recipe(NamedTuple):
    """A suite of any size, and what its runs are grouped by."""

    name: str
    options: str
    rows_per_unit: int
    facets: str


SUITES = {
    "babi": Recipe("babi/task-1", "test={}", 1, "length,distractors,support_age"),
    "seti": Recipe("seti/task1-trivial", "lexical={}", 30, "composition,position,relation"),
}


def measure(command: list[str]) -> tuple[float, float, int]:
    """CPU seconds, peak resident megabytes and exit code of a command."""
    process = os.fork()
    if process == 0:
        silent = os.open(os.devnull, os.O_WRONLY)
        os.dup2(silent, 1)
        os.dup2(silent, 2)
        os.execv(sys.executable, [sys.executable, *command])
    _, status, usage = os.wait4(process, 0)
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, os.waitstatus_to_exitcode(status)


def bundle_of(recipe: Recipe, records: int, folder: Path) -> list[str]:
    """The command that writes so many rows."""
    options = recipe.options.format(-(-records // recipe.rows_per_unit))
    more = ["-T", "few=0"] if recipe.rows_per_unit > 1 else []
    return ["-m", "taskloom", "generate", recipe.name, "-T", options, *more, "--split", "test", "-o", str(folder)]


def commands(recipe: Recipe, folder: Path, bundle: Path) -> dict[str, list[str]]:
    """The steps by name."""
    run, other, cli = str(folder / "run"), str(folder / "other"), ["-m", "taskloom"]
    groups = f"from taskloom import load_run; r = load_run({run!r}); r.overall(); r.by_task(); "
    return {
        "run": [*cli, "run", str(bundle), "--model", "mock/oracle", "-o", run],
        "other run": [*cli, "run", str(bundle), "--model", "mock/random", "-o", other],
        "results": ["-c", f"from taskloom.run.results import *; write_results(load_run({run!r}))"],
        "score": [*cli, "score", run],
        "score --reader": [*cli, "score", other, "--reader", "lenient"],
        "score --by": [*cli, "score", other, "--by", recipe.facets],
        "frontier": [*cli, "score", other, "--by", "cell"],
        "compare": [*cli, "compare", run, other],
        "gate": [*cli, "gate", run, "--baseline", run, "--max-drop", "0.02"],
        "sql": [*cli, "sql", run, "select task, avg(score) from records group by task"],
        "columns": ["-c", groups + "[r.by_facet(name) for name in r.facet_names()]"],
        "check": [*cli, "check", run, "--suite", str(bundle)],
        "report": [*cli, "report", run, other, "-o", str(folder / "report.html")],
    }


def growth(recipe: Recipe, folder: Path, records: int, seconds: float) -> str:
    """The fixed cost of a run, and how the rest grows from a tenth of the records to all of them."""
    taken = {}
    for count in (1_000, records // 10):
        small = folder / f"bundle-{count}"
        if not small.exists():
            measure(bundle_of(recipe, count, small))
        word = [*("-m", "taskloom", "run", str(small), "--model", "mock/oracle", "-o")]
        # The long run is measured once, so its neighbours are not the luckiest of three.
        taken[count] = median(measure([*word, str(folder / f"run-{count}-{turn}")])[0] for turn in range(3))
    fixed, tenth = taken[1_000], taken[records // 10]
    slope = math.log10((seconds - fixed) / (tenth - fixed))
    return f"1,000 records: {fixed:.2f} CPU s; {records // 10:,}: {tenth:.1f}; growth exponent {slope:.3f}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--records", type=int, default=1_000_000)
    parser.add_argument("--suite", choices=SUITES, default="babi")
    parser.add_argument("--steps", nargs="*", help="only these")
    parser.add_argument("--folder", type=Path, help="keep the files here; a run in it is used again")
    args = parser.parse_args()
    recipe, worst = SUITES[args.suite], 0
    with tempfile.TemporaryDirectory() as scratch:
        folder = args.folder or Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        bundle = folder / "bundle"
        if not bundle.exists():
            measure(bundle_of(recipe, args.records, bundle))
        print(f"| {args.records:,} records of {recipe.name} | CPU s | peak MB |\n| --- | ---: | ---: |", flush=True)
        taken = 0.0
        for name, command in commands(recipe, folder, bundle).items():
            if not args.steps or name in args.steps:
                seconds, megabytes, code = measure(command)
                worst = max(worst, code)
                taken = seconds if name == "run" else taken
                print(f"| {name} | {seconds:.1f} | {megabytes:.0f} |{f' exit {code}' if code else ''}", flush=True)
        size = sum(path.stat().st_size for path in (folder / "run").iterdir())
        print(f"{size / args.records:.0f} bytes a record on disk")
        if taken:
            print(f"{taken / args.records * 1e6:.1f} µs a record; {growth(recipe, folder, args.records, taken)}")
    return worst


if __name__ == "__main__":
    sys.exit(main())
