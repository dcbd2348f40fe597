"""Instances of superni/open to be read one by one: each of another task, two fifths of them English.

    python -m benchmarks.superni_read --seed 5150 --count 200 --examples > page.txt

The other three fifths take turns among the languages, so that every language comes before any comes twice. What
is counted are instances that are wrong (another answer is right, or several are) or ungrammatical.
"""

from __future__ import annotations

import argparse

from taskloom import open_suite
from taskloom.core import Suite, Task, acceptable_texts, keyed_random


def _languages(task: Task) -> frozenset[str]:
    named = {str(task.facets.get(key) or "English") for key in ("language", "output_language", "instruction_language")}
    return frozenset(named - {"English"} or named)


def drawn_tasks(suite: Suite, seed: int, count: int) -> list[str]:
    """The names of the tasks that are read."""
    rng = keyed_random("benchmark", "superni-read", seed)
    by_language: dict[tuple[str, ...], list[str]] = {}
    for name, task in suite.tasks.items():
        by_language.setdefault(tuple(sorted(_languages(task))), []).append(name)
    for held in by_language.values():
        rng.shuffle(held)
    picked = by_language.pop(("English",))[: count * 2 // 5]
    turns = rng.sample(list(by_language.values()), len(by_language))
    while len(picked) < count and any(turns):
        picked += [held.pop() for held in turns if held]
    return picked[:count]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--examples", action="store_true", help="print the right and wrong examples, too")
    args = parser.parse_args()
    suite = open_suite("superni/open", seed=args.seed, options={"instances": 1})
    rows = {row.task: row.instance for split in suite.splits for row in suite.rows(split)}
    picked = drawn_tasks(suite, args.seed, args.count)
    for number, name in enumerate(picked):
        languages = ", ".join(sorted(_languages(suite.tasks[name])))
        answers = " ||| ".join(acceptable_texts(rows[name].targets)[:4])
        shown = suite.tasks[name].instruction
        print(f"#{number} [{name}] {languages}\nD: {shown.definition}")
        for sign, held in (("+", shown.positive), ("-", shown.negative)) if args.examples else ():
            for one in held:
                print(f"{sign} {one.input!r} -> {one.output!r} :: {one.explanation}")
        print(f"I: {rows[name].input}\nA: {answers}\n")
    print(f"{len(picked)} tasks, {len({one for name in picked for one in _languages(suite.tasks[name])})} languages")


if __name__ == "__main__":
    main()
