"""Columns made of whole batches equal those made row by row."""

from __future__ import annotations

from hashlib import blake2b

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from taskloom.core import (
    AnyOf,
    Boolean,
    Instance,
    Items,
    Row,
    UserError,
    input_digests,
    input_hash,
    row_digests,
    row_hash,
)
from taskloom.store.rows import TEXT_COLUMNS, UNIQUE_COLUMNS, from_batch, schema, task_names, to_batch

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
TARGETS = st.one_of(
    st.builds(AnyOf, st.tuples(TEXT)), st.builds(Boolean, st.booleans()), st.builds(Items, st.tuples(st.tuples(TEXT)))
)
INSTANCES = st.builds(
    Instance,
    TEXT,
    TEXT,
    TARGETS,
    st.fixed_dictionaries({}, optional={"a": st.none() | TEXT, "b": st.integers(-5, 5)}),
    st.dictionaries(TEXT, TEXT, max_size=2),
    st.dictionaries(TEXT, st.lists(TEXT, max_size=2), max_size=2),
)
ROWS = st.lists(st.builds(Row, st.sampled_from(["t", "u\n"]), INSTANCES), max_size=8)


@given(ROWS)
def test_digests_of_many_rows_are_those_of_each(rows):
    plain = msgspec.json.Encoder(order="deterministic")
    for (task, one), digest in zip(rows, row_digests(rows), strict=True):
        facets = {key: value for key, value in one.facets.items() if value is not None}
        text = plain.encode((task, one.id, one.input, one.targets, facets, one.parts, one.details))
        assert digest == blake2b(text, digest_size=16).digest()
        assert digest.hex() == row_hash(task, one)


@given(ROWS)
def test_rows_come_back_from_their_batch(rows):
    facets = {"a": str, "b": int}
    batch = to_batch(rows, b"".join(row_digests(rows)), schema(facets), facets)
    assert task_names(batch) == [row.task for row in rows]
    back = list(from_batch(batch, facets))
    assert [row_hash(*row) for row, _ in back] == [digits for _, digits in back] == [row_hash(*row) for row in rows]


@given(st.lists(TEXT | st.text("ab \n\t\0\x1c\x85\xa0\u2028\u200b\ud800é", max_size=6), max_size=5))
def test_inputs_are_hashed_blind_to_white_space_together_and_alone(texts):
    plain = [" ".join(text.split()).encode("utf-8", "surrogatepass") for text in texts]
    expected = [blake2b(text, digest_size=16).digest() for text in plain]
    assert input_digests(texts) == [input_hash(text) for text in texts] == expected


def row(**facets) -> Row:
    return Row("t", Instance("7", "in", AnyOf(("x",)), facets))


def batch_of(rows, facets):
    return to_batch(rows, b"".join(row_digests(rows)), schema(facets), facets)


def test_only_facets_may_be_missing():
    found = schema({"a": str, "b": int, "c": float, "d": bool, "e": tuple})
    assert found.names == ["task", *TEXT_COLUMNS, "facet:a", "facet:b", "facet:c", "facet:d", "facet:e"]
    assert [column.name for column in found if column.nullable] == found.names[7:]
    kinds = [str(column.type) for column in found]
    assert kinds[:8] == ["dictionary<values=string, indices=int32, ordered=0>", *["string"] * 7]
    assert kinds[8:11] == ["int64", "double", "bool"] and kinds[11].startswith("list<")
    assert set(UNIQUE_COLUMNS) < set(TEXT_COLUMNS)


def test_a_facet_that_nobody_declared_is_named():
    with pytest.raises(UserError, match="facet 'b' is not declared by the suite") as raised:
        batch_of([row(a=1), row(a=1, c=2, b=3)], {"a": int})
    assert raised.value.where == "t/7"


@pytest.mark.parametrize("value", ["text", 2**70, (1,)])
def test_a_value_that_does_not_fit_is_named(value):
    with pytest.raises(UserError, match="a value does not fit its column") as raised:
        batch_of([row(a=value)], {"a": int})
    assert raised.value.where == "t"


def test_every_type_of_facet_comes_back():
    facets = {"a": str, "b": int, "c": float, "d": bool, "e": tuple}
    rows = [row(a="x", b=1, c=0.5, d=False, e=("y", "z")), row(a="", b=0, e=()), row()]
    assert [back for back, _ in from_batch(batch_of(rows, facets), facets)] == rows
    assert batch_of([], facets).num_rows == 0 and list(from_batch(batch_of([], facets), facets)) == []
