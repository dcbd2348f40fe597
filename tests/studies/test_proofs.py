"""What must be found even with small models, at tiny scale: minutes each, so `make test-proofs` runs them."""

from __future__ import annotations

import pytest

from taskloom.core.catalog import STUDIES
from taskloom.studies.experiment import Experiment, recipe_for, run_study
from taskloom.studies.grid import RunStore

_FOUND = {
    "babi/in-and-out": ("tiny/entnet falls from concat(t7) to mix(t7)",),
    "babi/enrich": ("tiny/bidaf does better on mix(t7) after diverse than after concat",),
    "seti/systematicity": ("the verb alone answers task 3 by verb, so that solving it shows no composition",),
    "taskbench/memorise": (
        "fine-tuning untrained tiny/t5-1m memorises random pairs",
        "prompt-tuning untrained tiny/t5-1m does not memorise random pairs",
    ),
}


@pytest.fixture(scope="module")
def shelf(tmp_path_factory) -> RunStore:
    """What one study has trained serves the next."""
    return RunStore(tmp_path_factory.mktemp("shelf"))


@pytest.mark.proof
@pytest.mark.train
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("name", _FOUND)
def test_what_must_be_found_is_found(name, shelf):
    pytest.importorskip("torch")
    study = STUDIES.get(name)
    assert isinstance(study, Experiment)
    recipe = recipe_for(study, "tiny")
    assert recipe.seeds >= 3
    verdicts = {check.claim: check.verdict for check in run_study(study, recipe, shelf=shelf).findings.checks}
    assert {claim: verdicts[claim] for claim in _FOUND[name]} == dict.fromkeys(_FOUND[name], "holds")
