"""Rules that hold everywhere: style, types, one-way imports, a light front door."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest
from benchmarks.known_mutants import KNOWN

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "src" / "taskloom"
PACKAGES = ROOT / "packages"

# A room may import the rooms before it, never those after it.
ROOMS = (
    "core", "store", "algebra", "sources", "encode", "score", "protocol", "author", "families", "weave", "models",
    "ask", "rl", "adapt", "run", "figures", "studies", "report", "views", "hosts", "cli",
)  # fmt: skip
HEAVY = ("torch", "transformers", "peft", "accelerate", "datasets", "matplotlib", "pandas", "ray", "scipy", "aiohttp")


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
    result = _run(sys.executable, "-m", "mypy", "--cache-dir", os.devnull)
    assert result.returncode == 0, result.stdout


def _files() -> list[Path]:
    return sorted(SOURCE.rglob("*.py"))


class Facts(NamedTuple):
    """What the rules ask about a file.

    Attributes:
        imports: Modules imported anywhere in it, also inside functions.
        first: Those imported at its top.
        unsafe: Calls that run what somebody else wrote.
    """

    imports: set[str]
    first: set[str]
    unsafe: list[str]


def _imported(node: ast.AST) -> set[str]:
    if isinstance(node, ast.ImportFrom):
        return {node.module} if node.module else set()
    return {alias.name for alias in node.names} if isinstance(node, ast.Import) else set()


@cache
def _facts(path: Path) -> Facts:
    """Parsed once for all rules; the trees themselves would fill the memory."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    facts = Facts(set(), {name for node in tree.body for name in _imported(node)}, [])
    for node in ast.walk(tree):
        facts.imports.update(_imported(node))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("eval", "exec"):
            facts.unsafe.append(f"{path}:{node.lineno} {node.func.id}")
        if isinstance(node, ast.keyword) and node.arg == "trust_remote_code" and ast.unparse(node.value) != "False":
            facts.unsafe.append(f"{path}: trust_remote_code")
    return facts


def test_rooms_know_only_the_rooms_before_them():
    wrong = []
    for path in _files():
        room = path.relative_to(SOURCE).parts[0]
        if room not in ROOMS:
            continue
        for module in _facts(path).imports:
            other = module.split(".")[1] if module.startswith("taskloom.") else None
            if other in ROOMS and ROOMS.index(other) > ROOMS.index(room):
                wrong.append(f"{path.relative_to(SOURCE)} imports {module}")
    assert wrong == []


def test_families_do_not_know_each_other():
    wrong = []
    for path in (SOURCE / "families").rglob("*.py"):
        family = path.relative_to(SOURCE / "families").parts[0]
        for module in _facts(path).imports:
            if module.startswith("taskloom.families.") and module.split(".")[2] != family:
                wrong.append(f"{path.relative_to(SOURCE)} imports {module}")
    assert wrong == []


def test_heavy_packages_are_imported_inside_functions():
    wrong = []
    for path in _files():
        # Modules that are only ever imported by a function that needs torch may say so at their top.
        wrong += [
            f"{path.relative_to(SOURCE)} imports {name}"
            for name in _facts(path).first
            if name.split(".")[0] in HEAVY and path.relative_to(SOURCE).parts[0] not in ("models", "adapt")
        ]
    assert wrong == []


def test_the_front_door_is_light():
    """One process walks through all doors: what none of them imports, no single one does."""
    doors = [
        "import taskloom; taskloom.Suite",
        "import taskloom.run.runner",
        "from taskloom.cli.main import main; main(['list', 'suites'])",
        "main(['list', 'models'])",
        "main(['--help'])",
    ]
    probe = f"print([m for m in {HEAVY!r} if m in sys.modules], file=sys.stderr)"
    result = _run(sys.executable, "-c", "\n".join(["import sys", *(line for door in doors for line in (door, probe))]))
    assert result.returncode == 0, result.stderr
    assert result.stderr.strip().splitlines()[-len(doors) :] == ["[]"] * len(doors)


