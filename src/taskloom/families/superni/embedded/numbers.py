"""Tasks on numbers: arithmetic, ways of writing numbers, comparisons, sequences."""

from __future__ import annotations

import re
from random import Random

from taskloom.author import Blueprint, task
from taskloom.families.superni.embedded.numerals import english, roman, spanish
from taskloom.families.superni.embedded.words import NAMES, NAMES_ES, NOUNS

__all__ = ["TASKS"]

_MATHS = "Mathematics"
_CONVERT = "Number Conversion"
_COMPARE = "Number Comparison"
_SEQUENCE = "Sequence Completion"

_PRICED = [noun for noun in NOUNS if noun.kind in ("fruit", "clothing", "tool", "food")]


def _ints(text: str) -> list[int]:
    return [int(number) for number in re.findall(r"\d+", text)]


def _digits(rng: Random, low: int, high: int) -> str:
    return str(rng.randint(low, high))


def _join(rng: Random, count: int, low: int, high: int) -> str:
    return ", ".join(_digits(rng, low, high) for _ in range(count))


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
    name = rng.choice(NAMES["f"] + NAMES["m"])
    counts = rng.randint(2, 9), rng.randint(2, 9)
    prices = rng.randint(2, 30), rng.randint(2, 30)
    return (
        f"{name} buys {counts[0]} {first.plural} at {prices[0]} euros each "
        f"and {counts[1]} {second.plural} at {prices[1]} euros each. How many euros does {name} pay?"
    )


def _shopping_es(rng: Random) -> str:
    noun = rng.choice([noun for noun in _PRICED if noun.spanish[-1] in "ao"])
    name = rng.choice(NAMES_ES["f"] + NAMES_ES["m"])
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


_maths = [
    task(
        name="add_numbers",
        category=_MATHS,
        definition=(
            "Add all the numbers of the list and write their sum in digits. Each number counts, also when it occurs "
            "twice."
        ),
        solve=lambda text: str(sum(_ints(text))),
        right=[("12, 30, 5", "12 plus 30 is 42, and 5 more make 47."), ("8, 8, 50", "Both eights are added.")],
        wrong=[("12, 30, 5", "42", "The last number was forgotten.")],
        kind="number",
    )(lambda rng: _join(rng, rng.randint(3, 5), 1, 99)),
    task(
        name="largest_minus_smallest",
        category=_MATHS,
        definition=(
            "Find the largest and the smallest number of the list, subtract the smallest from the largest, and write "
            "the result in digits. The order of the list does not matter."
        ),
        solve=_spread,
        right=[("12, 77, 40, 5", "77 minus 5 is 72."), ("130, 90, 101", "130 minus 90 is 40.")],
        wrong=[("12, 77, 40, 5", "7", "The last number was subtracted from the first.")],
        kind="number",
    )(lambda rng: _join(rng, rng.randint(4, 7), 1, 500)),
    task(
        name="division_remainder",
        category=_MATHS,
        definition=(
            "Divide the first number by the second as far as whole numbers go and write the remainder that is left "
            "over. If the division comes out even, the remainder is 0. Answer in digits."
        ),
        solve=_remainder,
        right=[
            ("100 divided by 7", "7 goes 14 times into 100, which is 98, and 2 is left."),
            ("60 divided by 5", "It comes out even."),
        ],
        wrong=[("100 divided by 7", "14", "That is the quotient, not the remainder.")],
        kind="number",
    )(lambda rng: f"{rng.randint(100, 99_999)} divided by {rng.randint(3, 25)}"),
    task(
        name="average",
        category=_MATHS,
        definition=(
            "Write the average of the numbers: add them and divide the sum by how many there are. The numbers are "
            "chosen so that the average is a whole number. Answer in digits."
        ),
        solve=_average,
        right=[("4, 8, 6", "The sum is 18 and there are 3 numbers."), ("10, 20, 30, 40", "100 divided by 4 is 25.")],
        wrong=[("4, 8, 6", "18", "The sum was not divided by 3.")],
        kind="number",
    )(_average_input),
    task(
        name="shopping_bill",
        category=_MATHS,
        definition=(
            "Somebody buys two sorts of things, some of each, at a price per piece. Work out what is paid for "
            "everything together and answer with the number of euros in digits."
        ),
        solve=_bill,
        right=[
            (
                "Anna buys 2 pears at 3 euros each and 4 hats at 10 euros each. How many euros does Anna pay?",
                "2 times 3 is 6, 4 times 10 is 40, together 46.",
            ),
            (
                "Mark buys 3 saws at 20 euros each and 2 eggs at 2 euros each. How many euros does Mark pay?",
                "60 for the saws and 4 for the eggs.",
            ),
        ],
        wrong=[
            (
                "Anna buys 2 pears at 3 euros each and 4 hats at 10 euros each. How many euros does Anna pay?",
                "13",
                "The two prices were added without counting the pieces.",
            )
        ],
        kind="number",
    )(_shopping),
    task(
        name="vuelta_de_la_compra",
        category=_MATHS,
        definition=(
            "Una persona compra varias unidades de una cosa y paga con más dinero del que cuestan. Calcula cuánto le "
            "devuelven, es decir, lo pagado menos el precio total. Responde con el número de euros en cifras."
        ),
        solve=_change,
        right=[
            (
                "Elena compra 3 peras a 2 euros cada unidad y paga con 10 euros. ¿Cuánto le devuelven?",
                "Las peras cuestan 6 euros y sobran 4.",
            ),
            (
                "Luis compra 5 camisas a 20 euros cada unidad y paga con 150 euros. ¿Cuánto le devuelven?",
                "Las camisas cuestan 100 euros.",
            ),
        ],
        wrong=[
            (
                "Elena compra 3 peras a 2 euros cada unidad y paga con 10 euros. ¿Cuánto le devuelven?",
                "6",
                "Eso es lo que cuestan las peras, no lo que sobra.",
            )
        ],
        kind="number",
        language="Spanish",
        instruction_language="Spanish",
    )(_shopping_es),
]


