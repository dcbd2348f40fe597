"""Build the table of clean labels from the embedded lexicon and pinned packages, checked by hash.

    python scripts/build_clean.py [--wheels DIR]

It decides which senses of a word are usual, which words stand for a synset in ordinary use, what part of speech a
form can be, and whether a word is good, bad or neither. The rules are described in docs/taskbench.md. Needs the
packages `wordfreq` and `lemminflect`; reads the others as zip files. The result is the same bytes everywhere.
"""

from __future__ import annotations

import argparse
import io
import re
import tempfile
import unicodedata
import zipfile
from collections import defaultdict
from difflib import SequenceMatcher
from pathlib import Path

import numpy as np
from build_lexicon import WHEELS, WORDNET_ZIP, checked, download, read_glosses, rude_words

from taskloom.sources.lexicon import Lexicon, default_lexicon
from taskloom.sources.lexicon.clean import EMBEDDED_CLEAN, CleanTables, CleanWords, save_clean
from taskloom.sources.lexicon.tables import ragged

MORE_WHEELS = {
    "vaderSentiment-3.3.2-py2.py3-none-any.whl": "3bf1d243b98b1afad575b9f22bc2cb1e212b94ff89ca74f8a23a588d024ea311",
    "better_profanity-0.7.0-py3-none-any.whl": "bd4c529ea6aa2db1aaa50524be1ed14d0fe5c664f1fd88c8bc388c7e9f9f00e8",
}
LEAST_SHARE = {"eng": 0.3, "spa": 0.5}  # a sense is usual if it makes up this share of a word's tagged occurrences
LEAST_COUNT = 2
REJECTED = Path(__file__).parent / "data" / "rejected.tsv"
LETTER = "[a-záéíóúñü]"
PLAIN = re.compile(f"{LETTER}{{2,}}(?:[-_']{LETTER}+)*")
LETTERS = {"n": "NOUN", "v": "VERB", "a": "ADJ", "s": "ADJ", "r": "ADV"}
MARKS = {"NOUN": "noun", "VERB": "verb", "ADJ": "adj", "ADV": "adv"}
FREQUENT = {"eng": 2.2, "spa": 3.0}  # zipf frequencies below these are no ordinary words
UNTAGGED = 3.4
TAGGED = 3
ALIKE = 0.65  # how similar two spellings are at least to count as cognates
CLEAR = 1.0  # VADER's mean rating, from -4 to 4
UNSIGNED = Path(__file__).parent / "data" / "unsigned.txt"
# Verbs and nouns of everyday English that neither resource lists as such.
CONVERTED = {
    "NOUN": {"beyond", "broadband", "downstairs", "forever", "inland", "orthodox", "overnight", "random", "replicate"},
    "VERB": {"fountain", "overnight", "squirrel", "warranty"},
    "ADJ": {"rebel", "rid"},
}
_GRAMMAR = """
    a about above across after again against all almost along also although always am among an and another any
    anybody anyone anything are around as at away back be because been before behind being below between both but by
    can cannot could did do does don done down during each either else enough even ever every everybody everyone
    everything few for from gonna had has have having he her here hers herself him himself his how however i if in
    indeed instead into is it its itself just less like ll many may me might mine more most much must my myself near
    need neither never no nobody none nor not nothing now of off often on once one only onto or other others ought
    our ours ourselves out outside over own per perhaps rather re same several shall she should since so some
    somebody someone something soon still such than that the their theirs them themselves then there therefore these
    they this those though three through throughout thus till to together too toward towards two under until unto up
    upon us ve very was we well were what whatever when whenever where whether which while who whoever whole whom
    whose why will with within without won would yes yet you your yours yourself
"""
GRAMMAR = frozenset(_GRAMMAR.split())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--wheels", type=Path, help="a folder that holds the wheels already")
    parser.add_argument("-o", "--output", type=Path, default=EMBEDDED_CLEAN)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = arguments.wheels or download(Path(scratch), {**WHEELS, **MORE_WHEELS})
        archives = {name: checked(folder / name, digest) for name, digest in {**WHEELS, **MORE_WHEELS}.items()}
        builder = Builder(archives)
    tables = CleanTables({"eng": builder.english(), "spa": builder.spanish()}, builder.opposites())
    save_clean(tables, arguments.output)
    print(f"{arguments.output.name}: {arguments.output.stat().st_size:,} bytes")


