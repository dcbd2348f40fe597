"""What every world shares with ours (`concepts.toml`): classes, occupations, genres, genders."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Literal

import msgspec

from taskloom.core.decode import read_toml


class BroaderOccupation(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A superclass of occupations."""

    entity: str
    narrower: tuple[str, ...]


class Honour(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A kind of thing that is named after people."""

    kind: str
    who: Literal["any", "athletes", "thinkers"]
    by_name: tuple[str, ...]
    by_trade: str


class _Concepts(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    kinds: tuple[str, ...]
    writers: frozenset[str]
    musicians: frozenset[str]
    thinkers: frozenset[str]
    officials: frozenset[str]
    genders: dict[str, str]
    classes: dict[str, str]
    occupations: dict[str, str]
    weights: dict[str, float]
    since: dict[str, int]
    broader: dict[str, BroaderOccupation]
    genres: dict[str, dict[str, str]]
    positions: dict[str, dict[str, str]]
    honours: tuple[Honour, ...]


_FILE = read_toml(Path(__file__).with_suffix(".toml"), type=_Concepts)

GENDERS, CLASSES, KINDS, GENRES = _FILE.genders, _FILE.classes, _FILE.kinds, _FILE.genres
OCCUPATIONS, WEIGHTS, SINCE, BROADER = _FILE.occupations, _FILE.weights, _FILE.since, _FILE.broader
WRITERS, MUSICIANS, THINKERS, OFFICIALS = _FILE.writers, _FILE.musicians, _FILE.thinkers, _FILE.officials
POSITIONS, SPORTS, HONOURS = _FILE.positions, tuple(_FILE.positions), _FILE.honours

CONCEPTS: Mapping[str, str] = {
    **{entity: name for names in (GENDERS, CLASSES, OCCUPATIONS) for name, entity in names.items()},
    **{one.entity: name for name, one in BROADER.items()},
    **{entity: name for genres in GENRES.values() for name, entity in genres.items()},
    **{entity: name for places in POSITIONS.values() for name, entity in places.items() if entity},
}
"""Labels by id."""
