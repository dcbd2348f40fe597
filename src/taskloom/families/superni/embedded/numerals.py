"""Numbers in words and signs: English and Spanish numerals, Roman numerals."""

from __future__ import annotations

from taskloom.families.superni.embedded.words import NUMERALS

_ENGLISH, _SPANISH = NUMERALS["english"], NUMERALS["spanish"]
_ROMAN = {
    "M": 1000, "CM": 900, "D": 500, "CD": 400, "C": 100, "XC": 90, "L": 50, "XL": 40, "X": 10, "IX": 9,
    "V": 5, "IV": 4, "I": 1,
}  # fmt: skip


def english(number: int) -> str:
    """A number below a million in English words, without 'and'."""
    if number < 20:
        return _ENGLISH.small[number]
    if number < 100:
        tens, ones = divmod(number, 10)
        return _ENGLISH.tens[tens - 2] + (f"-{_ENGLISH.small[ones]}" if ones else "")
    if number < 1000:
        hundreds, rest = divmod(number, 100)
        return f"{_ENGLISH.small[hundreds]} hundred" + (f" {english(rest)}" if rest else "")
    thousands, rest = divmod(number, 1000)
    return f"{english(thousands)} thousand" + (f" {english(rest)}" if rest else "")


def spanish(number: int) -> str:
    """A number below ten thousand in Spanish words."""
    if number < 30:
        return _SPANISH.small[number]
    if number < 100:
        tens, ones = divmod(number, 10)
        return _SPANISH.tens[tens - 3] + (f" y {_SPANISH.small[ones]}" if ones else "")
    if number == 100:
        return "cien"
    if number < 1000:
        hundreds, rest = divmod(number, 100)
        return _SPANISH.hundreds[hundreds - 1] + (f" {spanish(rest)}" if rest else "")
    thousands, rest = divmod(number, 1000)
    head = "mil" if thousands == 1 else f"{spanish(thousands)} mil"
    return head + (f" {spanish(rest)}" if rest else "")


def roman(number: int) -> str:
    """A number from 1 to 3999 in Roman numerals."""
    signs = []
    for sign, value in _ROMAN.items():
        count, number = divmod(number, value)
        signs.append(sign * count)
    return "".join(signs)
