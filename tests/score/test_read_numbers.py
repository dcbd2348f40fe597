"""Numbers in words against a speller of the test's own, and digits as people write them."""

from __future__ import annotations

from random import Random

import pytest

from taskloom.score.read.numbers import find_numbers, number_text

ONES = str.split(
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen"
)
TENS = ("", *str.split("ten twenty thirty forty fifty sixty seventy eighty ninety"))
UNO = str.split(
    "cero uno dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciséis diecisiete "
    "dieciocho diecinueve veinte veintiuno veintidós veintitrés veinticuatro veinticinco veintiséis veintisiete "
    "veintiocho veintinueve"
)
DIEZ = ("", *str.split("diez veinte treinta cuarenta cincuenta sesenta setenta ochenta noventa"))
CIEN = str.split(
    "- ciento doscientos trescientos cuatrocientos quinientos seiscientos setecientos ochocientos novecientos"
)


def english(value: int, joint: str = " ") -> str:
    for scale, name in ((10**9, "billion"), (10**6, "million"), (1000, "thousand"), (100, "hundred")):
        if value >= scale:
            high, low = divmod(value, scale)
            rest = "" if not low else f" and {english(low)}" if scale == 100 else f" {english(low, joint)}"
            return f"{english(high, joint)} {name}{rest}"
    if value < 20:
        return ONES[value]
    tens, ones = divmod(value, 10)
    return TENS[tens] + (f"{joint}{ONES[ones]}" if ones else "")


def spanish(value: int) -> str:
    if value >= 1000:
        high, low = divmod(value, 1000)
        return " ".join(filter(None, [spanish(high) if high > 1 else "", "mil", spanish(low) if low else ""]))
    if value >= 100:
        high, low = divmod(value, 100)
        return "cien" if value == 100 else " ".join(filter(None, [CIEN[high], spanish(low) if low else ""]))
    if value < 30:
        return UNO[value]
    tens, ones = divmod(value, 10)
    return DIEZ[tens] + (f" y {UNO[ones]}" if ones else "")


def test_every_small_number_and_many_large_ones():
    draw = Random(2)
    large = [draw.randrange(10 ** draw.randint(3, 11)) for _ in range(300)]
    for value in [*range(1000), *large]:
        for text in (english(value), english(value, "-")):
            assert find_numbers(text) == [value], text
    for value in [*range(1000), *(draw.randrange(1000, 999_999) for _ in range(300))]:
        assert find_numbers(spanish(value)) == [value], spanish(value)


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("one two three", [1, 2, 3]),
        ("twenty five and thirty", [25, 30]),
        ("ten five", [10, 5]),
        ("five twenty", [5, 20]),
        ("two 3 four", [2, 3, 4]),
        ("seven. Then eight", [7, 8]),
        ("hundred", []),
        ("a thousand", []),
        ("mil", [1000]),
        ("one and two", [1, 2]),
        ("one, and 2", [1, 2]),
        ("six apples and seven pears", [6, 7]),
        ("zero five", [5]),
        ("3,456 and 7 890 or 12'345", [3456, 7890, 12345]),
        ("-5, +6, −7 and .5", [-5, 6, -7, 0.5]),
        ("1e3 2.5E-1", [1000, 0.25]),
        ("v2 3rd x4y", []),
        ("1.50", [1.5]),
        ("", []),
    ],
)
def test_where_a_number_begins_and_ends(text, numbers):
    assert find_numbers(text) == numbers


def test_numbers_as_text():
    assert [number_text(value) for value in (3.0, -2.0, 2.5, 1e15, 999999999999999.0)] == [
        "3", "-2", "2.5", "1000000000000000.0", "999999999999999",
    ]  # fmt: skip
