from __future__ import annotations

import pytest

from taskloom.adapt import make_adaptation
from taskloom.adapt.data import Plan
from taskloom.adapt.recipes import RECIPES
from taskloom.core import UserError


@pytest.mark.parametrize(
    ("recipe", "adaptation"), [(name, kind) for name in RECIPES for kind in RECIPES[name].settings]
)
def test_every_recipe_fits_its_adaptation_and_names_its_source(recipe, adaptation):
    made = make_adaptation(adaptation, {"recipe": recipe})
    for key, value in RECIPES[recipe].settings[adaptation].items():
        assert getattr(made, key) == value
    assert "(20" in RECIPES[recipe].source


@pytest.mark.parametrize("examples", [20, 10_766])
def test_zest_trains_for_the_papers_updates_whatever_the_size_of_the_data(examples):
    plan = Plan(make_adaptation("finetune", {"recipe": "zest"}), ["a"] * examples, [1] * examples, seed=0)
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