def _all_files() -> list[Path]:
    """Those of the core, and of packages beside it."""
    return [*_files(), *sorted(PACKAGES.rglob("*.py"))]


def test_files_stay_small_enough_to_read():
    long = [
        f"{path.relative_to(ROOT)}" for path in _all_files() if len(path.read_text(encoding="utf-8").split("\n")) > 600
    ]
    assert long == []


def test_nothing_unsafe():
    banned = {"pickle", "cPickle", "dill", "shelve", "marshal"}
    wrong = []
    for path in _all_files():
        wrong += [f"{path}: {module}" for module in _facts(path).imports if module.split(".")[0] in banned]
        wrong += _facts(path).unsafe
    assert wrong == []


FEW = 0.02
"""The share of tests that may touch a private name, which ties them to how something is done rather than to what."""


def _private_names(node: ast.AST, own: set[str]) -> set[str]:
    """Private names below a node that its file did not make, as attributes, imports, or texts given to a patch."""
    names = {inner.attr for inner in ast.walk(node) if isinstance(inner, ast.Attribute)}
    names |= {alias.name for inner in ast.walk(node) if isinstance(inner, ast.ImportFrom) for alias in inner.names}
    texts = [inner.value for inner in ast.walk(node) if isinstance(inner, ast.Constant)]
    names |= {
        text.rpartition(".")[2] for text in texts if isinstance(text, str) and text.replace(".", "").isidentifier()
    }
    methods = ("_replace", "_asdict", "_fields", "_make")  # of named tuples, documented as public
    private = {name for name in names - own if name[:1] == "_" and name[1:2] not in ("", "_")}
    return {name for name in private if name not in methods and not name.startswith("_repr_")}


def _made_here(tree: ast.AST) -> set[str]:
    """Functions, classes, variables and attributes of a file."""
    made = {node.name for node in ast.walk(tree) if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
    made |= {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)}
    made |= {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    stored = [node for node in ast.walk(tree) if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store)]
    return made | {node.attr for node in stored if ast.unparse(node.value) == "self"}


PRIVATE = re.compile(r"\._[a-z]|import[^\n]* _[a-z]|^ +_[a-z]\w*,?$", re.MULTILINE)
"""An attribute or an import that may be private; what stands in the other files is not looked at."""


def test_few_tests_touch_private_names():
    total, touching = 0, []
    for path in sorted((ROOT / "tests").rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        if not PRIVATE.search(text):
            total += len(re.findall(r"^ *def test", text, re.MULTILINE))
            continue
        tree = ast.parse(text)
        own = _made_here(tree)
        around = {node.name: _private_names(node, own) for node in tree.body if isinstance(node, ast.FunctionDef)}
        imported = set().union(*(_private_names(node, own) for node in tree.body if isinstance(node, ast.ImportFrom)))
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test"):
                total += 1
                used = {inner.id for inner in ast.walk(node) if isinstance(inner, ast.Name)}
                used |= {argument.arg for argument in node.args.args}  # fixtures of the file, and its helpers
                found = _private_names(node, own).union(used & imported, *(around.get(name, ()) for name in used))
                touching += [f"{path.relative_to(ROOT)} {node.name}: {', '.join(sorted(found))}"] if found else []
    assert len(touching) <= FEW * total, touching


def test_every_verb_has_a_module_with_examples():
    from importlib import import_module

    from taskloom.cli.main import VERBS
    from taskloom.cli.options import read_command

    for verb in VERBS:
        command = read_command(verb)
        module, _, action = (command.run or f"{verb}:run").partition(":")
        assert callable(getattr(import_module(f"taskloom.cli.{module}"), action)), verb
        assert f"taskloom {verb}" in command.examples, verb


def test_changes_that_once_went_unnoticed_still_have_their_place():
    """`make mutate` tries them again; where a line has moved, the table of `benchmarks/known_mutants.py` follows it."""
    for known in KNOWN:
        known.located(SOURCE)
        assert (ROOT / known.tests).is_file(), known.tests
