"""Answers that break off: "Mary is in the garden. The answer is: Mary is in".

Whoever is cut short while repeating what has been said takes nothing of it back. So an ending that announces an answer
and stops before it gives one is taken off, if all that it has of the answer begins something said before.
"""

from __future__ import annotations

import re

from taskloom.core import Task
from taskloom_lenient1.labels import LabelSet, fold_label, label_set
from taskloom_lenient1.locate import BOX, MARKER, same_sentence
from taskloom_lenient1.restate import GRAMMAR

__all__ = ["without_unfinished"]

_MARKS = " \t\n*_`\"“‘'"
_ARTICLES = frozenset({"the", "a", "an", "el", "la", "un", "una", "der", "die", "das", "ein", "eine"})
_LONGEST = 200
_SAID = re.compile(r"\w\W*?[.!?\n]")


def without_unfinished(body: str, task: Task) -> str:
    """An output without an ending that breaks off in the middle of an answer given before; else the output as it is.

    Args:
        body: The output, without blanks at its end.
        task: The task. A label that is one as a whole does not break off.
    """
    if not (body[-1:].isalnum() or body.endswith("{")) or not _SAID.search(body):
        return body
    tail = body[-_LONGEST:]
    found = list(MARKER.finditer(tail)) or list(BOX.finditer(tail))
    if not found:
        return body
    start = len(body) - len(tail) + found[-1].start()
    given = body[len(body) - len(tail) + found[-1].end() :]
    box = BOX.search(given)
    given = given[box.end() :] if box is not None else given
    before = body[: start - len(same_sentence(body[:start]))]
    if not before.strip() or "}" in given or "\n" in given.strip():
        return body
    rest = given.lstrip(_MARKS)
    marked = rest != given.lstrip() or box is not None or found[-1].re is BOX
    if task.labels:
        return _without_begun_label(body, before, fold_label(rest), label_set(task))
    return before if _breaks_off(rest.casefold(), before.casefold(), marked) else body


def _without_begun_label(body: str, before: str, rest: str, labels: LabelSet) -> str:
    """An output without the beginning of a label that was named before; nothing where it begins another one."""
    begun = {fold_label(label) for label in labels.labels if fold_label(label).startswith(rest)}
    if not rest or not begun or rest in labels.whole:
        return body
    named = {fold_label(found[0]) for found in labels.search.finditer(before)}
    return before if begun & named else ""


def _breaks_off(rest: str, before: str, marked: bool) -> bool:
    """Whether a rest begins what was said before and is too little to be an answer of its own."""
    if not rest:
        return marked
    place = before.rfind(rest)
    if place < 0 or before[:place][-1:].isalnum():
        return False
    words = rest.split()
    after = before[place + len(rest) :][:1]
    if after.isalnum():
        # Within a word: one word alone may be an answer ("art" after "artist"), unless its marks are still open.
        return marked or len(words) > 1
    return after == " " and (words[-1] in GRAMMAR if len(words) > 1 else words[0] in _ARTICLES)
