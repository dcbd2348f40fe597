"""Columns made of whole batches equal those made row by row."""

from __future__ import annotations

from hashlib import blake2b

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from taskloom.core import AnyOf, Boolean, Instance, Items, Row, input_digests, input_hash, row_digests, row_hash
from taskloom.store.rows import from_batch, schema, task_names, to_batch

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
