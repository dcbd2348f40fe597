"""Base forms of inflected English words, by WordNet's own rules of detachment.

An inflected form may be a word of its own as well: "made" is an adjective and a form of "make". So every
reading counts, and each must be a word that WordNet has with that part of speech.
"""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence

_ENDINGS: dict[str, tuple[tuple[str, str], ...]] = {
    "n": (
        ("s", ""),
        ("ses", "s"),
        ("ves", "f"),
        ("xes", "x"),
        ("zes", "z"),
        ("ches", "ch"),
        ("shes", "sh"),
        ("men", "man"),
        ("ies", "y"),
    ),
    "v": (("s", ""), ("ies", "y"), ("es", "e"), ("es", ""), ("ed", "e"), ("ed", ""), ("ing", "e"), ("ing", "")),
    "a": (("er", ""), ("est", ""), ("er", "e"), ("est", "e")),
    "r": (),
}


def base_forms(word: str, letter: str, known: Container[str], exceptions: Mapping[str, Sequence[str]]) -> list[str]:
    """The words of one part of speech that a form can stand for, itself first.

    Args:
        word: The form, in lower case.
        letter: n, v, a or r.
        known: The words WordNet has with that part of speech.
        exceptions: Irregular forms with their bases, from the `.exc` file of that part of speech.
    """
    forms = exceptions[word] if word in exceptions else _detached(word, letter)
    return [form for form in dict.fromkeys([word, *forms]) if form in known]


def _detached(word: str, letter: str) -> list[str]:
    return [word[: len(word) - len(end)] + stem for end, stem in _ENDINGS[letter] if word.endswith(end)]
