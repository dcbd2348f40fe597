"""Generators give the same bytes on every Python: no float is summed in a way that depends on version or order.

`sum` over floats changed in Python 3.12, so the same numbers add up to other bits; `math.fsum` is exact everywhere.
"""

from __future__ import annotations

import ast
import builtins
import sys
from itertools import islice
from pathlib import Path

import pytest

import taskloom
from contract.small import OPTIONS
from taskloom.core.catalog import FAMILIES

SOURCE = Path(taskloom.__file__).parent
ROOMS = ("families", "sources")


def generators() -> list[Path]:
    # Scorers, statistics and lints look at data; they do not make it.
    skipped = {"score", "official.py", "statistics.py", "lint.py", "shortcuts.py"}
    return [p for room in ROOMS for p in (SOURCE / room).rglob("*.py") if not skipped & {*p.parts, p.name}]


INEXACT = {"mean", "fmean", "stdev", "pstdev", "variance", "harmonic_mean", "linear_regression"}


def test_no_generator_uses_the_statistics_module():
    found = []
    for path in generators():
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module == "statistics":
                found += [f"{path}: {alias.name}" for alias in node.names if alias.name in INEXACT]
    assert found == []


@pytest.mark.parametrize("family", ["babi", "seti", "superni", "taskbench", "zest"])
def test_no_generator_sums_floats(family, monkeypatch):
    """Every suite that needs no files of the user's is drawn with a `sum` that refuses floats."""
    plain = builtins.sum
    guilty: set[str] = set()

    def exact_sum(values, /, start=0):
        items = list(values)
        caller = sys._getframe(1).f_code
        inside = any(f"/taskloom/{room}/" in caller.co_filename for room in ROOMS)
        if inside and len(items) > 1 and any(type(item) is float for item in items):
            guilty.add(f"{Path(caller.co_filename).relative_to(SOURCE)}:{caller.co_name}")
        return plain(items, start)

    monkeypatch.setattr(builtins, "sum", exact_sum)
    drawn = 0
    for name in list(FAMILIES.get(family).suites())[:6]:
        try:
            suite = FAMILIES.get(family).open(name, 1, OPTIONS.get(family, {}))
        except taskloom.UserError:
            continue  # made of files that the user has
        for split in suite.splits:
            drawn += len(list(islice(suite.rows(split), 3)))
    assert drawn
    assert guilty == set()
