"""The full resources: the paper's word lists and domain sizes, and every atom against an independent look-up."""

from __future__ import annotations

import json
import re
import zipfile
from collections import Counter, defaultdict
from pathlib import Path

import pytest

from taskloom.families.taskbench.engines import Engines
from taskloom.families.taskbench.language import parse
from taskloom.families.taskbench.recipe import TaskBenchRecipe

SAMPLE = 60


pytestmark = pytest.mark.proof


@pytest.fixture(scope="module")
def folder(reference: Path) -> Path:
    return reference / "taskbench"


@pytest.fixture(scope="module")
def engines(folder: Path) -> Engines:
    return Engines(TaskBenchRecipe(labels="faithful", resources=str(folder), most_outputs=0, knowledge="none"), 0)


@pytest.fixture(scope="module")
def expected(folder: Path) -> dict[str, int]:
    found: dict[str, int] = json.loads((folder / "expected_counts.json").read_text())
    return found


def test_the_input_words_of_the_paper(engines: Engines, folder: Path) -> None:
    vocabulary = engines.lexical.vocabulary
    for language, name, count in (("eng", "vocab_brown_5.txt", 9143), ("spa", "vocab_cess_1.txt", 5298)):
        assert len(vocabulary[language]) == count
        assert set(vocabulary[language]) == set((folder / "vocab" / name).read_text().split())


@pytest.mark.parametrize(
    "atom",
    [
        f"{name}[{language}]"
        for language in ("eng", "spa")
        for name in ("synonyms", "antonyms", "hypernyms", "hyponyms", "entailments")
    ]
    + ["translate[eng->spa]", "translate[spa->eng]"],
)
def test_domain_sizes(engines: Engines, expected: dict[str, int], atom: str) -> None:
    assert engines.word_function(parse(atom)).domain == expected[atom]


def test_signs_of_all_readings(engines: Engines, expected: dict[str, dict[str, int]]) -> None:
    engine = engines.lexical
    found = Counter("+".join(sorted(engine.lexicon.sentiment(w, inflected=True))) for w in engine.vocabulary["eng"])
    assert found == expected["sentiment_eng"]


class RawWordNet:
    """WordNet read again from its lines, in another way than the library reads it."""

    def __init__(self, folder: Path) -> None:
        archive = zipfile.ZipFile(folder / "wordnet30" / "wordnet.zip")
        self.words: dict[str, list[str]] = {}
        self.links: dict[str, list[tuple[str, str]]] = {}
        self.index: dict[tuple[str, str], list[str]] = {}
        self.irregular: dict[tuple[str, str], list[str]] = {}
        for pos, name in (("n", "noun"), ("v", "verb"), ("a", "adj"), ("r", "adv")):
            for line in archive.read(f"wordnet/data.{name}").decode("latin-1").splitlines():
                if line[:1] != " ":
                    self._record(pos, line.split("|")[0])
            for line in archive.read(f"wordnet/index.{name}").decode("latin-1").splitlines():
                if line[:1] != " ":
                    self.index[pos, line.split(" ")[0]] = [pos + offset for offset in re.findall(r" (\d{8})", line)]
            for line in archive.read(f"wordnet/{name}.exc").decode("latin-1").splitlines():
                self.irregular[pos, line.split()[0]] = line.split()[1:]
        self.spanish: dict[str, set[str]] = defaultdict(set)
        for line in (folder / "spanish_wordnet" / "wn-data-spa.omw14.tab").read_text("utf-8").splitlines():
            parts = line.split("\t")
            if len(parts) == 3 and parts[1].endswith("lemma"):
                offset, pos = parts[0].split("-")
                self.spanish[pos.replace("s", "a") + offset].add(parts[2])
        self.spoken: dict[str, set[str]] = defaultdict(set)
        for key, words in self.spanish.items():
            for word in words:
                self.spoken[word.lower().replace(" ", "_")].add(key)

    def _record(self, pos: str, record: str) -> None:
        head = re.match(r"(\d{8}) \d\d \w ([0-9a-f]{2}) (.*)", record)
        assert head
        pieces = head[3].split(" ")
        count = int(head[2], 16)
        key = pos + head[1]
        self.words[key] = [re.sub(r"\((a|p|ip)\)$", "", word) for word in pieces[: 2 * count : 2]]
        tail = " ".join(pieces[2 * count + 1 :])
        found = re.findall(r"(\S{1,2}) (\d{8}) ([nvasr]) [0-9a-f]{4}", tail)
        self.links[key] = [(symbol, kind.replace("s", "a") + offset) for symbol, offset, kind in found]

    def synsets(self, word: str, language: str) -> set[str]:
        if language == "spa":
            return self.spoken[word]
        found: set[str] = set()
        for pos in "nvar":
            forms = {word, *self.irregular.get((pos, word), ())}
            if (pos, word) not in self.irregular:
                ends = {
                    "n": "s: ses:s ves:f xes:x zes:z ches:ch shes:sh men:man ies:y",
                    "v": "s: ies:y es:e es: ed:e ed: ing:e ing:",
                    "a": "er: est: er:e est:e",
                    "r": "",
                }[pos].split()
                forms |= {
                    word.removesuffix(e.split(":")[0]) + e.split(":")[1] for e in ends if word.endswith(e.split(":")[0])
                }
            found |= {key for form in forms for key in self.index.get((pos, form), ())}
        return found

    def reach(self, starts: set[str], symbol: str) -> set[str]:
        found: set[str] = set()
        stack = list(starts)
        while stack:
            for link, other in self.links[stack.pop()]:
                if link == symbol and other not in found:
                    found.add(other)
                    stack.append(other)
        return found

    def out(self, name: str, word: str, language: str, target: str) -> set[str]:
        senses = self.synsets(word, language)
        symbol = {"hypernyms": "@", "hyponyms": "~", "entailments": "*"}.get(name)
        if symbol:
            senses = self.reach(senses, symbol)
        elif name == "antonyms":
            senses = {other for sense in senses for link, other in self.links[sense] if link == "!"}
        words = {w for s in senses for w in (self.spanish[s] if target == "spa" else self.words[s])}
        return {w.replace("_", " ") for w in words if w.lower().replace(" ", "_") != word}


