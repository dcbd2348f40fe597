"""Tasks on numbers: arithmetic, ways of writing numbers, comparisons, sequences."""

from __future__ import annotations

import re
from random import Random

from taskloom.families.superni.embedded.suite import TaskCode
from taskloom.families.superni.embedded.words import NOUNS, PEOPLE, PEOPLE_ES, decided, each, english, roman, spanish

_PRICED = [noun for noun in NOUNS if noun.kind in ("fruit", "clothing", "tool", "food")]


def _ints(text: str) -> list[int]:
    return [int(number) for number in re.findall(r"\d+", text)]


def _join(rng: Random, count: int, low: int, high: int) -> str:
    return ", ".join(str(rng.randint(low, high)) for _ in range(count))


def _spread(text: str) -> str:
    return str(max(_ints(text)) - min(_ints(text)))


def _remainder(text: str) -> str:
    number, divisor = _ints(text)
    return str(number % divisor)


def _average_input(rng: Random) -> str:
    numbers = [rng.randint(1, 99) for _ in range(rng.choice([3, 4, 5]))]
    numbers[-1] += -sum(numbers) % len(numbers)
    return ", ".join(map(str, numbers))


def _average(text: str) -> str:
    numbers = _ints(text)
    return str(sum(numbers) // len(numbers))


def _shopping(rng: Random) -> str:
    first, second = rng.sample(_PRICED, 2)
    name = rng.choice(PEOPLE)
    counts = rng.randint(2, 9), rng.randint(2, 9)
    prices = rng.randint(2, 30), rng.randint(2, 30)
    return (
        f"{name} buys {counts[0]} {first.plural} at {prices[0]} euros each "
        f"and {counts[1]} {second.plural} at {prices[1]} euros each. How many euros does {name} pay?"
    )


def _shopping_es(rng: Random) -> str:
    noun = rng.choice([noun for noun in _PRICED if noun.spanish[-1] in "ao"])
    name = rng.choice(PEOPLE_ES)
    count, price = rng.randint(2, 30), rng.randint(2, 40)
    paid = count * price + rng.randint(1, 99)
    bought = f"{count} {noun.spanish}s a {price} euros cada unidad"
    return f"{name} compra {bought} y paga con {paid} euros. ¿Cuánto le devuelven?"


def _bill(text: str) -> str:
    count, price, other, cost = _ints(text)
    return str(count * price + other * cost)


def _change(text: str) -> str:
    count, price, paid = _ints(text)
    return str(paid - count * price)


def _spoken(rng: Random) -> int:
    """Numbers of all sizes below a million."""
    return rng.randint(10 ** rng.randint(2, 5), 999_999)


def _three(rng: Random) -> list[int]:
    return [rng.randint(1, 3999) for _ in range(3)]


_FROM_ENGLISH = {english(number): number for number in range(1000)}


def _from_english(text: str) -> str:
    head, thousand, rest = text.rpartition(" thousand")
    number = _FROM_ENGLISH[head] * 1000 if thousand else 0
    return str(number + (_FROM_ENGLISH[rest.strip()] if rest.strip() else 0))


_FROM_ROMAN = {roman(number): number for number in range(1, 4000)}
_FROM_SPANISH = {spanish(number): number for number in range(10_000)}


def _is_prime(number: int) -> bool:
    return number > 1 and all(number % divisor for divisor in range(2, int(number**0.5) + 1))


def _divisible_input(rng: Random) -> str:
    divisor = rng.randint(3, 12)
    number = divisor * rng.randint(50, 9000) + rng.choice([0, rng.randint(1, divisor - 1)])
    return f"Number: {number}\nDivisor: {divisor}"


def _sums(rng: Random) -> str:
    first = [rng.randint(10, 200) for _ in range(2)]
    total = sum(first) + rng.choice([0, rng.randint(-20, -1), rng.randint(1, 20)])
    part = rng.randint(1, total - 1)
    return f"{first[0]} + {first[1]} ? {part} + {total - part}"


def _compare(text: str, words: tuple[str, str, str]) -> str:
    a, b, c, d = _ints(text)
    return words[0] if a + b > c + d else words[1] if a + b < c + d else words[2]


def _primes_input(rng: Random) -> str:
    return ", ".join(map(str, rng.sample(range(2, 100), 6)))


def _arithmetic(rng: Random) -> str:
    start, step = rng.randint(1, 5000), rng.choice([-1, 1]) * rng.randint(2, 120)
    start += 500 if step < 0 else 0
    return ", ".join(str(start + step * index) for index in range(5))


def _doubling(rng: Random) -> str:
    numbers = [rng.randint(1, 300)]
    factor, plus = rng.choice([2, 3, 4, 5]), rng.randint(0, 300)
    for _ in range(3):
        numbers.append(numbers[-1] * factor + plus)
    return f"Rule: times {factor}, plus {plus}\n{', '.join(map(str, numbers))}"


def _doubled(text: str) -> str:
    factor, plus, *numbers = _ints(text)
    return str(numbers[-1] * factor + plus)


def _adding(rng: Random) -> str:
    numbers = [rng.randint(1, 999), rng.randint(1, 999)]
    while len(numbers) < 5:
        numbers.append(numbers[-1] + numbers[-2])
    return ", ".join(map(str, numbers))


def _gap(rng: Random) -> str:
    numbers = _arithmetic(rng).split(", ")
    numbers[rng.randint(1, 3)] = "_"
    return ", ".join(numbers)


def _missing(text: str) -> str:
    numbers = text.split(", ")
    place = numbers.index("_")
    return str((int(numbers[place - 1]) + int(numbers[place + 1])) // 2)


def _next_step(text: str) -> str:
    before, last = map(int, text.split(", ")[-2:])
    return str(2 * last - before)


TASKS: dict[str, TaskCode] = {
    "add_numbers": (lambda rng: _join(rng, rng.randint(3, 5), 1, 99), lambda text: str(sum(_ints(text)))),
    "largest_minus_smallest": (lambda rng: _join(rng, rng.randint(4, 7), 1, 500), _spread),
    "division_remainder": (lambda rng: f"{rng.randint(100, 99_999)} divided by {rng.randint(3, 25)}", _remainder),
    "average": (_average_input, _average),
    "shopping_bill": (_shopping, _bill),
    "vuelta_de_la_compra": (_shopping_es, _change),
    "number_to_words": (lambda rng: str(_spoken(rng)), lambda text: english(int(text))),
    "words_to_number": (lambda rng: english(_spoken(rng)), _from_english),
    "to_roman": (
        lambda rng: ", ".join(map(str, _three(rng))),
        each(lambda number: roman(int(number)), ", "),
    ),
    "from_roman": (
        lambda rng: ", ".join(roman(number) for number in _three(rng)),
        each(lambda sign: str(_FROM_ROMAN[sign]), ", "),
    ),
    "binary_to_decimal": (lambda rng: f"{rng.randint(64, 1_000_000):b}", lambda text: str(int(text, 2))),
    "numero_en_palabras": (
        lambda rng: f"{rng.randint(0, 9999)}, {rng.randint(0, 9999)}",
        each(lambda number: spanish(int(number)), ", "),
    ),
    "palabras_en_numero": (
        lambda rng: f"{spanish(rng.randint(0, 9999))}, {spanish(rng.randint(0, 9999))}",
        each(lambda words: str(_FROM_SPANISH[words]), ", "),
    ),
    "divisible": (_divisible_input, decided(lambda text: _ints(text)[0] % _ints(text)[1] == 0)),
    "compare_sums": (_sums, lambda text: _compare(text, ("larger", "smaller", "equal"))),
    "prime_numbers": (_primes_input, lambda text: ", ".join(str(n) for n in _ints(text) if _is_prime(n)) or "none"),
    "comparar_sumas": (_sums, lambda text: _compare(text, ("mayor", "menor", "igual"))),
    "next_by_step": (_arithmetic, _next_step),
    "next_by_rule": (_doubling, _doubled),
    "next_sum_of_two": (_adding, lambda text: str(sum(_ints(text)[-2:]))),
    "fill_sequence_gap": (_gap, _missing),
    "numero_siguiente": (_arithmetic, _next_step),
}
