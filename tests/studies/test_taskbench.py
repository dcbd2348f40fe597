"""The status study at a small size and with the full resources where they are, and what unions without mass show."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from taskloom.core import resolve
from taskloom.core.catalog import STUDIES
from taskloom.studies.experiment import printed
from taskloom.studies.taskbench.memory import unmoved


def test_status_of_a_part(tmp_path: Path) -> None:
    study = STUDIES.get("taskbench/status")
    tables = study.run(resolve(study.recipe, {"part": "intersection"}, where="study"), 0, tmp_path)
    summary, domains, tasks = tables
    assert summary.rows[-1][:2] == ("all", 3)
    assert {row[0] for row in domains.rows} >= set(printed("taskbench", "domains").column("atom"))
    assert [row[2] for row in tasks.rows] == ["built"] * 3
    assert len(json.loads((tmp_path / "status.json").read_text())) == 3


@pytest.mark.proof
def test_domains_with_the_full_resources(reference: Path) -> None:
    study = STUDIES.get("taskbench/status")
    options = {"part": "intersection", "resources": str(reference / "taskbench")}
    _, domains, _ = study.run(resolve(study.recipe, options, where="study"), 0, None)
    assert all(here == there for _, here, there in domains.rows)


def test_a_model_that_gives_no_side_any_mass_is_said_to_show_little() -> None:
    def row(model: str, easier: float, harder: float) -> tuple[object, ...]:
        return model, "finetune", "all answers", "a ∪ b", "a", "b", easier, harder, 9, 0.5, 0.5

    (said,) = unmoved([row("weak", 0.0004, 0.0017), row("weak", 0.001, 0.001), row("strong", 0.3, 0.001)])
    assert said.startswith("weak by finetune gives no side more than 0.0017 of the probability")
