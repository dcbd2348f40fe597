"""Trackers get every evaluation through accelerate's interface, and none is asked for by default."""

from __future__ import annotations

import pytest

from taskloom.adapt import make_adaptation
from taskloom.adapt.curves import read_curve
from taskloom.core import UserError

pytestmark = pytest.mark.train

pytest.importorskip("torch")
SHORT = {"updates": 2, "batch": 4, "evaluate_updates": 1, "evaluate_limit": 2, "max_output": 3}


def test_every_evaluation_is_reported(pairs, small_model, plain, tmp_path, monkeypatch):
    accelerate = pytest.importorskip("accelerate")
    tracking = accelerate.tracking
    accelerate.state.PartialState._reset_state()
    seen = []

    class Noted(tracking.GeneralTracker):
        name, requires_logging_directory, main_process_only = "noted", True, False

        def __init__(self, run_name, logging_dir, **more):
            super().__init__()
            accelerate.logging.get_logger("noted").info("trackers log through accelerate")
            seen.append(("open", run_name))

        @property
        def tracker(self):
            return None

        def store_init_configuration(self, values):
            seen.append(("settings", values["batch"]))

        def log(self, values, step=None, **more):
            seen.append((step, values))

        def finish(self):
            seen.append("closed")

    monkeypatch.setitem(tracking.LOGGER_TYPE_TO_CLASS, "tensorboard", Noted)
    suite = pairs(train=8, dev=2)
    adaptation = make_adaptation("finetune", {**SHORT, "tracker": "tensorboard"})
    adaptation.adapt(small_model("t5", suite), suite, plain, tmp_path, seed=0)
    points = read_curve(tmp_path / "curve.jsonl")
    assert seen[0] == ("open", "hf-small-t5-finetune-toy-pairs"), "W&B refuses slashes"
    assert seen[1] == ("settings", 4) and seen[-1] == "closed"
    assert [step for step, _ in seen[2:-1]] == [point.update for point in points]
    assert [values["dev"] for _, values in seen[2:-1]] == [point.scores["dev"] for point in points]


def test_an_unknown_tracker_is_refused():
    with pytest.raises(UserError, match="tracker"):
        make_adaptation("finetune", {"tracker": "tensorbord"})


def test_a_tracker_that_does_not_start_is_one_sentence(monkeypatch, tmp_path):
    accelerate = pytest.importorskip("accelerate")
    from taskloom.adapt.loop import open_tracker

    def refuse(run, **more):
        raise RuntimeError("no account\nat all")

    refuse.requires_logging_directory = False
    monkeypatch.setitem(accelerate.tracking.LOGGER_TYPE_TO_CLASS, "wandb", refuse)
    with pytest.raises(UserError, match="wandb does not start: RuntimeError: no account$"):
        open_tracker("wandb", "a/b", tmp_path, {}).__enter__()
