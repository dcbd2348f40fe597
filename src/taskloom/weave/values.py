"""Values: the right answers to an item, each with its spellings, and how operators act on them.

"one" and "1" are two spellings of one answer; two synonyms are two answers. An operator declares its nature, which says
what becomes of spellings: a *form* changes each of them, a *thing* is done to the answer in any spelling, a
*string* function is defined only where all spellings agree, a *decision* only where all of them match, or none.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias

from taskloom.core import AnyOf, Items, Structure, Targets, keyed_random
from taskloom.score.match import loose
from taskloom.score.read.text import whole_number

Nature: TypeAlias = Literal["form", "thing", "string", "decision"]
Act: TypeAlias = Callable[[str], str | None]
_CONSONANTS = "bdfgklmnprstvz"


@dataclass(frozen=True, slots=True)
class Value:
    """Every right answer to an item.

    Attributes:
        answers: The right answers, each with its spellings, the canonical one first.
        lists: Where answers are lists, the members of each.
    """

    answers: tuple[tuple[str, ...], ...]
    lists: tuple[tuple[str, ...], ...] = ()

    @property
    def canonical(self) -> str:
        """The answer that is shown where one is."""
        return self.answers[0][0]

    @property
    def texts(self) -> tuple[str, ...]:
        """Every spelling of every answer, each once."""
        return tuple(dict.fromkeys(text for spellings in self.answers for text in spellings))

    def image(self, act: Act, nature: Nature) -> Value | None:
        """What an operator on answers makes of it; None where that is ambiguous or not defined."""
        found: dict[tuple[str, ...], None] = {}
        for spellings in self.answers:
            images = [act(text) for text in spellings]
            kept = tuple(dict.fromkeys(image for image in images if image is not None))
            # A form is written, so each spelling has one; anything else is one answer or not asked.
            if not kept or (len(kept) > 1 and nature != "form") or (None in images and nature != "thing"):
                return None
            found[kept] = None
        return Value(tuple(found))

    def matches(self, text: str) -> bool | None:
        """Whether an answer is this one; None where some spellings say so and others do not."""
        said = _same(text)
        found = {_same(each) == said for each in self.texts}
        return found.pop() if len(found) == 1 else None

    def equals(self, other: Value) -> bool | None:
        """Whether two items have the same answer; None where only some of their answers are shared."""
        mine, theirs = ({_same(text) for text in value.texts} for value in (self, other))
        if mine.isdisjoint(theirs):
            return False
        return True if len(self.answers) == len(other.answers) == 1 else None


def number_of(text: str) -> int | None:
    """The whole number that a text says, in digits or words; None where it says none."""
    found = 0.0 if text.strip().lower() in ("none", "nothing") else whole_number(text)
    return int(found) if found is not None and found.is_integer() else None


def _same(text: str) -> str:
    number = number_of(text)
    return loose(text) if number is None else str(number)


def label_codes(labels: tuple[str, ...]) -> dict[str, str]:
    """An arbitrary code of three letters for each label, the same wherever these labels are renamed."""
    rng = keyed_random("weave", "codes", *labels)
    found: dict[str, str] = {}
    for label in labels:
        code = ""
        while not code or code in found.values():
            code = rng.choice(_CONSONANTS) + rng.choice("aeiou") + rng.choice(_CONSONANTS)
        found[label] = code
    return found


def value_of(targets: Targets, *, several: bool) -> Value:
    """The value of a row of a task.

    Args:
        targets: Its targets.
        several: Whether acceptable texts are answers of their own; else they are spellings of one.
    """
    match targets:
        case AnyOf(answers):
            return Value(tuple((text,) for text in answers) if several else (answers,))
        case Items(alternatives):
            joined = tuple((targets.separator.join(one) or targets.empty,) for one in alternatives)
            return Value(joined, alternatives)
        case Structure(alternatives):
            return Value(tuple((text,) for text in alternatives))
        case _:
            return Value(((targets.canonical(),),))
