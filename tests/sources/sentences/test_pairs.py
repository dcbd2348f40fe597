"""Pairs: what may change, what never does, and that the hypothesis alone tells nothing."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from random import Random

import pytest

from families.seti.judge import RELATIVE, judge
from taskloom.core import keyed_random
from taskloom.sources.sentences import (
    NEGATIONS,
    QUANTIFIERS,
    RELATIONS,
    capitalise,
    lexical_pair,
    negated_pair,
    quantified_pair,
    structural_pair,
)

COUNT = 400


def draw(make, label, count=COUNT, key="pairs"):
    return [make(keyed_random(key, label, index), label) for index in range(count)]


@pytest.mark.parametrize("make", [lexical_pair, structural_pair])
@pytest.mark.parametrize("label", [True, False])
def test_labels_hold_in_every_model(make, label):
    for pair in draw(make, label):
        assert pair.entailed is label
        assert judge(capitalise(pair.premise), capitalise(pair.hypothesis)) is label, pair


@pytest.mark.parametrize("relation", RELATIONS)
@pytest.mark.parametrize("quantifier", QUANTIFIERS)
def test_quantified_labels_hold_in_every_model(quantifier, relation):
    for index in range(12):
        pair = quantified_pair(keyed_random("quantified", quantifier, relation, index), quantifier, relation)
        assert judge(capitalise(pair.premise), capitalise(pair.hypothesis)) is pair.entailed, pair


@pytest.mark.parametrize("relation", RELATIONS)
@pytest.mark.parametrize("negation", NEGATIONS)
def test_negated_labels_hold_in_every_model(negation, relation):
    for index in range(25):
        pair = negated_pair(keyed_random("negated", negation, relation, index), negation, relation)
        assert judge(capitalise(pair.premise), capitalise(pair.hypothesis)) is pair.entailed, pair
        assert pair.entailed is (relation in ("hyponym", "synonym"))


def test_a_lexical_pair_changes_one_word():
    for pair in draw(lexical_pair, True) + draw(lexical_pair, False):
        before, after = pair.premise.split(), pair.hypothesis.split()
        assert len(before) == len(after)
        changed = [(old, new) for old, new in zip(before, after, strict=True) if old != new]
        changed = [words for words in changed if set(words) != {"a", "an"}]
        assert len(changed) == 1, pair


def test_definite_nouns_and_nouns_with_relative_adjectives_stay():
    """ "The boy" need not be "the kid", and a big mouse is no big animal."""
    for pair in draw(lexical_pair, True, 2000):
        before, after = pair.premise.split(), pair.hypothesis.split()
        for index, (old, new) in enumerate(zip(before, after, strict=True)):
            if old != new and pair.position in ("subject", "object") and {old, new} != {"a", "an"}:
                assert before[index - 1] != "the", pair
                assert before[index - 1] not in RELATIVE, pair


def test_a_role_swap_keeps_the_words_and_changes_who_does_it():
    swaps = [pair for pair in draw(structural_pair, False) if pair.relation == "role-swap"]
    assert len(swaps) > 50
    for pair in swaps:
        nouns = [word for word in pair.premise.split() if word not in ("is", "are", "being", "by")]
        assert set(pair.premise.split()[:2]) == set(pair.hypothesis.split()[:2]), pair
        assert len(nouns) >= 4


def test_the_same_rule_in_another_context():
    for pair in draw(lexical_pair, True, 50) + draw(lexical_pair, False, 50):
        again = lexical_pair(Random(5), pair.entailed, rule=(pair.position, pair.rule))
        assert (again.rule, again.position, again.entailed) == (pair.rule, pair.position, pair.entailed)


def test_the_past_takes_both_sentences_along():
    pair = lexical_pair(Random(1), True, "past-progressive")
    assert {"was", "were"} & set(pair.premise.split())
    assert {"was", "were"} & set(pair.hypothesis.split())


@pytest.mark.parametrize("make", [lexical_pair, structural_pair])
def test_the_hypothesis_alone_does_not_tell_the_label(make):
    """A word counter trained on 3,000 pairs stays at chance on 3,000 fresh ones, within three standard errors."""
    counts = {label: Counter() for label in (True, False)}
    for label in (True, False):
        for pair in draw(make, label, 1500, "train"):
            counts[label].update(set(pair.hypothesis.split()))
    right = 0
    for label in (True, False):
        for pair in draw(make, label, 1500, "fresh"):
            words = set(pair.hypothesis.split())
            score = sum((counts[True][w] - counts[False][w]) / (counts[True][w] + counts[False][w] + 10) for w in words)
            right += (score > 0) is label
    assert abs(right / 3000 - 0.5) < 0.03


def test_the_same_key_gives_the_same_pair_in_another_process():
    code = (
        "from taskloom.core import keyed_random\n"
        "from taskloom.sources.sentences import lexical_pair, structural_pair\n"
        "print([m(keyed_random('x', i), i % 2 == 0) for m in (lexical_pair, structural_pair) for i in range(50)])"
    )
    runs = [
        subprocess.run(
            [sys.executable, "-c", code], check=True, capture_output=True, text=True,
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": ":".join(sys.path)},
        ).stdout
        for seed in ("1", "2")
    ]  # fmt: skip
    assert runs[0] == runs[1]
    assert len(runs[0]) > 5000
