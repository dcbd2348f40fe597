"""What counts as a right answer.

A target keeps *every* acceptable answer, in the form in which the set is small: a product of sets
stays a product (five thousand words ten places long are ten sets, not 5000**10 strings).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, TypeAlias

import msgspec

from taskloom.core.calls import CallError, Explained, method


class AnyOf(Explained, msgspec.Struct, frozen=True, gc=False, tag="any"):
    """Plain text: any one of these strings is right. The first is the canonical one."""

    answers: tuple[str, ...]

    def __post_init__(self) -> None:
        if isinstance(self.answers, str):
            raise CallError(f"answers is a tuple of texts, not {self.answers!r}", hint=f"AnyOf(({self.answers!r},))")

    @method
    def canonical(self) -> str:
        """The answer that the oracle gives and that models are trained on."""
        return self.answers[0]


class CheckedAnswers(AnyOf, frozen=True, gc=False, tag="checked"):
    """Answers that a program checks, because there are more right ones than could be listed.

    The answers are examples. `entry` is what the checking scorer needs to know of the question, as JSON text.
    """

    entry: str


class Boolean(Explained, msgspec.Struct, frozen=True, gc=False, tag="bool"):
    """A truth value with a pair of words for it (the word for true first)."""

    value: bool
    words: tuple[str, str] = ("yes", "no")

    @method
    def canonical(self) -> str:
        """The word for the value."""
        return self.words[0 if self.value else 1]


class Items(Explained, msgspec.Struct, frozen=True, gc=False, tag="items"):
    """A list of spans. Each alternative is one acceptable list; order matters only if `ordered`.

    An empty list is written as `empty` ("nothing", "n/a").
    """

    alternatives: tuple[tuple[str, ...], ...]
    ordered: bool = False
    separator: str = ", "
    empty: str = "nothing"

    @method
    def canonical(self) -> str:
        """The first alternative joined by the separator."""
        return self.separator.join(self.alternatives[0]) or self.empty


class Product(Explained, msgspec.Struct, frozen=True, gc=False, tag="product"):
    """A sequence of sets: position i may be filled by any member of `slots[i]`.

    `separator` separates the positions. If it is white space, multi-word members cannot be told apart from
    several members, so the scorer searches for the best segmentation.
    """

    slots: tuple[tuple[str, ...], ...]
    separator: str = " "

    @method
    def canonical(self) -> str:
        """The first member of each set."""
        return self.separator.join(slot[0] for slot in self.slots)


class Structure(Explained, msgspec.Struct, frozen=True, gc=False, tag="json"):
    """A JSON structure, kept as canonical JSON text. Any one of the alternatives is right."""

    alternatives: tuple[str, ...]

    @method
    def canonical(self) -> str:
        """The first alternative as JSON text."""
        return self.alternatives[0]

    def values(self) -> list[Any]:
        """The alternatives as Python values."""
        return [msgspec.json.decode(text) for text in self.alternatives]


Targets: TypeAlias = AnyOf | CheckedAnswers | Boolean | Items | Product | Structure


def any_of(answers: str | Iterable[str]) -> AnyOf:
    """An `AnyOf` from one answer or several, keeping their order and dropping repeats."""
    given: Sequence[str] = [answers] if isinstance(answers, str) else list(answers)
    if not given:
        raise ValueError("a target needs at least one acceptable answer")
    return AnyOf(tuple(dict.fromkeys(given)))


def acceptable_texts(targets: Targets) -> tuple[str, ...]:
    """Every acceptable answer as text; of a product only the canonical one, because they do not end."""
    match targets:
        case AnyOf(answers):
            return answers
        case Items():
            return tuple(targets.separator.join(items) or targets.empty for items in targets.alternatives)
        case Structure(alternatives):
            return alternatives
        case _:
            return (targets.canonical(),)
