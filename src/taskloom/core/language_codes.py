"""Codes of languages, and what to call them: the tables of `languages.toml`."""

from __future__ import annotations

from pathlib import Path

from taskloom.core.decode import read_toml

_FILE = read_toml(Path(__file__).with_name("languages.toml"), type=dict[str, dict[str, str]])
ISO_639, LANGUAGES = _FILE["codes"], _FILE["names"]


def short_code(name: str) -> str:
    """The two-letter code of a language that is given by a code or its English name; else what is given."""
    wanted = name.casefold()
    for short, code in ISO_639.items():
        if wanted in (short, code, LANGUAGES[code].casefold()):
            return short
    return name
