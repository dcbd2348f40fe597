"""One passage, the beginning of its sentence, and the label that they assert together."""

from __future__ import annotations

import pytest

from taskloom.core import Instruction, Task
from taskloom.score.read.labels import _bare_line, is_label, label_set, read_label


def labels(*names):
    return label_set(Task("t", Instruction("Say it."), "label", "label", names))


@pytest.mark.parametrize("before", ["", "So ", "The answer, then, is ", "It is clearly "])
@pytest.mark.parametrize("text", ["yes", "**yes**", "Yes."])
def test_a_beginning_that_neither_denies_nor_hedges_changes_nothing(before, text):
    assert read_label(text, before, labels("yes", "no")) == ("yes", "")


@pytest.mark.parametrize("before", ["It is not ", "It might be ", "Perhaps "])
def test_what_is_denied_or_hedged_is_no_answer(before):
    assert read_label("yes", before, labels("yes", "no")) == (None, "denied or hedged")


def test_a_hedge_is_no_hedge_where_maybe_is_an_answer():
    own = labels("yes", "no", "maybe")
    assert read_label("maybe", "It might be ", own) == ("maybe", "")
    assert read_label("yes", "It is not ", own) == (None, "denied or hedged")


def test_nothing_but_the_label():
    task = Task("t", Instruction("Say it."), "label", "label", ("yes", "no"))
    assert is_label("**Yes**", task)
    assert not is_label("yes and no", task)


def test_a_label_on_a_line_of_its_own():
    labels = label_set(Task("t", Instruction("Say it."), "label", "label", ("yes", "no")))
    assert _bare_line("Yes\nas the text has it", labels) == "yes"
    assert _bare_line("As the text has it\n**no**", labels) == "no"
    assert _bare_line("As the text\nyes\nhas it", labels) is None
    assert _bare_line("yes\nno", labels) == ""
    assert _bare_line("yes", labels) is None
    assert _bare_line("some words\nof no import", labels) is None
