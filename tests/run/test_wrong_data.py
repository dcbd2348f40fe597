"""A run never continues on other data, and nothing that is kept is shared by suites that differ in any row."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from records import chain
from taskloom.adapt.make import ExamplePool
from taskloom.core import AnyOf, Instance, Instruction, Row, Suite, Task, UserError, open_suite
from taskloom.core.model import Generation, Identity
from taskloom.run.log import read_records
from taskloom.run.plan import load_plan
from taskloom.run.runner import launch, run_suite
from taskloom.run.session import ResponseCache, RunSettings
from taskloom.store.write import write_bundle


def suite(answers: list[str]) -> Suite:
    """Suites of one name, seed and recipe that differ in their rows alone."""
    task = Task("t", Instruction("Say it."))
    rows = [Row("t", Instance(str(place), f"q{place}", AnyOf((text,)))) for place, text in enumerate(answers)]
    return Suite("own/suite", {}, 0, {"t": task}, {"train": 4, "test": 4}, lambda split: iter(rows))


def test_a_python_suite_with_other_rows_is_another_run(tmp_path):
    first = run_suite(suite(["a", "b", "c", "d"]), model="mock/oracle", folder=tmp_path)
    assert first.overall().estimate.value == 1.0
    with pytest.raises(UserError, match="another run"):
        run_suite(suite(["e", "f", "g", "h"]), model="mock/oracle", folder=tmp_path)


def test_in_context_examples_come_from_the_suite_that_is_asked(tmp_path):
    shown = []
    for number, answers in enumerate((["one"] * 4, ["two"] * 4)):
        launch(suite(answers), tmp_path / str(number), RunSettings(model="mock/oracle", adapt="in-context"))
        shown.append(next(iter(read_records(tmp_path / str(number)))).prompt)
    assert "one" in shown[0]
    assert "two" in shown[1]
    assert "one" not in shown[1]


def test_a_replaced_bundle_does_not_continue_a_run(tmp_path):
    bundle, run = tmp_path / "bundle", tmp_path / "run"
    write_bundle(suite(["a", "b", "c", "d"]), bundle, splits=["test"])
    launch(open_suite(bundle), run, RunSettings(model="mock/oracle"))
    before = chain(run)
    write_bundle(suite(["a", "b", "c", "x"]), bundle, splits=["test"], replace=True)
    with pytest.raises(UserError, match="another run"):
        launch(open_suite(bundle), run, RunSettings(model="mock/oracle"))
    assert chain(run) == before


def test_rows_that_change_under_one_identity_are_noticed(tmp_path):
    """An identity is a promise of the suite's author; the hashes in the log catch one that was broken."""
    launch(suite(["a", "b", "c", "d"]).identified("mine"), tmp_path, RunSettings(model="mock/oracle"))
    with pytest.raises(UserError, match="have different rows at"):
        launch(suite(["a", "b", "c", "x"]).identified("mine"), tmp_path, RunSettings(model="mock/oracle"))


_answers = st.lists(st.sampled_from(["a", "b"]), min_size=4, max_size=4)


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(_answers, _answers)
def test_suites_that_differ_share_nothing(tmp_path, first, second):
    one, other = suite(first), suite(second)
    same = first == second
    model, generation = Identity("m"), Generation()
    caches = [ResponseCache(s, model, generation, {}, tmp_path) for s in (one, other)]
    assert (caches[0].path == caches[1].path) == same
    assert (ExamplePool(one, 10).identity == ExamplePool(other, 10).identity) == same


def test_plans_carry_the_identity(tmp_path):
    mine = suite(["a", "b", "c", "d"])
    launch(mine, tmp_path, RunSettings(model="mock/oracle"))
    assert load_plan(tmp_path).identity == mine.identity
    assert all(record.row for record in list(read_records(tmp_path)))
