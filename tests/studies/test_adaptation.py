from __future__ import annotations

import pytest

from taskloom.core import UserError, open_suite, resolve
from taskloom.studies.adaptation import SYSTEMATICITY, TRANSFER, _answers, _same_words


@pytest.mark.train
def test_systematicity_trains_and_tests_each_suite_and_continues(tmp_path):
    pytest.importorskip("torch")
    small = {"suites": ["seti/task2-nontrivial"], "model": "tiny/bert-1m", "seeds": 2}
    small |= {"settings.size": "small", "shots": 16, "updates": 2, "limit": 40}
    recipe = resolve(SYSTEMATICITY.recipe, small, where="test")
    table, parts = SYSTEMATICITY.run(recipe, 3, tmp_path)
    for seed, cells in enumerate(table.rows, start=3):
        row = dict(zip(table.columns, cells, strict=True))
        assert (row["suite"], row["seed"], row["n"], row["updates"]) == ("seti/task2-nontrivial", seed, 40, 2)
        assert 0 <= row["low"] <= row["test"] <= row["high"] <= 1
    # Rules 2 and 3 with both kinds of natural inference, and together every row that was asked.
    assert {cells[1:4] for cells in parts.rows} == {
        (veridical, natural, entailed)
        for veridical, entailed in (("True", "False"), ("False", "True"))
        for natural in ("lexical", "structural")
    }
    assert sum(cells[-1] for cells in parts.rows) == 80
    assert SYSTEMATICITY.run(recipe, 3, tmp_path) == [table, parts]  # all is there already, the times included


def test_facets_that_nobody_has_are_refused_before_training():
    recipe = resolve(SYSTEMATICITY.recipe, {"by": ["veridicl"], "settings.size": "small"}, where="test")
    with pytest.raises(UserError, match="did you mean 'veridical'"):
        SYSTEMATICITY.run(recipe, 0, None)
    with pytest.raises(UserError, match="suites needs at least one"):
        resolve(SYSTEMATICITY.recipe, {"suites": []}, where="test")


def test_at_least_one_seed():
    with pytest.raises(UserError, match="seeds is 1 or more"):
        resolve(SYSTEMATICITY.recipe, {"seeds": 0}, where="test")


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
