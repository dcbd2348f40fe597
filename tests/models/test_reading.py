"""The baselines for questions over passages."""

from __future__ import annotations

import json
from typing import Any

import pytest

from taskloom.core import AnyOf, Instance, Instruction, Task, UserError
from taskloom.core.encoding import Prompt
from taskloom.core.model import Generation, Request, open_model

PASSAGE = "Ash Fen covers 40 hectares. The gates opened in 1931. The warden is Ada Finch. Dogs are not allowed in."


def ask(question: str, kind: Any = "text", *, passage: str = PASSAGE, definition: str = "Answer.") -> str:
    parts = {name: text for name, text in (("question", question), ("passage", passage)) if text}
    request = Request(
        Prompt(""),
        Task("t", Instruction(definition), kind, labels=("yes", "no", "n/a") if kind == "label" else ()),
        Instance("1", "", AnyOf(("x",)), parts=parts),
    )
    (output,) = open_model("reading/longest-overlap").generate([request], Generation())
    return output.text


def test_longest_overlap_copies_what_the_question_wants() -> None:
    assert ask("When did the gates open?") == "1931"
    assert ask("Who is the warden?") == "Ada Finch"
    assert ask("How many hectares does it cover?") == "40 hectares"
    assert ask("Are dogs allowed?", "label") == "no"
    assert ask("Is there a warden?", "label") == "yes"
    assert ask("What about zebras?") == "n/a"
    table = ask("Who is the warden?", "json", definition='Answer with the keys "warden", "age".')
    assert json.loads(table) == [{"warden": "Ada Finch"}]


def test_without_one_part_it_falls_back() -> None:
    assert ask("Are dogs allowed?", "label", passage="") == "yes"
    assert ask("Who is it?", passage="") == "n/a"
    assert ask("", "label") == "n/a"


def test_the_constant_ones_and_unknown_names() -> None:
    request = Request(Prompt(""), Task("t", Instruction("x")), Instance("1", "", AnyOf(("x",))))
    said = [open_model(f"reading/{name}").generate([request], Generation())[0].text for name in ("na", "yes")]
    assert said == ["n/a", "yes"]
    with pytest.raises(UserError, match="longest-overlap"):
        open_model("reading/longest-overlaps")
    with pytest.raises(UserError, match="no options"):
        open_model("reading/na", {"answer": "x"})
