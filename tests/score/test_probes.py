"""Shortcut probes: each finds the trick it is named for, and nothing where there is none."""

from collections import Counter
from math import exp, log
from random import Random

import pytest

from taskloom.core import Instance, Row, any_of
from taskloom.score.probes import (
    BagOfWordsProbe,
    FirstMentionProbe,
    LastMentionProbe,
    LastWithAskedProbe,
    LinearProbe,
    MajorityProbe,
    PositionProbe,
    ProbeItem,
    area_under_curve,
    audit,
    mentions,
    probe_items,
    split_halves,
    standard_probes,
)
from taskloom.score.ranker import RankerProbe

PEOPLE = ("Ann", "Ben", "Cleo", "Dan")
PLACES = ("attic", "barn", "cave", "dock", "east wing")


def item(group, context, question, answer):
    return ProbeItem(group, context, question, answer, frozenset((answer.casefold(),)))


def walks(count, pick):
    """Stories in which people walk about; `pick(rng, story)` says who is asked about, the answer is where they are."""
    rng = Random(3)
    found = []
    while len(found) < count:
        story = [(rng.choice(PEOPLE), rng.choice(PLACES)) for _ in range(6)]
        who = pick(rng, story)
        text = "\n".join(f"Yesterday {name} went to the {place}." for name, place in story)
        answer = [place for name, place in story if name == who][-1]
        found.append(item("where", text, f"Where is {who}?", answer))
    return found


def shares(items, *probes):
    return {result.probe: result.estimate.value for result in audit(items, probes)}


def test_the_last_sentence_about_the_asked_gives_it_away():
    items = walks(300, lambda rng, story: rng.choice(story)[0])
    found = shares(items, LastWithAskedProbe(), RankerProbe(), MajorityProbe(), LastMentionProbe())
    assert found["last with asked"] == 1.0
    assert found["shallow ranker"] > 0.9
    assert found["majority"] < 0.4
    assert found["last mention"] < 0.7


def test_last_mention_and_position():
    items = walks(300, lambda rng, story: story[-1][0])
    found = shares(items, LastMentionProbe(), PositionProbe())
    assert found == {"last mention": 1.0, "position": 1.0}


def test_nothing_is_found_in_chance():
    rng = Random(5)
    texts = [" ".join(rng.choice(("red", "blue", "low", "high")) for _ in range(8)) for _ in range(400)]
    items = [item("coin", text, "Heads?", rng.choice(("yes", "no"))) for text in texts]
    for result in audit(items, standard_probes()):
        assert result.estimate.value < 0.62, result


def test_words_that_carry_the_label():
    rng = Random(1)
    items = []
    for _ in range(200):
        words = [rng.choice(("stone", "tree", "river")) for _ in range(5)]
        answer = rng.choice(("yes", "no"))
        if answer == "no":
            words[rng.randrange(5)] = "never"
        items.append(item("claim", " ".join(words), "Is it so?", answer))
    found = shares(items, BagOfWordsProbe(), LinearProbe(), BagOfWordsProbe("question"), LinearProbe("context"))
    assert found["bag of words"] > 0.95
    assert found["linear"] > 0.95
    assert found["linear (context only)"] > 0.95
    assert found["bag of words (question only)"] < 0.65


def test_rows_groups_and_training_items():
    rows = [
        Row(
            "t", Instance(str(n), f"s{n}\nq", any_of(("Yes", "y")), {"kind": "a" if n % 2 else "b"}, {"story": f"s{n}"})
        )
        for n in range(10)
    ]
    items = probe_items(rows, group="kind", context="story")
    assert {each.group for each in items} == {"a", "b"}
    assert items[0].context == "s0"
    assert items[0].accepted == {"yes", "y"}
    assert {each.group for each in probe_items(rows)} == {"t"}
    fit = [each._replace(answer="y") for each in items]
    results = audit(items, [MajorityProbe()], fit=fit)
    assert [result.estimate.value for result in results] == [1.0, 1.0]
    assert all(result.estimate.n == 5 for result in results)


def test_area_under_the_curve():
    assert area_under_curve([0.1, 0.4, 0.35, 0.8], [False, False, True, True]) == pytest.approx(0.75)
    assert area_under_curve([1, 1, 1, 1], [False, True, False, True]) == pytest.approx(0.5)
    with pytest.raises(ValueError, match="positive and negative"):
        area_under_curve([1, 2], [True, True])


