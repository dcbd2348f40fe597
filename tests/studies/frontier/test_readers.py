"""Readers that lack one thing, and models that lack nothing: the small version of `benchmarks.frontier_readers`."""

from __future__ import annotations

from functools import cache
from types import SimpleNamespace

import msgspec
import pytest
from benchmarks import frontier_readers
from benchmarks.frontier_judge import faults
from benchmarks.frontier_readers import READERS, false_words, flat_probe, said_of

from taskloom import open_suite
from taskloom.core.catalog import lattice_of
from taskloom.core.cells import Cell
from taskloom.core.suite import Suite
from taskloom.studies.frontier.claims import Claim

probe_reader = cache(frontier_readers.probe_reader)


@pytest.fixture(autouse=True)
def quiet(monkeypatch):
    monkeypatch.setenv("TASKLOOM_PROGRESS", "off")


@pytest.mark.slow
def test_what_a_reader_lacks_is_named_and_nothing_is_excused_for_length_that_is_not():
    minimal = claims = 0
    for reader in READERS[:6]:
        found = probe_reader(reader, 3)
        said = said_of(reader, found)
        assert (said.named, said.wrong, said.excuses) == (True, 0, 0), reader.name
        for claim in (*found.claims, *found.unable):
            assert claim.whole.guess is not None and claim.pair is not None, reader.name
        minimal, claims = minimal + said.minimal, claims + said.claims
    assert minimal >= 0.8 * claims > 4, "most pairs are minimal; large cells have only similar items"


def test_pronouns_of_one_event_are_not_excused_by_pronouns_of_another():
    """Young items of the cell hold other pronouns: they are no control of this one."""
    found = probe_reader(READERS[0], 0)
    assert not any(claim.long_supports for claim in found.claims)
    assert any(text.startswith("where-object: masters grab+move") for text in found.sentences())


def test_where_every_cell_hovers_because_supports_are_old_that_is_what_is_said():
    """Two in three items of the simplest cells are answered: nothing passes and nothing fails, but the old ones do."""
    found = probe_reader(READERS[2], 0)
    assert not any(cell.standing in ("mastered", "failing") for cell in found.cells if cell.basic)
    said = [text for text, claim in found.sentences_with_claims() if claim is not None]
    assert len(said) == 3 and all("far from the question" in text and "to blame" in text for text in said)
    assert all(claim.pair is not None and claim.long_supports for claim in found.unable)


def test_a_drop_is_proved_of_the_bound_cell_that_falls_and_named_by_it():
    found = probe_reader(READERS[0], 1)
    assert all(claim.proved and claim.within for claim in found.claims) and found.asked < 754
    assert any("when coref(grab) is added" in text for text in found.sentences())


def test_no_drop_is_sought_where_none_is_in_sight():
    """Parts and whole are equally good: asking each of them 400 times would prove nothing."""
    assert probe_reader(READERS[2], 3).asked < 1_400


@pytest.mark.parametrize(("family", "share"), [("babi", 0.7), ("babi", 0.82), ("seti", 0.66), ("seti", 0.9)])
def test_of_a_flat_model_no_fall_is_said(family, share):
    for seed in range(3):
        found, book = flat_probe(family, share, seed, 600)
        assert false_words(found, share) == []
        assert faults(found, book) == []


def test_what_proves_no_sentence_is_no_claim():
    """A bound cell that looked like failing at first, and was not after more answers."""
    found, book = flat_probe("seti", 0.86, 58)
    assert found.claims == () and faults(found, book) == []


def test_the_judge_faults_what_the_answers_do_not_show():
    found, book = flat_probe("seti", 0.8, 0, 600)
    first = next(cell for cell in found.cells if cell.share.n > 8 and cell.share.top > 0.85)
    for change, said in (
        ({"high": first.share.low + 0.01}, "narrower"), ({"value": 1.0}, "the share is"), ({"n": 7}, "7 answers are"),
    ):  # fmt: skip
        lied = msgspec.structs.replace(first, share=msgspec.structs.replace(first.share, **change))
        cells = tuple(lied if cell is first else cell for cell in found.cells)
        assert any(said in fault for fault in faults(msgspec.structs.replace(found, cells=cells), book))
    share = msgspec.structs.replace(first.share, guess=0.1)
    claim = Claim(share, ())
    lying = {
        "it cannot do this at all": "above guessing", "it is below 85%": "may reach", "it is nice": "not understand",
        "it falls to 0.00 when x is added": "drop", f"below 85%: 0.12 [0.01, 0.20] (n = {share.n})": "nobody's share",
    }  # fmt: skip
    for text, said in lying.items():
        spoken = SimpleNamespace(
            settings=found.settings, cells=found.cells, sentences_with_claims=lambda text=text: [(text, claim)]
        )
        assert any(said in fault for fault in faults(spoken, book)), text


@pytest.mark.parametrize(
    ("name", "cell", "part"),
    [
        ("babi/mix-t7", "where-object: coref+grab+move", "where-object: grab+move"),
        ("babi/mix-t7", "where-person: conj+move", "where-person: move"),
        ("seti/task1-trivial", "lexical/hypernym+veridical-verb", "lexical/hypernym"),
        ("seti/task1-trivial", "lexical/hypernym+veridical-verb", "veridical-verb"),
    ],
)
def test_a_minimal_pair_differs_by_the_part_alone(name, cell, part):
    suite: Suite = open_suite(name)
    lattice = lattice_of(suite)
    pair = lattice.pair(Cell.parse(cell), Cell.parse(part), 1)
    rows = (pair.without, pair.whole)
    assert pair.minimal
    assert [str(lattice.cell_of(suite.tasks[row.task], row.instance)) for row in rows] == [part, cell]
    before, after = (row.instance.input.splitlines() for row in rows)
    changed = sum(one != other for one, other in zip(before, after, strict=False))
    assert 1 <= changed <= 2 and abs(len(before) - len(after)) <= 1