class Builder:
    """The rules, one method each."""

    def __init__(self, archives: dict[str, zipfile.ZipFile]) -> None:
        carrier, _, vader, profanity = archives.values()
        self.lexicon: Lexicon = default_lexicon()
        self.tables = self.lexicon.tables
        wordnet = zipfile.ZipFile(io.BytesIO(carrier.read(WORDNET_ZIP)))
        self.counts = self._sense_counts(wordnet)
        with tempfile.TemporaryDirectory() as scratch:
            path = Path(scratch) / "wordnet.zip"
            path.write_bytes(carrier.read(WORDNET_ZIP))
            rude = rude_words(self.tables, read_glosses(path))
        listed = profanity.read("better_profanity/profanity_wordlist.txt").decode().splitlines()
        self.vulgar = rude | {words.strip().lower().replace(" ", "_") for words in listed}
        rows = (line.split("\t") for line in vader.read("vaderSentiment/vader_lexicon.txt").decode().splitlines())
        self.ratings = {row[0].lower(): float(row[1]) for row in rows if row[0].isalpha()}
        self.rejected = self._rejected()
        self.unsigned = {line for line in UNSIGNED.read_text("utf-8").splitlines() if not line.startswith("#")}
        self.misspelt = self._without_accents()
        self.kept = self._english_senses()

    def _without_accents(self) -> set[str]:
        """Spanish words that are better known with an accent: policia, genero."""
        best: dict[str, str] = {}
        for key in self.lexicon.keys("spa"):
            if key.isalpha() and plain(key) != key:
                best[plain(key)] = key
        return {word for word, key in best.items() if self.zipf(key, "spa") > self.zipf(word, "spa") + 0.5}

    def _rejected(self) -> set[tuple[int, str]]:
        """(synset, word) that a reader struck out."""
        letters = ["a" if chr(code) == "s" else chr(code) for code in self.tables.pos.tolist()]
        number = {pair: i for i, pair in enumerate(zip(letters, self.tables.offset.tolist(), strict=True))}
        found: set[tuple[int, str]] = set()
        for line in REJECTED.read_text("utf-8").splitlines():
            if line and not line.startswith("#"):
                letter, offset, _, word = line.split("\t")
                found.add((number["a" if letter == "s" else letter, int(offset)], word))
        return found

    def _sense_counts(self, wordnet: zipfile.ZipFile) -> dict[str, list[tuple[int, int]]]:
        """Key to (synset, how often it is tagged in SemCor), in the order of sense numbers and parts of speech."""
        number = {
            ("a" if chr(code) == "s" else chr(code), offset): i
            for i, (code, offset) in enumerate(zip(self.tables.pos.tolist(), self.tables.offset.tolist(), strict=True))
        }
        letters = {"1": "n", "2": "v", "3": "a", "4": "r", "5": "a"}
        found: dict[str, list[tuple[str, int, int, int]]] = defaultdict(list)
        for line in wordnet.read("wordnet/index.sense").decode("latin-1").splitlines():
            key, offset, rank, count = line.split()
            lemma, _, rest = key.partition("%")
            found[lemma].append((letters[rest[0]], int(rank), number[letters[rest[0]], int(offset)], int(count)))
        return {lemma: [(synset, count) for _, _, synset, count in sorted(rows)] for lemma, rows in found.items()}

    # ------------------------------------------------------------------- English

    def usual(self, key: str) -> list[int]:
        """The usual senses of a word; none where nobody can tell which they are."""
        return [synset for synset in self._common_senses(key) if (synset, key) not in self.rejected]

    def _common_senses(self, key: str) -> list[int]:
        rows = self.counts.get(key, [])
        total = sum(count for _, count in rows)
        if not total and self.zipf(key, "eng") >= UNTAGGED:
            # A frequent word whose listed senses nobody has met is mostly a name, unless Spanish has the same word.
            shared = len(rows) == 1 and key in self.lexicon.lemmas(rows[0][0], "spa")
            return [rows[0][0]] if shared else []
        if not total:
            by_kind = {LETTERS[chr(self.tables.pos[synset])] for synset, _ in rows}
            return [rows[0][0]] if len(rows) <= 2 and len(by_kind) == 1 else []
        best = max(count for _, count in rows)
        if best < TAGGED and len(rows) > 1:
            return []  # too few occurrences to tell which sense is the usual one
        share = LEAST_SHARE["eng"] * total
        return [
            synset
            for synset, count in rows
            if (count == best and 2 * count >= share) or (count >= LEAST_COUNT and count >= share)
        ]

    def _english_senses(self) -> dict[str, list[int]]:
        return {key: self.usual(key) for key in self.lexicon.keys("eng") if self.decent(key, "eng")}

    def decent(self, key: str, language: str) -> bool:
        """An ordinary word in lower case that is neither vulgar nor a proper name nor a word of grammar."""
        if key in self.vulgar or not PLAIN.fullmatch(key):
            return False
        return key not in (GRAMMAR if language == "eng" else self.misspelt)

    def english(self) -> CleanWords:
        words = self.tables.words["eng"]
        number = {lemma: i for i, lemma in enumerate(words.lemmas)}
        members: list[list[int]] = [[] for _ in range(len(self.tables.pos))]
        for key, senses in self.kept.items():
            if key in number and self.frequent(key, "eng"):
                for synset in senses:
                    members[synset].append(number[key])
        senses = [self.kept.get(key, []) for key in self.lexicon.keys("eng")]
        marks = {name: self._part_of_speech(upos) for upos, name in MARKS.items()}
        vulgar = np.array([lemma.lower() in self.vulgar for lemma in words.lemmas], dtype=np.int8)
        return CleanWords(ragged(senses), ragged([sorted(row) for row in members]), marks, self._sentiment(), vulgar)

    def opposites(self) -> np.ndarray:
        """Direct opposites whose two senses are both usual."""
        lemmas = self.tables.words["eng"].lemmas
        usual = {(key, synset) for key, senses in self.kept.items() for synset in senses}
        rows = [
            place
            for place, (source, left, target, right) in enumerate(self.tables.antonyms.tolist())
            if (lemmas[left], source) in usual
            and (lemmas[right], target) in usual
            and self.frequent(lemmas[right], "eng")
        ]
        return np.array(rows, dtype=np.int32)

    def frequent(self, lemma: str, language: str) -> bool:
        """Every word of a lemma is in ordinary use."""
        return all(self.zipf(word, language) >= FREQUENT[language] for word in re.split("[-_']", lemma))

    def zipf(self, word: str, language: str) -> float:
        """The frequency of a word, as the logarithm of occurrences in a thousand million."""
        import wordfreq

        return float(wordfreq.zipf_frequency(word, {"eng": "en", "spa": "es"}[language]))

    def _part_of_speech(self, upos: str) -> np.ndarray:
        """True or false where WordNet and the SPECIALIST lexicon (through lemminflect) agree, with inflected forms."""
        from lemminflect import getAllLemmas

        lemmas = self.tables.words["eng"].lemmas
        result = np.full(len(lemmas), -1, dtype=np.int8)
        for place, lemma in enumerate(lemmas):
            if lemma not in self.kept or not lemma.isalpha():
                continue
            counted: dict[str, int] = defaultdict(int)
            for synset, count in self.counts.get(lemma, []):
                counted[LETTERS[chr(self.tables.pos[synset])]] += count
            listed = {LETTERS[chr(self.tables.pos[s])] for s in self.lexicon.synsets(lemma)}  # base forms included
            other = getAllLemmas(lemma)
            if not other:
                continue
            total = sum(counted.values())
            if upos in listed and upos in other and (counted[upos] >= max(1, 0.1 * total) or listed == {upos}):
                result[place] = 1
            elif upos not in listed and upos not in other and not self._convertible(lemma, upos, listed):
                result[place] = 0
        return result

    def _convertible(self, word: str, upos: str, listed: set[str]) -> bool:
        """Whether English may use a word as another part of speech though neither resource lists it.

        Short nouns become verbs (to gig) and so do compounds of one (to workshop); short verbs (a reveal, a restart)
        and adjectives of class (an evangelical) become nouns, plain adjectives adverbs, and forms in -ing and -ed nouns
        and adjectives.
        """
        if word in CONVERTED.get(upos, ()):
            return True
        if upos == "NOUN":
            short = len(word) < (8 if "VERB" in listed else 6)
            return short or word.endswith(("ing", "ed", "en", "al", "ic", "ive", "ate"))
        if upos == "VERB":
            short = len(word) < 7 and not word.endswith(("ly", "ous", "ful", "ish", "ity", "ic"))
            return short or any(
                word[:cut] in self.lexicon and self.lexicon.synsets(word[cut:], pos="v")
                for cut in range(3, len(word) - 2)
            )
        if upos == "ADV":  # to work freelance
            return "ADJ" in listed and not word.endswith(
                ("ous", "ful", "less", "able", "ible", "ive", "ic", "al", "ary")
            )
        return word.endswith(("ing", "ed", "en"))

    def _sentiment(self) -> np.ndarray:
        """1, -1 or 0 where the usual senses of SentiWordNet and the raters of VADER agree; 2 where they do not."""
        lemmas = self.tables.words["eng"].lemmas
        result = np.full(len(lemmas), 2, dtype=np.int8)
        scores = self.tables.sentiment
        for place, lemma in enumerate(lemmas):
            senses = self.kept.get(lemma, [])
            known = [int(scores[s]) for s in senses if scores[s] > -2000]
            if lemma in self.unsigned or not lemma.isalpha() or not known or len(known) < len(senses):
                continue
            rating = self.ratings.get(lemma, 0.0)
            if all(score > 0 for score in known) and rating >= CLEAR:
                result[place] = 1
            elif all(score < 0 for score in known) and rating <= -CLEAR:
                result[place] = -1
            elif all(score == 0 for score in known) and lemma not in self.ratings and not self._derived(lemma):
                result[place] = 0
        return result

    def _derived(self, lemma: str) -> bool:
        """Whether a word begins like one that people rate, as `murderer` does."""
        return any(lemma[:cut] in self.ratings for cut in range(4, len(lemma)))

    # ------------------------------------------------------------------- Spanish

    def spanish(self) -> CleanWords:
        """Senses weighed by how often their English words are tagged; those that no frequent English word has go."""
        weight = np.zeros(len(self.tables.pos))
        for rows in self.counts.values():
            for synset, count in rows:
                weight[synset] += count
        words = self.tables.words["spa"]
        number = {lemma: i for i, lemma in enumerate(words.lemmas)}
        members: list[list[int]] = [[] for _ in range(len(self.tables.pos))]
        senses: list[list[int]] = []
        for key in self.lexicon.keys("spa"):
            kept: list[int] = []
            if self.decent(key, "spa") and key.isalpha() and key in number and self.frequent(key, "spa"):
                listed = self.lexicon.synsets(key, "spa")
                total = sum(weight[s] for s in listed)
                usual = [s for s in listed if weight[s] >= LEAST_COUNT and weight[s] >= LEAST_SHARE["spa"] * total]
                usual = listed if len(listed) == 1 else usual
                kept = [s for s in usual if self._confirmed(key, s, listed)]
                for synset in kept:
                    members[synset].append(number[key])
            senses.append(kept)
        keys = list(self.lexicon.keys("spa"))
        forms: set[tuple[str, int]] = set()
        for synset, row in enumerate(members):
            named = {words.lemmas[place] for place in row}
            forms |= {(name, synset) for name in named if variant(name, named)}
            row[:] = [place for place in row if (words.lemmas[place], synset) not in forms]
        senses = [[s for s in row if (keys[place], s) not in forms] for place, row in enumerate(senses)]
        unknown = np.full(len(words.lemmas), -1, dtype=np.int8)
        return CleanWords(
            ragged(senses), ragged([sorted(row) for row in members]), dict.fromkeys(MARKS.values(), unknown),
            np.full(len(words.lemmas), 2, dtype=np.int8),
            np.array([lemma.lower() in self.vulgar for lemma in words.lemmas], dtype=np.int8),
        )  # fmt: skip

    def _confirmed(self, key: str, synset: int, listed: list[int]) -> bool:
        """Whether an English word of the synset vouches for a Spanish one.

        It does if the two share a second synset, or if they are cognates: rows that were matched or typed wrongly
        stand alone.
        """
        if (synset, key) in self.rejected:
            return False
        others = set(listed) - {synset}
        for english in self.lexicon.lemmas(synset, "eng"):
            word = english.lower()
            if synset not in self.kept.get(word, []):
                continue
            if others & set(self.lexicon.synsets(word)) or SequenceMatcher(None, plain(key), word).ratio() >= ALIKE:
                return True
        return False


def variant(word: str, others: set[str]) -> bool:
    """Whether a Spanish word is only another form of one of the others: plural, feminine, or reflexive."""
    bases = []
    if word.endswith("s"):
        bases += [word[:-1], word[:-2]]
    if word.endswith("a"):
        bases += [word[:-1] + "o", word[:-1]]
    if word.endswith("se"):
        bases.append(word[:-2])
    if word.endswith("isa"):
        bases.append(word[:-3])
    if word.endswith("triz"):
        bases.append(word[:-4] + "tor")
    accented = {plain(other): other for other in others if other != word}
    return any(base in others or plain(base) in accented for base in bases) or (
        plain(word) == word and accented.get(word, word) != word
    )


def plain(word: str) -> str:
    """A word without accents."""
    return "".join(mark for mark in unicodedata.normalize("NFD", word) if not unicodedata.combining(mark))


if __name__ == "__main__":
    main()
