"""A suite with a facet of many values."""

from __future__ import annotations

import pytest

from taskloom.core import AnyOf, Instance, Instruction, Row, Suite, Task


@pytest.fixture(scope="session")
def many() -> Suite:
    """Sixty compositions, three questions each."""
    rows = [
        Row("t", Instance(f"{k}-{n}", f"{k} {n}", AnyOf(("yes",)), {"composition": f"a{k:02}+b", "question": "x"}))
        for k in range(60)
        for n in range(3)
    ]
    facets: dict[str, type] = {"composition": str, "question": str}
    task = Task("t", Instruction("Say yes."))
    return Suite("x/many", {}, 1, {"t": task}, {"test": len(rows)}, lambda split: iter(rows), facets, "pairs")
