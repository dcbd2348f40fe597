"""Tasks that people write: probed, taught and reported by the skills that they name."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from taskloom import UserError, open_suite, run_suite
from taskloom.run.session import RunSettings
from taskloom.studies.frontier import SearchSettings, probe_model
from taskloom.studies.frontier.cure import CureSettings, cure_model
from taskloom.studies.frontier.static import study_run

FILE = """
import taskloom

@taskloom.task(definition="Add the two numbers and write the sum.", right=[("1 + 1", 2, "Two.")])
def addition(rng):
    a, b = rng.randint(0, 999), rng.randint(0, 999)
    return f"{a} + {b}", a + b, {"carry"} if a % 10 + b % 10 > 9 else set()
"""


def cannot_carry(prompt: str) -> str:
    a, b = map(int, re.findall(r"(\d+) \+ (\d+)", prompt)[-1])
    return str(a + b - 10 * (a % 10 + b % 10 > 9))


@pytest.fixture
def file(tmp_path: Path) -> Path:
    (tmp_path / "sums.py").write_text(FILE)
    return tmp_path / "sums.py"


def test_what_a_function_lacks_is_found_and_taught(file, tmp_path):
    suite = open_suite(file, options={"test": 30})
    probe = tmp_path / "probe"
    found = probe_model(suite, probe, RunSettings(model=cannot_carry), SearchSettings(budget=400))
    assert [claim.whole.cell for claim in found.claims] == ["addition: carry"]
    lessons = []

    def train(taught, dose, place):
        lessons.append(list(taught.rows("train")))
        return RunSettings(model=cannot_carry).model

    settings = CureSettings(doses=(4,), rehearse=1.0, budget=100)
    cure = cure_model(probe, "function/any", tmp_path / "cure", settings, suite=str(file), train=train)
    taught = [row for row in lessons[0] if row.instance.id.startswith("taught")]
    assert len(taught) == 4 and all(row.instance.facets["skills"] == ("carry",) for row in taught)
    assert cure.missing == ("addition: carry",)
    with pytest.raises(UserError, match="suite FILE.py"):
        cure_model(probe, "function/any", tmp_path / "other", settings, train=train)
    file.write_text(FILE.replace("999", "99"))
    with pytest.raises(UserError, match="is not the suite that was probed"):
        cure_model(probe, "function/any", tmp_path / "other", settings, suite=str(file), train=train)


def test_a_finished_run_suggests_a_frontier_by_its_skills(file, tmp_path):
    run = run_suite(open_suite(file, options={"test": 200}), model=cannot_carry, folder=tmp_path / "run")
    found = study_run(run)
    assert found.by == ("skills",)
    assert any("falls to 0.00" in sentence and "carry" in sentence for sentence in found.sentences())
    assert {key[0] for key in run.by_facet("skills")} >= {"carry"}
