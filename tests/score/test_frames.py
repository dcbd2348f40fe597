"""The frames of `frames.toml`: few, none twice, none that denies, and each of them is read as it says."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from itertools import islice, product
from math import prod
from typing import Any

import pytest

from taskloom.core import Example, Instruction, Task
from taskloom.core.catalog import READERS
from taskloom.score.read.frames import BAGS, DATA, LISTS, TALK, load, longest, pieces_of, tokens_of

_MOST = {"en": 60}
_MOST_OTHERS = 15
_DENIALS = frozenset(
    {"not", "isn't", "never", "neither", "nor", "without", "except", "but", "or", "maybe", "perhaps", "possibly", "no",
     "probably", "nicht", "kein", "oder", "non", "pas", "ou", "nem", "nie", "ei", "не", "нет", "или", "yok", "değil",
     "tidak", "bukan", "eller", "ikke", "inte", "niet", "geen", "ani", "ne"}
)  # fmt: skip
"""Words that no frame that gives an answer may hold. A check of the data, not of answers."""
_DOUBTS = frozenset(
    {"if", "unless", "whether", "might", "may", "could", "would", "should", "some", "someone", "other", "others",
     "another", "either", "both", "guess", "suppose", "assume", "assuming", "doubt", "thought", "believed", "first",
     "initially", "say", "said", "likely", "vielleicht", "wenn", "falls", "manche", "certains", "quizás",
     "quizá", "algunos", "forse", "alcuni", "talvez", "alguns", "misschien", "als", "sommigen", "może",
     "jeśli", "chyba", "возможно", "если", "может", "或", "若", "如", "许", "能", "可", "假", "설", "만"}
)  # fmt: skip
"""Words that make a sentence a condition, a guess, somebody else's or a former opinion."""
_SAY_NO_ELSEWHERE = frozenset(
    {"si", "sio", "siyo", "hapana", "nid", "nad", "na", "ni", "dim", "ní", "níl", "nach", "ket", "ez", "nem", "sem",
     "mitte", "nav", "nu", "nuk", "jo", "δεν", "όχι", "nije", "не", "няма", "ні", "nie", "ekki", "ikki", "non", "nin",
     "mhux", "ma", "ba", "kò", "cha", "ora", "dudu", "hindi", "wala", "không", "chẳng", "ไม่", "नहीं", "न", "मत", "نہیں",
     "نه", "نیست", "deyil", "емес", "жоқ", "emas", "биш", "үгүй", "nek", "nec", "haud", "pa", "mana", "ehara", "இல்லை",
     "না", "নয়", "net", "nich", "nisht", "nae", "ii", "لا", "ليس", "לא", "אין"}
)  # fmt: skip
"""Negations of languages that have no table, Swahili ("si") among them: no small word may look like one."""


def spelled_out(entry: str, sets: dict[str, str]) -> Iterator[str]:
    """Every text that an entry stands for."""
    return (" ".join(filter(None, chosen)) for chosen in product(*pieces_of(entry, sets)))


def count(table: dict[str, Any]) -> int:
    """The entries of a language."""
    return sum(len(table.get(name, ())) for name in LISTS)


def lint(text: str) -> list[str]:
    """What is wrong with a file of frames: too many entries, unknown lists and sets, entries twice, words that deny."""
    found: list[str] = []
    seen: dict[str, str] = {}
    for language, table in tomllib.loads(text).items():
        most = _MOST.get(language, _MOST_OTHERS)
        if count(table) > most:
            found.append(f"{language}: {count(table)} entries, at most {most} are allowed")
        found += [f"{language}: unknown list {name!r}" for name in table.keys() - {*LISTS, *BAGS, "sets"}]
        sets = table.get("sets", {})
        for name in TALK:
            denied = (_DENIALS | _DOUBTS | _SAY_NO_ELSEWHERE) & set(table.get(name, "").split())
            found += [f"{language}.{name}: {word!r} denies or doubts" for word in sorted(denied)]
        for name in LISTS:
            for entry in table.get(name, ()):
                if missing := set(re.findall(r"<(\w+)>", entry)) - sets.keys():
                    found.append(f"{language}.{name}: {entry!r} names the unknown set {sorted(missing)[0]!r}")
                    continue
                if name == "reason" and min(map(len, spelled_out(entry, sets))) < 4 and language != "zh":
                    found.append(f"{language}.reason: {entry!r} is so short that it may be a word of another language")
                if name == "frame" and not entry.startswith("{}") and not entry.endswith("{}"):
                    found.append(f"{language}.frame: {entry!r} has no {{}} at its beginning or its end")
                for said in spelled_out(entry, sets):
                    if name in ("mark", "frame", "lead") and (denied := _DENIALS & set(tokens_of(said))):
                        found.append(f"{language}.{name}: {said!r} holds {sorted(denied)[0]!r}, which denies or doubts")
                    first = seen.setdefault(f"{name}: {said}", f"{language}.{name}: {entry!r}")
                    if first != f"{language}.{name}: {entry!r}" and first.startswith(f"{language}."):
                        found.append(f"{first} and {entry!r} both say {said!r}")
    return found


