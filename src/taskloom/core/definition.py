"""Definitions in fields: what the task is, what to mind, how to write the answer, and what the answer is called.

A person reads the fields joined in the order in which they are written. Where the answer is used by another task and
not written, `used` stands in the place of `form`: "Write the word that does not belong." is "Find the word …" there.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

from taskloom.core.errors import UserError, ensure_known

_FIELDS = ("task", "notes", "form", "used", "noun")
SENTENCES = re.compile(r"(?<=[.?!]) (?=[A-ZÁÉÍÓÚ'])")
"""What stands between two sentences."""
_TELLS = re.compile(r"^Answer (?='|[\w-]+ if |[\w-]+(?:, [\w-]+)*,? or )")
"""The beginning of a sentence about the form that also says which answer is right."""


class Definition(NamedTuple):
    """A definition, piece by piece.

    Attributes:
        pieces: Texts with their fields, `task`, `notes`, `form` or `used`, in the order in which they are read.
        noun: What the answer is called: "place".
    """

    pieces: tuple[tuple[str, str], ...]
    noun: str = ""

    @classmethod
    def of(cls, given: str | Mapping[str, str], where: str = "definition") -> Definition:
        """A definition by its fields; where there is only a text, sentences that begin with "Answer" are its form.

        Raises:
            UserError: There is no such field, or no task among them.
        """
        if isinstance(given, str):
            sentences = enumerate(SENTENCES.split(given))
            return cls(tuple(piece for place, text in sentences for piece in _told(place, text)))
        for name in given:
            ensure_known("field", name, _FIELDS, where=where)
        if "task" not in given and "form" not in given:
            raise UserError("a definition says what the task is", where=where, hint='definition = {"task": …}')
        pieces = {name: " ".join(text.split()) for name, text in given.items() if name != "noun"}
        return cls(tuple(pieces.items()), given.get("noun", ""))

    def text(self, *fields: str) -> str:
        """The texts of some fields."""
        return " ".join(text for field, text in self.pieces if field in fields)

    def __str__(self) -> str:
        return self.text("task", "notes", "form")

    def joined(self, *others: Definition) -> Definition:
        """This definition and what others add to it."""
        return Definition(sum((other.pieces for other in others), self.pieces), self.noun)

    def filled(self, words: Mapping[str, str]) -> Definition:
        """With words in the place of {names}."""
        gaps = re.compile("|".join(rf"\{{{name}\}}" for name in words))
        pieces = ((field, gaps.sub(lambda gap: words[gap[0][1:-1]], text)) for field, text in self.pieces)
        return Definition(tuple(pieces), self.noun)


def _told(place: int, text: str) -> list[tuple[str, str]]:
    """The pieces that one sentence of a plain text makes."""
    if not place or not text.startswith("Answer"):
        return [("task", text)]
    used = _TELLS.sub("The answer is ", text)
    return [("form", text), *([("used", used)] if used != text else [])]
