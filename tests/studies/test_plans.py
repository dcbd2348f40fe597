"""Every run that a study plans at every scale, and what it would cost (see `tests/approved.py`)."""

from __future__ import annotations

from collections import Counter
from itertools import islice
from pathlib import Path

import pytest

from approved import approved, plain
from taskloom import open_suite
from taskloom.core import UserError
from taskloom.core.catalog import STUDIES
from taskloom.studies.cost import cost_table, measured_costs, needed, parameters, passed, rows_of
from taskloom.studies.experiment import Experiment
from taskloom.studies.grid import RunStore

EXPERIMENTS = sorted(name for name in STUDIES if isinstance(STUDIES.get(name), Experiment))


class Alike(RunStore):
    """Gives one suite for all."""

    def suite(self, arm):
        return SUITE


_DRAWN = open_suite("taskbench/lexical", seed=1, options={"tasks": 3, "train": 40, "dev": 5, "test": 9})
SUITE = _DRAWN.derive("sized", splits={"train": 120, "dev": 15, "test": 27, "probe": 30, "oracle": 60})


def test_every_plan(tmp_path):
    said = []
    for name in EXPERIMENTS:
        study = STUDIES.get(name)
        for scale, recipe in study.scales.items():
            arms = list(islice(study.grid(recipe, 0), 400))
            said.append(f"== {name} {scale}: {len(arms)} runs")
            said += [plain(arm) for arm in (arms[0], arms[len(arms) // 2], arms[-1])]
            for field in ("model", "adapt", "limit", "split", "encoding"):
                said.append(plain([field, Counter(str(getattr(arm.run, field)) for arm in arms)]))
            table = cost_table(arms[:40], Alike(tmp_path / "none"))
            said += [plain(table.columns), *map(plain, table.rows)]
        said += [plain(measured_costs(name)), needed(study.scales["tiny"], study.scales["paper"])]
    said.append(table.note)
    approved(Path(__file__).with_name("plans.txt"), "\n".join(said) + "\n")


@pytest.mark.parametrize(
    ("model", "size", "work"),
    [
        ("hf/google-t5/t5-base", 0.22, 0.22),
        ("hf/x-1.5B", 1.5, 1.5),
        ("hf/x-70m-of-1b", 1.0, 1.0),
        ("mock/oracle", None, 0.0),
        ("hf/gpt2", 0.124, 0.124),
        ("hf/unknown", None, None),
    ],
)
def test_a_name_tells_the_size_of_a_model(model, size, work):
    assert (parameters(model), passed(model)) == (pytest.approx(size), pytest.approx(work))


def test_the_rows_of_a_split_that_does_not_count_them_are_those_of_the_recipe():
    assert [rows_of(SUITE, split) for split in ("train", "probe", "other")] == [120, 30, 0]
    assert [rows_of(_DRAWN, split) for split in ("train", "dev", "other")] == [120, 15, 0]


def test_a_study_without_tasks_costs_nothing_and_says_so(tmp_path):
    study = STUDIES.get("concur")
    arms = list(study.grid(study.scales["smoke"], 0))

    class Empty(RunStore):
        def suite(self, arm):
            return SUITE.derive("empty", tasks={}, splits={})

    table = cost_table(arms, Empty(tmp_path / "none"))
    assert table.rows[-1][:3] == ("all", 0, 0)
    with pytest.raises(UserError):
        open_suite("no/such")
