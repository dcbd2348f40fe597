"""`taskloom study profile`: one page about one model."""

from __future__ import annotations

import msgspec
import pytest

from taskloom.cli.main import main
from taskloom.studies.frontier.sentences import named
from taskloom.studies.profile import ModelProfile


def test_one_page_about_a_model(tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("TASKLOOM_PROGRESS", "off")
    words = ["study", "profile", "--model", "mock/majority", "-T", "suites=[babi/mix-t2, babi/task-4]"]
    assert main([*words, "-T", "budget=60", "-o", str(tmp_path)]) == 0
    printed = capsys.readouterr().out
    assert "mock/majority: profile" in printed
    assert "the smallest that fail" in printed
    assert "babi/task-4" in printed, "an original task has the combinations of its rows"
    found = msgspec.json.decode((tmp_path / "profile.json").read_bytes(), type=ModelProfile)
    assert found.frontiers[0].asked <= 60
    basic = {cell.share.cell for cell in found.frontiers[0].cells if cell.basic}
    assert basic == {"where-object: drop+move", "where-object: grab+move", "where-person: move"}
    simplest = [cell.share.value for cell in found.frontiers[0].cells if cell.basic and cell.share.n]
    assert found.overview().rows[0][3] == pytest.approx(sum(simplest) / len(simplest))
    assert (tmp_path / "tables.md").read_text(encoding="utf-8").strip() == printed.strip()
    page = (tmp_path / "index.html").read_text(encoding="utf-8")
    assert "Parts and combinations" in page
    assert "<h1>profile: mock/majority</h1>" in page
    assert "the smallest that fail" in page
    assert "<svg" in page
    told = [row for row in found.smallest().rows if "guessing" in row[1] and "below" in row[1]]
    assert told and all("for example" in items for _, _, items in told), "what is said has items to look at"
    assert "what the names mean" in page
    assert 'href="babi-mix-t2.html"' in page
    assert "mock/majority on babi/mix-t2" in (tmp_path / "babi-mix-t2.html").read_text(encoding="utf-8")


@pytest.mark.slow
def test_which_systems_combine(tmp_path, monkeypatch):
    monkeypatch.setenv("TASKLOOM_PROGRESS", "off")
    words = ["study", "profile", "--model", "mock/oracle", "-T", "suites=[weave]", "-T", "budget=120"]
    assert main([*words, "-o", str(tmp_path)]) == 0
    found = msgspec.json.decode((tmp_path / "profile.json").read_bytes(), type=ModelProfile)
    (table,) = found.crossings()
    met = {row[:2] for row in table.rows}
    assert {("babi", "alone"), ("babi", "with operators"), ("babi", "superni"), ("seti", "superni")} <= met
    assert all(row[4] == 1 for row in table.rows)
    assert "skills combine: mock/oracle" in (tmp_path / "index.html").read_text(encoding="utf-8")


def test_what_is_asked_and_all_it_takes_is_named_once():
    assert named("child: child") == "child"
    assert named("where-person: move") == "where-person: move"
    assert named("add+dates") == "add+dates"


def test_a_profile_needs_a_model(capsys):
    assert main(["study", "profile"]) == 2
    assert "no model given" in capsys.readouterr().err
