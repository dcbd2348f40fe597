"""The lexicon: readers on a hand-made WordNet, the embedded tables, and word lists."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from taskloom.core import UserError
from taskloom.sources.lexicon import Lexicon, default_lexicon, load, open_lexicon, save
from taskloom.sources.lexicon.wordnet import (
    add_sentiment,
    add_wordnet,
    base_forms,
    counted_words,
    input_words,
    read_wordnet,
)

DATA = {
    "noun": [
        "00000010 03 n 02 animal 0 Beast 0 000 | a living thing",
        "00000020 03 n 01 dog 0 001 @ 00000010 n 0000 | barks | and bites",
        "00000030 03 n 02 poodle 0 poodle_dog 0 001 @ 00000020 n 0000 | curly",
        "00000040 03 n 01 Rex 0 001 @i 00000020 n 0000 | a king among dogs",
    ],
    "verb": [
        "00000010 29 v 01 sleep 0 000 01 + 02 00 | rest",
        "00000020 29 v 02 snore 0 saw_wood 0 001 * 00000010 v 0000 01 + 02 00 | loud",
        "00000030 29 v 02 make 0 create 0 000 01 + 02 00 | bring about",
    ],
    "adj": [
        "00000010 00 a 01 hot 0 001 ! 00000020 a 0101 | warm",
        "00000020 00 a 02 cold(a) 0 chilly 0 001 ! 00000010 a 0101 | not warm",
        "00000030 00 s 01 made 0 000 | produced",
    ],
    "adv": ["00000010 02 r 01 hotly 0 000 | in a hot manner"],
}
INDEX = {
    "noun": ["animal n 1 0 1 0 00000010", "beast n 1 0 1 0 00000010", "dog n 1 1 @ 1 0 00000020",
             "poodle n 1 1 @ 1 0 00000030", "poodle_dog n 1 1 @ 1 0 00000030", "rex n 1 1 @ 1 0 00000040"],
    "verb": ["sleep v 1 0 1 0 00000010", "snore v 1 1 * 1 0 00000020", "saw_wood v 1 1 * 1 0 00000020",
             "make v 1 0 1 0 00000030", "create v 1 0 1 0 00000030"],
    "adj": ["hot a 1 1 ! 1 0 00000010", "cold a 1 1 ! 1 0 00000020", "chilly a 1 0 1 0 00000020",
            "made a 1 0 1 0 00000030"],
    "adv": ["hotly r 1 0 1 0 00000010"],
}  # fmt: skip


@pytest.fixture
def dict_folder(tmp_path: Path) -> Path:
    folder = tmp_path / "dict"
    folder.mkdir()
    for name, lines in DATA.items():
        licence = "  1 This line belongs to the licence.  \n"
        (folder / f"data.{name}").write_text(licence + "\n".join(lines) + "\n", "latin-1")
        (folder / f"index.{name}").write_text(licence + "\n".join(INDEX[name]) + "\n", "latin-1")
        (folder / f"{name}.exc").write_text("made make\n" if name == "verb" else "", "latin-1")
    return folder


def test_a_wordnet_folder_is_read(dict_folder: Path) -> None:
    lexicon = Lexicon(read_wordnet(dict_folder))
    assert lexicon.synonyms("animal") == ("Beast",)
    assert lexicon.synonyms("BEAST") == ("animal",)
    assert lexicon.hypernyms("poodle") == ("dog", "animal", "Beast")
    assert lexicon.hypernyms("poodle", closure=False) == ("dog",)
    assert lexicon.hyponyms("animal") == ("dog", "poodle", "poodle_dog")
    assert lexicon.entailments("saw wood") == ("sleep",)
    assert lexicon.antonyms("hot") == ("cold", "chilly")
    assert lexicon.antonyms("hot", direct=True) == ("cold",)
    assert lexicon.antonyms("chilly") == ("hot",)
    assert lexicon.antonyms("chilly", direct=True) == ()
    assert lexicon.pos("made") == {"adj"}
    assert lexicon.pos("made", inflected=True) == {"adj", "verb"}
    assert lexicon.synonyms("made") == ("make", "create")
    assert lexicon.synonyms("unheard") == ()


def test_further_languages_and_scores(dict_folder: Path, tmp_path: Path) -> None:
    tab = tmp_path / "wn-data-spa.tab"
    tab.write_text(
        "# Spanish\n00000020-n\tlemma\tperro\n00000020-n\tlemma\tcan doméstico\n00000020-s\tlemma\tfrío\n", "utf-8"
    )
    scores = tmp_path / "SentiWordNet.txt"
    scores.write_text(
        "# POS\tID\na\t00000010\t0.5\t0\thot#1\na\t00000020\t0\t0.5\tcold#1\na\t00000030\t125\t0\tx\n", "utf-8"
    )
    tables = add_sentiment(add_wordnet(read_wordnet(dict_folder), "spa", tab), scores)
    lexicon = Lexicon(tables)
    assert lexicon.translate("dog") == ("perro", "can_doméstico")
    assert lexicon.translate("frío", "spa", "eng") == ("cold", "chilly")
    assert lexicon.antonyms("frío", "spa") == ()
    assert lexicon.sentiment("hot") == {"pos"}
    assert lexicon.sentiment("made") == frozenset(), "a score beyond one is no score"
    save(tables, tmp_path / "all.bin")
    again = Lexicon(load(tmp_path / "all.bin"))
    for word in ("dog", "made", "hot"):
        assert again.translate(word) == lexicon.translate(word)
        assert again.antonyms(word) == lexicon.antonyms(word)


def test_what_does_not_fit_is_refused(dict_folder: Path, tmp_path: Path) -> None:
    strange = tmp_path / "strange.tab"
    strange.write_text("99999999-n\tlemma\tperro\n", "utf-8")
    with pytest.raises(UserError, match="this WordNet lacks"):
        add_wordnet(read_wordnet(dict_folder), "spa", strange)
    with pytest.raises(UserError, match="no file data"):
        read_wordnet(tmp_path / "nothing")
    (dict_folder / "data.verb").write_text("garbage line\n")
    with pytest.raises(UserError, match="not a WordNet record"):
        read_wordnet(dict_folder)
    with pytest.raises(UserError, match="there is no lexicon"):
        load(tmp_path / "none.bin")


def test_a_zip_is_read_like_its_folder(dict_folder: Path, tmp_path: Path) -> None:
    packed = tmp_path / "wordnet.zip"
    with zipfile.ZipFile(packed, "w") as archive:
        for path in sorted(dict_folder.iterdir()):
            archive.write(path, f"wordnet/{path.name}")
    assert Lexicon(read_wordnet(packed)).hyponyms("animal") == ("dog", "poodle", "poodle_dog")


def test_the_embedded_lexicon() -> None:
    lexicon = default_lexicon()
    assert lexicon.languages == ("eng", "spa")
    assert len(lexicon.common("eng")) == 10_000
    assert len(lexicon.common("spa")) >= 5_000
    assert lexicon.common("eng")[0] in lexicon
    assert "sleep" in lexicon.entailments("snore")
    assert "perro" in lexicon.translate("dog")
    assert "dog" in lexicon.translate("perro", "spa", "eng")
    assert lexicon.antonyms("hot", direct=True) == ("cold",)
    assert "cat" not in lexicon.hypernyms("dog")
    assert lexicon.pos("quickly") == {"adv"}
    assert "pos" in lexicon.sentiment("happy")
    assert set(lexicon.tables.origin) == {"eng", "spa", "sentiment", "frequency"}
    with pytest.raises(UserError, match="unknown language"):
        lexicon.synonyms("dog", "deu")


def test_closures_hold_everywhere() -> None:
    """A hypernym of a hypernym is one too, and hyponyms are hypernyms read backwards."""
    lexicon = default_lexicon()
    for word in lexicon.common("eng")[::499]:
        senses = lexicon.synsets(word)
        up = {lemma for s in senses for lemma in _climb(lexicon, s)}
        assert set(lexicon.hypernyms(word)) == {lemma for lemma in up if lemma.lower() != word}
        for kind in lexicon.hyponyms(word, closure=False)[:5]:
            assert any(word == above.lower() or above.lower() in map(str.lower, lexicon.synonyms(word))
                       for above in lexicon.hypernyms(kind))  # fmt: skip


def _climb(lexicon: Lexicon, synset: int) -> set[str]:
    found: set[str] = set()
    for parent in lexicon.tables.hypernyms.row(synset).tolist():
        found |= {*lexicon.lemmas(parent), *_climb(lexicon, parent)}
    return found


def test_nothing_named_means_the_embedded_one() -> None:
    assert open_lexicon() is default_lexicon()


@pytest.mark.parametrize(
    ("word", "letter", "bases"),
    [
        ("dogs", "n", ["dog"]),
        ("churches", "n", ["church"]),
        ("making", "v", ["make"]),
        ("went", "v", ["go"]),
        ("dog", "n", ["dog"]),
        ("xyzzy", "v", []),
    ],
)
def test_base_forms(word: str, letter: str, bases: list[str]) -> None:
    assert base_forms(word, letter, {"dog", "church", "make", "go"}, {"went": ["go"]}) == bases


def test_word_lists_and_corpora(tmp_path: Path) -> None:
    plain = tmp_path / "words.txt"
    plain.write_text("# mine\nDog\t7\nice cream\ncat\n", "utf-8")
    assert counted_words(plain)[0] == {"dog": 7, "ice_cream": 1, "cat": 1}
    assert input_words(plain, ["dog", "ice_cream", "Cat"]) == ("dog", "ice_cream")
    brown = tmp_path / "brown.zip"
    with zipfile.ZipFile(brown, "w") as archive:
        archive.writestr("brown/ca01", "\n\n\tThe/at dog/nn " + "Cat/nn-hl " * 5 + "1/2/cd ./.\n")
        archive.writestr("brown/README", "dog/nn " * 9)
    assert input_words(brown, ["the", "dog", "cat"]) == ("cat",)
    cess = tmp_path / "cess_esp.zip"
    with zipfile.ZipFile(cess, "w") as archive:
        archive.writestr(
            "cess_esp/1.tbf", "(S\n (sn (da0ms0 El el) (ncms000 perro perro) (np00000 a_cambio x)))".encode("latin-1")
        )
    assert input_words(cess, ["el", "perro", "a_cambio"]) == ("el", "perro")
    other = tmp_path / "other.zip"
    with zipfile.ZipFile(other, "w") as archive:
        archive.writestr("x.txt", "dog")
    with pytest.raises(UserError, match="neither the Brown corpus"):
        counted_words(other)


def test_no_lemma_keeps_the_escapes_of_its_source() -> None:
    lexicon = default_lexicon()
    for language in lexicon.languages:
        assert not [lemma for lemma in lexicon.words(language).lemmas if "''" in lemma]
