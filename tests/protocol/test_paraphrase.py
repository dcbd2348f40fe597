"""Instructions in other words keep what they ask for."""

from __future__ import annotations

import re
from functools import cache

import pytest

from taskloom.core import open_suite
from taskloom.protocol.formats import answer_format
from taskloom.protocol.wordings import MOST_WORDINGS, paraphrase, patterns, reword

SUITES = {"babi/mix-t12": 1.0, "babi/task-15": 1.0, "seti/task1-trivial": 1.0, "superni/embedded": 0.9}
TASKBENCH = (
    "You are given an English word. Say whether this is true: the word can be a noun. Answer 'true' or 'false'.",
    "You are given several items in a row, with blanks between them; each is an English word. For each item give a "
    "verb that it entails. Any one right answer for each is enough.",
    "You are given the name of a work. Give the performer of the work. Any one right answer is enough.",
)
ZEST = (
    "Read a passage about a ruler and answer a question about it: Who educated this ruler? Answer in as few words as "
    "will do, those of the passage where it has them, or n/a if it does not say. Go by the passage alone.",
)


@cache
def _tasks(name):
    suite = open_suite(name, seed=0)
    return [suite.tasks[task] for task in list(suite.tasks)[:150]]


@pytest.mark.parametrize("definition", [*TASKBENCH, *ZEST])
def test_each_sentence_of_the_other_families_changes(definition):
    said = [paraphrase(definition, wording) for wording in range(5)]
    assert len(set(said)) == 5
    for other in said[1:]:
        assert definition.split(". ")[0] not in other
        assert all(part in other for part in re.findall(r"'[^']+'|n/a|Who [^?]*\?|performer of the work", definition))


@pytest.mark.parametrize(("name", "share"), SUITES.items())
def test_the_sentences_of_each_family_have_other_wordings(name, share):
    tasks = _tasks(name)
    changed = [
        len({paraphrase(task.instruction.definition, wording) for wording in range(MOST_WORDINGS)}) >= 4
        for task in tasks
    ]
    assert sum(changed) / len(changed) >= share


@pytest.mark.parametrize("name", SUITES)
def test_labels_numbers_and_slots_survive(name):
    for task in _tasks(name):
        definition = task.instruction.definition
        kept = re.findall(r"'[^']+'|\d+|\([^)]*\)", definition)
        for wording in range(MOST_WORDINGS):
            said = paraphrase(definition, wording)
            assert all(part in said for part in kept), (definition, said)
            assert "{" not in said or "{" in definition
            assert all(label in reword(task, answer_format(task), wording) for label in task.labels)


def test_wording_0_is_the_definition_itself():
    for task in _tasks("superni/embedded"):
        assert paraphrase(task.instruction.definition, 0) == task.instruction.definition


def test_every_pattern_keeps_its_slots():
    for pattern in patterns():
        for wording in pattern.wordings:
            slots = set(re.findall(r"\{(\w+)\}", wording))
            assert slots == set(pattern.sentence.groupindex), (pattern.family, wording)


def test_a_sentence_nobody_knows_stays():
    assert paraphrase("Frobnicate the input, then rest.", 5) == "Frobnicate the input, then rest."
