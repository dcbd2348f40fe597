"""JSON in an output, among prose or alone, and the answer that it wraps."""

from __future__ import annotations

import json
import re
from itertools import accumulate
from typing import Any, NamedTuple

from taskloom.core.decode import MOST_DEPTH

__all__ = ["ParsedValue", "answer_in", "decode_json", "speak", "spoken_json"]

_KEYS = ("answer", "final_answer", "final answer", "label", "output", "result", "response", "respuesta", "prediction",
         "value")  # fmt: skip
_SECOND = re.compile(
    r"(?:alternat\w+|other|second|also|or|fallback|backup|runner|next)(?![a-z])|(?:answer|label|choice)[_ ]?2",
    re.IGNORECASE,
)
_SEVERAL = re.compile(r"\w*(?:possib|candidat|option|alternativ|choices|guess|hypothes|suggest|labels)", re.IGNORECASE)
_DECODER = json.JSONDecoder()
_MOST_STARTS = 24


class ParsedValue(NamedTuple):
    """A JSON value in a text and what stands around it."""

    value: Any
    before: str
    after: str


def deepest_bracket(text: str) -> int:
    """How many brackets are open at once at most: what is nested too deeply can be neither compared nor written."""
    if text.count("[") + text.count("{") <= MOST_DEPTH:
        return 0
    steps = (1 if sign in "[{" else -1 for sign in re.findall(r"[\[\]{}]", text))
    return max(accumulate(steps), default=0)


def decode_json(text: str) -> ParsedValue | None:
    """The one JSON object or list in a text, None where there is none. Single quotes are read as Python's.

    Several different values leave open which of them is meant; then the value is None.
    """
    if deepest_bracket(text) > MOST_DEPTH:
        return None
    found: list[tuple[Any, int, int]] = []
    end = 0
    for attempt, match in enumerate(re.finditer(r"[\[{]", text)):
        if attempt >= _MOST_STARTS:
            break
        if match.start() < end:
            continue
        try:
            value, end = _DECODER.raw_decode(text, match.start())
        except (ValueError, RecursionError):
            continue
        found.append((value, match.start(), end))
    if not found:
        return _python_literal(text)
    value, _, end = found[-1]
    if any(other != value for other, _, _ in found):
        value = None
    while isinstance(value, list) and len(value) == 1 and isinstance(value[0], list):
        value = value[0]
    return ParsedValue(value, text[: found[0][1]], text[end:])


def _python_literal(text: str) -> ParsedValue | None:
    """A structure written with single quotes or a trailing comma, as models that think in Python write it."""
    import ast

    start = min((place for place in (text.find("["), text.find("{")) if place >= 0), default=-1)
    end = max(text.rfind("]"), text.rfind("}"))
    if start < 0 or end <= start or end - start > 20_000:
        return None
    try:
        value = ast.literal_eval(text[start : end + 1])
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return None
    return ParsedValue(value, text[:start], text[end + 1 :]) if isinstance(value, dict | list) else None


def spoken_json(body: str) -> str | None:
    """The answer in an object such as {"answer": "office"} or in a list of strings, as text; "" where it has two."""
    text = body.strip()
    if text[:1] not in "[{" and '{"' not in text and "{'" not in text:
        return None
    found = decode_json(text)
    value = found.value if found is not None else None
    if isinstance(value, list) and len(value) == 1 and isinstance(value[0], dict) and _answer_key(value[0]) is not None:
        value = value[0]
    if isinstance(value, dict):
        key = _answer_key(value)
        if key is not None and any(_SECOND.match(str(other)) for other in value):
            return ""
        if key is None and len(value) == 1:
            key = next(iter(value))
            if _SEVERAL.search(str(key)):
                return ""
        inner = None if key is None else value[key]
        # {"answer": {"value": "office"}}
        if isinstance(inner, dict) and len(inner) == 1 and not _SEVERAL.search(str(next(iter(inner)))):
            inner = next(iter(inner.values()))
        return None if key is None else speak(inner)
    if isinstance(value, list) and text[:1] == "[" and value and all(isinstance(item, str) for item in value):
        return speak(value)
    return None


def _answer_key(value: dict[str, Any]) -> str | None:
    keys = {str(key).lower(): key for key in value}
    return next((keys[name] for name in _KEYS if name in keys), None)


def answer_in(value: Any) -> Any:
    """The answer in a structure that wraps one: {"answer": [{…}], "reasoning": "…"} holds a list of objects."""
    if isinstance(value, list) and len(value) == 1 and isinstance(value[0], dict):
        inner = answer_in(value[0])
        return value if inner is value[0] else inner
    if not isinstance(value, dict):
        return value
    key = _answer_key(value)
    if any(_SECOND.match(str(other)) for other in value):
        return value
    inner = value[key] if key is not None else next(iter(value.values())) if len(value) == 1 else None
    if isinstance(inner, list) and all(isinstance(row, dict) for row in inner):
        return inner
    if isinstance(inner, dict) and len(inner) == 1 and _answer_key(inner) is not None:
        return answer_in(inner)
    if key is not None and isinstance(inner, dict | str) and (len(value) == 1 or isinstance(inner, dict)):
        return inner
    return inner if key is not None and isinstance(inner, str) and inner.strip().lower() == "n/a" else value


def speak(value: Any) -> str:
    """A JSON value as a person would say it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if value is None:
        return "n/a"
    if isinstance(value, list):
        return "\n".join(speak(item) for item in value)
    return json.dumps(value, ensure_ascii=False) if isinstance(value, dict) else str(value)
