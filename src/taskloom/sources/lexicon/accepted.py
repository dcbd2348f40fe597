"""Accepted answers: translations, synonyms and opposites that several sources vouch for, in any sense of a word.

`scripts/build_accepted.py` holds the rules, docs/taskbench.md what was found by reading and by dictionaries that had no
part in making the table.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from taskloom.sources.lexicon.tables import PackedTable, RaggedArray, write_table

EMBEDDED_ACCEPTED = Path(__file__).with_name("data") / "accepted.bin"
FORMAT = "taskloom-accepted-3"


@dataclass(frozen=True, slots=True)
class AcceptedTables:
    """Pairs of words of the embedded lexicon; numbers beyond its lemmas count on into `extra`.

    Attributes:
        translations: English words to Spanish ones.
        synonyms: By language, beyond what the synsets of a word list.
        antonyms: English words to words like their direct opposites.
        extra: By language, words that the lexicon lacks.
    """

    translations: RaggedArray
    synonyms: dict[str, RaggedArray]
    antonyms: RaggedArray
    extra: dict[str, tuple[str, ...]]


def save_accepted(tables: AcceptedTables, path: Path) -> None:
    """Write the tables into one file."""
    columns = {"translations": tables.translations, "antonyms": tables.antonyms}
    columns |= {f"{code}.synonyms": rows for code, rows in tables.synonyms.items()}
    extras = {f"{code}.extra": words for code, words in tables.extra.items()}
    write_table(path, {**columns, **extras}, {"format": FORMAT, "languages": " ".join(tables.synonyms)})


@lru_cache(maxsize=1)
def accepted_tables() -> AcceptedTables:
    """The embedded table, read once per process. It belongs to the embedded lexicon and numbers words as that does."""
    table = PackedTable(EMBEDDED_ACCEPTED, FORMAT, "table", "python scripts/build_accepted.py")
    return AcceptedTables(
        table.rows("translations"),
        {code: table.rows(f"{code}.synonyms") for code in table.languages},
        table.rows("antonyms"),
        {code: tuple(table.texts(f"{code}.extra")) for code in table.languages},
    )
