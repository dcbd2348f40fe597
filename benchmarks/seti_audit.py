"""What the independent judge of the tests says about many generated pairs of sentences.

It parses both sentences and searches for a model in which the premise is true and the hypothesis false; it shares no
code with the generator.

    python -m benchmarks.seti_audit --seeds 60 61 62
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from pathlib import Path

from taskloom.core import open_suite
from taskloom.core.catalog import FAMILIES

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))


def judged(name: str, seed: int, rows: int, shown: int) -> Counter[str]:
    """Counts of instances of one suite and of labels that the judge does not share."""
    from families.seti.judge import judge

    suite = open_suite(f"seti/{name}", seed=seed)
    counts: Counter[str] = Counter()
    for split in suite.splits:
        for _, instance in suite.rows(split, limit=rows):
            premise, hypothesis = instance.parts.values()
            said = "entailment" if judge(premise, hypothesis) else "not-entailment"
            counts["items"] += 1
            if said != instance.targets.canonical():
                counts["wrong"] += 1
                if counts["wrong"] <= shown:
                    print(f"{name}: {premise} => {hypothesis}\n  gold {instance.targets.canonical()}, judge {said}")
    return counts


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, nargs="+", default=[0])
    parser.add_argument("--rows", type=int, default=2500, help="the most of each split")
    parser.add_argument("--show", type=int, default=5, help="how many problems to print per suite")
    args = parser.parse_args()
    names = [name for name in FAMILIES.get("seti").suites() if not name.endswith("-id")]
    total: Counter[str] = Counter()
    for seed in args.seeds:
        for name in names:
            total += judged(name, seed, args.rows, args.show)
        print(f"up to seed {seed}: {total['items']:,} items, {total['wrong']:,} wrong", flush=True)
    print(f"{len(names)} suites, {total['items']:,} items: the judge disagrees with {total['wrong']:,}")


if __name__ == "__main__":
    main()
