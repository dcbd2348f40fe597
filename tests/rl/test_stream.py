"""Endless data stays apart from what is tested, and mixtures are what they say."""

from __future__ import annotations

from collections import Counter
from itertools import islice

import pytest

from taskloom import UserError, open_suite, write_bundle
from taskloom.core.instance import input_hash
from taskloom.rl import endless, mixed


def test_endless_rows_are_fresh_and_apart():
    suite = open_suite("babi/task-1", options={"train": 30, "dev": 5, "test": 200})
    rows = list(islice(endless(suite), 150))
    assert [row.instance.id for row in rows[:30]] == [row.instance.id for row in suite.rows("train")]
    assert len({row.instance.id for row in rows}) == 150
    tested = {input_hash(row.instance.input) for row in suite.rows("test")}
    assert not tested & {input_hash(row.instance.input) for row in rows}
    assert rows == list(islice(endless(suite), 150))
    assert rows[30:] != list(islice(endless(suite, seed=1), 150))[30:]


def test_what_is_fixed_ends_with_a_sentence(tmp_path):
    write_bundle(open_suite("babi/task-1").take(3), tmp_path / "b")
    with pytest.raises(UserError, match="is fixed"):
        list(endless(open_suite(tmp_path / "b")))


@pytest.mark.parametrize("scale", [1, 0.1])
def test_a_mixture_has_its_shares(scale):
    suite = open_suite("babi/mix-t7")
    weights = {"where-person": 9 * scale, "where-object": scale}
    rows = islice(mixed(suite, "question", weights, "test"), 400)
    counts = Counter(row.instance.facets["question"] for row in rows)
    assert set(counts) == {"where-person", "where-object"}
    assert 20 < counts["where-object"] < 60
    with pytest.raises(UserError, match="facet"):
        next(mixed(suite, "questoin", {"x": 1}))
    with pytest.raises(UserError, match="weights"):
        next(mixed(suite, "question", {"where-person": -1}))