def test_items_about_one_context_stay_in_one_half():
    items = [item("g", f"Story {number // 2}.", f"Where is {number}?", "x") for number in range(40)]
    (first, second), swapped = split_halves(items)
    assert swapped == (second, first)
    assert len(first) + len(second) == 40 and min(len(first), len(second)) > 4
    assert not {one.context for one in first} & {one.context for one in second}


def test_rounds_halve_the_items_anew_and_average():
    items = [item("g", f"Story {number}.", "Where?", f"barn {number % 3}") for number in range(30)]
    (once,), (often,) = (audit(items, [MajorityProbe()], rounds=rounds) for rounds in (1, 8))
    ways = {tuple(one.context for one in split_halves(items, number)[0][0]) for number in range(8)}
    assert len(ways) == 8
    scores = [
        sum(one.accepted == {answer} for one in asked)
        for number in range(8)
        for fitted, asked in split_halves(items, number)
        for answer in (min(Counter(one.answer for one in fitted).items(), key=lambda pair: (-pair[1], pair[0]))[0],)
    ]
    assert often.estimate.value == pytest.approx(sum(scores) / 8 / 30)
    assert (once.estimate.n, often.estimate.n) == (30, 30)


def test_a_group_without_training_items_scores_nothing():
    (result,) = audit([item("g", "A barn.", "Where?", "barn")] * 3, [MajorityProbe()], fit=[])
    assert (result.estimate.value, result.estimate.n) == (0.0, 3)


def test_what_a_question_is_about_and_what_stands_last():
    probe = LastMentionProbe()
    items = [
        item("w", "Ann went from the barn to the east wing.\nBen left the cave.", "Where is Ann?", "east wing"),
        item("w", "Ann left the barn.", "Where is Ben now?", "cave"),
        item("w", "Cleo slept.", "Where is Cleo?", "barn"),
    ]
    probe.fit(items)
    assert probe.asked_about(items[1]) == ("ben", "now"), "where and is stand in most questions"
    assert probe.candidates(items[0]) == {"barn": [0], "cave": [1], "east wing": [0]}
    assert probe.last_in(items[0], 0) == "east wing" and probe.last_in(items[0], 1) == "cave"
    named = item("w", "Ann went from the barn to the cave.", "Was Ann in the cave?", "barn")
    assert probe.last_in(named, 0) == "barn", "what the question names is no answer"
    assert probe.answer(items[0]) == "cave" and probe.answer(items[2]) is None
    first = FirstMentionProbe()
    first.fit(items)
    assert first.answer(items[0]) == "east wing"
    last = LastWithAskedProbe()
    last.fit(items)
    assert last.answer(items[0]) == "east wing", "the last sentence about Ann"
    assert last.answer(items[1]) == "barn", "nothing about Ben: the last mention"


def test_position_counts_from_both_ends():
    story = "Ann left the {}.\nBen left the {}.\nCleo left the {}.".format
    items = [
        item("p", story("attic", "barn", "cave"), "Which?", "barn"),
        item("p", story("dock", "cave", "barn"), "Which?", "cave"),
        item("p", story("cave", "attic", "dock") + "\nDan left the barn.", "Which?", "dock"),
    ]
    probe = PositionProbe()
    probe.fit(items)
    assert probe._order == [-2, 1, 2], "three times the last but one, twice the second"
    assert probe.answer(item("p", story("barn", "dock", "attic"), "Which?", "")) == "dock"
    assert probe.answer(item("p", "Ann left the barn.", "Which?", "")) is None, "too short for any position"
    assert probe.answer(item("p", "Ann slept.\nBen left the barn.\nCleo left the cave.", "Which?", "")) == "barn"


def test_the_most_frequent_answer_first_by_spelling():
    probe = MajorityProbe()
    probe.fit([item("g", "", "", answer) for answer in ("b", "c", "a", "c", "b")])
    assert probe.answer(item("g", "", "", "a")) == "b"


