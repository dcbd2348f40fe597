"""The functions that formulas of task records know: texts, numbers, dates, lists. All of them are pure."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date, timedelta
from itertools import permutations
from typing import Any

from taskloom.core.decode import decode_json

MONTHS = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
]
WEEKDAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
_ONES = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
]
_TENS = ["-", "-", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
_ROMAN = ((1000, "M"), (900, "CM"), (500, "D"), (400, "CD"), (100, "C"), (90, "XC"), (50, "L"), (40, "XL"), (10, "X"), (9, "IX"), (5, "V"), (4, "IV"), (1, "I"))  # fmt: skip  # noqa: E501
_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")


def words(text: str) -> list[str]:
    """The words of a text without its punctuation."""
    return _WORD.findall(text)


def find(pattern: str, text: str) -> list[Any]:
    """Every match of a pattern: its group, or its groups as a tuple, where it has some."""
    return re.findall(pattern, text)


def got(pattern: str, text: str) -> Any:
    """The first match of a pattern: its group where it has one, a list of groups where it has several."""
    match = re.search(pattern, text, re.DOTALL)
    if match is None:
        raise ValueError(f"{pattern!r} is not in {text!r}")
    groups = match.groups()
    return match[0] if not groups else groups[0] if len(groups) == 1 else list(groups)


def sub(pattern: str, by: str | Callable[[str], str], text: str) -> str:
    """The text with every match replaced; a function gets the matched text."""
    return re.sub(pattern, by if isinstance(by, str) else lambda match: by(match[0]), text)


def matches(pattern: str, text: str) -> bool:
    """Whether the whole text follows the pattern."""
    return re.fullmatch(pattern, text) is not None


def joined(separator: str, items: Iterable[Any]) -> str:
    """Items with something between them."""
    return separator.join(str(item) for item in items)


def lines(items: Iterable[Any]) -> str:
    """One item per line."""
    return joined("\n", items)


def listed(items: Sequence[Any], last: str = "and") -> str:
    """An enumeration: "a", "a and b", "a, b and c"."""
    held = [str(item) for item in items]
    return held[0] if len(held) == 1 else f"{', '.join(held[:-1])} {last} {held[-1]}"


def article(word: str) -> str:
    """A word with its indefinite article, by its first letter."""
    vowel = word[0].lower() in "aeiou" and not re.match(r"(?i)(uni|use|usu|eu|one\b|once)", word)
    return f"{'an' if vowel or re.match(r'(?i)(hour|honest|heir)', word) else 'a'} {word}"


def ordinal(number: int) -> str:
    """1st, 2nd, 3rd, 4th, 11th."""
    ending = "th" if number % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"


def spelled(number: int) -> str:
    """A whole number below a million in English words."""
    if number < 20:
        return _ONES[number]
    if number < 100:
        rest = number % 10
        return _TENS[number // 10] + (f"-{_ONES[rest]}" if rest else "")
    unit, name = (1000, "thousand") if number >= 1000 else (100, "hundred")
    rest = number % unit
    glue = " and " if rest and rest < 100 else " "
    return f"{spelled(number // unit)} {name}" + (f"{glue}{spelled(rest)}" if rest else "")


def roman(number: int) -> str:
    """A Roman numeral."""
    found = ""
    for value, sign in _ROMAN:
        found += sign * (number // value)
        number %= value
    return found


def from_roman(text: str) -> int:
    """The number of a Roman numeral."""
    values = [{sign: value for value, sign in _ROMAN}[sign] for sign in text]
    return sum(-one if one < after else one for one, after in zip(values, [*values[1:], 0], strict=True))


def in_base(number: int, base: int) -> str:
    """Digits of a number in a base up to 16."""
    found = ""
    while number or not found:
        number, digit = divmod(number, base)
        found = "0123456789abcdef"[digit] + found
    return found


def from_base(text: str, base: int) -> int:
    """The number that digits stand for in a base."""
    return int(text, base)


def prime(number: int) -> bool:
    """Whether a number is prime."""
    return number > 1 and all(number % divisor for divisor in range(2, int(number**0.5) + 1))


def factors(number: int) -> list[int]:
    """Prime factors, the smallest first."""
    found, divisor = [], 2
    while number > 1:
        while number % divisor == 0:
            found.append(divisor)
            number //= divisor
        divisor += 1
    return found


def day(text: str) -> int:
    """The number of an ISO date, counted from the beginning of the calendar."""
    return date.fromisoformat(text).toordinal()


def iso(number: int) -> str:
    """The ISO date of a number of days."""
    return date.fromordinal(number).isoformat()


def weekday(text: str) -> str:
    """The English weekday of an ISO date."""
    return WEEKDAYS[date.fromisoformat(text).weekday()]


def long_date(text: str) -> str:
    """An ISO date as "4 May 2021"."""
    found = date.fromisoformat(text)
    return f"{found.day} {MONTHS[found.month - 1]} {found.year}"


def clock(minutes: int) -> str:
    """Minutes since midnight as "07:05"."""
    return f"{minutes // 60 % 24:02}:{minutes % 60:02}"


def minutes(text: str) -> int:
    """Minutes since midnight of "07:05"."""
    hours, rest = text.split(":")
    return int(hours) * 60 + int(rest)


def shift(text: str, by: int) -> str:
    """The letters a to z moved along the alphabet."""
    moved = {97 + n: 97 + (n + by) % 26 for n in range(26)} | {65 + n: 65 + (n + by) % 26 for n in range(26)}
    return text.translate(moved)


def table(rows: Iterable[Sequence[Any]]) -> str:
    """Rows as lines, cells separated by vertical bars."""
    return lines(joined(" | ", row) for row in rows)


def cells(text: str) -> list[list[str]]:
    """The rows of such a table."""
    return [[cell.strip() for cell in line.split(" | ")] for line in text.split("\n")]


def as_json(value: Any) -> str:
    """JSON on one line."""
    return json.dumps(value, ensure_ascii=False)


def from_json(text: str) -> Any:
    """What a JSON text stands for."""
    return decode_json(text, where="a formula")


def tally(items: Iterable[Any]) -> dict[Any, int]:
    """How often each item occurs, in the order of first occurrence."""
    return dict(Counter(items))


def unique(items: Iterable[Any]) -> list[Any]:
    """Items without repetitions, in the order of first occurrence."""
    return list(dict.fromkeys(items))


def orders(items: Sequence[Any]) -> list[list[Any]]:
    """Every order of a few items."""
    return [list(one) for one in permutations(items)] if len(items) <= 5 else [list(items)]


def grouped(items: Iterable[Any], key: Callable[[Any], Any]) -> dict[Any, list[Any]]:
    """Items by what a function says of them."""
    found: dict[Any, list[Any]] = {}
    for item in items:
        found.setdefault(key(item), []).append(item)
    return found


def upper_first(text: str) -> str:
    """The text with a capital at its beginning; the rest stays as it is."""
    return text[:1].upper() + text[1:]


def lower_first(text: str) -> str:
    """The text with a small letter at its beginning."""
    return text[:1].lower() + text[1:]


def sort(items: Iterable[Any], key: Callable[[Any], Any] | None = None, reverse: bool = False) -> list[Any]:
    """Items in order."""
    return sorted(items, key=key, reverse=reverse)


def used(synset: Mapping[str, Any]) -> list[str]:
    """A word of a synset and an example sentence in which it occurs once as it is; nothing where there is none."""
    for sentence in synset["examples"]:
        said = re.findall(r"[\w'-]+", sentence.lower())
        for word in synset["words"]:
            if re.fullmatch("[a-z]{3,}", word) and said.count(word) == 1 and not re.search("[_`]", sentence):
                return [word, sentence]
    return []


def _later(text: str, days: int) -> str:
    return (date.fromisoformat(text) + timedelta(days=days)).isoformat()


TOOLS: Mapping[str, Any] = {
    "MONTHS": MONTHS, "WEEKDAYS": WEEKDAYS, "abs": abs, "all": all, "any": any, "article": article, "as_json": as_json,
    "cells": cells, "chr": chr, "clock": clock, "day": day, "dict": dict, "divmod": divmod,
    "enumerate": lambda items, start=0: list(enumerate(items, start)), "factors": factors, "find": find,
    "float": float, "from_base": from_base, "from_json": from_json, "from_roman": from_roman, "got": got,
    "grouped": grouped, "in_base": in_base, "int": int, "iso": iso, "join": joined, "later": _later, "len": len,
    "lines": lines, "list": list, "listed": listed, "long_date": long_date, "lower_first": lower_first,
    "matches": matches, "max": max, "min": min, "minutes": minutes, "ord": ord, "ordinal": ordinal, "orders": orders,
    "prime": prime, "range": lambda *limits: list(range(*limits)), "reversed": lambda items: list(items)[::-1],
    "roman": roman, "round": round, "set": set, "shift": shift, "sort": sort, "sorted": sort, "spelled": spelled,
    "str": str, "sub": sub, "sum": sum, "table": table, "tally": tally, "tuple": tuple, "unique": unique,
    "upper_first": upper_first, "used": used, "weekday": weekday, "words": words,
    "zip": lambda *lists: list(zip(*lists, strict=False)),
}  # fmt: skip
"""By the names that formulas use."""
