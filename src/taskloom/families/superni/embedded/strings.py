"""Tasks on letters and words: change characters, format text, put words in order, match texts."""

from __future__ import annotations

import re
from collections.abc import Callable
from random import Random

from taskloom.author import Blueprint, task
from taskloom.families.superni.embedded.words import NAMES, WORDS, WORDS_ES, line, sample

__all__ = ["TASKS"]

_CHARACTERS = "Character Manipulation"
_FORMAT = "Text Formatting"
_ORDER = "Text Reordering"
_MATCH = "Text Matching"

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


_characters = [
    task(
        name="reverse_letters",
        category=_CHARACTERS,
        definition=(
            "You are given a few words in lower case. Write each word backwards, from its last letter to its first. "
            "The words themselves stay in the order in which they were given, with one blank between them."
        ),
        solve=lambda text: _each(text, lambda word: word[::-1]),
        right=[
            ("green table", "Each word is turned around on its own and 'green' still comes first."),
            ("old train soup", "Three words go in, three words come out, each of them backwards."),
        ],
        wrong=[
            ("green table", "elbat neerg", "The order of the words was turned around as well, but it must stay."),
            ("red car", "red rac", "The first word was left as it was."),
        ],
    )(lambda rng: line(rng, 3, 5)),
    task(
        name="remove_vowels",
        category=_CHARACTERS,
        definition=(
            "You are given a line of words in lower case. Remove every vowel, that is every a, e, i, o and u. "
            "All other letters and the blanks between the words stay where they are; y is not a vowel here."
        ),
        solve=lambda text: "".join(letter for letter in text if letter not in _VOWELS),
        right=[
            ("yellow boat", "The vowels e, o, o and a are gone; the y stays because it does not count as one."),
            ("big spider", "Only the consonants are left, in their old order."),
        ],
        wrong=[("yellow boat", "llw bt", "The y was removed although it is not a vowel here.")],
    )(lambda rng: line(rng, 4, 7)),
    task(
        name="double_letters",
        category=_CHARACTERS,
        definition=(
            "You are given some words in lower case. Write every letter twice, one right after the other, so that a "
            "word of four letters becomes a word of eight. A letter that is double already becomes four. Keep single "
            "blanks between words."
        ),
        solve=lambda text: _each(text, lambda word: "".join(letter * 2 for letter in word)),
        right=[
            ("cat hat", "Every one of the six letters appears twice in a row."),
            ("egg", "The two g of 'egg' become four."),
        ],
        wrong=[("cat hat", "catcat hathat", "The words were repeated, not the letters.")],
    )(lambda rng: line(rng, 3, 5)),
    task(
        name="replace_letter",
        category=_CHARACTERS,
        definition=(
            "The input has three lines: a text, a letter to replace, and a letter to put in its place. Write the text "
            "again with every occurrence of the first letter replaced by the second. Change nothing else."
        ),
        solve=_replace,
        right=[
            ("Text: apple pie\nReplace: p\nWith: b", "All three p became b."),
            ("Text: long saw\nReplace: o\nWith: z", "There is a single o, in 'long'."),
        ],
        wrong=[("Text: apple pie\nReplace: p\nWith: b", "abple pie", "Only one of the three p was replaced.")],
    )(_replace_input),
    task(
        name="shift_letters",
        category=_CHARACTERS,
        definition=(
            "Encode the given words with a simple cipher: each letter is replaced by the one that follows it in the "
            "English alphabet, so a becomes b and b becomes c. After z the alphabet starts again with a. Blanks stay "
            "blanks."
        ),
        solve=lambda text: "".join(_next_letter(letter) if letter.isalpha() else letter for letter in text),
        right=[
            ("bad zoo", "b, a, d become c, b, e, and the z of 'zoo' becomes a."),
            ("hat", "h becomes i, a becomes b, t becomes u."),
        ],
        wrong=[("hat", "gzs", "The letters were moved backwards instead of forwards.")],
    )(lambda rng: line(rng, 3, 5)),
    task(
        name="swap_end_letters",
        category=_CHARACTERS,
        definition=(
            "For each word of the input exchange its first and its last letter and leave the letters in between as "
            "they are. A word of one letter does not change. Write the words in their old order."
        ),
        solve=lambda text: _each(text, lambda word: word if len(word) == 1 else word[-1] + word[1:-1] + word[0]),
        right=[
            ("plane dog", "p and e change places in 'plane', d and g in 'dog'."),
            ("new bed chair", "In each of the three words the first and the last letter change places."),
        ],
        wrong=[("plane dog", "enalp god", "The whole words were reversed, not only their ends.")],
    )(lambda rng: line(rng, 3, 5)),
    task(
        name="quitar_vocales",
        category=_CHARACTERS,
        definition=(
            "Recibes varias palabras en minúsculas. Elimina todas las vocales, también las que llevan tilde o diéresis "
            "(á, é, í, ó, ú, ü). Las consonantes, la y, la ñ y los espacios se quedan como están."
        ),
        solve=lambda text: "".join(letter for letter in text if letter not in _VOWELS_ES),
        right=[
            ("camión rojo", "Desaparecen a, i, ó y las dos o de 'rojo'."),
            ("araña negra", "La ñ se queda porque no es una vocal."),
        ],
        wrong=[("camión rojo", "cmón rj", "La vocal con tilde también se elimina.")],
        language="Spanish",
        instruction_language="Spanish",
    )(lambda rng: line(rng, 4, 6, spanish=True)),
    task(
        name="invertir_letras",
        category=_CHARACTERS,
        definition=(
            "Escribe cada palabra al revés, de la última letra a la primera. El orden de las palabras no cambia y "
            "entre ellas queda un solo espacio. Las tildes acompañan a su letra."
        ),
        solve=lambda text: _each(text, lambda word: word[::-1]),
        right=[
            ("mesa azul", "Cada palabra se da la vuelta por separado y 'mesa' sigue siendo la primera."),
            ("limón nuevo", "La tilde se queda sobre la o."),
        ],
        wrong=[("mesa azul", "luza asem", "También se cambió el orden de las palabras.")],
        language="Spanish",
        instruction_language="Spanish",
    )(lambda rng: line(rng, 3, 5, spanish=True)),
]


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


