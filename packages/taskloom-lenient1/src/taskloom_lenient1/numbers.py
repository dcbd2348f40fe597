"""Numbers in digits and in words, English and Spanish."""

from __future__ import annotations

import re

__all__ = ["find_numbers", "number_text", "whole_number"]

_UNITS = {
    "zero": 0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9,
    "ten": 10, "eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14, "fifteen": 15, "sixteen": 16,
    "seventeen": 17, "eighteen": 18, "nineteen": 19, "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50,
    "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90,
    "cero": 0, "uno": 1, "dos": 2, "tres": 3, "cuatro": 4, "cinco": 5, "seis": 6, "siete": 7, "ocho": 8,
    "nueve": 9, "diez": 10, "once": 11, "doce": 12, "trece": 13, "catorce": 14, "quince": 15, "dieciséis": 16,
    "diecisiete": 17, "dieciocho": 18, "diecinueve": 19, "veinte": 20, "veintiuno": 21, "veintidós": 22,
    "veintitrés": 23, "veinticuatro": 24, "veinticinco": 25, "veintiséis": 26, "veintisiete": 27, "veintiocho": 28,
    "veintinueve": 29, "treinta": 30, "cuarenta": 40, "cincuenta": 50, "sesenta": 60, "setenta": 70, "ochenta": 80,
    "noventa": 90, "cien": 100, "ciento": 100, "doscientos": 200, "trescientos": 300, "cuatrocientos": 400,
    "quinientos": 500, "seiscientos": 600, "setecientos": 700, "ochocientos": 800, "novecientos": 900,
}  # fmt: skip
_SCALES = {"hundred": 100, "thousand": 1_000, "mil": 1_000, "million": 1_000_000, "millón": 1_000_000,
           "millones": 1_000_000, "billion": 1_000_000_000}  # fmt: skip
_WHOLE = re.compile(r"[$€£]?\s?[-+−]?(?:\d{1,3}(?:[,\u00a0\u202f' ]\d{3})+|\d+)?(?:\.\d+)?(?:[eE][-+]?\d{1,3})?\s?%?")
_TOKEN = re.compile(
    r"(?<![\w.,])[-+−]?(?:\d{1,3}(?:[,\u00a0\u202f' ]\d{3})+(?![\d])|\d+)(?:\.\d+)?(?:[eE][-+]?\d+)?(?![\w])"
    r"|(?<![\w.])[-−]?\.\d+|[^\W\d_]+"
)


def number_text(value: float) -> str:
    """A number as scorers read it back."""
    return str(int(value)) if abs(value) < 1e15 and value == int(value) else repr(value)


def whole_number(text: str) -> float | None:
    """The number that a text is, in digits or in words, None where it is more or less than one number."""
    text = text.strip(" *_\"'`“”()[]$\\\n\t")
    if len(text) > 100:
        return None
    text = text.rstrip(" .!")
    if _WHOLE.fullmatch(text) is None:
        words = text.lower().replace("-", " ").split()
        if not words or not all(word in _UNITS or word in _SCALES or word in ("and", "y") for word in words):
            return None
        text = " ".join(words)
    found = find_numbers(text.strip("$€£% "))
    return found[0] if len(found) == 1 else None


def find_numbers(text: str) -> list[float]:
    """All numbers that a text gives, in order; words in a row ("two hundred and five") are one number."""
    found: list[float] = []
    total, group, open_words = 0, 0, False
    for match in _TOKEN.finditer(text):
        token = match[0]
        first = token[0]
        if first.isdecimal() or first in "-+−.":
            if open_words:
                found.append(float(total + group))
                total, group, open_words = 0, 0, False
            found.append(float(re.sub(r"[,\u00a0\u202f' ]", "", token.replace("−", "-"))))
            continue
        word = token.lower()
        if word in _UNITS:
            value = _UNITS[word]
            if open_words and not _continues(group, value):
                found.append(float(total + group))
                total, group = 0, 0
            group, open_words = group + value, True
        elif word in _SCALES and (open_words or word == "mil"):
            group, total, open_words = _scale(group, total, _SCALES[word])
        elif not (open_words and word in ("and", "y")):
            if open_words:
                found.append(float(total + group))
            total, group, open_words = 0, 0, False
    if open_words:
        found.append(float(total + group))
    return found


def _scale(group: int, total: int, scale: int) -> tuple[int, int, bool]:
    if scale == 100:
        return (group or 1) % 100 * 100, total, True
    return 0, total + (group or 1) * scale, True


def _continues(group: int, value: int) -> bool:
    """Whether a value can follow in the same number: units after tens, anything below a hundred after hundreds."""
    if group == 0:
        return True
    if value < 10:
        return group % 10 == 0 and group % 100 != 10
    return value < 100 and group % 100 == 0
