"""Writing and reading a million instances: rows per CPU second, peak memory, and Arrow's own time for the same columns.

python -m benchmarks.store            10,000, 100,000 and 1,000,000 rows
python -m benchmarks.store 60000      that many

Writing includes every hash and the proof that splits are apart; reading proves every byte. Arrow's time is that of a
table from dictionaries of the same columns, written with the same compression. The best of three counts for each.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile

CODE = """
import resource, sys, time
from pathlib import Path
import pyarrow as pa
import pyarrow.parquet as pq
from taskloom.core import AnyOf, Instance, Instruction, Row, Suite, Task
from taskloom.store.bundle import Bundle
from taskloom.store.write import write_bundle

n, folder = int(sys.argv[1]), Path(sys.argv[2])

def draw(split):
    for i in range(n):
        facets = {"length": i % 40, "kind": f"k{i % 7}"}
        yield Row("t", Instance(str(i), f"{split}: what is the number after {i}?", AnyOf((str(i + 1),)), facets))

suite = Suite("bench/numbers", {}, 0, {"t": Task("t", Instruction("Say the next number."))}, {"test": n}, draw,
              {"length": int, "kind": str})
turns = 1 if n > 500_000 else 3
made = wrote = read = arrow = float("inf")
for turn in range(turns):
    start = time.process_time()
    sum(1 for _ in draw("test"))
    made = min(made, time.process_time() - start)
    start = time.process_time()
    write_bundle(suite, folder / str(turn))
    wrote = min(wrote, time.process_time() - start)
    bundle = Bundle(folder / str(turn))
    start = time.process_time()
    assert sum(1 for _ in bundle.rows("test")) == n
    read = min(read, time.process_time() - start)
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
part = min(n, 100_000)
source = pq.read_table(next((folder / "0").glob("data-*/test.parquet"))).slice(0, part)
rows = source.to_pylist()
for turn in range(3):
    start = time.process_time()
    pq.write_table(pa.Table.from_pylist(rows, schema=source.schema), folder / "arrow.parquet", compression="zstd")
    arrow = min(arrow, (time.process_time() - start) * n / part)
own = wrote - made
print(f"{n:>9,} rows: wrote {n / own:,.0f}/s, read {n / read:,.0f}/s, peak {peak:,.0f} MB; "
      f"Arrow writes {n / arrow:,.0f}/s, so writing takes {own / arrow:.1f} times as long")
"""


def main() -> None:
    sizes = [int(size) for size in sys.argv[1:] if size.isdigit()] or [10_000, 100_000, 1_000_000]
    for n in sizes:
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([sys.executable, "-c", CODE, str(n), folder], check=True)


if __name__ == "__main__":
    main()
