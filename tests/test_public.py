"""The public interface: everything in `taskloom.__all__` exists, is documented, and its examples run."""

from __future__ import annotations

import ast
import doctest
import inspect
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

import pytest

import taskloom

NAMES = [name for name in taskloom.__all__ if not name.startswith("_")]


@pytest.mark.parametrize("name", NAMES)
def test_every_public_name_is_documented(name):
    assert inspect.getdoc(getattr(taskloom, name)), name


def _examples():
    finder = doctest.DocTestFinder(exclude_empty=True, recurse=True)
    for name in NAMES:
        for test in finder.find(getattr(taskloom, name), name, globs={"taskloom": taskloom}):
            if test.examples:
                yield pytest.param(test, id=test.name)


@pytest.mark.parametrize("example", list(_examples()))
def test_examples_in_docstrings_run(example, tmp_path, monkeypatch, own_registries):
    monkeypatch.chdir(tmp_path)
    example.globs |= {name: getattr(taskloom, name) for name in NAMES}
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    runner.run(example)
    assert runner.failures == 0


def test_functions_have_an_example_each():
    missing = [
        name
        for name in NAMES
        if inspect.isfunction(getattr(taskloom, name)) and ">>>" not in (inspect.getdoc(getattr(taskloom, name)) or "")
    ]
    assert missing == []


ROOMS = [
    "adapt", "core", "encode", "figures", "hosts", "models", "report", "run", "score", "store", "studies",
    "studies.frontier",
]  # fmt: skip


@pytest.mark.parametrize("room", ROOMS)
def test_rooms_offer_their_public_names_and_type_checkers_know_them(room):
    module = import_module(f"taskloom.{room}")
    imported = {
        name.asname
        for node in ast.walk(ast.parse(Path(module.__file__).with_suffix(".pyi").read_text("utf-8")))
        if isinstance(node, ast.ImportFrom)
        for name in node.names
        if name.asname
    }
    assert imported == set(module.__all__) == set(dir(module))
    inside = {found.name for found in iter_modules(module.__path__)}
    assert not inside & imported, "a name that is also a module would be one or the other by chance"
    values = [getattr(module, name) for name in module.__all__]
    assert all(inspect.getdoc(value) for value in values if inspect.isclass(value) or inspect.isfunction(value))
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        module.nothing  # noqa: B018


def test_names_are_typed():
    for name in NAMES:
        value = getattr(taskloom, name)
        if inspect.isfunction(value):
            annotations = inspect.signature(value).parameters.values()
            assert all(p.annotation is not inspect.Parameter.empty for p in annotations), name


def test_a_run_from_python_takes_every_setting_and_refuses_wrong_types(tmp_path):
    from taskloom.run.session import RunOptions, RunSettings

    assert set(RunOptions.__annotations__) == set(RunSettings.__struct_fields__) - {"command", "model"}
    said = inspect.getdoc(taskloom.run_suite)
    assert all(f"\n    {name}: " in said for name in RunOptions.__annotations__)
    suite = taskloom.open_suite("babi/task-1").take(3)
    with pytest.raises(taskloom.UserError, match="limit"):
        taskloom.run_suite(suite, model="mock/oracle", folder=tmp_path, limit="5")
    with pytest.raises(taskloom.UserError, match="there is no argument 'limits'; did you mean limit="):
        taskloom.run_suite(suite, model="mock/oracle", folder=tmp_path, limits=5)


def test_the_import_costs_little_more_than_python_itself():
    code = "import sys; before = set(sys.modules); import taskloom; print(*(set(sys.modules) - before))"
    # Without site-packages nothing but our own code can be loaded, so the source folder is named.
    source = str(Path(taskloom.__file__).parents[1])
    done = subprocess.run(
        [sys.executable, "-S", "-c", code], capture_output=True, text=True, check=True, env={"PYTHONPATH": source}
    )
    loaded = {name.partition(".")[0] for name in done.stdout.split()}
    assert loaded <= {"taskloom", "importlib", "__future__", "warnings"}


@pytest.mark.parametrize(
    ("call", "answer"),
    [
        (
            lambda: taskloom.open_suite("babi/task-1", sed=3),
            r"did you mean seed=…\?\n  seed: .*\n  it is called as open_suite\(",
        ),
        (lambda: taskloom.open_suite("babi/task-1", 3), r"it is called as open_suite\(name, \*, seed=None"),
        (lambda: taskloom.open_suite("babi/task-1", split="test"), r"open_suite\(…\)\['test'\] has it"),
        (lambda: taskloom.Suite(nothing=1), r"Suite: there is no argument 'nothing'"),
        (lambda: taskloom.list_models("openai"), r"list_models: too many positional arguments"),
        (lambda: taskloom.compare("runs/a"), r"missing a required argument: 'second'"),
        (
            lambda: taskloom.run_suite("babi/task-1", "mock/oracle"),
            r"write run_suite\(.*model='mock/oracle', folder=…\)",
        ),
        (lambda: taskloom.probe("babi/mix-t2", questions=100), r"did you mean budget=…\?"),
    ],
)
def test_a_wrong_call_is_answered_with_the_right_one(call, answer):
    with pytest.raises(TypeError, match=answer) as caught:
        call()
    assert isinstance(caught.value, taskloom.UserError)


def test_what_is_indexed_or_taken_by_number_says_so():
    suite = taskloom.open_suite("babi/task-1")
    with pytest.raises(taskloom.UserError, match="rows are indexed by number, not by 'a'"):
        _ = suite["test"]["a"]
    with pytest.raises(TypeError, match="count is a whole number, not '3'"):
        suite.take("3")
    with pytest.raises(AttributeError, match="has no attribute 'ask'; it has abilities, .*generate"):
        _ = taskloom.open_model("mock/majority").ask


def test_a_number_given_as_text_is_refused_at_the_door():
    with pytest.raises(TypeError, match="open_suite: seed is a whole number or None, not '7'"):
        taskloom.open_suite("babi/task-1", seed="7")


def test_an_attribute_that_is_not_there_names_those_that_are():
    with pytest.raises(AttributeError, match="did you mean .*open_suite"):
        _ = taskloom.load_suite
    suite = taskloom.open_suite("babi/task-1")
    with pytest.raises(AttributeError, match="did you mean splits"):
        _ = suite.split
    with pytest.raises(AttributeError, match="it has apart, .* and 12 more"):
        _ = suite.flibber
    with pytest.raises(AttributeError, match=r"did you mean rows\?\n  rows: The rows of one split"):
        _ = suite.examples
    with pytest.raises(AttributeError, match=r"did you mean run_suite"):
        _ = taskloom.evaluate
    with pytest.raises(AttributeError, match="did you mean row.instance.input"):
        _ = next(suite.rows("test")).input
    with pytest.raises(taskloom.UserError, match=r"missing a required argument: 'split'\n  it is called as rows"):
        suite.rows()
    with pytest.raises(KeyError, match="unknown task 'task-2'; did you mean 'task-1'"):
        _ = suite.tasks["task-2"]
    assert not hasattr(suite, "_missing")
