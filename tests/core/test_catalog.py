"""The registries: what goes in by name, and what families offer to a search."""

from __future__ import annotations

import pytest

from taskloom.core import UserError
from taskloom.core.catalog import FAMILIES, READERS, lattice_of, probed_suite, register
from toy import FAMILY


def test_a_part_is_registered_under_its_kind(own_registries):
    register("reader.mine.own", 3)
    assert READERS.get("mine.own") == 3


@pytest.mark.parametrize("name", ["thing.x", "reader", "reader.", ""])
def test_what_cannot_be_registered(name):
    with pytest.raises(UserError, match="unknown kind"):
        register(name, 1)


def test_the_suite_that_stands_for_a_family(own_registries):
    FAMILIES.register("toy", FAMILY)
    probed = {name: FAMILIES.get(name).probed for name in FAMILIES}
    assert any(probed.values())
    for name, suite in probed.items():
        assert probed_suite(name) == (f"{name}/{suite}" if suite else name)
    assert probed_suite("babi/task-1") == "babi/task-1" and probed_suite("toy") == "toy"


def test_the_lattice_of_a_suite_is_its_familys(own_registries):
    with pytest.raises(UserError, match="toy/all does not belong to a family"):
        lattice_of(FAMILY.open("all"))
    FAMILIES.register("toy", FAMILY)
    with pytest.raises(UserError, match="toy/all has no lattice of combinations to search"):
        lattice_of(FAMILY.open("all"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(type(FAMILY), "lattice", lambda family, suite: (family.name, suite.name))
        assert lattice_of(FAMILY.open("all")) == ("toy", "toy/all")
