"""Languages as data: each file holds the words, forms, sentences and instructions of one language.

A story is the same in every language: one seed gives parallel stories, sentence by sentence, so that transfer between
languages can be measured. English is the vocabulary's default; the other languages stand in TOML files beside this one.
"""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files

import msgspec

from taskloom.core import UserError, unknown_name
from taskloom.families.babi.concepts import Concepts
from taskloom.families.babi.vocabulary import DYNA, Vocabulary

__all__ = ["LANGUAGES", "Instructions", "Language", "language", "words_in"]

LANGUAGES = ("de", "en", "es")
"""The languages there are, by their codes."""


class Conventions(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How stories are read, a sentence for each thing that a task's stories may hold."""

    replaces: str
    presupposes: str
    holds: str
    gives: str
    refers: str

    def needed(self, concepts: Concepts, question: str) -> list[str]:
        """What a reader of stories with these concepts must know for a question; of moves alone nothing is in doubt."""
        asked = question not in ("give", "list", "counting")
        stated = asked and (concepts.has("negate") or concepts.has("indef"))
        handled = asked and concepts.has("grab")
        needs = {
            self.replaces: stated,
            self.presupposes: stated and handled,
            self.holds: handled,
            self.gives: handled and concepts.has("give"),
            self.refers: concepts.has("coref") or concepts.has("compound"),
        }
        return [text for text, needed in needs.items() if needed]


class Instructions(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename="kebab"):
    """What a task says: the conventions, the definition of each question type, and explanations of examples."""

    conventions: Conventions
    where_person: str
    where_object: str
    where_was_object: str
    yes_no: str
    maybe: str
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


def words_in(vocabulary: Vocabulary, code: str, base: Vocabulary = DYNA) -> Vocabulary:
    """A vocabulary of English words in another language: the same people, objects and places, in its sentences.

    A vocabulary with sentences of the user's own is left alone: it is in that language already.

    Args:
        vocabulary: The vocabulary.
        code: The language.
        base: The English vocabulary that it may be a part of.

    Raises:
        UserError: It has words that the language has no partner for, and no sentences of its own.
    """
    if code == "en" or vocabulary.templates != DYNA.templates:
        return vocabulary
    for key in ("persons", "objects", "places"):
        known, given = getattr(base, key), getattr(vocabulary, key)
        if key == "persons":
            known, given = known.items(), given.items()
        for name in given:
            if name not in known:
                raise _no_partner(f"{key} holds {(name[0] if key == 'persons' else name)!r}", code)
    for key in vocabulary.__struct_fields__:
        if key not in ("persons", "objects", "places", "forms") and getattr(vocabulary, key) != getattr(base, key):
            raise _no_partner(f"{key} is not the English one", code)
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


def _no_partner(what: str, code: str) -> UserError:
    return UserError(
        f"{what}, which has no partner in language {code!r}",
        where="vocabulary",
        hint="leave language out, or give the whole vocabulary in that language, templates included",
    )
