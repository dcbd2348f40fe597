"""Tasks on letters and words: change characters, format text, put words in order, match texts."""

from __future__ import annotations

import re
from collections.abc import Callable
from random import Random

from taskloom.families.superni.embedded.records import TaskCode
from taskloom.families.superni.embedded.words import NAMES, WORDS, WORDS_ES, line, sample

_VOWELS = "aeiou"
_VOWELS_ES = "aeiouáéíóúü"


def _each(text: str, change: Callable[[str], str]) -> str:
    return " ".join(change(word) for word in text.split())


def _replace_input(rng: Random) -> str:
    words = line(rng, 3, 5)
    old = rng.choice(sorted(set(words) - {" "}))
    return f"Text: {words}\nReplace: {old}\nWith: {rng.choice([letter for letter in 'bdkmtz' if letter != old])}"


def _replace(text: str) -> str:
    words, old, new = (part.split(": ", 1)[1] for part in text.split("\n"))
    return words.replace(old, new)


def _next_letter(letter: str) -> str:
    return "a" if letter == "z" else chr(ord(letter) + 1)


def _camel(rng: Random) -> str:
    first, *rest = sample(rng, WORDS, 3, 5)
    return first + "".join(word.capitalize() for word in rest)


def _full_names(rng: Random) -> str:
    return ", ".join(" ".join(rng.sample(NAMES["f"] + NAMES["m"], rng.choice([2, 3]))) for _ in range(3))


def _initials(text: str) -> str:
    return ", ".join("".join(f"{part[0]}." for part in name.split()) for name in text.split(", "))


def _sentence(text: str, joint: str) -> str:
    *most, last = text.split("; ")
    return f"{', '.join(most)} {joint} {last}"


def _interleave(text: str) -> str:
    first, second = (part.split(": ")[1].split() for part in text.split("\n"))
    return " ".join(word for pair in zip(first, second, strict=True) for word in pair)


def _two_lines(rng: Random) -> str:
    words = rng.sample(WORDS, 2 * rng.randint(3, 4))
    half = len(words) // 2
    return f"First: {' '.join(words[:half])}\nSecond: {' '.join(words[half:])}"


_PLAIN_ES = [word for word in WORDS_ES if word.isascii()]


def _two_words(text: str) -> list[list[str]]:
    return [part.split(": ")[1].split() for part in text.split("\n")]


def _scrambled(rng: Random, pool: list[str], heads: tuple[str, str]) -> str:
    words = rng.sample(pool, 3)
    letters = [list(word) for word in words]
    for shuffled in letters:
        rng.shuffle(shuffled)
    if rng.random() < 0.5:
        changed = rng.choice(letters)
        changed[rng.randrange(len(changed))] = rng.choice([letter for letter in "bdmpstr" if letter not in changed])
    return f"{heads[0]}: {' '.join(words)}\n{heads[1]}: {' '.join(map(''.join, letters))}"


def _anagrams(text: str, yes: str) -> str:
    first, second = _two_words(text)
    return yes if all(sorted(a) == sorted(b) for a, b in zip(first, second, strict=True)) else "no"


def _palindromes(rng: Random) -> str:
    half = "".join(rng.choices("abdeilmnorst", k=rng.randint(5, 7)))
    text = half + rng.choice([half[::-1], half[-2::-1]])
    if rng.random() < 0.5:
        place = rng.randrange(len(text) // 2)
        text = text[:place] + rng.choice([letter for letter in "ckpv" if letter != text[place]]) + text[place + 1 :]
    return text


def _same_words(rng: Random) -> str:
    words = rng.sample(WORDS, rng.randint(4, 6))
    other = rng.sample(words, len(words))
    if rng.random() < 0.5:
        other[rng.randrange(len(other))] = rng.choice([word for word in WORDS if word not in words])
    return f"First: {' '.join(words)}\nSecond: {' '.join(other)}"


TASKS: dict[str, TaskCode] = {
    "reverse_letters": (lambda rng: line(rng, 3, 5), lambda text: _each(text, lambda word: word[::-1])),
    "remove_vowels": (
        lambda rng: line(rng, 4, 7),
        lambda text: "".join(letter for letter in text if letter not in _VOWELS),
    ),
    "double_letters": (
        lambda rng: line(rng, 3, 5),
        lambda text: _each(text, lambda word: "".join(letter * 2 for letter in word)),
    ),
    "replace_letter": (_replace_input, _replace),
    "shift_letters": (
        lambda rng: line(rng, 3, 5),
        lambda text: "".join(_next_letter(letter) if letter.isalpha() else letter for letter in text),
    ),
    "swap_end_letters": (
        lambda rng: line(rng, 3, 5),
        lambda text: _each(text, lambda word: word if len(word) == 1 else word[-1] + word[1:-1] + word[0]),
    ),
    "quitar_vocales": (
        lambda rng: line(rng, 4, 6, spanish=True),
        lambda text: "".join(letter for letter in text if letter not in _VOWELS_ES),
    ),
    "invertir_letras": (lambda rng: line(rng, 3, 5, spanish=True), lambda text: _each(text, lambda word: word[::-1])),
    "title_case": (lambda rng: line(rng, 4, 7), lambda text: _each(text, str.capitalize)),
    "snake_case": (
        lambda rng: " ".join(rng.choice([word.capitalize(), word.upper(), word]) for word in sample(rng, WORDS, 3, 5)),
        lambda text: text.lower().replace(" ", "_"),
    ),
    "split_camel_case": (_camel, lambda text: re.sub("([A-Z])", r" \1", text).lower()),
    "initials": (_full_names, _initials),
    "list_to_phrase": (lambda rng: "; ".join(sample(rng, WORDS, 3, 6)), lambda text: _sentence(text, "and")),
    "lista_en_frase": (
        lambda rng: "; ".join(sample(rng, [word for word in WORDS_ES if word[0] not in "ih"], 3, 6)),
        lambda text: _sentence(text, "y"),
    ),
    "reverse_words": (lambda rng: line(rng, 5, 8), lambda text: " ".join(text.split()[::-1])),
    "sort_words": (lambda rng: line(rng, 5, 8), lambda text: " ".join(sorted(text.split()))),
    "sort_by_length": (lambda rng: line(rng, 5, 8), lambda text: " ".join(sorted(text.split(), key=len))),
    "interleave_lines": (_two_lines, _interleave),
    "ordenar_palabras": (
        lambda rng: " ".join(sample(rng, _PLAIN_ES, 5, 8)),
        lambda text: " ".join(sorted(text.split())),
    ),
    "invertir_orden": (lambda rng: line(rng, 5, 8, spanish=True), lambda text: " ".join(text.split()[::-1])),
    "anagram_check": (lambda rng: _scrambled(rng, WORDS, ("First", "Second")), lambda text: _anagrams(text, "yes")),
    "palindrome_check": (_palindromes, lambda text: "yes" if text == text[::-1] else "no"),
    "same_words_check": (
        _same_words,
        lambda text: "yes" if sorted(_two_words(text)[0]) == sorted(_two_words(text)[1]) else "no",
    ),
    "es_anagrama": (lambda rng: _scrambled(rng, WORDS_ES, ("Primera", "Segunda")), lambda text: _anagrams(text, "sí")),
}
