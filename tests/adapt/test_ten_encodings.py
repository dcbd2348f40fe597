"""One training, asked in ten encodings and on two suites by one command."""

from __future__ import annotations

import pytest

from here import Here
from taskloom.cli.main import main
from taskloom.core.encoding import make_encoding
from taskloom.studies.sweep import read_finished

pytestmark = [pytest.mark.proof, pytest.mark.train]

ENCODINGS = [
    "superni/def", "superni/def-pos1", "superni/def-pos2", "superni/def-pos2-neg2", "superni/def-pos2-neg2-expl",
    "superni/def-pos4", "superni/pos1", "superni/pos2", "plain", "zest",
]  # fmt: skip


def test_one_training_is_asked_in_ten_encodings_on_two_suites(tmp_path, monkeypatch, capsys):
    pytest.importorskip("torch")
    monkeypatch.setenv("TASKLOOM_ADAPTATIONS", str(tmp_path / "store"))
    monkeypatch.setattr("taskloom.studies.sweep.open_engine", lambda *_, **__: Here())
    for name in ENCODINGS:
        make_encoding(name)
    trained, asked = str(tmp_path / "trained"), tmp_path / "asked"
    quick = [part for key in ("updates=2", "batch=4", "evaluate_limit=2", "max_output=4") for part in ("-A", key)]
    train = ["run", "babi/task-1", "--model", "tiny/t5-1m", "--adapt", "finetune", *quick, "--limit", "1"]
    assert main([*train, "--encoding", "superni/def-pos2", "-o", trained]) == 0
    listed = ", ".join(f'"{name}"' for name in ENCODINGS)
    ask = ["sweep", "babi/task-1", "babi/task-2", "--model", f"run/{trained}", "-G", f"encoding=[{listed}]"]
    assert main([*ask, "--limit", "1", "--jobs", "1", "-o", str(asked)]) == 0
    finished = read_finished(asked)
    assert len(finished) == 2 * len(ENCODINGS)
    assert {item.state for item in finished.values()} == {"done"}
    table = capsys.readouterr().out
    assert all(f"| {name} " in table for name in ENCODINGS)
    assert "asked" in table