_formats = [
    task(
        name="title_case",
        category=_FORMAT,
        definition=(
            "You are given a line of words in lower case. Write the same line with the first letter of every word as a "
            "capital. Do this for all words, short ones included, and change nothing else."
        ),
        solve=lambda text: _each(text, str.capitalize),
        right=[
            ("small red boat", "Each of the three words begins with a capital now."),
            ("new bus old taxi", "Short words get their capital like all others."),
        ],
        wrong=[("small red boat", "Small red boat", "Only the first word was given a capital.")],
    )(lambda rng: line(rng, 4, 7)),
    task(
        name="snake_case",
        category=_FORMAT,
        definition=(
            "Turn the given phrase into a name that programmers call snake case: all letters are written small and the "
            "blanks between the words are replaced by underscores. No blank may be left."
        ),
        solve=lambda text: text.lower().replace(" ", "_"),
        right=[
            ("Green TABLE lamp", "All letters are small and two underscores join the three words."),
            ("OLD Church Tower", "Capitals become small letters."),
        ],
        wrong=[
            (
                "Green TABLE lamp",
                "greenTableLamp",
                "That is camel case: words are joined by capitals, not by underscores.",
            ),
            ("OLD Church Tower", "OLD_Church_Tower", "The capitals were kept."),
        ],
    )(lambda rng: " ".join(rng.choice([word.capitalize(), word.upper(), word]) for word in sample(rng, WORDS, 3, 5))),
    task(
        name="split_camel_case",
        category=_FORMAT,
        definition=(
            "The input is a name in camel case: several words written together, each but the first beginning with a "
            "capital letter. Write the words apart, in small letters, with one blank between them."
        ),
        solve=lambda text: re.sub("([A-Z])", r" \1", text).lower(),
        right=[
            ("greenTableLamp", "The capitals T and L show where the second and the third word begin."),
            ("oldBus", "Two words, both in small letters now."),
        ],
        wrong=[("greenTableLamp", "green Table Lamp", "The words are apart but their capitals were kept.")],
    )(_camel),
    task(
        name="initials",
        category=_FORMAT,
        definition=(
            "The input is a list of full names with commas between them. Replace each name by its initials: the first "
            "letter of every part of the name, each followed by a full stop, without blanks. Keep the commas and the "
            "order of the names."
        ),
        solve=_initials,
        right=[
            ("Anna Clara Paul, Mark Simon", "A.C.P. has three parts and M.S. two, as the names do."),
            ("Peter Frank, Ruth Alice, Nina Helen Grace", "Every name gives one group of initials."),
        ],
        wrong=[("Anna Clara Paul, Mark Simon", "ACP, MS", "The full stops are missing.")],
    )(_full_names),
    task(
        name="list_to_phrase",
        category=_FORMAT,
        definition=(
            "You are given things separated by semicolons. Write them as they would stand in a sentence: commas "
            "between them, and the word 'and' before the last one without a comma in front of it. Keep the order."
        ),
        solve=lambda text: _sentence(text, "and"),
        right=[
            ("dog; cat; horse", "One comma, and 'and' before the last animal."),
            ("lamp; desk; bed; sofa", "All but the last two are separated by commas."),
        ],
        wrong=[("dog; cat; horse", "dog, cat, and horse", "There is a comma before 'and', which the task forbids.")],
    )(lambda rng: "; ".join(sample(rng, WORDS, 3, 6))),
    task(
        name="lista_en_frase",
        category=_FORMAT,
        definition=(
            "Recibes varias cosas separadas por punto y coma. Escríbelas como en una frase: con comas entre ellas y "
            "con la palabra 'y' antes de la última, sin coma delante. No cambies el orden."
        ),
        solve=lambda text: _sentence(text, "y"),
        right=[
            ("perro; gato; caballo", "Una coma, y la palabra 'y' delante del último animal."),
            ("mesa; silla; cama; mono", "Solo las dos últimas palabras se unen con 'y'."),
        ],
        wrong=[("perro; gato; caballo", "perro y gato y caballo", "Entre las primeras palabras va una coma.")],
        language="Spanish",
        instruction_language="Spanish",
    )(lambda rng: "; ".join(sample(rng, [word for word in WORDS_ES if word[0] not in "ih"], 3, 6))),
]


