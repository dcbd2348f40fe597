"""The page on studies: its study of one's own is short, and runs as it is printed."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from taskloom.cli.main import main
from taskloom.core import UserError
from taskloom.core.catalog import STUDIES
from taskloom.studies.experiment import Experiment, find_study

PAGE = (Path(__file__).parents[2] / "docs" / "studies.md").read_text(encoding="utf-8")
(CODE,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)


def test_the_study_of_ones_own_has_at_most_sixty_lines():
    assert len(CODE.strip().splitlines()) <= 60


@pytest.mark.train
def test_it_runs_as_it_is_printed(tmp_path, capsys, monkeypatch):
    pytest.importorskip("torch")
    monkeypatch.setenv("TASKLOOM_RUNS", str(tmp_path / "runs"))
    path = tmp_path / "larger.py"
    path.write_text(CODE, encoding="utf-8")
    assert main(["study", str(path), "--scale", "smoke", "-o", str(tmp_path / "out")]) == 0
    said = capsys.readouterr().out
    assert "2 runs done" in said
    assert "the larger model learns more" in said
    assert (tmp_path / "out" / "figure-1-accuracy-by-model.svg").is_file()


def test_the_page_names_every_study_that_runs_models():
    named = set(re.findall(r"^\| `([\w/-]+)` \|", PAGE, re.MULTILINE))
    assert named == {name for name in STUDIES if isinstance(STUDIES.get(name), Experiment)}


def test_every_table_and_figure_has_a_command_that_exists():
    listed = re.findall(r"^\| [^|]+ \| [^|]+ \| `taskloom study ([\w/-]+)` \|", PAGE, re.MULTILINE)
    assert len(listed) == 26
    assert {name for name in STUDIES if isinstance(STUDIES.get(name), Experiment)} - set(listed) == {
        "taskbench/predict"
    }
    assert set(listed) <= set(STUDIES)


@pytest.mark.parametrize(("text", "message"), [("X = 1", "contains 0 studies"), ("1/0", "ZeroDivisionError")])
def test_a_file_that_holds_no_study_is_refused(tmp_path, text, message):
    path = tmp_path / "mine.py"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(UserError, match=message):
        find_study(str(path))
    with pytest.raises(UserError, match="taskloom new study"):
        find_study(str(tmp_path / "absent.py"))
