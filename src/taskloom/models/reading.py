"""Baselines for questions over passages: say NA, say yes, or copy from the sentence most like the question.

They look at the named parts of an instance (passage, question) rather than at the prompt, and at nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from taskloom.core import Recipe, UserError, unknown_name
from taskloom.core.kind import KINDS
from taskloom.core.model import Generation, Identity, Limits, Model, Output, Provider, Request

_COMMON = frozenset(
    {
        "a", "all", "an", "and", "any", "are", "as", "at", "be", "been", "both", "but", "by", "can", "did", "do",
        "does", "each", "false", "for", "from", "had", "has", "have", "how", "in", "is", "it", "its", "many", "much",
        "name", "of", "on", "or", "that", "the", "there", "this", "to", "true", "was", "were", "what", "when",
        "where", "which", "who", "whom", "with", "year",
    }
)  # fmt: skip
_SENTENCE = re.compile(r"(?<=[.!?])\s+")
_NAME = re.compile(r"(?<!^)\b[A-ZÀ-Þ][\w'’-]+(?: [A-ZÀ-Þ][\w'’-]+)*")
_NUMBER = re.compile(r"\b\d[\d,.]*(?: [a-z]+)?")
_YEAR = re.compile(r"\b[12]\d{3}\b")


class Same(Model):
    """Says the same to everything."""

    nature = "baseline"

    def __init__(self, name: str, answer: str) -> None:
        self.identity = Identity(f"reading/{name}", revision="1")
        self.limits = Limits(batch=1024)
        self._answer = answer

    def generate(self, requests: Sequence[Request], generation: Generation) -> list[Output]:
        return [Output(self._answer) for _ in requests]


class LongestOverlap(Model):
    """Finds the sentence that shares most words with the question and copies what the question seems to want.

    Without a passage it says yes to yes/no questions and n/a to others; without a question it says n/a.
    """

    nature = "baseline"

    def __init__(self) -> None:
        self.identity = Identity("reading/longest-overlap", revision="1")
        self.limits = Limits(batch=1024)

    def generate(self, requests: Sequence[Request], generation: Generation) -> list[Output]:
        return [Output(self._answer(request)) for request in requests]

    def _answer(self, request: Request) -> str:
        question, passage = (request.instance.parts.get(part, "") for part in ("question", "passage"))
        closed = bool(request.task.labels)
        if not question or not passage:
            return "yes" if question and closed else "n/a"
        sentence, shared = _nearest(question, passage)
        if not shared:
            return "n/a"
        if closed:
            return "no" if re.search(r"\b(?:no|not|never|without|neither|nobody|nothing)\b", sentence) else "yes"
        copied = _copy(question, sentence)
        return KINDS.get(request.task.kind).write(copied, request.task)


def _words(text: str) -> set[str]:
    """Content words cut to five letters, so that "opened" and "opening" meet."""
    return {word[:5] for word in re.findall(r"\w+", text.lower())} - _COMMON


def _nearest(question: str, passage: str) -> tuple[str, int]:
    asked = _words(question)
    sentences = _SENTENCE.split(passage)
    best = max(sentences, key=lambda sentence: len(asked & _words(sentence)))
    return best, len(asked & _words(best))


def _copy(question: str, sentence: str) -> str:
    """A name, a year or a number where the question asks for one, else the longest run of words not asked with."""
    start = question.lower()
    wanted = [_NAME, _NUMBER]
    if re.match(r"when|in (?:which|what) year|what (?:is|was) the .*year", start):
        wanted = [_YEAR]
    elif re.match(r"how", start):
        wanted = [_NUMBER]
    elif not re.match(r"who|where|at which|in which", start):
        wanted = []
    for pattern in wanted:
        found = pattern.findall(sentence)
        if found:
            return str(max(found, key=len))
    asked = _words(question)
    runs: list[list[str]] = [[]]
    for word in sentence.rstrip(".").split():
        if _words(word) & asked:
            runs.append([])
        else:
            runs[-1].append(word)
    longest = max(runs, key=len)
    return " ".join(longest) or "n/a"


class ReadingProvider(Provider):
    """Opens `reading/…` models."""

    def names(self) -> Mapping[str, str]:
        return {
            "na": "always n/a: the passage does not say",
            "yes": "always yes",
            "longest-overlap": "copies from the sentence that shares most words with the question",
        }

    def options(self, name: str) -> Recipe:
        if name not in self.names():
            raise unknown_name("model", f"reading/{name}", [f"reading/{known}" for known in self.names()])
        return Recipe()

    def open(self, name: str, options: Mapping[str, Any]) -> Model:
        self.options(name)
        if options:
            raise UserError(f"reading/{name} has no options", where=f"-M {next(iter(options))}")
        if name == "longest-overlap":
            return LongestOverlap()
        return Same(name, "n/a" if name == "na" else "yes")


PROVIDER = ReadingProvider()
