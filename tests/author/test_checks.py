from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from taskloom.author import Blueprint
from taskloom.author.blueprint import blamed
from taskloom.core import Suite, UserError, keyed_random
from taskloom.core.execute import execute_file


def written(**settings):
    return Blueprint(name="t", definition="…", **{"columns": {}, "make": lambda rng: ("a", "b"), **settings})


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"labels": "yes"}, "a tuple of strings, not 'yes'"),
        ({"labels": ("yes", "")}, "a tuple of strings"),
        ({"labels": ("yes", "no", "yes")}, "'yes' is listed twice"),
        ({"right": [("x",)]}, r"right\[0\] is not an example"),
        ({"right": ("x", "y", "z")}, r"right\[0\] is not an example: 'x'"),
        ({"wrong": [("x", "y", "z"), ("x", "y")]}, r"wrong\[1\] is not an example"),
        ({"columns": {"length": dict}}, "'length' cannot hold dict"),
    ],
)
def test_what_an_author_cannot_mean_is_refused_at_once(settings, words):
    with pytest.raises(UserError, match=words):
        written(**settings)


@pytest.mark.parametrize("value", [True, "x", 0.5, ("a",)])
def test_a_facet_has_the_type_of_its_column(value):
    made = written(make=lambda rng: ("a", "b", {"length": value}), columns={"length": int})
    with pytest.raises(UserError, match="but its column holds int"):
        made.draw(keyed_random(0))


@pytest.mark.parametrize(
    ("kind", "value"),
    [(int, 3), (float, 3), (float, 0.5), (bool, True), (str, "x"), (tuple[str, ...], ("a",)), (int, None)],
)
def test_facets_that_fit(kind, value):
    made = written(make=lambda rng: ("a", "b", {"length": value}), columns={"length": kind})
    assert made.draw(keyed_random(0)).facets == {"length": value}


@pytest.mark.parametrize("answer", [{"a": 1}, {"a"}, [], b"a", iter("ab")])
def test_what_is_no_answer(answer):
    with pytest.raises(UserError, match="is not an answer"):
        written(make=lambda rng: ("a", answer)).draw(keyed_random(0))


@pytest.mark.parametrize("item", [("\ud800", "b"), ("a", "\udfff"), ("a", ["b", "\ud800"])])
def test_half_a_character_is_named(item):
    with pytest.raises(UserError, match="half a character"):
        written(make=lambda rng: item).draw(keyed_random(0))


def test_code_that_raises_is_named_with_its_line(tmp_path):
    path = tmp_path / "mine.py"
    path.write_text("def make(rng):\n    return '0', 1 // int('0')\n\ndef solve(text):\n    return text[99]\n")
    module = execute_file(path)
    with pytest.raises(UserError, match=r"the maker raises ZeroDivisionError: .*") as caught:
        written(make=module.make).draw(keyed_random(0))
    assert f"line 2 of {path}" in caught.value.hint
    assert isinstance(caught.value.__cause__, ZeroDivisionError)
    with pytest.raises(UserError, match=r"the solver, given 'ab', raises IndexError") as caught:
        written(solve=module.solve).solved("ab")
    assert f"line 5 of {path}" in caught.value.hint


@pytest.mark.parametrize(
    ("source", "where", "words"),
    [
        ("\n\nimport nothing_of_this_name\n", ":3", "ModuleNotFoundError"),
        ("import sys\nsys.exit(3)\n", ":2", "ends the process"),
        ("import taskloom\n\n@taskloom.task\ndef f(rng): ...\n", ":3", "needs a definition"),
        ("import taskloom\n@taskloom.task(defnition='x')\ndef f(rng): ...\n", ":2", "did you mean 'definition'"),
        ("import taskloom\n@taskloom.task(definition='x', labels='no')\ndef f(rng): ...\n", ":2", "task f: labels"),
        ("x = 1\0\n", "", "null bytes"),
        ("x = (\n", ":1", "never closed"),
    ],
)
def test_a_file_that_does_not_run_is_named_with_its_line(tmp_path, monkeypatch, source, where, words):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text(source)
    with pytest.raises(UserError, match=words) as caught:
        execute_file(Path("mine.py"))
    assert caught.value.where == f"mine.py{where}"


