"""Targets say what they accept and cannot be changed."""

from __future__ import annotations

import pytest

from taskloom.core import AnyOf, Boolean, Items, Product, Structure, any_of
from taskloom.core.targets import CheckedAnswers, acceptable_texts

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


def test_what_a_target_leaves_out():
    assert (Boolean(True).words, Product((("a",),)).separator) == (("yes", "no"), " ")
    items = Items((("a",),))
    assert (items.ordered, items.separator, items.empty) == (False, ", ", "nothing")


@pytest.mark.parametrize(
    ("target", "texts"),
    [
        (AnyOf(("a", "b")), ("a", "b")),
        (CheckedAnswers(("a", "b"), "{}"), ("a", "b")),
        (Boolean(True), ("yes",)),
        (Items((("a", "b"), ()), separator="; ", empty="none"), ("a; b", "none")),
        (Product((("a", "b"), ("c",)), "-"), ("a-c",)),
        (Structure(("1", "2")), ("1", "2")),
    ],
)
def test_every_acceptable_text(target, texts):
    assert acceptable_texts(target) == texts


def test_one_answer_or_several():
    assert any_of("abc") == AnyOf(("abc",)) and any_of(iter(["b", "a", "b"])) == AnyOf(("b", "a"))
    assert Structure(('{"a": [1]}', "null")).values() == [{"a": [1]}, None]
