"""YAML by version 1.2, built from events within limits on depth, values, digits and size."""

from __future__ import annotations

import math
import random

import pytest

from taskloom.core import UserError, yaml12
from taskloom.core.decode import MOST_DEPTH
from taskloom.core.yaml12 import decode_yaml, encode_yaml, key_lines, read_yaml


def test_yaml_is_plain_and_bounded(tmp_path):
    assert decode_yaml("a: [1, x]\nb: {c: 2.5}", where="x") == {"a": [1, "x"], "b": {"c": 2.5}}
    assert decode_yaml("", where="x") is None
    path = tmp_path / "a.yaml"
    path.write_text("a: 1")
    assert read_yaml(path) == {"a": 1}
    padding = "#" + "x" * (512 * 1024 - 6)
    assert decode_yaml(f"a: 1\n{padding}", where="x") == {"a": 1}
    path.write_text(f"a: 1\n{padding}y")
    with pytest.raises(UserError, match="more than 512 KiB"):
        read_yaml(path)
    for text in ("a: !!python/object:os.system x", "!!binary aGk=", "a: !include b.yaml", "!!set {a}"):
        with pytest.raises(UserError, match="tags .* are not supported"):
            decode_yaml(text, where="x")
    for text, wrong in (("a: 1\n---\nb: 2", "second document"), ("{[1]: 2}", "a key is a list"), ("<<: {a: 1}", "<<")):
        with pytest.raises(UserError, match=wrong):
            decode_yaml(text, where="x")


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0x1F", 31), ("0o17", 15), ("017", 17), ("-3", -3), ("+12", 12), ("1e3", 1000.0), (".5", 0.5), ("5.", 5.0),
        (".inf", math.inf), ("-.INF", -math.inf), ("true", True), ("FALSE", False), ("~", None), ("null", None),
        ("190:20:30", "190:20:30"), ("1_000", "1_000"), ("0b1010", "0b1010"), ("yes", "yes"), ("off", "off"),
        ("2024-01-01", "2024-01-01"), ("-0x1", "-0x1"), ("1.5.2", "1.5.2"), ("'12'", "12"), ('"true"', "true"),
        ("=", "="), ("\u0663", "\u0663"),
    ],
)  # fmt: skip
def test_numbers_and_words_are_those_of_version_1_2(text, value):
    assert decode_yaml(f"a: {text}", where="x") == {"a": value}
    assert math.isnan(decode_yaml("[.nan, .NaN]", where="x")[1])


def test_long_numbers_are_refused_in_every_base():
    assert decode_yaml("a: " + "1" * 400, where="x")
    with pytest.raises(UserError, match=r"400 digits \(11111111…"):
        decode_yaml("a: " + "1" * 401, where="x")
    for number in ("0x" + "f" * 300_000, "1" * 300_000, "0o" + "7" * 500, "." + "3" * 500, "1e" + "1" * 500):
        with pytest.raises(UserError, match="more than 400 digits"):
            decode_yaml(f"seed: {number}", where="x")
    assert decode_yaml("a: " + "1:" * 3_000 + "1", where="x")["a"].startswith("1:1:")
    assert decode_yaml(f"a: '{'1' * 9_000}' # {'1' * 9_000}", where="x") == {"a": "1" * 9_000}


def test_how_deep_yaml_may_be_nested():
    assert decode_yaml("[" * 100 + "]" * 100, where="x") is not None
    assert len(decode_yaml("[" + "[], " * 200 + "{}]", where="x")) == 201
    assert decode_yaml("\n".join(" " * depth + "a:" for depth in range(100)), where="x")
    assert decode_yaml("- " * 100 + "x", where="x")
    deep = ("[" * 101 + "]" * 101, "{a: " * 101 + "1" + "}" * 101, "- " * 101 + "x", "? " * 101 + "x")
    for text in (*deep, "\n".join(" " * depth + "a:" for depth in range(101))):
        with pytest.raises(UserError, match=f"nested more than {MOST_DEPTH} levels deep"):
            decode_yaml(text, where="x")


@pytest.mark.parametrize("opening", ["[", "{a: ", "- ", "? ", "[{a: "])
def test_brackets_in_comments_and_texts_hide_no_depth(opening):
    """The closing brackets of a comment once paid for the opening ones of the file, and the C parser overflowed."""
    decoys = ("# " + "]" * 200_000, "'" + "]}" * 100_000 + "'")
    for decoy in (f"{decoys[0]}\n", f"- {decoys[1]}\n- "):
        with pytest.raises(UserError):
            decode_yaml(decoy + opening * 45_000, where="x")


