from __future__ import annotations

from taskloom.cli.main import main
from taskloom.core import UserError
from taskloom.run.runner import RunSettings, launch
from toy import FAMILY


def test_a_folder_that_cannot_be_written_to_still_gives_its_numbers(tmp_path, capsys, monkeypatch):
    launch(FAMILY.open("all", 1, {"test": 5}), tmp_path, RunSettings(model="mock/oracle", cache=False))

    def refuse(path, value):
        raise UserError("cannot write here: Read-only file system", where=str(path))

    monkeypatch.setattr("taskloom.run.results.write_sealed", refuse)
    assert main(["score", str(tmp_path)]) == 0
    printed = capsys.readouterr()
    assert "overall" in printed.out
    assert "results.json is not written" in printed.err
