from __future__ import annotations

import pytest

from taskloom.core import open_suite, resolve
from taskloom.studies.adaptation import SYSTEMATICITY, TRANSFER, _answers, _same_words


@pytest.mark.train
def test_systematicity_trains_and_tests_each_suite_and_continues(tmp_path):
    pytest.importorskip("torch")
    small = {"suites": ["seti/task2-nontrivial"], "model": "tiny/bert-1m"}
    small |= {"size": "small", "shots": 16, "updates": 2, "limit": 8}
    recipe = resolve(SYSTEMATICITY.recipe, small, where="test")
    (table,) = SYSTEMATICITY.run(recipe, 0, tmp_path)
    row = dict(zip(table.columns, table.rows[0], strict=True))
    assert (row["suite"], row["n"], row["updates"]) == ("seti/task2-nontrivial", 8, 2)
    assert 0 <= row["low"] <= row["test"] <= row["high"] <= 1
    (again,) = SYSTEMATICITY.run(recipe, 0, tmp_path)
    assert again == table  # everything is there already, the times included


def test_other_suites_speak_the_words_of_the_one_that_was_learned():
    learned = open_suite("babi/task-1", options={"train": 20, "dev": 5, "test": 5})
    other = _same_words("babi/mix-t2", learned, 0)
    assert other.recipe["vocabulary"] == learned.recipe["vocabulary"]
    places = set(learned.recipe["vocabulary"]["places"])
    assert set(_answers([learned])) <= places
    assert {row.instance.targets.canonical() for row in other.rows("test", limit=50)} <= places


def test_labels_are_taken_where_tasks_have_them():
    assert _answers([open_suite("seti/task2-trivial")]) == ["entailment", "not-entailment"]
    assert TRANSFER.summary
