"""The analyses of the studies of Super-NaturalInstructions, fed with numbers whose truth is known."""

from __future__ import annotations

from math import log2

import pytest

from taskloom.ask.judge import ScoredReading
from taskloom.core import AnyOf
from taskloom.run.record import Record
from taskloom.run.session import RunSettings
from taskloom.studies.experiment import recipe_for
from taskloom.studies.frame import Frame, Observation
from taskloom.studies.grid import Arm
from taskloom.studies.superni.experiments import SCALING, UNSEEN, ScalingRecipe


def _asked(factors, seed, scores, **facets):
    """One run: a score for each instance of each task."""
    arm = Arm(factors=factors, suite="s", seed=seed, run=RunSettings(model=str(factors["model"]), run_seed=seed))
    reading = ScoredReading("a", 1.0, "", {})
    return [
        Observation(
            arm,
            Record(task=task, id=str(place), state="scored", strict=reading, scorer="rouge-l", raw="", raw_length=0,
                   targets=AnyOf(("a",)), prompt="", prompt_hash=""),
            score,
            {"category": "c", **facets},
        )
        for task, found in scores.items()
        for place, score in enumerate(found)
    ]  # fmt: skip


def _scaled(models, tasks=(8, 64), instances=(8,)):
    """ROUGE-L that grows by 0.02 with each doubling of tasks and by 0.05 with each of the model."""
    found = []
    for model, size in models.items():
        for seed in range(3):
            for varied, amounts in (("tasks", tasks), ("instances", instances)):
                for amount in amounts:
                    score = 0.1 + 0.02 * log2(amount) + 0.05 * log2(size)
                    factors = {"model": model, "varied": varied, "amount": amount}
                    found += _asked(factors, seed, {"t": [score] * 4, "u": [score] * 4})
    recipe = ScalingRecipe(models=tuple(models), tasks=tasks, instances=instances)
    return SCALING.analyse(Frame(found), recipe)


def test_growth_with_tasks_and_with_the_model_is_found_again():
    found = _scaled({"hf/x-1b": 1, "hf/x-2b": 2, "hf/x-4b": 4})
    gains = {row[:2]: row[2:] for row in found.tables[1].rows}
    assert gains["hf/x-2b", "tasks"][0] == pytest.approx(0.02)
    slope, low, high, r2, points = gains["all models", "billions of parameters"]
    assert slope == pytest.approx(0.05)
    assert low <= 0.05 <= high
    assert (r2, points) == (pytest.approx(1.0), 9)
    assert [figure.title for figure in found.figures][-1] == "ROUGE-L by billions of parameters"
    assert [(check.claim, check.verdict) for check in found.checks][-1] == ("each doubling of the model helps", "holds")
    assert "worth 2.50 doublings of the tasks" in found.sentences[-1]


def test_two_trainings_have_a_slope_and_no_interval():
    frame = [
        one
        for amount, score in ((8, 0.1), (16, 0.2))
        for varied in ("tasks", "instances")
        for one in _asked({"model": "m", "varied": varied, "amount": amount}, 0, {"t": [score] * 4})
    ]
    found = SCALING.analyse(Frame(frame), ScalingRecipe(models=("m",), tasks=(8, 16), instances=(8, 16)))
    assert found.tables[1].rows[0][2:5] == (pytest.approx(0.1), None, None)
    assert {check.verdict for check in found.checks} == {"cannot tell"}
    assert all("0.100 without an interval" in check.evidence for check in found.checks)


def test_one_size_of_model_says_nothing_about_sizes():
    found = _scaled({"hf/x-1b": 1})
    assert not any(
        "parameters" in str(row) for table in found.tables for row in table.rows if table.title[:4] == "Gain"
    )
    assert len(found.figures) == 2


def _row(fitted, model, scores):
    factors = {"track": "English", "model": model, "fitted": fitted}
    return [one for seed in range(3) for one in _asked(factors, seed, scores)]


def test_tasks_are_set_against_the_better_of_two_heuristics():
    frame = Frame(
        [
            *_row("heuristic", "mock/copy-input", {"easy": [0.5] * 20, "hard": [0.0] * 20}),
            *_row("heuristic", "mock/copy-demo", {"easy": [0.1] * 20, "hard": [0.2] * 20}),
            *_row("untuned", "m", {"easy": [0.1] * 20, "hard": [0.1] * 20}),
            *_row("tuned on other tasks", "m", {"easy": [0.4] * 20, "hard": [1.0] * 20}),
        ]
    )
    found = UNSEEN.analyse(frame, UNSEEN.scales["tiny"])
    rows = {(row[2], row[3]): row[4:] for row in found.tables[1].rows}
    score, copied, gain, low, high, n = rows["tuned on other tasks", "easy"]
    assert (score, copied, gain) == pytest.approx((0.4, 0.5, -0.1))
    assert low < gain < high
    assert n == 60
    assert rows["tuned on other tasks", "hard"][1:3] == pytest.approx((0.2, 0.8))
    drawn = found.figures[-1]
    assert drawn.title == "Gain over the better copying heuristic: m, English"
    # The paper's Figures 11 and 12 show the model tuned on other tasks alone, the task it gains most on first.
    assert [point.name for point in drawn.points] == ["hard", "easy"]


def test_the_cross_lingual_track_asks_spanish_of_what_was_tuned_in_the_languages_named():
    def lines(scale, **given):
        recipe = recipe_for(UNSEEN, scale, given)
        return {
            str(arm.factors["fitted"]): [(one.options["languages"], one.run.adapt) for one in arm.line()]
            for arm in UNSEEN.grid(recipe, 0)
            if arm.factors["track"] == "cross-lingual" and arm.seed == 0
        }

    tiny, paper = lines("tiny", tracks=["English", "cross-lingual"], tuned_in=["English"]), lines("paper")
    assert tiny["untuned"] == [(["Spanish"], "none")]
    # Table 3 has no row of T5-LM or T0 there.
    assert set(paper) == {"heuristic", "tuned on other tasks", "oracle"}
    assert tiny["tuned on other tasks"] == [(["English"], "lora"), (["Spanish"], "none")]
    assert paper["tuned on other tasks"] == [(["English", "Spanish"], "finetune"), (["Spanish"], "none")]
    assert paper["oracle"] == [(["Spanish"], "finetune")]
    assert "oracle" not in tiny
