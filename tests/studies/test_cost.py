"""The dry run times a few updates on this machine; trainings then take what it says, within a factor of two."""

from __future__ import annotations

import time
from collections import Counter

import pytest
from msgspec import structs

from taskloom.core import UserError
from taskloom.core.catalog import STUDIES
from taskloom.run.session import RunSettings
from taskloom.studies.cost import Cost, MachineRate, cost_table, time_training
from taskloom.studies.grid import Arm, InProcess, RunStore

TRAININGS = {
    "words": ("taskbench/sex_or_gender", {"dev": 0, "train": 300}, "tiny/t5-1m", "finetune", {"updates": 300}),
    "soft prompts": ("taskbench/occupation", {"dev": 0, "train": 300}, "tiny/t5-1m", "prompt-tune", {"updates": 250}),
    "stories": (
        "babi/concat-t2", {"train": 400, "dev": 40, "test": 100, "mix": 0}, "tiny/entnet", "finetune", {"updates": 120},
    ),
}  # fmt: skip


def _arm(name):
    suite, options, model, adapt, fitted = TRAININGS[name]
    fitted = {"batch": 16, **fitted, "epochs": 1e6, "keep": "last", "evaluate_updates": 40, "evaluate_limit": 20}
    run = RunSettings(model=model, adapt=adapt, adapt_options=fitted, split="test", limit=50, cache=False)
    return Arm(factors={}, suite=suite, options=options, run=run)


@pytest.mark.proof
@pytest.mark.parametrize("name", TRAININGS)
def test_a_training_takes_what_a_few_updates_of_it_foretell(name, tmp_path, monkeypatch):
    pytest.importorskip("torch")
    monkeypatch.setenv("TASKLOOM_ADAPTATIONS", str(tmp_path / "store"))
    arm, shelf = _arm(name), RunStore(tmp_path / "runs")
    table = cost_table([arm], shelf, timed=True)
    foretold = dict(zip(table.columns, table.rows[-1], strict=True))["CPU hours here"] * 3600
    before = time.process_time()
    shelf.fill([arm], InProcess())
    taken = time.process_time() - before
    assert foretold / 2 < taken < foretold * 2, (foretold, taken)


@pytest.mark.train
def test_the_machine_is_timed_on_the_studys_own_training(tmp_path):
    pytest.importorskip("torch")
    rate = time_training(_arm("words"), RunStore(tmp_path))
    assert rate.model == "tiny/t5-1m"
    assert min(rate.trained, rate.asked, rate.operations) > 0
    # Nothing is left behind, and nothing that is shared was filled.
    assert not list(tmp_path.iterdir())


@pytest.mark.train
def test_a_dry_run_does_not_draw_all_that_a_paper_trains_on(tmp_path):
    """To collect the words of 63,000 stories took 97 CPU seconds, of four updates."""
    pytest.importorskip("torch")
    furthest = Counter()

    class Counting(RunStore):
        def suite(self, arm):
            suite = super().suite(arm)

            def draw(split):
                for place, row in enumerate(suite.draw(split), start=1):
                    furthest[split] = max(furthest[split], place)
                    yield row

            return suite.derive("counted", draw=draw)

    arm = structs.replace(_arm("stories"), options={"train": 6_000, "dev": 40, "test": 100, "mix": 0})
    time_training(arm, Counting(tmp_path))
    assert 0 < furthest["train"] < 6_000


def test_models_that_were_not_timed_follow_their_operations():
    rate = MachineRate("tiny/t5-1m", start=2.0, trained=1e-3, asked=1e-4, operations=1.25e13)
    timed, other = _arm("words"), Arm(factors={}, suite="s", run=RunSettings(model="hf/google-t5/t5-base"))
    assert rate.hours(Cost(timed, asked=1e4, trained=1e4, hours=9.0)) * 3600 == pytest.approx(10 + 1)
    # One hour of a GPU with ten times the operations.
    assert rate.hours(Cost(other, asked=1e4, trained=1e4, hours=1.0)) == pytest.approx(10)
    assert rate.hours(Cost(other, asked=1e4, trained=1e4, hours=None)) is None


def test_a_study_that_trains_nothing_is_not_timed(tmp_path):
    study = STUDIES.get("concur")
    table = cost_table(list(study.grid(study.scales["smoke"], 0)), RunStore(tmp_path), timed=True)
    assert "CPU hours here" not in table.columns


def test_a_training_split_without_rows_is_named(tmp_path):
    name, options, model, adapt, fitted = TRAININGS["words"]
    run = RunSettings(model=model, adapt=adapt, adapt_options=fitted, split="test", limit=5, cache=False)
    arm = Arm(factors={}, suite=name, options={**options, "train": 0}, run=run)
    with pytest.raises(UserError, match="split train has no rows to train on"):
        cost_table([arm], RunStore(tmp_path), timed=False)
