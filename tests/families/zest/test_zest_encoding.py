"""The published encodings to the letter."""

from __future__ import annotations

from taskloom.core import AnyOf, Example, Instance, Instruction, Task
from taskloom.core.encoding import make_encoding

TASK = Task("t", Instruction("Answer the question."))
ASKED = Instance("1", "P.\n\nQuestion: Q?", AnyOf(("x",)), parts={"passage": "P.", "question": "Q?"})


def test_both_published_separators() -> None:
    assert make_encoding("zest").encode(TASK, ASKED).text == "zeroshot question: Q?\n\nzeroshot context: P.\n\n"
    bart = make_encoding("zest", {"separator": "bart"})
    assert bart.encode(TASK, ASKED).text == "zeroshot question: Q? zeroshot context: P."


def test_ablations_leave_out_the_label_too() -> None:
    question = Instance("1", "Question: Q?", AnyOf(("x",)), parts={"question": "Q?"})
    passage = Instance("1", "P.", AnyOf(("x",)), parts={"passage": "P."})
    bart = make_encoding("zest", {"separator": "bart"})
    assert bart.encode(TASK, question).text == "zeroshot question: Q?"
    assert bart.encode(TASK, passage).text == "zeroshot context: P."


def test_solved_passages_come_first() -> None:
    demo = Example("Old passage.\n\nQuestion: Q?", "y")
    assert make_encoding("zest").encode(TASK, ASKED, [demo]).text == (
        "zeroshot question: Q?\n\nzeroshot context: Old passage.\n\nanswer: y\n\n"
        "zeroshot question: Q?\n\nzeroshot context: P.\n\n"
    )
    bart = make_encoding("zest", {"separator": "bart"}).encode(TASK, ASKED, [demo]).text
    assert bart == (
        "zeroshot question: Q? zeroshot context: Old passage. answer: y "
        "zeroshot question: Q? zeroshot context: P."
    )  # fmt: skip


def test_other_families_show_their_definition_as_the_question() -> None:
    text = make_encoding("zest").encode(TASK, Instance("1", "1 2 3", AnyOf(("x",)))).text
    assert text == "zeroshot question: Answer the question.\n\nzeroshot context: 1 2 3\n\n"
