"""The words and scenes of `inventory.toml`, as they stand there."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Literal

import msgspec


class AdjectiveGroup(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Adjectives that may replace each other, and the nouns they go with."""

    words: tuple[str, ...]
    nouns: str
    relative: bool = False


class SceneRecord(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Verbs with their subjects, objects (none for intransitive ones) and the name of their places."""

    verbs: str
    subjects: str
    places: str
    objects: str = ""
    allows: tuple[Literal["swap", "together", "several"], ...] = ()


class InventoryRecord(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The file; its comments say what the entries mean."""

    doubling: str
    antonyms: tuple[tuple[str, str], ...]
    undecided: tuple[tuple[str, str], ...]
    agents: tuple[tuple[str, str], ...]
    nouns: str
    irregular_verbs: dict[str, tuple[str, str]]
    places: dict[str, tuple[str, ...]]
    groups: dict[str, str]
    adjectives: tuple[AdjectiveGroup, ...]
    scenes: tuple[SceneRecord, ...]


@cache
def read_inventory() -> InventoryRecord:
    """The file, read once.

    Raises:
        msgspec.ValidationError: An entry is missing, unknown or of another type.
    """
    return msgspec.toml.decode(Path(__file__).with_name("inventory.toml").read_bytes(), type=InventoryRecord)
