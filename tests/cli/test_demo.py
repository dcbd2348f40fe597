"""The demo on a small scale: it ends with a page, with and without what it needs for training."""

from __future__ import annotations

import msgspec
import pytest

from taskloom.cli import demo, main


@pytest.fixture(autouse=True)
def small(monkeypatch):
    monkeypatch.setattr(demo, "SLICES", {"stories": ("babi/task-1", {"train": 5, "dev": 5, "test": 5})})
    monkeypatch.setattr(demo, "WHOLE_ROWS", 20)


def test_the_quick_demo_ends_with_a_page(tmp_path, capsys):
    assert main.main(["demo", "--quick", "-o", str(tmp_path)]) == 0
    said = capsys.readouterr().out
    assert "[3/3] Drawing the report" in said
    assert str(tmp_path / "report.html") in said
    assert (tmp_path / "bundles" / "stories" / "manifest.json").is_file()
    text = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "Does it know the whole?" in text


def test_without_the_weights_it_says_what_to_install(tmp_path, monkeypatch, capsys):
    missing = msgspec.structs.replace(demo.PACKAGES["minilm"], distribution="no-such-package")
    monkeypatch.setattr(demo, "PACKAGES", {"minilm": missing})
    assert main.main(["demo", "-o", str(tmp_path)]) == 0
    said = capsys.readouterr().out
    assert "Without training" in said
    assert "no-such-package" in said
