"""The ways to start a run agree: what `run_suite` offers is what `RunSettings` has, with the same defaults."""

from __future__ import annotations

import inspect

import msgspec
import pytest

from taskloom.core import UserError, open_suite
from taskloom.run.runner import RunSettings, launch, run_suite


def test_run_suite_has_the_options_and_defaults_of_the_settings():
    offered = inspect.signature(run_suite).parameters
    fields = {field.name: field for field in msgspec.structs.fields(RunSettings)}
    assert set(offered) - set(fields) == {"suite", "folder"} and set(fields) - set(offered) == {"command"}
    for name, field in fields.items():
        if name not in ("model", "command"):
            default = field.default if field.default is not msgspec.NODEFAULT else field.default_factory()
            assert offered[name].default == (None if default == {} else default), name
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
