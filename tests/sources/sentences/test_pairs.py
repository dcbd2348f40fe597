"""Pairs: what may change, what never does, and that the hypothesis alone tells nothing."""

from __future__ import annotations

from collections import Counter

import pytest

from families.seti.judge import RELATIVE, judge
from taskloom.core import UserError
from taskloom.sources.sentences.pairs import PairOrder, lexical_space, structural_space
from taskloom.sources.sentences.polarity import NEGATIONS, QUANTIFIERS, RELATIONS, OperatorOrder
from taskloom.sources.sentences.scenes import LANES
from taskloom.sources.sentences.words import capitalise

COUNT = 400
SPACES = {"lexical": lexical_space, "structural": structural_space}


def draw(natural, label, count=COUNT, key="pairs", lane=0, aspect="progressive"):
    order = PairOrder(SPACES[natural](), aspect, key)
    return [order.pair(index, label, lane) for index in range(count)]


@pytest.mark.parametrize("natural", SPACES)
@pytest.mark.parametrize("label", [True, False])
def test_labels_hold_in_every_model(natural, label):
    for pair in draw(natural, label):
        assert pair.entailed is label
        assert judge(capitalise(pair.premise), capitalise(pair.hypothesis)) is label, pair


@pytest.mark.parametrize("relation", RELATIONS)
@pytest.mark.parametrize("quantifier", QUANTIFIERS)
def test_quantified_labels_hold_in_every_model(quantifier, relation):
    for index in range(12):
        pair = OperatorOrder("quantifier", "progressive", "test").pair(quantifier, relation, index)
        assert judge(capitalise(pair.premise), capitalise(pair.hypothesis)) is pair.entailed, pair


@pytest.mark.parametrize("relation", RELATIONS)
@pytest.mark.parametrize("negation", NEGATIONS)
def test_negated_labels_hold_in_every_model(negation, relation):
    for index in range(25):
        pair = OperatorOrder("negation", "progressive", "test").pair(negation, relation, index)
        assert judge(capitalise(pair.premise), capitalise(pair.hypothesis)) is pair.entailed, pair
        assert pair.entailed is (relation in ("hyponym", "synonym"))


def test_a_lexical_pair_changes_one_word():
    for pair in draw("lexical", True) + draw("lexical", False):
        before, after = pair.premise.split(), pair.hypothesis.split()
        assert len(before) == len(after)
        changed = [(old, new) for old, new in zip(before, after, strict=True) if old != new]
        changed = [words for words in changed if set(words) != {"a", "an"}]
        assert len(changed) == 1, pair


def test_definite_nouns_and_nouns_with_relative_adjectives_stay():
    """ "The boy" need not be "the kid", and a big mouse is no big animal."""
    for pair in draw("lexical", True, 2000):
        before, after = pair.premise.split(), pair.hypothesis.split()
        for index, (old, new) in enumerate(zip(before, after, strict=True)):
            if old != new and pair.position in ("subject", "object") and {old, new} != {"a", "an"}:
                assert before[index - 1] != "the", pair
                assert before[index - 1] not in RELATIVE, pair


def test_a_role_swap_keeps_the_words_and_changes_who_does_it():
    swaps = [pair for pair in draw("structural", False) if pair.relation == "role-swap"]
    assert len(swaps) > 50
    for pair in swaps:
        nouns = [word for word in pair.premise.split() if word not in ("is", "are", "being", "by")]
        assert set(pair.premise.split()[:2]) == set(pair.hypothesis.split()[:2]), pair
        assert len(nouns) >= 4


def test_the_same_rule_in_another_context():
    """The number of a pair is the same exchange of words in every lane, and no two lanes share a sentence."""
    sentences = {}
    for label in (True, False):
        lanes = [draw("lexical", label, 300, lane=lane) for lane in range(LANES)]
        for pairs in zip(*lanes, strict=True):
            assert len({(pair.rule, pair.position, pair.entailed) for pair in pairs}) == 1
        for lane, pairs in enumerate(lanes):
            sentences.setdefault(lane, set()).update(text for pair in pairs for text in (pair.premise, pair.hypothesis))
    assert len(set().union(*sentences.values())) == sum(map(len, sentences.values()))


@pytest.mark.parametrize("natural", SPACES)
def test_no_premise_comes_twice_and_every_sentence_meets_both_labels(natural):
    pairs = {label: draw(natural, label, 2000) for label in (True, False)}
    for label in (True, False):
        assert len({pair.premise for pair in pairs[label]}) == 2000
    for side in ("premise", "hypothesis"):
        true, false = (Counter(getattr(pair, side) for pair in pairs[label]) for label in (True, False))
        assert (true - false).total() / 2000 < (0.1 if natural == "lexical" else 1e-9)


@pytest.mark.parametrize("natural", SPACES)
def test_every_unit_of_a_space_has_a_place_of_its_own(natural):
    space = SPACES[natural]()
    places = [space.locate(unit) for unit in range(space.units)]
    assert len(set(places)) == space.units
    assert all(0 <= place < space.groups[name].size for name, place in places)


@pytest.mark.parametrize("natural", SPACES)
def test_a_space_says_how_much_it_holds(natural):
    order = PairOrder(SPACES[natural](), "progressive", "all")
    assert order.space.pairs > 75_000
    assert order.pair(order.space.pairs - 1, True).premise
    with pytest.raises(UserError, match=rf"the grammar has {order.space.pairs:,} different {natural}"):
        order.pair(order.space.pairs, True)


def test_every_premise_under_an_operator_meets_both_labels():
    order = OperatorOrder("quantifier", "progressive", 1)
    for name in QUANTIFIERS:
        for index in range(20):
            one, two = order.pair(name, "hypernym", index), order.pair(name, "hyponym", index)
            assert one.premise == two.premise
            assert one.entailed is not two.entailed


def test_the_past_takes_both_sentences_along():
    for pair in draw("lexical", True, 20, aspect="past-progressive"):
        assert {"was", "were"} & set(pair.premise.split())
        assert {"was", "were"} & set(pair.hypothesis.split())
