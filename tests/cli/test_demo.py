"""The demo on a small scale: it ends with a page, with and without what it needs for training."""

from __future__ import annotations

import pytest

from taskloom.cli import demo, main
from taskloom.core import open_suite
from taskloom.core.errors import install_command
from taskloom.core.model import open_model


@pytest.fixture(autouse=True)
def small(monkeypatch):
    monkeypatch.setattr(demo, "SLICES", {"stories": ("babi/task-1", {"train": 5, "dev": 5, "test": 5})})
    monkeypatch.setattr(demo, "WHOLE", (demo.WHOLE[0], {**demo.WHOLE[1], "test": 40}))


def test_the_quick_demo_ends_with_a_page(tmp_path, capsys):
    assert main.main(["demo", "--quick", "-o", str(tmp_path)]) == 0
    said = capsys.readouterr().out
    assert "[3/3] Writing the report" in said
    assert str(tmp_path / "report.html") in said
    assert (tmp_path / "bundles" / "stories" / "manifest.json").is_file()
    text = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "Where does a small reader stop?" in text


def test_without_the_training_stack_it_says_what_to_install(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(demo, "find_spec", lambda name: None)
    assert main.main(["demo", "-o", str(tmp_path)]) == 0
    said = capsys.readouterr().out
    assert install_command("train") in said
    assert "[3/3]" in said


def test_the_pretrained_model_is_loaded_once(tmp_path, monkeypatch):
    opened = []

    def opens(name, *options):
        opened.append(name)
        return open_model(name, *options)

    monkeypatch.setattr(demo, "PRETRAINED", "mock/constant")
    monkeypatch.setattr(demo, "open_model", opens)
    monkeypatch.setattr("taskloom.run.session.open_model", opens)
    suites = [open_suite("babi/task-1", seed=seed, options={"train": 0, "dev": 0, "test": 4}) for seed in (0, 1)]
    runs = list(demo.pretrained_model(tuple(suites), tmp_path))
    assert [len(run.records) for run in runs] == [4, 4]
    assert opened == ["mock/constant"]
