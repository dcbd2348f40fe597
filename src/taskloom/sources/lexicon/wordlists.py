"""Lists of input words: plain lists, frequency lists, and the corpora that the paper counts.

A corpus is counted as published: `brown.zip` (text of `word/tag`) and `cess_esp.zip` (bracketed trees). Types are
lower-cased. The paper's English words are the types that occur five times or more in Brown and are spelled
exactly as a lemma of WordNet 3.0 (9,143); its Spanish words occur at least once in CESS-ESP and are spelled
exactly as a lemma of the Spanish wordnet (5,298). Tokens of several words (joined with `_` in CESS-ESP) do not count.
"""

from __future__ import annotations

import re
import zipfile
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath

from taskloom.core import UserError, track
from taskloom.core.decode import decoding, read_lines
from taskloom.core.folders import not_here

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