def _spoken(rng: Random) -> int:
    """Numbers of all sizes below a million."""
    return rng.randint(10 ** rng.randint(2, 5), 999_999)


def _three(rng: Random, low: int, high: int) -> list[int]:
    return [rng.randint(low, high) for _ in range(3)]


_FROM_ENGLISH = {english(number): number for number in range(1000)}


def _from_english(text: str) -> str:
    head, thousand, rest = text.rpartition(" thousand")
    number = _FROM_ENGLISH[head] * 1000 if thousand else 0
    return str(number + (_FROM_ENGLISH[rest.strip()] if rest.strip() else 0))


_FROM_ROMAN = {roman(number): number for number in range(1, 4000)}
_FROM_SPANISH = {spanish(number): number for number in range(10_000)}

_conversions = [
    task(
        name="number_to_words",
        category=_CONVERT,
        definition=(
            "Write the number in English words, in small letters. Put a hyphen between tens and ones (forty-two), "
            "write hundreds and thousands with blanks, and do not use the word and."
        ),
        solve=lambda text: english(int(text)),
        right=[
            ("342", "Three hundreds, then forty-two with a hyphen."),
            ("7015", "There are no hundreds, so none are named."),
        ],
        wrong=[
            ("342", "three hundred and forty-two", "The word and must not be used."),
            ("21", "twenty one", "The hyphen is missing."),
        ],
    )(lambda rng: str(_spoken(rng))),
    task(
        name="words_to_number",
        category=_CONVERT,
        definition="A number is written in English words. Write it in digits, without commas or blanks.",
        solve=_from_english,
        right=[
            ("three hundred forty-two", "3 hundreds, 4 tens and 2 ones."),
            ("seven thousand fifteen", "No hundreds: a zero stands there."),
        ],
        wrong=[("seven thousand fifteen", "715", "The zero for the hundreds is missing.")],
        kind="number",
    )(lambda rng: english(_spoken(rng))),
    task(
        name="to_roman",
        category=_CONVERT,
        definition=(
            "Write each of the three numbers as a Roman numeral, with commas between them. I is 1, V 5, X 10, L 50, C "
            "100, D 500 and M 1000; 4 is IV, 9 IX, 40 XL, 90 XC, 400 CD and 900 CM."
        ),
        solve=lambda text: ", ".join(roman(number) for number in _ints(text)),
        right=[
            ("14, 9, 2026", "14 is X and IV, 9 is IX, 2026 is MM, XX and VI."),
            ("40, 6, 111", "40 is XL, 6 is VI, 111 is C, X and I."),
        ],
        wrong=[("14, 9, 2026", "XIIII, VIIII, MMXXVI", "Four and nine are written by subtraction: IV and IX.")],
    )(lambda rng: ", ".join(map(str, _three(rng, 1, 3999)))),
    task(
        name="from_roman",
        category=_CONVERT,
        definition=(
            "Three Roman numerals are given. Write their values in digits, with commas between them. A smaller sign "
            "before a larger one is subtracted (IV is 4), otherwise the signs are added."
        ),
        solve=lambda text: ", ".join(str(_FROM_ROMAN[sign]) for sign in text.split(", ")),
        right=[
            ("XIV, IX, MMXXVI", "X is 10 and IV is 4; IX is 9; MM, XX and VI are 2026."),
            ("XL, VI, CXI", "XL is 50 less 10."),
        ],
        wrong=[("XIV, IX, MMXXVI", "16, 11, 2026", "Smaller signs before larger ones must be subtracted.")],
    )(lambda rng: ", ".join(roman(number) for number in _three(rng, 1, 3999))),
    task(
        name="binary_to_decimal",
        category=_CONVERT,
        definition=(
            "The input is a number in binary. Each digit counts twice as much as the one to its right, and the "
            "rightmost counts 1. Write the number in ordinary decimal digits."
        ),
        solve=lambda text: str(int(text, 2)),
        right=[("1101", "8 plus 4 plus 1."), ("100000", "Only the digit worth 32 is set.")],
        wrong=[("1101", "11", "The digits are read from left to right as 8, 4, 2, 1, not the other way round.")],
        kind="number",
    )(lambda rng: f"{rng.randint(64, 1_000_000):b}"),
    task(
        name="numero_en_palabras",
        category=_CONVERT,
        definition=(
            "Escribe los dos números con palabras, en minúsculas y con sus tildes, separados por una coma. Del 16 al "
            "29 se escriben en una sola palabra (veintidós); desde el 31, decenas y unidades se unen con y (treinta y "
            "uno)."
        ),
        solve=lambda text: ", ".join(spanish(number) for number in _ints(text)),
        right=[
            ("342, 16", "Trescientos, cuarenta y dos; el 16 va en una palabra."),
            ("100, 1005", "Cien y no ciento; mil y no un mil."),
        ],
        wrong=[("342, 16", "trescientos cuarenta dos, dieciséis", "Falta la y entre cuarenta y dos.")],
        language="Spanish",
        instruction_language="Spanish",
    )(lambda rng: f"{rng.randint(0, 9999)}, {rng.randint(0, 9999)}"),
    task(
        name="palabras_en_numero",
        category=_CONVERT,
        definition="Se dan dos números escritos con palabras en español. Escríbelos en cifras, separados por una coma.",
        solve=lambda text: ", ".join(str(_FROM_SPANISH[words]) for words in text.split(", ")),
        right=[
            ("trescientos cuarenta y dos, dieciséis", "3 centenas, 4 decenas y 2 unidades."),
            ("mil cinco, cien", "Mil más cinco."),
        ],
        wrong=[("mil cinco, cien", "105, 100", "Mil es 1000, no 100.")],
        language="Spanish",
        instruction_language="Spanish",
    )(lambda rng: f"{spanish(rng.randint(0, 9999))}, {spanish(rng.randint(0, 9999))}"),
]


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