def test_the_types_of_facets_are_found_where_they_are_not_declared():
    values = {"whole": 3, "mixed": 2, "word": "a", "truth": True, "many": ["x"], "empty": None, "late": None}

    def make(rng):
        return "a", "b", {**values, "mixed": rng.choice([1, 0.5]), "late": rng.choice([None, 4])}

    made = written(make=make, columns=None)
    wanted = {"whole": int, "mixed": float, "word": str, "truth": bool, "many": tuple, "empty": str, "late": int}
    assert made.column_types == wanted and Suite.of([made], train=1).facets == wanted


def test_a_facet_that_comes_late_has_to_be_declared():
    draws = iter(range(100))
    made = written(make=lambda rng: (str(next(draws)), "b", {"late": 1} if next(draws) > 60 else {}), columns=None)
    with pytest.raises(UserError, match="declare it"):
        list(Suite.of([made], train=40).rows("train"))


@pytest.mark.parametrize(
    ("settings", "fine"),
    [
        ({"labels": ("a", "b", "c")}, True), ({"labels": ["a"]}, True), ({"labels": ("a", 3)}, False),
        ({"labels": ("a", " ")}, False), ({"right": [("x", "why"), ("x", "y", "why")]}, True),
        ({"right": [["x", "y", "why"]]}, True), ({"right": [("x", "y", "z", "why")]}, False),
        ({"right": ["xyz"]}, False),
        ({"wrong": [("x", "y", "why")]}, True), ({"wrong": [("x", "y", "z", "why")]}, False), ({"right": "xyz"}, False),
        ({"columns": {"a": tuple[str, ...], "b": tuple, "c": str, "d": int, "e": float, "f": bool}}, True),
        ({"columns": {"a": list}}, False),
    ],
)  # fmt: skip
def test_what_an_author_may_write(settings, fine):
    if fine:
        assert written(**settings).name == "t"
    else:
        with pytest.raises(UserError):
            written(**settings)


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        (tuple[str, ...], "ab"),
        (tuple, ("a", 1)),
        (tuple, {"a"}),
        (float, True),
        (float, "1"),
        (str, 1),
        (bool, 1),
        (bool, "x"),
    ],
)
def test_facets_that_do_not_fit(kind, value):
    made = written(make=lambda rng: ("a", "b", {"length": value}), columns={"length": kind})
    with pytest.raises(UserError, match="the facet 'length' is .*, but its column holds") as raised:
        made.draw(keyed_random(0))
    assert raised.value.where == "task t" and raised.value.hint == "change the value or the column"


def test_types_that_are_found_can_be_refused():
    made = written(make=lambda rng: ("a", "b", {"odd": {"x": 1}}), columns=None)
    with pytest.raises(UserError, match="the column 'odd' cannot hold dict") as raised:
        made.draw(keyed_random(0))
    assert "str, int, float, bool, tuple" in raised.value.hint


def test_blame_without_a_line():
    error = blamed(KeyError(), print, "the maker", "task t")
    assert (error.message, error.where, error.hint) == ("the maker raises KeyError", "task t", None)


class _OnDemand(Sequence[tuple[str, ...]]):
    """Examples that are made when they are looked at."""

    def __init__(self, *examples: tuple[str, ...]) -> None:
        self.examples, self.looks = examples, 0

    def __len__(self) -> int:
        self.looks += 1
        return len(self.examples)

    def __getitem__(self, index):
        self.looks += 1
        return self.examples[index]


def test_examples_made_on_demand_are_checked_when_they_are_made() -> None:
    right = _OnDemand(("x", "y"), ("x",))
    blueprint = written(right=right, kind="text")
    assert not right.looks
    with pytest.raises(UserError, match=r"right\[1\] is not an example"):
        _ = blueprint.instruction
