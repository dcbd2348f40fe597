"""Every study at its smallest scale, end to end, with what it writes; and what all of them promise."""

from __future__ import annotations

import re
from collections import defaultdict

import msgspec
import pytest

from taskloom.cli.main import main
from taskloom.core.catalog import STUDIES
from taskloom.studies.experiment import Experiment, recipe_for, run_study
from taskloom.studies.findings import write_study
from taskloom.studies.grid import RunStore

EXPERIMENTS = [name for name in STUDIES if isinstance(STUDIES.get(name), Experiment)]


@pytest.fixture(scope="module")
def shelf(tmp_path_factory) -> RunStore:
    """One shelf for all: what one study has trained serves the next."""
    return RunStore(tmp_path_factory.mktemp("shelf"))


@pytest.mark.train
@pytest.mark.parametrize("name", EXPERIMENTS)
def test_a_study_runs_and_says_something(name, shelf, tmp_path):
    pytest.importorskip("torch")
    study = STUDIES.get(name)
    assert isinstance(study, Experiment)
    result = run_study(study, recipe_for(study, "smoke"), scale="smoke", shelf=shelf)
    found = result.findings
    assert found.tables
    assert all(table.rows for table in found.tables)
    assert all(len(row) == len(table.columns) for table in found.tables for row in table.rows)
    # Every table says what its numbers are and what counts as one, or that they are as printed.
    assert [t.title for t in found.tables if not re.search("count.* once|as printed", t.title + t.note)] == []
    # Every table of scores has the level of guessing beside them.
    others = {"slope", "coefficient", "per doubling", "difference"}
    scored = [t for t in found.tables if any(c.endswith("low") for c in t.columns) and not others & {*t.columns}]
    assert [t.title for t in scored if not any(c.startswith("chance") for c in t.columns)] == []
    assert found.checks
    assert {check.verdict for check in found.checks} <= {"holds", "does not hold", "cannot tell"}
    # One seed decides nothing, and the page says of each expectation that it is open.
    assert [f"whether {check.claim}" in " ".join(found.sentences) for check in found.checks] == [
        check.verdict == "cannot tell" for check in found.checks
    ]
    assert result.cut
    files = {path.name for path in write_study(result, tmp_path / "out")}
    assert {"study.json", "study.md"} <= files
    assert sum(file.endswith(".svg") for file in files) == len(found.figures) > 0
    again = run_study(study, recipe_for(study, "smoke"), scale="smoke", shelf=shelf)
    assert again.done == 0
    assert again.plain() == result.plain()


def test_all_studies_make_a_site_and_say_what_each_took(tmp_path, monkeypatch, capsys):
    few = {name: STUDIES.get(name) for name in ("concur", "seti/tables")}
    monkeypatch.setattr("taskloom.cli.study.STUDIES", few)
    everything = ["study", "all", "--scale", "smoke", "--runs", str(tmp_path / "shelf"), "-o", str(tmp_path / "site")]
    for found in (0, 10):
        assert main(everything) == 0
        said = capsys.readouterr().out
        assert f"{10 - found} runs done, {found} found" in said
        assert "1 study in" in said
    assert set(msgspec.json.decode((tmp_path / "site" / "costs.json").read_bytes())["smoke"]) == {"concur"}
    assert "concur/index.html" in (tmp_path / "site" / "index.html").read_text()


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_a_study_has_a_name_a_question_and_three_scales(name):
    study = STUDIES.get(name)
    assert isinstance(study, Experiment)
    assert study.name == name
    assert study.summary.endswith("?")
    assert set(study.scales) == {"smoke", "tiny", "paper"}
    assert study.recipe is study.scales["tiny"]


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_tiny_never_goes_below_three_seeds(name):
    study = STUDIES.get(name)
    assert isinstance(study, Experiment)
    seeds = defaultdict(set)
    for arm in study.grid(study.scales["tiny"], 0):
        seeds[str(arm.factors)].add((arm.seed, arm.draw, arm.run.run_seed))
    assert all(len(found) >= 3 for found in seeds.values())
