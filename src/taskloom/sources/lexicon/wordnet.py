"""Readers of published resources: WordNet's dict files, SentiWordNet, wordnets of other languages, lists of words.

Each takes files, folders or zips as published. Nothing is executed and nothing is downloaded.

Wordnets of other languages are tab files and WN-LMF, as the Open Multilingual Wordnet publishes them. Both name synsets
of Princeton's WordNet 3.0: a tab file by offset (`00001740-a`), WN-LMF by the Collaborative Interlingual Index
(`ili="i1"`) or by an offset at the end of the synset's own id. Words of synsets that WordNet 3.0 lacks have no partner
in another language and are left out.

Input words come from plain lists, frequency lists, and the corpora that the paper counts. A corpus is counted as
published: `brown.zip` (text of `word/tag`) and `cess_esp.zip` (bracketed trees). Types are lower-cased. The paper's
English words are the types that occur five times or more in Brown and are spelled exactly as a lemma of WordNet 3.0
(9,143); its Spanish words occur at least once in CESS-ESP and are spelled exactly as a lemma of the Spanish wordnet
(5,298). Tokens of several words (joined with `_` in CESS-ESP) do not count.
"""

from __future__ import annotations

import re
import zipfile
from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import NamedTuple

import numpy as np

from taskloom.core import UserError, track
from taskloom.core.decode import decoding, open_packed, read_lines, read_text
from taskloom.core.folders import not_here
from taskloom.core.language_codes import ISO_639
from taskloom.core.markup import read_elements
from taskloom.sources.lexicon.tables import RaggedArray, Tables, Words, key_numbers, ragged, sparse_ragged

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
    lemmas = tuple(sorted({lemma for record in parsed for lemma in record.lemmas}))
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
        words={"eng": Words(lemmas, ragged(members), _senses(lemmas, index, irregular, number), key_numbers(lemmas))},
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
    lemmas = tuple(sorted({lemma for row in members.values() for lemma in row}))
    numbers = {lemma: i for i, lemma in enumerate(lemmas)}
    senses: dict[str, list[int]] = {key: [] for key in sorted({lemma.lower() for lemma in lemmas})}
    for synset in sorted(members):
        for key in dict.fromkeys(lemma.lower() for lemma in members[synset]):
            senses[key].append(synset)
    listed = {synset: [numbers[lemma] for lemma in row] for synset, row in members.items()}
    packed = sparse_ragged(listed, len(tables.pos))
    words = Words(lemmas, packed, ragged(list(senses.values())), key_numbers(lemmas))
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


_BROWN_FILE = re.compile(r"c[a-r]\d\d")
_LEAF = re.compile(r"\(\S+ (\S+) \S+\)")
_LEAST = {"brown": 5, "cess": 1, "list": 1}


def counted_words(path: Path) -> tuple[Counter[str], int]:
    """The lower-cased words of a list or corpus with their counts, and how often the paper wants a word to occur.

    Raises:
        UserError: The file is missing or holds no words.
    """
    if not path.is_file():
        raise not_here(path, "file")
    if zipfile.is_zipfile(path):
        counts, kind = _corpus(path)
    else:
        counts, kind = Counter(dict(_listed(path))), "list"
    if not counts:
        raise UserError("this file holds no words", where=str(path), hint="one word per line, or word and count")
    return counts, _LEAST[kind]


def input_words(path: Path, lemmas: Iterable[str]) -> tuple[str, ...]:
    """The words of a list or corpus that are spelled exactly as a lemma, sorted."""
    counts, least = counted_words(path)
    known = set(lemmas)
    return tuple(sorted(word for word, count in counts.items() if count >= least and word in known))


def _listed(path: Path) -> Iterator[tuple[str, int]]:
    for line in read_lines(path):
        word, _, rest = line.strip().partition("\t")
        count = rest.split("\t")[0].strip()
        if word and not word.startswith("#"):
            yield word.lower().replace(" ", "_"), int(count) if count.isdecimal() and len(count) < 16 else 1


def _corpus(path: Path) -> tuple[Counter[str], str]:
    counts: Counter[str] = Counter()
    kind = ""
    with decoding(path, "the archive"), zipfile.ZipFile(path) as archive:
        for entry in track(sorted(archive.namelist()), f"Counting words of {path.name}"):
            name = PurePosixPath(entry).name
            if _BROWN_FILE.fullmatch(name):
                kind = "brown"
                for token in archive.read(entry).decode("latin-1").split():
                    counts[token.rpartition("/")[0].lower()] += 1
            elif name.endswith(".tbf"):
                kind = "cess"
                words = _LEAF.findall(archive.read(entry).decode("latin-1"))
                counts.update(word.lower() for word in words if "_" not in word)
    if not kind:
        raise UserError("this zip file is neither the Brown corpus nor CESS-ESP", where=str(path))
    return counts, kind