_comparisons = [
    task(
        name="divisible",
        category=_COMPARE,
        definition=(
            "Say whether the number can be divided by the divisor without a remainder. Answer yes if it can and no if "
            "it cannot."
        ),
        solve=lambda text: "yes" if _ints(text)[0] % _ints(text)[1] == 0 else "no",
        right=[
            ("Number: 84\nDivisor: 7", "7 times 12 is 84."),
            ("Number: 85\nDivisor: 7", "After 84 one is left over."),
        ],
        wrong=[("Number: 85\nDivisor: 7", "yes", "One is left over.")],
        labels=("yes", "no"),
    )(_divisible_input),
    task(
        name="compare_sums",
        category=_COMPARE,
        definition=(
            "Two sums are given with a question mark between them. Work both out and say how the left one compares "
            "with the right one: larger, smaller or equal."
        ),
        solve=lambda text: _compare(text, ("larger", "smaller", "equal")),
        right=[("10 + 20 ? 25 + 4", "30 is larger than 29."), ("10 + 20 ? 15 + 15", "Both sums are 30.")],
        wrong=[("10 + 20 ? 25 + 4", "smaller", "It is the right sum that is smaller.")],
        labels=("larger", "smaller", "equal"),
    )(_sums),
    task(
        name="prime_numbers",
        category=_COMPARE,
        definition=(
            "From the list of numbers write those that are prime, that is, larger than 1 and divisible only by 1 and "
            "themselves. Keep their order and put commas between them; if there are none, write none."
        ),
        solve=lambda text: ", ".join(str(n) for n in _ints(text) if _is_prime(n)) or "none",
        right=[
            ("4, 7, 9, 11", "7 and 11 have no divisors of their own; 4 is 2 times 2 and 9 is 3 times 3."),
            ("8, 21, 50", "None is prime."),
        ],
        wrong=[("4, 7, 9, 11", "7, 9, 11", "9 is 3 times 3.")],
    )(_primes_input),
    task(
        name="comparar_sumas",
        category=_COMPARE,
        definition=(
            "Se dan dos sumas con un signo de interrogación entre ellas. Calcula las dos y di cómo es la de la "
            "izquierda comparada con la de la derecha: mayor, menor o igual."
        ),
        solve=lambda text: _compare(text, ("mayor", "menor", "igual")),
        right=[("10 + 20 ? 25 + 4", "30 es mayor que 29."), ("8 + 2 ? 5 + 7", "10 es menor que 12.")],
        wrong=[("8 + 2 ? 5 + 7", "igual", "Las sumas son 10 y 12.")],
        labels=("mayor", "menor", "igual"),
        language="Spanish",
        instruction_language="Spanish",
    )(_sums),
]


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


