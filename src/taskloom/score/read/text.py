"""Pieces of text: numbers in digits and words, JSON values, marks around an answer, spellings that are equal."""

from __future__ import annotations

import ast
import json
import re
import tomllib
from collections.abc import Iterator
from itertools import accumulate, islice
from pathlib import Path
from typing import Any, NamedTuple

_DATA = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
_UNITS = {
    word: start + step * place for words, start, step in _DATA["numerals"] for place, word in enumerate(words.split())
}
_SCALES = _DATA["scales"]
_DIGITS = re.compile(
    r"[$€£]?\s?([-+−]?(?:(?:\d{1,3}(?:[,\u00a0\u202f' ]\d{3})+|\d+)(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d{1,3})?)\s?%?"
)
_GROUPING = re.compile(r"[,\u00a0\u202f' ]")
_LONGEST = 100


def whole_number(text: str) -> float | None:
    """The number that a text is, in digits or in words ("two hundred and five"); None where it is more or less."""
    text = text.strip(" *_\"'`“”()[]$\\\n\t").rstrip(" .!")
    if len(text) > _LONGEST:
        return None
    found = _DIGITS.fullmatch(text)
    if found is not None:
        return float(_GROUPING.sub("", found[1].replace("−", "-")))
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


_OPEN = re.compile(r"[\[{]")
_DECODER = json.JSONDecoder()
_MOST = 24
_LONGEST_LITERAL = 8_000


class FoundValue(NamedTuple):
    """A JSON object or list in a text, and its place."""

    value: Any
    start: int
    end: int


def values_in(text: str) -> Iterator[FoundValue]:
    """The JSON objects and lists in a text, the outermost ones."""
    end = 0
    for match in islice(_OPEN.finditer(text), _MOST):
        if match.start() < end:
            continue
        try:
            value, end = _DECODER.raw_decode(text, match.start())
        except (ValueError, RecursionError):
            continue
        yield FoundValue(value, match.start(), end)
    if not end and (start := min((p for p in map(text.find, "[{") if p >= 0), default=-1)) >= 0:
        stop = max(map(text.rfind, "]}")) + 1
        value = literal(text[start:stop])
        if value is not None:
            yield FoundValue(value, start, stop)


def literal(text: str) -> Any:
    """A structure with single quotes or a trailing comma, as models that think in Python write it; None for no such."""
    if text[:1] not in ("[", "{") or len(text) > _LONGEST_LITERAL:
        return None
    try:
        value = ast.literal_eval(text)
        return value if isinstance(value, dict | list) and json.dumps(value) else None
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return None


def unwrapped(value: Any) -> Any:
    """The answer under a known key ("answer") beside known ones ("reasoning"); None where another may compete."""
    while isinstance(value, list) and len(value) == 1 and isinstance(value[0], list):
        value = value[0]
    if isinstance(value, list) and len(value) == 1 and isinstance(value[0], dict) and _key(value[0]) is not None:
        return unwrapped(value[0])
    if not isinstance(value, dict) or (key := _key(value)) is None:
        return value
    if {_named(other) for other in value if other != key}.difference(_DATA["beside"]):
        return None
    inner = value[key]
    return unwrapped(inner) if isinstance(inner, dict) and len(inner) == 1 else inner


def _key(value: dict[Any, Any]) -> Any:
    keys = {_named(key): key for key in value}
    return next((keys[name] for name in _DATA["keys"] if name in keys), None)


def _named(key: Any) -> str:
    return " ".join(str(key).lower().replace("_", " ").replace("-", " ").split())


def spoken(value: Any) -> str:
    """A JSON value as a person would write it."""
    if isinstance(value, list):
        return "\n".join(map(spoken, value))
    if isinstance(value, bool):
        return "true" if value else "false"
    return "n/a" if value is None else str(value)


_PAIRS: dict[str, str] = _DATA["pairs"]
_CLOSING = frozenset(_PAIRS.values())
_ENDS = ".!,;:。！…"
_HTML = re.compile(r"</?(?:b|i|em|strong|u|p|code|span|div|mark|kbd|h[1-6])>|<br ?/?>", re.IGNORECASE)
_LATEX = re.compile(r"\\(?:text|textbf|mathrm|mathbf|textit|emph|mbox|texttt|boxed)\s*\{([^{}]*)\}")
_LINE_LEAD = re.compile(r"^(?:\s*(?:#{1,6}\s+|>\s?|[-*•–+]\s+|[-=]{1,3}>\s*|[→⇒➔]\s*|\(?\d{1,2}[.)]\s+))+")
_INNER_MARKUP = re.compile(r"\*\*|__(?=\S)|(?<=\S)__|`")
_CHEERS = re.compile("[✅✔👉➡🎉😊🙂👍🎯✨💡📌📍🏁\ufe0f\u200d]+")
"""Signs that say nothing against an answer. A cross, or any other, stays where it is."""
_ARTICLE = re.compile(r"(?:an?|the|el|la|los|las|una?|der|die|das|den|dem|eine?[nmr]?)\s+(?=\S)", re.IGNORECASE)
_MARKS = frozenset("<\\`*_")
_SPACED = re.compile(r" ?([,;:|/()=]) ?")
_QUOTES = str.maketrans({"“": '"', "”": '"', "„": '"', "‘": "'", "’": "'", "–": "-", "—": "-", "‑": "-", "−": "-"})


def peel(text: str) -> str:
    """An answer without the marks around it. What is inside stays, blanks included."""
    if text[:1].isalpha() and text[-1:].isalnum() and text.isascii() and _MARKS.isdisjoint(text):
        return text
    if "<" in text:
        text = _HTML.sub("", text)
    if "\\" in text:
        text = _LATEX.sub(r"\1", text)
    text = text.strip()
    lead = _LINE_LEAD.match(text)
    if lead and lead.end() < len(text):
        text = text[lead.end() :]
    if "**" in text or "`" in text or "__" in text:
        text = _INNER_MARKUP.sub("", text).strip()
    if not text.isascii() and max(text) >= "\u2600":
        text = _CHEERS.sub("", text).strip()
    for _ in range(32):
        if len(text) < 2:
            break
        before = text
        if text[-1] in _ENDS and not _keeps_dot(text):
            text = text.rstrip(_ENDS + " ")
        if len(text) > 2 and text[0] in _PAIRS and text[-1] in _CLOSING:
            text = _unwrap(text)
        if text == before:
            break
    return text or ""


def _keeps_dot(text: str) -> bool:
    """Whether the last dot belongs to an abbreviation ("H.P.") rather than to the sentence."""
    return text[-1] == "." and len(text) > 2 and text[-3] in ". " and text[-2].isalpha() and text[-2].isupper()


def _unwrap(text: str) -> str:
    """Without one pair of marks, if they belong together and nothing inside ends them earlier."""
    first, last = text[0], text[-1]
    if _PAIRS[first] != last:
        return text
    inner = text[1:-1]
    if first == last:
        return inner.strip() if first not in inner else text
    depths = accumulate((sign == first) - (sign == last) for sign in inner)
    return text if last in inner and min(depths, default=0) < 0 else inner.strip()


def strip_article(text: str) -> str:
    """Without an article at its head: English, Spanish or German, the languages that the families speak."""
    article = _ARTICLE.match(text)
    return text[article.end() :] if article else text


def plain(text: str, *, case: bool = False) -> str:
    """The form in which two spellings of one answer are equal: quotes, dashes, blanks around signs, the ends, case."""
    form = _SPACED.sub(r"\1", " ".join(peel(text.translate(_QUOTES)).strip(" .!¡").split()))
    return form if case else form.casefold()
