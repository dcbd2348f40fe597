"""Clean labels: which senses of a word are usual, which words stand for a sense, what a form can be.

A wordnet lists every sense that was ever recorded, so that `tape` is opposed to `delete` and `treason` has a positive
sense. The clean table keeps what a careful reader agrees with; `scripts/build_clean.py` holds the rules, and
docs/taskbench.md the error rates that were found by reading.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from taskloom.core import UserError
from taskloom.sources.lexicon.tables import PackedTable, RaggedArray, write_table

if TYPE_CHECKING:
    from taskloom.sources.lexicon.lexicon import Lexicon

EMBEDDED_CLEAN = Path(__file__).with_name("data") / "clean.bin"
FORMAT = "taskloom-clean-2"
MIXED = 2
"""The sign of a word that resources do not agree on."""

_MARKS = ("noun", "verb", "adj", "adv")
Bytes = npt.NDArray[np.int8]


@dataclass(frozen=True, slots=True)
class CleanWords:
    """The clean part of one language.

    Attributes:
        senses: Key number to its usual synsets.
        members: Synset to the numbers of the lemmas that stand for it in ordinary use.
        marks: By part of speech: per lemma 1 or 0 where it can or cannot be one, -1 where that is unknown.
        signs: Per lemma 1, -1 or 0 for a good, bad or neutral word, `MIXED` where resources do not agree.
        vulgar: Per lemma whether it is vulgar or a slur.
    """

    senses: RaggedArray
    members: RaggedArray
    marks: dict[str, Bytes]
    signs: Bytes
    vulgar: Bytes


@dataclass(frozen=True, slots=True)
class CleanTables:
    """Clean words by language, and which direct opposites are usual.

    Attributes:
        words: By language.
        opposites: Rows of the lexicon's antonyms that hold between usual senses.
    """

    words: dict[str, CleanWords]
    opposites: npt.NDArray[np.int32]


def save_clean(tables: CleanTables, path: Path) -> None:
    """Write the tables into one file."""
    columns: dict[str, Any] = {"opposites": tables.opposites}
    for language, words in tables.words.items():
        named = {"senses": words.senses, "members": words.members, **words.marks}
        named |= {"signs": words.signs, "vulgar": words.vulgar}
        columns |= {f"{language}.{name}": column for name, column in named.items()}
    write_table(path, columns, {"format": FORMAT, "languages": " ".join(tables.words)})


def load_clean(path: Path) -> CleanTables:
    """Read tables written by `save_clean`.

    Raises:
        UserError: The file is missing or of another format.
    """
    table = PackedTable(path, FORMAT, "table", "python scripts/build_clean.py")
    column, rows = table.numbers, table.rows
    words = {
        language: CleanWords(
            rows(f"{language}.senses"),
            rows(f"{language}.members"),
            {name: column(f"{language}.{name}") for name in _MARKS},
            column(f"{language}.signs"),
            column(f"{language}.vulgar"),
        )
        for language in table.languages
    }
    return CleanTables(words, column("opposites"))


@lru_cache(maxsize=1)
def clean_tables() -> CleanTables:
    """The embedded table, read once per process. It belongs to the embedded lexicon and numbers words as that does."""
    return load_clean(EMBEDDED_CLEAN)


def clean_for(lexicon: Lexicon) -> CleanTables:
    """The clean labels of a lexicon.

    Raises:
        UserError: It is not the embedded one, word for word, so that the labels do not fit.
    """
    from taskloom.sources.lexicon import default_lexicon

    known, tables = default_lexicon(), clean_tables()
    fitting = {
        code: words
        for code, words in tables.words.items()
        if code in lexicon.languages and lexicon.words(code).lemmas == known.words(code).lemmas
    }
    same = len(lexicon.tables.pos) == len(known.tables.pos) and bool((lexicon.tables.pos == known.tables.pos).all())
    if not same or "eng" not in fitting:
        raise UserError(
            "the clean labels belong to the embedded lexicon", where="labels=clean", hint="-T labels=faithful"
        )
    return CleanTables(fitting, tables.opposites)


def vulgar_flags(lexicon: Lexicon) -> dict[str, Bytes]:
    """Per language and lemma, whether a word is vulgar or a slur, in any lexicon."""
    from taskloom.sources.lexicon import default_lexicon

    known = default_lexicon()
    vulgar = {
        lemma.lower()
        for code, words in clean_tables().words.items()
        for lemma, flag in zip(known.words(code).lemmas, words.vulgar.tolist(), strict=True)
        if flag
    }
    return {
        code: np.array([lemma.lower() in vulgar for lemma in lexicon.words(code).lemmas], dtype=np.int8)
        for code in lexicon.languages
    }
