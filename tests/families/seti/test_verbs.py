"""The embedding verbs: their forms, and their classes against people's judgements."""

from __future__ import annotations

import csv
import io
import zipfile
from collections import defaultdict

import pytest
from lemminflect import getInflection

from families.seti.judge import PRESUPPOSES, SPEAKS_OF_ANOTHER, SPEAKS_OF_THIS_WORLD
from taskloom.families.seti.verbs import NO_VERB, ClauseVerb, Template, opening, rule_table, soft_label
from taskloom.sources.sentences.pairs import PairOrder, structural_space
from taskloom.sources.sentences.words import conjugate

TABLE = rule_table()
VERIDICAL, NON_VERIDICAL, FACTIVE, NEGATABLE = TABLE.veridical, TABLE.non_veridical, TABLE.factive, TABLE.neutral
RATINGS = {(verb, negated): verb.rating(negated) for verb in TABLE.both for negated in (False, True)}


def verb(name: str) -> str | ClauseVerb:
    return TABLE.verbs.get(name, name) if name else NO_VERB


def test_the_thirty_verbs():
    assert len(VERIDICAL) == len(NON_VERIDICAL) == 15
    assert set(VERIDICAL) == SPEAKS_OF_THIS_WORLD
    assert set(NON_VERIDICAL) == SPEAKS_OF_ANOTHER
    assert set(FACTIVE) == PRESUPPOSES


@pytest.mark.parametrize("name", [*VERIDICAL, *NON_VERIDICAL])
def test_forms(name):
    for tag, form in zip(("VBZ", "VBD", "VBN", "VBG"), conjugate(name)[1:], strict=True):
        assert form in getInflection(name, tag=tag), (name, tag, form)


@pytest.mark.parametrize(
    ("subject", "tense", "negated", "complementizer", "expected"),
    [
        ("someone", "present", False, True, "someone realizes that "),
        ("they", "present", False, True, "they realize that "),
        ("I", "present", False, False, "I realize "),
        ("Mary and John", "present", True, True, "Mary and John do not realize that "),
        ("the teachers", "present", False, True, "the teachers realize that "),
        ("she", "past", False, True, "she realized that "),
        ("she", "past", True, True, "she did not realize that "),
        ("she", "perfect", False, True, "she has realized that "),
        ("she", "past-perfect", False, True, "she had realized that "),
        ("we", "perfect", True, True, "we have not realized that "),
    ],
)
def test_openings(subject, tense, negated, complementizer, expected):
    assert opening(subject, "realize", tense, negated, complementizer) == expected


def test_wish_takes_the_subjunctive():
    pair = PairOrder(structural_space(), "progressive", 3).pair(0, True)
    template = Template()
    assert " were " in template.embed(verb("wish"), pair, 0)
    assert template.embed(verb("hope"), pair, 0) == f"someone hopes that {pair.premise}"


def test_subjects_take_turns():
    pair = PairOrder(structural_space(), "progressive", 3).pair(0, True)
    template = Template(("she", "they"))
    assert template.embed(verb("know"), pair, 0).startswith("she knows that ")
    assert template.embed(verb("know"), pair, 1).startswith("they know that ")


def test_people_agree(reference):
    """MegaVeridicality: mean answers to "did that thing happen?" (yes 1, maybe or maybe not 0, no -1)."""
    path = reference / "seti" / "megaveridicality" / "mega-veridicality-v2.zip"
    answers = defaultdict(list)
    with zipfile.ZipFile(path) as archive:
        name = next(name for name in archive.namelist() if name.endswith(".csv"))
        for row in csv.DictReader(io.TextIOWrapper(archive.open(name), encoding="utf-8")):
            wanted = (row["frame"], row["voice"], row["conditional"], row["exclude"], row["nativeenglish"])
            if wanted == ("that_S", "active", "False", "False", "True"):
                answers[row["verb"], row["polarity"]].append({"yes": 1, "no": -1}.get(row["veridicality"], 0))
    for (verb, negated), rating in RATINGS.items():
        given = answers[verb, "negative" if negated else "positive"]
        assert rating == (len(given), given.count(1), given.count(-1)), verb
    mean = {key: sum(values) / len(values) for key, values in answers.items()}
    assert min(mean[verb, "positive"] for verb in VERIDICAL) >= 0.7
    assert max(mean[verb, "positive"] for verb in NON_VERIDICAL) <= 0.3
    assert min(mean[verb, "negative"] for verb in FACTIVE) >= 0.7
    assert max(mean[verb, "negative"] for verb in NEGATABLE) <= 0.3


def test_recognize_under_negation_is_supported_like_the_other_factive_verbs():
    """Eight of ten people still infer the complement, as many as for "notice" and "understand"."""
    assert RATINGS["recognize", True] == RATINGS["notice", True] == RATINGS["understand", True] == (10, 8, 0)
    assert min(RATINGS[verb, True].mean for verb in FACTIVE) == RATINGS["know", True].mean == 0.7


@pytest.mark.parametrize(
    ("kind", "name", "entailed", "negated", "expected"),
    [
        ("natural", "", True, False, 1.0),
        ("natural", "", False, False, 0.0),
        ("veridical", "learn", None, False, 0.7),
        ("veridical", "know", None, True, 0.7),
        ("composition", "learn", True, False, 0.7),
        ("composition", "learn", False, False, 0.0),
        ("composition", "hope learn", True, False, None),
    ],
)
def test_soft_labels(kind, name, entailed, negated, expected):
    assert soft_label(kind, verb(name), entailed, negated) == expected
