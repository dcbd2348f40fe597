"""Numbers in digits and in words, English and Spanish."""

from __future__ import annotations

import re

__all__ = ["number_text", "whole_number"]

_UNITS = {
    word: value
    for names, values in (
        ("zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen"
         " seventeen eighteen nineteen", range(20)),
        ("twenty thirty forty fifty sixty seventy eighty ninety", range(20, 100, 10)),
        ("cero uno dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciséis"
         " diecisiete dieciocho diecinueve veinte veintiuno veintidós veintitrés veinticuatro veinticinco veintiséis"
         " veintisiete veintiocho veintinueve", range(30)),
        ("treinta cuarenta cincuenta sesenta setenta ochenta noventa cien", range(30, 101, 10)),
        ("ciento doscientos trescientos cuatrocientos quinientos seiscientos setecientos ochocientos novecientos",
         range(100, 901, 100)),
    )
    for word, value in zip(names.split(), values, strict=True)
}  # fmt: skip
_SCALES = {"hundred": 100, "thousand": 1_000, "mil": 1_000, "million": 1_000_000, "millón": 1_000_000,
           "millones": 1_000_000, "billion": 1_000_000_000}  # fmt: skip
_DIGITS = re.compile(
    r"[$€£]?\s?([-+−]?(?:(?:\d{1,3}(?:[,\u00a0\u202f' ]\d{3})+|\d+)(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d{1,3})?)\s?%?"
)
_BETWEEN = re.compile(r"[,\u00a0\u202f' ]")
_LONGEST = 100


def number_text(value: float) -> str:
    """A number as scorers read it back."""
    return str(int(value)) if abs(value) < 1e15 and value == int(value) else repr(value)


def whole_number(text: str) -> float | None:
    """The number that a text is, in digits or in words ("two hundred and five"); None where it is more or less."""
    text = text.strip(" *_\"'`“”()[]$\\\n\t").rstrip(" .!")
    if len(text) > _LONGEST:
        return None
    found = _DIGITS.fullmatch(text)
    if found is not None:
        return float(_BETWEEN.sub("", found[1].replace("−", "-")))
    total = group = 0
    words = text.lower().replace("-", " ").split()
    for place, word in enumerate(words):
        if word in _UNITS and _continues(group, _UNITS[word]):
            group += _UNITS[word]
        elif word in _SCALES and (place or word == "mil"):
            scale = _SCALES[word]
            group, total = ((group or 1) % 100 * 100, total) if scale == 100 else (0, total + (group or 1) * scale)
        elif not (word in ("and", "y") and 0 < place < len(words) - 1):
            return None
    return float(total + group) if words else None


def _continues(group: int, value: int) -> bool:
    """Whether a value can follow in the same number: units after tens, anything below a hundred after hundreds."""
    if group == 0:
        return True
    if value < 10:
        return group % 10 == 0 and group % 100 != 10
    return value < 100 and group % 100 == 0
