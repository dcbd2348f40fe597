"""Templates of sentences, taken apart once and filled many times."""

from __future__ import annotations

import re
from functools import cache

import msgspec
from msgspec.structs import replace

_SLOT = re.compile(r"\{(\w+)\}")
# Slots whose words differ from sentence to sentence, in the order in which they are drawn.
_VARIED = ("E", "D", "O", "av")


class SentenceTemplate(msgspec.Struct, frozen=True, gc=False):
    """A text with slots in braces.

    Attributes:
        pattern: The text in the notation of the % operator, which takes half the time of `format`.
        words: How many words it has, a slot counting as one.
        varied: Those of its slots whose words are chosen for each sentence anew.
        about: Whether it begins with the entity, by its name or a description.
        opened: Whether it begins with a slot, so that its first letter may have to be made a capital.
    """

    pattern: str
    words: int
    varied: tuple[str, ...]
    about: bool
    opened: bool


@cache
def template(text: str) -> SentenceTemplate:
    """The template of a part of a sentence that a domain or a frame has; there are only so many."""
    pattern = _SLOT.sub(r"%(\1)s", text.replace("%", "%%"))
    varied = tuple(slot for slot in _VARIED if f"{{{slot}}}" in text)
    return SentenceTemplate(
        pattern, text.count(" ") + 1, varied, text.startswith(("{E} ", "{N} ")), text.startswith("{")
    )


@cache
def sentence(text: str) -> SentenceTemplate:
    """The same of a whole sentence, which begins with a capital and ends with a stop."""
    part = template(text)
    pattern = part.pattern if part.opened else f"{part.pattern[0].upper()}{part.pattern[1:]}"
    return replace(part, pattern=f"{pattern}.")
