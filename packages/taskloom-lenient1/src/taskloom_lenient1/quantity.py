"""Answers that are numbers, and what the rules for numbers and for text share: ends of sentences, bullets, refusals."""

from __future__ import annotations

import re

from taskloom_lenient1.frame import strip_openers
from taskloom_lenient1.hedge import (
    ALTERNATIVE,
    CONTRAST,
    CROWD,
    DENIAL,
    OPEN,
    may_deny,
    may_doubt,
    may_refuse,
    takes_back,
)
from taskloom_lenient1.locate import Region
from taskloom_lenient1.numbers import find_numbers, number_text
from taskloom_lenient1.peel import peel
from taskloom_lenient1.profile import Profile

__all__ = ["BULLET", "SENTENCE_END", "SET_AGAINST", "read_number", "refusal"]

SET_AGAINST = re.compile(
    r"(?:,| and| but) ?(?:and |but )?not\s+(?!(?:it|so|sure|certain|correct|right|true)\b)[^,.;]*$"
    r"|,? (?:rather than|instead of)\s+[^,.;]*$",
    re.IGNORECASE,
)
SENTENCE_END = re.compile(r"(?<=[^\W_][^\W_)\]\"'”*`])[.!?][)\"'”*`]*\s+(?=\S)")
BULLET = re.compile(r"^\s*(?:[-*•–+]\s+|\(?(?:\d{1,3}|[a-hA-H])[.):]\s+)")
_WORDS = re.compile(r"\w+")
_ALONE = re.compile(r"[\s*_\"“]*([-+−]?\d[\d.,]*)[.!][*_\"”]*\s+(?=[^\W\d_a-z])")
_BESIDES = re.compile(r"\b(?:and also|as well as)\b|\by también\b", re.IGNORECASE)
_JOINED = re.compile(
    r"; |\d\s*(?:and|or|&|y|o|,)\s+(?:(?:also|then|maybe|perhaps|possibly|as well as)\s+)?[\d-]", re.IGNORECASE
)


def read_number(region: Region, profile: Profile, prompt: str) -> tuple[str | None, str]:
    """The number that a passage gives, or None and why not."""
    text = region.text
    if region.found == "marker" and (alone := _ALONE.match(text)) is not None:
        # "The answer is 7. There were 9 at first.": no number of a list.
        text = alone[1]
    elif region.found == "marker" and find_numbers(first := SENTENCE_END.split(text.strip())[0]):
        text = first
    sentence = _sentence_with_number(text)
    if "=" in sentence:
        sentence = (
            sentence[sentence.rfind("=") + 1 :] if find_numbers(sentence[sentence.rfind("=") + 1 :]) else sentence
        )
    core = SET_AGAINST.sub("", peel(sentence))
    refused = "hedged" if core.endswith("?") else refusal(core, region.before, profile)
    if refused:
        return None, refused
    found = find_numbers(peel(strip_openers(core)))
    distinct = list(dict.fromkeys(found))
    if len(distinct) > 1 and re.search(r"\bone\b", core, re.IGNORECASE):
        # "one by one", "this one": the word is no number where another number stands beside it.
        distinct = [value for value in distinct if value != 1] if not re.search(r"\b1\b", core) else distinct
    if len(distinct) > 1:
        given = set(find_numbers(prompt[-3000:]))
        fresh = [value for value in distinct if value not in given]
        distinct = fresh if len(fresh) == 1 else distinct
    if len(distinct) > 1 and region.found in ("marker", "conclusion", "box") and not _JOINED.search(core):
        distinct = distinct[:1] if find_numbers(core.split()[0]) else distinct
    if len(distinct) == 1:
        return number_text(distinct[0]), ""
    if not distinct and re.search(r"\b(?:none|nothing|no|ninguno|ninguna|nada)\b", core, re.IGNORECASE):
        return "0", "none"
    return None, "several numbers" if distinct else "no number"


def _sentence_with_number(text: str) -> str:
    """The last line or sentence that gives a number."""
    lines = [line for line in text.strip().split("\n") if line.strip()]
    if len(lines) > 1 and all(map(BULLET.match, lines)):
        return "; ".join(BULLET.sub("", line) for line in lines)
    if len(lines) > 1 and find_numbers(lines[0]) and len(lines[0].split()) <= 3:
        alone = [line for line in lines if find_numbers(line) and len(line.split()) <= 3]
        return lines[0] if len(alone) == 1 else "; ".join(alone)
    for line in reversed(lines):
        parts = SENTENCE_END.split(line)
        for sentence in reversed(parts):
            if find_numbers(sentence):
                return sentence
    return lines[0] if lines else ""


def refusal(core: str, before: str, profile: Profile) -> str:
    """Why a passage cannot be credited: it hedges or denies."""
    words = set(_WORDS.findall(core.casefold()))
    hedge = ALTERNATIVE.search(core) if may_doubt(words, core) else None
    if hedge is not None and not (profile.alternatives and hedge[0].lower() == "or"):
        return "hedged"
    if may_deny(words, core) and DENIAL.search(core):
        return "denied"
    if profile.task.kind == "text" and _BESIDES.search(core):
        return "several answers"
    # What is longer than any answer is read by its words, and those may speak of someone else's answer.
    if (
        len(core.split()) > profile.words + 3
        and may_refuse(words, core)
        and any(sign.search(core) for sign in (OPEN, CROWD, CONTRAST))
    ):
        return "hedged"
    return "denied or hedged" if takes_back(before) else ""
