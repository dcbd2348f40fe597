"""What the independent judge of the tests says about many generated stories.

It has the text alone: a parser written by hand for each language, and every state of the world that the sentences leave
possible. It shares no code with the reader or the generator.

    python -m benchmarks.babi_audit --english 20000 --german 2000 --spanish 2000 --own 2000
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

AT_ONCE = 1_000


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
    args = parser.parse_args()
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
