"""The hand-made inventory against an independent morphology and against WordNet."""

from __future__ import annotations

import re

import pytest

from families.seti.judge import RELATIVE, entails
from taskloom.sources.lexicon import default_lexicon
from taskloom.sources.sentences import inventory
from taskloom.sources.sentences.frames import frames
from taskloom.sources.sentences.words import article, conjugate, lexis

getInflection = pytest.importorskip("lemminflect").getInflection  # noqa: N816

VERBS = sorted({verb for frame in frames() for verb in frame.verbs})


def all_exchanges() -> set[tuple[str, str, str, str]]:
    return {
        ("verb" if position == "verb" else "noun", entry.old, entry.new, entry.relation)
        for frame in frames()
        for position, table in frame.exchanges.items()
        for sides in table.values()
        for relations in sides.values()
        for entries in relations.values()
        for entry in entries
    }


def test_the_inventory_is_large_enough_to_matter():
    assert len(lexis().nouns) > 200
    assert len(VERBS) > 100
    assert len(all_exchanges()) > 2500


@pytest.mark.parametrize("verb", [*VERBS, "realize", "imply", "understand", "wish", "admit", "know", "think"])
def test_verb_forms(verb):
    forms = conjugate(verb)
    for tag, form in zip(("VBZ", "VBD", "VBN", "VBG"), forms[1:], strict=True):
        assert form in getInflection(verb, tag=tag), (verb, tag, form)


def test_plurals():
    known = {"person": "people", "lemonade": "lemonades"}  # right, and unknown to the other side
    for noun in lexis().nouns.values():
        assert known.get(noun.word) == noun.plural or noun.plural in getInflection(noun.word, tag="NNS"), noun


@pytest.mark.parametrize(("word", "expected"), [("onion", "an"), ("unicycle", "a"), ("apple", "an"), ("house", "a")])
def test_articles(word, expected):
    assert article(word) == expected


def test_articles_of_the_inventory_follow_the_sound():
    for noun in lexis().nouns.values():
        assert noun.article == ("an" if re.match(r"[aeiou]", noun.word) else "a"), noun


def test_every_exchange_is_what_wordnet_says():
    """Up and down: a hypernym is entailed and does not entail, a co-hyponym or opposite does neither."""
    wanted = {"hypernym": (True, False), "synonym": (True, True), "hyponym": (False, True)}
    wrong = [
        (pos, old, new, relation)
        for pos, old, new, relation in sorted(all_exchanges())
        if (entails(pos, old, new), entails(pos, new, old)) != wanted.get(relation, (False, False))
    ]
    assert wrong == []


def test_antonyms_are_wordnets():
    lexicon = default_lexicon()
    antonyms = {(pos, old, new) for pos, old, new, relation in all_exchanges() if relation == "antonym"}
    antonyms |= {
        ("adj", old, new) for old, (_, others) in lexis().ranks.items() for new in others
        if lexis().opposition[old] == "antonym"
    }  # fmt: skip
    assert len(antonyms) > 10
    for pos, old, new in antonyms:
        opposite = set(lexicon.antonyms(old, pos=pos)) | set(lexicon.antonyms(new, pos=pos))
        assert {old, new} & opposite, (pos, old, new)


def test_adjectives_are_synonyms_or_not():
    for word, (synonyms, others) in lexis().ranks.items():
        assert all(entails("adj", word, other) for other in synonyms), word
        assert not any(entails("adj", word, other) for other in others), word


def test_relative_adjectives_are_marked():
    marked = {entry.word for entries in lexis().adjectives.values() for entry in entries if entry.relative}
    assert marked == RELATIVE


def test_every_noun_named_anywhere_exists():
    for line in inventory.ADJECTIVES.strip().split("\n"):
        assert set(line.split("|")[2].split()) <= set(lexis().nouns), line
    for line in inventory.MURKY.strip().split("\n"):
        assert set(line.replace("|", " ").split()) <= set(lexis().nouns), line


def test_nobody_becomes_a_dancer_by_dancing():
    """ "A boy is dancing" does not clearly fail to give "A dancer is dancing", so it is never asked."""
    table = {}
    for line in inventory.AGENTS.strip().split("\n"):
        verbs, nouns = (side.split() for side in line.split("|"))
        table.update(dict.fromkeys(verbs, nouns))
    assert set(table) <= set(VERBS)
    for frame in frames():
        agents = {noun for verb in frame.verbs for noun in table.get(verb, ())}
        for new in frame.exchanges.get("subject", ()):
            assert not any(lexis().entails(new, agent) for agent in agents), (frame.key, new)


def test_a_new_word_can_always_be_reached_with_both_labels():
    for frame in frames():
        for position, table in frame.exchanges.items():
            for new, sides in table.items():
                assert sides[True], (frame.key, position, new)
                assert sides[False], (frame.key, position, new)
