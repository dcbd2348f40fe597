"""Tasks on lists: pick, filter and rearrange items, find what two lists share, count things."""

from __future__ import annotations

from random import Random

from taskloom.families.superni.embedded.suite import TaskCode
from taskloom.families.superni.embedded.words import PEOPLE, WORDS, WORDS_ES, line, sample


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
    used = set(words)
    taken = rng.sample(words, rng.randint(2, 4)) + rng.sample([word for word in WORDS if word not in used], 2)
    rng.shuffle(taken)
    return f"Remove: {', '.join(taken)}\nList: {', '.join(words)}"


def _difference(text: str) -> str:
    head, words = _asked(text)
    taken = head.split(", ")
    return ", ".join(word for word in words if word not in taken)


def _above(text: str) -> str:
    limit, numbers = _asked(text)
    return ", ".join(number for number in numbers if int(number) > int(limit)) or "none"


def _longest_input(rng: Random) -> str:
    while True:
        words = rng.sample(WORDS, rng.randint(5, 8))
        lengths = sorted(map(len, words))
        if lengths[-1] > lengths[-2]:
            return ", ".join(words)


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


def _count_of(rng: Random) -> str:
    words = sample(rng, WORDS, 4, 6)
    chosen = rng.choice(words)
    words += [chosen] * rng.randint(0, 4)
    rng.shuffle(words)
    return f"Word: {chosen}\nText: {' '.join(words)}"


def _names_between(rng: Random) -> str:
    parts = sample(rng, WORDS, 4, 6) + sample(rng, PEOPLE, 1, 5)
    rng.shuffle(parts)
    return " ".join(parts)


TASKS: dict[str, TaskCode] = {
    "remove_duplicates": (lambda rng: _repeats(rng, WORDS), lambda text: ", ".join(dict.fromkeys(text.split(", ")))),
    "even_positions": (lambda rng: ", ".join(sample(rng, WORDS, 5, 9)), lambda text: ", ".join(text.split(", ")[1::2])),
    "list_difference": (_without, _difference),
    "numbers_above": (lambda rng: f"Limit: {rng.randint(20, 80)}\nNumbers: {_numbers(rng, rng.randint(5, 8))}", _above),
    "sort_descending": (
        lambda rng: _numbers(rng, rng.randint(5, 8)),
        lambda text: ", ".join(map(str, sorted(_ints(text), reverse=True))),
    ),
    "longest_word": (_longest_input, lambda text: max(text.split(", "), key=len)),
    "quitar_repetidas": (lambda rng: _repeats(rng, WORDS_ES), lambda text: ", ".join(dict.fromkeys(text.split(", ")))),
    "numeros_pares": (
        lambda rng: _numbers(rng, rng.randint(5, 8)),
        lambda text: ", ".join(str(number) for number in _ints(text) if number % 2 == 0) or "ninguno",
    ),
    "common_items": (lambda rng: _pair_of_lists(rng, WORDS, ("First", "Second")), _common),
    "common_words": (
        lambda rng: _pair_of_lists(rng, WORDS, ("Line 1", "Line 2"), " "),
        lambda text: _common(text, " "),
    ),
    "common_prefix": (_prefixed, _prefix),
    "elementos_comunes": (lambda rng: _pair_of_lists(rng, WORDS_ES, ("Primera", "Segunda")), _common),
    "count_vowels": (lambda rng: line(rng, 3, 6), lambda text: str(sum(letter in "aeiou" for letter in text))),
    "count_word": (
        _count_of,
        lambda text: str(text.split("Text: ")[1].split().count(text.split("\n")[0].removeprefix("Word: "))),
    ),
    "count_names": (_names_between, lambda text: str(sum(word[0].isupper() for word in text.split()))),
    "contar_vocales": (
        lambda rng: line(rng, 3, 6, spanish=True),
        lambda text: str(sum(letter in "aeiouáéíóúü" for letter in text)),
    ),
}