@pytest.fixture(scope="module")
def raw(folder: Path) -> RawWordNet:
    return RawWordNet(folder)


@pytest.mark.parametrize("name", ["synonyms", "antonyms", "hypernyms", "hyponyms", "entailments", "translate"])
@pytest.mark.parametrize("language", ["eng", "spa"])
def test_a_sample_of_every_atom(engines: Engines, raw: RawWordNet, name: str, language: str) -> None:
    target = {"eng": "spa", "spa": "eng"}[language] if name == "translate" else language
    node = parse(f"translate[{language}->{target}]" if name == "translate" else f"{name}[{language}]")
    words = sorted(engines.lexical.vocabulary[language])
    for word in words[:: max(1, len(words) // SAMPLE)]:
        assert set(engines.apply(node, word)) == raw.out(name, word, language, target), word


@pytest.mark.parametrize(("mark", "letter"), [("noun", "n"), ("verb", "v"), ("adjective", "a"), ("adverb", "r")])
def test_parts_of_speech(engines: Engines, raw: RawWordNet, mark: str, letter: str) -> None:
    listed = {word for key, words in raw.words.items() if key[0] == letter for word in words}
    found = engines.predicate(parse(f"is-POS-{mark}[eng]"))
    vocabulary = set(engines.lexical.vocabulary["eng"])
    assert set(found.true) == vocabulary & listed
    assert set(found.false) == vocabulary - listed


@pytest.mark.parametrize(("mark", "sign"), [("positive", 1), ("negative", -1), ("neutral", 0)])
def test_sentiment(engines: Engines, raw: RawWordNet, folder: Path, mark: str, sign: int) -> None:
    listed: set[str] = set()
    for line in (folder / "sentiwordnet" / "SentiWordNet_3.0.0.txt").read_text("utf-8").splitlines():
        parts = line.split("\t")
        if not line.startswith("#") and float(parts[2]) <= 1:
            score = float(parts[2]) - float(parts[3])
            if (score > 0) - (score < 0) == sign:
                listed.update(raw.words[parts[0] + parts[1]])
    assert (
        set(engines.predicate(parse(f"is-sentiment-{mark}[eng]")).true)
        == set(engines.lexical.vocabulary["eng"]) & listed
    )


def test_the_embedded_lexicon_is_the_same_english(engines: Engines) -> None:
    """Embedded and full resources give the same English relations for the same word."""
    embedded = Engines(TaskBenchRecipe(labels="faithful", knowledge="none"), 0)
    words = sorted(set(embedded.lexical.vocabulary["eng"]) & set(engines.lexical.vocabulary["eng"]))
    assert len(words) > 5000
    for name in ("synonyms", "antonyms", "hypernyms", "entailments"):
        node = parse(f"{name}[eng]")
        for word in words[::97]:
            assert embedded.apply(node, word) == engines.apply(node, word)
