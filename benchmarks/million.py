"""A run of a million records from end to end: seconds of CPU and peak memory of every step, and the size of its files.

python -m benchmarks.million                 1,000,000 records of 17 facets each (`make bench-million`)
python -m benchmarks.million --records 20000 a quick look

Every step is a command in a process of its own, so that its memory is its own.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from pathlib import Path

STEPS = ("run", "results", "score", "score --by", "gate", "sql", "columns", "check", "report")


def measure(command: list[str]) -> tuple[float, float, int]:
    """CPU seconds, peak resident megabytes and exit code of a command."""
    process = os.fork()
    if process == 0:
        with open(os.devnull, "w") as silent:  # noqa: PTH123 -- a file descriptor, not a path
            os.dup2(silent.fileno(), 1)
        os.execv(sys.executable, [sys.executable, *command])
    _, status, usage = os.wait4(process, 0)
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, os.waitstatus_to_exitcode(status)


def commands(records: int, folder: Path) -> dict[str, list[str]]:
    """The steps by name."""
    run, cli = str(folder / "run"), ["-m", "taskloom"]
    suite = ["seti/task1-trivial", "-T", f"lexical={-(-records // 30)}", "-T", "few=0"]
    groups = "from taskloom import load_run; r = load_run({!r}); r.overall(); r.by_task(); [r.by_facet(n) for n in {}]"
    return {
        "run": [*cli, "run", *suite, "--model", "mock/oracle", "-o", run],
        "results": ["-c", f"from taskloom.run.results import *; write_results(load_run({run!r}))"],
        "score": [*cli, "score", run, "--reader", "lenient"],
        "score --by": [*cli, "score", run, "--by", "composition,position,relation"],
        "gate": [*cli, "gate", run, "--baseline", run, "--max-drop", "0.02"],
        "sql": [*cli, "sql", run, "select task, avg(score) from records group by task"],
        "check": [*cli, "check", run],
        "columns": ["-c", groups.format(run, "r.facet_names()")],
        "report": [*cli, "report", run, "-o", str(folder / "report.html")],
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--records", type=int, default=1_000_000)
    parser.add_argument("--steps", nargs="*", choices=STEPS, default=STEPS)
    parser.add_argument("--folder", type=Path, help="keep the files here; a run in it is used again")
    args = parser.parse_args()
    worst = 0
    with tempfile.TemporaryDirectory() as scratch:
        folder = args.folder or Path(scratch)
        print(f"| {args.records:,} records | CPU s | peak MB |\n| --- | --- | --- |")
        for name, command in commands(args.records, folder).items():
            if name in args.steps:
                seconds, megabytes, code = measure(command)
                worst = max(worst, code)
                print(f"| {name} | {seconds:.1f} | {megabytes:.0f} |{' failed' if code else ''}", flush=True)
        for path in sorted((folder / "run").iterdir()):
            if path.is_file():
                print(f"{path.name}: {path.stat().st_size / 1e6:.1f} MB")
    return worst


if __name__ == "__main__":
    sys.exit(main())
