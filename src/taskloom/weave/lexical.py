"""Lexical relations and predicates as operators on answers, by tables in which each word has one meaning.

A dictionary that does not know which sense is meant loses three quarters of all answers (office → papel), so the words
are those of the families' own vocabularies, each in the sense in which their tasks use it.
"""

from __future__ import annotations

from functools import cache

from taskloom.weave.operators import word_operator

_PARTS = {"noun": "noun", "verb": "verb", "adjective": "adj", "adverb": "adv"}


@cache
def _tables() -> dict[str, dict[str, str]]:
    """English words to their Spanish partners, kinds and plurals; a word that the vocabularies disagree on has none."""
    from taskloom.families.babi.vocabulary import language
    from taskloom.families.superni.embedded.words import KINDS, NOUNS

    english, spanish = (language(code).vocabulary for code in ("en", "es"))
    pairs = [(noun.english, noun.spanish) for noun in NOUNS]
    for words in ("places", "objects"):
        pairs += zip(getattr(english, words), getattr(spanish, words), strict=True)
    partners: dict[str, set[str]] = {}
    for word, partner in pairs:
        partners.setdefault(word, set()).add(partner)
    return {
        "spanish": {word: found.pop() for word, found in partners.items() if len(found) == 1},
        "kind": {noun.english: noun.kind for noun in NOUNS if noun.kind in KINDS},
        "plural": {noun.english: noun.plural for noun in NOUNS} | {place: f"{place}s" for place in english.places},
    }


def _can_be(word: str, part: str) -> str | None:
    from taskloom.sources.lexicon import default_lexicon

    known = default_lexicon().pos(word) if word.isascii() and word.islower() else frozenset()
    return None if not known else "true" if _PARTS[part] in known else "false"


SPANISH, KIND, PLURAL = (word_operator(word, _tables()[word].get) for word in ("spanish", "kind", "plural"))
CAN_BE = word_operator("canbe", _can_be)
