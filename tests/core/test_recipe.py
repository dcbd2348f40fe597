from __future__ import annotations

from typing import Annotated, Literal

import msgspec
import pytest

from taskloom.core import Recipe, UserError, parse_assignments, resolve, secrets
from taskloom.core.recipe import Positive, Share, options_of


class Inner(Recipe, frozen=True, kw_only=True):
    low: int = 0
    names: tuple[str, ...] = ("a",)


class Counted(Recipe, frozen=True, kw_only=True):
    count: Positive = 1


class Outer(Recipe, frozen=True, kw_only=True):
    size: int = 10
    share: float = 0.5
    inner: Inner = Inner()
    weights: dict[str, float] = {}
    rows: Positive = 5
    part: Share = 0.5
    shares: dict[str, Share] = {}
    counted: tuple[Counted, ...] = ()
    parts: Annotated[tuple[Share, ...], msgspec.Meta(min_length=1)] = (0.5,)

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
        ({"size": "many"}, ["size", "a whole number"]),
        ({"size": 0}, ["size must be 1 or more, not 0"]),
        ({"rows": 0}, ["place: rows: must be 1 or more, not 0"]),
        ({"part": 1.5}, ["place: part: must be at most 1, not 1.5"]),
        ({"part": -0.1}, ["place: part: must be 0 or more, not -0.1"]),
        ({"parts": []}, ["place: parts: must list 1 or more"]),
        ({"parts": [0.5, 2]}, ["place: parts.1: must be at most 1, not 2"]),
        ({"inner.lwo": 3}, ["unknown key 'lwo'", "'low'"]),
        ({"size.x": 3}, ["no nested keys"]),
        ({"inner": {"names": 3}}, ["inner.names"]),
        ({"share": "nan"}, ["share", "nan is not a usable number"]),
        ({"share": float("inf")}, ["share", "inf is not a usable number"]),
        ({"weights": {"x": "-inf"}}, ["weights.x", "-inf is not a usable number"]),
        ({"shares": {"one": 0.5, "two": 1.5}}, ["place: shares.two: must be at most 1, not 1.5"]),
        ({"counted": [{"count": 3}, {"count": 0}]}, ["place: counted.1.count: must be 1 or more, not 0"]),
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


def test_unquoted_words_of_yaml_are_keys():
    recipe = resolve(Outer(), parse_assignments(["weights={yes: 1, no: 2, x: 3}"], "-T"), where="w")
    assert recipe.weights == {"yes": 1.0, "no": 2.0, "x": 3.0}
    recipe = resolve(Outer(), {"weights.x": 1, "weights.y": 2}, where="w")
    assert recipe.weights == {"x": 1.0, "y": 2.0}


class Numbers(Recipe, frozen=True, kw_only=True):
    many: tuple[float, ...] = ()
    inner: Inner = Inner()
    token: str = ""


@pytest.mark.parametrize(
    ("overrides", "where", "message"),
    [
        ({"many": [1, "nan"]}, "place: many[1]", "nan is not a usable number"),
        ({"inner.low": "x"}, "place: inner.low", "expected a whole number, got text"),
        ({"many": "x"}, "place: many", "expected a list, got text"),
        ({"many.x": 1}, "place", "'many' has no nested keys, so 'many.x' is not a key"),
    ],
)
def test_mistakes_have_their_key(overrides, where, message):
    with pytest.raises(UserError) as raised:
        resolve(Numbers(), overrides, where="place")
    assert (raised.value.where, raised.value.message) == (where, message)


@pytest.mark.parametrize(
    ("where", "command"),
    [
        ("babi/task-1", "taskloom list options babi/task-1"), ("encoding plain", "taskloom list options plain"),
        ("reader whole", "taskloom list options whole"), ("map{a b}", "taskloom list options 'map{a b}'"),
    ],
)  # fmt: skip
def test_an_unknown_key_comes_with_the_command_that_lists_them(where, command):
    with pytest.raises(UserError, match="unknown key 'nothing'") as raised:
        resolve(Outer(), {"nothing": 1}, where=where)
    assert raised.value.hint == command and raised.value.where == where


def test_a_relation_between_keys_is_refused_in_its_own_words():
    with pytest.raises(UserError) as raised:
        resolve(Outer(), {"size": 0}, where="place")
    assert (raised.value.message, raised.value.where) == ("size must be 1 or more, not 0", "place")


def test_recipes_do_not_show_secrets_and_assignments_are_remembered(monkeypatch):
    monkeypatch.setattr(secrets, "known_secrets", {})
    assert repr(Numbers(token="tk-12345678")) == "Numbers(many=(), inner=Inner(low=0, names=('a',)), token='[token]')"
    assert parse_assignments([" api_key =sk-12345678", "n=007"], "-M") == {"api_key": "sk-12345678", "n": "007"}
    assert secrets.scrub("sk-12345678") == "[api_key]"
    for pair, words in (("n=[1", "the value of 'n' cannot be read: not YAML"), ("x", "takes KEY=VALUE, not 'x'")):
        with pytest.raises(UserError) as raised:
            parse_assignments([pair], "-T")
        assert raised.value.message.startswith(words) and raised.value.where == "-T"


def test_options_without_words_have_none():
    class Bare(Recipe, frozen=True, kw_only=True):
        size: int = 1

    assert [tuple(option) for option in options_of(Bare())] == [("size", 1, (), "")]


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("1931", "1931"),
        ("**x**", "**x**"),
        ("007", "007"),
        ("true", "true"),
        ("yes", "yes"),
        ("*x", "*x"),
        ("", ""),
        ("Answer: x", "Answer: x"),
    ],
)
def test_a_key_that_holds_text_takes_any_text(text, answer):
    from taskloom.core.model import open_model

    model = open_model("mock/constant", parse_assignments([f"answer={text}"], "-M"))
    assert model.identity.settings["answer"] == answer
