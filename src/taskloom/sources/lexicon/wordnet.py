"""Readers of published resources: WordNet's dict files and SentiWordNet.

Each takes a folder or a zip as published. Nothing is executed and nothing is downloaded.
"""

from __future__ import annotations

import zipfile
from collections import defaultdict
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import NamedTuple

import numpy as np

from taskloom.core import UserError, track
from taskloom.core.decode import decoding, read_lines, read_text
from taskloom.core.folders import not_here
from taskloom.sources.lexicon.tables import RaggedArray, Tables, Words, ragged, sparse_ragged

UNSCORED = -32768
_FILES = {"n": "noun", "v": "verb", "a": "adj", "r": "adv"}
# Endings that WordNet detaches from inflected forms, with what takes their place.
_ENDINGS: dict[str, tuple[tuple[str, str], ...]] = {
    "n": (
        ("s", ""), ("ses", "s"), ("ves", "f"), ("xes", "x"), ("zes", "z"), ("ches", "ch"), ("shes", "sh"),
        ("men", "man"), ("ies", "y"),
    ),
    "v": (("s", ""), ("ies", "y"), ("es", "e"), ("es", ""), ("ed", "e"), ("ed", ""), ("ing", "e"), ("ing", "")),
    "a": (("er", ""), ("est", ""), ("er", "e"), ("est", "e")),
    "r": (),
}  # fmt: skip


def read_wordnet(path: Path) -> Tables:
    """English from a folder or zip with `data.noun`, `index.noun` and so on, as Princeton and NLTK ship them.

    Raises:
        UserError: A file is missing or its offsets do not hold.
    """
    files = {kind: {k: _lines(path, f"{kind}.{name}") for k, name in _FILES.items()} for kind in ("data", "index")}
    irregular = {letter: _lines(path, f"{name}.exc") for letter, name in _FILES.items()}
    return from_lines(files["data"], files["index"], irregular, origin=path.name)


def _lines(path: Path, name: str) -> list[str]:
    """The lines of one file, wherever in the folder or zip it lies."""
    if path.is_dir():
        found = sorted(path.rglob(name))
        if found:
            return read_text(found[0], encoding="latin-1").split("\n")
    elif zipfile.is_zipfile(path):
        with decoding(path, "the archive"), zipfile.ZipFile(path) as archive:
            inside = sorted(entry for entry in archive.namelist() if PurePosixPath(entry).name == name)
            if inside:
                return archive.read(inside[0]).decode("latin-1").split("\n")
    raise UserError(
        f"no file {name} in {path.name}",
        where=str(path),
        hint="name the dict folder of WordNet 3.0 or a zip that contains it",
    )


def from_lines(
    data: dict[str, list[str]], index: dict[str, list[str]], irregular: dict[str, list[str]], *, origin: str
) -> Tables:
    """English from the lines of the data, index and exception files, by part of speech n, v, a, r."""
    records = [(letter, line) for letter in _FILES for line in data[letter] if line and not line.startswith(" ")]
    number: dict[tuple[str, int], int] = {}
    parsed: list[_Record] = []
    for letter, line in track(records, "Reading WordNet"):
        record = _record(letter, line)
        number[letter, record.offset] = len(parsed)
        parsed.append(record)
    lemmas = sorted({lemma for record in parsed for lemma in record.lemmas})
    lemma_number = {lemma: i for i, lemma in enumerate(lemmas)}
    members = [[lemma_number[lemma] for lemma in record.lemmas] for record in parsed]
    antonyms = [
        (source, members[source][left - 1], number[letter, offset], members[number[letter, offset]][right - 1])
        for source, record in enumerate(parsed)
        for symbol, letter, offset, left, right in record.pointers
        if symbol == "!" and left and right
    ]

    def linked(symbols: tuple[str, ...]) -> RaggedArray:
        return ragged(
            [
                [number[letter, offset] for symbol, letter, offset, _, _ in r.pointers if symbol in symbols]
                for r in parsed
            ]
        )

    return Tables(
        pos=np.array([ord(record.kind) for record in parsed], dtype=np.uint8),
        offset=np.array([record.offset for record in parsed], dtype=np.int32),
        hypernyms=linked(("@",)),
        entailments=linked(("*",)),
        antonyms=np.array(antonyms, dtype=np.int32).reshape(-1, 4),
        sentiment=np.full(len(parsed), UNSCORED, dtype=np.int16),
        words={"eng": Words(tuple(lemmas), ragged(members), _senses(lemmas, index, irregular, number))},
        origin={"eng": origin},
    )


class _Record(NamedTuple):
    """One line of a data file, without its gloss."""

    kind: str
    offset: int
    lemmas: list[str]
    pointers: list[tuple[str, str, int, int, int]]


def _record(letter: str, line: str) -> _Record:
    fields = line.split(" | ", 1)[0].split()
    try:
        count = int(fields[3], 16)
        lemmas = [_bare(fields[4 + 2 * i]) for i in range(count)]
        at = 4 + 2 * count
        pointers = []
        for i in range(int(fields[at])):
            symbol, offset, kind, ends = fields[at + 1 + 4 * i : at + 5 + 4 * i]
            kind = "a" if kind == "s" else kind
            pointers.append((symbol, kind, int(offset), int(ends[:2], 16), int(ends[2:], 16)))
        return _Record(fields[2], int(fields[0]), lemmas, pointers)
    except (IndexError, ValueError) as error:
        raise UserError(f"this line is not a WordNet record: {line[:60]!r}", where=f"data.{_FILES[letter]}") from error


