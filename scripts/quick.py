"""The tests of the rooms that a change touches: `make quick`, or `python scripts/quick.py [COMMIT]` against a commit.

Slow tests and those of other rooms are left out; `make test` runs everything.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ALWAYS = ["tests/test_house.py", "tests/test_records.py", "tests/test_boundary.py"]


def tests_of(changed: list[str]) -> list[str]:
    """Test files and folders for changed paths: those that changed themselves, and those named like a changed room."""
    found = set(ALWAYS)
    for path in map(Path, changed):
        if path.parts[0] == "tests" and path.name.startswith("test_"):
            found.add(str(path))
        if path.parts[:2] == ("src", "taskloom"):
            depth = 4 if path.parts[2] == "families" else 3
            found.add(str(Path("tests", *path.parts[2:depth])))
    return sorted(name for name in found if (ROOT / name).exists())


def changed_since(commit: str) -> list[str]:
    """Paths that differ from a commit, new files included."""
    commands = (["git", "diff", "--name-only", commit], ["git", "ls-files", "--others", "--exclude-standard"])
    return [
        line
        for command in commands
        for line in subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines()
    ]


def main() -> int:
    tests = tests_of(changed_since(sys.argv[1] if sys.argv[1:] else "HEAD"))
    print(" ".join(tests), flush=True)
    chosen = ["-m", "not proof and not slow and not train", "--deselect", "tests/test_house.py::test_types"]
    return subprocess.call([sys.executable, "-m", "pytest", "-q", "-n", "2", *chosen, *tests], cwd=ROOT)


if __name__ == "__main__":
    sys.exit(main())
