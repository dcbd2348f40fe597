"""Facts that share a sentence, and the words that tie sentences together: what `discourse.toml` has, laid out."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import msgspec

from taskloom.core import UserError
from taskloom.core.decode import read_toml
from taskloom.families.zest.domain import Attribute, SentenceTemplate
from taskloom.families.zest.facts import Value

_FILE = Path(__file__).with_suffix(".toml")
_SLOT = re.compile(r"\{(\w+)\}")
_PART = re.compile(r"([pcxwv])(\d)")
_REFERENCES = ("S", "E", "s", "d", "who", "N", "A", "I", "o")


class Register(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What may begin a sentence that goes on in time, that adds to the one before, or that contrasts with it."""

    later: tuple[str, ...]
    added: tuple[str, ...]
    contrast: tuple[str, ...]


class _DiscourseTexts(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`discourse.toml`; its comments say what the entries mean."""

    openings: tuple[str, ...]
    plain: tuple[str, ...]
    contrast: tuple[str, ...]
    other: tuple[str, ...]
    registers: dict[str, Register]


class Joint(msgspec.Struct, frozen=True, gc=False):
    """A sentence of one or more facts.

    Attributes:
        pattern: The text in the notation of the % operator.
        slots: For each fact the slot it fills.
        shapes: For each fact the shape it takes, in capitals where it has to stay clear inside the sentence.
        references: The slots that refer to the entity, or that an opening has besides.
        about: Whether the entity is what a pronoun in the next sentence would stand for.
        leads: Whether it begins with the entity.
    """

    pattern: str
    slots: tuple[str, ...]
    shapes: tuple[str, ...]
    references: tuple[str, ...]
    about: bool
    leads: bool


@cache
def _texts() -> _DiscourseTexts:
    texts = read_toml(_FILE, type=_DiscourseTexts)
    for text in (*texts.openings, *texts.plain, *texts.contrast, *texts.other):
        numbers = [int(number) for _, number in _PART.findall(text)]
        known = all(slot in _REFERENCES or _PART.fullmatch(slot) for slot in _SLOT.findall(text))
        if numbers != list(range(1, len(numbers) + 1)) or not known:
            slots = ", ".join(_REFERENCES)
            raise UserError(f"facts are numbered in order, and other slots are {slots}: {text}", where=_FILE.name)
    return texts


@cache
def register(name: str) -> Register:
    """The words of a register."""
    return _texts().registers[name]


@cache
def joints(kind: str, facts: int) -> tuple[Joint, ...]:
    """The sentences of a kind (openings, plain, contrast or other) that hold this many facts."""
    found = []
    for text in getattr(_texts(), kind):
        slots = _SLOT.findall(text)
        parts = [slot for slot in slots if _PART.fullmatch(slot)]
        if len(parts) == facts:
            # Only what stands at the end may have a comma or an "and" in it.
            shapes = [slot[0] if text.endswith(f"{{{slot}}}") else slot[0].upper() for slot in parts]
            references = tuple(slot for slot in slots if slot in _REFERENCES)
            about = not any(slot[0] == "c" for slot in parts)
            pattern = _SLOT.sub(r"%(\1)s", text)
            found.append(
                Joint(pattern, tuple(parts), tuple(shapes), references, about, text.startswith(("{S}", "{E}")))
            )
    return tuple(found)


def shape_of(attribute: Attribute, shape: str, value: Value) -> tuple[SentenceTemplate, ...]:
    """The ways to put an attribute's value into this shape."""
    return attribute.parts[shape][value is True]
