"""reasoning-gym takes suites and gives datasets, with equal scores both ways."""

from __future__ import annotations

import pytest

from hosts.live.shared import COUNT, SUITES, run_blocks, said
from taskloom import open_suite, run_suite
from taskloom.rl import reward
from taskloom.rl.columns import pack_targets

# Datasets from every category of the package.
DATASETS = ("leg_counting", "basic_arithmetic", "countdown", "sudoku", "graph_color", "knights_knaves", "rubiks_cube",
            "shortest_path", "simple_equations", "word_ladder")  # fmt: skip


@pytest.mark.parametrize("name", SUITES)
@pytest.mark.parametrize("model", ["oracle", "half"])
def test_scores_are_ours(name, model, ours):
    import reasoning_gym

    import taskloom.hosts.reasoning_gym

    data = reasoning_gym.create_dataset("taskloom", suite=name, seed=3, size=COUNT, options=SUITES[name])
    theirs = {
        (entry["metadata"]["task"], entry["metadata"]["id"]): data.score_answer(
            said(model, entry["question"], entry["answer"]), entry
        )
        for entry in data
    }
    assert theirs == ours(name, model)
    assert taskloom.hosts.reasoning_gym.TaskloomDataset is type(data)


@pytest.mark.parametrize("name", DATASETS)
def test_its_datasets_are_suites(name, tmp_path):
    import reasoning_gym

    suite = open_suite(f"reasoning-gym/{name}", seed=1, options={"train": 5, "dev": 3, "test": 8})
    splits = {split: [row.instance.input for row in suite.rows(split)] for split in suite.splits}
    assert len(splits["test"]) == 8 and not set(splits["test"]) & set(splits["train"])
    run = run_suite(suite, model="mock/oracle", folder=tmp_path / "run")
    checker = reasoning_gym.create_dataset(name, size=1, seed=0)
    import msgspec

    from taskloom.families.gym.family import revive

    rows = {(row.task, row.instance.id): row for row in suite.rows("test")}
    for record in run.records:
        entry = revive(msgspec.json.decode(rows[record.key].instance.targets.entry)["entry"])
        assert record.strict.score == pytest.approx(min(1.0, max(0.0, checker.score_answer(record.raw, entry))))


def test_hostile_answers_are_worth_nothing():
    suite = open_suite("reasoning-gym/simple_equations", options={"test": 1, "train": 0, "dev": 0})
    (row,) = suite.rows("test")
    hostile = ["9**9**9", "__import__('os')", "x" * 10_000_000, "\x00", "\ud800", "[" * 100_000, "</think>" * 100_000]
    right = [pack_targets(row.instance.targets)] * len(hostile)
    for reading in ("strict", "lenient", "shaped"):
        values = reward(suite, reading)(completions=hostile, targets=right)
        assert all(value is not None and value < 1 for value in values)


def test_the_page(tmp_path):
    shown = run_blocks("reasoning-gym", tmp_path)
    assert shown[0].strip().endswith("1.0")
