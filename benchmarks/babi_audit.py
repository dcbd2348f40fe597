"""What the independent judges of the tests say about many generated stories.

They have the text alone, through a parser written by hand for each language, and share no code with the reader or the
generator. One keeps every state of the world that the sentences leave possible, in small worlds. The other reads
stories of any size (`--splits`: so many items over all splits and languages) and judges supports, too.

    python -m benchmarks.babi_audit --english 20000 --german 2000 --spanish 2000 --own 2000
    python -m benchmarks.babi_audit --splits 20000
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

AT_ONCE = 1_000


def judge_splits(count: int, seed: int) -> None:
    """Items of every split, the original tasks and the languages, evenly."""
    from families.babi.test_judged import SPLITS, faults

    parts = [(name, split, "en") for name, split in SPLITS.items()]
    parts += [(f"task-{number}", "train", "en") for number in (*range(1, 4), *range(5, 14))]
    parts += [(name, SPLITS[name], code) for name in ("mix-t12", "diverse-t7") for code in ("de", "es")]
    each = -(-count // len(parts))
    for name, split, code in parts:
        language = {} if code == "en" else {"language": code}
        found = faults(name, split, each, seed, **language)
        print(f"{name} ({code}): {each:,} items, {len(found):,} faults {found[:1] or ''}", flush=True)


def main() -> None:
    from families.babi.test_languages import disagreements_in
    from families.babi.test_worlds import disagreements_on_events

    kinds: dict[str, Callable[[int, int], list[str]]] = {
        "english": lambda count, seed: disagreements_in("en", count, seed),
        "german": lambda count, seed: disagreements_in("de", count, seed),
        "spanish": lambda count, seed: disagreements_in("es", count, seed),
        "own": disagreements_on_events,
    }
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in kinds:
        parser.add_argument(f"--{name}", type=int, default=0, help="how many stories")
    parser.add_argument("--seed", type=int, default=100, help="of the first thousand; the next have the next seeds")
    parser.add_argument("--splits", type=int, default=0, help="how many items of all splits and languages")
    args = parser.parse_args()
    if args.splits:
        judge_splits(args.splits, args.seed)
    for name, disagreements in kinds.items():
        wanted, wrong = getattr(args, name), 0
        for start in range(0, wanted, AT_ONCE):
            found = disagreements(min(AT_ONCE, wanted - start), args.seed + start // AT_ONCE)
            wrong += len(found)
            for text in found[:3]:
                print(text)
        if wanted:
            print(f"{name}: {wanted:,} stories, the judge disagrees with {wrong:,}", flush=True)


if __name__ == "__main__":
    main()
