"""Tasks on lists: pick, filter and rearrange items, find what two lists share, count things."""

from __future__ import annotations

from random import Random

from taskloom.author import Blueprint, task
from taskloom.families.superni.embedded.words import NAMES, WORDS, WORDS_ES, line, sample

__all__ = ["TASKS"]

_LISTS = "List Operations"
_OVERLAP = "Overlap Extraction"
_COUNT = "Counting"


def _repeats(rng: Random, pool: list[str]) -> str:
    words = sample(rng, pool, 4, 6)
    words += rng.choices(words, k=rng.randint(2, 4))
    rng.shuffle(words)
    return ", ".join(words)


def _numbers(rng: Random, count: int, high: int = 99) -> str:
    return ", ".join(str(rng.randint(1, high)) for _ in range(count))


def _ints(text: str) -> list[int]:
    return [int(number) for number in text.split(", ")]


def _asked(text: str) -> tuple[str, list[str]]:
    """The values after the colons of two lines: a parameter and a list."""
    head, body = (part.split(": ", 1)[1] for part in text.split("\n"))
    return head, body.split(", ")


def _without(rng: Random) -> str:
    words = rng.sample(WORDS, rng.randint(6, 8))
    taken = rng.sample(words, rng.randint(2, 4)) + rng.sample([word for word in WORDS if word not in words], 2)
    rng.shuffle(taken)
    return f"Remove: {', '.join(taken)}\nList: {', '.join(words)}"


def _difference(text: str) -> str:
    taken, words = _asked(text)
    return ", ".join(word for word in words if word not in taken.split(", "))


def _above(text: str) -> str:
    limit, numbers = _asked(text)
    return ", ".join(number for number in numbers if int(number) > int(limit)) or "none"


def _longest_input(rng: Random) -> str:
    while True:
        words = rng.sample(WORDS, rng.randint(5, 8))
        lengths = sorted(map(len, words))
        if lengths[-1] > lengths[-2]:
            return ", ".join(words)


_lists = [
    task(
        name="remove_duplicates",
        category=_LISTS,
        definition=(
            "A list of words is given, and some words stand in it more than once. Write the list with every word only "
            "once, in the place where it first appeared. Keep the commas."
        ),
        solve=lambda text: ", ".join(dict.fromkeys(text.split(", "))),
        right=[
            ("cat, dog, cat, bus", "The second 'cat' is dropped, the first one stays."),
            ("red, red, egg, lamp, egg", "Three different words are left, in the order of their first appearance."),
        ],
        wrong=[
            ("cat, dog, cat, bus", "dog, bus", "Words that are repeated must be kept once, not removed altogether.")
        ],
    )(lambda rng: _repeats(rng, WORDS)),
    task(
        name="even_positions",
        category=_LISTS,
        definition=(
            "Counting from one, keep only the items of the list that stand at even positions: the second, the fourth, "
            "the sixth and so on. Write them in their order with commas between them."
        ),
        solve=lambda text: ", ".join(text.split(", ")[1::2]),
        right=[
            ("cat, dog, bus, egg", "'dog' is the second item and 'egg' the fourth."),
            ("red, saw, boat, pear, lamp", "The fifth item is dropped because five is odd."),
        ],
        wrong=[("cat, dog, bus, egg", "cat, bus", "These stand at odd positions.")],
    )(lambda rng: ", ".join(sample(rng, WORDS, 5, 9))),
    task(
        name="list_difference",
        category=_LISTS,
        definition=(
            "The first line names words to remove, the second line gives a list. Write the list without the words to "
            "remove, keeping the order of the others. Words to remove that are not in the list do not matter."
        ),
        solve=_difference,
        right=[
            ("Remove: dog, sun\nList: cat, dog, bus, egg", "'dog' is removed, and 'sun' is not in the list anyway."),
            ("Remove: red, old\nList: old, lamp, red", "Only 'lamp' is left."),
        ],
        wrong=[
            ("Remove: dog, sun\nList: cat, dog, bus, egg", "dog", "The removed word was written instead of the others.")
        ],
    )(_without),
    task(
        name="numbers_above",
        category=_LISTS,
        definition=(
            "The first line gives a limit and the second a list of numbers. Write all numbers of the list that are "
            "larger than the limit, in their order, with commas between them. A number equal to the limit is not "
            "larger. If there is no such number, write none."
        ),
        solve=_above,
        right=[
            ("Limit: 40\nNumbers: 12, 77, 40, 41", "77 and 41 are larger than 40; 40 itself is not."),
            ("Limit: 90\nNumbers: 5, 62, 88", "No number exceeds 90."),
        ],
        wrong=[("Limit: 40\nNumbers: 12, 77, 40, 41", "77, 40, 41", "40 equals the limit and does not count.")],
    )(lambda rng: f"Limit: {rng.randint(20, 80)}\nNumbers: {_numbers(rng, rng.randint(5, 8))}"),
    task(
        name="sort_descending",
        category=_LISTS,
        definition=(
            "Sort the given numbers from the largest to the smallest. If a number occurs several times, write it as "
            "many times. Put a comma and a blank between the numbers."
        ),
        solve=lambda text: ", ".join(map(str, sorted(_ints(text), reverse=True))),
        right=[
            ("12, 77, 5", "77 is the largest and 5 the smallest."),
            ("8, 31, 8, 40", "8 occurs twice and is written twice."),
        ],
        wrong=[("12, 77, 5", "5, 12, 77", "The numbers ascend, but they must descend.")],
    )(lambda rng: _numbers(rng, rng.randint(5, 8))),
    task(
        name="longest_word",
        category=_LISTS,
        definition=(
            "Find the longest word of the list, the one with the most letters. There is always exactly one. Write that "
            "word and nothing else."
        ),
        solve=lambda text: max(text.split(", "), key=len),
        right=[
            ("cat, strange, bus", "'strange' has seven letters, the others three."),
            ("lamp, horse, egg, ambulance", "The last word has nine letters, more than any other."),
        ],
        wrong=[("cat, strange, bus", "cat", "'cat' has three letters only.")],
    )(_longest_input),
    task(
        name="quitar_repetidas",
        category=_LISTS,
        definition=(
            "En la lista hay palabras repetidas. Escribe la lista con cada palabra una sola vez, en el lugar donde "
            "aparece por primera vez. Conserva las comas."
        ),
        solve=lambda text: ", ".join(dict.fromkeys(text.split(", "))),
        right=[
            ("gato, perro, gato, tren", "El segundo 'gato' se quita y el primero se queda."),
            ("rojo, rojo, huevo", "Quedan dos palabras distintas."),
        ],
        wrong=[("gato, perro, gato, tren", "perro, tren", "Las palabras repetidas se conservan una vez.")],
        language="Spanish",
        instruction_language="Spanish",
    )(lambda rng: _repeats(rng, WORDS_ES)),
    task(
        name="numeros_pares",
        category=_LISTS,
        definition=(
            "De la lista dada, escribe solo los números pares, los que se pueden dividir entre dos sin resto. Mantén "
            "su orden y sepáralos con comas. Si no hay ninguno, escribe ninguno."
        ),
        solve=lambda text: ", ".join(str(number) for number in _ints(text) if number % 2 == 0) or "ninguno",
        right=[
            ("12, 7, 30, 5", "12 y 30 se dividen entre dos sin resto."),
            ("9, 41, 3", "Todos son impares."),
        ],
        wrong=[("12, 7, 30, 5", "7, 5", "Estos son los impares.")],
        language="Spanish",
        instruction_language="Spanish",
    )(lambda rng: _numbers(rng, rng.randint(5, 8))),
]


