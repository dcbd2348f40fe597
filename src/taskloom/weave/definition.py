"""Definitions in three fields: the task, what to mind, and the form of the answer; and what the answer is called.

The fields are the sentences of a definition, told apart by their first words (`definitions.toml`), so joined in their
old order they are the definition itself, to the letter.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from taskloom.core import Task
from taskloom.core.decode import read_toml

__all__ = ["DefinitionFields", "Texts", "fields_of", "lowered", "texts"]

_SENTENCES = re.compile(r"(?<=[.?!]) (?=[A-ZÁÉÍÓÚ'])")


class Texts(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The file `definitions.toml`."""

    form: tuple[str, ...]
    notes: tuple[str, ...]
    inner: tuple[tuple[str, str], ...]
    used_form: tuple[tuple[str, str], ...]
    aliases: dict[str, str]
    nouns: dict[str, str]
    types: dict[str, str]
    suites: dict[str, str]
    several: dict[str, bool]
    plenty: dict[str, dict[str, Any]]


@cache
def texts() -> Texts:
    """The words that tell the fields apart, and the names of answers."""
    return read_toml(Path(__file__).with_name("definitions.toml"), type=Texts)


class DefinitionFields(NamedTuple):
    """A definition, sentence by sentence, each with its field: `task`, `notes` or `form`."""

    sentences: tuple[tuple[str, str], ...]

    def of(self, *fields: str) -> str:
        """The sentences of some fields, in their order."""
        return " ".join(text for field, text in self.sentences if field in fields)

    @property
    def definition(self) -> str:
        """All sentences, as they were."""
        return self.of("task", "notes", "form")

    def used(self, type_: str) -> str:
        """The task where its answer is used, not written: what to find, and which answer means what.

        A text is asked for as it is, since how it is laid out is part of it.
        """
        known = texts()
        said = []
        for field, text in self.sentences:
            if field == "task":
                said.append((None if type_ == "text" else _changed(text, known.inner)) or text)
            elif field == "form" and (kept := _changed(text, known.used_form)):
                said.append(kept)
        return " ".join(said)


def fields_of(task: Task | str) -> DefinitionFields:
    """The fields of a task's definition."""
    known = texts()
    definition = task if isinstance(task, str) else task.instruction.definition
    found: list[tuple[str, str]] = []
    for sentence in _SENTENCES.split(definition):
        form, notes = sentence.startswith(known.form), sentence.startswith(known.notes)
        found.append(("form" if form and found else "notes" if notes and found else "task", sentence))
    return DefinitionFields(tuple(found))


def _changed(sentence: str, patterns: tuple[tuple[str, str], ...]) -> str | None:
    """The sentence by the first pattern that fits; None where none does."""
    for pattern, replacement in patterns:
        changed, times = re.subn(pattern, replacement, sentence)
        if times:
            return changed
    return None


def lowered(text: str) -> str:
    """A text that goes on after a comma or colon."""
    first, _, _ = text.partition(" ")
    return text if len(first) > 1 and first.isupper() else text[:1].lower() + text[1:]
