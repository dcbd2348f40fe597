"""The package as it is installed: everything is in the wheel, and it works without the repository."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from email import message_from_bytes
from pathlib import Path

import pytest

import taskloom

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wheel")
    build = "import sys; from hatchling.build import build_wheel; print(build_wheel(sys.argv[1]))"
    made = subprocess.run([sys.executable, "-c", build, folder], cwd=ROOT, check=True, capture_output=True, text=True)
    return zipfile.ZipFile(folder / made.stdout.split()[-1])


def test_every_file_of_the_package_is_in_the_wheel(wheel):
    here = {path.relative_to(ROOT / "src").as_posix() for path in (ROOT / "src/taskloom").rglob("*") if path.is_file()}
    assert {name for name in here if "__pycache__" not in name} <= set(wheel.namelist())


def test_the_metadata_say_what_it_is_and_needs(wheel):
    name = next(name for name in wheel.namelist() if name.endswith(".dist-info/METADATA"))
    told = message_from_bytes(wheel.read(name))
    assert told["Version"] == taskloom.__version__
    needed = [line for line in told.get_all("Requires-Dist") if "extra ==" not in line]
    assert not any(line.startswith(("torch", "transformers", "matplotlib", "ray")) for line in needed)
    assert b"taskloom = taskloom.cli.main:main" in wheel.read(name.replace("METADATA", "entry_points.txt"))


def test_it_runs_and_draws_pages_without_the_repository(wheel, tmp_path):
    wheel.extractall(tmp_path / "installed")
    commands = (
        "run babi/task-1 --model mock/majority --limit 5 -o runs/one", "report runs/one -o page.html",
        "serve runs --export site", "check runs/one", "show seti/task1-trivial --n 1",
    )  # fmt: skip
    script = (
        "import sys; from taskloom.cli.main import main\nfor line in sys.argv[1:]: assert main(line.split()) == 0, line"
    )
    environment = {**os.environ, "PYTHONPATH": str(tmp_path / "installed"), "PYTHONSAFEPATH": "1"}
    subprocess.run([sys.executable, "-c", script, *commands], cwd=tmp_path, env=environment, check=True)
    assert (tmp_path / "site/index.html").is_file()
