"""JSON in an output: the values in a text, and the answer that a value wraps."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

__all__ = ["FoundValue", "literal", "spoken", "unwrapped", "values_in"]

_OPEN = re.compile(r"[\[{]")
_KEYS = ("answer", "final_answer", "final answer", "label", "output", "result", "response", "respuesta", "antwort",
         "prediction", "value")  # fmt: skip
_BESIDE = frozenset(
    {"reasoning", "explanation", "rationale", "thought", "thoughts", "thinking", "confidence", "evidence", "question",
     "steps", "analysis", "score"}
)  # fmt: skip
"""Keys that may stand beside an answer. Any other may hold a second one."""
_DECODER = json.JSONDecoder()
_MOST = 24
_LONGEST_LITERAL = 20_000


class FoundValue(NamedTuple):
    """A JSON object or list in a text, and its place."""

    value: Any
    start: int
    end: int


def values_in(text: str) -> Iterator[FoundValue]:
    """The JSON objects and lists in a text, the outermost ones."""
    end = 0
    for attempt, match in enumerate(_OPEN.finditer(text)):
        if attempt >= _MOST:
            return
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
    if {str(other).lower() for other in value} - {str(key).lower()} - _BESIDE:
        return None
    inner = value[key]
    return unwrapped(inner) if isinstance(inner, dict) and len(inner) == 1 else inner


def _key(value: dict[Any, Any]) -> Any:
    keys = {str(key).lower(): key for key in value}
    return next((keys[name] for name in _KEYS if name in keys), None)


def spoken(value: Any) -> str:
    """A JSON value as a person would write it."""
    if isinstance(value, list):
        return "\n".join(map(spoken, value))
    if isinstance(value, bool):
        return "true" if value else "false"
    return "n/a" if value is None else str(value)
