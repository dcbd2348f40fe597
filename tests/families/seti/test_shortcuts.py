"""The shortcut probes do what the paper predicts of models that take shortcuts, and find no other shortcut."""

from __future__ import annotations

import pytest

from taskloom.core import open_suite
from taskloom.families.seti.reports import OverlapProbe, VerbProbe, accuracies, inference_items, inference_probes
from taskloom.score.probes import LinearProbe, ProbeItem, audit
from taskloom.sources.sentences.pairs import PairOrder, lexical_space, structural_space


def score(name, *probes, seed=1, **options):
    suite = open_suite(f"seti/{name}", seed=seed, options={"lexical": 120, "structural": 120, "few": 0, **options})
    return accuracies(suite, probes or inference_probes())


def test_the_verb_solves_task_3_by_verb():
    """Non-veridical verbs were seen with "no" only, so the verb is enough (section 5.1)."""
    assert score("task3-nontrivial-verb", VerbProbe()) == {"verb only": 1.0}


def test_the_verb_fails_on_task_2_nontrivial():
    """Veridical verbs were seen with "yes" only: right on one half, wrong on the other, as the paper's models."""
    assert score("task2-nontrivial", VerbProbe()) == {"verb only": 0.5}


def test_the_verb_is_misled_on_task_3_by_natural_inference():
    assert score("task3-nontrivial-natural", VerbProbe()) == {"verb only": 0.0}


def test_the_verb_gets_three_rules_of_four_in_task_1():
    """It is wrong only where a veridical verb meets a false inference (rule 2)."""
    for name in ("task1-trivial", "task1-nontrivial", "task2-trivial"):
        assert score(name, VerbProbe())["verb only"] == pytest.approx(0.75)


def test_the_verb_tells_nothing_where_all_verbs_are_alike():
    assert score("task3-trivial", VerbProbe())["verb only"] == pytest.approx(0.5)


@pytest.mark.parametrize("name", ["task3-trivial", "task1-trivial"])
def test_memorised_sentences_tell_nothing(name):
    """The sentences of training come back in the trivial tests, but each with both labels (.883 once)."""
    result = score(name, lexical=400, structural=400)
    hypothesis = [value for probe, value in result.items() if probe.startswith("hypothesis only")]
    assert len(hypothesis) == 2
    assert max(hypothesis) <= 0.55
    if name == "task3-trivial":
        assert max(value for probe, value in result.items() if probe.startswith("premise only")) <= 0.55


@pytest.mark.parametrize(("space", "bound"), [(lexical_space, 0.55), (structural_space, 0.51)])
def test_neither_side_of_a_fresh_pair_tells_its_label(space, bound):
    """Premise only reached .635 on fresh lexical pairs once."""
    order = PairOrder(space(), "progressive", "probe")

    def items(lane):
        pairs = [order.pair(number, label, lane) for number in range(1200) for label in (True, False)]
        return [
            ProbeItem("", p.premise, p.hypothesis, str(p.entailed), frozenset({str(p.entailed).lower()})) for p in pairs
        ]

    results = audit(items(1), [LinearProbe("context"), LinearProbe("question")], fit=items(0))
    assert all(result.estimate.value <= bound for result in results)


def test_nothing_simple_solves_task_2_nontrivial():
    result = score("task2-nontrivial")
    assert max(value for name, value in result.items() if name != "majority") < 0.6


def test_in_distribution_the_verb_is_no_longer_misled():
    assert score("task2-nontrivial-id", VerbProbe())["verb only"] > 0.7
    assert score("task3-nontrivial-natural-id", VerbProbe())["verb only"] > 0.8


def test_a_dose_lets_the_verb_learn():
    """Appending the few-shot dose to training moves the verb probe off its rule only with many shots."""
    suite = open_suite("seti/task3-nontrivial-natural", seed=1, options={"lexical": 120, "few": 128})
    shown = inference_items(row for split in ("train", "few") for row in suite.rows(split))
    (result,) = audit(inference_items(suite.rows("test")), [VerbProbe()], fit=shown)
    assert result.estimate.value > 0.9


def test_overlap_counts_new_words():
    item = ProbeItem("", "A boy is running.", "A kid is running.", "x", frozenset())
    assert OverlapProbe().feature(item) == 1
