"""Wordings that have been read before: a model that says "Sure! The answer is office." says it a thousand times.

The patient rules go by the words in which people talk, by punctuation and by length; what is none of these words is the
same to them whatever it is. So an output that differs from one read before in nothing but such a word is read as that
one was. The wording is remembered with a gap, and with the places where its answer begins and ends. Readings that
hang on the prompt (sentences that restate the question or repeat the story) are not remembered.
"""

from __future__ import annotations

import re
from functools import lru_cache
from importlib import import_module
from typing import NamedTuple

from taskloom.core import Reading
from taskloom.score.read.evidence import shares_sentence
from taskloom.score.read.profile import Profile

__all__ = ["Wording", "learn", "recall", "wording"]

_RUN = re.compile(r"[^\W\d_]{2,}(?: [^\W\d_]{2,})*")
_NUMBER = re.compile(r"(?<![\w.,'-])\d+(?![\w,'-])(?!\.\d)")
_WORD = re.compile(r"[^\W\d_]+")
_RULES = ("claim", "frame", "grade", "hedge", "labels", "layout", "lenient", "locate", "numbers", "peel", "profile",
          "quantity", "restate", "rival", "stance", "structured", "structures", "thoughts", "vocabulary")  # fmt: skip
_LONGEST = 160
_LONGEST_GAP = 24
_MOST_WORDS = 1 << 16
_MOST_FORMS = 512
_MOST_WORDINGS = 512
_HANGS_ON_PROMPT = frozenset({"restated", "repeats the prompt"})


class Wording(NamedTuple):
    """An output with a gap.

    Attributes:
        text: The output.
        key: The output without what stands in the gap, and how many words or digits that has.
        start: Where the gap begins.
        end: Where it ends.
    """

    text: str
    key: tuple[str, str, int]
    start: int
    end: int


class _Outcome(NamedTuple):
    """Where in a wording its answer and its prose begin, and how far from the end they stop."""

    answer: tuple[int, int]
    said: tuple[int, int] | None
    why: str


_known: dict[int, dict[tuple[str, str, int], _Outcome]] = {}
_asked_before: dict[str, bool] = {}


def wording(text: str, profile: Profile) -> Wording | None:
    """The output with a gap where its only word stands that no rule knows; None where there is no such one."""
    if not 2 < len(text) <= _LONGEST or profile.sentence or profile.task.kind in ("json", "sequence"):
        return None
    if profile.task.labels:
        return Wording(text, (text, "", 0), 0, 0) if all(map(_is_known, _WORD.findall(text))) else None
    if profile.task.kind == "number":
        places = [match.span() for match in _NUMBER.finditer(text)]
        if len(places) != 1 or not all(map(_is_known, _WORD.findall(text))):
            return None
        start, end = places[0]
        return Wording(text, (text[:start], text[end:], min(end - start, 3)), start, end)
    found = None
    for run in _RUN.finditer(text):
        first, last, at = -1, 0, run.start()
        for word in run[0].split(" "):
            if not _is_known(word):
                if first >= 0 and last + 1 != at:
                    return None
                first, last = (at if first < 0 else first), at + len(word)
            at += len(word) + 1
        if first >= 0:
            if found is not None or last - first > _LONGEST_GAP:
                return None
            found = first, last
    if found is None:
        return None
    start, end = found
    return Wording(text, (text[:start], text[end:], text.count(" ", start, end)), start, end)


def recall(said: Wording, profile: Profile, prompt: str) -> Reading | None:
    """The reading of an output whose wording has been read before, else None."""
    known = _known.get(profile.form)
    outcome = known.get(said.key) if known is not None else None
    if outcome is None or shares_sentence(said.text, prompt, profile):
        return None
    text, size = said.text, len(said.text)
    begin, rest = outcome.answer
    prose = "" if outcome.said is None else text[outcome.said[0] : size - outcome.said[1]]
    return Reading(text[begin : size - rest], outcome.why, said=prose)


def learn(said: Wording, reading: Reading, profile: Profile, prompt: str) -> None:
    """Remember how a wording was read, if that hangs on nothing but the wording."""
    answer, text = reading.answer, said.text
    if not answer or reading.unfinished or reading.why in _HANGS_ON_PROMPT or shares_sentence(text, prompt, profile):
        return
    place = text.find(answer) if profile.task.labels else text.rfind(answer, 0, said.end + 8)
    if place < 0 or not (profile.task.labels or (place <= said.start and said.end <= place + len(answer))):
        return
    prose = text.find(reading.said) if reading.said else 0
    if prose < 0:
        return
    size = len(text)
    spoken = (prose, size - prose - len(reading.said)) if reading.said else None
    known = _known.get(profile.form)
    if known is None:
        if len(_known) >= _MOST_FORMS:
            _known.clear()
        known = _known[profile.form] = {}
    if len(known) < _MOST_WORDINGS:
        known[said.key] = _Outcome((place, size - place - len(answer)), spoken, reading.why)


def _is_known(word: str) -> bool:
    """Whether any rule knows a word, so that another word in its place might be read otherwise."""
    known = _asked_before.get(word)
    if known is None:
        if len(_asked_before) >= _MOST_WORDS:
            _asked_before.clear()
        known = _asked_before[word] = _ask_rules(word)
    return known


def _ask_rules(word: str) -> bool:
    words, patterns = _rules()
    folded = word.casefold()
    if folded in words or folded.endswith("ly") or len(folded) < 2:
        return True
    return any(pattern.search(word) is not None for pattern in patterns)


@lru_cache(maxsize=1)
def _rules() -> tuple[frozenset[str], tuple[re.Pattern[str], ...]]:
    """All words that the rules name, and all patterns that find some words and not others."""
    words: set[str] = set()
    patterns: list[re.Pattern[str]] = []
    for name in _RULES:
        for value in vars(import_module(f"taskloom.score.read.{name}")).values():
            if isinstance(value, re.Pattern):
                words.update(_WORD.findall(re.sub(r"\\.", " ", value.pattern).casefold()))
                if value.search("Zorvak") is None and value.search("zorvak") is None:
                    patterns.append(value)
            elif isinstance(value, frozenset | set | tuple | dict) and all(isinstance(one, str) for one in value):
                words.update(part for one in value for part in _WORD.findall(one.casefold()))
    return frozenset(words), tuple(patterns)
