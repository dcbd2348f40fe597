"""The hand-made inventory against an independent morphology and against WordNet."""

from __future__ import annotations

import re

import msgspec
import pytest

from families.seti.judge import RELATIVE, entails
from taskloom.core import open_suite
from taskloom.sources.lexicon import default_lexicon
from taskloom.sources.sentences.frames import VARIANTS, adjective_changes, exchanges, frames, swap_changes, word_changes
from taskloom.sources.sentences.pairs import STRUCTURAL_CONTRASTS
from taskloom.sources.sentences.polarity import RELATIONS, OperatorOrder
from taskloom.sources.sentences.scenes import lexical_groups, structural_groups
from taskloom.sources.sentences.words import SceneRecord, article, conjugate, inventory, read_inventory

getInflection = pytest.importorskip("lemminflect").getInflection  # noqa: N816

VERBS = sorted({verb for frame in frames() for verb in frame.verbs})


def all_exchanges() -> set[tuple[str, str, str, str]]:
    """Every exchange an operator may meet, and every one of the contrast sets."""
    found = {
        ("verb" if position == "verb" else "noun", *entry)
        for frame in frames()
        for position in ("subject", "object", "verb")
        for relation in RELATIONS
        for entry in exchanges(frame, position, relation)
    }
    for frame in frames():
        for position in ("subject", "object", "verb"):
            for change in (c for variant in range(VARIANTS) for c in word_changes(frame, position, variant)):
                for old, new in (*change.true, *change.false):
                    relation = frame.relations[old, new] if position == "verb" else inventory().relation(old, new)
                    found.add(("verb" if position == "verb" else "noun", old, new, relation))
    return found


def test_the_inventory_is_large_enough_to_matter():
    assert len(inventory().nouns) > 200
    assert len(VERBS) > 100
    assert len(all_exchanges()) > 1500


@pytest.mark.parametrize("verb", [*VERBS, "realize", "imply", "understand", "wish", "admit", "know", "think"])
def test_verb_forms(verb):
    forms = conjugate(verb)
    for tag, form in zip(("VBZ", "VBD", "VBN", "VBG"), forms[1:], strict=True):
        assert form in getInflection(verb, tag=tag), (verb, tag, form)


def test_plurals():
    known = {"person": "people", "lemonade": "lemonades"}  # right, and unknown to the other side
    for noun in inventory().nouns.values():
        assert known.get(noun.word) == noun.plural or noun.plural in getInflection(noun.word, tag="NNS"), noun


@pytest.mark.parametrize(("word", "expected"), [("onion", "an"), ("unicycle", "a"), ("apple", "an"), ("house", "a")])
def test_articles(word, expected):
    assert article(word) == expected


def test_articles_of_the_inventory_follow_the_sound():
    for noun in inventory().nouns.values():
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
    antonyms = {pair for frame in frames() for pair, relation in frame.relations.items() if relation == "antonym"}
    assert len(antonyms) > 8
    for old, new in antonyms:
        opposite = set(lexicon.antonyms(old, pos="verb")) | set(lexicon.antonyms(new, pos="verb"))
        assert {old, new} & opposite, (old, new)


def test_adjectives_are_synonyms_or_not():
    words = inventory().alike
    for word, synonyms in words.items():
        for other in words:
            assert entails("adj", word, other) is (other == word or other in synonyms), (word, other)


def test_relative_adjectives_are_marked():
    marked = {entry.word for entries in inventory().adjectives.values() for entry in entries if entry.relative}
    assert marked == RELATIVE


def test_every_noun_named_anywhere_exists():
    for group in read_inventory().adjectives:
        assert set(group.nouns.split()) <= set(inventory().nouns), group
    for one, other in read_inventory().undecided:
        assert {*one.split(), *other.split()} <= set(inventory().nouns), one


def test_nobody_becomes_a_dancer_by_dancing():
    """ "A boy is dancing" does not clearly fail to give "A dancer is dancing", so it is never asked."""
    table = {}
    for verbs, nouns in read_inventory().agents:
        table.update(dict.fromkeys(verbs.split(), nouns.split()))
    assert set(table) <= set(VERBS)
    for frame in frames():
        agents = {noun for verb in frame.verbs for noun in table.get(verb, ())}
        news = {
            new for v in range(VARIANTS) for c in word_changes(frame, "subject", v) for _, new in (*c.true, *c.false)
        }
        news |= {entry.new for relation in RELATIONS for entry in exchanges(frame, "subject", relation)}
        for new in news:
            assert not any(inventory().entails(new, agent) for agent in agents), (frame.key, new)


