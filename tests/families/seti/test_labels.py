"""Every label against the independent judge, in every suite."""

from __future__ import annotations

import os

import pytest

from families.seti.judge import judge
from taskloom.core import open_suite
from taskloom.core.catalog import FAMILIES

SUITES = [name for name in FAMILIES.get("seti").suites() if not name.endswith("-id")]
ROWS = int(os.environ.get("TASKLOOM_JUDGED_ROWS", "45"))  # per split; thousands for a long look


@pytest.mark.parametrize("name", SUITES)
def test_the_judge_agrees(name):
    suite = open_suite(f"seti/{name}", seed=21)
    for split in suite.splits:
        for _, instance in suite.rows(split, limit=ROWS):
            premise, hypothesis = instance.parts.values()
            said = "entailment" if judge(premise, hypothesis) else "not-entailment"
            assert said == instance.targets.canonical(), (premise, hypothesis, instance.facets)


@pytest.mark.parametrize(
    ("premise", "hypothesis", "expected"),
    [
        ("A boy is running.", "A kid is running.", True),
        ("A kid is running.", "A boy is running.", False),
        ("The kid is not eating any fruits.", "The kid is not eating any apples.", True),
        ("The kid is not eating any apples.", "The kid is not eating any fruits.", False),
        ("No kid is running.", "No boy is running.", True),
        ("Every kid is running.", "Every boy is running.", True),
        ("Every boy is running.", "Every kid is running.", False),
        ("Not every boy is running.", "Not every kid is running.", True),
        ("At most two kids are running.", "At most two boys are running.", True),
        ("At most two boys are running.", "At most two kids are running.", False),
        ("A dog is chasing a cat.", "A cat is being chased by a dog.", True),
        ("A dog is chasing a cat.", "A dog is being chased by a cat.", False),
        ("Two dogs are chasing a cat.", "A cat is being chased by two dogs.", False),  # each another cat
        ("Two dogs are chasing the cat.", "The cat is being chased by two dogs.", True),
        ("A big mouse is sleeping.", "A big animal is sleeping.", False),
        ("A red car is moving.", "A red vehicle is moving.", True),
        ("Someone knows that a boy is running.", "A kid is running.", True),
        ("Someone hopes that a boy is running.", "A kid is running.", False),
        ("Someone does not know that a boy is running.", "A kid is running.", True),
        ("Someone does not think that a boy is running.", "A kid is running.", False),
        ("Someone knows that she hopes that a boy is running.", "A boy is running.", False),
        ("Someone hopes that she knows that a boy is running.", "A boy is running.", False),
        ("Someone sees that she knows that a boy is running.", "A boy is running.", True),
    ],
)
def test_the_judge_itself(premise, hypothesis, expected):
    assert judge(premise, hypothesis) is expected