def _interleave(text: str) -> str:
    first, second = (part.split(": ")[1].split() for part in text.split("\n"))
    return " ".join(word for pair in zip(first, second, strict=True) for word in pair)


def _two_lines(rng: Random) -> str:
    words = rng.sample(WORDS, 2 * rng.randint(3, 4))
    half = len(words) // 2
    return f"First: {' '.join(words[:half])}\nSecond: {' '.join(words[half:])}"


_PLAIN_ES = [word for word in WORDS_ES if word.isascii()]

_orders = [
    task(
        name="reverse_words",
        category=_ORDER,
        definition=(
            "Write the words of the input in reverse order, so that the last word comes first and the first word comes "
            "last. The letters inside each word stay in their places."
        ),
        solve=lambda text: " ".join(text.split()[::-1]),
        right=[
            ("black horse old bridge", "'bridge' stood last and now stands first; no word was changed inside."),
            ("lamp chair sofa", "The middle word stays in the middle."),
        ],
        wrong=[("lamp chair sofa", "pmal riahc afos", "The letters were reversed instead of the words.")],
    )(lambda rng: line(rng, 5, 8)),
    task(
        name="sort_words",
        category=_ORDER,
        definition=(
            "Put the given words in alphabetical order, as a dictionary would list them. Where two words begin with "
            "the same letter, the next letter that differs decides. Write them with one blank between them."
        ),
        solve=lambda text: " ".join(sorted(text.split())),
        right=[
            ("table apple horse", "a comes before h, and h before t."),
            ("boot boat bear", "All begin with b; 'bear' has e, then 'boat' comes before 'boot' because a precedes o."),
        ],
        wrong=[("table apple horse", "table horse apple", "The words are in the opposite order.")],
    )(lambda rng: line(rng, 5, 8)),
    task(
        name="sort_by_length",
        category=_ORDER,
        definition=(
            "Order the given words by the number of their letters, the shortest first. Words of equal length keep the "
            "order in which they were given. Write the words with one blank between them."
        ),
        solve=lambda text: " ".join(sorted(text.split(), key=len)),
        right=[
            ("strange cat table", "'cat' has 3 letters, 'table' 5 and 'strange' 7."),
            (
                "house saw chair bed",
                "'saw' and 'bed' have 3 letters and keep their order, then 'house' before 'chair'.",
            ),
        ],
        wrong=[("strange cat table", "cat strange table", "'strange' is longer than 'table' and must come last.")],
    )(lambda rng: line(rng, 5, 8)),
    task(
        name="interleave_lines",
        category=_ORDER,
        definition=(
            "The input has two lines with equally many words. Weave them into one line: the first word of the first "
            "line, the first word of the second, then the second word of each, and so on until all words are used."
        ),
        solve=_interleave,
        right=[
            ("First: dog cat\nSecond: red blue", "The lines take turns: dog, red, cat, blue."),
            ("First: egg cake soup\nSecond: bus car taxi", "Each food is followed by the vehicle in the same place."),
        ],
        wrong=[("First: dog cat\nSecond: red blue", "dog cat red blue", "The lines were joined, not woven.")],
    )(_two_lines),
    task(
        name="ordenar_palabras",
        category=_ORDER,
        definition=(
            "Ordena alfabéticamente las palabras dadas, como en un diccionario. Si dos palabras empiezan por la misma "
            "letra, decide la siguiente letra distinta. Escríbelas separadas por un espacio."
        ),
        solve=lambda text: " ".join(sorted(text.split())),
        right=[
            ("mesa barco tren", "La b va antes que la m, y la m antes que la t."),
            ("casa cama cara", "Empiezan por 'ca'; después m va antes que r, y r antes que s."),
        ],
        wrong=[("mesa barco tren", "tren mesa barco", "Es el orden contrario.")],
        language="Spanish",
        instruction_language="Spanish",
    )(lambda rng: " ".join(sample(rng, _PLAIN_ES, 5, 8))),
    task(
        name="invertir_orden",
        category=_ORDER,
        definition=(
            "Escribe las palabras en orden inverso: la última pasa a ser la primera y la primera, la última. Las "
            "letras de cada palabra no cambian de lugar."
        ),
        solve=lambda text: " ".join(text.split()[::-1]),
        right=[
            ("perro negro casa vieja", "'vieja' era la última palabra y ahora es la primera."),
            ("queso sopa huevo", "La palabra del medio se queda en el medio."),
        ],
        wrong=[("queso sopa huevo", "oseuq apos oveuh", "Se invirtieron las letras y no las palabras.")],
        language="Spanish",
        instruction_language="Spanish",
    )(lambda rng: line(rng, 5, 8, spanish=True)),
]


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


