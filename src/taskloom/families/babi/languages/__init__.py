"""Languages as data: each file holds the words, forms, sentences and instructions of one language.

A story is the same in every language: one seed gives parallel stories, sentence by sentence, so that transfer between
languages can be measured. English is the vocabulary's default; the other languages stand in TOML files beside this one.
"""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files

import msgspec

from taskloom.core import unknown_name
from taskloom.families.babi.vocabulary import DYNA, Vocabulary

__all__ = ["LANGUAGES", "Instructions", "Language", "language", "words_in"]

LANGUAGES = ("de", "en", "es")
"""The languages there are, by their codes."""


class Instructions(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename="kebab"):
    """What a task says: the conventions, the definition of each question type, and explanations of examples."""

    conventions: str
    where_person: str
    where_object: str
    where_was_object: str
    yes_no: str
    list: str
    counting: str
    give: str
    one: str
    many: str
    none: str
    wrong: str
    own: str = "You are given a short story and asked a question about it. Answer with the word or name asked for only."

    def definition(self, question: str) -> str:
        """What a question type asks for."""
        found: str = getattr(self, question.replace("-", "_"))
        return found


class Language(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A language."""

    vocabulary: Vocabulary
    instructions: Instructions


@cache
def language(code: str) -> Language:
    """The language of that code.

    Raises:
        UserError: There is none (with the nearest codes).
    """
    if code not in LANGUAGES:
        raise unknown_name("language", code, LANGUAGES)
    data = tomllib.loads((files(__name__) / f"{code}.toml").read_text(encoding="utf-8"))
    return msgspec.convert(data, type=Language)


def words_in(vocabulary: Vocabulary, code: str) -> Vocabulary:
    """A vocabulary of English words in another language: the same people, objects and places, in its sentences.

    A vocabulary of the user's own words is left alone.
    """
    if code == "en":
        return vocabulary
    known = [set(DYNA.persons), set(DYNA.objects), set(DYNA.places)]
    given = [set(vocabulary.persons), set(vocabulary.objects), set(vocabulary.places)]
    if vocabulary.templates != DYNA.templates or not all(one <= other for one, other in zip(given, known, strict=True)):
        return vocabulary
    words = language(code).vocabulary
    persons = list(words.persons.items())
    names = list(DYNA.persons)
    objects = tuple(words.objects[DYNA.objects.index(name)] for name in vocabulary.objects)
    places = tuple(words.places[DYNA.places.index(name)] for name in vocabulary.places)
    kept = (*objects, *places)
    return msgspec.structs.replace(
        words,
        persons=dict(persons[names.index(name)] for name in vocabulary.persons),
        objects=objects,
        places=places,
        forms={name: forms for name, forms in words.forms.items() if name in kept},
    )
