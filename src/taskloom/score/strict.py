r"""Strict readers: they cut the answer out of the output and change nothing about it.

All of them first take away reasoning between declared tags (`<think>…</think>`).
"""

from __future__ import annotations

import re
from abc import abstractmethod
from typing import ClassVar

from taskloom.core import Reader, Reading, Task
from taskloom.score.read.lenient import split_thoughts

_MARKER = re.compile(r"(?:final\s+answer|answer|output|respuesta)\s*(?:is|es)?\s*[:=]\s*", re.IGNORECASE)
_ASKED = re.compile(r"(?:answer|respuesta|antwort): *(\S.*)", re.IGNORECASE)
_BOX = re.compile(r"\\boxed\s*\{")


def strip_thoughts(raw: str) -> Reading:
    """The output without its reasoning, marked as unfinished where a thought never ends."""
    said, unfinished = split_thoughts(raw)
    return Reading(said.strip() or None, "still thinking", unfinished=True) if unfinished else Reading(said)


class StrictReader(Reader, frozen=True):
    """The base of readers that look at the output alone."""

    missing: ClassVar[str] = "empty"
    """Why there is no answer where `find` finds none."""

    @abstractmethod
    def find(self, text: str) -> str | None:
        """The answer in output without thoughts, or None."""

    def read(self, text: str, task: Task, prompt: str = "") -> Reading:
        spoken = strip_thoughts(text)
        if spoken.unfinished or spoken.answer is None:
            return Reading(None, spoken.why, spoken.unfinished)
        answer = self.find(spoken.answer)
        return Reading(answer, self.missing if answer is None else "")


class Whole(StrictReader, frozen=True):
    """All of the output, without white space at its ends."""

    name: ClassVar[str] = "whole"

    def find(self, text: str) -> str | None:
        return text.strip()


class FirstLine(StrictReader, frozen=True):
    """The first line that is not blank."""

    name: ClassVar[str] = "first-line"

    def find(self, text: str) -> str | None:
        return _first_line(text)


class LastLine(StrictReader, frozen=True):
    """The last line that is not blank."""

    name: ClassVar[str] = "last-line"

    def find(self, text: str) -> str | None:
        return next((line.strip() for line in reversed(text.split("\n")) if line.strip()), None)


class AfterMarker(StrictReader, frozen=True):
    """What follows the last "Answer:" on its line, or the next line where nothing does."""

    name: ClassVar[str] = "after-marker"
    missing: ClassVar[str] = "no marker"

    def find(self, text: str) -> str | None:
        markers = list(_MARKER.finditer(text))
        return _first_line(text[markers[-1].end() :]) if markers else None


class AskedLine(StrictReader, frozen=True):
    """What follows "Answer:" on the last line, as chat models are asked for it; without one, all of the output."""

    name: ClassVar[str] = "asked"

    def find(self, text: str) -> str | None:
        line = text.strip().rpartition("\n")[2]
        asked = _ASKED.fullmatch(line)
        return asked[1] if asked is not None else text.strip()


class BoxedReader(StrictReader, frozen=True):
    r"""The content of the last `\boxed{…}`, braces balanced."""

    name: ClassVar[str] = "boxed"
    missing: ClassVar[str] = "no box"

    def find(self, text: str) -> str | None:
        boxes = list(_BOX.finditer(text))
        if not boxes:
            return None
        depth, start = 1, boxes[-1].end()
        for index in range(start, len(text)):
            depth += {"{": 1, "}": -1}.get(text[index], 0)
            if depth == 0:
                return text[start:index].strip()
        return None


def _first_line(text: str) -> str | None:
    return next((line.strip() for line in text.split("\n") if line.strip()), None)


WHOLE = Whole()
FIRST_LINE = FirstLine()
LAST_LINE = LastLine()
AFTER_MARKER = AfterMarker()
BOXED = BoxedReader()
ASKED = AskedLine()