TABLES = tomllib.loads(DATA.read_text("utf-8"))
WHERE = Task("t", Instruction("Say where the person is.", (Example("Where is Mary?", "garden"),)))
LENIENT = READERS.get("lenient")


def test_the_file_is_sound():
    assert lint(DATA.read_text("utf-8")) == []
    assert len(TABLES) >= 17


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('[en]\nframe = ["the answer is"]', "has no {}"),
        ('[en]\nframe = ["it is not {}"]', "denies"),
        ('[en]\nlead = ["<nobody>"]', "unknown set"),
        ("[en]\nleads = []", "unknown list"),
        ('[en]\nlead = ["so", "(so|thus)"]', "both say"),
        ('[en]\nwords = "is not"', "denies"),
        ('[it]\nwords = "è si"', "denies"),
        ('[fi]\nreason = ["da"]', "short"),
        ("[fi]\nlead = [" + ", ".join(f'"x{n}"' for n in range(16)) + "]", "at most 15"),
    ],
)
def test_the_linter_finds_what_is_wrong(text, said):
    assert any(said in line for line in lint(text))


@pytest.mark.parametrize("language", TABLES)
def test_every_frame_and_mark_of_a_language_is_read(language):
    table = TABLES[language]
    for entry in table["frame"]:
        for text in islice(spelled_out(entry, table.get("sets", {})), 0, None, 37):
            found = LENIENT.read(text.replace("{}", "Zanzibar") + ".", WHERE, "Where is Ann?")
            assert found.answer == "Zanzibar", text
    for entry in table["mark"]:
        for text in islice(spelled_out(entry, table.get("sets", {})), 0, None, 37):
            for said in (f"{text}: Zanzibar", f"Talk.\n\n**{text.title()}:** Zanzibar", f"## {text}\nZanzibar"):
                assert LENIENT.read(said, WHERE, "Where is Ann?").answer == "Zanzibar", said


@pytest.mark.parametrize("language", TABLES)
def test_a_turn_of_a_language_takes_back_what_was_said(language):
    table = TABLES[language]
    turns = [text for entry in table["turn"] for text in spelled_out(entry, table.get("sets", {}))]
    for turn in turns:
        for said in (f"Malta. {turn.capitalize()} Zanzibar.", f"Malta, {turn}, Zanzibar", f"Malta.\n{turn}: Zanzibar"):
            assert LENIENT.read(said, WHERE, "Where is Ann?").answer == "Zanzibar", said
    for no in (text for entry in table["no"] for text in spelled_out(entry, {})):
        assert LENIENT.read(f"Malta. {no.capitalize()}, Zanzibar.", WHERE, "Where is Ann?").answer == "Zanzibar", no
        assert LENIENT.read(f"Malta. {no}, {turns[0]} Zanzibar.", WHERE, "Where is Ann?").answer == "Zanzibar", no
        for said in (f"{no.capitalize()} Zanzibar.", f"Malta. {no.capitalize()} Zanzibar.", f"{no}, not Zanzibar"):
            assert LENIENT.read(said, WHERE, "Where is Ann?").answer != "Zanzibar", said


@pytest.mark.parametrize("language", TABLES)
def test_a_contrast_of_a_language_takes_back_only_before_a_frame(language):
    table = TABLES[language]
    frames = [text for entry in table["frame"] for text in spelled_out(entry, table.get("sets", {}))]
    (frame, *_) = [text for text in frames if text.endswith("{}") and not text.startswith("{}")]
    for but in (text for entry in table["but"] for text in spelled_out(entry, {})):
        given = frame.replace("{}", "Zanzibar")
        for said in (f"Rumours of Malta, {but} {given}.", f"Rumours of Malta. {but.capitalize()}, {given}."):
            assert LENIENT.read(said, WHERE, "Where is Ann?").answer == "Zanzibar", said
        assert LENIENT.read(f"Malta, {but} Zanzibar.", WHERE, "Where is Ann?").answer != "Zanzibar", but


def test_entries_are_matched_word_by_word():
    tree = load().turn
    assert longest(tree, tokens_of("hold on, it is here")) == 2
    assert longest(tree, tokens_of("waiting")) == 0


def test_entries_stand_for_few_enough_texts_to_be_loaded_by_every_command():
    tables = tomllib.loads(DATA.read_text("utf-8")).values()
    sizes = [
        prod(map(len, pieces_of(entry, table.get("sets", {}))))
        for table in tables
        for name in LISTS
        for entry in table.get(name, ())
    ]
    assert max(sizes) <= 20_000 and sum(sizes) <= 60_000
