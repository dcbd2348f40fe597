"""What a SETI instance costs: at a thousand, a hundred thousand and a million of them, on one core.

The published data of SETI has no generator to race against, so the yardsticks are the house's own promises: a
million instances in under a minute of CPU time, and the same cost for each whatever the size.

    python -m benchmarks.seti            # CPU seconds; needs about five minutes
    python -m benchmarks.seti 100000     # up to that many instances
"""

from __future__ import annotations

import resource
import sys
import time
from collections.abc import Callable
from itertools import islice
from typing import Any

from taskloom.core import open_suite
from taskloom.families.seti.family import setting_plan

PROMISE_SECONDS = 60.0
MILLION = 1_000_000

CASES: dict[str, Callable[[int], dict[str, Any]]] = {
    "task1-trivial": lambda size: {"lexical": -(-size // 30)},
    "task1-nontrivial": lambda size: {"lexical": 2 * -(-size // 30), "few": 0},
    "task2-nontrivial": lambda size: {"lexical": -(-size // 30), "structural": -(-size // 30), "few": 0},
    "productivity": lambda size: {"test": size},
}


def cost(name: str, size: int) -> float:
    """CPU seconds for that many instances of the test; the grammar is read and the plan proved beforehand."""
    setting_plan.cache_clear()
    suite = open_suite(f"seti/{name}", seed=7, options=CASES[name](size))
    next(suite.rows("test"))
    start = time.process_time()
    count = sum(1 for _ in islice(suite.rows("test"), size))
    if count != size:
        raise SystemExit(f"seti/{name} gives {count:,} instances, not {size:,}")
    return time.process_time() - start


def main() -> None:
    most = int(sys.argv[1]) if len(sys.argv) > 1 else MILLION
    sizes = [size for size in (1_000, 100_000, MILLION) if size <= most]
    heads = "".join(f"{f'µs each of {size:,}':>24}" for size in sizes)
    print(f"{'suite':24}{heads}{'promise / measured':>22}")
    for name in CASES:
        # Small sizes are measured several times: one garbage collection would be a tenth of them. Each time the pairs
        # are drawn anew, as for a suite that is opened once.
        each = [min(cost(name, size) for _ in range(max(1, min(3, 20_000 // size)))) / size for size in sizes]
        columns = "".join(f"{1e6 * seconds:>24.1f}" for seconds in each)
        print(f"seti/{name:19}{columns}{PROMISE_SECONDS / (each[-1] * MILLION):>22.1f}", flush=True)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"peak memory {peak:,.0f} MB, the proofs of the splits included")


if __name__ == "__main__":
    main()
