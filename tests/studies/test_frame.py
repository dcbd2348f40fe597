"""Frames: choosing, grouping, means over tasks and seeds, contrasts."""

from __future__ import annotations

from types import SimpleNamespace

import msgspec
import numpy as np
import pytest

from taskloom.ask.judge import ScoredReading
from taskloom.core import AnyOf, UserError
from taskloom.core.metric import Estimate
from taskloom.run.record import Record
from taskloom.run.session import RunSettings
from taskloom.studies.babi.experiments import unlearned
from taskloom.studies.frame import Frame, Observation, contrast, guessers, measure
from taskloom.studies.grid import Arm


def _observations(model, seed, scores, *, task="t", run_seed=None, draw=0, **facets):
    settings = RunSettings(model=model, run_seed=seed if run_seed is None else run_seed, adapt_options={"draw": draw})
    arm = Arm(factors={"model": model}, suite="s", seed=seed, run=settings)
    reading = ScoredReading("a", 1.0, "", {})
    return [
        Observation(
            arm,
            Record(task=task, id=str(place), state="scored", strict=reading, scorer="exact", raw="", raw_length=0,
                   targets=AnyOf(("a",)), prompt="", prompt_hash=""),
            score,
            facets,
        )
        for place, score in enumerate(scores)
    ]  # fmt: skip


def _two(first, second, seeds=3):
    return [
        Frame([one for seed in range(seeds) for one in _observations(name, seed, scores[seed])])
        for name, scores in (("a", first), ("b", second))
    ]


def test_choosing_and_grouping_keep_the_order():
    frame = Frame([*_observations("b", 0, [1, 0], kind="x"), *_observations("a", 0, [1], kind="y")])
    assert list(frame.by("model")) == [("b",), ("a",)]
    assert len(frame.where(model="b")) == 2
    assert len(frame.where(lambda one: one.score > 0, model="b")) == 1
    assert frame.where(kind="y").values("model") == ["a"]
    assert not frame.where(model="c")


def test_seeds_that_vary_together_are_one_factor():
    frame = Frame([one for seed in range(3) for one in _observations("a", seed, [1, 0])])
    assert {seed for _, seed in frame.cells()} == {"data=0", "data=1", "data=2"}
    crossed = Frame([one for d in range(2) for r in range(2) for one in _observations("a", d, [1], run_seed=r)])
    assert {seed for _, seed in crossed.cells()} == {f"data={d};run={r}" for d in range(2) for r in range(2)}


def test_one_seed_has_no_label():
    frame = Frame(_observations("a", 5, [1, 0]))
    assert set(frame.cells()) == {("t", "")}


def test_the_mean_counts_tasks_once():
    frame = Frame([*_observations("a", 0, [1] * 90, task="big"), *_observations("a", 0, [0] * 10, task="small")])
    assert frame.mean().value == 0.5


def test_a_contrast_is_taken_seed_by_seed():
    # Seeds differ far more than the two do; what they share drops out.
    random = np.random.Generator(np.random.PCG64(0))
    levels = (0.2, 0.5, 0.8)
    first = [(random.random(4000) < level + 0.1).astype(float).tolist() for level in levels]
    second = [(random.random(4000) < level).astype(float).tolist() for level in levels]
    found = contrast(*_two(first, second))
    assert found.seeds == 3
    assert found.low < 0.1 < found.high
    assert found.low > 0


def test_the_spread_is_never_less_than_that_of_instances():
    found = contrast(*_two([[1.0] * 10] * 3, [[0.0] * 10] * 3))
    assert found.value == 1
    assert found.low < 0.95


def test_one_seed_is_compared_over_instances():
    found = contrast(*_two([[1.0] * 40], [[0.0] * 40], seeds=1))
    assert (found.seeds, found.value) == (1, 1.0)
    assert 0.8 < found.low < 1


def test_a_contrast_with_nothing_is_refused():
    with pytest.raises(UserError):
        contrast(Frame([]), Frame(_observations("a", 0, [1])))


def test_contrasts_cover_the_truth_as_often_as_they_say():
    random = np.random.Generator(np.random.PCG64(3))
    hits = 0
    for _ in range(300):
        levels = np.clip(random.normal(0.5, 0.1, 3), 0.05, 0.95)
        first = [(random.random(60) < min(0.99, level + 0.04)).astype(float).tolist() for level in levels]
        second = [(random.random(60) < level).astype(float).tolist() for level in levels]
        found = contrast(*_two(first, second))
        hits += found.low <= 0.04 <= found.high
    assert hits / 300 >= 0.93


