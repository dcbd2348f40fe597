"""What `results.json` holds: groups worth showing, counts that add up, and nothing of an empty log."""

from __future__ import annotations

import pytest

from taskloom.core import AnyOf, Instance, Instruction, Row, Suite, Task, UserError
from taskloom.models.mock import Oracle
from taskloom.run.results import load_run, results_of, run_results
from taskloom.run.runner import RunSettings, launch, run_suite

ROWS = 60


def facets(n):
    return {"alpha": f"a{n % 2}", "half": f"h{n % 30}", "more": f"m{n % 31}", "same": "x", "zeta": n % 3}


@pytest.fixture(scope="module")
def suite():
    rows = [Row("t", Instance(str(n), f"q {n}", AnyOf((f"{n % 2}",)), facets(n))) for n in range(ROWS)]
    kinds: dict[str, type] = {"alpha": str, "half": str, "more": str, "same": str, "zeta": int}
    task = Task("t", Instruction("Say it."), "text", "exact", facets={"task": "t"})
    return Suite("x/y", {}, 1, {"t": task}, {"test": ROWS}, lambda split: iter(rows), kinds, "pairs")


@pytest.fixture(scope="module")
def run(suite, tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs") / "one"
    launch(suite, folder, RunSettings(model="mock/constant", model_options={"answer": "1"}))
    return load_run(folder)


def test_facets_that_are_groups(run):
    found = run_results(run)
    assert set(found["facets"]) == {"alpha", "half", "zeta"}, "half as many values as records are still groups"
    assert found["facets_left_out"] == {"more": 31}
    alpha = found["facets"]["alpha"]
    assert {name: (group["value"], group["n"], group["scored"]) for name, group in alpha.items()} == {
        "a0": (0.0, 30, 30),
        "a1": (1.0, 30, 30),
    }
    low, high = alpha["a1"]["interval"]
    assert low < 1.0 == high
    assert results_of(run.folder) == found


def test_an_empty_log_has_no_results(run, tmp_path):
    folder = tmp_path / "empty"
    folder.mkdir()
    for path in run.folder.iterdir():
        if path.is_file():
            (folder / path.name).write_bytes(path.read_bytes() if path.suffix == ".json" else b"")
    for name in ("columns.parquet", "columns.json"):
        (folder / name).unlink(missing_ok=True)
    with pytest.raises(UserError, match="log of this run is empty"):
        load_run(folder)


def test_answers_are_kept_for_the_next_run_unless_somebody_says_no(suite, tmp_path, monkeypatch):
    monkeypatch.setenv("TASKLOOM_CACHE", str(tmp_path / "cache"))
    asked = []
    generate = Oracle.generate
    monkeypatch.setattr(Oracle, "generate", lambda self, *given: asked.append(1) or generate(self, *given))
    monkeypatch.setattr(Oracle, "cacheable", True)
    for name, more, calls in (("a", {"cache": False}, True), ("b", {}, True), ("c", {}, False)):
        run_suite(suite, model="mock/oracle", folder=tmp_path / name, **more)
        assert bool(asked) == calls, name
        asked.clear()


def test_a_replicate_is_named_by_every_seed(run, suite, tmp_path):
    assert run.replicate == "data=1;draw=0;run=0"
    launch(suite, tmp_path, RunSettings(model="mock/constant", model_options={"answer": "1"}, run_seed=3))
    assert load_run(tmp_path).replicate == "data=1;draw=0;run=3"
