"""The tables of Dyna-bAbI from generated splits, and reading as a study."""

import pytest

from taskloom.core import UserError, open_suite, resolve
from taskloom.families.babi.files import write_rows
from taskloom.studies.babi.tables import READING, SHORTCUTS, TABLES


@pytest.fixture(scope="module")
def tables():
    found = TABLES.run(resolve(TABLES.recipe, {"scale": 0.01}, where="test"), 0, None)
    assert [table.markdown().count("### Table") for table in found] == [1] * 4
    return {table.title.partition(":")[0]: table for table in found}


def test_table_1_and_2_come_close_to_the_paper(tables):
    for _, _, _, _, length, printed, support, needed in tables["Table 1"].rows:
        assert length == pytest.approx(printed, rel=0.35)
        assert support == pytest.approx(needed, rel=0.3)
    for row in tables["Table 2"].rows:
        assert row[2] == pytest.approx(row[3], rel=0.35)
        assert row[6] == pytest.approx(row[7], rel=0.3)


def marks(table):
    return {row[0]: dict(zip(table.columns[2:], row[2:], strict=True)) for row in table.rows}


def ticked(row):
    return {name for name, mark in row.items() if mark == "✓"}


def test_table_6(tables):
    found = marks(tables["Table 6"])
    columns = tables["Table 6"].columns
    assert columns.count("give") == 2  # the event and the question
    assert ticked(found["1"]) == {"move", "where-person"}
    assert found["2"]["where-person"] == "I/D"
    assert found["3"]["where-person"] == found["3"]["where-object"] == "I"
    assert found["5"]["where-object"] == "I/D"
    assert ticked(found["11"]) == {"move", "coref", "where-person"}
    assert ticked(found["12"]) == {"move", "conj", "where-person"}
    assert ticked(found["13"]) == {"move", "compound", "where-person"}
    assert ticked(found["mix(T2)"]) == {"move", "grab", "drop", "coref", "where-person", "where-object"}


def test_table_7(tables):
    found = marks(tables["Table 7"])
    for number in ("6", "9", "10"):
        assert found[number]["where-person"] == "I/D"
        assert "yes-no" in ticked(found[number])
    for number in ("7", "8"):
        assert found[number]["where-person"] == found[number]["where-object"] == "I"
    assert found["9"]["negate"] == found["10"]["indef"] == "✓"
    assert {"negate", "indef", "compound", "yes-no", "list", "counting"} <= ticked(found["mix(T12)"])


def test_reading_needs_files():
    with pytest.raises(UserError, match="no files to read"):
        READING.run(READING.recipe, 0, None)


def test_reading_the_kit(reference):
    recipe = resolve(READING.recipe, {"kit": str(reference / "babi" / "dyna")}, where="test")
    (table,) = READING.run(recipe, 0, None)
    assert all(row[5] > 0.98 for row in table.rows)


def test_shortcuts_compare_equally_many_questions_with_intervals(tmp_path):
    """Stories of our own in place of the kit's: no share is above theirs, and each interval holds its share."""
    (tmp_path / "mix_T2").mkdir()
    kit = open_suite("babi/mix-t2", seed=9, options={"test": 60})
    write_rows(kit.rows("test"), tmp_path / "mix_T2" / "valid.txt")
    given = {"suite": "babi/mix-t2", "size": 60, "samples": 3, "halves": 2, "kit": str(tmp_path)}
    ours, _, theirs, beside = SHORTCUTS.run(resolve(SHORTCUTS.recipe, given, where="test"), 1, None)
    assert ours.rows[-1] == theirs.rows[-1]
    assert sum(ours.rows[-1][1:]) == 60
    for _, _, share, low, high, kits, least, most, apart, worst, best in beside.rows:
        assert low <= share <= high and least <= kits <= most and worst <= apart <= best
        assert apart == pytest.approx(share - kits)
    assert len(beside.rows) == 9 * (len(ours.columns) - 1)
    with pytest.raises(UserError, match="no mix_T7/valid.txt here"):
        SHORTCUTS.run(resolve(SHORTCUTS.recipe, {**given, "suite": "babi/mix-t7"}, where="test"), 1, None)
