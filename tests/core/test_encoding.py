"""Prompts: what they leave out, and what their hash covers."""

from __future__ import annotations

import pytest

from taskloom.core import UserError
from taskloom.core.encoding import Message, Prompt, make_encoding


def test_what_a_prompt_leaves_out():
    prompt = Prompt("q")
    assert (prompt.messages, prompt.dropped, prompt.cut, prompt.wording) == ((), 0, False, "")


def test_the_hash_covers_what_a_model_sees_and_nothing_else():
    prompt = Prompt("q")
    assert prompt.hash() == Prompt("q", dropped=3, cut=True, wording="2").hash() == "b5ea1695564afb65f0ba42f22f740526"
    others = [Prompt("r"), Prompt("q", (Message("user", "q"),)), Prompt("q", (Message("system", "q"),))]
    assert len({one.hash() for one in [prompt, *others]}) == 4


def test_an_encoding_by_name_with_some_of_its_options():
    plain = make_encoding("plain")
    assert plain.describe()["name"] == "plain"
    assert make_encoding("plain", {}) == plain
    with pytest.raises(UserError, match="encoding plain: unknown key 'nothing'"):
        make_encoding("plain", {"nothing": 1})
    with pytest.raises(UserError, match="unknown encoding 'plian'; did you mean 'plain'"):
        make_encoding("plian")
