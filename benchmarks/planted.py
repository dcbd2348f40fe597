"""Bugs planted on purpose: the harness that is named for each must find it.

    python -m benchmarks.planted               all of them (`make planted`)
    python -m benchmarks.planted --only flips  those of one harness

Each bug of `planted.toml` is put into a copy of the source, and the harness is run on that copy, for the part it is
told. A harness that ends well has not found the bug; one that ends badly without any bug is no harness, so each is
also run on the source as it is.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import msgspec

ROOT = Path(__file__).resolve().parent.parent
PYTEST = ["-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "-p", "no:randomly"]
HARNESSES: dict[str, list[str]] = {
    "stops": ["-m", "benchmarks.stops", "--only", "WITH"],
    "torture": ["-m", "benchmarks.torture", "--only", "WITH", "--kills", "12"],
    "flips": ["-m", "benchmarks.flips", "--flips", "WITH"],
    "fuzz": ["-m", "benchmarks.fuzz", "--inputs", "800", "--only", "WITH"],
    "secrets": [
        *PYTEST, "tests/core/test_disguise.py", "tests/core/test_confine.py", "tests/cli/test_guard.py",
        "tests/cli/test_secrets.py", "-k", "WITH",
    ],
    "pages": [*PYTEST, "tests/report/test_hostile.py", "tests/core/test_csv_table.py", "-k", "WITH"],
}  # fmt: skip


class PlantedBug(msgspec.Struct, rename={"told": "with"}, forbid_unknown_fields=True):
    """One bug: where it goes, and which harness must find it, told to try what."""

    harness: str
    about: str
    file: str
    before: str
    after: str
    told: str


def planted_bugs() -> list[PlantedBug]:
    """The table."""
    data = msgspec.toml.decode((ROOT / "benchmarks" / "planted.toml").read_bytes())
    return msgspec.convert(data["bug"], list[PlantedBug])


def plant(bug: PlantedBug, source: Path) -> None:
    """Put a bug into a copy of the source.

    Raises:
        ValueError: Its text does not stand there exactly once: the table is out of date.
    """
    path = source / "taskloom" / bug.file
    text = path.read_text(encoding="utf-8")
    if text.count(bug.before) != 1:
        raise ValueError(f"{bug.file}: {bug.about}: the text stands there {text.count(bug.before)} times")
    path.write_text(text.replace(bug.before, bug.after), encoding="utf-8")


def ends_well(harness: str, told: str, tree: Path) -> bool:
    """Whether a harness finds nothing in a tree."""
    words = [told if word == "WITH" else word for word in HARNESSES[harness]]
    environment = {**os.environ, "PYTHONPATH": f"{tree / 'src'}{os.pathsep}{tree}", "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        [sys.executable, *words], cwd=tree, env=environment, capture_output=True, text=True, check=False
    )
    return done.returncode == 0


def tree_of(folder: Path) -> Path:
    """A copy of the source, beside everything else as it is."""
    for entry in ROOT.iterdir():
        if entry.name in ("tests", "benchmarks", "packages", "pyproject.toml"):
            (folder / entry.name).symlink_to(entry)
    shutil.copytree(ROOT / "src", folder / "src", ignore=shutil.ignore_patterns("__pycache__"))
    return folder


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="only bugs of this harness")
    given = parser.parse_args()
    bugs = [bug for bug in planted_bugs() if given.only in bug.harness]
    found = 0
    with tempfile.TemporaryDirectory(prefix="taskloom-planted-") as folder:
        tree = tree_of(Path(folder))
        for harness, told in sorted({(bug.harness, bug.told) for bug in bugs}):
            if not ends_well(harness, told, tree):
                print(f"{harness} ({told}) finds something where nothing was planted", flush=True)
                return 1
        for bug in bugs:
            path = tree / "src" / "taskloom" / bug.file
            whole = path.read_bytes()
            plant(bug, tree / "src")
            missed = ends_well(bug.harness, bug.told, tree)
            path.write_bytes(whole)
            found += not missed
            print(f"{'MISSED' if missed else 'found '}  {bug.harness}: {bug.about}", flush=True)
    print(f"{found} of {len(bugs)} planted bugs found")
    return 0 if found == len(bugs) else 1


if __name__ == "__main__":
    sys.exit(main())
