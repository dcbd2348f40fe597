"""Tasks on letters and words: change characters, format text, put words in order, match texts."""

from __future__ import annotations

import re
from random import Random

from taskloom.families.superni.embedded.suite import TaskCode
from taskloom.families.superni.embedded.words import PEOPLE, WORDS, WORDS_ES, decided, drawn_line, each, line, sample

_VOWELS = "aeiou"
_VOWELS_ES = "aeiouáéíóúü"


def _replace_input(rng: Random) -> str:
    words = line(rng, 3, 5)
    old = rng.choice(sorted(set(words) - {" "}))
    return f"Text: {words}\nReplace: {old}\nWith: {rng.choice([letter for letter in 'bdkmtz' if letter != old])}"


def _replace(text: str) -> str:
    words, old, new = (part.split(": ", 1)[1] for part in text.split("\n"))
    return words.replace(old, new)


def _next_letter(found: re.Match[str]) -> str:
    return "a" if found[0] == "z" else chr(ord(found[0]) + 1)


def _camel(rng: Random) -> str:
    first, *rest = sample(rng, WORDS, 3, 5)
    return first + "".join(word.capitalize() for word in rest)


def _full_names(rng: Random) -> str:
    return ", ".join(" ".join(rng.sample(PEOPLE, rng.choice([2, 3]))) for _ in range(3))


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
_AFTER_Y = [word for word in WORDS_ES if word[0] not in "ih"]


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


def _anagrams(text: str) -> bool:
    return all(sorted(first) == sorted(second) for first, second in zip(*_two_words(text), strict=True))


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
        used = set(words)
        other[rng.randrange(len(other))] = rng.choice([word for word in WORDS if word not in used])
    return f"First: {' '.join(words)}\nSecond: {' '.join(other)}"


def _has_same_words(text: str) -> bool:
    first, second = map(sorted, _two_words(text))
    return first == second


TASKS: dict[str, TaskCode] = {
    "reverse_letters": (drawn_line(3, 5), each(lambda word: word[::-1])),
    "remove_vowels": (drawn_line(4, 7), lambda text: re.sub(f"[{_VOWELS}]", "", text)),
    "double_letters": (drawn_line(3, 5), each(lambda word: "".join(letter * 2 for letter in word))),
    "replace_letter": (_replace_input, _replace),
    "shift_letters": (drawn_line(3, 5), lambda text: re.sub(r"[^\W\d_]", _next_letter, text)),
    "swap_end_letters": (
        drawn_line(3, 5),
        each(lambda word: word if len(word) == 1 else word[-1] + word[1:-1] + word[0]),
    ),
    "quitar_vocales": (drawn_line(4, 6, spanish=True), lambda text: re.sub(f"[{_VOWELS_ES}]", "", text)),
    "invertir_letras": (drawn_line(3, 5, spanish=True), each(lambda word: word[::-1])),
    "title_case": (drawn_line(4, 7), each(str.capitalize)),
    "snake_case": (
        lambda rng: " ".join(rng.choice([word.capitalize(), word.upper(), word]) for word in sample(rng, WORDS, 3, 5)),
        lambda text: text.lower().replace(" ", "_"),
    ),
    "split_camel_case": (_camel, lambda text: re.sub("([A-Z])", r" \1", text).lower()),
    "initials": (_full_names, each(lambda name: "".join(f"{part[0]}." for part in name.split()), ", ")),
    "list_to_phrase": (lambda rng: "; ".join(sample(rng, WORDS, 3, 6)), lambda text: _sentence(text, "and")),
    "lista_en_frase": (
        lambda rng: "; ".join(sample(rng, _AFTER_Y, 3, 6)),
        lambda text: _sentence(text, "y"),
    ),
    "reverse_words": (drawn_line(5, 8), lambda text: " ".join(text.split()[::-1])),
    "sort_words": (drawn_line(5, 8), lambda text: " ".join(sorted(text.split()))),
    "sort_by_length": (drawn_line(5, 8), lambda text: " ".join(sorted(text.split(), key=len))),
    "interleave_lines": (_two_lines, _interleave),
    "ordenar_palabras": (
        lambda rng: " ".join(sample(rng, _PLAIN_ES, 5, 8)),
        lambda text: " ".join(sorted(text.split())),
    ),
    "invertir_orden": (drawn_line(5, 8, spanish=True), lambda text: " ".join(text.split()[::-1])),
    "anagram_check": (lambda rng: _scrambled(rng, WORDS, ("First", "Second")), decided(_anagrams)),
    "palindrome_check": (_palindromes, decided(lambda text: text == text[::-1])),
    "same_words_check": (_same_words, decided(_has_same_words)),
    "es_anagrama": (lambda rng: _scrambled(rng, WORDS_ES, ("Primera", "Segunda")), decided(_anagrams, "sí")),
}