def _bare(lemma: str) -> str:
    """Adjectives carry a syntactic mark such as `galore(ip)`."""
    return lemma.partition("(")[0] if lemma.endswith(")") else lemma


def _senses(
    lemmas: Iterable[str],
    index: dict[str, list[str]],
    irregular: dict[str, list[str]],
    number: dict[tuple[str, int], int],
) -> RaggedArray:
    """The synsets of each key: nouns, verbs, adjectives, adverbs, usual senses first, those of base forms included."""
    found: dict[str, list[int]] = {key: [] for key in sorted({lemma.lower() for lemma in lemmas})}
    for letter in _FILES:
        listed = {}
        for line in index[letter]:
            if line and not line.startswith(" "):
                fields = line.split()
                offsets = fields[len(fields) - int(fields[2]) :]
                listed[fields[0]] = [number[letter, int(offset)] for offset in offsets]
        exceptions = {}
        for line in irregular[letter]:
            form, *bases = line.split() or [""]
            exceptions[form] = bases
        for key, senses in found.items():
            for base in base_forms(key, letter, listed, exceptions):
                senses.extend(synset for synset in listed[base] if synset not in senses)
    return ragged(list(found.values()))


def base_forms(word: str, letter: str, known: Container[str], exceptions: Mapping[str, Sequence[str]]) -> list[str]:
    """The words of one part of speech that a form can stand for, itself first, by WordNet's own rules of detachment.

    An inflected form may be a word of its own as well: "made" is an adjective and a form of "make". So every
    reading counts, and each must be a word that WordNet has with that part of speech.

    Args:
        word: The form, in lower case.
        letter: n, v, a or r.
        known: The words WordNet has with that part of speech.
        exceptions: Irregular forms with their bases, from the `.exc` file of that part of speech.
    """
    detached = (word[: len(word) - len(end)] + stem for end, stem in _ENDINGS[letter] if word.endswith(end))
    forms = exceptions.get(word, detached)
    return [form for form in dict.fromkeys([word, *forms]) if form in known]


def add_words(tables: Tables, language: str, rows: Iterable[tuple[int, str]], *, origin: str) -> Tables:
    """A further language from rows (synset number, lemma)."""
    # Most synsets of a small wordnet have no word: only those that have one are gone through.
    members: dict[int, list[str]] = defaultdict(list)
    for synset, lemma in rows:
        name = lemma.replace(" ", "_")
        if name and name not in members[synset]:
            members[synset].append(name)
    lemmas = sorted({lemma for row in members.values() for lemma in row})
    numbers = {lemma: i for i, lemma in enumerate(lemmas)}
    senses: dict[str, list[int]] = {key: [] for key in sorted({lemma.lower() for lemma in lemmas})}
    for synset in sorted(members):
        for key in dict.fromkeys(lemma.lower() for lemma in members[synset]):
            senses[key].append(synset)
    listed = {synset: [numbers[lemma] for lemma in row] for synset, row in members.items()}
    words = Words(tuple(lemmas), sparse_ragged(listed, len(tables.pos)), ragged(list(senses.values())))
    return replace(tables, words={**tables.words, language: words}, origin={**tables.origin, language: origin})


def synset_numbers(tables: Tables) -> dict[tuple[str, int], int]:
    """Synset numbers by part of speech (n, v, a, r) and offset."""
    letters = ["a" if chr(code) == "s" else chr(code) for code in tables.pos.tolist()]
    return {pair: i for i, pair in enumerate(zip(letters, tables.offset.tolist(), strict=True))}


def add_sentiment(tables: Tables, path: Path) -> Tables:
    """Scores from a SentiWordNet file: part of speech, offset, positive and negative score in the first columns.

    Raises:
        UserError: The file is missing, or most of its synsets are unknown.
    """
    if not path.is_file():
        raise not_here(path, "file")
    numbers = synset_numbers(tables)
    sentiment = np.full(len(tables.pos), UNSCORED, dtype=np.int16)
    counts: dict[bool, int] = defaultdict(int)
    for line in read_lines(path):
        fields = line.split("\t")
        if line.startswith("#") or len(fields) < 4 or not fields[1].isdigit():
            continue
        synset = numbers.get((fields[0], int(fields[1])))
        counts[synset is not None] += 1
        with decoding(path, f"the scores of {fields[0]} {fields[1]}"):
            positive, negative = float(fields[2]), float(fields[3])
        # One score of the published file is 125 where 0.125 is meant; what cannot be a score is not guessed at.
        if synset is not None and positive <= 1 and negative <= 1:
            sentiment[synset] = round(1000 * (positive - negative))
    if not counts[True] or counts[False] > counts[True]:
        raise UserError(f"{counts[False]} of its synsets are unknown to this WordNet", where=str(path))
    return replace(tables, sentiment=sentiment, origin={**tables.origin, "sentiment": path.name})
