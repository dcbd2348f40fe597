"""The extraction from SICK: on sentences of our own, and on the corpus where it is there."""

from __future__ import annotations

from collections import Counter

import pytest

from taskloom.core import UserError
from taskloom.sources.sentences.sick import (
    SPAN,
    SickRow,
    contradictions,
    diathesis,
    extract_pairs,
    read_sick,
    replaced_stretch,
    replaced_words,
    voice_differs,
)

HEADER = "pair_ID\tsentence_A\tsentence_B\trelatedness_score\tentailment_judgment"


def write(folder, lines, name="SICK_train.txt", header=HEADER):
    (folder / name).write_text("\n".join([header, *lines]) + "\n", encoding="utf-8")
    return folder


@pytest.mark.parametrize(
    ("first", "second", "words"),
    [
        ("A lynx is napping.", "A feline is napping", ("lynx", "feline")),
        ("A lynx is napping", "An ocelot is napping", ("lynx", "ocelot")),
        ("The lynx is napping", "A lynx is napping", None),
        ("A lynx is napping", "A lynx isn't napping", None),
        ("Two lynxes are napping", "Some lynxes are napping", None),
        ("A lynx is napping", "A lynx is napping here", None),
        ("A grey lynx is napping", "A brown ocelot is napping", None),
        ("A lynx is napping", "A lynx is napping", None),
        ("A lynx is in a box", "A lynx is on a box", None),
    ],
)
def test_one_content_word(first, second, words):
    assert replaced_words(first, second) == words


@pytest.mark.parametrize(
    ("first", "second", "span", "words"),
    [
        ("A lynx is napping", "A large feline is napping", 2, ("lynx", "large feline")),
        ("A lynx is napping", "A large feline is napping", 1, None),
        ("A lynx is napping in a box", "A lynx is lying in a box", 2, ("napping", "lying")),
        ("A lynx is napping", "A lynx is not napping", 3, None),
        ("A lynx is napping", "No feline is napping", 3, None),
        ("A lynx is napping", "A lynx is napping", 3, None),
        ("A lynx is in a box", "A lynx is on a box", 3, None),
    ],
)
def test_one_stretch(first, second, span, words):
    assert replaced_stretch(first, second, span) == words


def test_voice():
    assert voice_differs("A kite is being flown by a girl", "A girl is flying a kite")
    assert not voice_differs("A kite is being flown by a girl", "A kite is being flown by a boy")
    assert not voice_differs("A girl is being silly", "A girl is silly")


def test_extraction(tmp_path):
    write(
        tmp_path,
        [
            "1\tA lynx is napping\tAn animal is napping\t4.5\tENTAILMENT",
            "2\tA lynx is napping\tA walrus is napping\t3.0\tNEUTRAL",
            "3\tA kite is being flown by Paula\tPaula is flying a kite\t4.8\tENTAILMENT",
            "4\tA lynx is napping\tA lynx isn't napping\t4.0\tCONTRADICTION",
            "5\tA lynx is napping\tAn animal is napping.\t4.5\tENTAILMENT",
        ],
    )
    pairs = extract_pairs(read_sick(tmp_path))
    assert [(p.premise, p.hypothesis, p.entailed, p.natural) for p in pairs] == [
        ("a lynx is napping", "an animal is napping", True, "lexical"),
        ("a lynx is napping", "a walrus is napping", False, "lexical"),
        ("a kite is being flown by Paula", "Paula is flying a kite", True, "structural"),
    ]
    assert [p.rule for p in pairs] == ["lynx → animal", "lynx → walrus", "passive → active"]


def test_the_other_column_name_and_a_single_file(tmp_path):
    write(tmp_path, ["1\tA\tB\tNEUTRAL"], "SICK.txt", "pair_ID\tsentence_A\tsentence_B\tentailment_label")
    assert read_sick(tmp_path / "SICK.txt") == [SickRow("1", "A", "B", "NEUTRAL")]


def test_errors_name_the_place(tmp_path):
    with pytest.raises(UserError, match="no such file"):
        read_sick(tmp_path / "absent")
    with pytest.raises(UserError, match=r"none of SICK_train\.txt"):
        read_sick(tmp_path)
    write(tmp_path, ["1\tA\tB\t3\tPERHAPS"])
    with pytest.raises(UserError, match="line 2"):
        read_sick(tmp_path)
    write(tmp_path, [], header="pair_ID\tsentence_A")
    with pytest.raises(UserError, match="sentence_B"):
        read_sick(tmp_path)


def test_the_corpus(reference):
    rows = read_sick(reference / "seti" / "sick")
    assert Counter(row.judgment for row in rows) == {"NEUTRAL": 5611, "ENTAILMENT": 2857, "CONTRADICTION": 1459}
    voice = Counter(row.judgment == "ENTAILMENT" for row in rows if voice_differs(row.first, row.second))
    assert voice == {True: 434, False: 376}
    found = {
        (span, strict): Counter((pair.natural, pair.entailed) for pair in extract_pairs(rows, span, strict=strict))
        for span, strict in ((1, False), (SPAN, False), (SPAN, True))
    }
    assert (found[1, False]["lexical", True], found[1, False]["lexical", False]) == (487, 546)
    # Table 5 implies 754 of each label, and 300 of each label that change the voice.
    assert (found[SPAN, False]["lexical", True], found[SPAN, False]["lexical", False]) == (784, 1014)
    assert (found[SPAN, False]["structural", True], found[SPAN, False]["structural", False]) == (306, 330)
    assert found[SPAN, True]["structural", False] == 56
    assert contradictions(rows) == []


@pytest.mark.parametrize(
    ("first", "second", "shared"),
    [
        ("A boy is riding a lynx", "A lynx is being ridden by a boy", (True, True, True)),
        ("A lynx is being slowly ridden by the boy", "The boy is riding a lynx", (True, True, True)),
        ("A boy is taking a lynx home", "A lynx is being taken home by a boy", (True, True, True)),
        ("A boy is petting a lynx", "A lynx is being petted by a girl", (True, False, True)),
        ("A boy is riding an ocelot", "A lynx is being ridden by a boy", (True, True, False)),
        ("A boy is following a lynx", "A boy is being followed by a lynx", (True, False, False)),
        ("A boy is feeding a lynx", "A lynx is being ridden by a boy", (False, False, False)),
        ("A boy is a rider of lynxes", "A lynx is being ridden by a boy", (False, False, False)),
    ],
)
def test_diathesis(first, second, shared):
    """Active and passive of one event share verb, agent and patient; exchanged roles share neither participant."""
    assert diathesis(first, second) == diathesis(second, first) == shared


def test_contradictions_are_found(tmp_path):
    rows = [
        SickRow("1", "A lynx is napping", "A feline is napping", "ENTAILMENT"),
        SickRow("2", "A lynx is napping.", "A feline is napping.", "ENTAILMENT"),
        SickRow("3", "a lynx is napping", "A feline is napping", "NEUTRAL"),
    ]
    assert [(one.id, two.id) for one, two in contradictions(rows)] == [("1", "3")]


def test_a_slip_of_the_corpus_is_no_name():
    """One "A" inside a sentence kept the capital of every other: "Someone knows that A lynx is napping."."""
    rows = [
        SickRow("1", "A lynx is napping near a TV", "A feline is napping near a TV", "ENTAILMENT"),
        SickRow("2", "There is A lynx", "There is a feline", "NEUTRAL"),
        SickRow("3", "TV screens are glowing", "TV sets are glowing", "NEUTRAL"),
    ]
    assert {pair.premise for pair in extract_pairs(rows)} >= {"a lynx is napping near a TV", "TV screens are glowing"}
