"""How runs were asked, in words; and when a table has to warn."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from taskloom.studies import prompt_notes as asked
from taskloom.studies.prompt_notes import asked_notes, protocol_part, way_of_asking, wordings_part


def run(limit=None, scorer=None, scores=None, overall=0.5, unparsed=0, **protocol):
    """A run as far as these sentences read it; `scores` are those by wording."""
    groups = {(str(place),): SimpleNamespace(estimate=SimpleNamespace(value=value))
              for place, value in enumerate(scores or ())}  # fmt: skip
    return SimpleNamespace(
        plan=SimpleNamespace(protocol=protocol, encoding={"name": "plain"}, limit=limit, scorer=scorer),
        facet_names=lambda: ["wording"] if scores is not None else [],
        by_facet=lambda name: groups if name == "wording" else {},
        overall=lambda: SimpleNamespace(estimate=SimpleNamespace(value=overall, n=100), unparsed=unparsed),
        served=list,
    )


@pytest.mark.parametrize(
    ("protocol", "words"),
    [
        ({}, "encoding plain"),
        ({"name": "chat", "reason": "it talks", "headline": "lenient"}, "protocol chat (it talks; lenient reading)"),
        ({"name": "chat", "headline": "strict"}, "protocol chat (; strict reading)"),
        ({"name": "base", "reason": "asked", "headline": "strict", "overridden": ["encoding", "reader"]},
         "protocol base (asked, another encoding and reader; strict reading)"),
    ],
)  # fmt: skip
def test_how_a_model_was_asked(protocol, words):
    assert protocol_part(run(**protocol)) == words


@pytest.mark.parametrize(
    ("values", "words"),
    [
        (None, ""), ([], ""), ([0.5], ""), ([0.5, float("nan")], ""),
        ([0.2, 0.6], "2 wordings: 0.200 to 0.600, standard deviation 0.283"),
        ([0.6, float("nan"), 0.2, 0.4], "3 wordings: 0.200 to 0.600, standard deviation 0.200"),
    ],
)  # fmt: skip
def test_the_spread_over_wordings(values, words):
    assert wordings_part(run(scores=values)) == words


CHAT = {"name": "chat", "encoding": "chat", "headline": "lenient", "wordings": 1}


@pytest.mark.parametrize(
    ("one", "two", "alike"),
    [
        ({}, {}, True),
        (CHAT, CHAT, True),
        (CHAT, {**CHAT, "name": "base"}, False),
        (CHAT, {**CHAT, "encoding": "plain"}, False),
        (CHAT, {**CHAT, "headline": "strict"}, False),
        (CHAT, {**CHAT, "wordings": 2}, False),
        (CHAT, {**CHAT, "limit": 5}, False),
        (CHAT, {**CHAT, "scorer": "exact"}, False),
        ({"name": "bare"}, {"name": "fitted"}, True),
        ({"name": "bare", "headline": "strict"}, {"name": "fitted", "headline": "lenient"}, False),
        ({"name": "bare"}, {"name": "fitted", "limit": 5}, False),
        ({"name": "bare"}, {"name": "bare", "overridden": ["encoding"]}, False),
        ({"name": "bare"}, CHAT, False),
    ],
)
def test_what_has_to_agree_for_two_runs_to_be_ranked(one, two, alike):
    assert (way_of_asking(run(**one)) == way_of_asking(run(**two))) == alike


def test_notes_below_a_table(monkeypatch):
    monkeypatch.setattr(asked, "readings_part", lambda one: "")
    one, two, three = run(**CHAT), run(name="base"), run(**CHAT)
    names = {id(one): "A", id(two): "B", id(three): "C"}
    assert asked_notes([], names) == []
    assert asked_notes([one, three], names) == ["Asked by protocol chat (; lenient reading)."]
    (warned,) = asked_notes([one, two], names)
    assert warned.startswith("These runs were not asked in the same way")
    assert warned.endswith("A: protocol chat (; lenient reading); B: protocol base (; None reading).")
    bare, fitted = run(name="bare", headline="strict"), run(name="fitted", headline="strict")
    (listed,) = asked_notes([bare, fitted, bare], {id(bare): "A", id(fitted): "B"})
    assert listed == "Asked by protocol bare (; strict reading), or by protocol fitted (; strict reading)."


def test_each_run_says_how_its_readings_and_wordings_differ(monkeypatch):
    both, one, none = run(scores=[0.2, 0.6]), run(), run()
    said = {id(both): "strict 0, lenient 1", id(one): "strict 1, lenient 0"}
    monkeypatch.setattr(asked, "readings_part", lambda which: said.get(id(which), ""))
    notes = asked_notes([both, one, none], {id(both): "A", id(one): "B", id(none): "C"})
    assert notes == [
        "Asked by encoding plain.",
        "A: strict 0, lenient 1; 2 wordings: 0.200 to 0.600, standard deviation 0.283.",
        "B: strict 1, lenient 0.",
    ]


def test_runs_that_are_closer_than_what_is_unparsed_in_them_are_said_to_be(monkeypatch):
    monkeypatch.setattr(asked, "readings_part", lambda run: "")
    close, apart = run(overall=0.50, unparsed=5), run(overall=0.53, unparsed=1)
    names = {id(close): "one", id(apart): "two"}
    assert any("one and two are 0.030 apart" in note for note in asked_notes([close, apart], names))
    far = run(overall=0.60, unparsed=1)
    notes = asked_notes([close, far], {id(close): "one", id(far): "three"})
    assert not any("apart" in note for note in notes)
