"""Wordnets of other languages: tab files and WN-LMF, plain and packed, invented and small."""

from __future__ import annotations

import gzip
import lzma
from pathlib import Path

import pytest

from taskloom.core import UserError, open_suite
from taskloom.families.taskbench.engines import Engines
from taskloom.families.taskbench.language import parse
from taskloom.families.taskbench.recipe import TaskBenchRecipe
from taskloom.sources.lexicon import open_lexicon
from taskloom.sources.lexicon.wordnet import find_wordnets

# Synsets of WordNet 3.0 by offset: able, unable, dog, domestic animal, animal, entity; good and bad as adjectives.
TAB = """# Invented\tdeu\thttps://example.org\tCC0
00001740-a\tdeu:lemma\tfähig
00001740-a\tdeu:lemma\timstande
00002098-a\tlemma\tunfähig
02084071-n\tdeu:lemma\tHund
01317541-n\tdeu:lemma\tHaustier
00015388-n\tdeu:lemma\tTier
00015388-n\tdeu:def\tkein Lemma
"""
HEAD = """<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE LexicalResource SYSTEM "http://globalwordnet.github.io/schemas/WN-LMF-1.1.dtd">
<LexicalResource xmlns:dc="http://purl.org/dc/elements/1.1/">
<Lexicon id="inv-fr" label="Invented" language="fr" email="x@example.org" license="CC0" version="1">
"""
ENTRIES = {
    "capable": ("inv-1", "i1"),
    "incapable": ("inv-2", "i2"),
    "chien": ("omw-fr-02084071-n", ""),
    "entité": ("inv-4", "i35545"),
    "truc neuf": ("inv-5", "in"),
}
LMF = (
    HEAD
    + "".join(
        f'<LexicalEntry id="e-{synset}"><Lemma writtenForm="{word}" partOfSpeech="n"/>'
        f'<Sense id="s-{synset}" synset="{synset}"/></LexicalEntry>\n'
        for word, (synset, _) in ENTRIES.items()
    )
    + "".join(f'<Synset id="{synset}" ili="{ili}" partOfSpeech="n"/>\n' for synset, ili in ENTRIES.values())
    + "</Lexicon></LexicalResource>\n"
)
PACKERS = {"": lambda data: data, ".gz": gzip.compress, ".xz": lzma.compress}


def folder_of(tmp_path: Path, suffix: str = "") -> Path:
    folder = tmp_path / "wordnets" / "deeper"
    folder.mkdir(parents=True)
    pack = PACKERS[suffix]
    (folder / f"wn-data-deu.tab{suffix}").write_bytes(pack(TAB.encode()))
    (folder / f"invented-fr.xml{suffix}").write_bytes(pack(LMF.encode()))
    (folder / "notes.xml").write_text("<notes/>")
    return folder.parent


@pytest.mark.parametrize("suffix", PACKERS)
def test_words_of_both_forms(tmp_path: Path, suffix: str) -> None:
    found = find_wordnets(folder_of(tmp_path, suffix))
    assert sorted(found) == ["deu", "fra"]
    lexicon = open_lexicon(languages={code: str(path) for code, path in found.items()})
    assert lexicon.synonyms("fähig", "deu") == ("imstande",)
    assert lexicon.antonyms("fähig", "deu") == ("unfähig",)
    assert lexicon.hypernyms("Hund", "deu") == ("Haustier", "Tier")
    assert lexicon.translate("Hund", "deu", "fra") == ("chien",)
    assert lexicon.translate("entity", "eng", "fra") == ("entité",)
    assert lexicon.translate("incapable", "fra", "deu") == ("unfähig",)
    assert "perro" in lexicon.translate("chien", "fra", "spa")
    assert "truc_neuf" not in lexicon.words("fra").lemmas  # a synset that WordNet 3.0 lacks


def test_any_two_languages_are_tasks(tmp_path: Path) -> None:
    folder = folder_of(tmp_path)
    for text, said, pair in (
        ("antonyms[deu]", "a German antonym of the word", ("fähig", "unfähig")),
        ("translate[deu->fra]", "a French translation of the word", ("fähig", "capable")),
        ("translate[de->fr]", "a French translation of the word", ("fähig", "capable")),
        ("antonyms[fra](translate[deu->fra])", "a French antonym of a French translation", ("imstande", "incapable")),
    ):
        suite = open_suite(f"taskbench/{text}", options={"resources": str(folder)})
        (task,) = suite.tasks.values()
        assert said in task.instruction.definition
        rows = [row.instance for split in ("train", "dev", "test") for row in suite[split][:]]
        shown = {(row.input, answer) for row in rows for answer in row.targets.answers}
        shown |= {(one.input, one.output) for one in task.instruction.positive}
        assert pair in shown


def test_a_list_of_input_words_of_ones_own(tmp_path: Path) -> None:
    folder = folder_of(tmp_path)
    (folder / "words-deu.txt").write_text("unfähig\t12\n", encoding="utf-8")
    found = Engines(TaskBenchRecipe(resources=str(folder), labels="faithful", knowledge="none"), 0)
    assert found.lexical.vocabulary["deu"] == ("unfähig",)
    assert found.relation(parse("antonyms[deu]")).outputs("unfähig") == ("fähig", "imstande")


def test_a_file_that_was_replaced_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "wn-data-deu.tab"
    path.write_text(TAB, encoding="utf-8")
    before = open_lexicon(languages={"deu": str(path)}).words("deu").lemmas
    path.write_text(TAB.replace("unfähig", "außerstande"), encoding="utf-8")
    after = open_lexicon(languages={"deu": str(path)}).words("deu").lemmas
    assert set(before) - set(after) == {"unfähig"}
    assert set(after) - set(before) == {"außerstande"}


def test_what_cannot_be_read_is_refused(tmp_path: Path) -> None:
    folder = folder_of(tmp_path)
    with pytest.raises(UserError, match="there is no wordnet for 'ita'; available: eng, spa, deu, fra"):
        list(open_suite("taskbench/synonyms[ita]", options={"resources": str(folder)}).tasks)
    with pytest.raises(UserError, match="there are no clean labels for 'deu'"):
        list(open_suite("taskbench/synonyms[deu]", options={"resources": str(folder), "labels": "clean"}).tasks)
    broken = tmp_path / "broken.xml"
    broken.write_text(LMF[:900])
    with pytest.raises(UserError, match="not well-formed"):
        open_lexicon(languages={"fra": str(broken)})
    bomb = tmp_path / "bomb.xml"
    bomb.write_text('<!DOCTYPE x [<!ENTITY a "b">]><LexicalResource/>')
    with pytest.raises(UserError, match="declares its own entities"):
        open_lexicon(languages={"fra": str(bomb)})
    strange = tmp_path / "wn-data-xyz.tab"
    strange.write_text("99999999-n\tlemma\tfoo\n")
    with pytest.raises(UserError, match="1 of 1 rows name synsets that this WordNet lacks"):
        open_lexicon(languages={"xyz": str(strange)})
