"""Agreement, articles, aspect, voice, negation and mood."""

from __future__ import annotations

import pytest

from taskloom.sources.sentences.words import Adjective, Clause, Phrase, capitalise, conjugate, inventory, say

NOUNS = inventory().nouns
CHEF, ONION = Phrase("a", NOUNS["chef"]), Phrase("a", NOUNS["onion"])
CHEFS = Phrase("two", NOUNS["chef"], plural=True)
CUT = conjugate("cut")
EAT = conjugate("eat")


@pytest.mark.parametrize(
    ("aspect", "active", "passive"),
    [
        ("progressive", "a chef is eating an onion", "an onion is being eaten by a chef"),
        ("past-progressive", "a chef was eating an onion", "an onion was being eaten by a chef"),
        ("present", "a chef eats an onion", "an onion is eaten by a chef"),
        ("past", "a chef ate an onion", "an onion was eaten by a chef"),
        ("perfect", "a chef has eaten an onion", "an onion has been eaten by a chef"),
    ],
)
def test_aspect_and_voice(aspect, active, passive):
    clause = Clause(CHEF, EAT, ONION)
    assert say(clause, aspect) == active
    assert say(clause._replace(passive=True), aspect) == passive


@pytest.mark.parametrize(
    ("aspect", "expected"),
    [
        ("progressive", "two chefs are cutting an onion"),
        ("past-progressive", "two chefs were cutting an onion"),
        ("present", "two chefs cut an onion"),
        ("perfect", "two chefs have cut an onion"),
    ],
)
def test_agreement(aspect, expected):
    assert say(Clause(CHEFS, CUT, ONION), aspect) == expected


@pytest.mark.parametrize(
    ("aspect", "expected"),
    [
        ("progressive", "the chef is not eating any onions"),
        ("present", "the chef does not eat any onions"),
        ("past", "the chef did not eat any onions"),
        ("perfect", "the chef has not eaten any onions"),
    ],
)
def test_negation(aspect, expected):
    onions = Phrase("any", NOUNS["onion"], plural=True)
    assert say(Clause(Phrase("the", NOUNS["chef"]), EAT, onions, negated=True), aspect) == expected


def test_there_is_no():
    clause = Clause(Phrase("no", NOUNS["boy"]), conjugate("run"), place="in the park", there=True)
    assert say(clause) == "there is no boy running in the park"
    assert say(clause, "past-progressive") == "there was no boy running in the park"
    assert say(clause, subjunctive=True) == "there were no boy running in the park"


def test_the_subjunctive_under_wish():
    clause = Clause(CHEF, EAT, ONION)
    assert say(clause, subjunctive=True) == "a chef were eating an onion"
    assert say(clause, "present", subjunctive=True) == "a chef ate an onion"
    assert say(clause._replace(passive=True), "perfect", subjunctive=True) == "an onion had been eaten by a chef"


def test_an_adjective_takes_the_article():
    apple = Phrase("a", NOUNS["apple"], adjective=Adjective("red", "a", False))
    assert say(Clause(CHEF, EAT, apple)) == "a chef is eating a red apple"


def test_sentences():
    assert capitalise("a chef is eating") == "A chef is eating."


def test_an_intransitive_verb_has_no_passive():
    with pytest.raises(ValueError, match="no passive"):
        say(Clause(CHEF, conjugate("sleep"), passive=True))
