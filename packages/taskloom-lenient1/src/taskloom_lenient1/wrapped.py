"""Ordinary wrapping, taken off at sight: "Sure! …", "Here is the answer: …", tags, boxes, fences, talk at the end.

Only what leaves no doubt is taken off here, piece by piece and without a search; all the rest is for the patient rules.
"""

from __future__ import annotations

import re
from functools import lru_cache

from taskloom_lenient1.frame import is_address, is_frame
from taskloom_lenient1.hedge import SIGNS
from taskloom_lenient1.vocabulary import NOUNS

__all__ = ["unwrapped"]

_TAGGED = re.compile(r"<(answer|final|output|result|response|label)>\s*([^<>{}\[\]\n]+?)\s*</\1>", re.IGNORECASE)
_BOXED = re.compile(r"\$?\\boxed\{(?:\\text\{([^{}\\$]+)\}|([^{}\\$]+))\}\$?\.?")
_KEYED = re.compile(r"\{\"answer\": ?\"([^\"\\]+)\"\}")
_FENCED = re.compile(r"```(?:\n)?([^`\n]+)(?:\n)?```")
_LISTED = re.compile(r"[>•-] ([^\n]+)")
_CHEERS = " ✅🎉😊🙂👍🎯"
_OPENERS = frozenset({"based", "according", "given", "from", "judging", "looking", "after"})
_NO_ANSWER = frozenset(
    re.findall(
        r"\w+",
        """possible possibilities options choices candidates alternatives answers labels results another
        text input passage story question prompt task instruction instructions again""",
    )
)
"""Talk that announces several answers, or none but what was asked."""
_GREETINGS = (["sure"], ["great", "question"], ["good", "question"])
_WORDS = re.compile(r"[^\W\d_]+")
_CLOSED = (".", "!", "?")
_CLOSING = frozenset(_CLOSED)
_MOST_LAYERS = 4
_LONGEST_HEAD = 60
_LONGEST_REST = 80


def unwrapped(text: str) -> str:
    """What ordinary wrapping leaves of an output, or the output as it is."""
    for _ in range(_MOST_LAYERS):
        inner = _inside(text) if text[:1] in "<{`\\$>•-" else _unframed(text)
        # Where all of it sounds like talk, an answer does too ("Understood. Call option.").
        if not inner or is_frame(inner):
            return text
        text = inner
    return text


def _inside(text: str) -> str | None:
    """What marks enclose, where they enclose everything."""
    first = text[:1]
    if first == "<":
        found = _TAGGED.fullmatch(text)
        return None if found is None else found[2]
    if first in "\\$":
        box = _BOXED.fullmatch(text)
        return None if box is None else box[1] or box[2]
    pattern = _KEYED if first == "{" else _FENCED if first == "`" else _LISTED
    found = pattern.fullmatch(text)
    return None if found is None else found[1].strip()


def _unframed(text: str) -> str | None:
    """An output without one piece of talk at its beginning or its end."""
    if text[-1:] in _CHEERS:
        return text.rstrip(_CHEERS)
    head, gap, rest = text.partition("\n\n")
    if gap:
        if "\n" in rest or "\n" in head:
            return None
        if rest.endswith(_CLOSED) and len(rest) <= _LONGEST_REST and _CLOSING.isdisjoint(rest[:-1]) and _is_talk(rest):
            return head
        return rest if len(head) <= _LONGEST_HEAD and head.endswith((":", "!")) and _is_talk(head) else None
    for sign in ("! ", ": "):
        head, gap, rest = text.partition(sign)
        if gap and len(head) <= _LONGEST_HEAD:
            # "The answer is simple: …" says two things of the answer.
            plain = sign == "! " or " is " not in head or head.rpartition(" ")[2].casefold() in NOUNS
            return rest if plain and _is_talk(head) else None
    # A comma parts more than talk from an answer, so that only "Based on the story, …" goes before it.
    head, gap, rest = text.partition(", ")
    if gap and len(head) <= _LONGEST_HEAD and head.partition(" ")[0].casefold() in _OPENERS:
        return rest if _is_talk(head) else None
    head, gap, rest = text.rpartition(", ")
    if gap and len(rest) <= _LONGEST_REST and rest.startswith(("I'm ", "I am ")) and is_address(rest):
        return head
    head, gap, rest = text.rpartition(". ")
    if gap and rest.endswith(_CLOSED) and len(rest) <= _LONGEST_REST and _is_talk(rest):
        return f"{head}."
    head, gap, rest = text.rpartition(" — ")
    return head if gap and len(rest) <= _LONGEST_REST and _is_talk(rest) else None


@lru_cache(maxsize=4096)
def _is_talk(segment: str) -> bool:
    """Whether a segment is nothing but talk, names no answer, and speaks of one answer alone."""
    if not is_frame(segment):
        return False
    words = _WORDS.findall(segment.casefold())
    if not words:
        return False
    if words[0] in _OPENERS:
        return SIGNS.isdisjoint(words) or words[:2] == ["after", "reading"]
    if is_address(segment) or words in _GREETINGS:
        return True
    return _NO_ANSWER.isdisjoint(words) and SIGNS.isdisjoint(words)
