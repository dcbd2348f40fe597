"""The gate's exit codes and files, as CI servers read them."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import pytest

from taskloom import open_suite, run_suite
from taskloom.cli.gate import junit, markdown
from taskloom.cli.main import main
from taskloom.studies.contrasts import GateCheck, GateResult


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("runs")
    suite = open_suite("babi/task-1")
    for name in ("oracle", "majority"):
        run_suite(suite, model=f"mock/{name}", folder=place / name, limit=100)
    return place


def test_exit_codes(folder, capsys):
    oracle, majority = str(folder / "oracle"), str(folder / "majority")
    assert main(["gate", oracle, "--min", "0.9"]) == 0
    assert "PASS: mock/oracle" in capsys.readouterr().out
    assert main(["gate", majority, "--min", "0.9"]) == 1
    assert main(["gate", oracle, "--min", "0.999"]) == 3
    assert main(["gate", majority, "--baseline", oracle, "--max_drop", "0.02"]) == 1
    assert main(["gate", oracle]) == 2
    assert main(["gate", oracle, "--min", "0.9", "--by", "nope"]) == 2


def test_files(folder, tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "summary.md"))
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    majority = str(folder / "majority")
    assert main(["gate", majority, "--min", "0.9", "--by", "question", "--junit", str(tmp_path / "gate.xml")]) == 1
    suite = ET.parse(tmp_path / "gate.xml").getroot()[0]
    assert suite.attrib["failures"] == "2" and len(suite.findall("testcase/failure")) == 2
    assert "| ❌ | overall | at least 0.9 |" in (tmp_path / "summary.md").read_text()
    assert "::error title=taskloom gate::overall" in capsys.readouterr().out


def test_hostile_names_stay_text():
    name = "<b>|`x`\x00\n\ud800::error::"
    result = GateResult(name, [GateCheck(name, "level", 0.5, 0.1, 0.0, 0.2, 3, "fail")], 0.95, "mean")
    assert ET.fromstring(junit(result)) is not None
    assert markdown(result).count("\n| ❌") == 1 and "<b>" not in markdown(result)


def test_a_file_of_somebody_else_is_left_as_it_is(folder, tmp_path, capsys):
    theirs, ours = tmp_path / "pom.xml", tmp_path / "junit.xml"
    theirs.write_text("<project/>")
    assert main(["gate", str(folder / "oracle"), "--min", "0.9", "--junit", str(theirs)]) == 2
    assert theirs.read_text() == "<project/>"
    for _ in range(2):
        assert main(["gate", str(folder / "oracle"), "--min", "0.9", "--junit", str(ours)]) == 0
