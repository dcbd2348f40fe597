"""The number that a passage gives, and why a passage gives nothing."""

from __future__ import annotations

import pytest

from taskloom.core import Example, Instruction, Task
from taskloom.score.read.layout import chosen, flatten
from taskloom.score.read.locate import Region
from taskloom.score.read.profile import profile_of
from taskloom.score.read.quantity import read_number, refusal


def _profile(kind, output):
    return profile_of(Task("t", Instruction("Say.", (Example("x", output),)), kind, "exact"))


@pytest.mark.parametrize(
    ("text", "found", "number"),
    [
        ("7", "whole", "7"),
        ("7 of 9 words", "marker", "7"),
        ("7 of 9 words", "whole", None),
        ("words: 9, so 7", "marker", None),
        ("3 + 4 = 7", "whole", "7"),
        ("7 = x", "whole", "7"),
        ("one by one I counted 7", "whole", "7"),
        ("1 and one 7", "whole", None),
        ("7 and 8", "marker", None),
        ("7?", "whole", None),
        ("7 or 8", "whole", None),
        ("none", "whole", "0"),
        ("no words", "whole", "0"),
        ("words", "whole", None),
        ("7, not 8", "whole", "7"),
        ("7\nThat is 8 less one.", "whole", "7"),
        ("7\n8", "whole", None),
        ("7\n7 of them", "whole", "7"),
        ("a lot of words here 7\n8", "whole", "8"),
        ("- 7\n- 8", "whole", None),
        ("I see 9. So it is 7.", "whole", "7"),
        ("I see 9. So it is so.", "whole", "9"),
        ("7. There were 9 at first.", "marker", "7"),
        ("**7.** There were 9 at first.", "marker", "7"),
        ("17. There were 9 at first.", "marker", "17"),
        ("it is so. There were 9.", "marker", "9"),
        ("", "whole", None),
    ],
)
def test_the_number_of_a_passage(text, found, number):
    assert read_number(Region(text, found), _profile("number", "3"), "")[0] == number


def test_of_several_numbers_the_one_that_the_prompt_does_not_have():
    region, profile = Region("of 9 there are 7"), _profile("number", "3")
    assert read_number(region, profile, "Take 9 words.")[0] == "7"
    assert read_number(region, profile, "Take 9 words, 7 of them short.")[0] is None
    assert read_number(region, profile, "9" + " words" * 600)[0] is None
    assert read_number(Region("7", before="not "), profile, "") == (None, "denied or hedged")


@pytest.mark.parametrize(
    ("core", "kind", "output", "why"),
    [
        ("office", "text", "garden", ""),
        ("office or garden", "text", "garden", "hedged"),
        ("trick or treat", "text", "milk or tea", ""),
        ("maybe treat", "text", "milk or tea", "hedged"),
        ("not office", "text", "garden", "denied"),
        ("office as well as garden", "text", "garden", "several answers"),
        ("a b c d others", "text", "garden", "hedged"),
        ("a b c others", "text", "garden", ""),
        ("a b c however d", "text", "garden", "hedged"),
        ("a b c however d", "text", "two words", ""),
    ],
)
def test_why_a_passage_gives_nothing(core, kind, output, why):
    assert refusal(core, "", _profile(kind, output)) == why
    assert refusal(core, "not the ", _profile(kind, output)) == (why or "denied or hedged")


@pytest.mark.parametrize(
    ("body", "flat"),
    [
        ("a\n---\nb", "a\nb"),
        ("| Q | Answer |\n| --- | --- |\n| 1 | x |", "Answer: x"),
        ("| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |", "| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |"),
        ("~~a~~ b", " b"),
        ("~~a~~", "~~a~~"),
        ("❌ a\nb", "b"),
        ("a[^1]\n\n[^1]: note", "a\n\n"),
        ("x†\n† note", "x\n"),
        ("Confidence: high\nx", "x"),
        ("Reason: y\nAnswer: x", "Answer: x"),
        ("<b>x</b>", "x"),
        ("let me check… yes, x", "x"),
        ("\\text{x}", "x"),
        ("¬x", "not x"),
    ],
)
def test_layout_becomes_plain_lines(body, flat):
    assert flatten(body) == flat


@pytest.mark.parametrize(
    ("body", "ticked"),
    [("[x] a\n[ ] b", "a"), ("[ ] a\n[ ] b", ""), ("[x] a", None), ("- [X] a\n- [x] b", "a\nb"),
     ("1. [ ] a\n2. [✓] b", "b")],
)  # fmt: skip
def test_what_is_ticked(body, ticked):
    assert chosen(body) == ticked
