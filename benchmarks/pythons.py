"""The digests of all suites under every supported Python, side by side.

    python -m benchmarks.pythons               3.11, 3.12 and 3.13 (`make test-pythons`)
    python -m benchmarks.pythons --families zest

Interpreters are looked for on PATH and under ~/.pyenv/versions; each gets an environment of its own with the core's
dependencies, kept in the cache folder. An interpreter that is missing is an error: a comparison with itself proves
nothing.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
from pathlib import Path

from taskloom.core.folders import cache_folder

VERSIONS = ("3.11", "3.12", "3.13")
ROOT = Path(__file__).resolve().parent.parent


def interpreter(version: str) -> str | None:
    """A Python of that version, None where there is none."""
    if found := shutil.which(f"python{version}"):
        done = subprocess.run([found, "--version"], capture_output=True, text=True, check=False)
        if done.returncode == 0:
            return found
    kept = sorted((Path.home() / ".pyenv" / "versions").glob(f"{version}.*/bin/python"))
    return str(kept[-1]) if kept else None


def environment(version: str, program: str) -> Path:
    """An environment of that version with the dependencies of the core."""
    folder = cache_folder() / "pythons" / version
    python = folder / "bin" / "python"
    if not (folder / ".installed").exists():
        subprocess.run([program, "-m", "venv", str(folder)], check=True)
        limits = ["-c", str(ROOT / "constraints.txt")] if version == "3.11" else []
        command = [str(python), "-m", "pip", "install", "--quiet", *limits, *dependencies()]
        subprocess.run(command, check=True)
        (folder / ".installed").touch()
    return python


def dependencies() -> list[str]:
    """The core's own, from pyproject.toml."""
    import tomllib

    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    return list(project["dependencies"])


def digests(python: Path, families: list[str]) -> dict[str, str]:
    """What `benchmarks.digests` prints under an interpreter."""
    paths = os.pathsep.join([str(ROOT / "src"), str(ROOT)])
    done = subprocess.run(
        [str(python), "-m", "benchmarks.digests", *families],
        capture_output=True, text=True, cwd=ROOT, env={**os.environ, "PYTHONPATH": paths}, check=False,
    )  # fmt: skip
    if done.returncode:
        raise SystemExit(f"{python}: {done.stderr[-2000:]}")
    return dict(line.rsplit(" ", 1) for line in done.stdout.splitlines())


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--families", nargs="*", default=[])
    given = parser.parse_args()
    tables: dict[str, dict[str, str]] = {}
    for version in VERSIONS:
        program = interpreter(version)
        if program is None:
            print(f"Python {version} is not here", file=sys.stderr)
            return 2
        tables[version] = digests(environment(version, program), given.families)
    names = sorted(set().union(*tables.values()))
    different = [name for name in names if len({table.get(name) for table in tables.values()}) > 1]
    for name in different:
        print(name, *(f"{version}={table.get(name, 'missing')[:12]}" for version, table in tables.items()))
    print(f"{len(names)} splits under Python {', '.join(VERSIONS)}: {len(different)} differ")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
