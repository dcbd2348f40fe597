"""Demands that cannot be met: refused soon, with the reason or the number of tries, and the recipe's own numbers."""

import pytest

from taskloom.core import UserError, open_suite

SMALL = {"train": 20, "dev": 0, "test": 0}


@pytest.mark.parametrize(
    ("recipe", "message"),
    [
        ({"questions": ["list"], "support": [5, 6], "double": True}, "is impossible: `double` asks for two eithers"),
        ({"questions": ["give"], "support": [2, 3]}, "its support is never 2 to 3"),
        ({"questions": ["where-was-object"], "support": [1, 2]}, "at most 2, and such a question needs at least 3"),
        ({"questions": ["yes-no"], "support": [1, 2], "double": True}, "are 3 sentences, and `support` allows 2"),
        ({"questions": ["yes-no"], "double": True, "constructs": ["conj"]}, "indef is not among the constructs"),
        ({"questions": ["list"], "support": [2, 2], "requires": ["indef"]}, "and indef is none"),
        ({"questions": ["where-person"], "support": [1, 1], "requires": ["grab", "drop"]}, "names 2 events"),
        ({"questions": ["where-object"], "support": [2, 2], "requires": ["compound", "indef"]}, "was not found"),
        ({"questions": ["where-was-object"], "support": [20, 20]}, "was not found"),
        ({"questions": ["counting"], "support": [9, 9], "length": [9, 9], "exact": True, "requires": ["give"]}, "9"),
    ],
)
def test_refusals_name_the_recipes_numbers(recipe, message):
    with pytest.raises(UserError) as error:
        list(open_suite("babi/custom", options={**SMALL, **recipe}).rows("train"))
    assert message in str(error.value)
    if "support" in recipe:
        low, high = recipe["support"]
        assert f"support of {low}" + (f" to {high}" if high > low else "") in str(error.value)
    low, high = recipe.get("length", (20, 20))
    assert f"{low} sentences" in str(error.value)


def test_examples_of_rare_demands_come_from_several_lengths():
    recipe = {"questions": ["where-person"], "support": [12, 12], "requires": ["indef", "give"], "exact": False}
    suite = open_suite("babi/custom", options={**SMALL, **recipe})
    assert suite.tasks["where-person"].instruction.positive
