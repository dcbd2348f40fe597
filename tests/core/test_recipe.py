from __future__ import annotations

from typing import Literal

import pytest

from taskloom.core import Recipe, UserError, parse_assignments, resolve
from taskloom.core.recipe import options_of


class Inner(Recipe, frozen=True, kw_only=True):
    low: int = 0
    names: tuple[str, ...] = ("a",)


class Outer(Recipe, frozen=True, kw_only=True):
    size: int = 10
    share: float = 0.5
    inner: Inner = Inner()
    weights: dict[str, float] = {}

    def __post_init__(self) -> None:
        if self.size < 1:
            raise ValueError(f"size must be 1 or more, not {self.size}")


def test_values_are_replaced_and_typed():
    recipe = resolve(Outer(), {"size": "12", "share": 1, "inner.low": 3, "weights.x": 2}, where="w")
    assert (recipe.size, recipe.share, recipe.inner.low, recipe.weights) == (12, 1.0, 3, {"x": 2.0})
    assert recipe.inner.names == ("a",)


def test_kebab_keys_are_snake_keys():
    class Kebab(Recipe, frozen=True, kw_only=True):
        two_words: int = 1

    assert resolve(Kebab(), {"two-words": 5}, where="w").two_words == 5


@pytest.mark.parametrize(
    ("overrides", "words"),
    [
        ({"siez": 3}, ["unknown key 'siez'", "'size'"]),
        ({"size": "many"}, ["size", "int"]),
        ({"size": 0}, ["size must be 1 or more, not 0"]),
        ({"inner.lwo": 3}, ["unknown key 'lwo'", "'low'"]),
        ({"size.x": 3}, ["no nested keys"]),
        ({"inner": {"names": 3}}, ["inner.names"]),
        ({"share": "nan"}, ["share", "nan is not a usable number"]),
        ({"share": float("inf")}, ["share", "inf is not a usable number"]),
        ({"weights": {"x": "-inf"}}, ["weights.x", "-inf is not a usable number"]),
    ],
)
def test_mistakes_are_named(overrides, words):
    with pytest.raises(UserError) as error:
        resolve(Outer(), overrides, where="place")
    assert all(word in str(error.value) for word in ["place", *words])


def test_assignments_are_yaml():
    pairs = ["n=3", "names=[Ann, Bob]", "text=a=b", "flag=true", "empty="]
    assert parse_assignments(pairs, "-T") == {"n": 3, "names": ["Ann", "Bob"], "text": "a=b", "flag": True, "empty": ""}


@pytest.mark.parametrize("pair", ["n", "=3", "n=[1", "n=!!python/object:os.system x"])
def test_bad_assignments_are_refused(pair):
    with pytest.raises(UserError, match="-T"):
        parse_assignments([pair], "-T")


def test_options_come_with_what_docstrings_say():
    class Base(Recipe, frozen=True, kw_only=True):
        """Rows.

        Attributes:
            train, dev: How many
                rows of each.
            kind: Which of two.

        Nothing here: is an option.
        """

        train: int = 4
        dev: int = 2
        kind: Literal["a", "b"] = "a"

    class Special(Base, frozen=True, kw_only=True):
        """Rows of another kind.

        Attributes:
            kind: Which of two, in other words.
        """

        more: float = 0.5

    assert [tuple(option) for option in options_of(Special())] == [
        ("train", 4, (), "How many rows of each."), ("dev", 2, (), "How many rows of each."),
        ("kind", "a", ("a", "b"), "Which of two, in other words."), ("more", 0.5, (), ""),
    ]  # fmt: skip
