"""What the studies of SETI say, fed with answers whose truth is known."""

from __future__ import annotations

from taskloom.ask.judge import ScoredReading
from taskloom.core import AnyOf
from taskloom.run.record import Record
from taskloom.run.session import RunSettings
from taskloom.studies.analysis import over_seeds
from taskloom.studies.frame import Frame, Observation
from taskloom.studies.grid import Arm
from taskloom.studies.seti import SYSTEMATICITY, explained

_VERB, _NATURAL = "task3-nontrivial-verb", "task3-nontrivial-natural"


def _asked(setting, tested, right, seeds=3, n=50):
    found = []
    for seed in range(seeds):
        factors = {"model": "m", "setting": setting, "tested": tested}
        arm = Arm(factors=factors, suite=f"seti/{setting}", seed=seed, run=RunSettings(model="m", run_seed=seed))
        for place in range(n):
            score = float(place < right * n)
            reading = ScoredReading("a", score, "", {})
            record = Record(task="t", id=str(place), state="scored", strict=reading, scorer="exact", raw="",
                            raw_length=0, targets=AnyOf(("a",)), prompt="", prompt_hash="")  # fmt: skip
            found.append(Observation(arm, record, score, {}))
    return found


def test_solving_what_a_shortcut_solves_shows_no_composition():
    frame = Frame([*_asked(_VERB, "compositional", 1.0), *_asked(_NATURAL, "compositional", 1.0)])
    sure, unsure = over_seeds([1.0] * 3, 2000), over_seeds([0.5, 0.6, 0.5], 2000)
    shortcuts = {(_VERB, "verb only"): sure, (_VERB, "majority"): unsure, (_NATURAL, "verb only"): unsure}
    (said,) = explained(frame, shortcuts)
    assert said == (
        f"m answers 1.000 of the unseen compositions of {_VERB}, but so do shortcuts (verb only): "
        "that shows no composition."
    )
    assert explained(Frame(_asked(_VERB, "compositional", 0.5)), shortcuts) == []


def test_a_fall_is_told_where_seeds_agree():
    frame = Frame([*_asked(_NATURAL, "compositional", 0.1), *_asked(_NATURAL, "in distribution", 0.9)])
    recipe = SYSTEMATICITY.scales["tiny"]
    found = SYSTEMATICITY.analyse(frame, type(recipe)(models=("m",), probed=0))
    assert [(check.claim, check.verdict) for check in found.checks] == [
        (f"m falls on unseen compositions of {_NATURAL}", "holds")
    ]
