"""Families: their suites by name, with nearest names, and what they do by themselves."""

from __future__ import annotations

import pytest

from taskloom.core import Family, SuiteSpec, UserError
from taskloom.core.family import open_named
from toy import FAMILY, ToyRecipe


def test_a_suite_opens_with_seed_0_and_the_default_recipe():
    suite = FAMILY.open("all")
    assert (suite.name, suite.seed) == ("toy/all", 0)
    assert suite.identity == FAMILY.open("all", 0, {}).identity != FAMILY.open("all", 1).identity
    assert FAMILY.open("all", options={"test": 3}).splits["test"] == 3
    assert open_named("babi/task-1").seed == 0


def test_an_unknown_suite_comes_with_the_nearest_ones():
    with pytest.raises(UserError, match="unknown suite 'toy/al'; did you mean 'toy/all'") as raised:
        FAMILY.open("al")
    assert str(raised.value.hint).endswith("taskloom list suites toy")


@pytest.mark.parametrize("name", ["babi", "babi/"])
def test_a_family_alone_is_no_suite(name):
    with pytest.raises(UserError, match=f"'{name}' names a family, not a suite") as raised:
        open_named(name)
    assert raised.value.hint.startswith("taskloom list suites babi shows its ")


def test_what_a_family_does_by_itself():
    suite = FAMILY.open("all")
    assert (Family.version, Family.probed, Family.expressions) == ("1", "", False)
    assert list(FAMILY.audit(suite, "test", [])) == []
    with pytest.raises(UserError, match="toy/all has no lattice"):
        FAMILY.lattice(suite)
    assert repr(FAMILY) == "<Family toy: 1 suites>"
    html = FAMILY._repr_html_()
    assert "toy: Five small tasks for tests" in html and "toy/all" in html and "every kind of target" in html


def test_a_default_recipe_may_be_made_when_it_is_needed():
    made = []

    def recipe():
        made.append(True)
        return ToyRecipe(test=7)

    spec = SuiteSpec("later", recipe, lambda suite, recipe, seed: None)
    assert repr(spec) == "SuiteSpec('later')" and made == []
    assert spec.recipe == ToyRecipe(test=7) and made == [True]
    assert SuiteSpec("now", ToyRecipe(test=8), None).recipe == ToyRecipe(test=8)


def test_the_version_of_a_family_is_part_of_an_identity():
    spec = FAMILY.spec("all")
    one, two = (spec.open("toy/all", "all", 0, {}, version) for version in ("1", "2"))
    assert spec.open("toy/all", "all", 0, {}).identity == one.identity != two.identity
