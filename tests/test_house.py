"""Rules that hold everywhere: style, types, one-way imports, a light front door."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest
from benchmarks.known_mutants import KNOWN

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "src" / "taskloom"

# A room may import the rooms before it, never those after it.
ROOMS = (
    "core", "store", "sources", "encode", "score", "protocol", "families", "models", "ask", "rl", "adapt", "run",
    "figures", "studies", "report", "hosts", "cli",
)  # fmt: skip
HEAVY = ("torch", "transformers", "peft", "accelerate", "datasets", "matplotlib", "pandas", "ray", "scipy", "httpx")


def _environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(ROOT / "src")}


def _run(*command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, env=_environment())


@pytest.mark.parametrize("arguments", [("check", "."), ("format", "--check", ".")])
def test_ruff(arguments):
    result = _run(sys.executable, "-m", "ruff", *arguments)
    assert result.returncode == 0, result.stdout


@pytest.mark.slow
def test_types():
    result = _run(sys.executable, "-m", "mypy")
    assert result.returncode == 0, result.stdout


def _files() -> list[Path]:
    return sorted(SOURCE.rglob("*.py"))


def _imports(path: Path) -> set[str]:
    """Modules imported anywhere in a file, also inside functions."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module)
        elif isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
    return found


def test_rooms_know_only_the_rooms_before_them():
    wrong = []
    for path in _files():
        room = path.relative_to(SOURCE).parts[0]
        if room not in ROOMS:
            continue
        for module in _imports(path):
            other = module.split(".")[1] if module.startswith("taskloom.") else None
            if other in ROOMS and ROOMS.index(other) > ROOMS.index(room):
                wrong.append(f"{path.relative_to(SOURCE)} imports {module}")
    assert wrong == []


def test_families_do_not_know_each_other():
    wrong = []
    for path in (SOURCE / "families").rglob("*.py"):
        family = path.relative_to(SOURCE / "families").parts[0]
        for module in _imports(path):
            if module.startswith("taskloom.families.") and module.split(".")[2] != family:
                wrong.append(f"{path.relative_to(SOURCE)} imports {module}")
    assert wrong == []


def test_heavy_packages_are_imported_inside_functions():
    wrong = []
    for path in _files():
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            names = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            names += [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            # Modules that are only ever imported by a function that needs torch may say so at their top.
            wrong += [
                f"{path.relative_to(SOURCE)} imports {name}"
                for name in names
                if name.split(".")[0] in HEAVY and path.relative_to(SOURCE).parts[0] not in ("models", "adapt")
            ]
    assert wrong == []


@pytest.mark.parametrize(
    "code",
    [
        "import taskloom; taskloom.Suite",
        "from taskloom.cli.main import main; main(['--help'])",
        "from taskloom.cli.main import main; main(['list', 'suites'])",
        "from taskloom.cli.main import main; main(['list', 'models'])",
        "import taskloom.run.runner",
    ],
)
def test_the_front_door_is_light(code):
    probe = f"{code}\nimport sys; print([m for m in {HEAVY!r} if m in sys.modules], file=sys.stderr)"
    result = _run(sys.executable, "-c", probe)
    assert result.returncode == 0, result.stderr
    assert result.stderr.strip().splitlines()[-1] == "[]"


def test_files_stay_small_enough_to_read():
    long = [f"{path.relative_to(ROOT)}" for path in _files() if len(path.read_text(encoding="utf-8").split("\n")) > 600]
    assert long == []


def test_nothing_unsafe():
    banned = {"pickle", "cPickle", "dill", "shelve", "marshal"}
    wrong = []
    for path in _files():
        wrong += [f"{path}: {module}" for module in _imports(path) if module.split(".")[0] in banned]
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("eval", "exec"):
                wrong.append(f"{path}:{node.lineno} {node.func.id}")
            if isinstance(node, ast.keyword) and node.arg == "trust_remote_code" and ast.unparse(node.value) != "False":
                wrong.append(f"{path}: trust_remote_code")
    assert wrong == []


def test_every_verb_has_a_module_with_examples():
    from importlib import import_module

    from taskloom.cli.main import MODULES, VERBS

    for verb in VERBS:
        module = import_module(f"taskloom.cli.{MODULES.get(verb, verb).replace('-', '_')}")
        assert "taskloom " in module.EXAMPLES, verb


def test_changes_that_once_went_unnoticed_still_have_their_place():
    """`make mutate` tries them again; where a line has moved, the table of `benchmarks/known_mutants.py` follows it."""
    for known in KNOWN:
        known.located(SOURCE)
        assert (ROOT / known.tests).is_file(), known.tests
