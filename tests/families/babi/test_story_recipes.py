"""mix and diverse in stories of another length, of some questions: the same combinations, the same novelty."""

from __future__ import annotations

import pytest

from taskloom.core import UserError, open_suite
from taskloom.core.catalog import FAMILIES

WORLD = {"length": [6, 8], "questions": ["where-person"]}


@pytest.mark.parametrize("name", ["babi/mix-t2", "babi/mix-t7", "babi/diverse-t2"])
def test_length_and_questions_are_kept(name):
    options = {**WORLD, "test": 60, "dev": 0} | ({"train": 60, "mix": 20} if "diverse" in name else {})
    suite = open_suite(name, seed=2, options=options)
    rows = [row for split in suite.splits for row in suite.rows(split)]
    assert {row.instance.facets["question"] for row in rows} == {"where-person"}
    assert {row.instance.facets["length"] for row in rows} <= {6, 7, 8}
    cells = FAMILIES.get("babi").lattice(suite).cells
    assert {cell.question for cell in cells} == {"where-person"}


def test_novelty_is_that_of_the_paper():
    suite = open_suite("babi/mix-t2", seed=2, options=WORLD)
    facets = [row.instance.facets for row in suite.rows("test")]
    assert {each["novel"] for each in facets if each["composition"] == "move+coref"} == {False}
    assert {each["novel"] for each in facets if each["composition"] == "move+grab+coref"} == {True}


def test_the_suite_as_it_is_does_not_change():
    plain = open_suite("babi/mix-t2", seed=2)
    assert [row.instance.facets["length"] for _, row in zip(range(5), plain.rows("test"), strict=False)]
    assert len({row.task for _, row in zip(range(50), plain.rows("test"), strict=False)}) == 2


def test_questions_that_a_split_does_not_ask_are_refused():
    with pytest.raises(UserError, match="where-object"):
        open_suite("babi/mix-t2", options={"questions": ["counting"]})
    with pytest.raises(UserError, match="minimum exceeds"):
        open_suite("babi/mix-t2", options={"length": [9, 6]})
