from __future__ import annotations

import pytest

from taskloom.adapt import make_adaptation
from taskloom.adapt.curves import read_curve
from taskloom.adapt.data import BatchSchedule
from taskloom.adapt.make import DECIDING, named_recipe, paper_recipes
from taskloom.core import UserError

RECIPES = paper_recipes().recipes


@pytest.mark.parametrize(
    ("recipe", "adaptation"), [(name, kind) for name in RECIPES for kind in RECIPES[name].settings]
)
def test_every_recipe_fits_its_adaptation_and_names_its_source(recipe, adaptation):
    made = make_adaptation(adaptation, {"recipe": recipe})
    for key, value in RECIPES[recipe].settings[adaptation].items():
        assert getattr(made, key) == value
    assert "(20" in RECIPES[recipe].source


EVERY = [(name, kind) for name in RECIPES for kind in RECIPES[name].settings]


@pytest.mark.parametrize(("recipe", "adaptation"), EVERY)
def test_every_recipe_sets_every_value_that_decides(recipe, adaptation):
    """`recipe=seti` once left the rate to the default of the adaptation, twenty times too high."""
    assert set(DECIDING) <= set(named_recipe(recipe, adaptation))


def test_pretrained_models_are_not_trained_at_the_rate_of_random_weights():
    rates = {name: named_recipe(name, "finetune")["learning_rate"] for name in ("seti", "zest-bart", "dyna-babi")}
    assert max(rates.values()) <= 5e-5
    assert named_recipe("seti-scratch", "finetune")["learning_rate"] == 1e-3


@pytest.mark.train
@pytest.mark.parametrize(("recipe", "adaptation"), EVERY)
def test_every_recipe_lowers_the_loss_of_a_small_pretrained_model(
    recipe, adaptation, pairs, small_model, plain, tmp_path
):
    """A model that was trained for a while on other words, then with the recipe's own values for a few updates."""
    torch = pytest.importorskip("torch")
    suite = pairs(train=32, dev=0)
    kind = "bert" if recipe.startswith("seti") else "t5"
    if kind == "bert":
        suite = pairs(train=32, dev=0, labels=True)
    start = {"batch": 16, "updates": 20, "learning_rate": 3e-3, "test": "none", "dropout": False, "max_output": 4}
    quiet = {"evaluate_limit": 4, "stop_when_perfect": False, "holdout": 0.1}
    model = make_adaptation("finetune", {**start, **quiet}).adapt(
        small_model(kind, suite), suite, plain, tmp_path / "before", seed=1
    )
    torch.manual_seed(0)
    # The values under test stay; only how long and how often it is looked at, and noise that hides a small step.
    short = {"updates": 12, "evaluate_updates": 4, "dropout": False, "precision": "fp32", "keep": "last", **quiet}
    short |= {"epochs": 100, "test": "none", "max_output": 4, "batch": 32, "label_smoothing": 0.0}
    if adaptation == "prompt-tune":
        short |= {"tokens": 4}
    made = make_adaptation(adaptation, {"recipe": recipe, **short})
    made.adapt(model, suite, plain, tmp_path / "after", seed=1)
    losses = [point.loss for point in read_curve(tmp_path / "after" / "curve.jsonl") if point.loss is not None]
    assert len(losses) == 3
    assert losses[-1] < losses[0], losses


@pytest.mark.parametrize("examples", [20, 10_766])
def test_zest_trains_for_the_papers_updates_whatever_the_size_of_the_data(examples):
    plan = BatchSchedule(make_adaptation("finetune", {"recipe": "zest"}), ["a"] * examples, [1] * examples, seed=0)
    assert (plan.total, plan.interval) == (25_000, 2_500)


def test_options_come_on_top_of_a_recipe():
    made = make_adaptation("prompt-tune", {"recipe": "taskbench", "tokens": 5})
    assert (made.tokens, made.learning_rate, made.epochs, made.batch) == (5, 1.0, 100, 64)


def test_unknown_recipes_and_adaptations_a_paper_did_not_use():
    with pytest.raises(UserError, match="did you mean 'taskbench'"):
        make_adaptation("finetune", {"recipe": "taskbenc"})
    with pytest.raises(UserError, match="is about finetune, not lora"):
        make_adaptation("lora", {"recipe": "zest"})


def test_adaptations_that_differ_have_different_hashes():
    one, two = make_adaptation("lora"), make_adaptation("lora", {"rank": 4})
    assert one.hash() == make_adaptation("lora", {}).hash() != two.hash()
    assert make_adaptation("finetune").hash() != make_adaptation("prompt-tune").hash()
