"""Wordnets of other languages, as the Open Multilingual Wordnet publishes them: tab files and WN-LMF.

Both name synsets of Princeton's WordNet 3.0: a tab file by offset (`00001740-a`), WN-LMF by the Collaborative
Interlingual Index (`ili="i1"`) or by an offset at the end of the synset's own id. Words of synsets that WordNet 3.0
lacks have no partner in another language and are left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from taskloom.core import UserError
from taskloom.core.decode import decoding, open_packed
from taskloom.core.folders import not_here
from taskloom.core.language_codes import ISO_639
from taskloom.core.markup import read_elements
from taskloom.sources.lexicon.tables import Tables
from taskloom.sources.lexicon.wordnet import add_words, synset_numbers

_TAB = re.compile(r"wn-(?:data|wikt|cldr)-([a-z]{3})(?![a-z]).*\.tab(?:\.gz|\.bz2|\.xz)?")
_LMF = re.compile(r".*\.xml(?:\.gz|\.bz2|\.xz)?")
_LEXICON = re.compile(rb"<Lexicon\b[^>]*?\blanguage\s*=\s*[\"']([A-Za-z-]+)[\"']")
_OFFSET = re.compile(r"(?:omw|pwn|wn30|own)\b.*?(\d{8})-([nvars])$")
_PEEK = 1 << 16
_WORDNET_30 = 117_659


def find_wordnets(folder: Path) -> dict[str, Path]:
    """The wordnets in a folder at any depth, by language; of several for one language the first in the alphabet.

    English is left out: its synsets are what all the others refer to.
    """
    found: dict[str, Path] = {}
    for path in sorted(folder.rglob("*")):
        code = _language(path) if path.is_file() else ""
        if code and code != "eng":
            found.setdefault(code, path)
    return found


def _language(path: Path) -> str:
    """The language of a wordnet; "" for any other file."""
    if match := _TAB.fullmatch(path.name):
        return match[1]
    if not _LMF.fullmatch(path.name):
        return ""
    with open_packed(path) as file:
        lexicon = _LEXICON.search(file.read(_PEEK))
    if lexicon is None:
        return ""
    tag = lexicon[1].decode().lower().partition("-")[0]
    return ISO_639.get(tag, tag)


def add_wordnet(tables: Tables, language: str, path: Path) -> Tables:
    """A further language from a tab file or a WN-LMF file, plain or packed.

    Raises:
        UserError: The file is missing or damaged, or most of its words belong to synsets that this WordNet lacks.
    """
    if not path.is_file():
        raise not_here(path, "file")
    rows = _tab(path, tables) if _TAB.fullmatch(path.name) or ".tab" in path.name else _lmf(path, tables)
    found: list[tuple[int, str]] = []
    missed = 0
    for synset, lemma in rows:
        if synset is None:
            missed += 1
        else:
            found.append((synset, lemma))
    if not found or missed > len(found):
        raise UserError(f"{missed} of {missed + len(found)} rows name synsets that this WordNet lacks", where=str(path))
    return add_words(tables, language, found, origin=path.name)


def _tab(path: Path, tables: Tables) -> Iterator[tuple[int | None, str]]:
    """Rows such as `00001740-a <TAB> spa:lemma <TAB> capaz`."""
    numbers = synset_numbers(tables)
    with open_packed(path) as file, decoding(path):
        for line in file:
            fields = line.decode("utf-8-sig").rstrip("\r\n").split("\t")
            if len(fields) >= 3 and not fields[0].startswith("#") and fields[1].endswith("lemma"):
                offset, _, letter = fields[0].partition("-")
                key = ("a" if letter == "s" else letter, int(offset) if offset.isdecimal() else -1)
                yield numbers.get(key), fields[2].strip()


def _lmf(path: Path, tables: Tables) -> Iterator[tuple[int | None, str]]:
    """Entries and synsets of the first lexicon's language."""
    entries: list[tuple[str, list[str]]] = []
    synsets: dict[str, int] = {}
    resolve = _WordnetIndex(tables)
    senses: list[str] = []
    for name, attributes in read_elements(path):
        if name == "LexicalEntry":
            senses = []
        elif name == "Lemma":
            entries.append((attributes.get("writtenForm", "").strip(), senses))
        elif name == "Sense":
            senses.append(attributes.get("synset", ""))
        elif name == "Synset":
            number = resolve(attributes.get("id", ""), attributes.get("ili", ""))
            if number is not None:
                synsets[attributes.get("id", "")] = number
    for lemma, senses in entries:
        for synset in senses:
            yield synsets.get(synset), lemma


class _WordnetIndex:
    """Finds synsets of WordNet 3.0 by their entry in the Interlingual Index or by an offset in their id.

    The index numbers the 117,659 synsets of WordNet 3.0 first: adjectives, adverbs, verbs, nouns, each by offset.
    """

    def __init__(self, tables: Tables) -> None:
        self._numbers = synset_numbers(tables)
        whole = len(self._numbers) == _WORDNET_30
        order = sorted(self._numbers, key=lambda key: ("arvn".index(key[0]), key[1])) if whole else []
        self._order = [self._numbers[key] for key in order]

    def __call__(self, name: str, ili: str) -> int | None:
        if re.fullmatch(r"i[1-9]\d*", ili):
            place = int(ili[1:]) - 1
            if place < len(self._order):
                return self._order[place]
        if match := _OFFSET.match(name):
            return self._numbers.get(("a" if match[2] == "s" else match[2], int(match[1])))
        return None