def test_squares_give_no_word_away():
    """In every matching of a place each old and each new word meets both labels equally often, ladders aside."""
    squares = ladders = 0
    for frame in frames():
        for position in ("subject", "object", "verb"):
            for change in (c for variant in range(VARIANTS) for c in word_changes(frame, position, variant)):
                if {old for old, _ in change.true} == {old for old, _ in change.false}:
                    squares += 1
                    assert {new for _, new in change.true} == {new for _, new in change.false}, change
                else:
                    ladders += 1
                    (low, mid), (same, high) = change.true
                    assert mid == same
                    assert change.false == ((mid, low), (high, mid))
        for role in ("subject", "object") if frame.objects else ("subject",):
            for change in adjective_changes(frame, role, 0):
                assert {new for _, new in change.true} == {new for _, new in change.false}
    assert ladders / (squares + ladders) < 0.2


def test_no_sentence_belongs_to_two_frames():
    """What makes a sentence the member of one contrast set only."""
    every = frames()
    assert len({frame.key for frame in every}) == len(every)
    for number, frame in enumerate(every):
        for other in every[number + 1 :]:
            if bool(frame.objects) is not bool(other.objects):
                continue
            places = {*frame.places, *([""] if frame.objects else [])} & {
                *other.places,
                *([""] if other.objects else []),
            }
            objects = not frame.objects or set(frame.objects) & set(other.objects)
            shared = set(frame.verbs) & set(other.verbs) and set(frame.subjects) & set(other.subjects)
            assert not (places and objects and shared), (frame.key, other.key)


def test_every_frame_changes_something():
    for frame in frames():
        assert any(word_changes(frame, "subject", v) or word_changes(frame, "object", v) for v in range(VARIANTS)), (
            frame
        )
        assert not frame.swap or swap_changes(frame)


def test_no_place_names_a_thing_of_its_own_scene():
    """Nobody guards the bridge near the bridge."""
    for frame in frames():
        nouns = {word for place in frame.places for word in place.split()[-1:]}
        assert not nouns & {*frame.subjects, *frame.objects}, (frame.key, nouns)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ('allows = ["swop"]', "Invalid enum value 'swop'"),
        ('place = "yard"', "unknown field `place`"),
        ('subjects = "dog"', "missing required field `places`"),
    ],
)
def test_a_misspelt_scene_is_refused(text, complaint):
    with pytest.raises(msgspec.ValidationError, match=complaint):
        msgspec.toml.decode(f'verbs = "run"\n{text}'.encode(), type=SceneRecord)


def test_several_share_a_thing_or_one_has_several_only_where_the_scene_allows_it():
    groups = (*lexical_groups().values(), *structural_groups(STRUCTURAL_CONTRASTS).values())
    variants = [variant for group in groups for variant in group.variants if variant.frame.objects]
    assert {"+", "the"} < {determiner for variant in variants for determiner in variant.determiners}
    for variant in variants:
        assert variant.determiners != ("+", "the") or variant.frame.together, variant.name
        assert variant.determiners != ("the", "+") or variant.frame.several, variant.name
    order = OperatorOrder("quantifier", "progressive", "allowed")
    for (operator, _), group in order.groups.items():
        for variant in group.variants:
            one = variant.frame.objects and variant.site != "object" and operator != "no"
            assert not one or variant.frame.together, (operator, variant.name)


@pytest.mark.parametrize("name", ["task1-nontrivial", "task3-trivial", "quantifiers", "quantifiers-nontrivial"])
def test_several_people_never_eat_one_apple(name):
    alone = r"eating|devouring|nibbling|drinking|sipping|riding|wearing|driving|serving|playing|buying"
    several = r"^(?:[Ss]ome|two|three|several|every|all|at (?:least|most) two|fewer than three) \w+ (?:is|are)"
    suite = open_suite(f"seti/{name}", seed=4711)
    for _, instance in suite.rows("test", limit=1500):
        scene = instance.parts["premise"].rpartition(" that ")[2]
        assert not re.search(rf"{several} (?:{alone}) the (?!\w+s\b)", scene, re.IGNORECASE), scene


def test_nobody_pushes_what_is_carried():
    """\"A slender man is pushing the backpack in the hallway.\""""
    carried = {"bag", "backpack", "bucket", "pail", "basket", "bottle", "jar", "book"}
    pushed = {word for frame in frames() if "push" in frame.verbs for word in frame.objects}
    assert pushed and not pushed & carried
