"""What a user reads after a mistake."""

from __future__ import annotations

import json
import re
from importlib.metadata import PathDistribution

import pytest

from taskloom import open_suite, write_bundle
from taskloom.core.errors import (
    NamedValues,
    UserError,
    install_command,
    missing_extra,
    nearest,
    sibling_command,
    unknown_name,
)


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ({}, "wrong"),
        ({"where": "a.txt:3"}, "a.txt:3: wrong"),
        ({"hint": "do this"}, "wrong\n  do this"),
        ({"where": "a", "hint": "do this"}, "a: wrong\n  do this"),
    ],
)
def test_an_error_says_where_and_what_helps(given, text):
    for error in (UserError("wrong", **given), UserError(message="wrong", **given)):
        assert str(error) == text
        assert error.args == ("wrong",)


@pytest.mark.parametrize("value", ["12:" * 3_000, "a b " * 3_000, "it's " * 3_000, "\n" * 9_000])
def test_a_long_value_is_not_repeated_in_full(value):
    said = str(UserError(f"the seed is a whole number, not {value!r}", where="r.yaml", hint="seed: 3"))
    assert len(said) < 400
    assert said.startswith("r.yaml: the seed is a whole number, not ")
    assert said.endswith("\n  seed: 3")


def test_addresses_are_shown_without_their_credentials():
    assert str(UserError("no answer", where="https://me:hunter22@host")) == "https://[credentials]@host: no answer"


@pytest.mark.parametrize(
    ("name", "options", "found"),
    [
        ("majorty", ["oracle", "Majority"], ["Majority"]),
        ("ab", ["ac"], []),
        ("task1", ["task-10", "task-1"], ["task-1"]),
        ("babi/tsk-1", ["babi/custom", "babi/task-1"], ["babi/task-1"]),
        ("abc", ["axyz"], []),
        ("TASK-1", ["task-2", "task-1"], ["task-1"]),
        ("aaaa", ["aaab", "aaac", "aaad", "aaae"], ["aaae", "aaad", "aaac"]),
        ("1", [1, 2], ["1"]),
        ("x", [], []),
    ],
)
def test_the_three_nearest_names(name, options, found):
    assert nearest(name, options) == found
    assert nearest(name, options, count=1) == found[:1]


@pytest.mark.parametrize(
    ("name", "options", "tail"),
    [
        ("appel", ["kiwi", "apple"], "did you mean 'apple'? known: apple, kiwi"),
        ("abc", ["abd", "abe"], "did you mean 'abe' or 'abd'? known: abd, abe"),
        ("zzz", ["b", "a"], "known: a, b"),
        ("zzz", [], "known: none"),
        ("zzz", [f"n{n:02}" for n in range(16)], "known: " + ", ".join(f"n{n:02}" for n in range(16))),
        ("zzz", [f"n{n:02}" for n in range(41)], "41 are known, such as n00, n01, n02"),
    ],
)
def test_an_unknown_name_comes_with_known_ones(name, options, tail):
    error = unknown_name("fruit", name, options, where="basket", hint="look again")
    assert (error.message, error.where, error.hint) == (f"unknown fruit {name!r}; {tail}", "basket", "look again")


def test_a_missing_package_comes_with_the_command_that_gets_it():
    error = missing_extra("torch", "train", "training")
    assert str(error) == f"training needs the package 'torch', which is not installed\n  {install_command('train')}"


HERE = {"url": "file://HERE", "dir_info": {"editable": True}}
WHEEL = {"url": "file://HERE/taskloom.whl", "archive_info": {}}


WITHOUT_PIP = "uv pip install --python HERE/bin/python"


