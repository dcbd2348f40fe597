"""Hashes of rows and inputs: blind to what does not matter, and the same for one text as for many."""

from __future__ import annotations

import pytest

from taskloom.core import AnyOf, Instance, Row, instance
from taskloom.core.instance import content_hash, input_digests, input_hash, row_digests, row_hash


def row(**changes) -> Instance:
    return Instance(**{"id": "1", "input": "in", "targets": AnyOf(("out",)), **changes})


def test_content_is_hashed_without_the_order_of_its_keys():
    assert content_hash({"a": 1, "b": [2]}) == content_hash({"b": [2], "a": 1}) == "299ea70f33402e16fb32989173f1bba1"
    assert content_hash({"a": 1}) != content_hash({"a": 2})


@pytest.mark.parametrize("text", ["a b", "a  b", " a b", "a b ", "a\nb", "a\tb", "\na \n b\n", "a\u00a0b", "a\r\nb"])
def test_white_space_does_not_count(text):
    assert input_hash(text) == input_hash("a b") != input_hash("ab")
    assert len(input_hash(text)) == 16
    assert input_digests(["x y", text, "z"]) == [input_hash("x y"), input_hash("a b"), input_hash("z")]


@pytest.mark.parametrize(
    "texts",
    [
        [], [""], ["", ""], ["a"], ["a", "b\nc"], [" a", "b"], ["a", "b "], ["a ", " b"], ["a\0b"], ["a\0b\0c"],
        ["\0", "a"], ["a\0b", "c\0"], ["\ud800", "a"], ["a", "\x1f"], ["a  b", "c"], [" "], ["ä", "ß ü"],
    ],
)  # fmt: skip
def test_many_inputs_are_hashed_as_each_alone(texts):
    assert input_digests(iter(texts)) == [input_hash(text) for text in texts]


def test_inputs_without_odd_white_space_are_looked_at_once(monkeypatch):
    monkeypatch.setattr(instance, "plain_text", None)
    assert len(input_digests(["one", "two words", "two\nlines"])) == 3


def test_a_missing_facet_is_one_that_is_none():
    bare = row(facets={"a": 1})
    assert row_hash("t", bare) == row_hash("t", row(facets={"a": 1, "b": None}))
    others = [row(facets={"a": 2}), row(facets={"a": 1}, details={"b": None}), row(id="2"), row(input="other"),
              row(facets={"a": 1}, parts={"a": "b"}), row(targets=AnyOf(("x",)))]  # fmt: skip
    assert len({row_hash("t", one) for one in [bare, *others]} | {row_hash("u", bare)}) == 8
    assert row_hash("t", bare) == "924a539fe4369fb5455b63873b3cac5a"


def test_many_rows_are_hashed_as_each_alone():
    rows = [Row("t", row(input="two\nlines")), Row("u", row(facets={"a": None, "b": "x"})), Row("t", row(id="3"))]
    assert [digest.hex() for digest in row_digests(rows)] == [row_hash(*one) for one in rows]
    assert row_digests([]) == []


def test_how_an_instance_looks():
    long = row(input="x" * 61, targets=AnyOf(("y" * 31,)), facets={"size": 3})
    assert repr(long) == f"<Instance 1: {'x' * 59 + '…'!r} → {'y' * 29 + '…'!r}>"
    assert repr(row(input="x" * 60, targets=AnyOf(("y" * 30,)))) == f"<Instance 1: {'x' * 60!r} → {'y' * 30!r}>"
    html = long._repr_html_()
    assert "size" in html and "y" * 31 in html and html.index("input") < html.index("answer") < html.index("size")
