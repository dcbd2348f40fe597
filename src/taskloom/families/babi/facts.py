"""What the tasks outside the story world share: statements in text, questions with their place, names, and the draw.

A world draws a *form*: a story whose people, places and animals are tokens (`@p0`, `@l3`, `@a1s` for a plural).
Tokens are numbered by first mention, so two forms that read alike are one, and different names in a form give
different texts.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from random import Random
from typing import NamedTuple, TypeVar

from taskloom.core import AnyOf, any_of

__all__ = ["FactQuestion", "FactStory", "FactWorld", "canonical", "named", "pick", "sample", "tokens", "yes_no"]

T = TypeVar("T")

_TOKEN = re.compile(r"@([a-z])(\d)(s?)")


class FactQuestion(NamedTuple):
    """A question asked after this many statements, with its answers, a wrong answer, and its supporting statements."""

    after: int
    text: str
    targets: AnyOf
    wrong: str
    support: tuple[int, ...]


class FactStory(NamedTuple):
    """Statements and the questions about them."""

    statements: list[str]
    questions: list[FactQuestion]

    def beginning(self) -> str:
        """What the first question's input consists of."""
        first = self.questions[0]
        return "\n".join([*self.statements[: first.after], first.text])


class FactWorld(NamedTuple):
    """A task outside the story world.

    Attributes:
        number: Its bAbI number.
        concept: The concept it stands for in recipes.
        title: One line for lists.
        definition: What to do, for the instruction.
        labels: The closed set of answers, if there is one.
        names: The names that tokens stand for, by letter; an animal is "mouse/mice".
        draw: A random form; the flag asks for one that touches no object of the story world.
        apart: Names that the story world does not use, where they differ.
    """

    number: int
    concept: str
    title: str
    definition: str
    labels: tuple[str, ...]
    names: dict[str, tuple[str, ...]]
    draw: Callable[[Random, bool], FactStory]
    apart: dict[str, tuple[str, ...]] = {}


def pick(rng: Random, options: Sequence[T]) -> T:
    """One of the options, each as likely."""
    return options[int(rng.random() * len(options))]


def sample(rng: Random, options: Sequence[T], count: int) -> list[T]:
    """Some of the options in random order, without repeats."""
    pool = list(options)
    found = []
    for _ in range(count):
        found.append(pool.pop(int(rng.random() * len(pool))))
    return found


def yes_no(right: bool) -> tuple[AnyOf, str]:
    """Targets and the wrong answer of a yes-no question."""
    return (any_of("yes"), "no") if right else (any_of("no"), "yes")


# -- names ------------------------------------------------------------------------------------------------------


def tokens(text: str) -> Iterator[tuple[str, int]]:
    """The tokens of a text in order, with repeats."""
    for letter, digit, _ in _TOKEN.findall(text):
        yield letter, int(digit)


def _replaced(story: FactStory, change: Callable[[str], str], finish: Callable[[str], str]) -> FactStory:
    statements = [finish(change(text)) for text in story.statements]
    questions = [
        asked._replace(
            text=finish(change(asked.text)),
            targets=any_of(tuple(change(answer) for answer in asked.targets.answers)),
            wrong=change(asked.wrong),
        )
        for asked in story.questions
    ]
    return FactStory(statements, questions)


def canonical(story: FactStory) -> FactStory:
    """A form with its tokens numbered by first mention."""
    numbers: dict[tuple[str, int], int] = {}
    used: dict[str, int] = {}
    text = "\n".join((story.beginning(), *story.statements, *(asked.text for asked in story.questions)))
    for letter, digit in tokens(text):
        if (letter, digit) not in numbers:
            numbers[letter, digit] = used.get(letter, 0)
            used[letter] = numbers[letter, digit] + 1

    def renumber(match: re.Match[str]) -> str:
        # A token that only an answer mentions keeps out of the way of the others.
        key = (match[1], int(match[2]))
        if key not in numbers:
            numbers[key] = used.get(match[1], 0)
            used[match[1]] = numbers[key] + 1
        return f"@{match[1]}{numbers[key]}{match[3]}"

    return _replaced(story, lambda text: _TOKEN.sub(renumber, text), lambda text: text)


def named(story: FactStory, names: Mapping[str, Sequence[str]]) -> FactStory:
    """A form with names for its tokens."""

    def name(match: re.Match[str]) -> str:
        singular, _, plural = names[match[1]][int(match[2])].partition("/")
        return plural if match[3] else singular

    return _replaced(story, lambda text: _TOKEN.sub(name, text), lambda text: text[:1].upper() + text[1:])
