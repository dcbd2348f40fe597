"""What the independent reader of the tests says about many generated items.

It answers every question from the text of its passage, looks for contradictions in every passage, and counts how often
entities occur. The linear probes (`--probes`) show what half of the input gives away about tasks that were not trained.
With `--statements` the family's own checker goes over everything the generator means to say instead of the text.

    python -m benchmarks.zest_audit --seeds 30 31 32 33 --passages 20
    python -m benchmarks.zest_audit --seeds 30 31 32 33 --passages 20 --statements
    python -m benchmarks.zest_audit --seeds 0 1 2 3 --passages 10 --probes
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from pathlib import Path
from statistics import fmean, stdev

from taskloom.core import Suite, open_suite
from taskloom.core.catalog import SCORERS
from taskloom.families.zest.audit import half_areas, probe_areas
from taskloom.families.zest.consistency import contradictions
from taskloom.families.zest.domain import load_domain
from taskloom.families.zest.generate import Generator
from taskloom.families.zest.recipe import FictionalRecipe

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests" / "families" / "zest"))


def read(suite: Suite, shown: int) -> Counter[str]:
    """Counts of items, answers the reader does not share, passages, and contradictions in them."""
    from zest_patterns import TOPICS
    from zest_reader import Reader
    from zest_sense import contradictions as contradictions_in

    fair = SCORERS.get("zest/fair")
    nouns = sorted(TOPICS, key=len, reverse=True)
    counts: Counter[str] = Counter()
    entities: Counter[str] = Counter()
    for split in suite.splits:
        seen: set[int] = set()
        for task, instance in suite.rows(split):
            passage, question = instance.parts["passage"], instance.parts["question"]
            answer = Reader(passage).answer(question)
            counts["items"] += 1
            if fair.score(answer, instance.targets, suite.tasks[task]).value < 1:
                counts["missed"] += 1
                if counts["missed"] <= shown:
                    print(f"missed: {question}\n  gold {instance.targets.canonical()}\n  read {answer}\n  {passage}")
            if hash(passage) not in seen:
                seen.add(hash(passage))
                counts["passages"] += 1
                entities[str(instance.details["entity"])] += 1
                found = contradictions_in(next(noun for noun in nouns if f"this {noun}" in question), passage)
                counts["contradictions"] += bool(found)
                if found and counts["contradictions"] <= shown:
                    print(f"contradiction: {found}\n  {passage}")
    counts["most of one name"] = entities.most_common(1)[0][1]
    return counts


def check_statements(seed: int, passages: int, shown: int) -> Counter[str]:
    """Counts of passages, of statements in them, and of passages whose statements cannot all be true."""
    generator = Generator(FictionalRecipe(passages=passages, surplus=0), seed)
    counts: Counter[str] = Counter()
    for split, tasks in generator.splits.items():
        for task in {task.passages: task for task in tasks}.values():
            for index in range(passages):
                drawn = generator.passage(task, "split", split, index)
                found = contradictions(load_domain(task.domain), drawn.statements)
                counts += Counter(passages=1, statements=len(drawn.statements), contradictions=bool(found))
                if found and counts["contradictions"] <= shown:
                    print(f"contradiction: {found}\n  {drawn.passage.text}")
    return counts


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, nargs="+", default=[0])
    parser.add_argument("--passages", type=int, default=20)
    parser.add_argument("--probes", action="store_true")
    parser.add_argument("--statements", action="store_true")
    parser.add_argument("--show", type=int, default=5, help="how many problems to print")
    args = parser.parse_args()
    total: Counter[str] = Counter()
    areas: dict[tuple[str, str], list[float]] = {}
    for seed in args.seeds:
        if args.statements:
            total += check_statements(seed, args.passages, args.show)
            continue
        suite = open_suite("zest/fictional", seed=seed, options={"passages": args.passages, "surplus": 0})
        if args.probes:
            for found in probe_areas(suite):
                areas.setdefault((found.part, found.tells), []).append(found.area)
                span = f"95 % {found.low:.3f} to {found.high:.3f}, {found.items:,} items"
                print(f"seed {seed}: {found.part} alone, {found.tells}: {found.area:.3f} ({span})", flush=True)
            halves = half_areas(row for split in suite.splits for row in suite.rows(split))
            print(
                f"seed {seed}: half of a task's answers, na: {halves['na']:.3f}, yes: {halves['yes']:.3f}", flush=True
            )
            continue
        counts = read(suite, args.show)
        total += counts
        print(f"seed {seed}: {dict(counts)}", flush=True)
    for (part, tells), found in areas.items():
        margin = 1.96 * stdev(found) / len(found) ** 0.5 if len(found) > 1 else float("nan")
        print(f"{part} alone, {tells}: mean of {len(found)} seeds {fmean(found):.3f} ± {margin:.3f}")
    if args.statements:
        print(f"in all {dict(total)}")
    elif total:
        agreed = 1 - total["missed"] / total["items"]
        print(f"in all {dict(total)}; the reader agrees with {agreed:.4%}")


if __name__ == "__main__":
    main()
