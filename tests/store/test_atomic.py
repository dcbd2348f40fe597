"""Folders and pages that are whole or not there, and nothing left beside them."""

from __future__ import annotations

from pathlib import Path

import pytest

from taskloom.core import UserError
from taskloom.store.atomic import half_name, whole_folder, write_page


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_folder_appears_as_a_whole(tmp_path):
    left = tmp_path / half_name("out")
    (left / "data").mkdir(parents=True)
    (left / "data" / "half.parquet").write_bytes(b"PAR1")
    other = tmp_path / half_name("other")
    other.mkdir()
    with whole_folder(tmp_path / "out") as scratch:
        (scratch / "a.txt").write_text("a")
        assert names(tmp_path / "out") == [] and not left.exists()
    assert names(tmp_path) == sorted(["out", other.name]) and names(tmp_path / "out") == ["a.txt"]
    with pytest.raises(UserError, match="not empty"), whole_folder(tmp_path / "out"):
        pass
    assert names(tmp_path / "out") == ["a.txt"]


def test_the_half_of_a_file_is_no_half_of_a_folder(tmp_path):
    (tmp_path / half_name("out")).write_bytes(b"half")
    with whole_folder(tmp_path / "out") as scratch:
        (scratch / "a.txt").write_text("a")
    assert names(tmp_path / "out") == ["a.txt"]


@pytest.mark.parametrize("trouble", [ValueError, KeyboardInterrupt])
@pytest.mark.parametrize("there", [True, False])
def test_a_folder_that_fails_leaves_things_as_they_were(tmp_path, there, trouble):
    if there:
        (tmp_path / "out").mkdir()
    with pytest.raises(trouble), whole_folder(tmp_path / "out") as scratch:
        (scratch / "a.txt").write_text("a")
        raise trouble
    assert names(tmp_path) == (["out"] if there else [])


def test_a_page_clears_its_own_halves_and_no_others(tmp_path):
    mine, other = tmp_path / half_name("page.html"), tmp_path / half_name("other.html")
    for path in (mine, other, tmp_path / ".page.html.tmp", tmp_path / ".page.html.0123.tmp"):
        path.write_bytes(b"<p>")
    write_page(tmp_path / "page.html", b"<p>whole")
    assert (tmp_path / "page.html").read_bytes() == b"<p>whole"
    assert names(tmp_path) == sorted([other.name, ".page.html.tmp", ".page.html.0123.tmp", "page.html"])
