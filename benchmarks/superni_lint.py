"""What it costs to lint a collection of the published size: 1,616 tasks with 4.7 million instances.

The tasks of a folder are repeated under other names, with instances of other wording and ids of their own, until there
are as many as were published; then all of them are linted in one go, checks across files included.

    python -m benchmarks.superni_lint FOLDER                # needs 2 GB of disk for a while
    python -m benchmarks.superni_lint FOLDER --tasks 160    # a tenth of it
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

import msgspec

from taskloom.core import track
from taskloom.families.superni.lint import lint_path

TASKS, INSTANCES = 1_616, 2_909
BYTES_PER_INSTANCE = 405  # of the published files, their headers included
WORDS = ["harbour", "letter", "copper", "window", "morning", "river", "stone", "quiet", "yellow", "nine"]


def _copies(instances: list[dict[str, Any]], name: str, count: int, longest: int, rng: Random) -> list[dict[str, Any]]:
    made = []
    for index in range(count):
        one = instances[index % len(instances)]
        words = one["input"][:longest].split(" ")
        if index >= len(instances):
            words.insert(rng.randrange(len(words) + 1), f"{rng.choice(WORDS)} {index}")
        identity = f"{name}-{rng.getrandbits(128):032x}"
        made.append({"id": identity, "input": " ".join(words), "output": one["output"]})
    return made


def build(folder: Path, target: Path, tasks: int, count: int) -> tuple[int, int]:
    """Write the collection; return its bytes and its instances."""
    files = sorted(folder.glob("*.json"))
    rng = Random(0)
    rng.shuffle(files)
    size = 0
    longest = 600
    for number in track(range(tasks), "writing", tasks, unit="file"):
        task = msgspec.json.decode(files[number % len(files)].read_bytes().replace(b"NaN", b'""'))
        name = f"task{2000 + number}"
        task["Instances"] = _copies(task["Instances"], name, count, longest, rng)
        data = msgspec.json.format(msgspec.json.encode(task), indent=4)
        (target / f"{name}_copy.json").write_bytes(data)
        size += len(data)
        # Long tasks are cut so that the whole is as large as the published collection.
        longest = 300 if size > (number + 1) * count * BYTES_PER_INSTANCE else 1200
    return size, tasks * count


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="a folder of task files")
    parser.add_argument("--tasks", type=int, default=TASKS)
    parser.add_argument("--instances", type=int, default=INSTANCES)
    args = parser.parse_args()
    if not any(args.folder.glob("*.json")):
        parser.error(f"{args.folder} holds no task files (*.json)")
    with tempfile.TemporaryDirectory() as scratch:
        size, count = build(args.folder, Path(scratch), args.tasks, args.instances)
        start = time.process_time()
        found = Counter(finding.level for finding in lint_path(scratch))
        spent = time.process_time() - start
    print(f"{args.tasks:,} tasks, {count:,} instances, {size / 1e6:,.0f} MB: {spent:.1f} CPU seconds, {dict(found)}")


if __name__ == "__main__":
    main()
