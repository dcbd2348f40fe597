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
