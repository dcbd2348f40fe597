"""Old and new readings of a thousand simulated answers: `python scripts/migration.py` (needs taskloom-lenient1).

With `--model NAME -o DIR` the answers of a model are read instead, asked under `chat` as before and as now.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from random import Random
from typing import Any

from benchmarks.protocols import SUITES, spread
from benchmarks.readers import FAMILIES, answers_of, every_round, sample
from taskloom_lenient1.lenient import LENIENT as OLD

from taskloom.ask import judge_answer
from taskloom.core import open_suite
from taskloom.run.runner import run_suite

WAYS: dict[str, Any] = {"before": {"examples": 0, "form": "none"}, "now": {}}


def main() -> None:
    """Print one of the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model")
    parser.add_argument("-o", "--output", default="runs/migration")
    parser.add_argument("-n", type=int, default=12, help="rows of each suite")
    args = parser.parse_args()
    if args.model:
        read_model(args.model, Path(args.output), args.n)
    else:
        read_simulated()


def read_model(model: str, folder: Path, count: int) -> None:
    """Print the mean score of a model by suite, by how it was asked and by reader, and the share not parsed."""
    print("| suite | before, old | before, new | before, unparsed new | now, old | now, new | now, unparsed new |")
    print("| --- | --: | --: | --: | --: | --: | --: |")
    for name in SUITES:
        suite = spread(open_suite(name, seed=0), count)
        cells: list[str] = []
        for way, options in WAYS.items():
            place = folder / name.replace("/", "-") / way
            run = run_suite(suite, model=model, folder=place, protocol="chat", generation={"max_tokens": 16}, **options)
            rows = {(row.task, row.instance.id): row.instance for row in suite.draw(suite.default_split())}
            asked = [(suite.tasks[one.task], rows[one.task, one.id], one) for one in run.records]
            readings: dict[str, list[Any]] = {}
            for version, reader in (("old", OLD), ("new", "lenient")):
                readings[version] = [judge_answer(task, row, one.raw, reader=reader) for task, row, one in asked]
                cells.append(f"{sum(found.score or 0.0 for found in readings[version]) / len(asked):.2f}")
            cells.append(f"{sum(found.answer is None for found in readings['new']) / len(asked):.2f}")
        print(f"| {name} | {' | '.join(cells)} |", flush=True)


def read_simulated() -> None:
    """Print the table: right answers, wrong ones and hedges of the list in `tests/score/styles.toml`."""
    listed = every_round()
    print("| family | n | right old | right new | unparsed new | wrong old | wrong new | hedged old | hedged new |")
    print("| --- | --: | --: | --: | --: | --: | --: | --: | --: |")
    for family, suites in FAMILIES.items():
        random = Random(family)
        cells: dict[str, list[float]] = {}
        for name in suites:
            suite, rows = sample(name, 40 // len(suites))
            for row in rows:
                task = suite.tasks[row.task]
                for _ in range(5):
                    said = answers_of(
                        suite, row, rows, random, random.choice(listed.styles), random.choice(listed.hedges)
                    )
                    for server, given in said.items():
                        for version, reader in (("old", OLD), ("new", "lenient")):
                            found = judge_answer(task, row.instance, given.text, reader=reader)
                            cells.setdefault(f"{server} {version}", []).append((found.score or 0.0) - given.worth)
                            if (server, version) == ("right", "new"):
                                cells.setdefault("unparsed", []).append(found.answer is None)
        columns = ("right old", "right new", "unparsed", "wrong old", "wrong new", "hedged old", "hedged new")
        shown = " | ".join(f"{sum(cells[one]) / len(cells[one]):.3f}" for one in columns)
        print(f"| {family} | {len(cells['right old'])} | {shown} |", flush=True)


if __name__ == "__main__":
    main()
