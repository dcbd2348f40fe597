r"""Extractors: from raw output to the answer in it.

All of them first take away reasoning between declared tags (`<think>…</think>`), which the log keeps.
A thought that never ends means that the model ran out of room before it answered: that is
*truncated*, not wrong.
"""

from __future__ import annotations

import re
from collections.abc import Callable

import msgspec

__all__ = ["AFTER_MARKER", "BOXED", "FIRST_LINE", "LAST_LINE", "WHOLE", "Extracted", "Extractor", "strip_thoughts"]

_THOUGHT = re.compile(r"<(think|thinking|reasoning)>.*?</\1>", re.DOTALL | re.IGNORECASE)
_OPEN = re.compile(r"<(think|thinking|reasoning)>", re.IGNORECASE)
_CLOSE = re.compile(r"</(think|thinking|reasoning)>", re.IGNORECASE)
_MARKER = re.compile(r"(?:final\s+answer|answer|output|respuesta)\s*(?:is|es)?\s*[:=]\s*", re.IGNORECASE)
_BOX = re.compile(r"\\boxed\s*\{")


class Extracted(msgspec.Struct, frozen=True):
    """The answer, or None where the extractor found none ('unparsed'); `unfinished` for an endless thought."""

    answer: str | None
    unfinished: bool = False


def strip_thoughts(raw: str) -> Extracted:
    """The output without its reasoning. A closing tag without an opening one ends a thought begun by the template."""
    text = _THOUGHT.sub("", raw)
    closing = list(_CLOSE.finditer(text))
    if closing:
        text = text[closing[-1].end() :]
    opening = _OPEN.search(text)
    if opening:
        return Extracted(text[: opening.start()].strip() or None, unfinished=True)
    return Extracted(text)


class Extractor:
    """A named way to find the answer. It sees output without thoughts; None means 'unparsed'."""

    def __init__(self, name: str, find: Callable[[str], str | None]) -> None:
        self.name = name
        self._find = find

    def extract(self, raw: str) -> Extracted:
        """The answer in the raw output."""
        spoken = strip_thoughts(raw)
        if spoken.unfinished or spoken.answer is None:
            return Extracted(None, unfinished=spoken.unfinished)
        return Extracted(self._find(spoken.answer))


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.split("\n") if line.strip()]


def _first_line(text: str) -> str | None:
    lines = _lines(text)
    return lines[0] if lines else None


def _last_line(text: str) -> str | None:
    lines = _lines(text)
    return lines[-1] if lines else None


def _after_marker(text: str) -> str | None:
    """What follows the last 'Answer:' on its line, or on the next one where the line ends there."""
    markers = list(_MARKER.finditer(text))
    return _first_line(text[markers[-1].end() :]) if markers else None


def _boxed(text: str) -> str | None:
    r"""The content of the last `\boxed{…}`, braces balanced."""
    boxes = list(_BOX.finditer(text))
    if not boxes:
        return None
    depth, start = 1, boxes[-1].end()
    for index in range(start, len(text)):
        depth += {"{": 1, "}": -1}.get(text[index], 0)
        if depth == 0:
            return text[start:index].strip()
    return None


WHOLE = Extractor("whole", str.strip)
FIRST_LINE = Extractor("first-line", _first_line)
LAST_LINE = Extractor("last-line", _last_line)
AFTER_MARKER = Extractor("after-marker", _after_marker)
BOXED = Extractor("boxed", _boxed)
