"""Targets say what they accept and cannot be changed."""

from __future__ import annotations

import pytest

from taskloom.core import AnyOf, Boolean, Items, Product, Structure

TARGETS = [
    (AnyOf(("hall", "hallway")), "hall"),
    (Boolean(False, ("true", "false")), "false"),
    (Items((("apple", "milk"), ("milk",))), "apple, milk"),
    (Items(((),), empty="none"), "none"),
    (Product((("big", "large"), ("cat",))), "big cat"),
    (Structure(('{"name":"Ann"}',)), '{"name":"Ann"}'),
]


@pytest.mark.parametrize(("target", "said"), TARGETS)
def test_the_canonical_answer(target, said):
    assert target.canonical() == said


@pytest.mark.parametrize("target", [target for target, _ in TARGETS])
def test_targets_stay_as_they_are(target):
    for name in target.__struct_fields__:
        with pytest.raises(AttributeError, match="immutable"):
            setattr(target, name, None)
    assert hash(target) == hash(type(target)(**{name: getattr(target, name) for name in target.__struct_fields__}))
