"""What the tasks outside the story world share: statements in text, questions with their place, and the draw."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import NamedTuple, TypeVar

from taskloom.core import AnyOf, any_of

__all__ = ["FactQuestion", "FactStory", "FactWorld", "pick", "sample", "yes_no"]

T = TypeVar("T")


class FactQuestion(NamedTuple):
    """A question asked after so many statements, with its answers, a wrong answer, and its supporting statements."""

    after: int
    text: str
    targets: AnyOf
    wrong: str
    support: tuple[int, ...]


class FactStory(NamedTuple):
    """Statements and the questions about them."""

    statements: list[str]
    questions: list[FactQuestion]


class FactWorld(NamedTuple):
    """A task outside the story world.

    Attributes:
        number: Its bAbI number.
        concept: The concept it stands for in recipes.
        title: One line for lists.
        definition: What to do, for the instruction.
        labels: The closed set of answers, where there is one.
        draw: A random story; the flag asks for names that the story world does not use.
    """

    number: int
    concept: str
    title: str
    definition: str
    labels: tuple[str, ...]
    draw: Callable[[Random, bool], FactStory]


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
