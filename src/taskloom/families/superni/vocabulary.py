"""The published names of task types, domains and languages, and the numbers of the paper's tables.

Types are those of the collection's task list; domains are its `doc/domains_map.json`, each with the broader one that
the paper counts; languages are ISO 639 names as the collection spells them.
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import msgspec


class PublishedScore(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A row of Table 3: ROUGE-L on unseen tasks, None where the paper gives no number."""

    group: str
    english: float
    cross_lingual: float | None = None


class _Vocabulary(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    types: frozenset[str]
    languages: frozenset[str]
    domains: dict[str, tuple[str, ...]]
    evaluation: dict[str, Literal["exact_match", "rougeL"]]
    scores: dict[str, PublishedScore]


_FILE = msgspec.toml.decode(Path(__file__).with_suffix(".toml").read_bytes(), type=_Vocabulary)

TYPES, LANGUAGES = _FILE.types, _FILE.languages
EVALUATION_METRICS, PUBLISHED_SCORES = _FILE.evaluation, _FILE.scores
DOMAINS: dict[str, str] = {name: broad for broad, members in _FILE.domains.items() for name in members}
"""Domain as written in task files -> the broader one that is counted."""


def language_name(name: str) -> str:
    """An ISO 639 name without its remark: "Malay (macrolanguage)" is Malay, "Modern Greek (1453-)" Modern Greek."""
    return name.partition(" (")[0].removesuffix(" languages").strip()


def broad_domain(name: str) -> str:
    """The broader domain that the paper counts, the name itself where it is not known."""
    return DOMAINS.get(name, name)
