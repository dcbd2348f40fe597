"""Shortcut probes: each finds the trick it is named for, and nothing where there is none."""

from random import Random

import pytest

from taskloom.core import Instance, Row, any_of
from taskloom.score.probes import (
    BagOfWordsProbe,
    LastMentionProbe,
    LastWithAskedProbe,
    LinearProbe,
    MajorityProbe,
    PositionProbe,
    ProbeItem,
    area_under_curve,
    audit,
    probe_items,
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
