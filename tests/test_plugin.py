"""A package of its own adds one of each through entry points, and one of them is broken."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from taskloom.cli.main import main

PACKAGE = Path(__file__).parent / "plugin"


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The package in an environment that goes away with the test, built from a copy so that the tree stays clean."""
    folder = tmp_path_factory.mktemp("environment")
    shutil.copytree(PACKAGE, folder / "package")
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps", "--no-build-isolation"]
    subprocess.run([*command, "--target", str(folder / "site"), str(folder / "package")], check=True)
    return folder


def _taskloom(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    source = str(Path(__file__).parent.parent / "src")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join((source, str(folder / "site")))}
    command = [sys.executable, "-m", "taskloom", *words]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


def test_everything_it_adds_is_found_and_works_together(installed: Path) -> None:
    run = _taskloom(
        installed, "run", "loomtest/reverse", "--model", "loomtest/reverser", "--encoding", "loomtest",
        "--reader", "loomtest", "--adapt", "loomtest", "-o", "runs/plugin",
    )  # fmt: skip
    assert run.returncode == 0, run.stderr
    assert "1.000" in run.stdout
    study = _taskloom(installed, "study", "loomtest")
    assert "60" in study.stdout, study.stderr


def test_a_broken_one_names_itself_and_stops_nothing(installed: Path) -> None:
    listed = _taskloom(installed, "list", "scorers")
    assert listed.returncode == 0, listed.stderr
    assert "exact" in listed.stdout
    assert "loomtest-broken" in listed.stdout + listed.stderr
    assert "this module never loads" in listed.stdout + listed.stderr
    asked = _taskloom(installed, "score", "runs/plugin", "--scorer", "loomtest-broken")
    assert asked.returncode == 2
    assert "loomtest" in asked.stderr
    assert "Traceback" not in listed.stderr + asked.stderr


def test_check_says_which_one_is_broken(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", str(PACKAGE)]) == 1
    printed = capsys.readouterr().out
    assert "scorer.loomtest-broken: loomtest.broken:SCORER cannot be loaded" in printed
    assert "1 error" in printed


def test_everything_that_can_be_registered_has_a_contract_that_check_knows() -> None:
    from taskloom.cli import package
    from taskloom.core.catalog import REGISTRIES

    assert set(package.CONTRACTS) == set(REGISTRIES)