@pytest.mark.parametrize(
    ("text", "key", "lines"),
    [
        ("seed: 1\nsuite: x\nseed: 2", "'seed'", (1, 3)),
        ("a:\n  b: 1\n  b: 2", "'b'", (2, 3)),
        ("- x\n- {b: 1,\n   'b': 2}", "'b'", (2, 3)),
        ("a: {1: x,\n 0x1: y}", "1", (1, 2)),
    ],
)
def test_a_key_that_stands_twice_is_named_with_both_lines(text, key, lines):
    with pytest.raises(UserError, match=f"the key {key} stands twice, on lines {lines[0]} and {lines[1]}"):
        decode_yaml(text, where="x")


def test_references_that_grow_or_contain_themselves_are_refused(monkeypatch):
    assert decode_yaml("a: &a [1, 2]\nb: *a", where="x") == {"a": [1, 2], "b": [1, 2]}
    assert decode_yaml("&a x: *a", where="x") == {"x": "x"}
    for endless in ("a: &a [*a]", "a: &a [*a, *a, *a]", "&a {b: [x, {c: *a}]}", "&a [&b [*a, *b], *b]"):
        with pytest.raises(UserError, match="contains itself"):
            decode_yaml(endless, where="x")
    with pytest.raises(UserError, match="nested more than 100 levels deep"):
        decode_yaml(f"a: &a {'[' * 60}{']' * 60}\nb: {'[' * 60}*a{']' * 60}", where="x")
    with pytest.raises(UserError, match="stands for nothing|undefined alias"):
        decode_yaml("a: *b", where="x")
    laughs = "a: &a [x, x, x]\nb: &b [*a, *a, *a]\nc: [*b, *b, *b]"
    # One mapping, three names, and lists of 4, 13 and 40 values.
    monkeypatch.setattr(yaml12, "MOST_NODES", 61)
    assert len(decode_yaml(laughs, where="x")["c"]) == 3
    monkeypatch.setattr(yaml12, "MOST_NODES", 60)
    with pytest.raises(UserError, match="expand to more than 60 values"):
        decode_yaml(laughs, where="x")


@pytest.mark.parametrize(("more", "fits"), [(196, True), (197, False)])
def test_references_may_expand_to_two_hundred_thousand_values(more, fits):
    """A mapping, two names, a list of 998, and 199 references to it beside some values."""
    text = f"a: &a [{', '.join('x' * 998)}]\nb: [{', '.join(['*a'] * 199 + ['y'] * more)}]"
    if fits:
        assert len(decode_yaml(text, where="x")["b"]) == 199 + more
    else:
        with pytest.raises(UserError, match="references expand to more than 200,000 values"):
            decode_yaml(text, where="x")


def test_errors_and_keys_have_their_lines(tmp_path):
    for text, line in (("a: 1\nb: [1, 2\nc: }", 3), ("a: 'x", 1)):
        with pytest.raises(UserError, match="^data: not YAML|not YAML: ") as raised:
            decode_yaml(text, where="data")
        assert raised.value.where == f"data:{line}"
    path = tmp_path / "a.yaml"
    path.write_text("suite: x\nrecipe:\n  a: 1\n  b:\n    c: [{d: 2}]\n  e: 3\n")
    lines = key_lines(path)
    assert lines[("recipe", "b", "c")] == 5 and lines[("recipe", "e")] == 6 and lines[("suite",)] == 1
    assert lines[("recipe", "b", "c", "[]", "d")] == 5


def test_what_is_written_is_read_back():
    """A text that either version of YAML takes for something else is quoted."""
    import yaml

    signs = "01e.x-+_:oyn~#'\"\n é"
    draw = random.Random(5)
    words = [
        "yes",
        "1e5",
        "0o17",
        "1_000",
        "12:30",
        "0x1F",
        ".5",
        "null",
        "",
        "2024-01-01",
        "1" * 900,
        "<<",
        "=",
        "017",
    ]
    words += ["".join(draw.choices(signs, k=draw.randint(1, 6))) for _ in range(400)]
    data = {"words": words, "numbers": [1, 2.5, 1e300, -3, None, True], "nested": {"a": [], "b": {}}}
    text = encode_yaml(data)
    assert decode_yaml(text, where="x") == data
    assert yaml.safe_load(text) == data