@pytest.mark.parametrize(("files", "origin", "pip", "command", "train", "open_collection"), [
    ((), None, "HERE/bin/pip", "pip install", "'taskloom[train]'", "taskloom-open"),
    ((), None, "/usr/bin/pip", "HERE/bin/python -m pip install", "'taskloom[train]'", "taskloom-open"),
    ((), None, None, WITHOUT_PIP, "'taskloom[train]'", "taskloom-open"),
    (("uv-receipt.toml",), None, None, WITHOUT_PIP, "'taskloom[train]'", "taskloom-open"),
    (("pipx_metadata.json",), None, None, "pipx runpip taskloom install", "'taskloom[train]'", "taskloom-open"),
    ((), HERE, "HERE/bin/pip", "pip install", "-e 'HERE[train]'", "-e 'HERE/packages/taskloom-open'"),
    ((), WHEEL, "HERE/bin/pip", "pip install", "'HERE/taskloom.whl[train]'", "--find-links 'HERE' taskloom-open"),
    ((), {"url": "file:///gone/x.whl"}, "HERE/bin/pip", "pip install", "'taskloom[train]'", "taskloom-open"),
    ((), {"url": "https://example.org/x.whl"}, "HERE/bin/pip", "pip install", "'taskloom[train]'", "taskloom-open"),
])  # fmt: skip
def test_an_install_command_fits_the_installation(
    files, origin, pip, command, train, open_collection, tmp_path, monkeypatch
):
    """It works where it is printed: in an environment of pip, uv or pipx, from an index, a checkout or a file."""

    def here(text):
        return text and text.replace("HERE", str(tmp_path))

    (tmp_path / "taskloom.whl").touch()
    for name in files:
        (tmp_path / name).touch()
    monkeypatch.setattr("sys.prefix", str(tmp_path))
    monkeypatch.setattr("sys.executable", str(tmp_path / "bin/python"))
    monkeypatch.setattr("shutil.which", lambda name: here(pip))
    monkeypatch.setattr("importlib.util.find_spec", lambda name: pip and object())
    installed = tmp_path / "taskloom-1.0.0.dist-info"
    installed.mkdir()
    (installed / "METADATA").write_text("Name: taskloom\nVersion: 1.0.0\n")
    if origin:
        (installed / "direct_url.json").write_text(here(json.dumps(origin)))
    monkeypatch.setattr("importlib.metadata.distribution", lambda name: PathDistribution(installed))
    assert install_command("train") == here(f"{command} {train}")
    assert sibling_command("taskloom-open") == here(f"{command} {open_collection}")
    assert UserError("too old", hint="pip install --upgrade taskloom").hint == here(f"{command} --upgrade taskloom")


def test_wrong_uses_of_data_are_answered_with_right_ones():
    suite = open_suite("babi/task-1")
    row = suite["test"][0]
    for wrong, said in [
        (lambda: suite.test, "did you mean suite['test']?"),
        (lambda: suite.filter, "did you mean only?"),
        (lambda: suite.rows("test")[0], "suite['test'][0] is a row"),
        (lambda: len(suite.rows("test")), "len(suite['test']) counts rows"),
        (lambda: row["instance"], "row.instance"),
        (lambda: row.instance["input"], "instance.input"),
        (lambda: row.instance.answer, "did you mean targets?"),
        (lambda: row.instance["answer"], "did you mean targets?"),
        (lambda: open_suite("babi/task-1", train=5), "did you mean options={'train': …}?"),
        (lambda: open_suite("babi/task-1", options="train=5"), "options is a mapping {name: value} or None"),
        (lambda: write_bundle("babi/task-1", "out"), "suite is a Suite, not 'babi/task-1'; open_suite('babi/task-1')"),
    ]:
        with pytest.raises((UserError, AttributeError), match=re.escape(said)):
            wrong()
    assert list(suite.rows("test", limit=2)) == suite["test"][:2] and suite.rows("test")


def test_values_by_several_names_are_found_by_one():
    values = NamedValues("group", {("a",): 1, ("a", "b"): 2})
    assert (values["a"], values["a", "b"], values["a × b"]) == (1, 2, 2)
    with pytest.raises(KeyError, match="unknown group 'c'; known: a, a × b"):
        values["c"]
