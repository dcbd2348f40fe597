"""Cells of tables: what they say, what they sort by, and what is folded away."""

from __future__ import annotations

import pytest

from taskloom.core.metric import Estimate
from taskloom.core.study import Table
from taskloom.figures import COLOURS
from taskloom.report.html import (
    TableCell,
    chooser,
    drawing,
    html_cell,
    is_numeric_column,
    plain_table,
    slug,
    strip_table,
    study_table,
)
from taskloom.run.results import Group


@pytest.mark.parametrize(
    ("value", "text", "number"),
    [
        (None, "–", ""), (True, "yes", ""), (False, "no", ""), (0.12345, "0.123", "0.12345"), (1234, "1,234", "1234"),
        ("a", "a", ""),
    ],
)  # fmt: skip
def test_cells_say_one_thing_and_sort_by_another(value, text, number):
    assert html_cell(value) == TableCell(text, number)


def test_a_column_of_numbers_may_have_gaps_but_no_words():
    number, gap, word = TableCell("1", "1"), TableCell("–"), TableCell("x")
    assert (
        is_numeric_column([number, gap])
        and not is_numeric_column([number, word])
        and not is_numeric_column([gap])
        and not is_numeric_column([])
    )


def test_long_tables_are_folded():
    def folded(rows: int) -> bool:
        return 'data-folded="3"' in str(plain_table("t", "c", ("a",), [[TableCell("x")]] * rows, folded=3))

    assert folded(4) and not folded(3), "as many rows as are shown anyway are not folded"
    assert "data-folded" not in str(plain_table("t", "c", ("a",), [[TableCell("x")]] * 3, folded=3))
    table = Table("T", ("a",), tuple((n,) for n in range(31)))
    assert str(study_table("t", table)) != str(study_table("t", Table("T", ("a",), table.rows[:30])))


def test_strips_of_scores():
    row = Group("g", Estimate(0.25, 0.125, 0.5, 8), 8, 1, 2, 3)
    text = str(strip_table("t", "caption", ("run",), [(("a",), row, 0), (("b",), row, 100)]))
    for words in ("0.250", "0.125 – 0.500", "0.125000", "12.5", "37.5", "25.0"):
        assert words in text
    empty = Group("g", Estimate(float("nan"), 0.0, 1.0, 0), 0, 0, 2, 0)
    assert "nan" not in str(strip_table("t", "caption", ("run",), [(("a",), empty, 0)]))


def test_anchors_are_letters_digits_and_dashes():
    assert slug("Two  Words & more!") == "two-words-more"
    assert slug("–") == "x"
    assert slug("a" * 70) == "a" * 60


def test_one_pane_needs_no_chooser():
    pane = plain_table("t", "c", ("a",), [])
    assert chooser("c", "l", []) == ""
    assert chooser("c", "l", [("one", pane)]) == pane
    assert "two" in str(chooser("c", "l", [("one", pane), ("two", pane)]))


@pytest.mark.parametrize("inside", ["<script>x</script>", '<a href="http://x">y</a>', '<g onload="x()"/>'])
def test_drawings_that_could_run_or_load_are_refused(inside):
    with pytest.raises(ValueError, match="could run or load"):
        drawing(f"<svg>{inside}</svg>")
    assert "script" in str(drawing("<svg><text>script onload= http://x</text></svg>")), "words are only words"


@pytest.mark.parametrize(("rows", "folded"), [(30, False), (31, True)])
def test_more_than_thirty_strips_are_folded(rows, folded):
    group = Group("g", Estimate(0.25, 0.125, 0.5, 8), 8, 1, 2, 3)
    assert ('data-folded="30"' in str(strip_table("t", "c", ("a",), [(("x",), group, 0)] * rows))) == folded


def test_colours_begin_again():
    group = Group("g", Estimate(0.25, 0.125, 0.5, 8), 8, 1, 2, 3)

    def colour(place):
        text = str(strip_table("t", "c", ("a",), [(("x",), group, place)]))
        return next(one for one in COLOURS if one in text)

    assert [colour(place) for place in (0, 1, len(COLOURS), len(COLOURS) + 1)] == [*COLOURS[:2], *COLOURS[:2]]


def test_a_missing_score_has_no_place_on_its_strip():
    def strip(value, n):
        return str(strip_table("t", "c", ("a",), [(("x",), Group("g", Estimate(value, 0.25, 0.75, n), n, 0, 2, 0), 0)]))

    assert "<b>–</b>" in strip(float("nan"), 0) and '<b style="left' not in strip(float("nan"), 0)
    assert "<b>0.500</b>" in strip(0.5, 9) and '<b style="left:50.0%' in strip(0.5, 9)


def test_tables_without_a_wish_are_neither_folded_nor_titled():
    plain = str(plain_table("t", "c", ("a",), [[TableCell("x")]] * 99))
    assert "data-folded" not in plain and "titled" not in plain
    assert 'class="table titled"' in str(study_table("t", Table("T", ("a",), ((1,),))))
