"""A suite with a facet of many values, suites whose answer is known, and runs on them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from taskloom.core import AnyOf, Instance, Instruction, Row, Suite, Task
from taskloom.run.results import Run, load_run
from taskloom.run.runner import launch
from taskloom.run.session import RunSettings


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


def _suite(
    name: str,
    split: str = "test",
    rows: int = 24,
    right: Callable[[int], int] = lambda n: n % 2,
    recipe: dict[str, object] | None = None,
) -> Suite:
    """Questions answered by 1 or 0; a model that always says 1 is right where `right` says so."""
    held = [
        Row("t", Instance(str(n), f"q {n}", AnyOf((str(int(right(n))),)), {
            "depth": "deep" if n % 2 else "flat", "side": "abc"[n % 3], "novel": n % 3 == 0,
        }))
        for n in range(rows)
    ]  # fmt: skip
    task = Task("t", Instruction("Say it."), "text", "exact")
    kinds: dict[str, type] = {"depth": str, "side": str, "novel": bool}
    return Suite(name, recipe or {}, 1, {"t": task}, {split: rows}, lambda asked: iter(held), kinds, "pairs")


@pytest.fixture(scope="session")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Run]:
    """Runs of a model that always says 1 on a suite of such questions."""

    def ask(name: str, folder: Path | None = None, **options: object) -> Run:
        place = folder or tmp_path_factory.mktemp("run")
        launch(_suite(name, **options), place, RunSettings(model="mock/constant", model_options={"answer": "1"}))  # type: ignore[arg-type]
        return load_run(place)

    return ask


@pytest.fixture(scope="session")
def runs(asked: Callable[..., Run]) -> dict[str, Run]:
    """A model on what it half knows, on what it knows, and on another split of the first."""
    return {"half": asked("x/half"), "all": asked("x/all", right=lambda n: 1), "dev": asked("x/half", split="dev")}