def test_naive_bayes_by_hand():
    items = [item("b", "red red low", "up", "yes"), item("b", "blue", "up", "no"), item("b", "red", "down", "yes")]
    probe = BagOfWordsProbe()
    probe.fit(items)
    scores = probe.scores(item("b", "red blue green", "up", "yes"))
    # Seven words of the three items carry five different features: red, low, blue, ?up, ?down.
    yes = log(2 / 3) + log((3 + 1) / (6 + 5)) + log(1 / (6 + 5)) + log((1 + 1) / (6 + 5))
    no = log(1 / 3) + log(1 / (2 + 5)) + log((1 + 1) / (2 + 5)) + log((1 + 1) / (2 + 5))
    assert scores == pytest.approx({"yes": yes, "no": no})
    assert probe.answer(item("b", "red red red", "down", "")) == "yes"
    question = BagOfWordsProbe("question")
    question.fit(items)
    assert question.scores(item("b", "blue", "up", "no")) == pytest.approx(
        {"yes": log(2 / 3) + log(2 / 4), "no": log(1 / 3) + log(2 / 3)}
    )
    assert (probe.name, question.name) == ("bag of words", "bag of words (question only)")


def test_the_linear_probe_is_where_the_slope_is_zero():
    items = [item("l", text, "", answer) for text, answer in (
        ("red low", "yes"), ("blue low", "no"), ("red high", "yes"), ("blue high low", "no"), ("red blue", "no"),
    )]  # fmt: skip
    probe = LinearProbe("context", penalty=0.7, steps=500)
    probe.fit(items)
    assert set(probe._index) == {"red", "low", "blue", "high", "red low", "blue low", "red high", "blue high",
                                 "high low", "red blue"}  # fmt: skip
    assert list(probe._index)[:2] == ["blue", "low"], "the most frequent first, then by spelling"

    def loss(weights):
        value = 0.7 / 2 * float((weights[:-1] ** 2).sum())
        for one in items:
            rows = [probe._index[feature] for feature in probe._features(one)]
            logits = weights[rows].sum(axis=0) + weights[-1]
            value += log(sum(exp(logit) for logit in logits)) - logits[probe._labels.index(one.answer)]
        return value

    least = loss(probe._weights)
    for place in range(probe._weights.shape[0]):
        for column in range(2):
            for step in (1e-2, -1e-2):
                moved = probe._weights.copy()
                moved[place, column] += step
                assert loss(moved) > least or place == len(moved) - 1, "only the bias has no penalty"
    few = LinearProbe("context", most=3)
    few.fit(items)
    assert list(few._index) == ["blue", "low", "red"]
    assert [probe.answer(one) for one in items] == [one.answer for one in items]


def test_of_candidates_that_begin_together_the_first_by_spelling_stands_last():
    probe = LastMentionProbe()
    probe.fit([item("w", "", "Where?", answer) for answer in ("east", "east wing", "wing", "attic")])
    assert probe.last_in(item("w", "The attic, then the east wing.", "Where?", ""), 0) == "wing"
    probe.fit([item("w", "", "Where?", answer) for answer in ("east", "east wing", "attic")])
    assert probe.last_in(item("w", "The attic, then the east wing.", "Where?", ""), 0) == "east"
    assert probe.last_in(item("w", "East, then the attic.", "Where?", ""), 0) == "attic"
    assert probe.last_in(item("w", "East.", "Where?", ""), 0) == "east"
    assert probe.last_in(item("w", "Nowhere.", "Where?", ""), 0) is None


@pytest.mark.parametrize(
    ("sentence", "phrase", "inside"),
    [
        ("a b c", "b", True), ("a b c", "b c", True), ("a b c", "a b", True), ("a b c", "a c", False),
        ("a b", "a b", True), ("a", "a b", False), ("", "a", False), ("a b c", "a b c d", False), ("ab", "a", False),
    ],
)  # fmt: skip
def test_phrases_stand_in_sentences_word_for_word(sentence, phrase, inside):
    assert mentions(sentence.split(), phrase.split()) is inside


def test_a_linear_probe_keeps_five_thousand_features():
    words = " ".join(f"w{number}" for number in range(2_600))
    probe = LinearProbe("context", steps=1)
    probe.fit([item("l", words, "", "yes"), item("l", "other words", "", "no")])
    assert len(probe._index) == 5_000 and (probe._penalty, LinearProbe()._steps) == (1.0, 60)
