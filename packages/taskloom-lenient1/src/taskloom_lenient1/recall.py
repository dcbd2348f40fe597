"""Wordings that have been read before: a model that says "Sure! The answer is office." says it a thousand times.

The patient rules go by the words in which people talk, by punctuation, by case, by the number of words, and by which
words the question has too. What is none of their words (`lexicon`) is the same to them whatever it is. So an output
that differs from one read before in nothing but such words is read as that one was: the wording is remembered with gaps
for them, and the reading with the places where its answer and its prose begin and end. Outputs that repeat a
sentence or a quoted line of the prompt are neither remembered nor recalled.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple, TypeAlias

from taskloom.core import Reading
from taskloom_lenient1.evidence import quotes_line, shares_sentence
from taskloom_lenient1.lexicon import JOINTS, is_known
from taskloom_lenient1.numbers import find_numbers
from taskloom_lenient1.profile import Profile
from taskloom_lenient1.restate import question_kind, question_words, stem_of, topic_of

__all__ = ["Wording", "learn", "recall", "wording"]

_TOKEN = re.compile(r"([^\W\d_]+|\d+)")
_IS = frozenset({"is", "are", "was", "means", "equals", "es", "son", "significa"})
_SMALL, _CAPITAL, _MIXED, _DIGITS, _AGAIN = "\x01", "\x02", "\x03", "\x04", "\x05"
_SHAPES = re.compile(r"[\x01-\x05]")
_LONGEST = 160
_LONGEST_GAP = 24
_LONG_WORD = 3
_MOST_WORDINGS = 1 << 15


class Wording(NamedTuple):
    """An output with gaps.

    Attributes:
        text: The output.
        key: What its reading hangs on.
        parts: Its words, and what stands before, between and after them.
        gaps: The places among them of words that no rule knows.
    """

    text: str
    key: tuple[object, ...]
    parts: list[str]
    gaps: list[int]


_Place: TypeAlias = tuple[int, int, int, int]
"""Where a piece of a wording begins and ends: twice a part and an offset into it."""


class _Outcome(NamedTuple):
    """A reading whose answer and prose are given by their places, or as they are where no gap is in them."""

    answer: _Place | str | None
    said: _Place | str
    why: str


_known: dict[tuple[object, ...], _Outcome] = {}


def wording(text: str, profile: Profile, prompt: str) -> Wording | None:
    """The output with gaps for the words that no rule knows; None where its reading may hang on anything else."""
    kind = profile.task.kind
    if not 2 < len(text) <= _LONGEST or profile.sentence or "?" in text or _SHAPES.search(text):
        return None
    if kind == "json" and ("{" in text or "[" in text):
        return None
    parts = _TOKEN.split(text)
    spelled = parts.copy()
    gaps: list[int] = []
    seen: dict[str, str] = {}
    labels = _words_of(profile.task.labels)
    for place in range(1, len(parts), 2):
        word = parts[place]
        if is_known(word) or word in labels or (kind != "number" and word.isdecimal()):
            continue
        if len(word) > _LONGEST_GAP or _is_part(parts, place) or not (word.isalpha() or word.isdecimal()):
            return None
        gaps.append(place)
        again = seen.get(folded := word.casefold(), "")
        if not again:
            seen[folded] = _AGAIN * len(gaps)
        spelled[place] = _shape(word) + again
    if gaps and gaps[-1] == len(parts) - 2 and _is_begun(parts, gaps):
        return None
    return Wording(text, (profile.form, "".join(spelled), *_facts(parts, profile, prompt)), parts, gaps)


def _shape(word: str) -> str:
    """What rules may see of a word that they do not know: its case, and of a number how many digits it has."""
    if word.isdecimal():
        return _DIGITS * min(len(word), 3)
    return _SMALL if word.islower() else _CAPITAL if word.istitle() else _MIXED


def _is_part(parts: list[str], place: int) -> bool:
    """Whether a word is joined to what stands beside it ("Daniel's", "steel-grey", "3rd")."""
    before, after = parts[place - 1], parts[place + 1]
    return (before[-1] in JOINTS if before else place > 1) or (after[0] in JOINTS if after else place + 2 < len(parts))


def _is_begun(parts: list[str], gaps: list[int]) -> bool:
    """Whether the last word begins an earlier one, and may have been cut off."""
    last = parts[gaps[-1]].casefold()
    return any(parts[gap].casefold().startswith(last) and len(parts[gap]) > len(last) for gap in gaps)


@lru_cache(maxsize=1024)
def _words_of(labels: tuple[str, ...]) -> frozenset[str]:
    return frozenset(word for label in labels for form in (label, label.casefold()) for word in _TOKEN.findall(form))


def _facts(parts: list[str], profile: Profile, prompt: str) -> tuple[object, ...]:
    """What the rules look up in the prompt: its kind of question, and which words it shares with the output."""
    if profile.task.labels:
        return ()
    asked = question_words(prompt)
    words = parts[1::2]
    shared = [place for place, word in enumerate(words) if stem_of(word) in asked] if asked else ()
    if _IS.isdisjoint(words):
        return (question_kind(prompt), *shared)
    last = max(place for place, word in enumerate(words) if word in _IS)
    topic = topic_of(prompt)
    about = [place for place, word in enumerate(words[:last]) if len(word) >= _LONG_WORD and word.casefold() in topic]
    return (question_kind(prompt), *shared, "", *about)


def recall(said: Wording, profile: Profile, prompt: str) -> Reading | None:
    """The reading of an output whose wording has been read before, else None."""
    outcome = _known.get(said.key)
    if outcome is None or _repeats(said.text, prompt, profile):
        return None
    return Reading(_take(said, outcome.answer), outcome.why, said=_take(said, outcome.said) or "")


def learn(said: Wording, reading: Reading, profile: Profile, prompt: str) -> None:
    """Remember how a wording was read, if that hangs on nothing but the wording."""
    if reading.unfinished or _hangs_on_prompt(said, reading, profile) or _repeats(said.text, prompt, profile):
        return
    answer = None if reading.answer is None else _find(said, reading.answer)
    prose = _find(said, reading.said)
    if prose is None or (answer is None and reading.answer is not None):
        return
    if len(_known) >= _MOST_WORDINGS:
        _known.clear()
    _known[said.key] = _Outcome(answer, prose, reading.why)


def _hangs_on_prompt(said: Wording, reading: Reading, profile: Profile) -> bool:
    """Whether the rules looked for more in the prompt than a wording's facts tell."""
    if reading.why == "repeats the prompt":
        return True
    if profile.task.labels:
        return reading.answer is None or reading.why == "restated"
    # Of several numbers the one counts that the prompt does not have.
    return profile.task.kind == "number" and len(set(find_numbers(said.text))) > 1


