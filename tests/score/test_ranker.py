"""The shallow ranker: every feature of a small story by hand, and weights that are where the optimum is."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from taskloom.score.probes import ProbeItem
from taskloom.score.ranker import RankerProbe, gap_name, is_named, rank


def item(context, question, answer):
    return ProbeItem("where", context, question, answer, frozenset((answer.casefold(),)))


STORY = "So Ann went to the attic.\nSo Ben went to the barn.\nSo Ann went to the cave.\nSo Ben went to the attic."
PLACES = [
    item(STORY, "Where is Ann?", "cave"),
    item(STORY, "Where is Ben?", "attic"),
    item("So Ben went to the barn.\nSo Ann went to the barn.", "Where is Ben?", "barn"),
]


@pytest.fixture
def places():
    probe = RankerProbe()
    probe.fit(PLACES)
    return probe


def features(probe, asked):
    return {answer: set(found) for answer, found in probe._options(asked)}


def test_where_a_candidate_stands(places):
    found = features(places, PLACES[0])
    assert set(found) == {"attic", "barn", "cave"}
    words = {"so", "ann", "ben", "went", "to", "the", "attic", "barn", "cave"}
    cave = {feature for feature in found["cave"] if feature.split()[-1] not in words}
    assert cave == {
        "asked False", "count 1", "close 1", "last 1", "first 2", "close last 0", "close first 1",
        "ahead none", "later none",
        "shares near 1", "shares near last 0", "shares near first 1",
        "shares latest 1", "shares latest last 0", "shares latest first 1",
    }  # fmt: skip
    assert {"beside cave", "beside ann", "close beside cave"} <= found["cave"]
    attic = {feature for feature in found["attic"] if feature.split()[-1] not in words}
    assert attic == {
        "asked False", "count 2", "close 1", "last 0", "first 0", "close last 1", "close first 0",
        "ahead 2", "later 1", "ahead rank 1",
        "shares near 1", "shares near last 1", "shares near first 0",
        "shares latest 1", "shares latest last 1", "shares latest first 0",
    }  # fmt: skip
    assert {"beside ben", "close beside ann"} <= found["attic"], "its last line is Ben's, its last close line Ann's"
    barn = found["barn"]
    assert {"close 0", "ahead 1", "ahead rank 0", "shares near 0"} <= barn
    assert not any(feature.startswith(("close last", "close beside", "shares near last")) for feature in barn)


def test_a_place_in_the_question_is_a_goal():
    before = [item(STORY, f"Where was {who} before the {place}?", answer) for who, place, answer in (
        ("Ann", "cave", "attic"), ("Ben", "attic", "barn"), ("Ann", "barn", "attic"), ("Ben", "cave", "barn"),
    )]  # fmt: skip
    probe = RankerProbe()
    probe.fit([*before, *PLACES])
    found = features(probe, before[0])
    assert "asked True" in found["cave"] and "asked False" in found["attic"]
    assert {"goal 1", "goal close 2", "shares goal 1", "shares both 1"} <= found["attic"]
    assert {"goal 0", "goal close none", "shares goal 0"} <= found["barn"]
    assert {"goal none", "goal close none", "shares goal last 0"} <= found["cave"]


def test_how_the_words_of_a_question_meet():
    story = "So Ann met Ben.\nSo Cleo left Dan.\nSo Ann saw Cleo."
    asked = [
        ("Did Ann meet Ben?", "yes"),
        ("Did Ann meet Dan?", "no"),
        ("Did Cleo meet Dan?", "no"),
        ("Did Ben meet Cleo?", "no"),
    ]
    items = [item(story, question, answer) for question, answer in asked]
    probe = RankerProbe()
    probe.fit(items)
    found = features(probe, items[0])
    assert set(found) == {"no", "yes"}
    assert found["yes"] == {f"yes:{feature}" for feature in (
        "bias", "order [1, 0]",
        "count 0 2", "age 0 1", "last 0 so", "last 0 saw", "last 0 cleo",
        "meet 0 1 1", "meet last 0 1 False", "meet beside so", "meet beside met",
        "count 1 1", "age 1 3", "last 1 so", "last 1 met",
        "meet 1 0 1", "meet last 1 0 True",
    )}  # fmt: skip
    assert {"no:meet 0 1 0", "no:meet last 0 1 False", "no:age 1 2"} <= features(probe, items[1])["no"]


def test_places_on_the_line_itself_are_not_ahead_of_it():
    story = "So Ann went to the attic.\nSo Ben went to the barn.\nSo Ann went to the attic.\nSo Cleo went to the cave."
    probe = RankerProbe()
    probe.fit([item(story, "Where is Ann?", "attic"), item(story, "Where is Cleo?", "cave"), *PLACES])
    found = features(probe, item(story, "Where is Ann?", "attic"))
    assert {"ahead 1", "later none", "ahead rank 0"} <= found["barn"], "the attic was ahead two lines before"
    assert {"ahead 2", "later none", "ahead rank 1"} <= found["attic"]
    assert {"ahead none", "later 1"} <= found["cave"]
    asked = features(probe, item(story, "Where was Ann before the attic?", "barn"))
    assert "goal 0" in asked["barn"] and "goal 1" in asked["attic"] and "goal none" in asked["cave"]


def test_ranks_gaps_and_names():
    assert rank(3, [5, 4, 3, 1]) == 2
    assert rank(0, range(20)) == 5, "up to a few"
    assert [gap_name(distance) for distance in (1, 3, 4, 7, 8, 30)] == ["1", "3", "4-7", "4-7", "8+", "8+"]
    assert is_named(PLACES[0], "the attic") and not is_named(PLACES[0], "dock") and not is_named(PLACES[0], "!")


@pytest.mark.parametrize("penalty", [0.3, 2.0])
def test_the_weights_are_where_the_slope_is_zero(penalty):
    probe = RankerProbe(penalty=penalty, steps=500)
    probe._index = {str(number): number for number in range(4)}
    groups, right = [[[0], [1, 2]], [[0, 2], [1], [3]], [[3], [0, 1]], [[0, 2], [1, 2]]], [1, 0, 1, 0]
    weights = np.array(probe._solve(groups, right))

    def loss(at):
        value = penalty / 2 * float((at**2).sum())
        for group, chosen in zip(groups, right, strict=True):
            scores = [sum(at[number] for number in option) for option in group]
            value += np.log(np.exp(scores).sum()) - scores[chosen]
        return value

    least = loss(weights)
    for number in range(4):
        for step in (1e-3, -1e-3):
            moved = weights.copy()
            moved[number] += step
            assert loss(moved) > least
    assert np.abs(weights).max() > 0.05


def test_nothing_to_learn_from_and_defaults(places):
    assert RankerProbe()._penalty == 0.3 and RankerProbe()._steps == 80
    probe = RankerProbe()
    probe.fit([item("So Ann went to the attic.", "Where is Ann?", "attic")])
    assert probe.answer(item("So Ann went to the attic.", "Where is Ann?", "attic")) == "attic", "the only candidate"
    assert probe.answer(item("Nothing happened.", "Where is Ann?", "attic")) is None
    assert [places.answer(one) for one in PLACES] == ["cave", "attic", "barn"]
    weights = [places._weights[number] for number in sorted(places._index.values())]
    assert any(one != other for one, other in pairwise(weights))


def test_answers_that_mostly_stand_in_the_context_are_candidates_and_others_labels():
    story = "So Ann went to the attic."
    inside, outside = item(story, "Where is Ann?", "attic"), item(story, "Is Ann here?", "yes")
    for items, labels in (([inside, outside], ["attic", "yes"]), ([inside, inside, outside], None)):
        probe = RankerProbe()
        probe.fit(items)
        assert probe._labels == labels, "more than half has to stand there"
