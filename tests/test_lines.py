"""The script that measures the source: rooms, data, names that repeat."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

SCRIPT = Path(__file__).resolve().parent.parent / "scripts" / "lines.py"
CODE = '"""A module."""\n\nLIMIT = 3\nBOTH = (1, -2.5)\nNAME = "x"\n\n\nclass Thing:\n    pass\n'


MOST_ENTERED = {"open babi/mix-t12": 40, "run mock/majority": 90, "its report": 80}
"""The modules that each step of a plain run may enter."""


def _told(folder, *arguments):
    copy = folder / "scripts" / "lines.py"
    copy.parent.mkdir(exist_ok=True)
    copy.write_bytes(SCRIPT.read_bytes())
    command = [sys.executable, str(copy), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def _cells(text):
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines() if line[:1] == "|"]
    return {row[0]: row[1:] for row in rows}


def test_rooms_families_and_packages_are_counted_apart(tmp_path):
    for place in ("src/taskloom/run", "src/taskloom/families/babi", "packages/extra/src/extra"):
        (tmp_path / place).mkdir(parents=True)
        (tmp_path / place / "one.py").write_text(CODE)
    (tmp_path / "src/taskloom/run/words.toml").write_text("a = 1\nb = 2\n")
    (tmp_path / "src/taskloom/run/picture.png").write_bytes(b"\n\n")
    table = _cells(_told(tmp_path))
    assert table["run"] == ["1", "9", "6", "2"]
    assert table["families/babi"] == table["packages/extra"] == ["1", "9", "6", "0"]
    assert table["all of src"] == ["2", "18", "12", "2"] and table["with packages"] == ["3", "27", "18", "2"]
    names = _told(tmp_path, "--names")
    assert "1 class names occur more than once, of 1\n" in names and "Thing: families/babi/one.py, run/one.py" in names
    assert "6 numeric constants" in names


def test_a_plain_run_enters_few_modules():
    told = subprocess.run([sys.executable, str(SCRIPT), "--walks"], capture_output=True, text=True, check=True).stdout
    entered = {step: int(cells[0]) for step, cells in _cells(told).items() if step in MOST_ENTERED}
    assert entered.keys() == MOST_ENTERED.keys()
    assert {step: count for step, count in entered.items() if count > MOST_ENTERED[step]} == {}
