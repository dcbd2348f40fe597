"""Taskloom's own packages beside the core: what the core says of them when they are absent."""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path

import pytest

from taskloom.cli.main import main
from taskloom.core import Registry, UserError
from taskloom.core.catalog import REGISTRIES
from taskloom.core.errors import sibling_command
from taskloom.core.siblings import absent_lines, absent_names, sibling, siblings

ROOT = Path(__file__).resolve().parents[2]
PROJECTS = {
    path.parent.name: tomllib.loads(path.read_text(encoding="utf-8"))["project"]
    for path in sorted(ROOT.glob("packages/*/pyproject.toml"))
}


def test_the_table_holds_every_package_and_every_name_that_it_registers():
    assert siblings().keys() == PROJECTS.keys()
    for package, project in PROJECTS.items():
        said = siblings()[package]
        points = project.get("entry-points", {}).get("taskloom", {})
        listed = {f"{kind}.{name}" for kind in said.keys() - {"holds", "module"} for name in said[kind]}
        assert listed == points.keys(), package
        assert (ROOT / "packages" / package / "src" / said["module"] / "__init__.py").is_file()
        assert all(target.startswith(f"{said['module']}.") for target in points.values())
        assert said.keys() - {"holds", "module"} <= REGISTRIES.keys()


@pytest.fixture
def absent(monkeypatch):
    """The registry of studies as it is where a package is absent."""
    said = {"taskloom-tides": {"holds": "studies of tides", "module": "taskloom_tides", "study": ["tides", "ebb"]}}
    monkeypatch.setattr("taskloom.core.siblings.siblings", lambda: said)


def test_a_name_of_an_absent_package_is_answered_with_what_installs_it(absent):
    registry: Registry = Registry("study", {"own": "os:sep"})
    with pytest.raises(UserError) as caught:
        registry.get("tides")
    assert str(caught.value) == (
        "study tides: in the package taskloom-tides, which is not installed\n  " + sibling_command("taskloom-tides")
    )
    with pytest.raises(UserError, match="unknown study 'tide'; did you mean 'tides'"):
        registry.get("tide")
    with pytest.raises(UserError, match="unknown thing 'tides'"):
        Registry("thing", {"own": "os:sep"}).get("tides")


def test_what_is_there_is_not_said_to_be_absent(absent):
    assert absent_names("study", {"own", "ebb"}) == {"tides": "taskloom-tides"}
    assert absent_names("study", {"tides", "ebb"}) == {} == absent_names("scorer")
    assert absent_lines("study", {"own"}) == [
        "2 more in the package taskloom-tides (studies of tides), which is not installed:\n  "
        + sibling_command("taskloom-tides")
    ]


def test_a_list_ends_with_what_an_absent_package_would_bring(absent, capsys):
    assert main(["list", "studies"]) == 0
    assert "2 more in the package taskloom-tides" in capsys.readouterr().err
    assert main(["list", "scorers"]) == 0
    assert capsys.readouterr().err == ""


def test_a_module_of_an_absent_package_is_answered_alike(absent, monkeypatch, tmp_path):
    with pytest.raises(UserError, match=r"studies of tides: in the package taskloom-tides, which is not installed"):
        sibling("taskloom_tides.moon")
    with pytest.raises(UserError, match=r"^the moon: in the package taskloom-tides"):
        sibling("taskloom_tides.moon", "the moon")
    (tmp_path / "taskloom_tides").mkdir()
    (tmp_path / "taskloom_tides" / "__init__.py").touch()
    (tmp_path / "taskloom_tides" / "moon.py").write_text("import a_package_that_is_not_there\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    try:
        with pytest.raises(ModuleNotFoundError, match="a_package_that_is_not_there"):
            sibling("taskloom_tides.moon")
    finally:
        sys.modules.pop("taskloom_tides", None)


def test_a_package_of_ours_is_not_a_foreign_one(absent):
    """Its faults are ours, and another package takes no name of it away, in whichever order they are found."""
    broken: Registry = Registry("study", {})
    broken._add("tides", "os:nothing", "taskloom-tides")
    with pytest.raises(AttributeError):
        broken.get("tides")
    for order in (("taskloom-tides", "rival"), ("rival", "taskloom-tides")):
        registry: Registry = Registry("study", {})
        with pytest.warns(UserWarning, match="rival also offers study 'tides'; using taskloom-tides's own"):
            for origin in order:
                registry._add("tides", "os:sep" if origin == "taskloom-tides" else "os:nothing", origin)
        assert registry.get("tides") == "/" and registry.origin("tides") == "taskloom-tides"
