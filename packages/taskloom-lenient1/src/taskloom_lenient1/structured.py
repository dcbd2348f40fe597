"""Answers that are JSON: the value that an output gives, unless the prose around it takes it back."""

from __future__ import annotations

import json
import re

from taskloom_lenient1.hedge import ALTERNATIVE, NOT_AVAILABLE, takes_back, without_harmless
from taskloom_lenient1.stance import stance
from taskloom_lenient1.structures import answer_in, decode_json

__all__ = ["read_structure"]

_SECOND_THOUGHT = re.compile(r"\b(?:wait|scratch that|second thought|correction|answer is)\b", re.IGNORECASE)
_WRAPPED = re.compile(r"(?:\\\w+\{|\b(?:print|return|json\.dumps|JSON\.parse)\()\s*$")
_VALUE = "VALUE"
_PATTERN = re.compile(_VALUE)


def read_structure(text: str, *, missing: bool) -> tuple[str | None, str]:
    """The JSON that a passage gives for its answer, or None and why not.

    Args:
        text: The passage that holds the answer.
        missing: "n/a" is an answer.
    """
    found = decode_json(text)
    if found is None:
        return None, "no JSON"
    if found.value is None:
        return None, "several answers"
    wrapped = _WRAPPED.search(found.before)
    around = (found.before[: wrapped.start()], found.after.lstrip()[1:]) if wrapped else (found.before, found.after)
    if not _is_given(*around):
        return None, "denied or hedged"
    value = answer_in(found.value)
    if isinstance(value, str) and missing and NOT_AVAILABLE.fullmatch(value.strip()):
        return "n/a", "silent"
    return json.dumps(value, ensure_ascii=False), ""


def _is_given(before: str, after: str) -> bool:
    """Whether a structure is what the prose around it gives for the answer."""
    around = without_harmless(f"{before[-80:]} {after[:40]}")
    if NOT_AVAILABLE.search(around) or _SECOND_THOUGHT.search(after):
        return False
    if not (before.strip() or after.strip()):
        return True
    given = stance(f"{before[-400:]}{_VALUE}{after[:400]}", _PATTERN, 1)
    lines = before.rpartition("\n")[2], after.partition("\n")[0].strip("` .")
    if any(map(str.strip, lines)):
        return given == "asserted"
    # On lines of its own. The sentence that leads up to it may still doubt it.
    lead = before.rstrip("` \n").rpartition("\n")[2]
    return given != "taken back" and not (takes_back(lead) or ALTERNATIVE.search(after[:40]))
