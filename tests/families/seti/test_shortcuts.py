"""The shortcut baselines do what the paper predicts of models that take shortcuts."""

from __future__ import annotations

import pytest

from taskloom.core import open_suite
from taskloom.families.seti.shortcuts import SHORTCUTS, HypothesisOnly, VerbOnly, accuracies


def score(name, *shortcuts, seed=1, **options):
    suite = open_suite(f"seti/{name}", seed=seed, options={"lexical": 120, "structural": 120, "few": 0, **options})
    return accuracies(suite, shortcuts or SHORTCUTS)


def test_the_verb_solves_task_3_by_verb():
    """Non-veridical verbs were seen with "no" only, so the verb is enough (section 5.1)."""
    assert score("task3-nontrivial-verb", VerbOnly) == {"verb-only": 1.0}


def test_the_verb_fails_on_task_2_nontrivial():
    """Veridical verbs were seen with "yes" only: right on one half, wrong on the other, as the paper's models."""
    assert score("task2-nontrivial", VerbOnly) == {"verb-only": 0.5}


def test_the_verb_is_misled_on_task_3_by_natural_inference():
    assert score("task3-nontrivial-natural", VerbOnly) == {"verb-only": 0.0}


def test_the_verb_gets_three_rules_of_four_in_task_1():
    """It is wrong only where a veridical verb meets a false inference (rule 2)."""
    for name in ("task1-trivial", "task1-nontrivial", "task2-trivial"):
        assert score(name, VerbOnly)["verb-only"] == pytest.approx(0.75)


def test_the_verb_tells_nothing_where_all_verbs_are_alike():
    assert score("task3-trivial", VerbOnly)["verb-only"] == pytest.approx(0.5)


def test_the_hypothesis_does_not_tell_unseen_sentences():
    """Task 1 non-trivial has other sentences in the test; what is left is the label of the rule's words."""
    result = score("task1-nontrivial", HypothesisOnly, lexical=800)["hypothesis-only"]
    assert result < 0.75, "no better than always saying no"


def test_nothing_simple_solves_task_2_nontrivial():
    result = score("task2-nontrivial")
    assert max(value for name, value in result.items() if name != "majority") < 0.6


def test_in_distribution_the_verb_is_no_longer_misled():
    assert score("task2-nontrivial-id", VerbOnly)["verb-only"] > 0.7
    assert score("task3-nontrivial-natural-id", VerbOnly)["verb-only"] > 0.8


def test_a_dose_lets_the_verb_learn():
    """Appending the few-shot dose to training moves the verb counter off its rule only with many shots."""
    suite = open_suite("seti/task3-nontrivial-natural", seed=1, options={"lexical": 120, "few": 128})
    learner = VerbOnly()
    learner.fit(row.instance for split in ("train", "few") for row in suite.rows(split))
    right = [learner.predict(i) == (i.targets.canonical() == "entailment") for _, i in suite.rows("test")]
    assert sum(right) / len(right) > 0.9
