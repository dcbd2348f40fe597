"""What the proof that splits are disjoint costs at size: memory and CPU time, for rows of two splits, nine to one.

python -m benchmarks.disjoint                 1,000,000 and 10,000,000 rows
python -m benchmarks.disjoint 100000000       that many

The proof keeps sixteen bytes of what each row asks and two hashes of its id. They are drawn here, not worked out, so
that nothing but the proof is measured; each size is a process of its own.
"""

from __future__ import annotations

import sys
import time
from array import array

from benchmarks.measure import child, python, report

_CHUNK = 1_000_000


def prove(rows: int) -> tuple[float, float]:
    """Collect so many rows and prove that the splits share nothing: rows, and the CPU seconds of the proof alone."""
    import numpy as np

    from taskloom.store.disjoint import SplitProof

    random, proof = np.random.default_rng(1), SplitProof("inputs")
    for split, share in (("train", 9), ("test", 1)):
        left = rows * share // 10
        asked, ids = bytearray(), (array("q"), array("q"))
        while left:
            chunk = min(left, _CHUNK)
            asked += random.bytes(16 * chunk)
            for hashes in ids:
                hashes.frombytes(random.bytes(8 * chunk))
            left -= chunk
        proof.extend(split, b"", ["task"], ["0"])
        proof._asked[split], proof._ids[split] = asked, ids
    start = time.process_time()
    proof.check("drawn")
    return float(rows), time.process_time() - start


def main() -> None:
    if sys.argv[1:2] == ["prove"]:
        return report(*prove(int(sys.argv[2])))
    print("| rows | CPU s | peak MB | bytes a row |\n| ---: | ---: | ---: | ---: |")
    for rows in [int(word) for word in sys.argv[1:]] or [1_000_000, 10_000_000]:
        done = child(python("-m", "benchmarks.disjoint", "prove", str(rows)))
        print(
            f"| {rows:,} | {done.seconds:.1f} | {done.megabytes:,.0f} | {done.megabytes * 2**20 / rows:.0f} |",
            flush=True,
        )
    return None


if __name__ == "__main__":
    main()
