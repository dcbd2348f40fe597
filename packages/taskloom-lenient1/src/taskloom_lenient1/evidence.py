"""Sentences of the prompt that an output repeats: evidence for an answer, and no assertion of their own.

"Office. Daniel is either in the garden or the office." doubts nothing: the second sentence is the story's. Whoever
quotes the story has not said it himself, so such sentences go before the rest is weighed, quoted or not, alone on a
line or after "because".
"""

from __future__ import annotations

import re
from functools import lru_cache

from taskloom_lenient1.frame import is_frame, segments
from taskloom_lenient1.profile import Profile

__all__ = ["is_evidence", "quotes_line", "shares_sentence", "without_evidence"]

_SENTENCE = re.compile(r"\n+|(?<=[.!?])\s+")
_WORD = re.compile(r"[^\W_]+")
_LEADS = re.compile(r"[ \t]*(?:(?:[-*•–+>]+|\(?\d{1,2}[.)])[ \t]+)?")
_QUOTATION = re.compile(r"[\"“‘«*]([^\"”’»*\n]{2,400})[\"”’»*]")
"""What stands between quotation marks, or in bold."""
_OPEN, _CLOSE = "\"'“‘«*_`", "\"'”’»*_`"
_MOST_SENTENCES = 2_000
_UNKNOWN_LENGTH = 6


def without_evidence(body: str, prompt: str, profile: Profile) -> str:
    """An output without the prompt's sentences, as long as something else remains that is more than talk.

    Only sentences with more words than any answer of the task has count: shorter ones may be the answer.

    Args:
        body: The output.
        prompt: What was asked.
        profile: The form of the task's answers.
    """
    if profile.sentence or not prompt:
        return body
    fewest = _fewest(profile)
    folded = body.lower()
    if len(folded) != len(body) or not _shares_words(folded, prompt, fewest):
        return body
    shown = _shown(prompt, fewest)
    kept: list[str] = []
    done = 0
    for word in _WORD.finditer(folded):
        if word.start() < done:
            continue
        for sentence in shown.get(word[0], ()):
            if folded.startswith(sentence, word.start()) and not folded[word.start() + len(sentence) :][:1].isalnum():
                start, end, stands_alone = _extent(body, word.start(), word.start() + len(sentence))
                kept += [body[done:start], "" if stands_alone else "it"]
                done = end
                break
    if not done:
        return body
    rest = "".join([*kept, body[done:]])
    return body if all(is_frame(rest[start:end]) for start, end in segments(rest)) else rest


def is_evidence(sentence: str, prompt: str, profile: Profile) -> bool:
    """Whether a sentence stands in the prompt as it is, and has more words than an answer."""
    bare = sentence.lower().strip(" \t.!")
    return bare in _folded(prompt) and bare in _shown(prompt, _fewest(profile)).get(bare.partition(" ")[0], ())


def shares_sentence(text: str, prompt: str, profile: Profile) -> bool:
    """Whether a text repeats any sentence of the prompt, its last line or its question."""
    if not prompt:
        return False
    folded = text.lower()
    last = _last_line(prompt)
    if last and last in folded:
        return True
    fewest = _fewest(profile)
    if not _shares_words(folded, prompt, fewest):
        return False
    shown = _shown(prompt, fewest)
    heads = shown.keys() & set(_WORD.findall(folded)) if shown else ()
    return any(sentence in folded for head in heads for sentence in shown[head])


def _shares_words(folded: str, prompt: str, count: int) -> bool:
    """Whether so many words in a row stand in the prompt, which costs less to see than to part it into sentences."""
    words = _WORD.findall(folded)
    if len(words) < count:
        return False
    shown = _folded(prompt)
    run = longest = 0
    for word in words:
        run = run + 1 if word in shown else 0
        longest = max(longest, run)
    if longest < count:
        return False
    places = [word.span() for word in _WORD.finditer(folded)]
    return any(folded[first[0] : last[1]] in shown for first, last in zip(places, places[count - 1 :], strict=False))


@lru_cache(maxsize=256)
def _folded(prompt: str) -> str:
    return prompt.lower()


def quotes_line(text: str, prompt: str) -> bool:
    """Whether a text quotes a whole line of the prompt, however short."""
    return bool(prompt) and any(quoted.strip(" .") in _lines(prompt) for quoted in _QUOTATION.findall(text))


@lru_cache(maxsize=1024)
def _lines(prompt: str) -> frozenset[str]:
    return frozenset(line.strip(" .") for line in prompt.split("\n"))


@lru_cache(maxsize=1024)
def _last_line(prompt: str) -> str:
    stripped = prompt.strip()
    return stripped[stripped.rfind("\n") + 1 :].strip().lower()


def _fewest(profile: Profile) -> int:
    """How many words a sentence has at least that is no answer."""
    if profile.task.kind == "json":
        return 3
    return profile.words + 2 if profile.words else _UNKNOWN_LENGTH


@lru_cache(maxsize=256)
def _shown(prompt: str, fewest: int) -> dict[str, tuple[str, ...]]:
    """The folded sentences of a prompt with at least so many words, by their first word, the longest first."""
    found: dict[str, set[str]] = {}
    for sentence in _SENTENCE.split(prompt)[-_MOST_SENTENCES:]:
        bare = sentence.lower().strip(" \t.!")
        words = _WORD.findall(bare)
        if len(words) >= fewest and bare.startswith(words[0]):
            found.setdefault(words[0], set()).add(bare)
    return {word: tuple(sorted(sentences, key=len, reverse=True)) for word, sentences in found.items()}


def _extent(body: str, start: int, end: int) -> tuple[int, int, bool]:
    """Where a repeated sentence begins and ends with its marks, and whether it is a sentence of its own there."""
    while body[end : end + 1] in (".", "!"):
        end += 1
    while start and body[start - 1] in _OPEN and body[end : end + 1] and body[end] in _CLOSE:
        start, end = start - 1, end + 1
    line = body.rfind("\n", 0, start) + 1
    before = body[line:start]
    if _LEADS.fullmatch(before):
        start = line
    elif not before.rstrip().endswith((".", "!", "?")):
        return start, end, False
    after = body[end : end + 1]
    return start, end, not after or after.isspace()
