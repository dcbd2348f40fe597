"""The demo on a small scale: it ends with a page, with and without what it needs for training."""

from __future__ import annotations

import pytest

from taskloom.cli import demo, main


@pytest.fixture(autouse=True)
def small(monkeypatch):
    monkeypatch.setattr(demo, "SLICES", {"stories": ("babi/task-1", {"train": 5, "dev": 5, "test": 5})})
    monkeypatch.setattr(demo, "WHOLE", (demo.WHOLE[0], {**demo.WHOLE[1], "test": 40}))


def test_the_quick_demo_ends_with_a_page(tmp_path, capsys):
    assert main.main(["demo", "--quick", "-o", str(tmp_path)]) == 0
    said = capsys.readouterr().out
    assert "[3/3] Drawing the report" in said
    assert str(tmp_path / "report.html") in said
    assert (tmp_path / "bundles" / "stories" / "manifest.json").is_file()
    text = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "Where does a small reader stop?" in text


def test_without_the_training_stack_it_says_what_to_install(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(demo, "find_spec", lambda name: None)
    assert main.main(["demo", "-o", str(tmp_path)]) == 0
    said = capsys.readouterr().out
    assert "taskloom[train]" in said
    assert "[3/3]" in said
