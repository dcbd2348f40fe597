"""The readers of dictionaries behind the labels and their measures, on small files of each kind."""

import gzip
import importlib
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[3]
SLOW, FAST, QUICK = "00976508", "00976885", "00979366"
ADJECTIVES = f"""  1 This software and database is being provided to you
{SLOW} 00 a 01 slow 0 001 ! {FAST} a 0101 | not moving quickly
{FAST} 00 a 01 fast 0 002 ! {SLOW} a 0101 & {QUICK} a 0000 | acting rapidly
{QUICK} 00 s 02 quick(p) 0 light-footed 0 001 & {FAST} a 0000 | swift
"""
POLISH = """
zamek /ˈzãmɛk/ <n>
1. castle, palace 2.
budynek warowny;
 3.
dom
2. lock (of a door)
mechanizm
nagi /ˈnaɡʲi/ <adj>
naked
"""
ROGET = """1. Existence -- N. existence, being &amp;c 2; reality. V. exist, be.
     subsist &amp;c adj.
  906.
    2. [Absence of existence.] Inexistence -- N. nothing; non-being.
Adj. absent [Lat.], missing (lost).
"""
CATALAN = """<dictionary><Entry frequency="1">dent
<nouns><translations><translation gender="f">tooth / cog</translation></translations></nouns>
<expressions>dent de lleó<translations><translation>[plant] dandelion</translation></translations></expressions>
</Entry></dictionary>"""
WEBSTER = r"""
Abstract \\Ab"stract\\, a.
   Apart from matter; -- opposed to {concrete}.

Advance \\Ad*vance"\\, v.
   To come forward; -- opposed to {recede}
   or {retreat}.

Acellular \\A*cell"u*lar\\, a.
   Without cells. Opposite of {cellular}. [WordNet 1.5]
"""


@pytest.fixture
def labels(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(ROOT / "scripts"))
    return importlib.import_module("benchmarks.labels")


@pytest.fixture
def dictionaries(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(ROOT / "scripts"))
    return importlib.import_module("dictionaries")


def test_answers_are_looked_up_in_their_own_language(labels: ModuleType) -> None:
    assert labels.language("translate[eng->spa]") == "es"
    assert labels.language("translate[spa->eng]") == labels.language("antonyms[eng]") == "en"


def test_webster_opposes_words_and_what_came_from_wordnet_is_left_out(labels: ModuleType) -> None:
    found = labels.opposed({"usr/share/dictd/gcide.dict.dz": gzip.compress(WEBSTER.encode())})
    assert found == {"abstract": {"concrete"}, "advance": {"recede", "retreat"}}


def test_lists_of_analogies_are_joined(labels: ModuleType) -> None:
    files = {"a/bats/L9.txt": b"cheap\tdear/big-ticket/high_priced\n", "a/bats/L10.txt": b"after\tbefore\n"}
    assert labels.bats(files, "L9", "L10") == {"cheap": {"dear", "big-ticket", "high priced"}, "after": {"before"}}


def test_opposites_are_words_beside_a_direct_opposite(dictionaries: ModuleType) -> None:
    found = dictionaries.opposites({"text/dict/data.adj": ADJECTIVES.encode()})
    assert found == {("slow", "fast", "quick"), ("slow", "fast", "light-footed")}


def test_dictionaries_made_from_wiktionary_are_read_sense_by_sense(dictionaries: ModuleType) -> None:
    found = dictionaries.senses({"x.dict.dz": gzip.compress(POLISH.encode())})
    assert found == {
        ("zamek: budynek warowny;", "n", "castle"),
        ("zamek: budynek warowny;", "n", "palace"),
        ("zamek: dom", "n", "castle"),
        ("zamek: dom", "n", "palace"),
        ("zamek: mechanizm", "n", "lock"),
        ("nagi:", "a", "naked"),
    }


def test_expressions_of_dacco_are_entries_of_their_own(dictionaries: ModuleType) -> None:
    found = dictionaries.dacco({"usr/cateng/d.dic": CATALAN.encode(), "usr/engcat/d.dic": b"<dictionary/>"}, "cateng")
    assert found == {("dent", "n", "tooth"), ("dent", "n", "cog"), ("dent de lleó", "", "dandelion")}


def test_words_of_roget_share_heads_of_one_part_of_speech(dictionaries: ModuleType) -> None:
    found = dictionaries.roget({"roget/10681-body.py": ROGET.encode()})
    assert found["existence"] == found["reality"] == {(1, "N")}
    assert found["exist"] == {(1, "V")}
    assert (found["nothing"], found["absent"], found["missing"]) == ({(2, "N")}, {(2, "Adj")}, {(2, "Adj")})