def test_an_interval_over_seeds_is_about_these_tasks_alone():
    """Tasks far apart say nothing about other seeds of them: Student's interval over three means, by hand."""
    easy, hard = ([1] * 90 + [0] * 10, [1] * 10 + [0] * 90)
    shifts = (0, 20, 40)
    found = []
    for seed, shift in enumerate(shifts):
        found += _observations("a", seed, easy, task="easy")
        found += _observations("a", seed, [1] * shift + hard[: 100 - shift], task="hard")
    frame = Frame(found)
    seeds = [0.5, (0.9 + 0.30) / 2, (0.9 + 0.50) / 2]
    estimate = frame.over_seeds()
    assert estimate.value == pytest.approx(np.mean(seeds))
    half = 4.302653 * np.std(seeds, ddof=1) / np.sqrt(3)
    assert estimate.high - estimate.value == pytest.approx(half, rel=1e-5)
    assert (estimate.n, estimate.tasks) == (600, 2)
    assert frame.mean().high - frame.mean().low > estimate.high - estimate.low


def test_seeds_that_agree_by_chance_still_have_an_interval():
    frame = Frame([one for seed in range(3) for one in _observations("a", seed, [1, 0])])
    assert frame.over_seeds().low < 0.2
    assert Frame(_observations("a", 0, [1, 0, 1, 0])).over_seeds().high < 1


def test_a_split_that_was_not_learned_is_named_before_orders_are_compared():
    def arms(kind, scores):
        found = []
        for one in (each for seed in range(3) for each in _observations("tiny/entnet", seed, scores)):
            factors = {"model": "tiny/entnet", "group": "t7", "trained": kind, "asked": "own"}
            found.append(one._replace(arm=msgspec.structs.replace(one.arm, factors=factors)))
        return found

    (said,) = unlearned(Frame([*arms("concat", [1, 1, 1, 0]), *arms("diverse", [1, 0, 0, 0])]))
    assert said.startswith("tiny/entnet has not learned diverse(t7): 0.25 of its own")


def _answered(targets, right, seed, labels=("yes", "no", "maybe")):
    """A model on one task: as many right answers as there are, and the task's labels."""
    arm = Arm(factors={"model": "m"}, suite="s", seed=seed, run=RunSettings(model="m", run_seed=seed))
    rows = [
        Observation(
            arm,
            Record(task="t", id=str(place), state="scored", strict=ScoredReading("a", 1.0, "", {}), scorer="exact",
                   raw="", raw_length=0, targets=AnyOf((target,)), prompt="", prompt_hash=""),
            float(place < right),
            {},
        )
        for place, target in enumerate(targets)
    ]  # fmt: skip
    run = SimpleNamespace(tasks={"t": SimpleNamespace(labels=labels)})
    return rows, {msgspec.json.encode(arm).decode(): run}


@pytest.mark.parametrize(("right", "guesses"), [(38, False), (27, True)])
def test_a_model_at_the_level_of_guessing_is_named_and_stands_beside_no_published_number(right, guesses):
    rows, runs = [], {}
    for seed in range(3):
        more, run = _answered(["yes"] * 26 + ["no"] * 14, right + seed % 2, seed)
        rows, runs = rows + more, runs | run
    frame = Frame(rows, runs)
    assert frame.guessing() == pytest.approx((1 / 3, 0.65))
    assert len(guessers(frame)) == guesses
    table = measure(frame, "model", published=lambda key: 0.9).table("Accuracy")
    assert table.columns[-3:] == ("chance", "majority", "published")
    assert table.rows[0][-1] == (None if guesses else 0.9)


def test_without_labels_chance_is_one_of_the_answers_that_occur():
    rows, runs = _answered(["a", "b", "c", "c"], 1, 0, labels=())
    assert Frame(rows, runs).guessing() == pytest.approx((1 / 3, 0.5))


@pytest.mark.parametrize(
    ("targets", "labels", "beaten"),
    [
        (["yes"] * 20, ("yes", "no"), (True, False)),  # all the same: chance is .5
        (["yes"] * 9 + ["no"] * 11, ("yes", "no"), (True, False)),
        (["yes"] * 7 + ["no"] * 6 + ["maybe"] * 7, ("yes", "no", "maybe"), (True, True)),
        (["yes"] * 20, ("yes",), (False, False)),
    ],
)
def test_where_all_answers_are_the_same_chance_is_what_can_be_beaten(targets, labels, beaten):
    frame = Frame(*_answered(targets, 1, 0, labels))
    means = Estimate(1.0, 0.98, 1.0, 60), Estimate(0.5, 0.4, 0.6, 60)
    assert tuple(map(frame.beats_guessing, means)) == beaten


def test_a_task_with_one_answer_does_not_make_the_others_look_like_guesses():
    """Twins whose yes-no questions are all answered yes: the places are known, so the model does not guess."""
    rows, runs = [], {}
    for seed in range(3):
        places, run = _answered([f"place {number % 6}" for number in range(60)], 30 + seed % 2, seed, labels=())
        yes, _ = _answered(["yes"] * 60, 15, seed)
        rows += [*places, *(one._replace(record=msgspec.structs.replace(one.record, task="yes-no")) for one in yes)]
        labels = {"t": SimpleNamespace(labels=()), "yes-no": SimpleNamespace(labels=("yes", "no", "maybe"))}
        runs |= dict.fromkeys(run, SimpleNamespace(tasks=labels))
    frame = Frame(rows, runs)
    assert frame.guessing().majority > frame.over_seeds().value
    assert not guessers(frame)
