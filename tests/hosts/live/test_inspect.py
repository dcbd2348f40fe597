"""Inspect runs every family through the entry point, and its scores are ours."""

from __future__ import annotations

import pytest

from hosts.live.shared import COUNT, SUITES, run_blocks, said
from taskloom.hosts.imports import import_log
from taskloom.rl.reward import chat_text


@pytest.mark.parametrize("name", SUITES)
@pytest.mark.parametrize("model", ["oracle", "half"])
def test_scores_are_ours(name, model, ours, tmp_path, monkeypatch):
    from inspect_ai import eval as inspect_eval

    from taskloom.hosts import inspect_tasks

    monkeypatch.setattr(inspect_tasks, "right_or_wrong", said)
    options = {"suite": name} if "[" in name else {}
    task = "taskloom/open" if options else f"taskloom/{name}"
    (log,) = inspect_eval(
        task, model=f"taskloom/{model}", task_args={"seed": 3, "n": COUNT, **options, **SUITES[name]},
        log_dir=str(tmp_path / "logs"), display="none",
    )  # fmt: skip
    assert log.status == "success", log.error
    theirs = {}
    for sample in log.samples:
        kept = sample.metadata["taskloom"]
        assert chat_text(kept["prompt"])
        theirs[kept["task"], kept["id"]] = sample.scores["taskloom_reading"].value
    expected = ours(name, model, "chat")
    assert theirs == expected
    (mean,) = [metric.value for key, metric in log.results.scores[0].metrics.items() if key == "mean"]
    assert mean == pytest.approx(sum(expected.values()) / len(expected))
    # And back again: the log becomes a run with the same scores.
    found = import_log("inspect", log.location, tmp_path / "run")
    assert {record.key: record.score for record in found.run.records} == expected
    assert (found.unmatched, found.run.plan.data_seed) == (0, 3)


def test_the_page(tmp_path):
    (shown,) = run_blocks("inspect", tmp_path)
    assert "where-person" in shown and "20 outputs matched, 0 match no row" in shown