_sequences = [
    task(
        name="next_by_step",
        category=_SEQUENCE,
        definition=(
            "The numbers grow or shrink by the same step each time. Write the number that comes next, in digits."
        ),
        solve=lambda text: str(2 * _signed(text)[-1] - _signed(text)[-2]),
        right=[
            ("3, 7, 11, 15, 19", "The step is 4, and 19 plus 4 is 23."),
            ("50, 45, 40, 35, 30", "Each number is 5 less."),
        ],
        wrong=[("3, 7, 11, 15, 19", "20", "The step is 4, not 1.")],
        kind="number",
    )(_arithmetic),
    task(
        name="next_by_rule",
        category=_SEQUENCE,
        definition=(
            "A rule says how each number of the sequence is made from the one before it: first multiply, then add. "
            "Apply the rule to the last number and write the result in digits."
        ),
        solve=_doubled,
        right=[
            ("Rule: times 2, plus 1\n1, 3, 7, 15", "15 times 2 is 30, plus 1 is 31."),
            ("Rule: times 3, plus 0\n2, 6, 18, 54", "54 times 3."),
        ],
        wrong=[("Rule: times 2, plus 1\n1, 3, 7, 15", "32", "One must be added after doubling, not before.")],
        kind="number",
    )(_doubling),
    task(
        name="next_sum_of_two",
        category=_SEQUENCE,
        definition=(
            "From the third number on, every number is the sum of the two before it. Write the number that follows the "
            "last one, in digits."
        ),
        solve=lambda text: str(sum(_ints(text)[-2:])),
        right=[("2, 3, 5, 8, 13", "8 plus 13 is 21."), ("10, 1, 11, 12, 23", "12 plus 23 is 35.")],
        wrong=[("2, 3, 5, 8, 13", "26", "The last number was doubled; the last two must be added.")],
        kind="number",
    )(_adding),
    task(
        name="fill_sequence_gap",
        category=_SEQUENCE,
        definition=(
            "One number of an evenly stepping sequence is replaced by an underscore. Write the missing number in "
            "digits. It lies exactly in the middle between its neighbours."
        ),
        solve=_missing,
        right=[
            ("3, 7, _, 15, 19", "The step is 4, so 11 is missing."),
            ("50, _, 40, 35, 30", "Between 50 and 40 lies 45."),
        ],
        wrong=[("3, 7, _, 15, 19", "8", "From 7 one goes 4 further, not 1.")],
        kind="number",
    )(_gap),
    task(
        name="numero_siguiente",
        category=_SEQUENCE,
        definition="Los números suben o bajan siempre lo mismo. Escribe en cifras el número que sigue al último.",
        solve=lambda text: str(2 * _signed(text)[-1] - _signed(text)[-2]),
        right=[
            ("5, 8, 11, 14, 17", "Suben de tres en tres."),
            ("90, 80, 70, 60, 50", "Cada número es diez menos que el anterior."),
        ],
        wrong=[("90, 80, 70, 60, 50", "60", "La serie baja, no sube.")],
        kind="number",
        language="Spanish",
        instruction_language="Spanish",
    )(_arithmetic),
]


def _signed(text: str) -> list[int]:
    return [int(number) for number in text.split(", ")]


TASKS: list[Blueprint] = [*_maths, *_conversions, *_comparisons, *_sequences]
