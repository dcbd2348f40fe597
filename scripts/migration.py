"""Old and new readings of a thousand simulated answers: `python scripts/migration.py` (needs taskloom-lenient1)."""

from __future__ import annotations

from random import Random

from benchmarks.readers import FAMILIES, answers_of, every_round, sample
from taskloom_lenient1.lenient import LENIENT as OLD

from taskloom.ask import judge_answer


def main() -> None:
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
