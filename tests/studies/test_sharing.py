"""What one study has trained serves the others: at tiny scale no training is done twice for want of equal settings."""

from __future__ import annotations

import msgspec
import pytest

from taskloom.core import open_suite
from taskloom.core.catalog import STUDIES
from taskloom.studies.grid import unique


def _trainings(name):
    study = STUDIES.get(name)
    arms = unique(study.grid(study.scales["tiny"], 0))
    return {msgspec.json.encode(msgspec.structs.replace(arm, factors={})) for arm in arms if arm.trains}


@pytest.mark.parametrize(
    ("first", "others"),
    [
        ("babi/in-and-out", ("babi/give", "concur")),
        ("taskbench/compose", ("taskbench/predict",)),
    ],
)
def test_a_study_needs_no_training_beyond_anothers(first, others):
    known = _trainings(first)
    assert known
    for name in others:
        assert _trainings(name) <= known, name


@pytest.mark.parametrize(
    ("first", "second", "shared"),
    [
        ("superni/encodings", "superni/scaling", 3),
    ],
)
def test_studies_share_what_they_have_in_common(first, second, shared):
    assert len(_trainings(first) & _trainings(second)) == shared


def test_atoms_of_unions_are_trained_once():
    atoms = {arm for arm in _trainings("taskbench/mass") if b"balanced" not in arm}
    assert len(atoms) == 12
    assert atoms <= _trainings("taskbench/compose")


@pytest.mark.parametrize("name", ["superni/unseen", "superni/encodings", "superni/scaling", "zest/competence"])
def test_every_suite_of_tiny_scale_opens(name):
    study = STUDIES.get(name)
    asked = {(arm.suite, str(arm.options)): arm for arm in study.grid(study.scales["tiny"], 0) if not arm.seed}
    for arm in asked.values():
        assert open_suite(arm.suite, seed=0, options=arm.options).tasks
