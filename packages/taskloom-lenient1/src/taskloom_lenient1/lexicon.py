"""Which words the rules know: the words that one of their patterns tells from other words.

The reader's rules are patterns and sets of words. A word that none of them contains is the same to them whatever it is.
To say so of a word that has never been seen, without trying two hundred patterns on it, the patterns are taken apart
once: into whole words, beginnings and endings of words, and pieces from the middle of words.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from importlib import import_module
from re import _compiler as compiler  # type: ignore[attr-defined]
from re import _constants as code  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any, NamedTuple

__all__ = ["JOINTS", "Lexicon", "is_known", "lexicon_of", "rules"]

_RULES = ("claim", "cutoff", "frame", "grade", "hedge", "labels", "layout", "lenient", "locate", "mask", "numbers",
          "peel", "profile", "quantity", "restate", "rival", "stance", "structured", "structures", "thoughts",
          "vocabulary")  # fmt: skip
_WORD = re.compile(r"[^\W_]+")
_MOST_STATES = 4_000
_MOST_TURNS = 4
_FEW_LETTERS = 8
_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_DIGITS = "0123456789"
_SIGNS = " \n.,;:!?*\"()[]{}<>/|=&%$#~+–—“”…'_-"
JOINTS = "'’-_"
"""Words that touch one of these are never taken for unknown, so no match that crosses it matters."""


class Lexicon(NamedTuple):
    """The words that patterns tell from others, folded.

    Attributes:
        words: Whole words.
        heads: How words begin of which the rest is not spelled out.
        tails: How words end of which the beginning is not spelled out.
        pieces: What stands in the middle of such words.
    """

    words: frozenset[str]
    heads: frozenset[str]
    tails: frozenset[str]
    pieces: frozenset[str]

    def has(self, word: str) -> bool:
        """Whether any of the patterns may tell a folded word from others."""
        places = range(1, len(word) + 1)
        return (
            word in self.words
            or any(word[:end] in self.heads for end in places)
            or any(word[-size:] in self.tails for size in places)
            or any(piece in word for piece in self.pieces)
        )


class _Taker:
    """Takes patterns apart. Its state is what a match may have consumed of the word it stands in.

    A state is the letters so far, and whether they begin the word (else something unknown goes before them).
    """

    def __init__(self) -> None:
        self.words: set[str] = set()
        self.heads: set[str] = set()
        self.tails: set[str] = set()
        self.pieces: set[str] = set()

    def take(self, pattern: re.Pattern[str]) -> None:
        """Add the words of one pattern. A match begins where a word does, and may end within one."""
        last = self._walk(parser.parse(pattern.pattern, pattern.flags), {("", True)})
        self._leave_open(last)
        self._close(last)

    def _close(self, states: set[tuple[str, bool]]) -> set[tuple[str, bool]]:
        """The word ends here."""
        for letters, begins in states:
            if letters.isalnum():
                (self.words if begins else self.tails).add(letters)
        return {("", True)}

    def _leave_open(self, states: set[tuple[str, bool]]) -> set[tuple[str, bool]]:
        """The word goes on with letters that are not spelled out."""
        for letters, begins in states:
            if letters.isalnum():
                (self.heads if begins else self.pieces).add(letters)
        return {("", False)}

    def _walk(self, sequence: Iterable[tuple[Any, Any]], states: set[tuple[str, bool]]) -> set[tuple[str, bool]]:
        for kind, value in sequence:
            states = self._step(kind, value, states)
            if len(states) > _MOST_STATES:
                states = self._leave_open(states)
        return states

    def _step(self, kind: Any, value: Any, states: set[tuple[str, bool]]) -> set[tuple[str, bool]]:
        if kind is code.LITERAL:
            return self._spell(chr(value), states)
        if kind is code.BRANCH:
            return set().union(*(self._walk(branch, states) for branch in value[1]))
        if kind is code.SUBPATTERN:
            return self._walk(value[3], states)
        if kind in (code.MAX_REPEAT, code.MIN_REPEAT, code.POSSESSIVE_REPEAT):
            return self._repeat(value, states)
        if kind is code.AT:
            return self._close(states)
        if kind is code.GROUPREF:
            return self._leave_open(states) | self._close(states)
        if kind in (code.ASSERT, code.ASSERT_NOT):
            return self._look(kind, value, states)
        letters, digits, signs = _samples(kind, value)
        found = set().union(*(self._spell(sign, states) for sign in signs))
        if digits:
            found |= {(JOINTS, True)}
        if len(letters) > _FEW_LETTERS:
            return found | self._leave_open(states)
        return found.union(*(self._spell(letter, states) for letter in letters))

    def _spell(self, letter: str, states: set[tuple[str, bool]]) -> set[tuple[str, bool]]:
        if letter in JOINTS:
            return {(JOINTS, True)}
        if not letter.isalnum():
            return self._close(states)
        return {(letters + folded, begins) for letters, begins in states for folded in letter.casefold()}

    def _repeat(self, value: tuple[int, Any, Any], states: set[tuple[str, bool]]) -> set[tuple[str, bool]]:
        least, most, inner = value
        found = set(states) if least == 0 else set()
        for _ in range(min(int(most), _MOST_TURNS)):
            states = self._walk(inner, states)
            if states <= found:
                return found
            found |= states
        return found if int(most) <= _MOST_TURNS else found | self._leave_open(states)

    def _look(self, kind: Any, value: tuple[int, Any], states: set[tuple[str, bool]]) -> set[tuple[str, bool]]:
        direction, inner = value
        if kind is code.ASSERT_NOT and len(inner) == 1 and _covers_letters(*inner[0]):
            # "Not beside a letter": a word begins or ends here.
            return self._close(states)
        seen = self._walk(inner, states if direction > 0 else {("", True), ("", False)})
        if direction > 0:
            self._leave_open(seen)
        self._close(seen)
        return self._close(states) if kind is code.ASSERT and seen == {("", True)} else states


_seen: dict[str, tuple[list[str], list[str], list[str]]] = {}


def _samples(kind: Any, value: Any) -> tuple[list[str], list[str], list[str]]:
    """The letters, the digits and the signs among a few samples that a class matches."""
    known = _seen.get(name := f"{kind} {value}")
    if known is None:
        one = compiler.compile(parser.SubPattern(parser.State(), [(kind, value)]), re.IGNORECASE)
        letters, digits, signs = ([sign for sign in given if one.match(sign)] for given in (_LETTERS, _DIGITS, _SIGNS))
        known = _seen[name] = letters, digits, signs
    return known


def _covers_letters(kind: Any, value: Any) -> bool:
    """Whether a class holds all letters."""
    return kind is code.IN and len(_samples(kind, value)[0]) == len(_LETTERS)


def lexicon_of(patterns: Iterable[re.Pattern[str]], words: Iterable[str] = ()) -> Lexicon:
    """The words of patterns, and further words."""
    taker = _Taker()
    for pattern in patterns:
        taker.take(pattern)
    taker.words.update(words)
    return Lexicon(*map(frozenset, (taker.words, taker.heads, taker.tails, taker.pieces)))


@lru_cache(maxsize=1)
def rules() -> Lexicon:
    """The words that any rule of the reader knows."""
    values = [value for name in _RULES for value in vars(import_module(f"taskloom_lenient1.{name}")).values()]
    patterns = dict.fromkeys(value for value in values if isinstance(value, re.Pattern))
    words = {word for value in values for phrase in _phrases(value) for word in _WORD.findall(phrase.casefold())}
    return lexicon_of(patterns, words)


def _phrases(value: object) -> Iterator[str]:
    """The strings in a table of a rule."""
    if isinstance(value, dict):
        yield from _phrases((*value, *(one for one in value.values() if isinstance(one, tuple))))
    elif isinstance(value, frozenset | set | tuple):
        for one in value:
            if isinstance(one, str):
                yield one
            elif isinstance(one, tuple):
                yield from _phrases(one)


@lru_cache(maxsize=1 << 16)
def is_known(word: str) -> bool:
    """Whether any rule knows a word, so that another word in its place might be read otherwise."""
    folded = word.casefold()
    return len(folded) < 2 or folded.endswith("ly") or rules().has(folded)