def _pair_of_lists(rng: Random, pool: list[str], heads: tuple[str, str], joint: str = ", ") -> str:
    words = rng.sample(pool, rng.randint(7, 10))
    shared = rng.randint(1, 3)
    cut = rng.randint(shared + 1, len(words) - 2)
    first, second = words[:cut], words[cut - shared :]
    rng.shuffle(first)
    rng.shuffle(second)
    return f"{heads[0]}: {joint.join(first)}\n{heads[1]}: {joint.join(second)}"


def _common(text: str, joint: str = ", ") -> str:
    first, second = (part.split(": ")[1].split(joint) for part in text.split("\n"))
    return joint.join(word for word in first if word in second)


def _prefixed(rng: Random) -> str:
    stem = "".join(rng.choice(letters) for letters in ("bcdfmpt", "aeiou", "lnrs", "aeiou"))[: rng.randint(2, 4)]
    ends = ["".join(rng.choices(letters, k=rng.randint(3, 5))) for letters in ("ghjkm", "pqstv")]
    return f"{stem}{ends[0]} {stem}{ends[1]}"


def _prefix(text: str) -> str:
    first, second = text.split()
    length = next(index for index, (a, b) in enumerate(zip(first, second, strict=False)) if a != b)
    return first[:length]


_overlaps = [
    task(
        name="common_items",
        category=_OVERLAP,
        definition=(
            "Two lists of words are given. Write the words that stand in both lists, in the order of the first list, "
            "with commas between them. There is always at least one."
        ),
        solve=_common,
        right=[
            (
                "First: cat, bus, egg\nSecond: egg, red, cat",
                "'cat' and 'egg' are in both; 'cat' comes first in the first list.",
            ),
            ("First: lamp, saw\nSecond: saw, pear, old", "Only 'saw' is shared."),
        ],
        wrong=[
            ("First: cat, bus, egg\nSecond: egg, red, cat", "egg, cat", "The order must be that of the first list.")
        ],
    )(lambda rng: _pair_of_lists(rng, WORDS, ("First", "Second"))),
    task(
        name="common_words",
        category=_OVERLAP,
        definition=(
            "Each of two lines holds words without commas. Extract the words that appear in both lines and write them "
            "with blanks between them, in the order in which they appear in the first line."
        ),
        solve=lambda text: _common(text, " "),
        right=[
            ("Line 1: big red boat\nLine 2: red taxi big", "'big' and 'red' are in both lines."),
            ("Line 1: new cake\nLine 2: old cake", "The only shared word is 'cake'."),
        ],
        wrong=[("Line 1: big red boat\nLine 2: red taxi big", "boat", "'boat' is in the first line only.")],
    )(lambda rng: _pair_of_lists(rng, WORDS, ("Line 1", "Line 2"), " ")),
    task(
        name="common_prefix",
        category=_OVERLAP,
        definition=(
            "Two made-up words are given. They begin with the same letters and then differ. Write the longest "
            "beginning that both words share."
        ),
        solve=_prefix,
        right=[
            ("banaghk banapt", "Both begin with 'bana', after which g and p differ."),
            ("meljk melqs", "The first three letters agree."),
        ],
        wrong=[("banaghk banapt", "ban", "The beginning they share is one letter longer.")],
    )(_prefixed),
    task(
        name="elementos_comunes",
        category=_OVERLAP,
        definition=(
            "Se dan dos listas de palabras. Escribe las palabras que están en las dos listas, en el orden de la "
            "primera, separadas por comas. Siempre hay al menos una."
        ),
        solve=_common,
        right=[
            ("Primera: gato, tren, huevo\nSegunda: huevo, gato", "'gato' y 'huevo' están en ambas listas."),
            ("Primera: mesa, oso\nSegunda: oso, pera", "Solo 'oso' se repite."),
        ],
        wrong=[("Primera: mesa, oso\nSegunda: oso, pera", "mesa", "'mesa' está solo en la primera lista.")],
        language="Spanish",
        instruction_language="Spanish",
    )(lambda rng: _pair_of_lists(rng, WORDS_ES, ("Primera", "Segunda"))),
]


