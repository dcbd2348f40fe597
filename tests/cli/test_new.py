from __future__ import annotations

from pathlib import Path

import pytest

from taskloom.cli.main import main


def test_a_new_task_passes_its_check(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["new", "task", "capital of country"]) == 0
    assert "taskloom check tasks/task001_capital_of_country.json" in capsys.readouterr().out
    assert main(["check", "tasks"]) == 0
    assert "nothing wrong" in capsys.readouterr().out
    assert main(["new", "task", "capital of country"]) == 2


def test_a_suite_becomes_a_collection(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "out"
    words = ["new", "collection", "superni/embedded", "-o", str(folder), "-T", "instances=1", "-T", "families=false"]
    assert main(words) == 0
    assert "task files" in capsys.readouterr().out
    assert main(["show", "superni/files", "-T", f"path={folder}", "--n", "1"]) == 0
    assert main(["new", "collection", "superni/embedded"]) == 2
    assert "-o DIR" in capsys.readouterr().err


def test_show_finds_the_split_of_a_task(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", "superni/embedded/reverse_letters", "-T", "families=false", "--n", "1"]) == 0
    assert "reverse_letters · train" in capsys.readouterr().out
