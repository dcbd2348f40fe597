"""A page names what it was made from; `taskloom check` finds edits, other runs, and numbers that were sealed again."""

from __future__ import annotations

import shutil

import pytest

from taskloom import build_report, open_suite, run_suite
from taskloom.cli.main import main
from taskloom.core import digest
from taskloom.report.build import check_page
from taskloom.run.results import proof_of


@pytest.fixture
def made(tmp_path):
    run = run_suite(open_suite("babi/task-1"), model="mock/majority", folder=tmp_path / "r", limit=30)
    page = tmp_path / "report.html"
    build_report([run], page, title="A -- B")
    return run, page


def codes(page):
    return [(finding.level, finding.code) for finding in check_page(page)]


def test_a_page_holds_and_names_its_hashes(made, capsys):
    run, page = made
    assert codes(page) == []
    text = page.read_text("utf-8")
    for value in proof_of(run).values():
        assert text.count(value) >= 2, "for people, and for the check"
    assert main(["check", str(page)]) == 0 and "nothing wrong" in capsys.readouterr().out


def test_an_edited_page_is_found_also_where_it_is_sealed_again(made):
    _, page = made
    before = page.read_bytes()
    text, mark, rest = before.rpartition(b"<!-- taskloom-proof ")
    edited = text.replace(b"mock/majority", b"mock/marvelous")
    page.write_bytes(edited + mark + rest)
    assert codes(page) == [("error", "page")]
    page.write_bytes(edited + mark + rest.replace(digest(text).hex().encode(), digest(edited).hex().encode()))
    assert codes(page) == [("error", "numbers")]
    page.write_bytes(text)
    assert codes(page) == [("error", "page")], "a page without its proof"


def test_runs_that_moved_or_changed_are_named(made, tmp_path):
    run, page = made
    shutil.move(run.folder, tmp_path / "elsewhere")
    assert codes(page) == [("warning", "missing")]
    run_suite(open_suite("babi/task-1", seed=3), model="mock/majority", folder=tmp_path / "r", limit=30)
    found = list(check_page(page))
    assert {finding.key for finding in found if finding.code == "run"} >= {"plan", "rows", "records"}
