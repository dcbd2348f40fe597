"""Wordings of an instruction: the definition and the answer format in other words, in frames with slots for both.

Which wording a model happens to be shown moves its score, and nobody knows the right one. Runs with `--wordings n` draw
one of n for each instance by key, so that the spread over wordings can be separated from the spread over instances.
"""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

from taskloom.core import Instance, Task, UserError, keyed_random
from taskloom.protocol.formats import WORDS, RewordedSentence, language_of

MOST_WORDINGS = len(WORDS.frames["en"])


class SentencePattern(NamedTuple):
    """A kind of sentence in definitions of a family ("all" for any), with other wordings that have the same slots."""

    family: str
    sentence: re.Pattern[str]
    wordings: tuple[str, ...]


def _pattern(one: RewordedSentence) -> SentencePattern:
    whole = re.sub(r"%(\w+)%", lambda part: WORDS.parts[part[1]], one.pattern)
    return SentencePattern(one.family, re.compile(rf"(?:(?<=[.?!:]\s)|^){whole}"), one.wordings)


@cache
def patterns() -> tuple[SentencePattern, ...]:
    """The kinds of sentences that can be reworded. What none recognises stays as it is, so no meaning changes."""
    return tuple(map(_pattern, WORDS.sentences))


def wordings(count: int) -> int:
    """A number of wordings, checked.

    Raises:
        UserError: Fewer than one, or more than there are.
    """
    if not 1 <= count <= MOST_WORDINGS:
        raise UserError(f"there are 1 to {MOST_WORDINGS} wordings, not {count}", where="--wordings")
    return count


def draw_wording(task: Task, instance: Instance, count: int, seed: int) -> int:
    """Which wording an instance is asked under: the same in every run with the same seed."""
    if count <= 1:
        return 0
    return keyed_random("wording", seed, count, task.name, instance.id).randrange(count)


def reword(task: Task, form: str, wording: int, shape: str = "") -> str:
    """The definition with its answer format, in one of the wordings: both in other words, and in another frame.

    `shape`, the sentence that names the form of the last line, stays as it is: readers know that form.
    """
    template = WORDS.frames[language_of(task)][wording]
    definition = paraphrase(task.instruction.definition, wording)
    # Definitions may hold braces, so the slots are filled by replacement, the format first.
    asked = " ".join(filter(None, (paraphrase(form, wording), shape)))
    return template.replace("{format}", asked).replace("{definition}", definition).strip()


def paraphrase(text: str, wording: int) -> str:
    """An instruction in another wording; the one it has for wording 0.

    Args:
        text: A definition or an answer format.
        wording: The number of the wording. Sentences of several kinds change together, each by its own list.
    """
    if wording == 0:
        return text
    found: list[tuple[int, int, str]] = []
    for pattern in patterns():
        said = pattern.wordings[(wording - 1) % len(pattern.wordings)]
        for match in pattern.sentence.finditer(text):
            if all(match.end() <= start or match.start() >= end for start, end, _ in found):
                found.append((*match.span(), _filled(said, match.groupdict())))
                # "Please …" at the head of every sentence would be a mannerism.
                break
    parts, place = [], 0
    for start, end, filled in sorted(found):
        parts += [text[place:start], filled]
        place = end
    return "".join(parts) + text[place:]


def _filled(template: str, slots: dict[str, str]) -> str:
    for name, value in slots.items():
        said = value[:1].lower() + value[1:] if name == "do" else value
        template = template.replace(f"{{{name}}}", said)
    return template
