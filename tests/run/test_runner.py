"""Settings of a run: their defaults, and what is refused before anything is asked."""

from __future__ import annotations

import pytest

from records import chain
from taskloom.core import UserError, open_suite
from taskloom.run import runner as module
from taskloom.run.runner import Outcome, launch, run_suite
from taskloom.run.session import RunSettings


def test_the_settings_have_the_defaults_of_the_command_line():
    plain = RunSettings(model="m")
    assert (plain.cache, plain.samples, plain.wordings, plain.run_seed, plain.limit) == (True, 1, 1, 0, None)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"limit": 0}, "a limit must be 1 or more, not 0"),
        ({"samples": 0}, "1 or more samples are asked for, not 0"),
        ({"samples": 2}, "without randomness every sample would be the same"),
        ({"batch_size": 0}, "a batch has 1 or more requests, not 0"),
        ({"split": "tset"}, "unknown split 'tset'"),
        ({"wordings": 0}, "wording"),
        ({"encoding": "plane"}, "plane"),
        ({"generation": {"max_tokens": 0}}, "max_tokens"),
    ],
)
def test_what_makes_no_sense_is_refused_before_the_folder_is_touched(tmp_path, settings, words):
    with pytest.raises(UserError, match=words):
        launch(open_suite("babi/task-1"), tmp_path / "run", RunSettings(model="mock/oracle", **settings))
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("settings", [{"limit": 1}, {"samples": 1}, {"batch_size": 1, "limit": 2}])
def test_the_least_there_is_can_be_asked(tmp_path, settings):
    run = run_suite("babi/task-1", model="mock/oracle", folder=tmp_path / "run", **{"limit": 3, **settings})
    assert len(run.records) == settings.get("limit", 3)


class Adapting:
    """Notes what it is asked to do."""

    name = "finetune"

    def __init__(self, seen):
        self.seen = seen

    def check(self, model, suite):
        self.seen.append("check")

    def check_asked(self, suite, split):
        self.seen.append(f"asked {split}")

    def adapt(self, model, suite, encoding, folder, *, seed):
        self.seen.append(("adapt", folder.name, folder.exists(), seed))
        return model

    def wrap(self, encoding, suite, seed):
        return encoding

    def describe(self):
        return {"name": self.name}


@pytest.fixture
def watched(monkeypatch):
    """A run whose steps are noted: what is checked, adapted, remembered and closed."""
    seen = []
    real = module.open_session

    def open_session(suite, settings, model=None):
        session = real(suite, settings, model)
        session.adaptation = Adapting(seen)
        session.check_weights = lambda split: seen.append(f"weights {split}")
        session.close = lambda: seen.append("closed")
        return session

    monkeypatch.setattr(module, "open_session", open_session)
    monkeypatch.setattr(module, "remember", lambda plan, folder: seen.append(("remembered", folder.name)))
    return seen


def asked(folder, **settings):
    run = RunSettings(model="mock/oracle", limit=2, cache=False, **settings)
    return launch(open_suite("babi/task-1"), folder, run)


def test_the_steps_of_a_run(tmp_path, watched):
    outcome = asked(tmp_path / "run", run_seed=3)
    assert outcome.scored == 2
    steps = ["check", "asked test", "weights test", ("adapt", "adaptation", True, 3), ("remembered", "run"), "closed"]
    assert watched == steps
    assert asked(tmp_path / "run", run_seed=3).resumed == 2 and watched == 2 * steps, "again in the same folder"


def test_a_helper_trains_and_asks_nothing(tmp_path, watched, monkeypatch):
    monkeypatch.setattr(module, "is_helper", lambda: True)
    assert asked(tmp_path / "run", run_seed=3) == Outcome(0, 0, 0, 0, 0, False)
    assert watched == ["check", "asked test", "weights test", ("adapt", "adaptation", False, 3), "closed"]
    assert not (tmp_path / "run").exists()


def test_a_model_that_was_opened_by_others_stays_open(tmp_path, watched):
    from taskloom.core.model import open_model

    model = open_model("mock/oracle", {})
    run = RunSettings(model="mock/oracle", limit=1, cache=False)
    launch(open_suite("babi/task-1"), tmp_path / "run", run, model=model)
    assert "closed" not in watched and ("remembered", "run") in watched


def test_a_run_with_failures_is_not_remembered(tmp_path, watched):
    failing = dict.fromkeys(("stall", "truncate", "rubbish", "empty", "flood"), 0.0) | {"fail": 1.0}
    run = RunSettings(model="mock/flaky", model_options=failing, limit=2, cache=False)
    assert launch(open_suite("babi/task-1"), tmp_path / "run", run).errored == 2
    assert watched[-1] == "closed" and not any(step[0] == "remembered" for step in watched)


@pytest.mark.parametrize("name", ["none", "in-context"])
def test_what_needs_no_training_leaves_no_folder(tmp_path, watched, name, monkeypatch):
    monkeypatch.setattr(Adapting, "name", name)
    asked(tmp_path / "run")
    assert not any(step[0] == "adapt" for step in watched) and not (tmp_path / "run" / "adaptation").exists()


@pytest.mark.parametrize(("reuse", "taken"), [(True, ["adopt"]), (False, [])])
def test_a_finished_run_is_taken_over_where_it_is_wished(tmp_path, watched, monkeypatch, caplog, reuse, taken):
    seen = []
    monkeypatch.setattr(module, "adopt", lambda plan, folder: bool(seen.append("adopt")) or True)
    run = RunSettings(model="mock/oracle", limit=1, cache=False, protocol="chat")
    with caplog.at_level("INFO"):
        launch(open_suite("babi/task-1"), tmp_path / "run", run, reuse=reuse)
    assert seen == taken and ("reusing the log of mock/oracle" in caplog.text) == reuse
    assert "chat" in caplog.text, "the protocol and the reason for it"


def test_what_is_mistyped_is_said_in_a_sentence(tmp_path):
    with pytest.raises(UserError, match="run_suite: limit is a whole number or None, not '5'"):
        run_suite("babi/task-1", model="mock/oracle", folder=tmp_path / "run", limit="5")
    run = run_suite("babi/task-1", model="mock/oracle", folder=tmp_path / "run", limit=1, generation={"max_tokens": 7})
    assert run.plan.generation["max_tokens"] == 7 and run.plan.limit == 1


def test_the_folder_of_another_run_is_refused(tmp_path, watched):
    asked(tmp_path / "run")
    before = chain(tmp_path / "run")
    with pytest.raises(UserError, match="the log of another run"):
        asked(tmp_path / "run", run_seed=9)
    assert chain(tmp_path / "run") == before and watched[-1] == "closed"
