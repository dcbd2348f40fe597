"""What is taken off an answer, what stays, and tables as lines."""

from __future__ import annotations

import pytest

from taskloom.score.read.layout import flatten
from taskloom.score.read.peel import peel, plain, strip_article


@pytest.mark.parametrize(
    ("text", "inside"),
    [
        ("**the attic**.", "the attic"),
        ("<b>attic</b>", "attic"),
        ("\\text{attic}", "attic"),
        ("- attic", "attic"),
        ("1. attic", "attic"),
        ("> ## attic", "attic"),
        ("- ", "-"),
        ("__attic__", "attic"),
        ("a `b` c", "a b c"),
        ("snake_case", "snake_case"),
        ("✅ attic 🎉", "attic"),
        ("attic!!", "attic"),
        ('"attic"', "attic"),
        ("'(“attic”)'", "attic"),
        ("“attic.”", "attic"),
        ("(attic", "(attic"),
        ("(a) and (b)", "(a) and (b)"),
        ("(a (b))", "a (b)"),
        ("'a' or 'b'", "'a' or 'b'"),
        ("[x]", "x"),
        ("()", "()"),
        ("(é)", "é"),
        ("H. P.", "H. P."),
        ("H.P.", "H.P."),
        ("the U.S.", "the U.S."),
        ("plan B.", "plan B."),
        ("plan b.", "plan b"),
        ("B.", "B"),
        ("AB.", "AB"),
        (".", "."),
        ("x", "x"),
        ("", ""),
        ("5.", "5"),
        ("a: ", "a"),
    ],
)
def test_peeling(text, inside):
    assert peel(text) == inside


def test_plain_forms():
    assert plain("“The  Attic” .") == "the attic" and plain("The Attic", case=True) == "The Attic"
    assert plain("a , b") == plain("a,b") == "a,b"
    long = "The quick brown Fox jumps over the lazy dog and the small cat, twice over ."
    assert plain(long) == long[:-2].casefold().replace(", ", ",") and plain(long, case=True)[0] == "T"
    assert [strip_article(text) for text in ("the attic", "An egg", "a", "theatre", "A b")] == [
        "attic", "egg", "a", "theatre", "b",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("body", "flat"),
    [
        ("| item | answer |\n| --- | --- |\n| one | attic |", "Answer: attic"),
        ("| item | answer |\n| --- | --- |\n| one | attic |\n| two | barn |", "attic\nbarn"),
        ("| answer |\n| --- |\n| attic |", "Answer: attic"),
        ("| question | where? |\n|---|---|\n| answer | attic |", "Answer: attic"),
        ("| a | b |\n| --- | --- |\n| x | attic |", "Answer: attic"),
        ("| a | b |\n| --- | --- |\n| x | y |\n| z | w |", "| a | b |\n| --- | --- |\n| x | y |\n| z | w |"),
        ("| n | answer |\n| --- | --- |\n| 1 | red | blue |", "Answer: red | blue"),
        ("Look:\n| n | answer |\n| --- | --- |\n| 1 | red |\nDone", "Look:\nAnswer: red\nDone"),
        ("| n | m |\n| --- | --- |\n| 1 | red |\nAnswer: blue", "Answer: blue"),
        ("| answer |\n| --- |\n| a |\n| b |", "| answer |\n| --- |\n| a |\n| b |"),
        ("| n | answer |\n| --- | --- |\n| attic |", "| n | answer |\n| --- | --- |\n| attic |"),
        ("a\n---\nb", "a\nb"),
        ("attic\n[^1]: a note", "attic\n"),
        ("attic[^1]", "attic"),
        ("Confidence: high\nattic", "attic"),
        ("Confidence: high", "Confidence: high"),
        ("~~barn~~ attic", " attic"),
        ("<|assistant|>attic", "attic"),
    ],
)
def test_layout_becomes_lines(body, flat):
    assert flatten(body) == flat