_YES_NO = ("yes", "no")

_matches = [
    task(
        name="anagram_check",
        category=_MATCH,
        definition=(
            "Two lines of words are given. Say whether every word of the second line is an anagram of the word in the "
            "same place of the first line, that is, whether it has exactly the same letters in any order. Answer yes "
            "or no."
        ),
        solve=lambda text: _anagrams(text, "yes"),
        right=[
            ("First: dog lamp\nSecond: gdo palm", "Both words have the same letters in another order."),
            ("First: cat bus\nSecond: tac bud", "'bud' has a d where 'bus' has an s."),
        ],
        wrong=[("First: dog lamp\nSecond: gdo palm", "no", "No letter is missing or new in either word.")],
        labels=_YES_NO,
    )(lambda rng: _scrambled(rng, WORDS, ("First", "Second"))),
    task(
        name="palindrome_check",
        category=_MATCH,
        definition=(
            "A string of small letters is given. It is a palindrome if it reads the same from the left and from the "
            "right. Answer yes if it is a palindrome and no if it is not."
        ),
        solve=lambda text: "yes" if text == text[::-1] else "no",
        right=[
            ("abdeedba", "From both ends one reads a, b, d, e."),
            ("nolan", "The first and the last letter agree, but the second is o and the last but one is a."),
        ],
        wrong=[("nolan", "yes", "Equal ends are not enough, the inner letters differ.")],
        labels=_YES_NO,
    )(_palindromes),
    task(
        name="same_words_check",
        category=_MATCH,
        definition=(
            "Compare two lines of words. Answer yes if both lines hold exactly the same words, in whatever order, and "
            "no if any word stands in only one of them."
        ),
        solve=lambda text: "yes" if sorted(_two_words(text)[0]) == sorted(_two_words(text)[1]) else "no",
        right=[
            ("First: red bus old\nSecond: old red bus", "The same three words in another order."),
            ("First: red bus old\nSecond: old red car", "'bus' stands only in the first line."),
        ],
        wrong=[("First: red bus old\nSecond: old red bus", "no", "Order does not count.")],
        labels=_YES_NO,
    )(_same_words),
    task(
        name="es_anagrama",
        category=_MATCH,
        definition=(
            "Se dan dos líneas de palabras. Di si cada palabra de la segunda línea es un anagrama de la que ocupa el "
            "mismo lugar en la primera, es decir, si tiene exactamente las mismas letras en cualquier orden. Responde "
            "sí o no."
        ),
        solve=lambda text: _anagrams(text, "sí"),
        right=[
            ("Primera: mesa gato\nSegunda: sema toga", "Las dos palabras tienen las mismas letras."),
            ("Primera: pera tren\nSegunda: repa tres", "'tres' tiene una s que no está en 'tren'."),
        ],
        wrong=[("Primera: pera tren\nSegunda: repa tres", "sí", "La segunda palabra no tiene las mismas letras.")],
        labels=("sí", "no"),
        language="Spanish",
        instruction_language="Spanish",
    )(lambda rng: _scrambled(rng, WORDS_ES, ("Primera", "Segunda"))),
]

TASKS: list[Blueprint] = [*_characters, *_formats, *_orders, *_matches]
