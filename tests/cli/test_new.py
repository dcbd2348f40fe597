from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from taskloom.cli.main import main

PACKAGES = ("family", "scorer", "model", "study")


@pytest.fixture(autouse=True)
def _inside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_a_new_task_passes_check_and_can_be_run(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["new", "task", "Word sums"]) == 0
    assert "taskloom check 'Word sums/word_sums.py'" in capsys.readouterr().out
    assert main(["check", "Word sums/word_sums.py"]) == 0
    assert "nothing wrong" in capsys.readouterr().out
    assert main(["run", "Word sums/word_sums.py", "--model", "mock/oracle", "-o", "runs/oracle"]) == 0


@pytest.mark.parametrize("kind", PACKAGES)
def test_a_new_package_passes_check(kind: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["new", kind, f"scaffolded-{kind}"]) == 0
    assert main(["check", f"scaffolded-{kind}"]) == 0
    assert "nothing wrong" in capsys.readouterr().out


def test_the_tests_of_everything_new_pass_unchanged() -> None:
    for kind in ("task", *PACKAGES):
        assert main(["new", kind, f"fresh_{kind}", "-o", f"folder-{kind}"]) == 0
    roots = " ".join(f"folder-{kind}/src" for kind in PACKAGES)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-o", f"pythonpath={roots}"]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout
    assert "10 passed" in result.stdout


def test_nothing_that_is_there_is_overwritten(capsys: pytest.CaptureFixture[str]) -> None:
    Path("sums").mkdir()
    Path("sums/README.md").write_text("mine")
    assert main(["new", "task", "sums"]) == 2
    assert "sums/README.md: already exists; nothing was written" in capsys.readouterr().err
    assert [path.name for path in Path("sums").iterdir()] == ["README.md"]


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("class", "is not a valid Python name"),
        ("12", "is not a valid Python name"),
        ("…", "is not a valid Python name"),
        ("taskloom", "would hide the module"),
        ("json", "would hide the module"),
        ("NumPy", "would hide the module"),
        ("../sums", "is a path"),
    ],
)
@pytest.mark.parametrize("kind", ["task", "family"])
def test_names_that_would_not_work_are_refused(
    kind: str, name: str, words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["new", kind, name]) == 2
    assert words in capsys.readouterr().err
    assert not list(Path().iterdir())


def test_odd_names_become_plain_ones(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["new", "task", "Nächste Zahl"]) == 0
    assert "taskloom check 'Nächste Zahl/nachste_zahl.py'" in capsys.readouterr().out
    assert main(["check", "Nächste Zahl/nachste_zahl.py"]) == 0


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('"scorer.faulty"', '"scorrer.faulty"', "did you mean scorer.faulty?"),
        ('"scorer.faulty"', '"scorer.exact"', "Taskloom has a scorer of that name"),
        ("faulty:SCORER", "faulty:SCORERS", "cannot be loaded: AttributeError"),
        ("faulty:SCORER", "faulty:FaultyScorer", "make an instance: FaultyScorer()"),
        ("faulty:SCORER", "math:pi", "is not a Scorer but float"),
        ('"scorer.faulty"', '"scorer.other"', "it calls itself 'faulty'"),
    ],
)
def test_what_is_wrong_with_a_package_is_said(
    old: str, new: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["new", "scorer", "faulty"]) == 0
    path = Path("faulty/pyproject.toml")
    assert old in path.read_text()
    path.write_text(path.read_text().replace(old, new))
    assert main(["check", "faulty"]) == 1
    assert said in capsys.readouterr().out


def test_a_family_whose_suite_does_not_open_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["new", "family", "halting"]) == 0
    path = Path("halting/src/halting/__init__.py")
    path.write_text(path.read_text().replace("test: int = 100", "test: int = 100_000_000"))
    assert main(["check", "halting"]) == 1
    assert "halting/tables" in capsys.readouterr().out


def test_a_new_task_file_passes_its_check(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["new", "task-file", "capital of country"]) == 0
    assert "taskloom check tasks/task001_capital_of_country.json" in capsys.readouterr().out
    assert main(["check", "tasks"]) == 0
    assert "nothing wrong" in capsys.readouterr().out
    assert main(["new", "task-file", "capital of country"]) == 2


def test_a_suite_becomes_a_collection(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["new", "collection", "superni/embedded", "-o", "out", "-T", "instances=1", "-T", "families=false"]
    assert main(words) == 0
    assert "task files" in capsys.readouterr().out
    assert main(["show", "superni/files", "-T", "path=out", "--n", "1"]) == 0
    assert main(["new", "collection", "superni/embedded"]) == 2
    assert "-o DIR" in capsys.readouterr().err


def test_show_finds_the_split_of_a_task(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", "superni/embedded/reverse_letters", "-T", "families=false", "--n", "1"]) == 0
    assert "reverse_letters · train" in capsys.readouterr().out
