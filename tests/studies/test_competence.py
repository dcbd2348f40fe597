"""Competence of finished runs, and scoring of published files, from the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from taskloom.cli.main import main
from taskloom.core import UserError, resolve
from taskloom.core.catalog import STUDIES

SIZES = ["-T", "train=30", "-T", "dev=10", "-T", "test=30", "-T", "surplus=0", "-T", "passages=4"]


def test_competence_of_a_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "run"
    assert main(["run", "zest/fictional", "--model", "reading/yes", "-o", str(folder), "--json", *SIZES]) == 0
    capsys.readouterr()
    assert main(["study", "competence", "-T", f"runs=[{folder}]", "-T", "thresholds=[0.1]", "--json"]) == 0
    table, errors = json.loads(capsys.readouterr().out)
    assert table["columns"][:5] == ["run", "category", "tasks", "left out", "mean"]
    groups = {row[1]: row for row in table["rows"]}
    assert groups["structure"][4:6] == [0.0, 0.0] and groups["overall"][2] == 30
    assert "every task counts once" in table["note"].lower() and "every instance counts once" in errors["note"]
    assert errors["rows"][0][1] == 120
    assert sum(errors["rows"][0][3:]) == pytest.approx(1.0)


def test_a_predictions_file_is_scored_as_published(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    task = {"id": "b", "question": "What is it?", "examples": [{"context": "c", "answer": "x"}] * 2}
    kind = {"generalization_type": "normal", "domain": "d", "derives_from": []}
    (tmp_path / "dev.jsonl").write_text(json.dumps({**task, "type": kind}) + "\n")
    (tmp_path / "said.txt").write_text("x\n\n")
    files = ["-T", f"data={tmp_path / 'dev.jsonl'}", "-T", f"predictions={tmp_path / 'said.txt'}"]
    assert main(["study", "zest/score-file", *files, "-o", str(tmp_path / "out"), "--json"]) == 0
    results, findings = json.loads(capsys.readouterr().out)
    assert results["rows"][0][:3] == ["normal", 1, 0.5]
    assert "every task counts once" in results["note"]
    assert findings["rows"][0][0] == "line 2"
    assert json.loads((tmp_path / "out" / "results.json").read_text())["overall"] == 0
    assert (tmp_path / "out" / "results.json.csv").read_text().startswith(",mean,75,90\nnormal,50,0,0\n")


@pytest.mark.parametrize("name", ["competence", "zest/score-file"])
def test_nothing_named_is_a_plain_error(name: str) -> None:
    study = STUDIES.get(name)
    with pytest.raises(UserError, match="-T"):
        study.run(resolve(study.recipe, {}, where=name), 0, None)
