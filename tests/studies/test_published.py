"""Printed numbers as data."""

from __future__ import annotations

from importlib.resources import files

import pytest

from taskloom.core import UserError
from taskloom.studies.experiment import paper, printed

PAPERS = [entry.name[:-5] for entry in files("taskloom.studies").joinpath("published_numbers").iterdir()]


@pytest.mark.parametrize("name", PAPERS)
def test_every_file_is_whole(name):
    found = paper(name)
    assert found.citation
    for table in found.tables.values():
        assert table.where
        assert all(len(row) == len(table.columns) for row in table.rows), table.where


def test_a_cell_is_found_by_its_row():
    table = printed("dyna-babi", "table-3")
    assert table.lookup("T5", group="t7", asked="mix") == 49.57
    assert table.lookup("BiDAF", group="t12", asked="mix") is None
    assert table.lookup("T5", group="t99", asked="mix") is None


def test_unknown_names_are_refused_with_the_nearest():
    with pytest.raises(UserError, match="dyna-babi"):
        paper("dyna-bab")
    with pytest.raises(UserError, match="table-8"):
        printed("dyna-babi", "table-88")
    with pytest.raises(UserError, match="SQuAD"):
        printed("dyna-babi", "table-8").column("SQuaD")
