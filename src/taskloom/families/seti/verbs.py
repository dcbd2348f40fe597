"""The clause-embedding verbs and the template that embeds a sentence under one of them."""

from __future__ import annotations

from functools import cache
from typing import Literal, NamedTuple, TypeAlias

from taskloom.sources.sentences import Pair, conjugate, inventory

Tense: TypeAlias = Literal["present", "past", "perfect", "past-perfect"]

# Table 6 of the paper.
VERIDICAL = (
    *("realize", "acknowledge", "remember", "note", "find", "notice", "learn", "see"),
    *("reveal", "discover", "understand", "know", "admit", "recognize", "observe"),
)
NON_VERIDICAL = (
    *("feel", "claim", "doubt", "hope", "predict", "imply", "suspect", "wish"),
    *("think", "believe", "hear", "expect", "estimate", "assume", "argue"),
)

# Under negation only the clear cases are asked (`ratings`). Of ten people each, seven to nine still infer what the
# first five embed (mean rating at least 0.7 on -1 … 1), and at most three what the others do (at most 0.3).
FACTIVE = ("realize", "notice", "understand", "know", "recognize")
NEGATABLE = ("think", "believe", "claim", "feel", "imply", "hope", "assume", "estimate")

_VERIDICAL_SET = frozenset(VERIDICAL)
_PLURAL_SUBJECTS = frozenset({"i", "you", "we", "they", "people", "some people", "many people", "most people"})


def is_veridical(verb: str) -> bool:
    """Whether "Someone VERBs that s" lets us infer s."""
    return verb in _VERIDICAL_SET


class Template(NamedTuple):
    """How a sentence is embedded: "Someone realizes that …" with any subject, tense and complementiser."""

    subjects: tuple[str, ...] = ("someone",)
    tense: Tense = "present"
    complementizer: bool = True

    def embed(self, verb: str, pair: Pair, turn: int, *, negated: bool = False) -> str:
        """The premise of the pair under a verb, as a clause without capital and full stop.

        `turn` chooses among several subjects. "Wish" asks for the past subjunctive where it is known.
        """
        subject = self.subjects[turn % len(self.subjects)]
        inner = (pair.wished or pair.premise) if verb == "wish" else pair.premise
        return opening(subject, verb, self.tense, negated, self.complementizer) + inner

    def deepen(self, verb: str, clause: str, turn: int) -> str:
        """One more layer around a clause that is already embedded."""
        subject = self.subjects[turn % len(self.subjects)]
        return opening(subject, verb, self.tense, False, self.complementizer) + clause


@cache
def opening(subject: str, verb: str, tense: Tense, negated: bool, complementizer: bool) -> str:
    """The words before the embedded clause, with agreement: "she does not know that "."""
    forms = conjugate(verb)
    plural = _is_plural(subject)
    if tense in ("perfect", "past-perfect"):
        have = "had" if tense == "past-perfect" else "have" if plural else "has"
        group = f"{have} not {forms.participle}" if negated else f"{have} {forms.participle}"
    elif negated:
        do = "did" if tense == "past" else "do" if plural else "does"
        group = f"{do} not {verb}"
    elif tense == "past":
        group = forms.past
    else:
        group = verb if plural else forms.third
    name = "I" if subject.lower() == "i" else subject
    return f"{name} {group} that " if complementizer else f"{name} {group} "


@cache
def _is_plural(subject: str) -> bool:
    """Agreement of the subject: known pronouns, conjunctions, and plural nouns of the inventory."""
    words = subject.lower().split()
    plurals = {noun.plural for noun in inventory().nouns.values() if noun.plural != noun.word}
    return subject.lower() in _PLURAL_SUBJECTS or "and" in words or words[-1] in plurals
