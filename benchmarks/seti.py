"""How fast SETI instances are made: one million, on one core, with bounded memory.

The published data of SETI has no generator to race against, so the yardstick is the house's own
promise: a million instances in under a minute of CPU time.
"""

from __future__ import annotations

import resource
import time

from taskloom.core import open_suite

PROMISE_SECONDS = 60.0
MILLION = 1_000_000


def _measure(name: str, options: dict[str, int], splits: tuple[str, ...]) -> tuple[int, float]:
    start = time.process_time()
    suite = open_suite(f"seti/{name}", seed=7, options=options)
    count = sum(1 for split in splits for _ in suite.rows(split))
    return count, time.process_time() - start


def main() -> None:
    cases = [
        ("task1-trivial", {"lexical": 33_334}, ("test",)),
        ("task1-nontrivial", {"lexical": 66_668, "few": 0}, ("test",)),
        ("task2-nontrivial", {"lexical": 16_700, "structural": 16_700, "few": 0}, ("train", "dev", "test")),
        ("productivity", {"train": 100_000, "dev": 1_000, "test": 100_000}, ("train", "test")),
    ]
    print(f"{'suite':24}{'instances':>12}{'CPU s':>9}{'per million':>13}{'promise / measured':>20}")
    for name, options, splits in cases:
        count, seconds = _measure(name, options, splits)
        million = seconds * MILLION / count
        print(f"seti/{name:19}{count:>12,}{seconds:>9.1f}{million:>13.1f}{PROMISE_SECONDS / million:>20.1f}")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"peak memory {peak:,.0f} MB, checks of the splits included")


if __name__ == "__main__":
    main()
