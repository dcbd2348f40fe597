"""What one study has trained serves the others: at tiny scale no training is done twice for want of equal settings."""

from __future__ import annotations

import msgspec
import pytest

from taskloom.core.catalog import STUDIES
from taskloom.studies.grid import unique


def _trainings(name):
    study = STUDIES.get(name)
    arms = unique(study.grid(study.scales["tiny"], 0))
    return {msgspec.json.encode(msgspec.structs.replace(arm, factors={})) for arm in arms if arm.trains}


@pytest.mark.parametrize(
    ("first", "others"),
    [
        ("babi/enrich", ("babi/in-and-out", "babi/give", "concur")),
        ("taskbench/compose", ("taskbench/predict",)),
        ("superni/unseen", ("superni/metric-check",)),
    ],
)
def test_a_study_needs_no_training_beyond_anothers(first, others):
    known = _trainings(first)
    assert known
    for name in others:
        assert _trainings(name) <= known, name


@pytest.mark.parametrize(
    ("first", "second", "shared"), [("babi/enrich", "babi/inoculate", 3), ("seti/systematicity", "seti/few-shot", 6)]
)
def test_studies_share_what_they_have_in_common(first, second, shared):
    assert len(_trainings(first) & _trainings(second)) == shared


def test_atoms_of_unions_are_trained_once():
    atoms = {arm for arm in _trainings("taskbench/mass") if b"balanced" not in arm}
    assert len(atoms) == 9
    assert atoms <= _trainings("taskbench/compose")
