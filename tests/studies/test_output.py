"""The folder of a study: ours is replaced, theirs is not touched."""

from __future__ import annotations

import msgspec
import pytest

from taskloom.core import UserError
from taskloom.core.study import Table
from taskloom.figures import ScatterPlot, ScatterPoint
from taskloom.studies.findings import Check, Findings, StudyResult, table_csv, write_study

_FIGURE = ScatterPlot(title="A <b>figure</b>", points=(ScatterPoint("p", 0.1, 0.2),), x_name="x", y_name="y")


def _result(*titles, figures=()):
    tables = [Table(title, ("a", "b"), ((1, None), (0.5, 'x,"y"'))) for title in titles]
    findings = Findings(tables=tables, figures=figures, checks=[Check("c", "holds", "e")], sentences=["s"])
    return StudyResult(study="toy", question="Does it?", findings=findings, cut=["seeds: 1"])


def test_everything_is_written(tmp_path):
    files = write_study(_result("One table", figures=[_FIGURE]), tmp_path)
    assert {path.name for path in files} == {
        "table-1-one-table.csv", "figure-1-a-b-figure-b.svg", "figure-1-a-b-figure-b.pdf",
        "figure-1-a-b-figure-b.csv", "study.md", "study.json",
    }  # fmt: skip
    data = msgspec.json.decode((tmp_path / "study.json").read_bytes())
    assert data["checks"][0]["verdict"] == "holds"
    assert data["tables"][0]["rows"][0] == [1, None]
    text = (tmp_path / "study.md").read_text()
    assert "holds: c (e)" in text
    assert "seeds: 1" in text


def test_csv_quotes_and_leaves_blanks():
    table = Table("t", ("a", "b"), ((1, None), (0.5, 'x,"y"')))
    assert table_csv(table) == b'a,b\n1,\n0.5,"x,""y"""\n'


def test_a_later_result_replaces_ours_and_leaves_theirs(tmp_path):
    write_study(_result("One", "Two"), tmp_path)
    (tmp_path / "notes.txt").write_text("mine")
    write_study(_result("One"), tmp_path)
    names = {path.name for path in tmp_path.iterdir()}
    assert "table-2-two.csv" not in names
    assert (tmp_path / "notes.txt").read_text() == "mine"


def test_a_file_of_somebody_else_is_not_written_over(tmp_path):
    (tmp_path / "study.md").write_text("mine")
    with pytest.raises(UserError, match="not written by Taskloom"):
        write_study(_result("One"), tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == {"study.md"}


def test_a_file_of_ours_that_was_changed_is_not_written_over(tmp_path):
    write_study(_result("One"), tmp_path)
    (tmp_path / "study.md").write_text("changed by hand")
    with pytest.raises(UserError, match="changed since"):
        write_study(_result("One"), tmp_path)
    assert (tmp_path / "study.md").read_text() == "changed by hand"


def test_a_copied_folder_claims_nothing(tmp_path):
    import shutil

    write_study(_result("One"), tmp_path / "a")
    shutil.copytree(tmp_path / "a", tmp_path / "b")
    with pytest.raises(UserError):
        write_study(_result("One"), tmp_path / "b")


def test_the_same_result_gives_the_same_bytes(tmp_path):
    for name in ("a", "b"):
        write_study(_result("One", figures=[_FIGURE]), tmp_path / name)
    for path in (tmp_path / "a").iterdir():
        if path.name != ".taskloom-files.json":
            assert path.read_bytes() == (tmp_path / "b" / path.name).read_bytes(), path.name
