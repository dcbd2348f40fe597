"""Items of the worlds minds, containers and space, judged by programs that share no code with the generator.

python -m benchmarks.babi_worlds                     5,000 items of each world, half of them in German
python -m benchmarks.babi_worlds --items 200 minds   fewer of one world
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from pathlib import Path

from taskloom import open_suite

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

WORLDS = ("minds", "containers", "space")


def main() -> None:
    from families.babi.world_judges import faults

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("worlds", nargs="*", default=WORLDS, help="the worlds (all three)")
    parser.add_argument("--items", type=int, default=5_000, help="items of each (%(default)s)")
    parser.add_argument("--seed", type=int, default=40)
    chosen = parser.parse_args()
    for world in chosen.worlds:
        found: Counter[str] = Counter()
        for code in ("en", "de"):
            options = {"language": code, "train": chosen.items // 2, "dev": 0, "test": 0}
            for row in open_suite(f"babi/{world}", seed=chosen.seed, options=options).rows("train"):
                wrong = faults(world, code, row)
                found["judged"] += 1
                found["faults"] += bool(wrong)
                if wrong:
                    print(row.instance.input, row.instance.targets.canonical(), row.instance.details, wrong, sep="\n")
        print(f"{world}: {found['judged']:,} items, {found['faults']} faults", flush=True)


if __name__ == "__main__":
    main()
