"""What protocols and readings do to one small pretrained model: `python -m benchmarks.protocols -o DIR`.

Asks packaged/smollm2 a few rows of each family under bare, base and chat, and prints strict and lenient side by side.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from taskloom.core import Row, Suite, open_suite
from taskloom.run.runner import run_suite
from taskloom.studies.prompt_notes import both_readings

SUITES = ("babi/task-1", "seti/task1-trivial", "superni/embedded", "taskbench/lexical", "zest/fictional")
PROTOCOLS = ("bare", "base", "chat")


def spread(suite: Suite, count: int) -> Suite:
    """A suite with `count` rows of the test split, spread over its tasks."""
    split = suite.default_split()
    rows: list[Row] = []
    seen: dict[str, int] = {}
    most = max(1, count // len(suite.tasks))
    for row in suite.draw(split):
        if seen.get(row.task, 0) < most:
            seen[row.task] = seen.get(row.task, 0) + 1
            rows.append(row)
        if len(rows) >= max(count, min(len(suite.tasks), 40 * count)):
            break
    kept = rows[:: max(1, len(rows) // count)][:count]

    def draw(name: str) -> Iterator[Row]:
        return iter(kept if name == split else ())

    sizes = {name: len(kept) if name == split else 0 for name in suite.splits}
    return replace(suite, draw=draw, splits=sizes)


def main() -> None:
    """Run all and print a Markdown table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-o", "--output", required=True)
    parser.add_argument("-n", type=int, default=20, help="rows of each suite")
    parser.add_argument("--max-tokens", type=int, default=24)
    parser.add_argument("--model", default="packaged/smollm2")
    parser.add_argument("--suite", action="append", default=[])
    args = parser.parse_args()
    print("| suite | protocol | strict | lenient |\n| --- | --- | --- | --- |")
    for name in args.suite or SUITES:
        suite = spread(open_suite(name, seed=0), args.n)
        for protocol in PROTOCOLS:
            folder = Path(args.output) / name.replace("/", "-") / protocol
            run = run_suite(
                suite, model=args.model, folder=folder, protocol=protocol, generation={"max_tokens": args.max_tokens}
            )
            readings = both_readings(run) or {}
            cells = [f"{one.value:.2f} [{one.low:.2f}, {one.high:.2f}]" for one in readings.values()]
            print(f"| {name} | {protocol} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