def _count_of(rng: Random) -> str:
    words = sample(rng, WORDS, 4, 6)
    chosen = rng.choice(words)
    words += [chosen] * rng.randint(0, 4)
    rng.shuffle(words)
    return f"Word: {chosen}\nText: {' '.join(words)}"


def _names_between(rng: Random) -> str:
    parts = sample(rng, WORDS, 4, 6) + sample(rng, NAMES["f"] + NAMES["m"], 1, 5)
    rng.shuffle(parts)
    return " ".join(parts)


_counts = [
    task(
        name="count_vowels",
        category=_COUNT,
        definition=(
            "Count the vowels in the given line. Vowels are a, e, i, o and u, and each occurrence counts. Answer with "
            "the number in digits."
        ),
        solve=lambda text: str(sum(letter in "aeiou" for letter in text)),
        right=[("red boat", "e in 'red', o and a in 'boat'."), ("egg soup", "e in 'egg', o and u in 'soup'.")],
        wrong=[("red boat", "2", "'boat' alone has two vowels and 'red' adds one.")],
        kind="number",
    )(lambda rng: line(rng, 3, 6)),
    task(
        name="count_word",
        category=_COUNT,
        definition=(
            "The first line names a word and the second line is a text. Say how often the word occurs in the text as a "
            "whole word. Answer with a number in digits."
        ),
        solve=lambda text: str(text.split("Text: ")[1].split().count(text.split("\n")[0].removeprefix("Word: "))),
        right=[
            ("Word: cat\nText: cat dog cat bus", "The word stands at the first and the third place."),
            ("Word: red\nText: old red lamp", "It occurs a single time."),
        ],
        wrong=[("Word: cat\nText: cat dog cat bus", "4", "That is the number of all words.")],
        kind="number",
    )(_count_of),
    task(
        name="count_names",
        category=_COUNT,
        definition=(
            "In the given line some words begin with a capital letter: they are names of people. Count the names and "
            "answer with the number in digits."
        ),
        solve=lambda text: str(sum(word[0].isupper() for word in text.split())),
        right=[
            ("lamp Anna red Peter soup", "Anna and Peter are names."),
            ("Ruth bus old egg", "Only Ruth begins with a capital."),
        ],
        wrong=[("lamp Anna red Peter soup", "5", "Words without a capital were counted too.")],
        kind="number",
    )(_names_between),
    task(
        name="contar_vocales",
        category=_COUNT,
        definition=(
            "Cuenta las vocales de la línea dada. Son vocales a, e, i, o, u, con o sin tilde, y cada aparición cuenta. "
            "Responde con el número en cifras."
        ),
        solve=lambda text: str(sum(letter in "aeiouáéíóúü" for letter in text)),
        right=[
            ("tren rojo", "Una e en 'tren' y dos o en 'rojo'."),
            ("limón azul", "i y ó en 'limón', a y u en 'azul'."),
        ],
        wrong=[("limón azul", "3", "La ó con tilde también cuenta.")],
        kind="number",
        language="Spanish",
        instruction_language="Spanish",
    )(lambda rng: line(rng, 3, 6, spanish=True)),
]

TASKS: list[Blueprint] = [*_lists, *_overlaps, *_counts]
