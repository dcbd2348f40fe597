"""A study's tables are rectangular, whoever made them."""

from __future__ import annotations

import msgspec
import pytest

from taskloom.core.study import Study, Table


@pytest.mark.parametrize("row", [(), ("x",), ("x", 1, 2)])
def test_every_row_has_a_cell_for_every_column(row):
    said = rf"row 2 of the table 't' has {len(row)} cells for 2 columns"
    with pytest.raises(ValueError, match=said):
        Table("t", ("a", "b"), (("x", 1), row))
    with pytest.raises(msgspec.ValidationError, match=said):
        msgspec.convert({"title": "t", "columns": ["a", "b"], "rows": [["x", 1], list(row)]}, Table)
    assert "| x" in Table("t", ("a", "b"), (("x", 1),)).markdown()


def test_numbers_stand_right_and_words_left():
    table = Table("t", ("word", "n", "mixed", "none"), (("a", 1, 1, None), ("bcd", 1000, "x", None)))
    assert table.markdown().split("\n")[2:] == [
        "| word |     n | mixed | none |", "| ---- | ----: | ----- | ---: |",
        "| a    |     1 | 1     |    – |", "| bcd  | 1,000 | x     |    – |",
    ]  # fmt: skip
    assert Table("t", ("a",), ()).markdown() == "### t\n\n|  a |\n| -: |", "a column without rows has no words"
    truths = Table("t", ("a",), ((True,), (False,))).markdown().split("\n")[-2:]
    assert truths == ["| yes |", "|  no |"]
    assert Table("t", ("a",), ((0.12345,),)).markdown(1).endswith("| 0.1 |")


def test_a_study_shows_what_it_is_about_and_has_no_figures_by_itself(tmp_path):
    class Counting(Study):
        summary = "how far one counts"
        run = None

    assert repr(Counting()) == "<Counting: how far one counts>"
    assert (Counting().figures(tmp_path), Counting.needs, Counting.costs) == ((), "", {})


def test_numbers_have_three_digits():
    assert Table("t", ("a",), ((0.5,),)).markdown().endswith("| 0.500 |")
