"""The scripts of pages: linted without a warning, and few enough to read."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SCRIPTS = ROOT / "src" / "taskloom" / "report" / "static"


def test_the_scripts_have_no_finding_of_the_linter(tmp_path):
    def lint(folder):
        command = [str(Path(sys.executable).with_name("oxlint")), "--deny-warnings", "-c", str(ROOT / ".oxlintrc.json")]
        return subprocess.run([*command, str(folder)], capture_output=True, text=True, check=False)

    found = lint(SCRIPTS)
    assert found.returncode == 0, found.stdout
    (tmp_path / "bad.js").write_text("function f(unused) { debugger; }\nf();\n")
    assert lint(tmp_path).returncode != 0, "the linter notices something"


def test_the_scripts_stay_small():
    assert sum(len(path.read_text().splitlines()) for path in SCRIPTS.glob("*.js")) <= 1_500
