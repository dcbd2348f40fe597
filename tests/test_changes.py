"""The page on where a change goes names files and functions that exist, and every room says what goes in and out."""

from __future__ import annotations

import ast
import re
from importlib import import_module
from pathlib import Path

import pytest

from test_house import ROOMS

ROOT = Path(__file__).resolve().parent.parent
PAGE = (ROOT / "docs" / "design.md").read_text(encoding="utf-8").partition("## Your change is in")[2]
CHANGES = [line.strip("| ").split(" | ") for line in PAGE.splitlines() if line.startswith("| ")][2:]


def _defined(path: Path) -> set[str]:
    """Functions, methods, classes and variables that a module defines."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            found.add(node.name)
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            found |= {target.id for target in targets if isinstance(target, ast.Name)}
    return found


def test_the_page_has_ten_changes():
    assert len(CHANGES) >= 10


@pytest.mark.parametrize(("change", "places"), CHANGES, ids=[row[0] for row in CHANGES])
def test_every_place_of_a_change_exists(change, places):
    found = [match for match in re.findall(r"`([^`]+)`", places) if "/" in match and " " not in match]
    assert found, change
    for place in found:
        file, _, name = place.partition(":")
        assert (ROOT / file).is_file(), place
        assert not name or name in _defined(ROOT / file), place


@pytest.mark.parametrize("room", [room for room in ROOMS if (ROOT / "src" / "taskloom" / room).is_dir()])
def test_a_room_says_what_goes_in_and_what_comes_out(room):
    said = import_module(f"taskloom.{room}").__doc__ or ""
    assert re.search(r"^In: \w", said, re.MULTILINE) and re.search(r"^Out: \w", said, re.MULTILINE), room


@pytest.mark.parametrize("page", sorted(ROOT.glob("src/**/README.md")) + sorted(ROOT.glob("packages/*/README.md")))
def test_a_folder_holds_the_files_that_its_page_names(page):
    for name in re.findall(r"`([\w/]+\.(?:py|toml|json|txt))`", page.read_text(encoding="utf-8")):
        assert (ROOT / name).is_file() or any(page.parent.rglob(name)), f"{page.relative_to(ROOT)}: {name}"