def _repeats(text: str, prompt: str, profile: Profile) -> bool:
    return shares_sentence(text, prompt, profile) or quotes_line(text, prompt)


def _find(said: Wording, piece: str) -> _Place | str | None:
    """Where a piece stands in a wording, or the piece itself where it has no gap; None where neither can be told."""
    folded = piece.casefold()
    if not any(said.parts[gap].casefold() in folded for gap in said.gaps):
        return piece
    start = said.text.rfind(piece)
    if start < 0:
        return None
    first, last = _point(said, start), _point(said, start + len(piece))
    return None if first is None or last is None else (*first, *last)


def _point(said: Wording, offset: int) -> tuple[int, int] | None:
    """The part in which an offset lies and how far into it; None where it lies within a gap."""
    for place, part in enumerate(said.parts):
        if offset < len(part) or (offset == 0 and place % 2):
            return None if offset and place in said.gaps else (place, offset)
        offset -= len(part)
    return (len(said.parts), 0)


def _take(said: Wording, piece: _Place | str | None) -> str | None:
    """A piece of a wording."""
    if piece is None or isinstance(piece, str):
        return piece
    first, into, last, end = piece
    start = sum(map(len, said.parts[:first])) + into
    return said.text[start : sum(map(len, said.parts[:last])) + end]
