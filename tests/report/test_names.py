"""Runs of one model are told apart by what differs in their settings."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

from taskloom.report.sections import distinct_names


def run(name="m", folder="r", suite="s", streams=None, **settings):
    fields = {
        "adaptation": {"name": "none"},
        "recipe": {},
        "run_seed": 0,
        "data_seed": 0,
        "split": "test",
        "limit": None,
    }
    plan = SimpleNamespace(suite=suite, streams=streams, **{**fields, **settings})
    return SimpleNamespace(name=name, folder=Path(folder), plan=plan)


def names(*runs):
    found = distinct_names(runs)
    return [found[id(one)] for one in runs]


def test_a_run_alone_keeps_its_name():
    assert names(run("a"), run("b"), run("a", suite="t"), run("a", streams={"x": 1})) == ["a", "b", "a", "a"]


def test_what_differs_is_named():
    assert names(run(run_seed=1), run(run_seed=2)) == ["m (run_seed=1)", "m (run_seed=2)"]
    tuned = [run(adaptation={"name": "finetune", "rate": rate}, limit=5, data_seed=3) for rate in (0.1, 0.2)]
    assert names(*tuned) == ["m (rate=0.1)", "m (rate=0.2)"]
    tasks = [run(recipe={"only_task": task, "test": size}) for task, size in (("a", 5), ("b", 6))]
    assert names(*tasks) == ["m (task=a, suite.test=5)", "m (task=b, suite.test=6)"]
    three = [run(run_seed=n, data_seed=n, limit=n) for n in (1, 2)]
    assert names(*three) == [f"m (run_seed={n}, seed={n}, limit={n})" for n in (1, 2)]


def test_folders_name_what_differs_too_much_or_not_at_all():
    four = [run(folder=f"runs/f{n}", run_seed=n, data_seed=n, limit=n, split=f"s{n}") for n in (1, 2)]
    assert names(*four) == ["m (f1)", "m (f2)"]
    assert names(run(folder="a/x"), run(folder="b/y")) == ["m (x)", "m (y)"]
    pair = [run(folder="a/x", limit=1), run(folder="a/y", limit=1), run(folder="a/z", limit=2)]
    assert names(*pair) == ["m (x)", "m (y)", "m (z)"], "two of them share every setting"
