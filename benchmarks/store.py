"""Writing and reading a million instances: rows per CPU second and peak memory."""

from __future__ import annotations

import subprocess
import sys
import tempfile

CODE = """
import resource, sys, time
from pathlib import Path
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
start = time.process_time()
write_bundle(suite, folder)
wrote = time.process_time()
assert sum(1 for _ in Bundle(folder).rows("test")) == n
read = time.process_time()
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
print(f"{n:>9,} rows: wrote {n / (wrote - start):,.0f}/s, read {n / (read - wrote):,.0f}/s, peak {peak:,.0f} MB")
"""


def main() -> None:
    for n in (10_000, 100_000, 1_000_000):
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([sys.executable, "-c", CODE, str(n), f"{folder}/bundle"], check=True)
